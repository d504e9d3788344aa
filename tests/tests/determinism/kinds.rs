//! The components, relations, resources and events of the program, and its hooks.

use ecs_core::prelude::*;
use ecs_core::world::hooks::DeferredWorld;

use crate::bundles::insert_by_command;
use crate::log::{Noted, log, number};

/// A component of the program.
pub(crate) trait Kind: Component {
    const CALLED: &'static str;

    fn new(number: u64) -> Self;
    fn number(&self) -> u64;
}

/// A component in a table, without drop glue.
#[derive(Component)]
pub(crate) struct Bare(pub(crate) u64);

impl Kind for Bare {
    const CALLED: &'static str = "Bare";

    fn new(number: u64) -> Self {
        Self(number)
    }

    fn number(&self) -> u64 {
        self.0
    }
}

/// A generic component, used with several types.
#[derive(Component)]
pub(crate) struct Generic<T: Send + Sync + 'static>(Noted, std::marker::PhantomData<fn() -> T>);

macro_rules! generic {
    ($($argument:ident)*) => {$(
        impl Kind for Generic<$argument> {
            const CALLED: &'static str = concat!("Generic<", stringify!($argument), ">");

            fn new(number: u64) -> Self {
                Self(Noted::new(Self::CALLED, number), std::marker::PhantomData)
            }

            fn number(&self) -> u64 {
                self.0.number()
            }
        }
    )*};
}

generic!(u8 u16);

macro_rules! kinds {
    ($($name:ident [$($option:tt)*];)*) => {$(
        #[derive(Component)]
        #[component($($option)*)]
        pub(crate) struct $name(Noted);

        impl Kind for $name {
            const CALLED: &'static str = stringify!($name);

            fn new(number: u64) -> Self {
                Self(Noted::new(Self::CALLED, number))
            }

            fn number(&self) -> u64 {
                self.0.number()
            }
        }
    )*};
}

kinds! {
    Hooked [on_add = hook::<Self, 0>, on_insert = hook::<Self, 1>, on_replace = hook::<Self, 2>,
        on_remove = hook::<Self, 3>, on_despawn = hook::<Self, 4>];
    Tracked [track, on_despawn = hook::<Self, 4>];
    Mark [on_remove = hook::<Self, 3>, on_despawn = hook::<Self, 4>];
    LooseHooked [storage = "sparse", on_add = hook::<Self, 0>, on_insert = hook::<Self, 1>,
        on_replace = hook::<Self, 2>, on_remove = hook::<Self, 3>, on_despawn = hook::<Self, 4>];
    Loose [storage = "sparse"];
    LooseTracked [storage = "sparse", track, on_despawn = hook::<Self, 4>];
    Left [storage = "sparse", on_despawn = hook::<Self, 4>];
    Middle [storage = "sparse"];
    Right [storage = "sparse", on_remove = hook::<Self, 3>];
    Flash [storage = "sparse", immediate];
    Spark [storage = "sparse", immediate];
    Needy [require(Aid = Aid::new(number()), Help = Help::new(number()))];
    Help [storage = "sparse", require(Last = Last::new(number())), on_add = hook::<Self, 0>];
    Aid [on_add = hook::<Self, 0>, on_despawn = hook::<Self, 4>];
    Last [on_add = hook::<Self, 0>, on_despawn = hook::<Self, 4>];
    Never [storage = "sparse"];
}

const HOOKS: [&str; 5] = [
    "on_add",
    "on_insert",
    "on_replace",
    "on_remove",
    "on_despawn",
];

/// The hook of all components: logs the call, and sometimes queues a command.
fn hook<K: Kind, const HOOK: usize>(mut world: DeferredWorld, entity: Entity) {
    let number = world.get::<K>(entity).map(|value| value.number());
    log!("{} {} {entity} {number:?}", HOOKS[HOOK], K::CALLED);
    let Some(number) = number else { return };
    // Few of the values that these commands insert queue another one.
    match (number + HOOK as u64) % 29 {
        1 => world.commands().despawn(entity),
        2 => world.commands().remove::<K>(entity),
        3 => insert_by_command(&mut world.commands(), entity, number as usize, number / 2),
        4 => {
            let spawned = world.commands().spawn(Mark::new(number / 2)).id();
            log!("a hook spawns {spawned}");
        }
        5 => world.commands().trigger_on(entity, Ping(number)),
        _ => {}
    }
}

#[derive(Relation)]
#[relation(tree, sources = "despawn")]
pub(crate) struct ChildOf(pub(crate) Noted);

#[derive(Relation)]
pub(crate) struct Follows(pub(crate) Noted);

#[derive(Relation)]
#[relation(many)]
pub(crate) struct Likes(pub(crate) Noted);

#[derive(Relation)]
#[relation(many, sources = "despawn")]
pub(crate) struct Needs(#[expect(dead_code, reason = "dropped")] pub(crate) Noted);

/// A triggered event.
pub(crate) struct Ping(pub(crate) u64);
/// A triggered event with a value that logs its drop.
pub(crate) struct Pong(pub(crate) Noted);
/// A buffered event.
pub(crate) struct Shout(pub(crate) Noted);

/// Resources that log when they are dropped.
pub(crate) struct Thing<const N: usize>(#[expect(dead_code, reason = "dropped")] Noted);

impl<const N: usize> Thing<N> {
    pub(crate) fn new(number: u64) -> Self {
        Self(Noted::new(
            [
                "Thing<0>", "Thing<1>", "Thing<2>", "Thing<3>", "Thing<4>", "Thing<5>",
            ][N],
            number,
        ))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Screen {
    Menu,
    Game(u8),
    Score,
}
