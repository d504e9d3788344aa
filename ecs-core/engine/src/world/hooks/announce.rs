//! What happens to the components of an entity, noted and told.

use core::cell::Cell;
use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::observer::Call;
use super::{DeferredWorld, Lifecycle, Observers, StructuralChange};
use crate::component::ComponentId;
use crate::entity::{Entity, Location, TableId};
use crate::storage::{Frozen, Storage};

/// Something that happens to a component of an entity and that somebody wants to be told of.
#[derive(Clone, Copy)]
pub(crate) struct LifecycleEvent {
    pub(super) kind: Lifecycle,
    pub(super) component: ComponentId,
    /// Whether a hook may have taken the component off before its turn comes.
    is_immediate: bool,
}

/// Why a hook or observer was called.
#[derive(Clone, Copy)]
pub(super) enum HookOrigin {
    Component(LifecycleEvent),
    Event(&'static str),
}

impl fmt::Display for HookOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Component(LifecycleEvent {
                kind, component, ..
            }) => {
                write!(f, "`{}` of `{}`", kind.hook_name(), component.name())
            }
            Self::Event(event) => write!(f, "the event `{event}`"),
        }
    }
}

fn note(
    storage: &Storage,
    list: &mut Vec<LifecycleEvent>,
    component: ComponentId,
    kind: Lifecycle,
) {
    let store = storage.store(component);
    if store.watch.has(kind) {
        list.push(LifecycleEvent {
            kind,
            component,
            is_immediate: store.info.immediate,
        });
    }
}

/// Notes which values of an entity at `at` will be replaced when these components are inserted.
pub(in crate::world) fn note_replaced(
    storage: Frozen<'_, Storage>,
    list: &mut Vec<LifecycleEvent>,
    components: &[ComponentId],
    (entity, at): (Entity, Location),
) {
    for &component in components {
        if storage.store(component).has(entity, at) {
            note(&storage, list, component, Lifecycle::Replace);
        }
    }
}

