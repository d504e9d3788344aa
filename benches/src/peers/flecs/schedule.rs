//! Systems in the world's pipeline.

use std::mem::swap;

use flecs_ecs::prelude::*;

use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny, digest, row, tiny_digest,
};

pub(super) fn three(workload: &mut Workload) {
    workload.add(
        Flecs,
        "progress",
        || {
            let world = World::new();
            for (a, b, c, d, e) in (0..EACH).map(row) {
                world.entity().set(a).set(b);
                world.entity().set(a).set(b).set(c);
                world.entity().set(a).set(b).set(c).set(d);
                world.entity().set(a).set(b).set(c).set(e);
            }
            let mut ab = world.system::<(&mut A, &mut B)>();
            ab.each(|(a, b)| swap(&mut a.0, &mut b.0));
            let mut cd = world.system::<(&mut C, &mut D)>();
            cd.each(|(c, d)| swap(&mut c.0, &mut d.0));
            let mut ce = world.system::<(&mut C, &mut E)>();
            ce.each(|(c, e)| swap(&mut c.0, &mut e.0));
            world
        },
        |world| {
            world.progress();
        },
        |world| {
            let (mut all_a, mut all_c) = (Vec::new(), Vec::new());
            world.new_query::<&A>().each(|a| all_a.push(a.0));
            world.new_query::<&C>().each(|c| all_c.push(c.0));
            digest(all_a, all_c)
        },
    );
}

pub(super) fn tiny(workload: &mut Workload) {
    workload.add(
        Flecs,
        "progress",
        || {
            let world = World::new();
            for _ in 0..TINY_ENTITIES {
                world.entity().set(Tiny(0.0));
            }
            for _ in 0..TINY_SYSTEMS {
                world.system::<&mut Tiny>().each(|tiny| tiny.0 += 1.0);
            }
            world
        },
        |world| {
            world.progress();
        },
        |world| {
            let mut values = Vec::new();
            world.new_query::<&Tiny>().each(|tiny| values.push(tiny.0));
            tiny_digest(values)
        },
    );
}
