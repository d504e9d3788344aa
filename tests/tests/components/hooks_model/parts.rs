//! The components, and the effects of their hooks and observers.

use std::cell::RefCell;
use std::collections::VecDeque;

use ecs_core::prelude::*;
use ecs_core::world::hooks::Lifecycle::{self, Add, Despawn, Insert, Remove, Replace};
use ecs_core::world::hooks::{
    DeferredWorld, ObserverId, OnAdd, OnDespawn, OnInsert, OnRemove, OnReplace,
};
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
/// The immediate component, which hooks and observers insert and remove.
pub(crate) const IMMEDIATE: usize = 6;
/// The component that requires the immediate one, and the value that is then inserted.
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

        /// The hooks of each component.
        pub(crate) const HOOKS: [&[Lifecycle]; COUNT] = [$(&$hooks),*];

        /// Registers all components in a fixed order; the hooks of a despawned entity run in this order.
        pub(crate) fn register_all(world: &mut World) {
            $(world.register::<$name>();)*
        }

        pub(crate) fn row(world: &World, entity: Entity) -> Row {
            [$(world.get::<$name>(entity).map(|part| part.0)),*]
        }
    };
}

parts! {
    A 0 EVENTS, [on_add = hook::<Self, ADD>, on_insert = hook::<Self, INSERT>, on_replace = hook::<Self, REPLACE>,
        on_remove = hook::<Self, REMOVE>, on_despawn = hook::<Self, DESPAWN>];
    B 1 [Add, Remove], [on_add = hook::<Self, ADD>, on_remove = hook::<Self, REMOVE>];
    C 2 EVENTS, [storage = "sparse", on_add = hook::<Self, ADD>, on_insert = hook::<Self, INSERT>,
        on_replace = hook::<Self, REPLACE>, on_remove = hook::<Self, REMOVE>, on_despawn = hook::<Self, DESPAWN>];
    D 3 [Insert, Remove], [storage = "sparse", track, on_insert = hook::<Self, INSERT>, on_remove = hook::<Self, REMOVE>];
    E 4 [], [track];
    F 5 [], [storage = "sparse"];
    G 6 [], [storage = "sparse", immediate];
    H 7 [Replace, Remove], [on_replace = hook::<Self, REPLACE>, on_remove = hook::<Self, REMOVE>,
        require(G = G::new(REQUIRED))];
}

/// All components, in one parameter for the observers that are systems.
#[derive(SystemParam)]
struct Parts<'w> {
    a: Comp<'w, A>,
    b: Comp<'w, B>,
    c: Comp<'w, C>,
    d: Comp<'w, D>,
    e: Comp<'w, E>,
    f: Comp<'w, F>,
    g: CompMut<'w, G>,
    h: Comp<'w, H>,
}

impl Parts<'_> {
    fn row(&self, entity: Entity) -> Row {
        let Self {
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
        } = self;
        [
            a.get(entity).map(|part| part.0),
            b.get(entity).map(|part| part.0),
            c.get(entity).map(|part| part.0),
            d.get(entity).map(|part| part.0),
            e.get(entity).map(|part| part.0),
            f.get(entity).map(|part| part.0),
            g.get(entity).map(|part| part.0),
            h.get(entity).map(|part| part.0),
        ]
    }
}

pub(crate) type Row = [Option<u32>; COUNT];

/// A call of a hook (`None`) or of the observer with a number: event, component, entity, and the row of the entity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call(
    pub(crate) Option<u32>,
    pub(crate) Lifecycle,
    pub(crate) usize,
    pub(crate) Entity,
    pub(crate) Row,
);

/// The record that hooks and observers write.
#[derive(Default, Resource)]
pub(crate) struct CallRecord {
    pub(crate) calls: Vec<Call>,
    pub(crate) spawned: VecDeque<Entity>,
    /// The number of calls left before one panics.
    pub(crate) calls_left: Option<u32>,
    /// The entity into which a hook or observer last inserted the immediate component.
    pub(crate) last: Option<Entity>,
}

pub(crate) const HOOK_PANIC: &str = "a hook panics";

