//! Links the edges of many new sources.

use super::super::Storage;
use super::{EdgeList, TargetLink, number};
use crate::component::{ComponentId, End};
use crate::entity::Entity;

/// An edge of a new source.
#[derive(Clone, Copy)]
pub(crate) struct NewEdge {
    pub(crate) source: Entity,
    pub(crate) target: Entity,
    /// The slot of the edge in the list of the source's targets; 0 if the source has no list.
    pub(crate) slot: u32,
}

impl Storage {
    /// Makes edges known to their targets, in order. Memory for the lists of targets was
    /// [reserved](crate::storage::SparseSet::reserve_values), and the sources have their components.
    ///
    /// O(edges).
    ///
    /// # Panics
    /// If a target is not alive, or is the source.
    #[inline]
    pub(crate) fn link_new(
        &mut self,
        component: ComponentId,
        edges: impl IntoIterator<Item = NewEdge>,
    ) {
        let other = self.other(component);
        let is_single = matches!(self.end_of(component), Some(End::Target { .. }));
        for NewEdge {
            source,
            target,
            slot,
        } in edges
        {
            let reverse_slot = self.push(other, target, source);
            let reverse_slot = reverse_slot.expect("a target that is alive, and not the source");
            if is_single {
                let link = self.target_link_mut(component, source);
                link.expect("the source has the component").slot = number(reverse_slot);
            } else {
                self.connect(
                    (component, source, slot as usize),
                    (other, target, reverse_slot),
                );
            }
        }
    }
}

impl EdgeList {
    /// Makes a list that is in no storage yet.
    #[inline]
    pub(crate) fn of(entities: impl Iterator<Item = Entity>) -> Self {
        let mut list = Self::default();
        entities.for_each(|entity| list.push_unlinked(entity));
        list
    }
}

/// The beginning of a component of sources, without its type.
pub(crate) enum Head {
    /// The beginning for an [`End::Target`].
    Target(TargetLink),
    /// The beginning for an [`End::Targets`].
    Targets(EdgeList),
}

impl Head {
    /// A pointer to it.
    #[inline]
    pub(crate) fn as_ptr(&self) -> *const u8 {
        match self {
            Self::Target(link) => core::ptr::from_ref(link).cast(),
            Self::Targets(list) => core::ptr::from_ref(list).cast(),
        }
    }
}
