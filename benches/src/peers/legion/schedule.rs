//! Systems in a schedule, all of them on the calling thread.

use std::mem::swap;

use legion::query::IntoQuery;
use legion::{Resources, Schedule, SystemBuilder, World};

use crate::peers::Peer::Legion;
use crate::subject::Workload;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny, digest, row, tiny_digest,
};

type State = (World, Schedule, Resources);

/// Makes a system that swaps two components.
macro_rules! swap_system {
    ($first:ident $second:ident) => {
        SystemBuilder::new(stringify!($first $second))
            .with_query(<(&mut $first, &mut $second)>::query())
            .build(|_, world, (), query| {
                query.for_each_mut(world, |(first, second)| swap(&mut first.0, &mut second.0));
            })
    };
}

pub(super) fn three(workload: &mut Workload) {
    workload.add(
        Legion,
        "Schedule, thread local",
        || -> State {
            let mut world = World::default();
            let rows = || (0..EACH).map(row);
            world.extend(rows().map(|(a, b, ..)| (a, b)));
            world.extend(rows().map(|(a, b, c, ..)| (a, b, c)));
            world.extend(rows().map(|(a, b, c, d, _)| (a, b, c, d)));
            world.extend(rows().map(|(a, b, c, _, e)| (a, b, c, e)));
            let schedule = Schedule::builder()
                .add_thread_local(swap_system!(A B))
                .add_thread_local(swap_system!(C D))
                .add_thread_local(swap_system!(C E))
                .build();
            (world, schedule, Resources::default())
        },
        |(world, schedule, resources)| schedule.execute(world, resources),
        |(world, ..)| {
            let a: Vec<f32> = <&A>::query().iter(world).map(|a| a.0).collect();
            digest(a, <&C>::query().iter(world).map(|c| c.0))
        },
    );
}

pub(super) fn tiny(workload: &mut Workload) {
    workload.add(
        Legion,
        "Schedule, thread local",
        || -> State {
            let mut world = World::default();
            world.extend((0..TINY_ENTITIES).map(|_| (Tiny(0.0),)));
            let mut builder = Schedule::builder();
            for _ in 0..TINY_SYSTEMS {
                let system = SystemBuilder::new("tiny").with_query(<&mut Tiny>::query());
                builder.add_thread_local(system.build(|_, world, (), query| {
                    query.for_each_mut(world, |tiny| tiny.0 += 1.0);
                }));
            }
            (world, builder.build(), Resources::default())
        },
        |(world, schedule, resources)| schedule.execute(world, resources),
        |(world, ..)| tiny_digest(<&Tiny>::query().iter(world).map(|tiny| tiny.0)),
    );
}
