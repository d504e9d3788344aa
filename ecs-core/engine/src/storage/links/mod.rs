//! Keeps the two ends of relations consistent.
//!
//! These functions are part of the writes of a structural change: no user code runs, so no code ever sees one end
//! without the other. Values to be dropped are moved into boxes in the change's list, so that sets can be changed again
//! before the list is run. Limits are [checked before](reserve), so that nothing here panics.
//!
//! # Relate entities
//! `Target`, `Targets` and `Sources` are sparse components whose type states which end of a relation they are
//! (`Component::LINK`). Hooks could not keep both ends consistent: they run among user code that may panic, and cannot make
//! structural changes. So linking is one of the writes of a structural change, like entering a group: `insert` and `spawn` call
//! `Storage::link` after the last field and before the drops, and each removal of a sparse value calls `Storage::unlink` first
//! (`storage/links`, compiled once, on ids and lists). No code gets a `&mut` to such a value: `Write::new` rejects it in a
//! constant. The value of a removed edge is boxed into the `DropList` because its set may be written again before the list is
//! dropped. A list is a `Vec` of ids with tombstones, so that an edge can store its slot; a slice without them, and the slot of
//! each id, are made on demand and kept up to date (`storage/list`). An id that gets a place in the middle takes the place of a
//! tombstone; where there is none near, some of the ids around it are spread. Despawning first computes the entities that
//! cascade (`links/despawn_set.rs`, a list and no recursion), then notifies all, then removes all.

use alloc::vec::Vec;
#[cfg(feature = "snapshot")]
mod append;
mod check;
mod cycle;
mod despawn_set;
mod order;
mod relink;
mod reserve;

#[cfg(feature = "snapshot")]
pub(crate) use append::{Head, NewEdge};
pub(crate) use check::WrongEnd;
#[cfg(feature = "snapshot")]
pub use cycle::find_cycle;
pub(crate) use cycle::fmt_cycle;

use core::mem::take;
use core::ops::Range;
use core::ptr::NonNull;

use super::list::number;
use super::{DropList, EdgeList, Storage};
use crate::component::{ComponentId, EdgeFns, End};
use crate::entity::Entity;

/// The beginning of the value of a source with one target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetLink {
    pub(crate) target: Entity,
    /// The slot of the source in the target's list.
    slot: u32,
}

impl TargetLink {
    pub(crate) const fn new(target: Entity) -> Self {
        Self { target, slot: 0 }
    }

    /// The link of a source that has a slot in the target's list.
    pub(in crate::storage) const fn in_slot(target: Entity, slot: u32) -> Self {
        Self { target, slot }
    }

    /// The slot of the source in the target's list.
    pub(crate) const fn slot(&self) -> usize {
        self.slot as usize
    }
}

impl Storage {
    /// The end of a relation that the component is, if any.
    #[inline]
    fn end_of(&self, component: ComponentId) -> Option<End> {
        Some(self.store(component).info.link?.end)
    }

    /// The component at the other end.
    fn other(&self, component: ComponentId) -> ComponentId {
        self.store(component)
            .other
            .expect("the component is an end of a relation")
    }

    /// Returns the entity's target, for a component that is an [`End::Target`].
    pub(crate) fn target_link(
        &self,
        component: ComponentId,
        entity: Entity,
    ) -> Option<&TargetLink> {
        debug_assert!(matches!(self.end_of(component), Some(End::Target { .. })));
        let value = self.store(component).frozen_shared().set().get(entity)?;
        // SAFETY: the value begins with a `TargetLink` by invariant 1 of `RawLink`, and is neither moved nor changed
        // while the storage is borrowed.
        Some(unsafe { &*value.cast() })
    }

    fn target_link_mut(
        &mut self,
        component: ComponentId,
        entity: Entity,
    ) -> Option<&mut TargetLink> {
        debug_assert!(matches!(self.end_of(component), Some(End::Target { .. })));
        let value = self.store_mut(component).set_mut().get(entity)?;
        // SAFETY: the value begins with a `TargetLink` by invariant 1 of `RawLink`, and the storage is borrowed
        // exclusively as long as the reference.
        Some(unsafe { &mut *value.cast() })
    }

