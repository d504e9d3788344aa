//! Replaces the component of a source, and keeps the edges that stay.

use alloc::vec::Vec;
use core::mem::take;

use super::super::Storage;
use super::{EdgeList, TargetLink};
use crate::component::{ComponentId, End};
use crate::entity::Entity;
use crate::sort::sort_by_number;

impl Storage {
    /// Cuts the edges of an entity that a new value of the component does not have. The others get their slots in the new
    /// value, so that they keep their places among the sources of their targets; the value is moved in next, and then
    /// [linked](Self::link).
    ///
    /// Other components are [unlinked](Self::unlink). O(edges x log).
    ///
    /// # Safety
    /// `value` is a value of the component that is in no storage, and nothing else accesses it during the call.
    pub(crate) unsafe fn unlink_changed(
        &mut self,
        component: ComponentId,
        entity: Entity,
        value: *mut u8,
    ) {
        match self.end_of(component) {
            Some(End::Target { .. }) => {
                // SAFETY: the value begins with a `TargetLink` by invariant 1 of `RawLink`, and nothing else accesses it.
                let new = unsafe { &mut *value.cast::<TargetLink>() };
                self.keep_target(component, entity, new);
            }
            Some(End::Targets { .. }) => {
                // SAFETY: the value begins with an `EdgeList` by invariant 1 of `RawLink`, and nothing else accesses it.
                let new = unsafe { &mut *value.cast::<EdgeList>() };
                self.keep_targets(component, entity, new);
            }
            Some(End::Sources { .. }) | None => {}
        }
    }

    fn keep_target(&mut self, component: ComponentId, entity: Entity, new: &mut TargetLink) {
        let Some(&TargetLink { target, slot }) = self.target_link(component, entity) else {
            return;
        };
        if new.target == target {
            new.slot = slot;
        } else {
            self.take_out(self.other(component), target, slot as usize);
        }
    }

    fn keep_targets(&mut self, component: ComponentId, entity: Entity, new: &mut EdgeList) {
        let other = self.other(component);
        let Some(list) = self.list_mut(component, entity) else {
            return;
        };
        // Taken out meanwhile, as in `unlink_targets`.
        let list = take(list);
        let mut slots: Vec<(Entity, usize)> = new.edges().map(|(slot, to)| (to, slot)).collect();
        sort_by_number(&mut slots, |&(to, _)| to.to_bits());
        for (slot, target) in list.edges() {
            let reverse_slot = list.reverse_slot(slot).expect("each edge is in two lists");
            let Ok(kept) = slots.binary_search_by_key(&target.to_bits(), |&(to, _)| to.to_bits())
            else {
                self.take_out(other, target, reverse_slot);
                continue;
            };
            let slot = slots[kept].1;
            new.set_reverse_slot(slot, reverse_slot);
            let sources = self.list_mut(other, target);
            let sources = sources.expect("the target has a list with the source");
            sources.set_reverse_slot(reverse_slot, slot);
        }
        *self
            .list_mut(component, entity)
            .expect("the entity has the component") = list;
    }
}
