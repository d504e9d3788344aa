//! Room for edges, made before a verb writes anything, as a limit may be hit.

use super::super::Storage;
use super::{List, TargetLink};
use crate::component::{ComponentId, End, Link, RawLink};
use crate::entity::Entity;

impl Storage {
    /// Makes room for the edges of a value that is about to be put in: targets that were only reserved get rows, and the set
    /// of their lists has room for those that are lacking, and for one that comes with the value.
    ///
    /// # Safety
    /// The value is initialised. The world knows the component. `source` is the entity that gets it, unless that has no id
    /// yet.
    ///
    /// # Panics
    /// If a limit is hit. Nothing has changed then, but that targets may have rows that were only reserved.
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

    /// As [`reserve_edges`](Self::reserve_edges), for a value whose type is not known.
    ///
    /// # Safety
    /// The value is an initialised one of the component of which the link is. The world knows that component.
    ///
    /// # Panics
    /// As [`reserve_edges`](Self::reserve_edges).
    pub(crate) unsafe fn reserve_erased_edges(
        &mut self,
        link: &RawLink,
        source: Option<Entity>,
        value: *const u8,
    ) {
        let lists = (link.other)();
        let lacking = match link.end {
            End::Target { .. } => {
                // SAFETY: the caller vouches for the value, which by invariant 1 of `RawLink` begins with a `TargetLink`.
                let TargetLink { target, .. } = unsafe { *value.cast::<TargetLink>() };
                self.make_ready(lists, source, target)
            }
            End::Targets { .. } => {
                // SAFETY: the caller vouches for the value, which by invariant 1 of `RawLink` begins with a `List`.
                let targets = unsafe { &*value.cast::<List>() };
                targets.check_slots();
                let mut lacking = 0;
                for target in targets.iter() {
                    lacking += self.make_ready(lists, source, target);
                }
                lacking
            }
            End::Sources { .. } => return,
        };
        self.store_mut(lists).set_mut().reserve_values(lacking + 1);
    }

    /// Makes room for one more edge of a source that has a list.
    ///
    /// # Panics
    /// As [`reserve_edges`](Self::reserve_edges).
    pub(crate) fn reserve_edge(&mut self, component: ComponentId, source: Entity, target: Entity) {
        let targets = self.list(component, source);
        targets.expect("the source has a list").check_slots();
        let lists = self.other(component);
        let lacking = self.make_ready(lists, Some(source), target);
        self.store_mut(lists).set_mut().reserve_values(lacking);
    }

    /// Sees to it that a target, unless it is gone, has a row, and a free slot in its list; returns how many lists are lacking
    /// for that.
    fn make_ready(&mut self, lists: ComponentId, source: Option<Entity>, target: Entity) -> usize {
        if source == Some(target) {
            // There will be no such edge. Perhaps it is reserved, and about to get a row where its other values go.
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
