//! A world and its model, which receive the same operations.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::world::CommandQueue;

use crate::relations_model::model::{Model, read};
use crate::relations_model::relations::{
    CHILD_OF, ChildOf, FOLLOWS, Follows, LEDGER, LIKES, Likes, Mark, NEEDS, Needs, ObservedTargets,
    TRAP, TRAPS, observe, value, with_any, with_one,
};
use crate::relations_model::steps::{Act, Step};

pub(crate) struct Both {
    world: World,
    model: Model,
    /// All ids that were ever used.
    ids: Vec<Entity>,
    counter: u32,
}

impl Both {
    pub(crate) fn new() -> Self {
        let mut world = World::new();
        world.insert_resource(ObservedTargets::default());
        observe::<ChildOf, CHILD_OF>(&mut world);
        observe::<Follows, FOLLOWS>(&mut world);
        Self {
            world,
            model: Model::default(),
            ids: Vec::new(),
            counter: 0,
        }
    }

    /// Picks an entity, newer ones more often.
    fn pick(&mut self, number: usize) -> Entity {
        if self.ids.is_empty() {
            let entity = self.world.spawn(());
            self.add_entity(entity);
        }
        let last = self.ids.len() - 1;
        self.ids[last.saturating_sub(number)]
    }

    fn add_entity(&mut self, entity: Entity) {
        self.ids.push(entity);
        self.model.alive.insert(entity);
    }

    fn number(&mut self) -> u32 {
        self.counter += 1;
        self.counter
    }

    pub(crate) fn act(&mut self, act: Act) {
        match act {
            Act::Call(step) => self.call(step),
            Act::Queue(steps) => self.queue(&steps),
            Act::Trapped(step, trap) => {
                TRAP.set(Some(TRAPS[trap]));
                let outcome = catch_unwind(AssertUnwindSafe(|| self.call(step)));
                TRAP.set(None);
                if outcome.is_err() {
                    self.read_world();
                }
            }
        }
    }

    /// Reads the model from the world after a panic. Other tests check how much was done before it; this one checks
    /// that the world is consistent.
    fn read_world(&mut self) {
        self.world.check_invariants();
        self.model = read(&self.world);
        for &entity in &self.model.alive {
            if !self.ids.contains(&entity) {
                self.ids.push(entity);
            }
        }
        let mut observed = self.world.resource_mut::<ObservedTargets>();
        for relation in [CHILD_OF, FOLLOWS] {
            observed.0[relation] = self.model.edges[relation].only_targets();
        }
    }

