//! Systems in a workload, and run one by one: with the feature `parallel` a workload enters rayon for each batch.

use std::mem::swap;

use shipyard::{IntoIter, IntoWorkload as _, View, ViewMut, Workload as Systems, World};

use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::schedule::{
    A, B, C, D, E, EACH, TINY_ENTITIES, TINY_SYSTEMS, Tiny, digest, row, tiny_digest,
};

fn swap_ab(mut a: ViewMut<A>, mut b: ViewMut<B>) {
    let rows = (&mut a, &mut b).iter();
    rows.for_each(|(a, b)| swap(&mut a.0, &mut b.0));
}

fn swap_cd(mut c: ViewMut<C>, mut d: ViewMut<D>) {
    let rows = (&mut c, &mut d).iter();
    rows.for_each(|(c, d)| swap(&mut c.0, &mut d.0));
}

fn swap_ce(mut c: ViewMut<C>, mut e: ViewMut<E>) {
    let rows = (&mut c, &mut e).iter();
    rows.for_each(|(c, e)| swap(&mut c.0, &mut e.0));
}

pub(super) fn three(workload: &mut Workload) {
    let setup = || {
        let mut world = World::new();
        let rows = || (0..EACH).map(row);
        world.bulk_add_entity(rows().map(|(a, b, ..)| (a, b)));
        world.bulk_add_entity(rows().map(|(a, b, c, ..)| (a, b, c)));
        world.bulk_add_entity(rows().map(|(a, b, c, d, _)| (a, b, c, d)));
        world.bulk_add_entity(rows().map(|(a, b, c, _, e)| (a, b, c, e)));
        world.add_workload(|| (swap_ab, swap_cd, swap_ce).into_workload());
        world
    };
    let digest = |world: &mut World| {
        world.run(|a: View<A>, c: View<C>| {
            digest(a.iter().map(|a| a.0), c.iter().map(|c| c.0))
        })
    };
    workload.add(
        Shipyard,
        "Workload",
        setup,
        |world| world.run_default_workload().expect("no system fails"),
        digest,
    );
    workload.add(
        Shipyard,
        "run",
        setup,
        |world| {
            world.run(swap_ab);
            world.run(swap_cd);
            world.run(swap_ce);
        },
        digest,
    );
}

fn add_one(mut all: ViewMut<Tiny>) {
    (&mut all).iter().for_each(|tiny| tiny.0 += 1.0);
}

pub(super) fn tiny(workload: &mut Workload) {
    let setup = || {
        let mut world = World::new();
        world.bulk_add_entity((0..TINY_ENTITIES).map(|_| (Tiny(0.0),)));
        let mut systems = Systems::new("tiny");
        for _ in 0..TINY_SYSTEMS {
            systems = systems.with_system(add_one);
        }
        systems.add_to_world(&world).expect("nothing conflicts");
        world
    };
    let digest = |world: &mut World| {
        world.run(|all: View<Tiny>| tiny_digest(all.iter().map(|tiny| tiny.0)))
    };
    workload.add(
        Shipyard,
        "Workload",
        setup,
        |world| world.run_default_workload().expect("no system fails"),
        digest,
    );
    workload.add(
        Shipyard,
        "run",
        setup,
        |world| {
            for _ in 0..TINY_SYSTEMS {
                world.run(add_one);
            }
        },
        digest,
    );
}
