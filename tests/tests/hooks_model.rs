//! Random verbs on components with hooks that queue commands and panic, and observers, against a plain model: who is called when and
//! sees what, what the queued commands do, and that a panic leaves both alike.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::component::ComponentId;
use ecs_core::prelude::*;
use ecs_core::world::CommandQueue;
use ecs_core::world::hooks::Lifecycle::{self, Add, Despawn, Insert, Remove, Replace};
use ecs_core::world::hooks::ObserverId;
use ecs_tests::{Ledger, Token};
use proptest::prelude::*;

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
}

fn token() -> Token {
    LEDGER.with_borrow(Ledger::token)
}

/// A component of the test.
trait Part: Component {
    const INDEX: usize;

    fn new(value: u32) -> Self;
    fn value(&self) -> u32;
}

const COUNT: usize = 6;
const EVENTS: [Lifecycle; 5] = [Add, Insert, Replace, Remove, Despawn];
const ADD: usize = Add as usize;
const INSERT: usize = Insert as usize;
const REPLACE: usize = Replace as usize;
const REMOVE: usize = Remove as usize;
const DESPAWN: usize = Despawn as usize;

macro_rules! parts {
    ($($name:ident $index:literal $hooks:expr, [$($option:tt)*];)*) => {
        $(
            #[derive(Component)]
            #[component($($option)*)]
            struct $name(u32, #[expect(dead_code, reason = "dropped")] Token);

            impl Part for $name {
                const INDEX: usize = $index;

                fn new(value: u32) -> Self {
                    Self(value, token())
                }

                fn value(&self) -> u32 {
                    self.0
                }
            }
        )*

        /// Which hooks each component has.
        const HOOKS: [&[Lifecycle]; COUNT] = [$(&$hooks),*];

        /// The ids decide about the order of tables' components, so they are given out in order.
        fn give_out_ids() {
            $(let _ = ComponentId::of::<$name>();)*
        }

        fn row(world: &World, entity: Entity) -> Row {
            [$(world.get::<$name>(entity).map(|part| part.0)),*]
        }
    };
}

parts! {
    A 0 EVENTS, [on_add = told::<Self, ADD>, on_insert = told::<Self, INSERT>, on_replace = told::<Self, REPLACE>,
        on_remove = told::<Self, REMOVE>, on_despawn = told::<Self, DESPAWN>];
    B 1 [Add, Remove], [on_add = told::<Self, ADD>, on_remove = told::<Self, REMOVE>];
    C 2 EVENTS, [storage = "sparse", on_add = told::<Self, ADD>, on_insert = told::<Self, INSERT>,
        on_replace = told::<Self, REPLACE>, on_remove = told::<Self, REMOVE>, on_despawn = told::<Self, DESPAWN>];
    D 3 [Insert, Remove], [storage = "sparse", track, on_insert = told::<Self, INSERT>, on_remove = told::<Self, REMOVE>];
    E 4 [], [track];
    F 5 [], [storage = "sparse"];
}

type Row = [Option<u32>; COUNT];

/// A call of a hook, or of the observer with a number: when, of which component, of whom, and what the entity looked like.
#[derive(Clone, Debug, PartialEq)]
struct Call(Option<u32>, Lifecycle, usize, Entity, Row);

/// What hooks write down.
#[derive(Default)]
struct Told {
    calls: Vec<Call>,
    spawned: VecDeque<Entity>,
    /// How many calls are left before one panics.
    fuse: Option<u32>,
}

const BLOWN: &str = "the fuse is blown";

/// What a hook queues, which depends on the value.
#[derive(Clone, Copy)]
enum Reaction {
    Despawn,
    RemoveIt,
    Spawn,
    InsertB,
    InsertA,
}

impl Reaction {
    fn of(kind: Lifecycle, value: u32) -> Option<Self> {
        match (value % 8, kind) {
            (1, Insert) => Some(Self::Despawn),
            (2, Add) => Some(Self::RemoveIt),
            (3, Remove | Insert) => Some(Self::Spawn),
            (4, Insert | Despawn) => Some(Self::InsertB),
            (5, Replace) => Some(Self::InsertA),
            _ => None,
        }
    }
}

/// What values become that reactions insert: most of them do nothing more.
fn next(value: u32) -> u32 {
    value / 2
}

/// What all hooks and observers do; returns the value.
fn write_down<P: Part>(who: Option<u32>, world: &World, kind: Lifecycle, entity: Entity) -> u32 {
    let row = row(world, entity);
    let value = world.get::<P>(entity).expect("the value is there").value();
    let mut told = world.resource_mut::<Told>();
    told.calls.push(Call(who, kind, P::INDEX, entity, row));
    if let Some(fuse) = &mut told.fuse {
        if *fuse == 0 {
            std::panic::panic_any(BLOWN);
        }
        *fuse -= 1;
    }
    value
}

/// Registers an observer with a number.
fn observe<P: Part>(world: &mut World, kind: Lifecycle, n: u32) -> ObserverId {
    macro_rules! observe {
        ($($kind:ident $event:ident),*) => {
            match kind {$(
                $kind => world.observe(move |event: $event<P>, world: DeferredWorld| {
                    write_down::<P>(Some(n), &world, kind, event.entity());
                }),
            )*}
        };
    }
    observe!(Add OnAdd, Insert OnInsert, Replace OnReplace, Remove OnRemove, Despawn OnDespawn)
}

/// The hook of all.
fn told<P: Part, const KIND: usize>(mut world: DeferredWorld, entity: Entity) {
    let kind = EVENTS[KIND];
    let value = write_down::<P>(None, &world, kind, entity);
    match Reaction::of(kind, value) {
        None => {}
        Some(Reaction::Despawn) => world.commands().despawn(entity),
        Some(Reaction::RemoveIt) => world.commands().remove::<P>(entity),
        Some(Reaction::Spawn) => {
            let spawned = world
                .commands()
                .spawn((E::new(value), B::new(next(value))))
                .id();
            world.resource_mut::<Told>().spawned.push_back(spawned);
        }
        Some(Reaction::InsertB) => world.commands().insert(entity, B::new(next(value))),
        Some(Reaction::InsertA) => world
            .commands()
            .insert(entity, (A::new(next(value)), F::new(0))),
    }
}

/// Bundle types.
#[derive(Clone, Copy, Debug)]
enum Kind {
    A,
    B,
    C,
    D,
    F,
    Ca,
    Bae,
    Cd,
    Ef,
    All,
}

impl Kind {
    fn parts(self) -> &'static [usize] {
        match self {
            Self::A => &[0],
            Self::B => &[1],
            Self::C => &[2],
            Self::D => &[3],
            Self::F => &[5],
            Self::Ca => &[2, 0],
            Self::Bae => &[1, 0, 4],
            Self::Cd => &[2, 3],
            Self::Ef => &[4, 5],
            Self::All => &[5, 4, 3, 2, 1, 0],
        }
    }
}

