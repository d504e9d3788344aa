//! The components, and the effects of their hooks and observers.

use std::cell::{Cell, RefCell};

use ecs_core::prelude::*;
use ecs_core::relation::Target;
use ecs_core::world::hooks::{
    DeferredWorld, ObserverId, OnAdd, OnDespawn, OnInsert, OnRemove, OnReplace, Trigger,
};
use ecs_tests::{Ledger, Token};

use crate::targets::decode::choices;

thread_local! {
    pub(super) static LEDGER: RefCell<Ledger> = RefCell::default();
    /// The number of living values without a token.
    pub(super) static MARKS: Cell<isize> = const { Cell::new(0) };
    /// The reaction of a hook, and the number of calls before it.
    pub(super) static PLAN: Cell<Option<(u8, Reaction, Entity)>> = const { Cell::new(None) };
    /// True if the reaction has happened.
    pub(super) static FIRED: Cell<bool> = const { Cell::new(false) };
    /// The entities that hooks spawned.
    pub(super) static SPAWNED: RefCell<Vec<Entity>> = const { RefCell::new(Vec::new()) };
}

pub(super) const HOOK_PANIC: &str = "a hook panics";

pub(super) fn token() -> Token {
    LEDGER.with_borrow(Ledger::token)
}

/// A component: a value, and a token of the ledger.
pub(super) trait Part: Component {
    /// The index of the component.
    const NUMBER: usize;

    fn new(value: u8) -> Self;
    fn value(&self) -> u8;
    fn set(&mut self, value: u8);
    fn token(&self) -> Option<u32>;
}

