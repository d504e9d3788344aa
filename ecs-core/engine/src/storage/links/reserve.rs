//! Reserves memory for edges before a structural change writes anything: reserving may hit a limit.

use super::super::Storage;
use super::{EdgeList, TargetLink};
use crate::component::{ComponentId, End, Link, RawLink};
use crate::entity::Entity;

impl Storage {
    /// Reserves memory for the edges of a value that is about to be inserted. Reserved targets get rows, and the set of
    /// their lists gets capacity for the missing lists and for one that is inserted with the value.
    ///
    /// # Safety
    /// The value is initialised. The component is registered. `source` is the entity that gets the value, unless it has
    /// no id yet.
    ///
    /// # Panics
    /// If a limit is hit. Then nothing has changed, except that reserved targets may have got rows.
    #[inline]
    pub(crate) unsafe fn reserve_edges<T>(
        &mut self,
        link: &Link<T>,
        source: Option<Entity>,
        value: *const T,
    ) {
        // SAFETY: the value is initialised by the caller's contract, and the link is of its type.
        unsafe { self.reserve_erased_edges(link.raw(), source, value.cast()) }
    }

    /// Like [`reserve_edges`](Self::reserve_edges), for a value whose type is not known.
    ///
    /// # Safety
    /// `value` points to an initialised value of the component that the link belongs to. The component is registered.
    ///
    /// # Panics
    /// If a limit is hit, as in [`reserve_edges`](Self::reserve_edges).
    pub(crate) unsafe fn reserve_erased_edges(
        &mut self,
        link: &RawLink,
        source: Option<Entity>,
        value: *const u8,
    ) {
        let lists = link.other();
        let missing = match link.end {
            End::Target { .. } => {
                // SAFETY: the value is initialised by the caller's contract, and begins with a `TargetLink` by
                // invariant 1 of `RawLink`.
                let TargetLink { target, .. } = unsafe { *value.cast::<TargetLink>() };
                self.prepare_target(lists, source, target)
            }
            End::Targets { .. } => {
                // SAFETY: the value is initialised by the caller's contract, and begins with an `EdgeList` by invariant 1 of
                // `RawLink`.
                let targets = unsafe { &*value.cast::<EdgeList>() };
                targets.check_slots();
                let mut missing = 0;
                for target in targets.iter() {
                    missing += self.prepare_target(lists, source, target);
                }
                missing
            }
            End::Sources { .. } => return,
        };
        self.store_mut(lists).set_mut().reserve_values(missing + 1);
    }

    /// Reserves memory for one more edge of a source that has a list.
    ///
    /// # Panics
    /// If a limit is hit, as in [`reserve_edges`](Self::reserve_edges).
    pub(crate) fn reserve_edge(&mut self, component: ComponentId, source: Entity, target: Entity) {
        let targets = self.list(component, source);
        targets.expect("the source has a list").check_slots();
        let lists = self.other(component);
        let missing = self.prepare_target(lists, Some(source), target);
        self.store_mut(lists).set_mut().reserve_values(missing);
    }

    /// Makes sure that a target that is alive has a row, and a free slot in its list; returns the number of missing
    /// lists.
    fn prepare_target(
        &mut self,
        lists: ComponentId,
        source: Option<Entity>,
        target: Entity,
    ) -> usize {
        if source == Some(target) {
            // No edge to itself is made. The entity may be reserved, and about to get a row for its other values.
            return 0;
        }
        self.place_if_reserved(target);
        if self.entities.get(target).is_none() {
            return 0;
        }
        match self.list(lists, target) {
            Some(list) => {
                list.check_slots();
                0
            }
            None => 1,
        }
    }
}
