//! A world and its model, to which the same is done.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::world::CommandQueue;
use ecs_core::world::hooks::ObserverId;
use ecs_tests::Ledger;

use crate::bundles::{Build, Kind, Test, with_bundle, with_filter};
use crate::model::{Blown, Model, Queued, by_portion, insert_all, parts};
use crate::ops::{Op, Verb};
use crate::parts::{
    A, B, BLOWN, C, D, E, EVENTS, F, G, H, LEDGER, Part, Row, Told, observe, register_all, row,
};

/// The world and what it should be.
pub(crate) struct Both {
    world: World,
    model: Model,
    issued: Vec<Entity>,
    /// Observers that were registered, some of them taken out since.
    observers: Vec<ObserverId>,
}

impl Both {
    pub(crate) fn new() -> Self {
        LEDGER.set(Ledger::default());
        let mut world = World::new();
        register_all(&mut world);
        world.insert_resource(Told::default());
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

    /// Runs a verb on the world, then its twin on the model, which may need to know the ids of what was spawned.
    ///
    /// Returns what the verb did, if nothing panicked.
    fn both<R>(
        &mut self,
        verb: impl FnOnce(&mut World) -> R,
        twin: impl FnOnce(&mut Model, Option<&R>) -> Result<(), Blown>,
    ) -> Option<R> {
        let world = &mut self.world;
        let result = match catch_unwind(AssertUnwindSafe(|| verb(world))) {
            Ok(result) => Some(result),
            Err(panic) => {
                assert_eq!(panic.downcast_ref(), Some(&BLOWN));
                None
            }
        };
        let mut told = self.world.resource_mut::<Told>();
        self.model.spawned.clone_from(&told.spawned);
        self.issued.extend(told.spawned.drain(..));
        told.fuse = None;
        drop(told);
        let model = &mut self.model;
        let expected = model.settled(|model| twin(model, result.as_ref()));
        assert_eq!(
            result.is_none(),
            expected.is_err(),
            "both panic or none does"
        );
        model.fuse = None;
        result
    }

    fn spawn(&mut self, kind: Kind, value: u32) {
        // Reserved first, as the model must know the id also when a hook panics.
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

    fn command(&mut self, verb: &Verb) -> Option<(Queued, CommandQueue)> {
        let mut queue = CommandQueue::new();
        let mut commands = Commands::new(&mut queue, self.world.entities());
        let model = match *verb {
            Verb::Spawn(kind, value) => {
                let entity = with_bundle!(kind, |Bundle| commands.spawn(Bundle::build(value)).id());
                self.issued.push(entity);
                self.model.rows.insert(entity, Row::default());
                Queued::Insert(entity, parts(kind, value))
            }
            Verb::Insert(index, kind, value) => {
                let entity = self.pick(index)?;
                with_bundle!(kind, |Bundle| commands.insert(entity, Bundle::build(value)));
                Queued::Insert(entity, parts(kind, value))
            }
            Verb::Remove(index, kind) => {
                let entity = self.pick(index)?;
                with_bundle!(kind, |Bundle| commands.remove::<Bundle>(entity));
                Queued::Remove(entity, kind.parts().to_vec())
            }
            Verb::Despawn(index) => {
                let entity = self.pick(index)?;
                commands.despawn(entity);
                Queued::Despawn(entity)
            }
        };
        Some((model, queue))
    }

    /// The entities that pass, in the order in which verbs over many go through them, by table.
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

    /// Applies an operation, and before it what waits, if that belongs to it.
    pub(crate) fn step(&mut self, op: Op) {
        if op.flushes() && !self.model.waiting.is_empty() {
            self.apply(Op::Flush);
            self.check();
        }
        self.apply(op);
        self.check();
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Do(Verb::Spawn(kind, value)) => {
                if self.model.fuse.is_some() {
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
            Op::Do(Verb::Insert(index, kind, value)) => {
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
            Op::Do(Verb::Remove(index, kind)) => {
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
            Op::Do(Verb::Despawn(index)) => {
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
                // Ids are not known after a panic, so there is none.
                self.world.resource_mut::<Told>().fuse = None;
                self.model.fuse = None;
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
                self.settle_waiting();
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
                self.settle_waiting();
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
                self.settle_waiting();
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
                self.settle_waiting();
                let tables = self.passing(test);
                self.both(
                    |world| {
                        with_bundle!(kind, |Bundle| with_filter!(test, |Filter| world
                            .insert_all_with::<Filter, Bundle>(|_| Build::build(value))));
                    },
                    |model, _| insert_all(model, test, kind, value, &tables),
                );
            }
            Op::Apply(verbs) => {
                self.world.flush();
                self.settle_waiting();
                let commands: Vec<_> = verbs.iter().filter_map(|verb| self.command(verb)).collect();
                let mut queue = CommandQueue::new();
                let mut twins = Vec::new();
                for (twin, mut command) in commands {
                    queue.append(&mut command);
                    twins.push(twin);
                }
                self.both(|world| queue.apply(world), |model, _| model.run(twins));
            }
            Op::Defer(verb) => {
                if let Some((twin, mut queue)) = self.command(&verb) {
                    self.world.defer(&mut queue);
                    self.model.waiting.push(twin);
                }
            }
            Op::Flush => {
                let waiting = std::mem::take(&mut self.model.waiting);
                self.both(World::flush, |model, _| model.run(waiting));
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
            Op::Fuse(calls) => {
                self.model.fuse = Some(calls.into());
                self.world.resource_mut::<Told>().fuse = Some(calls.into());
            }
        }
    }

    /// What the world has just flushed, on the model; the fuse was not lit.
    fn settle_waiting(&mut self) {
        assert!(self.model.waiting.is_empty());
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
        let told = self.world.resource::<Told>();
        assert_eq!(told.calls, self.model.calls);
        assert_eq!(self.world.len(), self.model.rows.len());
        let mut values = 0;
        for (&entity, expected) in &self.model.rows {
            assert!(self.world.contains(entity));
            assert_eq!(&row(&self.world, entity), expected, "{entity}");
            values += expected.iter().flatten().count();
        }
        if self.model.waiting.is_empty() {
            let alive = LEDGER.with_borrow(Ledger::alive).len();
            assert_eq!(alive, values, "each value is dropped once, when it is gone");
        }
    }
}
