//! Systems in a schedule.

use std::mem::swap;

use ecs_core::prelude::*;

use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny, digest, row, tiny_digest,
};

#[system]
fn swap_ab(mut a: CompMut<A>, mut b: CompMut<B>) {
    (&mut a, &mut b).for_each(|(a, b)| swap(&mut a.0, &mut b.0));
}

#[system]
fn swap_cd(mut c: CompMut<C>, mut d: CompMut<D>) {
    (&mut c, &mut d).for_each(|(c, d)| swap(&mut c.0, &mut d.0));
}

#[system]
fn swap_ce(mut c: CompMut<C>, mut e: CompMut<E>) {
    (&mut c, &mut e).for_each(|(c, e)| swap(&mut c.0, &mut e.0));
}

schedule! { static THREE = [swap_ab, swap_cd, swap_ce] }

pub(super) fn three(workload: &mut Workload) {
    let world = || {
        let mut world = World::new();
        let rows = || (0..EACH).map(row);
        world.spawn_batch(rows().map(|(a, b, ..)| (a, b)));
        world.spawn_batch(rows().map(|(a, b, c, ..)| (a, b, c)));
        world.spawn_batch(rows().map(|(a, b, c, d, _)| (a, b, c, d)));
        world.spawn_batch(rows().map(|(a, b, c, _, e)| (a, b, c, e)));
        world
    };
    let digest = |world: &World| {
        let (a, c) = (world.view::<A>(), world.view::<C>());
        digest(a.iter().map(|a| a.0), c.iter().map(|c| c.0))
    };
    workload.add(
        Ours,
        "run_seq",
        move || {
            let mut schedule = Schedule::new();
            schedule.add((swap_ab, swap_cd, swap_ce));
            (world(), schedule)
        },
        |(world, schedule)| schedule.run_seq(world).expect("no system fails"),
        move |(world, _)| digest(world),
    );
    workload.add(
        Ours,
        "schedule!",
        world,
        |world| THREE.run(world).expect("no system fails"),
        move |world| digest(world),
    );
}

#[system]
fn add_one(mut all: CompMut<Tiny>) {
    (&mut all).for_each(|tiny| tiny.0 += 1.0);
}

/// Declares a schedule that runs a system two hundred times.
macro_rules! two_hundred {
    ($name:ident $system:ident) => {
        two_hundred!($name $system [$system $system $system $system $system $system $system $system $system $system]);
    };
    ($name:ident $system:ident [$($ten:ident)*]) => {
        schedule! { static $name = [
            $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)*
            $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)* $($ten,)*
        ] }
    };
}
two_hundred!(TINY add_one);

pub(super) fn tiny(workload: &mut Workload) {
    const { assert!(TINY.len() == TINY_SYSTEMS) };
    let world = || {
        let mut world = World::new();
        world.spawn_batch((0..TINY_ENTITIES).map(|_| Tiny(0.0)));
        world
    };
    let digest = |world: &World| tiny_digest(world.view::<Tiny>().iter().map(|tiny| tiny.0));
    workload.add(
        Ours,
        "run_seq",
        move || {
            let mut schedule = Schedule::new();
            for _ in 0..TINY_SYSTEMS {
                schedule.add(add_one);
            }
            (world(), schedule)
        },
        |(world, schedule)| schedule.run_seq(world).expect("no system fails"),
        move |(world, _)| digest(world),
    );
    workload.add(
        Ours,
        "schedule!",
        world,
        |world| TINY.run(world).expect("no system fails"),
        move |world| digest(world),
    );
}
