//! A world and its model, to which the same is done.

use std::collections::BTreeSet;
use std::ops::DerefMut;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::Tick;
use ecs_core::event::EventCursor;
use ecs_core::prelude::*;
use ecs_core::view::{InsertError, RemovedCursor};
use ecs_core::world::hooks::ObserverId;
use ecs_core::world::{CommandQueue, Layout};
use ecs_tests::{ARMED, Ledger};

use super::bundles::{Build, Kind, Test, with_bundle, with_filter};
use super::model::{Done, Model, Row};
use super::parts::{
    BLOWN, COUNT, ChildOf, Event, FIRED, Felt, LEDGER, Likes, MARKS, Now, One, PLAN, Part, Poke,
    Reaction, SPAWNED, Seen, Sparse, Table, Two, each_part, observe, token,
};
use super::{Op, Verb, Who};

/// How many events are kept.
const BOUND: usize = 6;

pub(super) struct Both {
    world: World,
    model: Model,
    /// All ids that are known.
    issued: Vec<Entity>,
    /// What waits in the world.
    waiting: Vec<Done>,
    /// The tokens of that, and how much of it has none.
    held: (Vec<u32>, isize),
    observers: Vec<ObserverId>,
    groups: u8,
    /// The number of each event.
    sent: Vec<u8>,
    /// Readers, and how many events were sent when they read last.
    readers: [(EventCursor<Event>, usize); 2],
    seen: RemovedCursor<Seen>,
    felt: RemovedCursor<Felt>,
    looked: Tick,
    /// Whether what happened to tracked parts is unknown.
    blind: bool,
    /// Whether the model does not know what the world did.
    lost: bool,
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
        // From here on they are told.
        assert!(world.removed::<Seen>(&mut seen).is_empty());
        assert!(world.removed::<Felt>(&mut felt).is_empty());
        Self {
            looked: world.tick(),
            world,
            model: Model::default(),
            issued: Vec::new(),
            waiting: Vec::new(),
            held: (Vec::new(), 0),
            observers: Vec::new(),
            groups: 0,
            sent: Vec::new(),
            readers: Default::default(),
            seen,
            felt,
            blind: false,
            lost: false,
        }
    }

    fn pick(&self, who: Who) -> Option<Entity> {
        match who {
            Who::Known(number) => {
                let count = self.issued.len();
                // The newer ones first.
                (count > 0).then(|| self.issued[count - 1 - usize::from(number) % count])
            }
            Who::Bits(bits) => Entity::from_bits(bits),
        }
    }

    fn came(&mut self, entity: Entity) {
        let old = self.model.rows.insert(entity, Row::default());
        assert!(old.is_none(), "{entity} lives already");
        assert!(!self.issued.contains(&entity), "{entity} was issued twice");
        self.issued.push(entity);
    }

    /// What the verb returns, if no panic of the test came out of it and no hook did anything.
    fn verb<R>(&mut self, verb: impl FnOnce(&mut World) -> R) -> Option<R> {
        let world = &mut self.world;
        match catch_unwind(AssertUnwindSafe(|| verb(world))) {
            Ok(result) if !FIRED.get() => return Some(result),
            Ok(_) => {}
            Err(payload) => match payload.downcast_ref::<&str>() {
                Some(&message) if message == ARMED || message == BLOWN => {}
                _ => std::panic::resume_unwind(payload),
            },
        }
        FIRED.set(false);
        self.lost = true;
        None
    }

    /// Takes the world as it is.
    fn find_out(&mut self) {
        // A drop that panics is no reason to stop.
        while self.verb(World::flush).is_none() {}
        self.waiting.clear();
        self.held = (Vec::new(), 0);
        self.lost = false;
        self.blind = true;
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
        if self.lost {
            self.find_out();
        }
        self.check();
    }

    /// Queues a verb; returns what it will do.
    fn queue(&mut self, verb: Verb, queue: &mut CommandQueue) -> Done {
        let [one, other] = match verb {
            Verb::Spawn(..) => [None; 2],
            Verb::Insert(who, ..)
            | Verb::Remove(who, _)
            | Verb::Despawn(who)
            | Verb::Trigger(who) => [self.pick(who), None],
            Verb::Relate(_, one, other) | Verb::Unrelate(_, one, other) => {
                [self.pick(one), self.pick(other)]
            }
        };
        let mut commands = Commands::new(queue, self.world.entities());
        match (verb, one, other) {
            (Verb::Spawn(kind, value), ..) => {
                let entity = with_bundle!(kind, |B| commands.spawn(B::build(value)).id());
                self.came(entity);
                Done::Insert(entity, kind, value)
            }
            (Verb::Insert(_, kind, value), Some(entity), _) => {
                with_bundle!(kind, |B| commands.insert(entity, B::build(value)));
                Done::Insert(entity, kind, value)
            }
            (Verb::Remove(_, kind), Some(entity), _) => {
                with_bundle!(kind, |B| commands.remove::<B>(entity));
                Done::Remove(entity, kind)
            }
            (Verb::Despawn(_), Some(entity), _) => {
                commands.despawn(entity);
                Done::Despawn(entity)
            }
            (Verb::Relate(many, ..), Some(source), Some(target)) => {
                with_relation!(many, |R| commands.relate(source, R(token()), target));
                Done::Relate(many, source, target)
            }
            (Verb::Unrelate(many, ..), Some(source), Some(target)) => {
                with_relation!(many, |R| commands.unrelate::<R>(source, target));
                Done::Unrelate(many, source, target)
            }
            (Verb::Trigger(_), Some(entity), _) => {
                commands.trigger_on(entity, Poke);
                Done::Nothing
            }
            _ => Done::Nothing,
        }
    }

    fn call(&mut self, verb: Verb) {
        match verb {
            Verb::Spawn(kind, value) => {
                let spawned =
                    self.verb(|world| with_bundle!(kind, |B| world.spawn(B::build(value))));
                if let Some(entity) = spawned {
                    self.came(entity);
                    self.model.insert(entity, kind.parts(), value);
                }
            }
            Verb::Insert(who, kind, value) => {
                let Some(entity) = self.pick(who) else { return };
                let result = self
                    .verb(|world| with_bundle!(kind, |B| world.insert(entity, B::build(value))));
                self.expect(entity, result.map(|result| result.is_ok()));
                if !self.lost {
                    self.model.insert(entity, kind.parts(), value);
                }
            }
            Verb::Remove(who, kind) => {
                let Some(entity) = self.pick(who) else { return };
                let result = self.verb(|world| with_bundle!(kind, |B| world.remove::<B>(entity)));
                self.expect(entity, result.map(|result| result.is_ok()));
                self.model.perform(Done::Remove(entity, kind));
            }
            Verb::Despawn(who) => {
                let Some(entity) = self.pick(who) else { return };
                let result = self.verb(|world| world.despawn(entity));
                self.expect(entity, result.map(|result| result.is_ok()));
                self.model.despawn(entity);
            }
            Verb::Relate(many, source, target) => {
                let (Some(source), Some(target)) = (self.pick(source), self.pick(target)) else {
                    return;
                };
                let result = self.verb(|world| {
                    with_relation!(many, |R| world.relate(source, R(token()), target)).is_ok()
                });
                if let Some(related) = result {
                    assert_eq!(related, self.model.relate(many, source, target));
                }
            }
            Verb::Unrelate(many, source, target) => {
                let (Some(source), Some(target)) = (self.pick(source), self.pick(target)) else {
                    return;
                };
                let result = self
                    .verb(|world| with_relation!(many, |R| world.unrelate::<R>(source, target)));
                if let Some(result) = result {
                    assert_eq!(result.is_ok(), self.model.rows.contains_key(&source));
                    assert_eq!(
                        result.unwrap_or(false),
                        self.model.unrelate(many, source, target)
                    );
                }
            }
            Verb::Trigger(who) => {
                let Some(entity) = self.pick(who) else { return };
                let result = self.verb(|world| world.trigger_on(entity, Poke));
                self.expect(entity, result.map(|result| result.is_ok()));
            }
        }
    }

    /// A verb that was done, of one entity, finds it while it lives.
    fn expect(&self, entity: Entity, found: Option<bool>) {
        if let Some(found) = found {
            assert_eq!(found, self.model.rows.contains_key(&entity), "{entity}");
        }
    }

    /// What waited in the world is done.
    fn waited(&mut self) {
        self.held = (Vec::new(), 0);
        for done in std::mem::take(&mut self.waiting) {
            self.model.perform(done);
        }
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Do(verb) => self.call(verb),
            Op::SpawnBatch(kind, value, count) => {
                let all = 0..count % 40;
                let spawned = self.verb(|world| {
                    with_bundle!(kind, |B| world
                        .spawn_batch(all.map(|_| B::build(value)))
                        .to_vec())
                });
                for entity in spawned.into_iter().flatten() {
                    self.came(entity);
                    self.model.insert(entity, kind.parts(), value);
                }
            }
            Op::SpawnChild(who, kind, value) => {
                let Some(parent) = self.pick(who) else { return };
                let spawned = self.verb(|world| {
                    with_bundle!(kind, |B| world
                        .spawn((ChildOf(token()).to(parent), B::build(value))))
                });
                if let Some(entity) = spawned {
                    self.came(entity);
                    self.model.insert(entity, kind.parts(), value);
                    self.model.relate(false, entity, parent);
                }
            }
            Op::Replace(who, part, value) => {
                let Some(entity) = self.pick(who) else { return };
                let part = usize::from(part) % COUNT;
                each_part!(|P| if P::NUMBER == part {
                    let result = self.verb(|world| world.replace(entity, P::new(value)));
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
            Op::Take(who, kind) => self.take(who, kind),
            Op::Fluent(who, kind, value, other) => {
                let Some(entity) = self.pick(who) else { return };
                let result = self.verb(|world| {
                    let mut entity = world.entity_mut(entity)?;
                    with_bundle!(kind, |B| entity.with(B::build(value)));
                    // What was queued by a hook may have despawned it.
                    if !FIRED.get() {
                        with_bundle!(other, |B| entity.remove::<B>());
                    }
                    Ok::<(), ecs_core::world::NoSuchEntity>(())
                });
                self.expect(entity, result.map(|result| result.is_ok()));
                self.model.insert(entity, kind.parts(), value);
                self.model.perform(Done::Remove(entity, other));
            }
            Op::InsertAll(test, kind, value) => {
                let passing = self.model.passing(test);
                let mut made = Vec::new();
                let result = self.verb(|world| {
                    with_bundle!(kind, |B| with_filter!(test, |F| {
                        world.insert_all_with::<F, B>(|entity| {
                            made.push(entity);
                            B::build(value)
                        });
                    }));
                });
                // Without components there is nothing to make.
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
                self.verb(|world| {
                    with_bundle!(kind, |B| with_filter!(test, |F| world.remove_all::<B, F>()));
                });
                for entity in passing {
                    self.model.perform(Done::Remove(entity, kind));
                }
            }
            Op::DespawnAll(test) => {
                let passing = self.model.passing(test);
                self.verb(|world| with_filter!(test, |F| world.despawn_all::<F>()));
                passing
                    .into_iter()
                    .for_each(|entity| self.model.despawn(entity));
            }
            Op::Clear => {
                let all: Vec<Entity> = self.model.rows.keys().copied().collect();
                self.verb(World::clear);
                all.into_iter()
                    .for_each(|entity| self.model.despawn(entity));
            }
            Op::Reserve => {
                let entity = self.world.reserve_entity();
                self.came(entity);
            }
            Op::Queue(verbs) => {
                let mut queue = CommandQueue::new();
                let verbs = verbs.0.into_iter();
                let done: Vec<Done> = verbs.map(|verb| self.queue(verb, &mut queue)).collect();
                self.verb(|world| queue.apply(world));
                // What waited is older.
                self.waited();
                done.into_iter().for_each(|done| self.model.perform(done));
            }
            Op::Forget(verbs) => {
                let mut queue = CommandQueue::new();
                for verb in verbs.0 {
                    self.queue(verb, &mut queue);
                }
                assert!(alive().len() >= self.held.0.len());
            }
            Op::Defer(verb) => {
                let (before, marks) = (alive(), MARKS.get());
                let mut queue = CommandQueue::new();
                let done = self.queue(verb, &mut queue);
                self.world.defer(&mut queue);
                self.waiting.push(done);
                self.held
                    .0
                    .extend(alive().into_iter().filter(|token| !before.contains(token)));
                self.held.1 += MARKS.get() - marks;
            }
            Op::Flush => {
                self.verb(World::flush);
                self.waited();
            }
            Op::Give(who, value) => {
                let Some(entity) = self.pick(who) else { return };
                let result = self.verb(|world| {
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
            Op::TakeNow(who) => {
                let Some(entity) = self.pick(who) else { return };
                let result =
                    self.verb(|world| world.view_mut::<Now>().remove(entity).map(handed_back));
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
            Op::Write(who, part, value) => {
                let Some(entity) = self.pick(who) else { return };
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
            Op::RemoveTargets(many, who) => {
                let Some(entity) = self.pick(who) else { return };
                self.verb(|world| {
                    with_relation!(many, |R| world.remove::<<R as Relation>::Outgoing>(entity))
                        .is_ok()
                });
                if many {
                    self.model.likes.retain(|&(source, _)| source != entity);
                } else {
                    self.model.parents.remove(&entity);
                }
            }
            Op::RemoveSources(many, who) => {
                let Some(entity) = self.pick(who) else { return };
                self.verb(|world| {
                    with_relation!(many, |R| world.remove::<Sources<R>>(entity)).is_ok()
                });
                if many {
                    self.model.likes.retain(|&(_, target)| target != entity);
                } else {
                    self.model.parents.retain(|_, target| *target != entity);
                }
            }
            Op::Order(many, who, other, position) => {
                let (Some(target), Some(source)) = (self.pick(who), self.pick(other)) else {
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
                self.verb(|world| world.send_event(Event(value, token())));
                self.sent.push(value);
            }
            Op::ReadEvents(second) => {
                let events = self.world.resource::<Events<Event>>();
                let (cursor, read) = &mut self.readers[usize::from(second)];
                let first = (*read).max(self.sent.len().saturating_sub(BOUND));
                let found: Vec<u8> = cursor.on(&events).read().map(|event| event.0).collect();
                if *read == 0 {
                    // It finds what was kept for others.
                    assert!(self.sent[first..].ends_with(&found));
                } else {
                    assert_eq!(found, self.sent[first..]);
                }
                *read = self.sent.len();
            }
            Op::ClearEvents => {
                self.verb(|world| world.resource_mut::<Events<Event>>().clear());
                for (_, read) in &mut self.readers {
                    *read = self.sent.len();
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
            Op::React(after, reaction, who) => {
                // Two panics at once would abort, as they do for a `Vec`.
                if is_armed() {
                    return;
                }
                if let Some(other) = self.pick(who) {
                    PLAN.set(Some((after % 8, reaction, other)));
                }
            }
            Op::Arm(who) => {
                if is_armed() || matches!(PLAN.get(), Some((_, Reaction::Panic, _))) {
                    return;
                }
                let entity = self.pick(who);
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

    fn take(&mut self, who: Who, kind: Kind) {
        let Some(entity) = self.pick(who) else { return };
        let mut found = Vec::new();
        let result = self.verb(|world| {
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
            self.model.perform(Done::Remove(entity, kind));
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
        if !self.blind {
            for ((changed, mut removed), mut known) in sets.into_iter().zip(removed).zip(known) {
                assert_eq!(BTreeSet::from_iter(changed), known.changed);
                removed.sort_unstable();
                known.removed.sort_unstable();
                assert_eq!(removed, known.removed);
            }
        }
        self.blind = false;
        self.looked = self.world.tick();
    }

    /// The tokens of all that the world holds, and how much of it has none.
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
            "what the world holds lives, and nothing else"
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

    /// All values are dropped with the world, also if one of them panics.
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

/// Returns the number in a value that a change handed back. If the value is armed, dropping it panics: that belongs to the
/// target, and to no change.
fn handed_back<P: Part>(part: P) -> u8 {
    let value = part.value();
    drop(catch_unwind(AssertUnwindSafe(|| drop(part))));
    value
}
