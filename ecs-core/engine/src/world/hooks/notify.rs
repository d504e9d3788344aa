//! Calls hooks and observers.

use core::cell::Cell;

use super::lifecycle_events::{HookOrigin, NotedEvent, note, note_despawned, note_present};
use super::observed::{Call, EventPath, Stopped};
use super::{DeferredWorld, Lifecycle, Observers, StructuralChange};
use crate::bundle::BundleIndex;
use crate::component::ComponentId;
use crate::entity::{Entity, Location, TableId};
use crate::storage::Frozen;
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use crate::world::World;

impl<'w> StructuralChange<'w> {
    /// Begins a change that takes values from the entity at `at`. Calls the observers and hooks of `kind` for each component
    /// of the bundle that the entity has.
    pub(in crate::world) fn begin(
        world: &'w mut World,
        (entity, at): (Entity, Location),
        index: BundleIndex,
        kind: Lifecycle,
    ) -> Self {
        let mut change = Self::new(world);
        let World {
            bundles, storage, ..
        } = &mut *change.world;
        let components = bundles.at(index).components();
        let events = &mut change.events;
        note_present(Frozen::of(storage), events, components, (entity, at), kind);
        let orphaned = storage.orphaned_sources(entity, components.iter().copied(), None);
        change.before(entity);
        change.before_orphaned(orphaned);
        change
    }

    /// Like [`begin`](Self::begin), for one component of unknown type.
    #[inline]
    pub(in crate::world) fn begin_one(
        world: &'w mut World,
        (entity, at): (Entity, Location),
        component: ComponentId,
        kind: Lifecycle,
    ) -> Self {
        let mut change = Self::new(world);
        let (storage, events) = (&mut change.world.storage, &mut change.events);
        note_present(
            Frozen::of(storage),
            events,
            &[component],
            (entity, at),
            kind,
        );
        let orphaned = storage.orphaned_sources(entity, [component], None);
        change.before(entity);
        change.before_orphaned(orphaned);
        change
    }

    /// Calls observers and hooks of the noted events, before the change. Observers come first, because a hook may undo the
    /// data that they read.
    pub(in crate::world) fn before(&mut self, entity: Entity) {
        if !self.world.nesting.is_muted {
            self.call_observers(entity);
            self.call_hooks(entity);
        }
        self.events.clear();
    }

    /// Calls hooks and observers of the noted events, after the change. Hooks come first, because they may prepare the data
    /// that observers read.
    pub(in crate::world) fn after(&mut self, entity: Entity) {
        if !self.world.nesting.is_muted {
            self.call_hooks(entity);
            self.call_observers(entity);
        }
        self.events.clear();
    }

    /// Calls observers and hooks of one event, before the change.
    pub(in crate::world) fn before_one(
        &mut self,
        entity: Entity,
        component: ComponentId,
        kind: Lifecycle,
    ) {
        note(&self.world.storage, &mut self.events, component, kind);
        self.before(entity);
    }

    /// Calls hooks and observers of one event, after the change.
    pub(in crate::world) fn after_one(
        &mut self,
        entity: Entity,
        component: ComponentId,
        kind: Lifecycle,
    ) {
        note(&self.world.storage, &mut self.events, component, kind);
        self.after(entity);
    }

    /// Calls observers and hooks of an entity in `table` that is about to be despawned.
    pub(in crate::world) fn before_despawn(&mut self, entity: Entity, table: TableId) {
        let storage = Frozen::of(&mut self.world.storage);
        note_despawned(storage, &mut self.events, entity, table);
        self.before(entity);
    }

    /// Calls observers and hooks of all entities of the table, which are about to be despawned.
    pub(in crate::world) fn before_despawn_table(&mut self, table: TableId) {
        if self.world.storage.table(table).is_observed() {
            // Hooks can insert and remove only immediate components, which are not in tables: no row moves.
            for row in 0..self.world.storage.table(table).len() {
                let entity = self.world.storage.table(table).entities()[row];
                self.before_despawn(entity, table);
            }
        }
    }

    /// Drops the events of components that the entity turned out not to have.
    pub(in crate::world) fn drop_missing(&mut self, entity: Entity) {
        let storage = Frozen::of(&mut self.world.storage);
        let at = storage.entities.get(entity);
        self.events
            .retain(|event| at.is_some_and(|at| storage.store(event.component).has(entity, at)));
    }

    /// Returns true if the entity still has the component: rule 7 of [`hooks`](super) requires it for a call.
    fn is_still_present(&mut self, entity: Entity, event: NotedEvent) -> bool {
        !event.is_immediate || self.world.has_component(entity, event.component)
    }

    fn call_hooks(&mut self, entity: Entity) {
        for index in 0..self.events.len() {
            let event = self.events[index];
            let hooks = &self.world.storage.store(event.component).info.more.hooks;
            if let Some(hook) = hooks.hook(event.kind)
                && self.is_still_present(entity, event)
            {
                self.call(HookOrigin::Component(event), |world| {
                    hook(world, entity);
                });
            }
        }
    }

    fn call_observers(&mut self, entity: Entity) {
        if self.world.observers.is_empty() {
            return;
        }
        let mut call = Call {
            event: &mut (),
            path: EventPath {
                target: Some(entity),
                origin: Some(entity),
                stopped: Some(&Cell::new(Stopped::No)),
            },
        };
        self.with_observers(None, |change, observers| {
            for index in 0..change.events.len() {
                let event = change.events[index];
                let NotedEvent {
                    kind, component, ..
                } = event;
                observers.each_of_component(component, kind, |observer| {
                    if change.is_still_present(entity, event) {
                        let origin = HookOrigin::Component(event);
                        change.call(origin, |world| observer(call.reborrow(), world));
                    }
                });
            }
        });
    }

    /// Calls `f` with the observers of the world, or with the observers of an entity if it has some. They are moved out of
    /// the world for the call. Meanwhile they cannot be changed, and the entity can neither be despawned nor lose them,
    /// because all of that takes `&mut World`.
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

    /// Calls a hook or observer, and records `origin` if it queues commands.
    pub(super) fn call(&mut self, origin: HookOrigin, f: impl FnOnce(DeferredWorld<'_>)) {
        let queued = self.world.pending().len();
        f(DeferredWorld::new(self.world));
        if self.world.pending().len() > queued {
            self.last = Some(origin);
        }
    }
}