/// A bundle of any of the types; each part is given a value of its own.
trait Build: Bundle {
    fn build(value: u32) -> Self;
}

macro_rules! build {
    ($($part:ident)*) => {
        impl Build for ($($part,)*) {
            fn build(value: u32) -> Self {
                ($($part::new(value + $part::INDEX as u32),)*)
            }
        }
    };
}

build!(A);
build!(B);
build!(C);
build!(D);
build!(F);
build!(C A);
build!(B A E);
build!(C D);
build!(E F);
build!(F E D C B A);

/// Runs `$verb` with the bundle type of a kind as `$bundle`.
macro_rules! with_bundle {
    ($kind:expr, |$bundle:ident| $verb:expr) => {
        match $kind {
            Kind::A => with_bundle!(@ $bundle, (A,), $verb),
            Kind::B => with_bundle!(@ $bundle, (B,), $verb),
            Kind::C => with_bundle!(@ $bundle, (C,), $verb),
            Kind::D => with_bundle!(@ $bundle, (D,), $verb),
            Kind::F => with_bundle!(@ $bundle, (F,), $verb),
            Kind::Ca => with_bundle!(@ $bundle, (C, A), $verb),
            Kind::Bae => with_bundle!(@ $bundle, (B, A, E), $verb),
            Kind::Cd => with_bundle!(@ $bundle, (C, D), $verb),
            Kind::Ef => with_bundle!(@ $bundle, (E, F), $verb),
            Kind::All => with_bundle!(@ $bundle, (F, E, D, C, B, A), $verb),
        }
    };
    (@ $bundle:ident, $type:ty, $verb:expr) => {{
        type $bundle = $type;
        $verb
    }};
}

