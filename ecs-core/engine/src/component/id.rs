//! Process-wide component ids: one small integer per type, allocated at first use.

/// The id of a component type, the same in every world of the process.
///
/// Ids are numbered in the order of first use in any world. No program should depend on that order, so ids have no
/// order, and `Debug` and `Hash` use the component's [name](Self::name). In a world, components are ordered by
/// [registration](crate::World#order).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ComponentId(pub(super) u32);

impl ComponentId {
    /// The index in any list by component.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The id with a number that is allocated, or will be.
    pub(crate) fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}