/// Notes what these components will be told of when they are inserted into an entity at `at`.
pub(in crate::world) fn note_inserted(
    storage: Frozen<'_, Storage>,
    list: &mut Vec<LifecycleEvent>,
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

/// Notes what these components will be told of when they are inserted into an entity that has none of them.
pub(in crate::world) fn note_added(
    storage: &Storage,
    list: &mut Vec<LifecycleEvent>,
    components: &[ComponentId],
) {
    for &component in components {
        note(storage, list, component, Lifecycle::Add);
        note(storage, list, component, Lifecycle::Insert);
    }
}

/// Notes which of these components an entity at `at` has and will lose.
pub(in crate::world) fn note_removed(
    storage: Frozen<'_, Storage>,
    list: &mut Vec<LifecycleEvent>,
    components: &[ComponentId],
    (entity, at): (Entity, Location),
) {
    for &component in components {
        if storage.store(component).has(entity, at) {
            note(&storage, list, component, Lifecycle::Remove);
        }
    }
}

/// Notes what an entity in `table` will lose when it goes.
fn note_despawned(
    storage: Frozen<'_, Storage>,
    list: &mut Vec<LifecycleEvent>,
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
    for &component in storage.sparse() {
        if storage.store(component).set().contains(entity) {
            note_both(component);
        }
    }
}

impl StructuralChange<'_> {
    /// Tells of what was noted, before it happens: observers first, as hooks may undo what they look at.
    pub(in crate::world) fn before(&mut self, entity: Entity) {
        self.call_observers(entity);
        self.call_hooks(entity);
        self.happenings.clear();
    }

    /// Tells of what was noted, after it happened: hooks first, as they may do what observers look at.
    pub(in crate::world) fn after(&mut self, entity: Entity) {
        self.call_hooks(entity);
        self.call_observers(entity);
        self.happenings.clear();
    }

    /// Tells of one thing before it happens.
    pub(in crate::world) fn before_one(
        &mut self,
        entity: Entity,
        component: ComponentId,
        kind: Lifecycle,
    ) {
        note(&self.world.storage, &mut self.happenings, component, kind);
        self.before(entity);
    }

    /// Tells of one thing after it happened.
    pub(in crate::world) fn after_one(
        &mut self,
        entity: Entity,
        component: ComponentId,
        kind: Lifecycle,
    ) {
        note(&self.world.storage, &mut self.happenings, component, kind);
        self.after(entity);
    }

    /// Tells that an entity in `table` is about to be despawned.
    pub(in crate::world) fn before_despawn(&mut self, entity: Entity, table: TableId) {
        let storage = Frozen::of(&mut self.world.storage);
        note_despawned(storage, &mut self.happenings, entity, table);
        self.before(entity);
    }

    /// Tells that all entities of the table are about to be despawned.
    pub(in crate::world) fn before_despawn_table(&mut self, table: TableId) {
        if self.world.storage.table(table).is_watched() {
            // Hooks insert and remove immediate components at most, which are in no table: the rows stay where they are.
            for row in 0..self.world.storage.table(table).len() {
                let entity = self.world.storage.table(table).entities()[row];
                self.before_despawn(entity, table);
            }
        }
    }

    /// Does not tell of what the entity has not got after all.
    pub(in crate::world) fn forget_missing(&mut self, entity: Entity) {
        let storage = Frozen::of(&mut self.world.storage);
        let at = storage.entities.get(entity);
        self.happenings.retain(|happening| {
            at.is_some_and(|at| storage.store(happening.component).has(entity, at))
        });
    }

    /// Whether the entity still has the component, without which rule 7 forbids the call.
    fn is_still_there(&mut self, entity: Entity, happening: LifecycleEvent) -> bool {
        !happening.is_immediate || self.world.has_component(entity, happening.component)
    }

    fn call_hooks(&mut self, entity: Entity) {
        for index in 0..self.happenings.len() {
            let happening = self.happenings[index];
            let hooks = self.world.storage.store(happening.component).info.hooks;
            if let Some(hook) = hooks.hook(happening.kind)
                && self.is_still_there(entity, happening)
            {
                self.call(HookOrigin::Component(happening), |world| {
                    hook(world, entity);
                });
            }
        }
    }

    fn call_observers(&mut self, entity: Entity) {
        if self.world.observers.is_empty() {
            return;
        }
        let call = Call {
            event: &(),
            target: Some(entity),
            origin: Some(entity),
            stopped: &Cell::new(false),
        };
        self.with_observers(None, |verb, observers| {
            for index in 0..verb.happenings.len() {
                let happening = verb.happenings[index];
                let LifecycleEvent {
                    kind, component, ..
                } = happening;
                for observer in observers.of_component(component, kind) {
                    if verb.is_still_there(entity, happening) {
                        let cause = HookOrigin::Component(happening);
                        verb.call(cause, |world| observer(call, world));
                    }
                }
            }
        });
    }

    /// Calls `f` with the observers of the world, or with those of an entity if it has some. They are out of the world
    /// meanwhile. They cannot be changed there, nor can the entity go or lose them, as all of that takes `&mut World`.
    pub(super) fn with_observers(
        &mut self,
        of: Option<Entity>,
        f: impl FnOnce(&mut StructuralChange<'_>, &mut Observers),
    ) {
        let Some(place) = self.world.observers_of(of) else {
            return;
        };
        let mut observers = core::mem::take(place);
        let result = catch_unwind(AssertUnwindSafe(|| f(self, &mut observers)));
        if let Some(place) = self.world.observers_of(of) {
            *place = observers;
        }
        if let Err(panic) = result {
            resume_unwind(panic);
        }
    }

    /// Calls a hook or observer.
    pub(super) fn call(&mut self, cause: HookOrigin, f: impl FnOnce(DeferredWorld<'_>)) {
        let queued = self.world.pending().len();
        f(DeferredWorld::new(self.world));
        if self.world.pending().len() > queued {
            self.last = Some(cause);
        }
    }
}