    /// Returns the entity's list, for a component that is another [`End`].
    pub(crate) fn list(&self, component: ComponentId, entity: Entity) -> Option<&EdgeList> {
        debug_assert!(!matches!(
            self.end_of(component),
            None | Some(End::Target { .. })
        ));
        let value = self.store(component).frozen_shared().set().get(entity)?;
        // SAFETY: the value begins with an `EdgeList` by invariant 1 of `RawLink`, and is neither moved nor changed while
        // the storage is borrowed.
        Some(unsafe { &*value.cast() })
    }

    fn list_mut(&mut self, component: ComponentId, entity: Entity) -> Option<&mut EdgeList> {
        debug_assert!(!matches!(
            self.end_of(component),
            None | Some(End::Target { .. })
        ));
        let value = self.store_mut(component).set_mut().get(entity)?;
        // SAFETY: the value begins with an `EdgeList` by invariant 1 of `RawLink`, and the storage is borrowed exclusively
        // as long as the reference.
        Some(unsafe { &mut *value.cast() })
    }

    /// Updates the other ends after values were inserted, for components that are ends and not yet consistent. A value whose
    /// target is not alive is removed again.
    ///
    /// Memory for the edges of these values was [reserved](Self::reserve_edges) before the first write of the
    /// structural change.
    #[inline(never)]
    pub(crate) fn link(
        &mut self,
        components: &[ComponentId],
        entity: Entity,
        drops: &mut DropList,
    ) {
        for &component in components {
            match self.end_of(component) {
                Some(End::Target { acyclic, .. }) => {
                    self.link_target(component, entity, acyclic, drops);
                }
                Some(End::Targets { values }) => {
                    self.link_targets(component, entity, values, drops);
                }
                // It was inserted empty: no other value of it can be created.
                Some(End::Sources { .. }) => self.discard_if_empty(component, entity),
                None => {}
            }
        }
    }

    /// Updates the other ends before values leave, for the entity's components that are ends.
    #[inline(never)]
    pub(crate) fn unlink(
        &mut self,
        components: &[ComponentId],
        entity: Entity,
        drops: &mut DropList,
    ) {
        for &component in components {
            match self.end_of(component) {
                Some(End::Target { .. }) => {
                    if let Some(&TargetLink { target, slot }) = self.target_link(component, entity)
                    {
                        self.take_out(self.other(component), target, slot as usize);
                    }
                }
                Some(End::Targets { .. }) => self.unlink_targets(component, entity),
                Some(End::Sources { .. }) => self.unlink_sources(component, entity, drops),
                None => {}
            }
        }
    }

    fn link_target(
        &mut self,
        component: ComponentId,
        entity: Entity,
        acyclic: bool,
        drops: &mut DropList,
    ) {
        let other = self.other(component);
        let Some(&TargetLink { target, slot }) = self.target_link(component, entity) else {
            return;
        };
        let list = self.list(other, target);
        if list.is_some_and(|list| list.at(slot as usize) == Some(entity)) {
            return;
        }
        // Inserting a bundle with such a value was refused before; this is for required components.
        let is_wrong = acyclic && self.closes_cycle(other, entity, target);
        let slot = (!is_wrong).then(|| self.push(other, target, entity));
        match slot.flatten() {
            Some(slot) => {
                let target_link = self.target_link_mut(component, entity);
                target_link.expect("the entity has the component").slot = number(slot);
            }
            None => self.cut_target(component, entity, drops),
        }
    }

