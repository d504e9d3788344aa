//! A world and its model, which receive the same operations.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::world::CommandQueue;
use ecs_core::world::hooks::ObserverId;
use ecs_tests::Ledger;

use crate::hooks_model::bundles::{Build, Kind, Test, with_bundle, with_filter};
use crate::hooks_model::model::{HookPanic, Model, Queued, by_portion, insert_all, parts};
use crate::hooks_model::ops::{Change, Op};
use crate::hooks_model::parts::{
    A, B, C, CallRecord, D, E, EVENTS, F, G, H, HOOK_PANIC, LEDGER, Part, Row, observe,
    register_all, row,
};

/// A world and the model that it is compared with.
pub(crate) struct Both {
    world: World,
    model: Model,
    issued: Vec<Entity>,
    /// All observers that were ever registered; some have been unregistered since.
    observers: Vec<ObserverId>,
}

impl Both {
    pub(crate) fn new() -> Self {
        LEDGER.set(Ledger::default());
        let mut world = World::new();
        register_all(&mut world);
        world.insert_resource(CallRecord::default());
        Self {
            world,
            model: Model::default(),
            issued: Vec::new(),
            observers: Vec::new(),
        }
    }

    fn pick(&self, index: usize) -> Option<Entity> {
        self.issued.get(index % self.issued.len().max(1)).copied()
    }

    /// Runs a change on the world, then on the model. The model receives the result, because it may need the ids of spawned
    /// entities.
    ///
    /// Returns the result of the change, or `None` if it panicked.
    fn both<R>(
        &mut self,
        change: impl FnOnce(&mut World) -> R,
        on_model: impl FnOnce(&mut Model, Option<&R>) -> Result<(), HookPanic>,
    ) -> Option<R> {
        let world = &mut self.world;
        let result = match catch_unwind(AssertUnwindSafe(|| change(world))) {
            Ok(result) => Some(result),
            Err(panic) => {
                assert_eq!(panic.downcast_ref(), Some(&HOOK_PANIC));
                None
            }
        };
        let mut record = self.world.resource_mut::<CallRecord>();
        self.model.spawned.clone_from(&record.spawned);
        self.issued.extend(record.spawned.drain(..));
        record.calls_left = None;
        drop(record);
        let model = &mut self.model;
        let expected = model.run_with_queued(|model| on_model(model, result.as_ref()));
        assert_eq!(
            result.is_none(),
            expected.is_err(),
            "both panic or neither does"
        );
        model.calls_left = None;
        result
    }

    fn spawn(&mut self, kind: Kind, value: u32) {
        // Reserved first: the model needs the id even if a hook panics.
        let entity = self.world.reserve_entity();
        self.issued.push(entity);
        self.model.rows.insert(entity, Row::default());
        self.both(
            |world| {
                let result =
                    with_bundle!(kind, |Bundle| world.insert(entity, Bundle::build(value)));
                result.unwrap();
            },
            |model, _| model.insert(entity, &parts(kind, value)),
        );
    }

    fn command(&mut self, change: &Change) -> Option<(Queued, CommandQueue)> {
        let mut queue = CommandQueue::new();
        let mut commands = Commands::new(&mut queue, self.world.entities());
        let model = match *change {
            Change::Spawn(kind, value) => {
                let entity = with_bundle!(kind, |Bundle| commands.spawn(Bundle::build(value)).id());
                self.issued.push(entity);
                self.model.rows.insert(entity, Row::default());
                Queued::Insert(entity, parts(kind, value))
            }
            Change::Insert(index, kind, value) => {
                let entity = self.pick(index)?;
                with_bundle!(kind, |Bundle| commands.insert(entity, Bundle::build(value)));
                Queued::Insert(entity, parts(kind, value))
            }
            Change::Remove(index, kind) => {
                let entity = self.pick(index)?;
                with_bundle!(kind, |Bundle| commands.remove::<Bundle>(entity));
                Queued::Remove(entity, kind.parts().to_vec())
            }
            Change::Despawn(index) => {
                let entity = self.pick(index)?;
                commands.despawn(entity);
                Queued::Despawn(entity)
            }
        };
        Some((model, queue))
    }

    /// Returns the matching entities by table, in the order of bulk operations.
    fn passing(&self, test: Test) -> Vec<Vec<Entity>> {
        let all: Vec<Entity> = if test.is_sparse() {
            with_filter!(test, |Filter| self
                .world
                .query_filtered::<Entity, Filter>()
                .iter()
                .collect())
        } else {
            self.world.query::<Entity>().iter().collect()
        };
        let table =
            |entity: &Entity| [0, 1, 4, 7].map(|part| self.model.rows[entity][part].is_some());
        let groups = all.chunk_by(|a, b| table(a) == table(b));
        groups
            .map(|group| {
                let passing = group.iter().copied();
                passing
                    .filter(|entity| test.passes(&self.model.rows[entity]))
                    .collect()
            })
            .collect()
    }

