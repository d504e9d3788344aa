//! The lifecycle events that a structural change collects before it calls hooks and observers.

use alloc::vec::Vec;
use core::fmt;

use super::Lifecycle;
use crate::component::ComponentId;
use crate::entity::{Entity, Location, TableId};
use crate::storage::{Frozen, Storage};

/// A lifecycle event of one component of an entity, for a hook or observer that is still to be called.
#[derive(Clone, Copy)]
pub(crate) struct NotedEvent {
    pub(super) kind: Lifecycle,
    pub(super) component: ComponentId,
    /// True if an earlier hook may remove the component before this event's hooks are called.
    pub(super) is_immediate: bool,
}

/// The reason for a call of a hook or observer.
#[derive(Clone, Copy)]
pub(super) enum HookOrigin {
    Component(NotedEvent),
    Event(&'static str),
}

impl fmt::Display for HookOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Component(NotedEvent {
                kind, component, ..
            }) => {
                write!(f, "`{}` of `{}`", kind.hook_name(), component.name())
            }
            Self::Event(event) => write!(f, "the event `{event}`"),
        }
    }
}

/// Adds the event to the list if it is observed.
pub(super) fn note(
    storage: &Storage,
    list: &mut Vec<NotedEvent>,
    component: ComponentId,
    kind: Lifecycle,
) {
    let store = storage.store(component);
    if store.observed.has(kind) {
        list.push(NotedEvent {
            kind,
            component,
            is_immediate: store.info.immediate,
        });
    }
}

/// Notes this event for each of the components that the entity at `at` has.
pub(in crate::world) fn note_present(
    storage: Frozen<'_, Storage>,
    list: &mut Vec<NotedEvent>,
    components: &[ComponentId],
    (entity, at): (Entity, Location),
    kind: Lifecycle,
) {
    for &component in components {
        if storage.store(component).has(entity, at) {
            note(&storage, list, component, kind);
        }
    }
}

/// Notes the events after these components are inserted into the entity, which is still at `at`.
pub(in crate::world) fn note_inserted(
    storage: Frozen<'_, Storage>,
    list: &mut Vec<NotedEvent>,
    components: &[ComponentId],
    (entity, at): (Entity, Location),
) {
    for &component in components {
        if !storage.store(component).has(entity, at) {
            note(&storage, list, component, Lifecycle::Add);
        }
        note(&storage, list, component, Lifecycle::Insert);
    }
}

/// Notes the events after these components are inserted into an entity that has none of them.
pub(in crate::world) fn note_added(
    storage: &Storage,
    list: &mut Vec<NotedEvent>,
    components: &[ComponentId],
) {
    for &component in components {
        note(storage, list, component, Lifecycle::Add);
        note(storage, list, component, Lifecycle::Insert);
    }
}

/// Notes the events before an entity in `table` is despawned.
pub(super) fn note_despawned(
    storage: Frozen<'_, Storage>,
    list: &mut Vec<NotedEvent>,
    entity: Entity,
    table: TableId,
) {
    let mut note_both = |component| {
        note(&storage, list, component, Lifecycle::Despawn);
        note(&storage, list, component, Lifecycle::Remove);
    };
    for component in storage.table(table).components() {
        note_both(component);
    }
    for component in storage.get().sparse_of(entity) {
        if storage.store(component).set().contains(entity) {
            note_both(component);
        }
    }
}