/// Which entities a verb over many is about.
#[derive(Clone, Copy, Debug)]
enum Test {
    WithA,
    WithoutB,
    WithC,
}

impl Test {
    fn passes(self, row: &Row) -> bool {
        match self {
            Self::WithA => row[0].is_some(),
            Self::WithoutB => row[1].is_none(),
            Self::WithC => row[2].is_some(),
        }
    }

    /// Whether entities are taken one by one and not by tables.
    fn is_sparse(self) -> bool {
        matches!(self, Self::WithC)
    }
}

macro_rules! with_filter {
    ($test:expr, |$filter:ident| $verb:expr) => {
        match $test {
            Test::WithA => with_bundle!(@ $filter, With<A>, $verb),
            Test::WithoutB => with_bundle!(@ $filter, Without<B>, $verb),
            Test::WithC => with_bundle!(@ $filter, With<C>, $verb),
        }
    };
}

/// What can be queued too.
#[derive(Clone, Debug)]
enum Verb {
    Spawn(Kind, u32),
    Insert(usize, Kind, u32),
    Remove(usize, Kind),
    Despawn(usize),
}

#[derive(Clone, Debug)]
enum Op {
    Do(Verb),
    SpawnBatch(Kind, u32, u8),
    ReplaceA(usize, u32),
    ReplaceC(usize, u32),
    Take(usize, Kind),
    Clear,
    DespawnAll(Test),
    RemoveAll(Test, Kind),
    InsertAll(Test, Kind, u32),
    /// Commands, applied together.
    Apply(Vec<Verb>),
    /// A command that waits in the world.
    Defer(Verb),
    Flush,
    Observe(usize, usize),
    Unobserve(usize),
    /// Makes one of the next calls panic, if the next operation comes to it.
    Fuse(u8),
}

fn kind() -> impl Strategy<Value = Kind> {
    use Kind::*;
    prop::sample::select(vec![A, B, C, D, F, Ca, Bae, Cd, Ef, All])
}

fn test() -> impl Strategy<Value = Test> {
    prop::sample::select(vec![Test::WithA, Test::WithoutB, Test::WithC])
}

