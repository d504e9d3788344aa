//! `data *= 2` over 26 kinds of entities with 20 of each.

use crate::components::components;
use crate::digest::Digest;
use crate::subject::{Peer, Workload};

const EACH: u32 = 20;

components! {
    /// What all kinds have.
    struct Data(f32);
}

/// Declares a component per kind, and `for_each_kind!(spawn)`, which calls the macro `spawn!` with each of them.
macro_rules! kinds {
    ($($kind:ident)*) => {
        components! { $(
            /// What only one kind has.
            #[expect(dead_code, reason = "makes the kind; nobody reads it")]
            struct $kind(f32);
        )* }

        const KINDS: u32 = [$(stringify!($kind)),*].len() as u32;

        /// Calls a macro once per kind.
        macro_rules! for_each_kind {
            ($action:ident) => { $( $action!($kind); )* };
        }
    };
}
kinds! { A B C D E F G H I J K L M N O P Q R S T U V W X Y Z }

/// The workload.
pub(super) fn workload() -> Workload {
    let about = "data *= 2, one float, over 26 kinds of entities with 20 of each; ns per entity";
    let mut workload = Workload::new("frag_iter", KINDS * EACH, about);
    limit(&mut workload);
    ours(&mut workload);
    #[cfg(feature = "peers")]
    hecs(&mut workload);
    #[cfg(feature = "peers")]
    bevy(&mut workload);
    workload
}

/// The values that the entities of a kind start with; they grow to infinity, which costs no more to double.
fn start() -> impl Iterator<Item = f32> {
    (0..EACH).map(|number| number as f32 + 1.0)
}

fn digest(values: impl IntoIterator<Item = f32>) -> u64 {
    Digest::of(values.into_iter().map(|value| [value]))
}

fn limit(workload: &mut Workload) {
    workload.add(
        Peer::Limit,
        "one Vec per kind",
        || -> Vec<Vec<Data>> { (0..KINDS).map(|_| start().map(Data).collect()).collect() },
        |kinds| {
            for kind in kinds {
                for data in kind {
                    data.0 *= 2.0;
                }
            }
        },
        |kinds| digest(kinds.iter().flatten().map(|data| data.0)),
    );
    workload.add(
        Peer::Limit,
        "one Vec",
        || -> Vec<Data> { (0..KINDS).flat_map(|_| start().map(Data)).collect() },
        |all| {
            for data in all {
                data.0 *= 2.0;
            }
        },
        |all| digest(all.iter().map(|data| data.0)),
    );
}

fn ours(workload: &mut Workload) {
    use ecs_core::prelude::*;

    /// The same as [`Data`], kept apart from the tables.
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Sparse(f32);

    fn world_of<T: Component>(data: fn(f32) -> T) -> World {
        let mut world = World::new();
        macro_rules! spawn {
            ($kind:ident) => {
                world.spawn_batch(start().map(|value| ($kind(0.0), data(value))));
            };
        }
        for_each_kind!(spawn);
        world
    }
    let table = || world_of(Data);
    let checksum = |world: &mut World| digest(world.view::<Data>().iter().map(|data| data.0));
    workload.add(
        Peer::Ours,
        "for_each",
        table,
        |world| {
            let mut all = world.view_mut::<Data>();
            (&mut all).for_each(|data| data.0 *= 2.0);
        },
        checksum,
    );
    workload.add(
        Peer::Ours,
        "for",
        table,
        |world| {
            for data in world.view_mut::<Data>().iter_mut() {
                data.0 *= 2.0;
            }
        },
        checksum,
    );
    workload.add(
        Peer::Ours,
        "sparse for_each",
        || world_of(Sparse),
        |world| {
            let mut all = world.view_mut::<Sparse>();
            (&mut all).for_each(|data| data.0 *= 2.0);
        },
        |world| digest(world.view::<Sparse>().iter().map(|data| data.0)),
    );
}

#[cfg(feature = "peers")]
fn hecs(workload: &mut Workload) {
    use hecs::World;

    let setup = || {
        let mut world = World::new();
        macro_rules! spawn {
            ($kind:ident) => {
                world.spawn_batch(start().map(|value| ($kind(0.0), Data(value))));
            };
        }
        for_each_kind!(spawn);
        world
    };
    let checksum =
        |world: &mut World| digest(world.query_mut::<&Data>().into_iter().map(|data| data.0));
    workload.add(
        Peer::Hecs,
        "for",
        setup,
        |world| {
            for data in world.query_mut::<&mut Data>() {
                data.0 *= 2.0;
            }
        },
        checksum,
    );
    workload.add(
        Peer::Hecs,
        "for_each",
        setup,
        |world| {
            let all = world.query_mut::<&mut Data>().into_iter();
            all.for_each(|data| data.0 *= 2.0);
        },
        checksum,
    );
}

#[cfg(feature = "peers")]
fn bevy(workload: &mut Workload) {
    use bevy_ecs::component::{Component, Mutable};
    use bevy_ecs::query::QueryState;
    use bevy_ecs::world::World;

    /// The same as [`Data`], kept apart from the tables.
    #[derive(Component)]
    #[component(storage = "SparseSet")]
    struct Sparse(f32);

    type State<T> = (World, QueryState<&'static mut T>);

    fn world_of<T: Component<Mutability = Mutable>>(data: fn(f32) -> T) -> State<T> {
        let mut world = World::new();
        macro_rules! spawn {
            ($kind:ident) => {
                world.spawn_batch(start().map(|value| ($kind(0.0), data(value))));
            };
        }
        for_each_kind!(spawn);
        let query = world.query();
        (world, query)
    }
    let table = || world_of(Data);
    let checksum = |(world, _): &mut State<Data>| {
        digest(world.query::<&Data>().iter(world).map(|data| data.0))
    };
    workload.add(
        Peer::Bevy,
        "for",
        table,
        |(world, query)| {
            for mut data in query.iter_mut(world) {
                data.0 *= 2.0;
            }
        },
        checksum,
    );
    workload.add(
        Peer::Bevy,
        "for_each",
        table,
        |(world, query)| {
            query.iter_mut(world).for_each(|mut data| data.0 *= 2.0);
        },
        checksum,
    );
    workload.add(
        Peer::Bevy,
        "contiguous, untracked",
        table,
        |(world, query)| {
            let tables = query.contiguous_iter_mut(world);
            for mut all in tables.expect("a table component") {
                for data in all.bypass_change_detection() {
                    data.0 *= 2.0;
                }
            }
        },
        checksum,
    );
    workload.add(
        Peer::Bevy,
        "sparse for_each",
        || world_of(Sparse),
        |(world, query)| {
            query.iter_mut(world).for_each(|mut data| data.0 *= 2.0);
        },
        |(world, _)| digest(world.query::<&Sparse>().iter(world).map(|data| data.0)),
    );
}