/// The command that a hook queues, which depends on the value.
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

/// The immediate change that a hook or observer makes.
#[derive(Clone, Copy)]
pub(crate) enum AtOnce {
    Insert,
    Remove,
    /// Removes from the entity of the last insertion.
    RemoveLast,
}

impl AtOnce {
    /// Hooks decide by the value, observers by their number.
    pub(crate) fn of(observer: Option<u32>, value: u32) -> Option<Self> {
        match observer.unwrap_or(value / 8) % 4 {
            1 => Some(Self::Insert),
            2 => Some(Self::Remove),
            3 => Some(Self::RemoveLast),
            _ => None,
        }
    }
}

/// The value that a reaction inserts. Halving it ends chains of reactions soon.
pub(crate) fn next(value: u32) -> u32 {
    value / 2
}

/// The first part of all hooks and of the observers that take the world; returns the value of the component.
fn record_call<P: Part>(
    observer: Option<u32>,
    world: &World,
    kind: Lifecycle,
    entity: Entity,
) -> u32 {
    let call = Call(observer, kind, P::INDEX, entity, row(world, entity));
    let mut record = world.resource_mut::<CallRecord>();
    let value = record_row(&mut record, call);
    at_once(
        observer,
        &mut world.view_mut::<G>(),
        &mut record,
        entity,
        value,
    );
    value
}

/// Records a call, and returns the value of the component.
fn record_row(record: &mut CallRecord, call: Call) -> u32 {
    let Call(_, _, index, _, row) = &call;
    let value = row[*index].expect("the value is there");
    record.calls.push(call);
    if let Some(calls_left) = &mut record.calls_left {
        if *calls_left == 0 {
            std::panic::panic_any(HOOK_PANIC);
        }
        *calls_left -= 1;
    }
    value
}

fn at_once(
    observer: Option<u32>,
    parts: &mut CompMut<G>,
    record: &mut CallRecord,
    entity: Entity,
    value: u32,
) {
    match AtOnce::of(observer, value) {
        None => {}
        Some(AtOnce::Insert) => {
            record.last = Some(entity);
            drop(
                parts
                    .insert(entity, G::new(value))
                    .expect("the entity is alive"),
            );
        }
        Some(AtOnce::Remove) => drop(parts.remove(entity)),
        Some(AtOnce::RemoveLast) => {
            if let Some(last) = record.last {
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
                // Every other one is a system.
                $kind if n % 2 == 0 => world.observe(
                    move |event: $event<P>, mut parts: Parts, mut record: ResMut<CallRecord>| {
                        let entity = event.entity();
                        let call = Call(Some(n), kind, P::INDEX, entity, parts.row(entity));
                        let value = record_row(&mut record, call);
                        at_once(Some(n), &mut parts.g, &mut record, entity, value);
                    },
                ),
                $kind => world.observe(move |event: $event<P>, world: DeferredWorld| {
                    record_call::<P>(Some(n), &world, kind, event.entity());
                }),
            )*}
        };
    }
    observe!(Add OnAdd, Insert OnInsert, Replace OnReplace, Remove OnRemove, Despawn OnDespawn)
}

/// The hook of all components.
fn hook<P: Part, const KIND: usize>(mut world: DeferredWorld, entity: Entity) {
    let kind = EVENTS[KIND];
    let value = record_call::<P>(None, &world, kind, entity);
    match Reaction::of(kind, value) {
        None => {}
        Some(Reaction::Despawn) => world.commands().despawn(entity),
        Some(Reaction::RemoveIt) => world.commands().remove::<P>(entity),
        Some(Reaction::Spawn) => {
            let spawned = world
                .commands()
                .spawn((E::new(value), B::new(next(value))))
                .id();
            world
                .resource_mut::<CallRecord>()
                .spawned
                .push_back(spawned);
        }
        Some(Reaction::InsertB) => world.commands().insert(entity, B::new(next(value))),
        Some(Reaction::InsertA) => world
            .commands()
            .insert(entity, (A::new(next(value)), F::new(0))),
    }
}
