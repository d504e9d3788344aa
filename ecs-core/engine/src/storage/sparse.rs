//! Inserts and removes sparse values, and keeps groups and links consistent.

use alloc::vec::Vec;

use super::{ComponentStore, DropList, Groups, Member, Storage};
use crate::component::{ComponentId, StorageKind};
use crate::entity::{Entity, Location};
use crate::tick::CompactTick;

impl Storage {
    /// The registered sparse components, in order of registration.
    pub(crate) fn sparse(&self) -> &[ComponentId] {
        &self.sparse
    }

    /// The sparse components of an entity, and a few that it may lack, in order of registration.
    #[inline]
    pub(crate) fn sparse_of(&self, entity: Entity) -> impl Iterator<Item = ComponentId> {
        let numbers = self.presence.get(entity);
        // Most entities have none.
        let mut list = (!numbers.is_empty()).then(|| numbers.list());
        core::iter::from_fn(move || list.as_mut()?.next(&self.sparse))
    }

    /// Returns the place for a value of a component that an entity gets, and true if it holds one already; see
    /// [`ComponentStore::place`].
    ///
    /// # Safety
    /// As for [`ComponentStore::place`].
    #[inline]
    pub(crate) unsafe fn place(
        &mut self,
        component: ComponentId,
        kind: StorageKind,
        entity: Entity,
        (from, at): (Location, Location),
    ) -> (*mut u8, bool) {
        let store = &mut self.components[component.index()];
        // SAFETY: the caller's contract is the same.
        unsafe { store.place(&mut self.presence, kind, entity, from, at) }
    }

    /// Returns the place for the value of a component that an entity lacks; see [`ComponentStore::place_new`].
    ///
    /// # Safety
    /// As for [`ComponentStore::place_new`].
    #[inline]
    pub(crate) unsafe fn place_new(
        &mut self,
        component: ComponentId,
        kind: StorageKind,
        (entity, at): (Entity, Location),
        now: Option<CompactTick>,
    ) -> *mut u8 {
        let store = &mut self.components[component.index()];
        // SAFETY: the caller's contract is the same.
        unsafe { store.place_new(&mut self.presence, kind, entity, at, now) }
    }

    /// Returns the store of a sparse component, the place for a value of it, and true if the place holds one already;
    /// see [`SparseSet::find_or_push`](super::SparseSet::find_or_push). Does nothing and returns `None` if the component
    /// is observed, or not registered.
    ///
    /// # Safety
    /// As for [`SparseSet::find_or_push`](super::SparseSet::find_or_push).
    ///
    /// # Panics
    /// If the values would not fit into the address space; in that case nothing has changed.
    // Always inlined: otherwise its result goes through memory.
    #[inline(always)]
    pub(crate) unsafe fn place_unobserved(
        &mut self,
        component: ComponentId,
        entity: Entity,
        size: usize,
    ) -> Option<(&mut ComponentStore, *mut u8, bool)> {
        let store = self.components.get_mut(component.index())?;
        if !store.observed.is_nothing() {
            return None;
        }
        let (set, presence) = (store.set_mut(), &mut self.presence);
        // SAFETY: the caller's contract is the same.
        let (place, replaces) = unsafe { set.find_or_push(presence, entity, size) };
        Some((store, place, replaces))
    }

    /// Adds a value of a sparse component to an entity, which lacks it; see
    /// [`SparseSet::push`](super::SparseSet::push).
    ///
    /// # Safety
    /// As for [`SparseSet::push`](super::SparseSet::push).
    pub(super) unsafe fn push_sparse(&mut self, component: ComponentId, entity: Entity) -> *mut u8 {
        let set = self.components[component.index()].set_mut();
        // SAFETY: the caller's contract is the same.
        unsafe { set.push(&mut self.presence, entity) }
    }

    /// Removes a sparse component from an entity, if it has it, and moves the value to `drops`.
    #[inline]
    pub(crate) fn remove_sparse(
        &mut self,
        component: ComponentId,
        entity: Entity,
        drops: &mut DropList,
    ) {
        if self.components[component.index()].info.link.is_some() {
            self.unlink(&[component], entity, drops);
        }
        let (groups, components) = (&mut self.groups, &mut self.components);
        remove_sparse(groups, components, component, entity, drops);
    }

    /// Returns a pointer to a value that an entity loses: it is removed from its set, or left over in the row `left`.
    /// Values of edges that are cut with it are moved to `drops`.
    ///
    /// `kind` is the kind of the component, a constant where its type is known. The caller moves the value out or drops it
    /// before anything else happens to the component; otherwise it leaks.
    #[inline]
    pub(crate) fn take_component(
        &mut self,
        component: ComponentId,
        kind: StorageKind,
        (entity, left): (Entity, Location),
        drops: &mut DropList,
    ) -> Option<*mut u8> {
        if !kind.is_by_entity() {
            return self.store(component).row(left);
        }
        if self.components[component.index()].info.link.is_some() {
            self.unlink(&[component], entity, drops);
        }
        self.take_sparse_off(component, entity)
    }