    fn link_targets(
        &mut self,
        component: ComponentId,
        entity: Entity,
        values: EdgeFns,
        drops: &mut DropList,
    ) {
        let other = self.other(component);
        let Some(list) = self.list(component, entity) else {
            return;
        };
        let edges: Vec<(usize, Entity)> = list.edges().collect();
        for (slot, target) in edges {
            let own = self
                .list(component, entity)
                .and_then(|list| list.reverse_slot(slot));
            let reverse_slot = own.filter(|&reverse_slot| {
                let list = self.list(other, target);
                list.is_some_and(|list| {
                    list.at(reverse_slot) == Some(entity)
                        && list.reverse_slot(reverse_slot) == Some(slot)
                })
            });
            if reverse_slot.is_some() {
                continue;
            }
            match self.push(other, target, entity) {
                Some(reverse_slot) => {
                    self.connect((component, entity, slot), (other, target, reverse_slot));
                }
                None => {
                    self.take_value(component, entity, slot, values, drops);
                    let list = self.list_mut(component, entity);
                    list.expect("the entity has the component").take_out(slot);
                }
            }
        }
        self.discard_if_empty(component, entity);
    }

    fn unlink_targets(&mut self, component: ComponentId, entity: Entity) {
        let other = self.other(component);
        let Some(list) = self.list_mut(component, entity) else {
            return;
        };
        // Taken out meanwhile, and put back unchanged: the value may be moved elsewhere.
        let list = take(list);
        for (slot, target) in list.edges() {
            self.take_out(
                other,
                target,
                list.reverse_slot(slot).expect("each edge is in two lists"),
            );
        }
        *self
            .list_mut(component, entity)
            .expect("the entity has the component") = list;
    }

    /// Cuts all edges to the entity, which keeps an empty list.
    fn unlink_sources(&mut self, component: ComponentId, entity: Entity, drops: &mut DropList) {
        let other = self.other(component);
        let Some(list) = self.list_mut(component, entity) else {
            return;
        };
        let list = take(list);
        for (slot, source) in list.edges() {
            match list.reverse_slot(slot) {
                None => self.cut_target(other, source, drops),
                Some(reverse_slot) => self.cut_edge(other, source, reverse_slot, drops),
            }
        }
    }

    /// Adds an edge from a source that has a list. The caller appends the value of the edge to the end of the source.
    /// Returns false if the target is not alive.
    ///
    /// Memory for the edge was [reserved](Self::reserve_edge).
    #[inline]
    pub(crate) fn add_edge(
        &mut self,
        component: ComponentId,
        source: Entity,
        target: Entity,
    ) -> bool {
        let other = self.other(component);
        let Some(reverse_slot) = self.push(other, target, source) else {
            return false;
        };
        let list = self.list_mut(component, source);
        let slot = list.expect("the source has a list").push(target);
        self.connect((component, source, slot), (other, target, reverse_slot));
        true
    }

    /// Cuts the edge in a slot of a source's list, and adds its value to `drops`.
    #[inline]
    pub(crate) fn cut(
        &mut self,
        component: ComponentId,
        source: Entity,
        slot: usize,
        drops: &mut DropList,
    ) {
        let list = self.list(component, source).expect("the source has a list");
        let target = list.at(slot).expect("there is an edge");
        let reverse_slot = list.reverse_slot(slot).expect("each edge is in two lists");
        self.take_out(self.other(component), target, reverse_slot);
        self.cut_edge(component, source, slot, drops);
    }

    /// Returns the slot of the edge from `source` to `target` in the source's list. O(edges of the entity that has
    /// fewer).
    #[inline]
    pub(crate) fn edge(
        &self,
        component: ComponentId,
        source: Entity,
        target: Entity,
    ) -> Option<usize> {
        let targets = self.list(component, source)?;
        let sources = self.list(self.other(component), target)?;
        if targets.len() <= sources.len() {
            targets.find(target)
        } else {
            sources
                .find(source)
                .and_then(|slot| sources.reverse_slot(slot))
        }
    }

