//! A world and its model, which receive the same operations.

use std::collections::BTreeSet;
use std::ops::DerefMut;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_core::Tick;
use ecs_core::event::EventCursor;
use ecs_core::prelude::*;
use ecs_core::query::SortProgress;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::view::{InsertError, RemovedCursor};
use ecs_core::world::hooks::ObserverId;
use ecs_core::world::{CommandQueue, Layout, Shrunk};
use ecs_tests::{ARMED, Ledger};

use super::bundles::{Build, Kind, Test, with_bundle, with_filter};
use super::model::{Model, Resolved, Row};
use super::parts::{
    COUNT, ChildOf, Event, FIRED, Felt, HOOK_PANIC, LEDGER, Likes, MARKS, Now, One, PLAN, Part,
    Poke, Reaction, SPAWNED, Seen, Sparse, Table, Two, each_part, observe, token,
};
use super::{Change, Choice, Op};

/// The maximal number of buffered events.
const BOUND: usize = 6;

pub(super) struct Both {
    world: World,
    model: Model,
    /// All known ids.
    issued: Vec<Entity>,
    /// The commands that are deferred in the world.
    deferred: Vec<Resolved>,
    /// The tokens of the deferred commands, and the number of their values without a token.
    held: (Vec<u32>, isize),
    observers: Vec<ObserverId>,
    groups: u8,
    /// The value of each event.
    sent: Vec<u8>,
    /// The readers, and the number of events that had been sent when they last read.
    readers: [(EventCursor<Event>, usize); 2],
    seen: RemovedCursor<Seen>,
    felt: RemovedCursor<Felt>,
    looked: Tick,
    /// True if the changes of tracked parts are unknown.
    is_tracking_unknown: bool,
    /// True if the effect of the last change is unknown to the model.
    is_model_unknown: bool,
}

/// Runs `$body` with a relation as `$R`.
macro_rules! with_relation {
    ($many:expr, |$R:ident| $body:expr) => {
        if $many {
            use Likes as $R;
            $body
        } else {
            use ChildOf as $R;
            $body
        }
    };
}

fn write<P: Part>(mut place: impl DerefMut<Target = P>, value: u8) {
    place.set(value);
}

fn alive() -> Vec<u32> {
    LEDGER.with_borrow(Ledger::alive)
}

fn is_armed() -> bool {
    LEDGER.with_borrow(Ledger::is_armed)
}

impl Both {
    pub(super) fn new() -> Self {
        let mut world = World::new();
        world.register::<Now>();
        world.insert_resource(Events::<Event>::with_bound(BOUND));
        let (mut seen, mut felt) = Default::default();
        // Registers the readers, so that they see all later removals.
        assert!(world.removed::<Seen>(&mut seen).is_empty());
        assert!(world.removed::<Felt>(&mut felt).is_empty());
        Self {
            looked: world.tick(),
            world,
            model: Model::default(),
            issued: Vec::new(),
            deferred: Vec::new(),
            held: (Vec::new(), 0),
            observers: Vec::new(),
            groups: 0,
            sent: Vec::new(),
            readers: Default::default(),
            seen,
            felt,
            is_tracking_unknown: false,
            is_model_unknown: false,
        }
    }

    fn pick(&self, choice: Choice) -> Option<Entity> {
        match choice {
            Choice::Known(number) => {
                let count = self.issued.len();
                // Newer ones first.
                (count > 0).then(|| self.issued[count - 1 - usize::from(number) % count])
            }
            Choice::Bits(bits) => Entity::from_bits(bits),
        }
    }

    fn add_entity(&mut self, entity: Entity) {
        let old = self.model.rows.insert(entity, Row::default());
        assert!(old.is_none(), "{entity} is already alive");
        assert!(!self.issued.contains(&entity), "{entity} was issued twice");
        self.issued.push(entity);
    }