macro_rules! parts {
    ($($number:literal $name:ident $of:ty, [$($option:tt)*];)*) => {$(
        #[derive(Component)]
        #[component($($option)*)]
        pub(super) struct $name(u8, Token, #[allow(dead_code, reason = "takes up room")] $of);

        impl Part for $name {
            const NUMBER: usize = $number;

            fn new(value: u8) -> Self {
                Self(value, token(), <$of>::default())
            }

            fn value(&self) -> u8 {
                self.0
            }

            fn set(&mut self, value: u8) {
                self.0 = value;
            }

            fn token(&self) -> Option<u32> {
                Some(self.1.id())
            }
        }
    )*};
}

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Much(#[expect(dead_code, reason = "takes up room")] [u64; 3]);

parts! {
    0 Table (), [];
    1 Other u64, [];
    2 Large Much, [];
    3 Sparse (), [storage = "sparse"];
    4 One (), [storage = "sparse"];
    5 Two Much, [storage = "sparse"];
    6 Seen (), [track];
    7 Felt (), [storage = "sparse", track];
    8 Now (), [storage = "sparse", immediate];
    9 Hooked (), [on_add = hook::<Self>, on_insert = hook::<Self>, on_replace = hook::<Self>, on_remove = hook::<Self>, on_despawn = hook::<Self>];
    10 Loose (), [storage = "sparse", on_add = hook::<Self>, on_insert = hook::<Self>, on_replace = hook::<Self>,
        on_remove = hook::<Self>, on_despawn = hook::<Self>];
    11 Needy (), [require(Now = Now::new(7), Other = Other::new(7)), on_insert = hook::<Self>, on_replace = hook::<Self>, on_remove = hook::<Self>];
}

#[derive(Component)]
pub(super) struct Mark(());

impl Part for Mark {
    const NUMBER: usize = 12;

    fn new(_: u8) -> Self {
        MARKS.set(MARKS.get() + 1);
        Self(())
    }

    fn value(&self) -> u8 {
        0
    }

    fn set(&mut self, _: u8) {}

    fn token(&self) -> Option<u32> {
        None
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        MARKS.set(MARKS.get() - 1);
    }
}

/// The parent of a node: despawning it despawns the node.
#[derive(Relation)]
#[relation(tree, sources = "despawn")]
pub(super) struct ChildOf(pub(super) Token);

#[derive(Relation)]
#[relation(many)]
pub(super) struct Likes(pub(super) Token);

pub(super) struct Event(pub(super) u8, pub(super) Token);

/// A triggered event.
pub(super) struct Poke;

/// Runs `$body` for each part.
macro_rules! each_part {
    (|$P:ident| $body:expr) => {
        each_part!(@ |$P| $body; Table Other Large Sparse One Two Seen Felt Now Hooked Loose Needy Mark)
    };
    (@ |$P:ident| $body:expr; $($part:ident)*) => {{$(
        {
            type $P = $crate::targets::world::parts::$part;
            $body;
        }
    )*}};
}
pub(super) use each_part;

pub(super) const COUNT: usize = 13;

choices! {
    /// The reaction of a hook, once.
    #[derive(Clone, Copy, Debug)]
    pub enum Reaction {
        /// Panics.
        Panic,
        /// Inserts the immediate component, or replaces its value.
        Give,
        /// Removes the immediate component.
        Take,
        /// Inserts the immediate component into another entity.
        GiveOther,
        /// Removes the immediate component from another entity.
        TakeOther,
        /// Queues an insertion.
        Insert,
        /// Queues a removal.
        Remove,
        /// Queues a despawn of another entity.
        DespawnOther,
        /// Queues a despawn of the entity.
        Despawn,
        /// Queues a spawn.
        Spawn,
        /// Queues an edge to another entity.
        Relate,
        /// Queues a trigger on another entity.
        Trigger,
    }
}

fn react(world: &mut DeferredWorld<'_>, entity: Entity) {
    match PLAN.get() {
        None => return,
        Some((left @ 1.., reaction, other)) => {
            return PLAN.set(Some((left - 1, reaction, other)));
        }
        Some((0, ..)) => {}
    }
    let (_, reaction, other) = PLAN.take().expect("matched above");
    FIRED.set(true);
    match reaction {
        Reaction::Panic => std::panic::panic_any(HOOK_PANIC),
        Reaction::Give => drop(world.view_mut::<Now>().insert(entity, Now::new(1))),
        Reaction::GiveOther => drop(world.view_mut::<Now>().insert(other, Now::new(2))),
        Reaction::Take => drop(world.view_mut::<Now>().remove(entity)),
        Reaction::TakeOther => drop(world.view_mut::<Now>().remove(other)),
        Reaction::Insert => world
            .commands()
            .insert(entity, (Needy::new(3), Sparse::new(3))),
        Reaction::Remove => world.commands().remove::<(Table, Hooked, Now)>(entity),
        Reaction::Despawn => world.commands().despawn(entity),
        Reaction::DespawnOther => world.commands().despawn(other),
        Reaction::Spawn => {
            let spawned = world.commands().spawn((Hooked::new(4), One::new(4))).id();
            SPAWNED.with_borrow_mut(|all| all.push(spawned));
        }
        Reaction::Relate => world.commands().relate(entity, Likes(token()), other),
        Reaction::Trigger => world.commands().trigger_on(other, Poke),
    }
}

/// The hook of all components: checks that the value is present and alive.
fn hook<P: Part>(mut world: DeferredWorld<'_>, entity: Entity) {
    let value = world.get::<P>(entity).expect("the value is there");
    assert!(
        value
            .token()
            .is_none_or(|token| LEDGER.with_borrow(|ledger| ledger.alive().contains(&token)))
    );
    drop(value);
    react(&mut world, entity);
}

/// Registers one of several observers.
pub(super) fn observe(world: &mut World, kind: u8) -> ObserverId {
    macro_rules! observe {
        ($($n:literal $event:ident<$part:ty>),*) => {
            match kind % 16 {
                $($n => world.observe(|event: $event<$part>, mut world: DeferredWorld| {
                    // An earlier observer may have removed the immediate component.
                    if kind_of::<$part>() != kind_of::<Now>() {
                        assert!(world.has::<$part>(event.entity()));
                    }
                    react(&mut world, event.entity());
                }),)*
                _ => world.observe(|poke: Trigger<Poke>, mut world: DeferredWorld| {
                    if let Some(entity) = poke.target() {
                        react(&mut world, entity);
                    }
                }),
            }
        };
    }
    use std::any::TypeId as Kind;
    fn kind_of<T: 'static>() -> Kind {
        Kind::of::<T>()
    }
    observe!(
        0 OnAdd<Table>, 1 OnInsert<Table>, 2 OnReplace<Table>, 3 OnRemove<Table>, 4 OnDespawn<Table>, 5 OnAdd<Now>,
        6 OnInsert<Now>, 7 OnReplace<Now>, 8 OnRemove<Now>, 9 OnDespawn<Now>, 10 OnReplace<Sparse>, 11 OnRemove<Felt>,
        12 OnInsert<Target<ChildOf>>, 13 OnRemove<Target<ChildOf>>, 14 OnReplace<Seen>
    )
}