    /// Adds a source to the end of a target's list, which is created if there is none; `None` if the target is not
    /// alive, or is the source.
    fn push(&mut self, component: ComponentId, target: Entity, source: Entity) -> Option<usize> {
        self.entities.get(target)?;
        if target == source {
            return None;
        }
        if let Some(list) = self.list_mut(component, target) {
            return Some(list.push(source));
        }
        let mut list = EdgeList::default();
        let slot = list.push(source);
        assert!(
            self.store_mut(component).set_mut().has_room(),
            "capacity was reserved before the first write"
        );
        // SAFETY: it was just checked that the target has a row and is not in the set, which has capacity for its value;
        // the value is written immediately.
        let place = unsafe { self.push_sparse(component, target) };
        // SAFETY: `push` returned memory for a value of the component, which is an `EdgeList` by invariant 1 of
        // `RawLink`.
        unsafe { place.cast::<EdgeList>().write(list) };
        if !self.linked {
            self.linked = true;
            self.update_observed();
        }
        Some(slot)
    }

    /// Removes a source from a target's list.
    fn take_out(&mut self, component: ComponentId, target: Entity, slot: usize) {
        let list = self.list_mut(component, target);
        let list = list.expect("the target has a list with the source");
        list.take_out(slot);
        self.compact_or_discard(component, target);
    }

    /// Compacts or discards a list, if that is due, after an entity was removed from it.
    fn compact_or_discard(&mut self, component: ComponentId, entity: Entity) {
        let list = self
            .list_mut(component, entity)
            .expect("the entity has the component");
        if !list.is_mostly_vacant() {
            self.discard_if_empty(component, entity);
            return;
        }
        list.compact();
        if let Some(End::Targets { values }) = self.end_of(component)
            && let Some(value) = self.store_mut(component).set_mut().get(entity)
        {
            // SAFETY: the function is for values of the component, by invariant 1 of `EdgeFns`; `value` is one, and has no
            // other reference because the storage is borrowed exclusively.
            unsafe { (values.compact)(value) };
        }
        let slots = 0..self.list(component, entity).map_or(0, EdgeList::end);
        self.update_reverse_slots(component, entity, slots);
    }

    /// Updates the reverse slots at the other ends after slots of a list have changed.
    fn update_reverse_slots(
        &mut self,
        component: ComponentId,
        entity: Entity,
        slots: Range<usize>,
    ) {
        let other = self.other(component);
        let list = take(
            self.list_mut(component, entity)
                .expect("the entity has the component"),
        );
        for (slot, source) in list.edges_in(slots) {
            match list.reverse_slot(slot) {
                None => {
                    let target_link = self.target_link_mut(other, source);
                    target_link.expect("each source has a target").slot = number(slot);
                }
                Some(reverse_slot) => {
                    let list = self.list_mut(other, source);
                    list.expect("each edge is in two lists")
                        .set_reverse_slot(reverse_slot, slot);
                }
            }
        }
        *self
            .list_mut(component, entity)
            .expect("the entity has the component") = list;
    }

    fn connect(
        &mut self,
        (component, source, slot): (ComponentId, Entity, usize),
        (other, target, reverse_slot): (ComponentId, Entity, usize),
    ) {
        let list = self.list_mut(component, source);
        list.expect("the source has a list")
            .set_reverse_slot(slot, reverse_slot);
        let list = self.list_mut(other, target);
        list.expect("the target has a list")
            .set_reverse_slot(reverse_slot, slot);
    }

    /// Cuts the edge of a source that has one target.
    pub(super) fn cut_single(
        &mut self,
        component: ComponentId,
        source: Entity,
        drops: &mut DropList,
    ) {
        if let Some(&TargetLink { target, slot }) = self.target_link(component, source) {
            self.take_out(self.other(component), target, slot as usize);
            self.cut_target(component, source, drops);
        }
    }

