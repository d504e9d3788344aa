//! Systems in a schedule, with the single-threaded executor.

use std::mem::swap;

use bevy_ecs::schedule::{Schedule, SingleThreadedExecutor};
use bevy_ecs::system::Query;
use bevy_ecs::world::World;

use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny, digest, row, tiny_digest,
};

fn swap_ab(mut query: Query<(&mut A, &mut B)>) {
    let rows = query.iter_mut();
    rows.for_each(|(mut a, mut b)| swap(&mut a.0, &mut b.0));
}

fn swap_cd(mut query: Query<(&mut C, &mut D)>) {
    let rows = query.iter_mut();
    rows.for_each(|(mut c, mut d)| swap(&mut c.0, &mut d.0));
}

fn swap_ce(mut query: Query<(&mut C, &mut E)>) {
    let rows = query.iter_mut();
    rows.for_each(|(mut c, mut e)| swap(&mut c.0, &mut e.0));
}

pub(super) fn three(workload: &mut Workload) {
    workload.add(
        Bevy,
        "Schedule",
        || {
            let mut world = World::new();
            let rows = || (0..EACH).map(row);
            world.spawn_batch(rows().map(|(a, b, ..)| (a, b)));
            world.spawn_batch(rows().map(|(a, b, c, ..)| (a, b, c)));
            world.spawn_batch(rows().map(|(a, b, c, d, _)| (a, b, c, d)));
            world.spawn_batch(rows().map(|(a, b, c, _, e)| (a, b, c, e)));
            let mut schedule = Schedule::default();
            schedule.set_executor(SingleThreadedExecutor::new());
            schedule.add_systems((swap_ab, swap_cd, swap_ce));
            (world, schedule)
        },
        |(world, schedule)| schedule.run(world),
        |(world, _)| {
            let a: Vec<f32> = world.query::<&A>().iter(world).map(|a| a.0).collect();
            digest(a, world.query::<&C>().iter(world).map(|c| c.0))
        },
    );
}

fn add_one(mut all: Query<&mut Tiny>) {
    for mut tiny in &mut all {
        tiny.0 += 1.0;
    }
}

pub(super) fn tiny(workload: &mut Workload) {
    workload.add(
        Bevy,
        "Schedule",
        || {
            let mut world = World::new();
            world.spawn_batch((0..TINY_ENTITIES).map(|_| Tiny(0.0)));
            let mut schedule = Schedule::default();
            schedule.set_executor(SingleThreadedExecutor::new());
            for _ in 0..TINY_SYSTEMS {
                schedule.add_systems(add_one);
            }
            (world, schedule)
        },
        |(world, schedule)| schedule.run(world),
        |(world, _)| tiny_digest(world.query::<&Tiny>().iter(world).map(|tiny| tiny.0)),
    );
}
