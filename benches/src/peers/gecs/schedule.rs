//! Systems as functions that are called.

use std::mem::swap;

use gecs::prelude::*;

use super::worlds::systems::*;
use crate::peers::Peer::Gecs;
use crate::subject::Workload;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny, digest, row, tiny_digest,
};

pub(super) fn three(workload: &mut Workload) {
    workload.add(
        Gecs,
        "calls",
        || {
            let mut world = SystemsWorld::default();
            for (a, b, c, d, e) in (0..EACH).map(row) {
                world.create::<KindAb>((a, b));
                world.create::<KindAbc>((a, b, c));
                world.create::<KindAbcd>((a, b, c, d));
                world.create::<KindAbce>((a, b, c, e));
            }
            world
        },
        |world| {
            ecs_iter!(world, |a: &mut A, b: &mut B| {
                swap(&mut a.0, &mut b.0);
            });
            ecs_iter!(world, |c: &mut C, d: &mut D| {
                swap(&mut c.0, &mut d.0);
            });
            ecs_iter!(world, |c: &mut C, e: &mut E| {
                swap(&mut c.0, &mut e.0);
            });
        },
        |world| {
            let (mut all_a, mut all_c) = (Vec::new(), Vec::new());
            ecs_iter!(world, |a: &A| {
                all_a.push(a.0);
            });
            ecs_iter!(world, |c: &C| {
                all_c.push(c.0);
            });
            digest(all_a, all_c)
        },
    );
}

#[inline(never)]
fn add_one(world: &mut SystemsWorld) {
    ecs_iter!(world, |tiny: &mut Tiny| {
        tiny.0 += 1.0;
    });
}

pub(super) fn tiny(workload: &mut Workload) {
    workload.add(
        Gecs,
        "calls",
        || {
            let mut world = SystemsWorld::default();
            for _ in 0..TINY_ENTITIES {
                world.create::<KindTiny>((Tiny(0.0),));
            }
            world
        },
        |world| {
            for _ in 0..TINY_SYSTEMS {
                add_one(world);
            }
        },
        |world| {
            let tiny = world.kind_tiny.borrow_slice::<Tiny>();
            tiny_digest(tiny.iter().map(|tiny| tiny.0))
        },
    );
}
