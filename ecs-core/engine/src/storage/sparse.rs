//! Sparse values that come to entities and leave them, in line with groups and links.

use super::{ComponentStore, DropList, Groups, Member, Storage};
use crate::component::ComponentId;
use crate::entity::Entity;

impl Storage {
    /// The sparse components that the world has met, in that order.
    pub(crate) fn sparse(&self) -> &[ComponentId] {
        &self.sparse
    }

    /// Notes that a sparse tracked component was just added to an entity.
    #[inline]
    pub(crate) fn stamp_sparse(&mut self, component: ComponentId, entity: Entity) {
        let stamps = self.components[component.index()].sparse.stamps_of(entity);
        if let Some(stamps) = stamps {
            // SAFETY: the places are those of a value, and the storage is borrowed exclusively.
            unsafe { stamps.add(self.clock.between()) };
        }
    }

    /// Takes a sparse component off an entity, if it has it, and notes the value to be dropped.
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

    /// Takes a sparse component off an entity, if it has it, and returns the place of the value. Values of edges that are cut
    /// with it are noted to be dropped.
    ///
    /// The caller takes or drops it before anything else happens to the component; otherwise it leaks.
    #[inline]
    pub(crate) fn take_sparse(
        &mut self,
        component: ComponentId,
        entity: Entity,
        drops: &mut DropList,
    ) -> Option<*mut u8> {
        if self.components[component.index()].info.link.is_some() {
            self.unlink(&[component], entity, drops);
        }
        self.take_sparse_off(component, entity)
    }

    /// As [`take_sparse`](Self::take_sparse), where nothing is left to be [unlinked](Self::unlink).
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
        let value = store.sparse.remove(entity)?;
        store.note_removed(entity);
        Some(value)
    }

    /// As [`remove_sparse`](Self::remove_sparse), but does nothing and returns `false` if anybody wants to be told, or the world
    /// has only a place for the component.
    ///
    /// `tracked` and `needs_drop` say whether the component is, or does: constants where the type is known.
    #[inline]
    pub(crate) fn remove_unwatched(
        &mut self,
        component: ComponentId,
        entity: Entity,
        tracked: bool,
        needs_drop: bool,
    ) -> Unwatched {
        let Some(store) = self.components.get(component.index()) else {
            return Unwatched::Done;
        };
        debug_assert_eq!(store.info.tracked, tracked);
        debug_assert_eq!(store.info.drop.is_some(), needs_drop);
        if !store.watch.is_nothing() {
            return Unwatched::IsWatched;
        }
        let (groups, components) = (&mut self.groups, &mut self.components);
        let store = leave_groups(groups, components, component, entity);
        if needs_drop {
            let Some(value) = store.sparse.remove(entity) else {
                return Unwatched::Done;
            };
            if tracked {
                store.note_removed(entity);
            }
            return Unwatched::ToDrop(value);
        }
        if store.sparse.remove_and_forget(entity) && tracked {
            store.note_removed(entity);
        }
        Unwatched::Done
    }

    /// Moves an entity to the groups that it belongs to with a sparse component that it did not have before, of which the
    /// value is in place.
    #[inline]
    pub(crate) fn enter_groups(&mut self, component: ComponentId, entity: Entity) {
        let member = self.components[component.index()].member;
        if member.is_grouped() {
            self.enter(member, entity);
        }
    }

    /// As [`enter_groups`](Self::enter_groups), with a component that is known to be in groups.
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

    /// Replaces the groups: each set has at least two sparse components and at most [`Groups::MAX_MEMBERS`], and two sets
    /// are nested but not the same, or have nothing in common. O(values of their components).
    #[inline]
    pub(crate) fn set_groups(&mut self, sets: Vec<Vec<ComponentId>>) {
        for set in &sets {
            for &component in set {
                self.meet(component);
            }
        }
        self.groups.set(&mut self.components, sets);
    }
}

/// What became of a component that was to leave an entity unless anybody wants to be told.
pub(crate) enum Unwatched {
    /// It is still there.
    IsWatched,
    /// The entity has none, and nothing is left to do.
    Done,
    /// It has left, and this is the place of the value: behind the last one of its set, in nobody's reach. The caller drops it
    /// before anything else happens to the set; otherwise it leaks.
    ToDrop(*mut u8),
}

/// Takes a sparse component off an entity, if it has it, and notes the value to be dropped.
///
/// Always inline: out of line the five arguments cost more than the work on a component without groups.
#[inline(always)]
pub(super) fn remove_sparse(
    groups: &mut Groups,
    components: &mut [ComponentStore],
    component: ComponentId,
    entity: Entity,
    drops: &mut DropList,
) {
    let store = leave_groups(groups, components, component, entity);
    if store.sparse.remove_and_drop(entity, drops) {
        store.note_removed(entity);
    }
}

/// Takes an entity out of the groups that it is in with a component, if it is in any.
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