    /// Runs a change; returns `None` if the test made it panic or a hook reacted, because the model does not know the
    /// effect then.
    fn change<R>(&mut self, change: impl FnOnce(&mut World) -> R) -> Option<R> {
        let world = &mut self.world;
        match catch_unwind(AssertUnwindSafe(|| change(world))) {
            Ok(result) if !FIRED.get() => return Some(result),
            Ok(_) => {}
            Err(payload) => match payload.downcast_ref::<&str>() {
                Some(&message) if message == ARMED || message == HOOK_PANIC => {}
                _ => std::panic::resume_unwind(payload),
            },
        }
        FIRED.set(false);
        self.is_model_unknown = true;
        None
    }

    /// Reads the model from the world.
    fn read_world(&mut self) {
        // A panicking drop interrupts the flush; calling it again continues.
        while self.change(World::flush).is_none() {}
        self.deferred.clear();
        self.held = (Vec::new(), 0);
        self.is_model_unknown = false;
        self.is_tracking_unknown = true;
        self.issued.append(&mut SPAWNED.take());
        self.model = Model::read(&self.world, &self.issued);
        for &entity in self.model.rows.keys() {
            if !self.issued.contains(&entity) {
                self.issued.push(entity);
            }
        }
    }

    pub(super) fn step(&mut self, op: Op) {
        self.apply(op);
        if self.is_model_unknown {
            self.read_world();
        }
        self.check();
    }

    /// Queues a change; returns it with its entities.
    fn queue(&mut self, change: Change, queue: &mut CommandQueue) -> Resolved {
        let [one, other] = match change {
            Change::Spawn(..) => [None; 2],
            Change::Insert(choice, ..)
            | Change::Remove(choice, _)
            | Change::Despawn(choice)
            | Change::Trigger(choice) => [self.pick(choice), None],
            Change::Relate(_, one, other) | Change::Unrelate(_, one, other) => {
                [self.pick(one), self.pick(other)]
            }
        };
        let mut commands = Commands::new(queue, self.world.entities());
        match (change, one, other) {
            (Change::Spawn(kind, value), ..) => {
                let entity =
                    with_bundle!(kind, |B| commands.spawn(<B as Build>::build(value)).id());
                self.add_entity(entity);
                Resolved::Insert(entity, kind, value)
            }
            (Change::Insert(_, kind, value), Some(entity), _) => {
                with_bundle!(kind, |B| commands
                    .insert(entity, <B as Build>::build(value)));
                Resolved::Insert(entity, kind, value)
            }
            (Change::Remove(_, kind), Some(entity), _) => {
                with_bundle!(kind, |B| commands.remove::<B>(entity));
                Resolved::Remove(entity, kind)
            }
            (Change::Despawn(_), Some(entity), _) => {
                commands.despawn(entity);
                Resolved::Despawn(entity)
            }
            (Change::Relate(many, ..), Some(source), Some(target)) => {
                with_relation!(many, |R| commands.relate(source, R(token()), target));
                Resolved::Relate(many, source, target)
            }
            (Change::Unrelate(many, ..), Some(source), Some(target)) => {
                with_relation!(many, |R| commands.unrelate::<R>(source, target));
                Resolved::Unrelate(many, source, target)
            }
            (Change::Trigger(_), Some(entity), _) => {
                commands.trigger_on(entity, Poke);
                Resolved::Nothing
            }
            _ => Resolved::Nothing,
        }
    }