    /// Applies a step to the world and to the model.
    fn call(&mut self, step: Step) {
        let n = self.number();
        match step {
            Step::Spawn(None, mark) => {
                let entity = if mark {
                    self.world.spawn(Mark)
                } else {
                    self.world.spawn(())
                };
                self.add_entity(entity);
            }
            Step::Spawn(Some((r, t)), mark) => {
                let target = self.pick(t);
                let entity = with_one!(r, R => if mark {
                    self.world.spawn((Mark, R(value(n)).to(target)))
                } else {
                    self.world.spawn(R(value(n)).to(target))
                });
                self.add_entity(entity);
                self.model.insert(r, entity, target, n);
            }
            Step::SpawnBatch(r, t) => {
                let target = self.pick(t);
                let spawned = with_one!(r, R => {
                    self.world.spawn_batch((0..3).map(|_| (Mark, R(value(n)).to(target)))).to_vec()
                });
                for entity in spawned {
                    self.add_entity(entity);
                    self.model.insert(r, entity, target, n);
                }
            }
            Step::SpawnMany(a, b) => {
                let (a, b) = (self.pick(a), self.pick(b));
                let entity = self
                    .world
                    .spawn(Likes(value(n)).to(a).and(Likes(value(n + 1)), b));
                self.add_entity(entity);
                for (target, value) in [(a, n), (b, n + 1)] {
                    self.model.relate(LIKES, entity, target, value);
                }
            }
            Step::Insert(r, s, t) | Step::InsertBoth(r, s, t) | Step::Replace(r, s, t) => {
                let (source, target) = (self.pick(s), self.pick(t));
                let is_alive = self.model.alive.contains(&source);
                let is_right = !is_alive || self.model.may_relate(r, source, target);
                let world = &mut self.world;
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    with_one!(r, R => match step {
                        Step::InsertBoth(..) => world.insert(source, (Mark, R(value(n)).to(target))),
                        Step::Replace(..) => world.replace(source, R(value(n)).to(target)).map(drop),
                        _ => world.insert(source, R(value(n)).to(target)),
                    })
                }));
                match outcome {
                    Ok(result) => {
                        assert!(is_right, "refused");
                        assert_eq!(result.is_ok(), is_alive);
                        if is_alive {
                            self.model.insert(r, source, target, n);
                        }
                    }
                    Err(panic) if is_right => std::panic::resume_unwind(panic),
                    Err(panic) => {
                        let message = panic.downcast_ref::<String>().expect("a message");
                        assert!(message.contains("instead of panicking"), "{message}");
                    }
                }
            }
            Step::Relate(r, s, t) => {
                let (source, target) = (self.pick(s), self.pick(t));
                let result = with_any!(r, R => self.world.relate(source, R(value(n)), target));
                assert_eq!(
                    result.is_ok(),
                    self.model.relate(r, source, target, n),
                    "{result:?}"
                );
                assert_eq!(
                    with_any!(r, R => self.world.is_related::<R>(source, target)),
                    self.model.edges[r]
                        .sources
                        .get(&target)
                        .is_some_and(|s| s.contains(&source)),
                );
            }
            Step::Unrelate(r, s, t) => {
                let (source, target) = (self.pick(s), self.pick(t));
                let result = with_any!(r, R => self.world.unrelate::<R>(source, target));
                assert_eq!(result.is_ok(), self.model.alive.contains(&source));
                let before = self.model.edges[r].clone();
                self.model.edges[r].cut(source, target);
                assert_eq!(result == Ok(true), before != self.model.edges[r]);
            }
            Step::Crowd(r, e) => {
                const CROWD: u32 = 48;
                let hub = self.pick(e);
                // The hub is the target, or the source if the relation allows many targets.
                let is_source = (r == LIKES || r == NEEDS) && n.is_multiple_of(2);
                let ends = |other| {
                    if is_source {
                        (hub, other)
                    } else {
                        (other, hub)
                    }
                };
                let mut crowd = Vec::new();
                for n in n..n + CROWD {
                    let other = self.world.spawn(());
                    crowd.push(other);
                    // Inserted first, so that the next steps pick the hub.
                    self.ids.insert(0, other);
                    self.model.alive.insert(other);
                    let (source, target) = ends(other);
                    let result = with_any!(r, R => self.world.relate(source, R(value(n)), target));
                    let is_right = self.model.relate(r, source, target, n);
                    assert_eq!(result.is_ok(), is_right, "{result:?}");
                }
                self.counter += CROWD;
                for (index, &other) in crowd.iter().enumerate() {
                    if index % 12 > 0 && index + 1 < crowd.len() {
                        let (source, target) = ends(other);
                        let _ = with_any!(r, R => self.world.unrelate::<R>(source, target));
                        self.model.edges[r].cut(source, target);
                    }
                }
            }
            Step::RemoveOutgoing(r, s) => {
                let source = self.pick(s);
                let _ = with_any!(r, R => {
                    self.world.remove::<<R as Relation>::Outgoing>(source)
                });
                self.model.edges[r].cut_targets(source);
            }
            Step::RemoveSources(r, t) => {
                let target = self.pick(t);
                let _ = with_any!(r, R => self.world.remove::<Sources<R>>(target));
                self.model.edges[r].cut_sources(target);
            }
            Step::MoveOutgoing(r, from, to) => {
                let (from, to) = (self.pick(from), self.pick(to));
                let taken = self.model.edges[r]
                    .targets
                    .get(&from)
                    .cloned()
                    .unwrap_or_default();
                let fits = self.model.alive.contains(&to)
                    && taken.iter().all(|&(target, _)| target != to)
                    && !taken.is_empty();
                if fits {
                    // Checked without the edges that are removed first, because these cannot be part of a cycle.
                    let mut after = self.model.clone();
                    after.edges[r].cut_targets(from);
                    if taken
                        .iter()
                        .all(|&(target, _)| after.may_relate(r, to, target))
                    {
                        with_any!(r, R => {
                            let taken = self.world.take::<<R as Relation>::Outgoing>(from).unwrap();
                            self.world.insert(to, taken).unwrap();
                        });
                        self.model = after;
                        self.model.edges[r].cut_targets(to);
                        for (target, value) in taken {
                            self.model.edges[r].add(to, target, value);
                        }
                    }
                }
            }
            Step::MoveSources(r, from, to) => {
                let (from, to) = (self.pick(from), self.pick(to));
                with_any!(r, R => {
                    if let Ok(taken) = self.world.take::<Sources<R>>(from) {
                        assert_eq!(taken.len(), 0, "its edges are cut");
                        self.model.edges[r].cut_sources(from);
                        let result = if n.is_multiple_of(2) {
                            self.world.insert(to, taken)
                        } else {
                            self.world.replace(to, taken).map(drop)
                        };
                        if result.is_ok() {
                            self.model.edges[r].cut_sources(to);
                        }
                    }
                });
            }
            Step::Mark(e) => {
                let entity = self.pick(e);
                if self.world.has::<Mark>(entity) {
                    let _ = self.world.remove::<Mark>(entity);
                } else {
                    let _ = self.world.insert(entity, Mark);
                }
            }
            Step::Despawn(e) => {
                let entity = self.pick(e);
                let _ = self.world.despawn(entity);
                self.model.despawn(entity);
            }
            Step::DespawnMarked => {
                let marked: Vec<Entity> = self
                    .world
                    .query_filtered::<Entity, With<Mark>>()
                    .iter()
                    .collect();
                self.world.despawn_all::<With<Mark>>();
                marked
                    .into_iter()
                    .for_each(|entity| self.model.despawn(entity));
            }
            Step::DespawnFollowers => {
                self.world.despawn_all::<With<Target<Follows>>>();
                let followers: Vec<Entity> =
                    self.model.edges[FOLLOWS].targets.keys().copied().collect();
                followers
                    .into_iter()
                    .for_each(|entity| self.model.despawn(entity));
            }
            Step::RemoveAll(r) => {
                let marked: Vec<Entity> = self
                    .world
                    .query_filtered::<Entity, With<Mark>>()
                    .iter()
                    .collect();
                with_any!(r, R => {
                    self.world.remove_all::<(<R as Relation>::Outgoing, Sources<R>), With<Mark>>();
                });
                for entity in marked {
                    self.model.edges[r].cut_targets(entity);
                    self.model.edges[r].cut_sources(entity);
                }
            }
            Step::InsertAll(t) => {
                let target = self.pick(t);
                let marked: Vec<Entity> = self
                    .world
                    .query_filtered::<Entity, With<Mark>>()
                    .iter()
                    .collect();
                let gone = self.world.spawn(());
                self.world.despawn(gone).unwrap();
                let target = |entity| if entity == target { gone } else { target };
                self.world.insert_all_with::<With<Mark>, _>(|entity| {
                    Follows(value(n)).to(target(entity))
                });
                for entity in marked {
                    self.model.insert(FOLLOWS, entity, target(entity), n);
                }
            }
            Step::Sort(r, t) => {
                let target = self.pick(t);
                with_any!(r, R => if let Some(mut sources) = self.world.sources_mut::<R>(target) {
                    sources.sort_by_key(|source| core::cmp::Reverse(source.id()));
                });
                if let Some(sources) = self.model.edges[r].sources.get_mut(&target) {
                    sources.sort_by_key(|&source| core::cmp::Reverse(source));
                }
            }
            Step::MoveTo(r, t, s) => {
                let (target, source) = (self.pick(t), self.pick(s));
                let position = n as usize % 4;
                let moved = with_any!(r, R => {
                    let sources = self.world.sources_mut::<R>(target);
                    sources.is_some_and(|mut sources| sources.move_to(source, position))
                });
                let sources = self.model.edges[r].sources.get_mut(&target);
                let from = sources
                    .as_ref()
                    .and_then(|s| s.iter().position(|&other| other == source));
                assert_eq!(moved, from.is_some());
                if let (Some(sources), Some(from)) = (sources, from) {
                    sources.remove(from);
                    sources.insert(position.min(sources.len()), source);
                }
            }
            Step::Clear => {
                self.world.clear();
                self.model = Model::default();
            }
        }
    }

    /// Queues the steps that commands can do. The model applies them immediately.
    fn queue(&mut self, steps: &[Step]) {
        let mut queue = CommandQueue::new();
        for &step in steps {
            let n = self.number();
            match step {
                Step::Spawn(Some((r, t)), _) => {
                    let target = self.pick(t);
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    let entity =
                        with_one!(r, R => commands.spawn((Mark, R(value(n)).to(target))).id());
                    self.add_entity(entity);
                    self.model.insert(r, entity, target, n);
                }
                Step::Spawn(None, _) => {
                    // No component is inserted, so the entity gets its row at its first use.
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    let entity = commands.spawn_empty().id();
                    self.add_entity(entity);
                }
                Step::Relate(r, s, t) => {
                    let (source, target) = (self.pick(s), self.pick(t));
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    with_any!(r, R => {
                        commands.entity(source).relate(R(value(n)), target);
                    });
                    self.model.relate(r, source, target, n);
                }
                Step::Unrelate(r, s, t) => {
                    let (source, target) = (self.pick(s), self.pick(t));
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    with_any!(r, R => commands.unrelate::<R>(source, target));
                    self.model.edges[r].cut(source, target);
                }
                Step::Insert(r, s, t) => {
                    let (source, target) = (self.pick(s), self.pick(t));
                    if self.model.may_relate(r, source, target) {
                        let mut commands = Commands::new(&mut queue, self.world.entities());
                        with_one!(r, R => commands.insert(source, R(value(n)).to(target)));
                        if self.model.alive.contains(&source) {
                            self.model.insert(r, source, target, n);
                        }
                    }
                }
                Step::RemoveOutgoing(r, s) => {
                    let source = self.pick(s);
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    with_any!(r, R => commands.remove::<<R as Relation>::Outgoing>(source));
                    self.model.edges[r].cut_targets(source);
                }
                Step::Despawn(e) => {
                    let entity = self.pick(e);
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    commands.despawn(entity);
                    self.model.despawn(entity);
                }
                _ => {}
            }
        }
        queue.apply(&mut self.world);
        self.world.flush();
    }

    pub(crate) fn check(&self) {
        self.world.check_invariants();
        let found = read(&self.world);
        assert_eq!(found, self.model);
        let observed = self.world.resource::<ObservedTargets>();
        for relation in [CHILD_OF, FOLLOWS] {
            let targets = self.model.edges[relation].only_targets();
            assert_eq!(observed.0[relation], targets);
        }
        let edges = &self.model.edges[CHILD_OF];
        for &entity in &self.model.alive {
            let mut expected = Vec::new();
            let mut open = vec![entity];
            while let Some(at) = open.pop() {
                expected.push(at);
                open.extend(edges.sources.get(&at).into_iter().flatten().rev());
            }
            assert!(
                self.world
                    .descendants::<ChildOf>(entity)
                    .eq(expected[1..].iter().copied())
            );
            let descendants: BTreeSet<Entity> = expected[1..].iter().copied().collect();
            let wide: Vec<Entity> = self
                .world
                .descendants_breadth_first::<ChildOf>(entity)
                .collect();
            assert_eq!(wide.len(), descendants.len());
            assert_eq!(wide.into_iter().collect::<BTreeSet<_>>(), descendants);
            for descendant in descendants {
                assert!(
                    self.world
                        .ancestors::<ChildOf>(descendant)
                        .any(|other| other == entity)
                );
            }
        }
        let edges = self.model.edges.iter();
        let targets = edges.flat_map(|edges| edges.targets.values());
        let edges: usize = targets.map(Vec::len).sum();
        LEDGER.with_borrow(|ledger| assert_eq!(ledger.alive().len(), edges));
    }
}
