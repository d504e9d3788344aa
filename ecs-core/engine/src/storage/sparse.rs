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
    pub(crate) fn remove_sparse(&mut self, component: ComponentId, entity: Entity) {
        if self.components[component.index()].info.link.is_some() {
            self.unlink(&[component], entity);
        }
        let (groups, components) = (&mut self.groups, &mut self.components);
        remove_sparse(groups, components, component, entity, &mut self.drops);
    }

    /// Takes a sparse component off an entity, if it has it, and returns the place of the value.
    ///
    /// The caller takes or drops it before anything else happens to the component; otherwise it leaks.
    #[inline]
    pub(crate) fn take_sparse(
        &mut self,
        component: ComponentId,
        entity: Entity,
    ) -> Option<*mut u8> {
        if self.components[component.index()].info.link.is_some() {
            self.unlink(&[component], entity);
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
    /// `tracked` says whether the component is: a constant where the type is known.
    #[inline]
    pub(crate) fn remove_unwatched(
        &mut self,
        component: ComponentId,
        entity: Entity,
        tracked: bool,
    ) -> bool {
        let Some(store) = self.components.get(component.index()) else {
            return true;
        };
        debug_assert_eq!(store.info.tracked, tracked);
        if !store.watch.is_nothing() {
            return false;
        }
        let (groups, components) = (&mut self.groups, &mut self.components);
        let drops = &mut self.drops;
        if take_off(groups, components, component, entity, drops) && tracked {
            components[component.index()].note_removed(entity);
        }
        true
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
    if take_off(groups, components, component, entity, drops) {
        components[component.index()].note_removed(entity);
    }
}

/// As [`remove_sparse`], for a caller who notes that the component was removed: says whether it was.
#[inline(always)]
fn take_off(
    groups: &mut Groups,
    components: &mut [ComponentStore],
    component: ComponentId,
    entity: Entity,
    drops: &mut DropList,
) -> bool {
    let member = components[component.index()].member;
    if member.is_grouped() {
        groups.leave(components, member, entity);
    }
    let store = &mut components[component.index()];
    store.sparse.remove_and_drop(entity, drops)
}