    fn call(&mut self, change: Change) {
        match change {
            Change::Spawn(kind, value) => {
                let spawned = self.change(|world| {
                    with_bundle!(kind, |B| world.spawn(<B as Build>::build(value)))
                });
                if let Some(entity) = spawned {
                    self.add_entity(entity);
                    self.model.insert(entity, kind.parts(), value);
                }
            }
            Change::Insert(choice, kind, value) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                let result = self.change(|world| {
                    with_bundle!(kind, |B| world.insert(entity, <B as Build>::build(value)))
                });
                self.expect(entity, result.map(|result| result.is_ok()));
                if !self.is_model_unknown {
                    self.model.insert(entity, kind.parts(), value);
                }
            }
            Change::Remove(choice, kind) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                let result = self.change(|world| with_bundle!(kind, |B| world.remove::<B>(entity)));
                self.expect(entity, result.map(|result| result.is_ok()));
                self.model.perform(Resolved::Remove(entity, kind));
            }
            Change::Despawn(choice) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                let result = self.change(|world| world.despawn(entity));
                self.expect(entity, result.map(|result| result.is_ok()));
                self.model.despawn(entity);
            }
            Change::Relate(many, source, target) => {
                let (Some(source), Some(target)) = (self.pick(source), self.pick(target)) else {
                    return;
                };
                let result = self.change(|world| {
                    with_relation!(many, |R| world.relate(source, R(token()), target)).is_ok()
                });
                if let Some(related) = result {
                    assert_eq!(related, self.model.relate(many, source, target));
                }
            }
            Change::Unrelate(many, source, target) => {
                let (Some(source), Some(target)) = (self.pick(source), self.pick(target)) else {
                    return;
                };
                let result = self
                    .change(|world| with_relation!(many, |R| world.unrelate::<R>(source, target)));
                if let Some(result) = result {
                    assert_eq!(result.is_ok(), self.model.rows.contains_key(&source));
                    assert_eq!(
                        result.unwrap_or(false),
                        self.model.unrelate(many, source, target)
                    );
                }
            }
            Change::Trigger(choice) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                let result = self.change(|world| world.trigger_on(entity, Poke));
                self.expect(entity, result.map(|result| result.is_ok()));
            }
        }
    }

    /// Checks that a change found its entity exactly if it is alive.
    fn expect(&self, entity: Entity, found: Option<bool>) {
        if let Some(found) = found {
            assert_eq!(found, self.model.rows.contains_key(&entity), "{entity}");
        }
    }

    /// Applies the deferred commands to the model.
    fn apply_deferred(&mut self) {
        self.held = (Vec::new(), 0);
        for resolved in std::mem::take(&mut self.deferred) {
            self.model.perform(resolved);
        }
    }

    /// Sorts rows by the values of a part, all of them or some.
    fn sort(&mut self, part: usize, some: u8) {
        each_part!(|P| if P::NUMBER == part {
            let key = |value: Option<&P>| value.map(|value| value.value());
            self.change(|world| match some {
                0 => {
                    world.sort_rows_by_key::<Option<&P>, _>(key);
                }
                rows => {
                    let progress = &mut SortProgress::default();
                    world.sort_some_rows_by_key::<Option<&P>, _>(progress, rows.into(), key);
                }
            });
        });
        if (part, some) == (Table::NUMBER, 0) {
            let table = self.world.view::<Table>();
            for chunk in table.chunks() {
                assert!(chunk.is_sorted_by_key(Part::value));
            }
        }
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Do(change) => self.call(change),
            Op::SpawnBatch(kind, value, count) => {
                let all = 0..count % 40;
                let spawned = self.change(|world| {
                    with_bundle!(kind, |B| world
                        .spawn_batch(all.map(|_| <B as Build>::build(value)))
                        .to_vec())
                });
                for entity in spawned.into_iter().flatten() {
                    self.add_entity(entity);
                    self.model.insert(entity, kind.parts(), value);
                }
            }
            Op::SpawnChild(choice, kind, value) => {
                let Some(parent) = self.pick(choice) else {
                    return;
                };
                let spawned = self.change(|world| {
                    with_bundle!(kind, |B| world
                        .spawn((ChildOf(token()).to(parent), <B as Build>::build(value))))
                });
                if let Some(entity) = spawned {
                    self.add_entity(entity);
                    self.model.insert(entity, kind.parts(), value);
                    self.model.relate(false, entity, parent);
                }
            }
            Op::Replace(choice, part, value) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                let part = usize::from(part) % COUNT;
                each_part!(|P| if P::NUMBER == part {
                    let result = self.change(|world| world.replace(entity, P::new(value)));
                    self.expect(entity, result.as_ref().map(Result::is_ok));
                    if let Some(result) = result {
                        let old = result.ok().flatten().map(handed_back);
                        let row = self.model.rows.get(&entity);
                        assert_eq!(old, row.and_then(|row| row[part]));
                        if old.is_some() {
                            self.model.set(entity, part, value);
                        } else {
                            self.model.insert(entity, &[part], value);
                        }
                    }
                });
            }
            Op::Take(choice, kind) => self.take(choice, kind),
            Op::Fluent(choice, kind, value, other) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                let result = self.change(|world| {
                    let mut entity = world.entity_mut(entity)?;
                    with_bundle!(kind, |B| entity.insert(<B as Build>::build(value)));
                    // A command of a hook may have despawned it.
                    if !FIRED.get() {
                        with_bundle!(other, |B| entity.remove::<B>());
                    }
                    Ok::<(), ecs_core::world::NoSuchEntity>(())
                });
                self.expect(entity, result.map(|result| result.is_ok()));
                self.model.insert(entity, kind.parts(), value);
                self.model.perform(Resolved::Remove(entity, other));
            }
            Op::InsertAll(test, kind, value) => {
                let passing = self.model.passing(test);
                let mut made = Vec::new();
                let result = self.change(|world| {
                    with_bundle!(kind, |B| with_filter!(test, |F| {
                        world.insert_all_with::<F, B>(|entity| {
                            made.push(entity);
                            <B as Build>::build(value)
                        });
                    }));
                });
                // An empty bundle is never built.
                if result.is_some() && !kind.parts().is_empty() {
                    made.sort_unstable();
                    assert_eq!(made, passing, "one bundle for each");
                    for entity in made {
                        self.model.insert(entity, kind.parts(), value);
                    }
                }
            }
            Op::RemoveAll(test, kind) => {
                let passing = self.model.passing(test);
                self.change(|world| {
                    with_bundle!(kind, |B| with_filter!(test, |F| world.remove_all::<B, F>()));
                });
                for entity in passing {
                    self.model.perform(Resolved::Remove(entity, kind));
                }
            }
            Op::DespawnAll(test) => {
                let passing = self.model.passing(test);
                self.change(|world| with_filter!(test, |F| world.despawn_all::<F>()));
                passing
                    .into_iter()
                    .for_each(|entity| self.model.despawn(entity));
            }
            Op::DespawnBatch(choices) => {
                let chosen = choices.0.into_iter();
                let entities: Vec<Entity> = chosen.filter_map(|choice| self.pick(choice)).collect();
                let count = self.change(|world| world.despawn_batch(entities.iter().copied()));
                let mut expected = 0;
                for entity in entities {
                    expected += usize::from(self.model.rows.contains_key(&entity));
                    self.model.despawn(entity);
                }
                assert_eq!(count.unwrap_or(expected), expected);
            }
            Op::Sort(part, some) => self.sort(usize::from(part) % COUNT, some),
            Op::Shrink => {
                let shrunk = self.change(|world| world.shrink(Duration::MAX));
                assert_eq!(shrunk, Some(Shrunk::Fully));
            }
            Op::Clear => {
                let all: Vec<Entity> = self.model.rows.keys().copied().collect();
                self.change(World::clear);
                all.into_iter()
                    .for_each(|entity| self.model.despawn(entity));
            }
            Op::Reserve => {
                let entity = self.world.reserve_entity();
                self.add_entity(entity);
            }
            Op::Queue(changes) => {
                let mut queue = CommandQueue::new();
                let changes = changes.0.into_iter();
                let resolved: Vec<Resolved> = changes
                    .map(|change| self.queue(change, &mut queue))
                    .collect();
                self.change(|world| queue.apply(world));
                // Deferred commands are older, so they come first.
                self.apply_deferred();
                resolved
                    .into_iter()
                    .for_each(|resolved| self.model.perform(resolved));
            }
            Op::Forget(changes) => {
                let mut queue = CommandQueue::new();
                for change in changes.0 {
                    self.queue(change, &mut queue);
                }
                assert!(alive().len() >= self.held.0.len());
            }
            Op::Defer(change) => {
                let (before, marks) = (alive(), MARKS.get());
                let mut queue = CommandQueue::new();
                let resolved = self.queue(change, &mut queue);
                self.world.defer(&mut queue);
                self.deferred.push(resolved);
                self.held
                    .0
                    .extend(alive().into_iter().filter(|token| !before.contains(token)));
                self.held.1 += MARKS.get() - marks;
            }
            Op::Flush => {
                self.change(World::flush);
                self.apply_deferred();
            }
            Op::Give(choice, value) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                let result = self.change(|world| {
                    world
                        .view_mut::<Now>()
                        .insert(entity, Now::new(value))
                        .map(|old| old.map(handed_back))
                });
                match result {
                    Some(Ok(old)) => {
                        assert_eq!(old, self.model.rows[&entity][Now::NUMBER]);
                        self.model.set(entity, Now::NUMBER, value);
                    }
                    Some(Err(InsertError::Reserved { .. })) => {
                        assert_eq!(self.model.rows[&entity], Row::default())
                    }
                    Some(Err(InsertError::NoSuchEntity(_))) => self.expect(entity, Some(false)),
                    Some(Err(error)) => panic!("{error}"),
                    None => {}
                }
            }
            Op::TakeNow(choice) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                let result =
                    self.change(|world| world.view_mut::<Now>().remove(entity).map(handed_back));
                if let Some(old) = result {
                    assert_eq!(
                        old,
                        self.model
                            .rows
                            .get(&entity)
                            .and_then(|row| row[Now::NUMBER])
                    );
                    self.model.unset(entity, Now::NUMBER);
                }
            }
            Op::Write(choice, part, value) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                let part = usize::from(part) % COUNT;
                each_part!(|P| if P::NUMBER == part
                    && let Some(found) = self.world.get_mut::<P>(entity)
                {
                    write(found, value);
                    assert!(self.model.has(entity, part));
                    self.model.set(entity, part, value);
                });
            }
            Op::WriteAll(part, value) => {
                let part = usize::from(part) % COUNT;
                if part == Sparse::NUMBER {
                    return;
                }
                let mut wrote = Vec::new();
                each_part!(|P| if P::NUMBER == part {
                    let (mut view, sparse) =
                        (self.world.view_mut::<P>(), self.world.view::<Sparse>());
                    (&mut view, &sparse)
                        .with_entity()
                        .for_each(|(entity, (found, _))| {
                            write(found, value);
                            wrote.push(entity);
                        });
                });
                let wrote_once: BTreeSet<Entity> = wrote.iter().copied().collect();
                assert_eq!(wrote_once.len(), wrote.len(), "visited twice");
                assert_eq!(wrote_once, self.model.with(&[part, Sparse::NUMBER]));
                for entity in wrote {
                    self.model.set(entity, part, value);
                }
            }
            Op::RemoveTargets(many, choice) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                self.change(|world| {
                    with_relation!(many, |R| world.remove::<<R as Relation>::Outgoing>(entity))
                        .is_ok()
                });
                if many {
                    self.model.likes.retain(|&(source, _)| source != entity);
                } else {
                    self.model.parents.remove(&entity);
                }
            }
            Op::RemoveSources(many, choice) => {
                let Some(entity) = self.pick(choice) else {
                    return;
                };
                self.change(|world| {
                    with_relation!(many, |R| world.remove::<Sources<R>>(entity)).is_ok()
                });
                if many {
                    self.model.likes.retain(|&(_, target)| target != entity);
                } else {
                    self.model.parents.retain(|_, target| *target != entity);
                }
            }
            Op::Order(many, choice, other, position) => {
                let (Some(target), Some(source)) = (self.pick(choice), self.pick(other)) else {
                    return;
                };
                let moved = with_relation!(many, |R| self
                    .world
                    .sources_mut::<R>(target)
                    .is_some_and(|mut all| {
                        all.sort_by_key(|source| core::cmp::Reverse(source.id()));
                        all.move_to(source, position.into())
                    }));
                assert_eq!(moved, self.related(many, source, target));
            }
            Op::Layout(groups) => {
                let layout = match groups % 4 {
                    0 => Layout::new(),
                    1 => Layout::new().group::<(One, Two)>(),
                    2 => Layout::new()
                        .group::<(Two, One, Sparse)>()
                        .group::<(One, Two)>(),
                    _ => Layout::new().group::<(One, Two)>().group::<(Two, Sparse)>(),
                };
                let result = self.world.set_layout(&layout);
                assert_eq!(result.is_ok(), groups % 4 < 3);
                if result.is_ok() {
                    self.groups = groups % 4;
                }
            }
            Op::Send(value) => {
                self.change(|world| world.send_event(Event(value, token())));
                self.sent.push(value);
            }
            Op::ReadEvents(second) => {
                let events = self.world.resource::<Events<Event>>();
                let (cursor, read) = &mut self.readers[usize::from(second)];
                let first = (*read).max(self.sent.len().saturating_sub(BOUND));
                let found: Vec<u8> = cursor.on(&events).read().map(|event| event.0).collect();
                if *read == 0 {
                    // A new reader also reads events that were kept for others.
                    assert!(self.sent[first..].ends_with(&found));
                } else {
                    assert_eq!(found, self.sent[first..]);
                }
                *read = self.sent.len();
            }
            Op::ClearEvents => {
                self.change(|world| world.resource_mut::<Events<Event>>().clear());
                for (_, read) in &mut self.readers {
                    // A reader that has read nothing may not be registered, so that nothing is kept for it.
                    if *read > 0 {
                        *read = self.sent.len();
                    }
                }
            }
            Op::Look => self.look(),
            Op::Observe(kind) => {
                if self.observers.len() < 24 {
                    let id = observe(&mut self.world, kind);
                    self.observers.push(id);
                }
            }
            Op::Unobserve(index) => {
                if !self.observers.is_empty() {
                    let id = self
                        .observers
                        .swap_remove(usize::from(index) % self.observers.len());
                    assert!(self.world.unobserve(id));
                    assert!(!self.world.unobserve(id));
                }
            }
            Op::React(after, reaction, choice) => {
                // A second panic during unwinding would abort, as in a `Vec`.
                if is_armed() {
                    return;
                }
                if let Some(other) = self.pick(choice) {
                    PLAN.set(Some((after % 8, reaction, other)));
                }
            }
            Op::Arm(choice) => {
                if is_armed() || matches!(PLAN.get(), Some((_, Reaction::Panic, _))) {
                    return;
                }
                let entity = self.pick(choice);
                let token = entity.and_then(|entity| {
                    let mut first = None;
                    each_part!(|P| {
                        let found = self.world.get::<P>(entity).and_then(|part| part.token());
                        first = first.or(found);
                    });
                    first
                });
                if let Some(token) = token {
                    LEDGER.with_borrow(|ledger| ledger.arm(token));
                }
            }
        }
    }

    fn take(&mut self, choice: Choice, kind: Kind) {
        let Some(entity) = self.pick(choice) else {
            return;
        };
        let mut found = Vec::new();
        let result = self.change(|world| {
            with_bundle!(kind, |B| world.take::<B>(entity).map(|bundle| {
                bundle.values(&mut |value| found.push(value));
            }))
        });
        let Some(result) = result else { return };
        let row = self.model.rows.get(&entity);
        let expected: Option<Vec<u8>> =
            row.and_then(|row| kind.parts().iter().map(|&part| row[part]).collect());
        assert_eq!(result.is_ok().then_some(found), expected);
        if expected.is_some() {
            self.model.perform(Resolved::Remove(entity, kind));
        }
    }

    fn related(&self, many: bool, source: Entity, target: Entity) -> bool {
        if many {
            self.model.likes.contains(&(source, target))
        } else {
            self.model.parents.get(&source) == Some(&target)
        }
    }

    fn look(&mut self) {
        let world = &self.world;
        let sets = [
            world
                .view::<Seen>()
                .since(self.looked)
                .changed()
                .entities()
                .collect::<Vec<_>>(),
            world
                .view::<Felt>()
                .since(self.looked)
                .changed()
                .entities()
                .collect(),
        ];
        let removed: [Vec<Entity>; 2] = [
            world.removed(&mut self.seen).read().collect(),
            world.removed(&mut self.felt).read().collect(),
        ];
        let known = std::mem::take(&mut self.model.tracked);
        if !self.is_tracking_unknown {
            for ((changed, mut removed), mut known) in sets.into_iter().zip(removed).zip(known) {
                assert_eq!(BTreeSet::from_iter(changed), known.changed);
                removed.sort_unstable();
                known.removed.sort_unstable();
                assert_eq!(removed, known.removed);
            }
        }
        self.is_tracking_unknown = false;
        self.looked = self.world.tick();
    }

    /// The tokens of all values in the world, and the number of values without a token.
    fn found(&self) -> (Vec<u32>, isize) {
        let world = &self.world;
        let (mut tokens, marks) = self.held.clone();
        let mut marks = marks;
        for &entity in self.model.rows.keys() {
            each_part!(|P| if let Some(part) = world.get::<P>(entity) {
                tokens.extend(part.token());
                marks += isize::from(part.token().is_none());
            });
        }
        for target in world.view::<Target<ChildOf>>().iter() {
            tokens.push(target.value().0.id());
        }
        for targets in world.view::<Targets<Likes>>().iter() {
            tokens.extend(targets.iter().map(|(_, likes)| likes.0.id()));
        }
        let mut all = EventCursor::default();
        let events = world.resource::<Events<Event>>();
        tokens.extend(all.on(&events).read().map(|event| event.1.id()));
        tokens.sort_unstable();
        (tokens, marks)
    }

    fn check(&mut self) {
        let world = &self.world;
        world.check_invariants();
        let found = Model::read(world, &self.issued);
        found.check(&self.model);
        assert_eq!(world.len(), self.model.rows.len());
        for &entity in &self.issued {
            assert_eq!(
                world.contains(entity),
                self.model.rows.contains_key(&entity),
                "{entity}"
            );
        }
        let all = (alive(), MARKS.get());
        assert_eq!(
            self.found(),
            all,
            "exactly the values of the world are alive"
        );

        let mut sources = (BTreeSet::new(), BTreeSet::new());
        for (target, all) in world.view::<Sources<ChildOf>>().with_entity().iter() {
            sources.0.extend(all.iter().map(|source| (source, target)));
        }
        for (target, all) in world.view::<Sources<Likes>>().with_entity().iter() {
            sources.1.extend(all.iter().map(|source| (source, target)));
        }
        assert!(
            self.model
                .parents
                .iter()
                .map(|(&source, &target)| (source, target))
                .eq(sources.0)
        );
        assert_eq!(self.model.likes, sources.1);

        let joined = |ids: Vec<Entity>, parts: &[usize]| {
            let once: BTreeSet<Entity> = ids.iter().copied().collect();
            assert_eq!(once.len(), ids.len(), "visited twice");
            assert_eq!(once, self.model.with(parts));
        };
        let (table, sparse) = (world.view::<Table>(), world.view::<Sparse>());
        joined(
            (&table, &sparse).entities().collect(),
            &[Table::NUMBER, Sparse::NUMBER],
        );
        joined(
            (&world.view::<Seen>(), &world.view::<Felt>())
                .entities()
                .collect(),
            &[Seen::NUMBER, Felt::NUMBER],
        );
        joined(
            world
                .query_filtered::<Entity, (With<Now>, With<Table>)>()
                .iter()
                .collect(),
            &[Now::NUMBER, Table::NUMBER],
        );
        let (one, two) = (world.view::<One>(), world.view::<Two>());
        joined(
            (&one, &two).entities().collect(),
            &[One::NUMBER, Two::NUMBER],
        );
        if self.groups > 0 {
            let (ids, (ones, twos)) = (&one, &two).with_entity().slices();
            joined(ids.to_vec(), &[One::NUMBER, Two::NUMBER]);
            for ((id, one), two) in ids.iter().zip(ones).zip(twos) {
                let row = &self.model.rows[id];
                assert_eq!(
                    [row[One::NUMBER], row[Two::NUMBER]],
                    [Some(one.value()), Some(two.value())]
                );
            }
        }
    }

    /// Drops the world, and checks that all values are dropped even if one of them panics.
    pub(super) fn end(self) {
        let Self { world, readers, .. } = self;
        drop(readers);
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(world)));
        if let Err(payload) = dropped {
            assert_eq!(payload.downcast_ref::<&str>(), Some(&ARMED));
        }
        assert_eq!((alive(), MARKS.get()), (Vec::new(), 0));
    }
}

/// Returns the number of a value that a change returned. If the value is armed, dropping it panics here: this panic does not
/// belong to the change.
fn handed_back<P: Part>(part: P) -> u8 {
    let value = part.value();
    drop(catch_unwind(AssertUnwindSafe(|| drop(part))));
    value
}