    /// Applies an operation. Flushes deferred commands first if the operation does so.
    pub(crate) fn step(&mut self, op: Op) {
        if op.flushes() && !self.model.deferred.is_empty() {
            self.apply(Op::Flush);
            self.check();
        }
        self.apply(op);
        self.check();
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Do(Change::Spawn(kind, value)) => {
                if self.model.calls_left.is_some() {
                    return self.spawn(kind, value);
                }
                let spawned = self.both(
                    |world| with_bundle!(kind, |Bundle| world.spawn(Bundle::build(value))),
                    |model, entity| {
                        let &entity = entity.unwrap();
                        model.rows.insert(entity, Row::default());
                        model.insert(entity, &parts(kind, value))
                    },
                );
                self.issued.extend(spawned);
            }
            Op::Do(Change::Insert(index, kind, value)) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                self.both(
                    |world| {
                        with_bundle!(kind, |Bundle| world
                            .insert(entity, Bundle::build(value))
                            .is_ok())
                    },
                    |model, ok| {
                        let lives = model.rows.contains_key(&entity);
                        assert!(ok.is_none_or(|&ok| ok == lives));
                        if lives {
                            model.insert(entity, &parts(kind, value))
                        } else {
                            Ok(())
                        }
                    },
                );
            }
            Op::Do(Change::Remove(index, kind)) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                self.both(
                    |world| with_bundle!(kind, |Bundle| world.remove::<Bundle>(entity).is_ok()),
                    |model, _| match model.rows.contains_key(&entity) {
                        true => model.remove(entity, kind.parts()),
                        false => Ok(()),
                    },
                );
            }
            Op::Do(Change::Despawn(index)) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                self.both(
                    |world| world.despawn(entity).is_ok(),
                    |model, _| match model.rows.contains_key(&entity) {
                        true => model.despawn(entity),
                        false => Ok(()),
                    },
                );
            }
            Op::SpawnBatch(kind, value, count) => {
                // The ids of the batch are lost if a hook panics, so none may panic.
                self.world.resource_mut::<CallRecord>().calls_left = None;
                self.model.calls_left = None;
                let values = || (0..u32::from(count)).map(|i| value + i);
                let spawned = self.both(
                    |world| {
                        with_bundle!(kind, |Bundle| world
                            .spawn_batch(values().map(Bundle::build))
                            .to_vec())
                    },
                    |model, spawned| {
                        for (&entity, value) in spawned.unwrap().iter().zip(values()) {
                            model.rows.insert(entity, Row::default());
                            model.insert(entity, &parts(kind, value))?;
                        }
                        Ok(())
                    },
                );
                self.issued.extend(spawned.unwrap());
            }
            Op::ReplaceA(index, value) => self.replace::<A>(index, value),
            Op::ReplaceC(index, value) => self.replace::<C>(index, value),
            Op::ReplaceG(index, value) => self.replace::<G>(index, value),
            Op::Take(index, kind) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                self.both(
                    |world| with_bundle!(kind, |Bundle| world.take::<Bundle>(entity).is_ok()),
                    |model, ok| {
                        let taken = model.take(entity, kind.parts())?;
                        assert!(ok.is_none_or(|&ok| ok == taken));
                        Ok(())
                    },
                );
            }
            Op::Clear => {
                self.world.flush();
                self.assert_no_deferred();
                let order: Vec<Entity> = self.world.query::<Entity>().iter().collect();
                self.both(World::clear, |model, _| {
                    order
                        .iter()
                        .try_for_each(|&entity| model.before_despawn(entity))?;
                    order
                        .iter()
                        .for_each(|entity| _ = model.rows.remove(entity));
                    Ok(())
                });
            }
            Op::DespawnAll(test) => {
                self.world.flush();
                self.assert_no_deferred();
                let tables = self.passing(test);
                self.both(
                    |world| with_filter!(test, |Filter| world.despawn_all::<Filter>()),
                    |model, _| {
                        by_portion(test, &tables, |portion| {
                            portion
                                .iter()
                                .try_for_each(|&entity| model.before_despawn(entity))?;
                            portion
                                .iter()
                                .for_each(|entity| _ = model.rows.remove(entity));
                            Ok(())
                        })
                    },
                );
            }
            Op::RemoveAll(test, kind) => {
                self.world.flush();
                self.assert_no_deferred();
                let tables = self.passing(test);
                self.both(
                    |world| {
                        with_bundle!(kind, |Bundle| with_filter!(test, |Filter| world
                            .remove_all::<Bundle, Filter>()));
                    },
                    |model, _| {
                        by_portion(test, &tables, |portion| {
                            let parts = kind.parts();
                            portion
                                .iter()
                                .try_for_each(|&entity| model.before_remove(entity, parts))?;
                            portion
                                .iter()
                                .for_each(|&entity| model.drop_parts(entity, parts));
                            Ok(())
                        })
                    },
                );
            }
            Op::InsertAll(test, kind, value) => {
                self.world.flush();
                self.assert_no_deferred();
                let tables = self.passing(test);
                self.both(
                    |world| {
                        with_bundle!(kind, |Bundle| with_filter!(test, |Filter| world
                            .insert_all_with::<Filter, Bundle>(|_| Build::build(value))));
                    },
                    |model, _| insert_all(model, test, kind, value, &tables),
                );
            }
            Op::Apply(changes) => {
                self.world.flush();
                self.assert_no_deferred();
                let commands: Vec<_> = changes
                    .iter()
                    .filter_map(|change| self.command(change))
                    .collect();
                let mut queue = CommandQueue::new();
                let mut model_commands = Vec::new();
                for (model_command, mut command) in commands {
                    queue.append(&mut command);
                    model_commands.push(model_command);
                }
                self.both(
                    |world| queue.apply(world),
                    |model, _| model.run(model_commands),
                );
            }
            Op::Defer(change) => {
                if let Some((model_command, mut queue)) = self.command(&change) {
                    self.world.defer(&mut queue);
                    self.model.deferred.push(model_command);
                }
            }
            Op::Flush => {
                let deferred = std::mem::take(&mut self.model.deferred);
                self.both(World::flush, |model, _| model.run(deferred));
            }
            Op::Observe(part, kind) => {
                let (world, kind) = (&mut self.world, EVENTS[kind]);
                let n = self.observers.len() as u32;
                let id = match part {
                    0 => observe::<A>(world, kind, n),
                    1 => observe::<B>(world, kind, n),
                    2 => observe::<C>(world, kind, n),
                    3 => observe::<D>(world, kind, n),
                    4 => observe::<E>(world, kind, n),
                    5 => observe::<F>(world, kind, n),
                    6 => observe::<G>(world, kind, n),
                    _ => observe::<H>(world, kind, n),
                };
                self.observers.push(id);
                self.model.observers.push((n, (kind, part)));
            }
            Op::Unobserve(index) => {
                if let Some(&id) = self.observers.get(index) {
                    let position = self
                        .model
                        .observers
                        .iter()
                        .position(|(n, _)| *n as usize == index);
                    assert_eq!(self.world.unobserve(id), position.is_some());
                    position.map(|position| self.model.observers.remove(position));
                }
            }
            Op::PanicAfter(calls) => {
                self.model.calls_left = Some(calls.into());
                self.world.resource_mut::<CallRecord>().calls_left = Some(calls.into());
            }
        }
    }

    /// Asserts that no command is deferred: `step` has flushed them.
    fn assert_no_deferred(&mut self) {
        assert!(self.model.deferred.is_empty());
    }

    fn replace<P: Part>(&mut self, index: usize, value: u32) {
        let Some(entity) = self.pick(index) else {
            return;
        };
        self.both(
            |world| {
                world
                    .replace(entity, P::new(value))
                    .map(|old| old.map(|old| old.value()))
            },
            |model, result| {
                if !model.rows.contains_key(&entity) {
                    assert!(result.unwrap().is_err());
                    return Ok(());
                }
                let old = model.replace(entity, (P::INDEX, value))?;
                assert!(result.is_none_or(|result| result == &Ok(old)));
                Ok(())
            },
        );
    }

    fn check(&self) {
        self.world.check_invariants();
        let record = self.world.resource::<CallRecord>();
        assert_eq!(record.calls, self.model.calls);
        assert_eq!(self.world.len(), self.model.rows.len());
        let mut values = 0;
        for (&entity, expected) in &self.model.rows {
            assert!(self.world.contains(entity));
            assert_eq!(&row(&self.world, entity), expected, "{entity}");
            values += expected.iter().flatten().count();
        }
        if self.model.deferred.is_empty() {
            let alive = LEDGER.with_borrow(Ledger::alive).len();
            assert_eq!(alive, values, "each value is dropped exactly once");
        }
    }
}