fn verb() -> impl Strategy<Value = Verb> {
    let entity = || 0..64_usize;
    let value = || 0..4096_u32;
    prop_oneof![
        4 => (kind(), value()).prop_map(|(kind, value)| Verb::Spawn(kind, value)),
        4 => (entity(), kind(), value()).prop_map(|(e, kind, value)| Verb::Insert(e, kind, value)),
        2 => (entity(), kind()).prop_map(|(e, kind)| Verb::Remove(e, kind)),
        1 => entity().prop_map(Verb::Despawn),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let entity = || 0..64_usize;
    let value = || 0..4096_u32;
    prop_oneof![
        12 => verb().prop_map(Op::Do),
        1 => (kind(), value(), 0..5_u8).prop_map(|(kind, value, n)| Op::SpawnBatch(kind, value, n)),
        2 => (entity(), value()).prop_map(|(e, value)| Op::ReplaceA(e, value)),
        2 => (entity(), value()).prop_map(|(e, value)| Op::ReplaceC(e, value)),
        2 => (entity(), kind()).prop_map(|(e, kind)| Op::Take(e, kind)),
        1 => Just(Op::Clear),
        1 => test().prop_map(Op::DespawnAll),
        1 => (test(), kind()).prop_map(|(test, kind)| Op::RemoveAll(test, kind)),
        2 => (test(), kind(), value()).prop_map(|(test, kind, value)| Op::InsertAll(test, kind, value)),
        2 => prop::collection::vec(verb(), 1..5).prop_map(Op::Apply),
        1 => verb().prop_map(Op::Defer),
        1 => Just(Op::Flush),
        2 => (0..COUNT, 0..EVENTS.len()).prop_map(|(part, kind)| Op::Observe(part, kind)),
        1 => (0..8_usize).prop_map(Op::Unobserve),
        4 => (0..12_u8).prop_map(Op::Fuse),
    ]
}

/// A command of the model.
#[derive(Clone, Debug)]
enum Queued {
    /// Gives a reserved entity its components, or inserts.
    Insert(Entity, Vec<(usize, u32)>),
    Remove(Entity, Vec<usize>),
    Despawn(Entity),
}

/// A hook has panicked.
struct Blown;

/// What should be.
#[derive(Default)]
struct Model {
    rows: BTreeMap<Entity, Row>,
    calls: Vec<Call>,
    fuse: Option<u32>,
    /// Number and subject of each observer.
    observers: Vec<(u32, (Lifecycle, usize))>,
    /// What hooks have queued in the verb that is under way.
    queued: Vec<Queued>,
    /// What waits in the world.
    waiting: Vec<Queued>,
    /// What the world's hooks have spawned, in order.
    spawned: VecDeque<Entity>,
}

impl Model {
    /// Notes a call of a hook or observer, which may panic.
    fn call(
        &mut self,
        who: Option<u32>,
        kind: Lifecycle,
        part: usize,
        entity: Entity,
    ) -> Result<(), Blown> {
        let row = self.rows[&entity];
        self.calls.push(Call(who, kind, part, entity, row));
        if let Some(fuse) = &mut self.fuse {
            if *fuse == 0 {
                return Err(Blown);
            }
            *fuse -= 1;
        }
        Ok(())
    }

    fn before(&mut self, entity: Entity, happenings: &[(Lifecycle, usize)]) -> Result<(), Blown> {
        self.call_observers(entity, happenings)?;
        self.call_hooks(entity, happenings)
    }

    fn after(&mut self, entity: Entity, happenings: &[(Lifecycle, usize)]) -> Result<(), Blown> {
        self.call_hooks(entity, happenings)?;
        self.call_observers(entity, happenings)
    }

    fn call_hooks(
        &mut self,
        entity: Entity,
        happenings: &[(Lifecycle, usize)],
    ) -> Result<(), Blown> {
        happenings
            .iter()
            .try_for_each(|&(kind, part)| self.call_hook(kind, part, entity))
    }

    fn call_observers(
        &mut self,
        entity: Entity,
        happenings: &[(Lifecycle, usize)],
    ) -> Result<(), Blown> {
        for &(kind, part) in happenings {
            let all = self.observers.iter();
            let observers: Vec<u32> = all
                .filter(|(_, of)| *of == (kind, part))
                .map(|(n, _)| *n)
                .collect();
            for n in observers {
                self.call(Some(n), kind, part, entity)?;
            }
        }
        Ok(())
    }

    fn call_hook(&mut self, kind: Lifecycle, part: usize, entity: Entity) -> Result<(), Blown> {
        if !HOOKS[part].contains(&kind) {
            return Ok(());
        }
        self.call(None, kind, part, entity)?;
        let value = self.rows[&entity][part].unwrap();
        let queued = match Reaction::of(kind, value) {
            None => return Ok(()),
            Some(Reaction::Despawn) => Queued::Despawn(entity),
            Some(Reaction::RemoveIt) => Queued::Remove(entity, vec![part]),
            Some(Reaction::Spawn) => {
                let spawned = self.spawned.pop_front().unwrap();
                self.rows.insert(spawned, Row::default());
                Queued::Insert(spawned, vec![(4, value), (1, next(value))])
            }
            Some(Reaction::InsertB) => Queued::Insert(entity, vec![(1, next(value))]),
            Some(Reaction::InsertA) => Queued::Insert(entity, vec![(0, next(value)), (5, 0)]),
        };
        self.queued.push(queued);
        Ok(())
    }

    // The verbs without what they settle at the end.

    fn insert(&mut self, entity: Entity, parts: &[(usize, u32)]) -> Result<(), Blown> {
        let old = self.rows[&entity];
        let replaced = parts.iter().filter(|(part, _)| old[*part].is_some());
        let replaced: Vec<_> = replaced.map(|&(part, _)| (Replace, part)).collect();
        self.before(entity, &replaced)?;
        for &(part, value) in parts {
            self.rows.get_mut(&entity).unwrap()[part] = Some(value);
        }
        self.after(entity, &coming(parts, |part| old[part].is_none()))
    }

    fn before_remove(&mut self, entity: Entity, parts: &[usize]) -> Result<(), Blown> {
        let row = self.rows[&entity];
        let has = parts.iter().filter(|&&part| row[part].is_some());
        let removed: Vec<_> = has.map(|&part| (Remove, part)).collect();
        self.before(entity, &removed)
    }

    fn drop_parts(&mut self, entity: Entity, parts: &[usize]) {
        parts
            .iter()
            .for_each(|&part| self.rows.get_mut(&entity).unwrap()[part] = None);
    }

    fn remove(&mut self, entity: Entity, parts: &[usize]) -> Result<(), Blown> {
        self.before_remove(entity, parts)?;
        self.drop_parts(entity, parts);
        Ok(())
    }

    fn before_despawn(&mut self, entity: Entity) -> Result<(), Blown> {
        let row = self.rows[&entity];
        let has = [0, 1, 4, 2, 3, 5]
            .into_iter()
            .filter(|&part| row[part].is_some());
        let gone: Vec<_> = has
            .flat_map(|part| [(Despawn, part), (Remove, part)])
            .collect();
        self.before(entity, &gone)
    }

    fn despawn(&mut self, entity: Entity) -> Result<(), Blown> {
        self.before_despawn(entity)?;
        self.rows.remove(&entity);
        Ok(())
    }

    /// A whole verb or queue.
    fn settled(&mut self, verb: impl FnOnce(&mut Self) -> Result<(), Blown>) -> Result<(), Blown> {
        let result = verb(self).and_then(|()| {
            let queued = std::mem::take(&mut self.queued);
            self.run(queued)
        });
        self.queued.clear();
        result
    }

    /// Applies commands; what one makes hooks queue comes directly after it.
    fn run(&mut self, commands: Vec<Queued>) -> Result<(), Blown> {
        for command in commands {
            match command {
                Queued::Insert(entity, parts) if self.rows.contains_key(&entity) => {
                    self.insert(entity, &parts)?;
                }
                Queued::Remove(entity, parts) if self.rows.contains_key(&entity) => {
                    self.remove(entity, &parts)?;
                }
                Queued::Despawn(entity) if self.rows.contains_key(&entity) => {
                    self.despawn(entity)?;
                }
                _ => {}
            }
            let queued = std::mem::take(&mut self.queued);
            self.run(queued)?;
        }
        Ok(())
    }
}

/// What values are told of that were put in.
fn coming(parts: &[(usize, u32)], is_new: impl Fn(usize) -> bool) -> Vec<(Lifecycle, usize)> {
    let each = parts
        .iter()
        .flat_map(|&(part, _)| [(Add, part), (Insert, part)]);
    each.filter(|&(kind, part)| kind == Insert || is_new(part))
        .collect()
}

fn parts(kind: Kind, value: u32) -> Vec<(usize, u32)> {
    let parts = kind.parts().iter();
    parts.map(|&part| (part, value + part as u32)).collect()
}

/// The world and what it should be.
struct Both {
    world: World,
    model: Model,
    issued: Vec<Entity>,
    /// Observers that were registered, some of them taken out since.
    observers: Vec<ObserverId>,
}

impl Both {
    fn new() -> Self {
        give_out_ids();
        LEDGER.set(Ledger::default());
        let mut world = World::new();
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
        let table = |entity: &Entity| [0, 1, 4].map(|part| self.model.rows[entity][part].is_some());
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
            Op::Take(index, kind) => {
                let Some(entity) = self.pick(index) else {
                    return;
                };
                self.both(
                    |world| with_bundle!(kind, |Bundle| world.take::<Bundle>(entity).is_ok()),
                    |model, ok| {
                        let row = model.rows.get(&entity);
                        let has = row.is_some_and(|row| {
                            kind.parts().iter().all(|&part| row[part].is_some())
                        });
                        assert!(ok.is_none_or(|&ok| ok == has));
                        if has {
                            model.remove(entity, kind.parts())
                        } else {
                            Ok(())
                        }
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
                    _ => observe::<F>(world, kind, n),
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
                let Some(row) = model.rows.get(&entity) else {
                    assert!(result.unwrap().is_err());
                    return Ok(());
                };
                let old = row[P::INDEX];
                assert!(result.is_none_or(|result| result == &Ok(old)));
                model.insert(entity, &[(P::INDEX, value)])
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

/// A verb over many goes table by table, or entity by entity.
fn by_portion(
    test: Test,
    tables: &[Vec<Entity>],
    mut verb: impl FnMut(&[Entity]) -> Result<(), Blown>,
) -> Result<(), Blown> {
    if test.is_sparse() {
        tables
            .iter()
            .flatten()
            .try_for_each(|&entity| verb(&[entity]))
    } else {
        tables.iter().try_for_each(|table| verb(table))
    }
}

/// First the tables that can be moved as a whole, then the entities of the others.
fn insert_all(
    model: &mut Model,
    test: Test,
    kind: Kind,
    value: u32,
    tables: &[Vec<Entity>],
) -> Result<(), Blown> {
    let parts = parts(kind, value);
    let is_whole = |table: &&Vec<Entity>| {
        let free = |&(part, _): &(usize, u32)| {
            ![2, 3, 5].contains(&part)
                && table
                    .iter()
                    .all(|entity| model.rows[entity][part].is_none())
        };
        !test.is_sparse() && parts.iter().all(free)
    };
    let (whole, single): (Vec<_>, Vec<_>) = tables.iter().partition(is_whole);
    for table in whole {
        for entity in table {
            let row = model.rows.get_mut(entity).unwrap();
            parts
                .iter()
                .for_each(|&(part, value)| row[part] = Some(value));
        }
        for &entity in table {
            model.after(entity, &coming(&parts, |_| true))?;
        }
    }
    for &entity in single.into_iter().flatten() {
        model.insert(entity, &parts)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 3 } else { 192 }, ..ProptestConfig::default() })]

    #[test]
    fn hooks_are_called_as_the_model_says(ops in prop::collection::vec(op(), 1..40)) {
        let mut both = Both::new();
        for op in ops {
            let flushes = matches!(op, Op::Clear | Op::DespawnAll(_) | Op::RemoveAll(..) | Op::InsertAll(..) | Op::Apply(_));
            if flushes && !both.model.waiting.is_empty() {
                both.apply(Op::Flush);
                both.check();
            }
            both.apply(op);
            both.check();
        }
        drop(both);
        prop_assert!(LEDGER.with_borrow(Ledger::alive).is_empty());
    }
}
