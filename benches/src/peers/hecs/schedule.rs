//! Systems as functions that are called.

use std::mem::swap;

use hecs::World;

use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny, digest, row, tiny_digest,
};

pub(super) fn three(workload: &mut Workload) {
    workload.add(
        Hecs,
        "calls",
        || {
            let mut world = World::new();
            let rows = || (0..EACH).map(row);
            world.spawn_batch(rows().map(|(a, b, ..)| (a, b)));
            world.spawn_batch(rows().map(|(a, b, c, ..)| (a, b, c)));
            world.spawn_batch(rows().map(|(a, b, c, d, _)| (a, b, c, d)));
            world.spawn_batch(rows().map(|(a, b, c, _, e)| (a, b, c, e)));
            world
        },
        |world| {
            let ab = world.query_mut::<(&mut A, &mut B)>().into_iter();
            ab.for_each(|(a, b)| swap(&mut a.0, &mut b.0));
            let cd = world.query_mut::<(&mut C, &mut D)>().into_iter();
            cd.for_each(|(c, d)| swap(&mut c.0, &mut d.0));
            let ce = world.query_mut::<(&mut C, &mut E)>().into_iter();
            ce.for_each(|(c, e)| swap(&mut c.0, &mut e.0));
        },
        |world| {
            let a: Vec<f32> = world.query_mut::<&A>().into_iter().map(|a| a.0).collect();
            digest(a, world.query_mut::<&C>().into_iter().map(|c| c.0))
        },
    );
}

#[inline(never)]
fn add_one(world: &mut World) {
    for tiny in world.query_mut::<&mut Tiny>() {
        tiny.0 += 1.0;
    }
}

pub(super) fn tiny(workload: &mut Workload) {
    workload.add(
        Hecs,
        "calls",
        || {
            let mut world = World::new();
            world.spawn_batch((0..TINY_ENTITIES).map(|_| (Tiny(0.0),)));
            world
        },
        |world| {
            for _ in 0..TINY_SYSTEMS {
                add_one(world);
            }
        },
        |world| tiny_digest(world.query_mut::<&Tiny>().into_iter().map(|tiny| tiny.0)),
    );
}