    /// Removes a sparse component, which needs no [unlinking](Self::unlink), from an entity, if it has it, and returns
    /// a pointer to the value, like [`take_component`](Self::take_component).
    #[inline]
    pub(super) fn take_sparse_off(
        &mut self,
        component: ComponentId,
        entity: Entity,
    ) -> Option<*mut u8> {
        let member = self.components[component.index()].member;
        if member.is_grouped() {
            self.groups.leave(&mut self.components, member, entity);
        }
        let store = &mut self.components[component.index()];
        let value = store.set_mut().remove(entity)?;
        store.note_removed(entity);
        Some(value)
    }

    /// Like [`remove_sparse`](Self::remove_sparse), but does nothing if the component is observed, or has a store
    /// without being registered.
    ///
    /// `size`, `tracked` and `needs_drop` describe the component; they are constants if its type is known.
    ///
    /// # Safety
    /// Values of the component have this size.
    // Always inlined: if two types are removed, the compiler would call it, and the call would not know these constants.
    #[inline(always)]
    pub(crate) unsafe fn remove_unobserved(
        &mut self,
        component: ComponentId,
        entity: Entity,
        size: usize,
        (tracked, needs_drop): (bool, bool),
    ) -> Unobserved {
        let Some(store) = self.components.get(component.index()) else {
            return Unobserved::Missing;
        };
        debug_assert_eq!(store.info.tracked, tracked);
        debug_assert_eq!(store.info.drop.is_some(), needs_drop);
        if !store.observed.is_nothing() {
            return Unobserved::IsObserved;
        }
        let (groups, components) = (&mut self.groups, &mut self.components);
        let store = leave_groups(groups, components, component, entity);
        if needs_drop {
            let Some(value) = store.set_mut().remove(entity) else {
                return Unobserved::Missing;
            };
            if tracked {
                store.note_removed(entity);
            }
            return Unobserved::ToDrop(value);
        }
        // SAFETY: values have this size by the caller's contract.
        if !unsafe { store.set_mut().remove_and_forget(entity, size, tracked) } {
            return Unobserved::Missing;
        }
        if tracked {
            store.note_removed(entity);
        }
        Unobserved::Done
    }

    /// Adds an entity to the groups that it belongs to now, after it got a sparse component that it lacked before.
    #[inline]
    pub(crate) fn enter_groups(&mut self, component: ComponentId, entity: Entity) {
        let member = self.components[component.index()].member;
        if member.is_grouped() {
            self.enter(member, entity);
        }
    }

    /// Like [`enter_groups`](Self::enter_groups), for a component that is known to be in groups.
    #[cold]
    #[inline(never)]
    pub(crate) fn enter(&mut self, member: Member, entity: Entity) {
        self.groups.enter(&mut self.components, member, entity);
    }

    /// The groups of sparse components.
    #[inline]
    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Replaces the groups: each set has at least two sparse components and at most [`Groups::MAX_MEMBERS`]; any two
    /// sets are nested and different, or disjoint. O(values of their components).
    #[inline]
    pub(crate) fn set_groups(&mut self, sets: Vec<Vec<ComponentId>>) {
        for set in &sets {
            for &component in set {
                self.register(component);
            }
        }
        self.groups.set(&mut self.components, sets);
    }
}

/// The outcome of [`Storage::remove_unobserved`].
pub(crate) enum Unobserved {
    /// The component is observed, or not registered; nothing was done.
    IsObserved,
    /// There was no value.
    Missing,
    /// The value was removed and needs no drop.
    Done,
    /// The value was removed. The pointer leads to it, after the last value of the set. The caller drops it before
    /// anything else happens to the set; otherwise it leaks.
    ToDrop(*mut u8),
}

/// Removes a sparse component from an entity, if it has it, and moves the value to `drops`.
///
/// Always inlined: out of line, passing five arguments costs more than the work on a component without groups.
#[inline(always)]
pub(super) fn remove_sparse(
    groups: &mut Groups,
    components: &mut [ComponentStore],
    component: ComponentId,
    entity: Entity,
    drops: &mut DropList,
) {
    let store = leave_groups(groups, components, component, entity);
    if store.set_mut().remove_and_drop(entity, drops) {
        store.note_removed(entity);
    }
}

/// Removes an entity from all groups that the component is in.
#[inline(always)]
fn leave_groups<'a>(
    groups: &mut Groups,
    components: &'a mut [ComponentStore],
    component: ComponentId,
    entity: Entity,
) -> &'a mut ComponentStore {
    let member = components[component.index()].member;
    if member.is_grouped() {
        groups.leave(components, member, entity);
    }
    &mut components[component.index()]
}
