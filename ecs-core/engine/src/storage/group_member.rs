//! The positions of components in the groups of a world, without the groups.

/// The position of a component in the groups of its world.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Member {
    pub(super) family: u16,
    /// The component's bit in its family; 0 if it is in no group.
    pub(super) bit: u16,
}

impl Member {
    /// Returns true if the component is in a group.
    #[inline]
    pub(crate) fn is_grouped(self) -> bool {
        self.bit != 0
    }
}

/// A set of components of one family.
#[derive(Clone, Copy, Default)]
pub(crate) struct GroupMembers {
    /// Invariant 1: the number of a family of the world unless `bits` is 0.
    pub(super) family: u16,
    pub(super) bits: u16,
}

impl GroupMembers {
    /// Adds a component; returns `false` if it is in no group, or in a different family than the others.
    #[inline]
    pub(crate) fn add(&mut self, member: Member) -> bool {
        if self.bits == 0 {
            self.family = member.family;
        }
        let fits = member.is_grouped() && member.family == self.family;
        if fits {
            self.bits |= member.bit;
        }
        fits
    }
}
