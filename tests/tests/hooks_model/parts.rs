//! The components, and what their hooks and observers do.

use std::cell::RefCell;
use std::collections::VecDeque;

use ecs_core::prelude::*;
use ecs_core::world::hooks::Lifecycle::{self, Add, Despawn, Insert, Remove, Replace};
use ecs_core::world::hooks::ObserverId;
use ecs_tests::{Ledger, Token};

thread_local! {
    pub(crate) static LEDGER: RefCell<Ledger> = RefCell::default();
}

fn token() -> Token {
    LEDGER.with_borrow(Ledger::token)
}

/// A component of the test.
pub(crate) trait Part: Component {
    const INDEX: usize;

    fn new(value: u32) -> Self;
    fn value(&self) -> u32;
}

pub(crate) const COUNT: usize = 8;
/// The part that hooks and observers insert and remove at once.
pub(crate) const IMMEDIATE: usize = 6;
/// The part that requires it, and with which value it comes then.
pub(crate) const REQUIRING: usize = 7;
pub(crate) const REQUIRED: u32 = 0;
pub(crate) const EVENTS: [Lifecycle; 5] = [Add, Insert, Replace, Remove, Despawn];
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
            pub(crate) struct $name(u32, #[expect(dead_code, reason = "dropped")] Token);

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
        pub(crate) const HOOKS: [&[Lifecycle]; COUNT] = [$(&$hooks),*];

        /// The order in which a world has met them is that of what it tells of despawned entities.
        pub(crate) fn register_all(world: &mut World) {
            $(world.register::<$name>();)*
        }

        pub(crate) fn row(world: &World, entity: Entity) -> Row {
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
    G 6 [], [storage = "sparse", immediate];
    H 7 [Replace, Remove], [on_replace = told::<Self, REPLACE>, on_remove = told::<Self, REMOVE>,
        require(G = G::new(REQUIRED))];
}

pub(crate) type Row = [Option<u32>; COUNT];

/// A call of a hook, or of the observer with a number: when, of which component, of whom, and what the entity looked like.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call(
    pub(crate) Option<u32>,
    pub(crate) Lifecycle,
    pub(crate) usize,
    pub(crate) Entity,
    pub(crate) Row,
);

/// What hooks write down.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) calls: Vec<Call>,
    pub(crate) spawned: VecDeque<Entity>,
    /// How many calls are left before one panics.
    pub(crate) fuse: Option<u32>,
    /// Into which entity a hook or observer has inserted the immediate part at last.
    pub(crate) last: Option<Entity>,
}

pub(crate) const BLOWN: &str = "the fuse is blown";

/// What a hook queues, which depends on the value.
#[derive(Clone, Copy)]
pub(crate) enum Reaction {
    Despawn,
    RemoveIt,
    Spawn,
    InsertB,
    InsertA,
}

impl Reaction {
    pub(crate) fn of(kind: Lifecycle, value: u32) -> Option<Self> {
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

/// What a hook or observer does at once to the immediate part.
#[derive(Clone, Copy)]
pub(crate) enum AtOnce {
    Insert,
    Remove,
    /// From the entity into which it was inserted last.
    RemoveLast,
}

impl AtOnce {
    /// A hook decides by the value, an observer by its number.
    pub(crate) fn of(who: Option<u32>, value: u32) -> Option<Self> {
        match who.unwrap_or(value / 8) % 4 {
            1 => Some(Self::Insert),
            2 => Some(Self::Remove),
            3 => Some(Self::RemoveLast),
            _ => None,
        }
    }
}

/// What values become that reactions insert: most of them do nothing more.
pub(crate) fn next(value: u32) -> u32 {
    value / 2
}

/// What all hooks and observers do first; returns the value.
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
    drop(told);
    at_once(who, world, entity, value);
    value
}

fn at_once(who: Option<u32>, world: &World, entity: Entity, value: u32) {
    let mut parts = world.view_mut::<G>();
    let mut told = world.resource_mut::<Told>();
    match AtOnce::of(who, value) {
        None => {}
        Some(AtOnce::Insert) => {
            told.last = Some(entity);
            drop(parts.insert(entity, G::new(value)).expect("it lives"));
        }
        Some(AtOnce::Remove) => drop(parts.remove(entity)),
        Some(AtOnce::RemoveLast) => {
            if let Some(last) = told.last {
                drop(parts.remove(last));
            }
        }
    }
}

/// Registers an observer with a number.
pub(crate) fn observe<P: Part>(world: &mut World, kind: Lifecycle, n: u32) -> ObserverId {
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
