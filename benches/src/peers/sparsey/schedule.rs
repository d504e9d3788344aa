//! Systems as functions that are called.

use std::mem::swap;

use sparsey::World;

use crate::peers::Peer::Sparsey;
use crate::subject::Workload;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny, digest, row, tiny_digest,
};

/// One group for the loop over most entities, and one that holds C with D; a component can be in one group (or in
/// nested ones), so C with E has none.
pub(super) fn three(workload: &mut Workload) {
    workload.add(
        Sparsey,
        "groups, calls",
        || {
            let mut world = World::builder()
                .add_group::<(A, B)>()
                .add_group::<(C, D)>()
                .register::<E>()
                .build();
            let rows = || (0..EACH).map(row);
            world.extend(rows().map(|(a, b, ..)| (a, b)));
            world.extend(rows().map(|(a, b, c, ..)| (a, b, c)));
            world.extend(rows().map(|(a, b, c, d, _)| (a, b, c, d)));
            world.extend(rows().map(|(a, b, c, _, e)| (a, b, c, e)));
            world
        },
        |world| {
            world.for_each::<(&mut A, &mut B)>(|(a, b)| swap(&mut a.0, &mut b.0));
            world.for_each::<(&mut C, &mut D)>(|(c, d)| swap(&mut c.0, &mut d.0));
            world.for_each::<(&mut C, &mut E)>(|(c, e)| swap(&mut c.0, &mut e.0));
        },
        |world| {
            let (a, c) = (world.borrow::<A>(), world.borrow::<C>());
            digest(
                a.as_slice().iter().map(|a| a.0),
                c.as_slice().iter().map(|c| c.0),
            )
        },
    );
}

#[inline(never)]
fn add_one(world: &World) {
    world.for_each::<&mut Tiny>(|tiny| tiny.0 += 1.0);
}

pub(super) fn tiny(workload: &mut Workload) {
    workload.add(
        Sparsey,
        "calls",
        || {
            let mut world = World::builder().register::<Tiny>().build();
            world.extend((0..TINY_ENTITIES).map(|_| (Tiny(0.0),)));
            world
        },
        |world| {
            for _ in 0..TINY_SYSTEMS {
                add_one(world);
            }
        },
        |world| {
            let tiny = world.borrow::<Tiny>();
            tiny_digest(tiny.as_slice().iter().map(|tiny| tiny.0))
        },
    );
}