    /// Removes the target of a source.
    fn cut_target(&mut self, component: ComponentId, source: Entity, drops: &mut DropList) {
        let Some(End::Target { values, .. }) = self.end_of(component) else {
            return;
        };
        if let Some(value) = self.take_sparse_off(component, source) {
            // SAFETY: the function is for values of the component, by invariant 1 of `EdgeFns`; the value was removed
            // from the set, and is not accessed again.
            let boxed = unsafe { (values.take)(value, 0) };
            drop_boxed(boxed, values, drops);
        }
    }

    /// Cuts an edge at its source, which has a list.
    fn cut_edge(
        &mut self,
        component: ComponentId,
        source: Entity,
        slot: usize,
        drops: &mut DropList,
    ) {
        let Some(End::Targets { values }) = self.end_of(component) else {
            return;
        };
        self.take_value(component, source, slot, values, drops);
        self.take_out(component, source, slot);
    }

    fn take_value(
        &mut self,
        component: ComponentId,
        source: Entity,
        slot: usize,
        values: EdgeFns,
        drops: &mut DropList,
    ) {
        if let Some(value) = self.store_mut(component).set_mut().get(source) {
            // SAFETY: the function is for values of the component, by invariant 1 of `EdgeFns`; `value` is one, and has no
            // other reference because the storage is borrowed exclusively.
            let boxed = unsafe { (values.take)(value, slot) };
            drop_boxed(boxed, values, drops);
        }
    }

    /// Removes the list of an entity if it is empty.
    fn discard_if_empty(&mut self, component: ComponentId, entity: Entity) {
        let list = self.list(component, entity);
        if list.is_some_and(EdgeList::is_empty)
            && let Some(value) = self.take_sparse_off(component, entity)
            && let Some(drop) = self.store(component).info.drop
        {
            // SAFETY: the value is one of the component, was removed from the set, and is not accessed again. Being
            // empty, it has no values of edges, so no user code runs.
            unsafe { drop(value, 1) };
        }
    }

    /// Checks that both ends of all relations are consistent.
    #[cfg(feature = "validate")]
    pub(super) fn check_links(&self) {
        for &component in &self.sparse {
            let store = self.store(component);
            if store.info.link.is_none() {
                continue;
            }
            let (name, other) = (store.info.name, self.other(component));
            for &entity in store.frozen_shared().set().entities() {
                assert!(self.linked, "{name} is known to be in use");
                if let Some(End::Target { .. }) = self.end_of(component) {
                    let target_link = self
                        .target_link(component, entity)
                        .expect("the entity has the component");
                    let list = self.list(other, target_link.target);
                    let list = list.unwrap_or_else(|| {
                        panic!("{name} of {entity}: {} has sources", target_link.target)
                    });
                    let back = list.at(target_link.slot as usize);
                    assert_eq!(
                        back,
                        Some(entity),
                        "{name} of {entity} is known to its target"
                    );
                    continue;
                }
                let list = self
                    .list(component, entity)
                    .expect("the entity has the component");
                assert!(!list.is_empty(), "{name} of {entity} is not empty");
                assert_eq!(
                    list.as_slice().len(),
                    list.len(),
                    "{name} of {entity} knows its length"
                );
                for (slot, end) in list.edges() {
                    let back = match list.reverse_slot(slot) {
                        None => self
                            .target_link(other, end)
                            .map(|target_link| (target_link.target, target_link.slot as usize)),
                        Some(reverse_slot) => self.list(other, end).and_then(|list| {
                            list.at(reverse_slot).zip(list.reverse_slot(reverse_slot))
                        }),
                    };
                    assert_eq!(
                        back,
                        Some((entity, slot)),
                        "{name} of {entity} is known to {end}"
                    );
                }
            }
        }
    }
}

/// Adds a box that the functions of a component returned to `drops`.
fn drop_boxed(boxed: Option<NonNull<u8>>, values: EdgeFns, drops: &mut DropList) {
    if let Some(value) = boxed {
        // SAFETY: `take` returned ownership of the box, which `free`, of the same component (invariant 1 of `EdgeFns`),
        // drops.
        unsafe { drops.push(Some(values.free), value.as_ptr(), 1) };
    }
}
