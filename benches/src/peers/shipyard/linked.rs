//! Many systems in thirty chains.

use shipyard::{Component, IntoIter, ViewMut, Workload as Systems, World, track};

use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::linked::{self, Body, Busy, Chain, Tiny, Wait, for_each_chain, for_each_system};

fn act<L: Chain + Component<Tracking = track::Untracked> + Send + Sync, B: Body>(
    mut all: ViewMut<L>,
) {
    (&mut all).iter().for_each(|one| B::act(one.value()));
}

fn world() -> World {
    let mut world = World::new();
    macro_rules! spawn {
        ($chain:ident) => {
            world.bulk_add_entity(linked::values().map(|value| (linked::$chain::of(value),)));
        };
    }
    for_each_chain!(spawn);
    world
}

fn systems<B: Body>() -> Systems {
    let mut systems = Systems::new("linked");
    macro_rules! add {
        ($chain:ident) => {
            systems = systems.with_system(act::<linked::$chain, B>)
        };
    }
    for_each_system!(B, add);
    systems
}

fn digest(world: &mut World) -> u64 {
    let mut chains = Vec::new();
    macro_rules! collect {
        ($chain:ident) => {
            chains.push(world.run(|mut all: ViewMut<linked::$chain>| {
                (&mut all).iter().map(|one| *one.value()).collect()
            }));
        };
    }
    for_each_chain!(collect);
    linked::digest(chains)
}

pub(super) fn tiny(workload: &mut Workload) {
    scheduled::<Tiny>(workload, 0);
}

pub(super) fn busy(workload: &mut Workload) {
    scheduled::<Busy>(workload, 0);
}

pub(super) fn waits(workload: &mut Workload, threads: u32) {
    scheduled::<Wait>(workload, threads);
}

fn scheduled<B: Body>(workload: &mut Workload, threads: u32) {
    workload.add(
        Shipyard,
        "Workload",
        move || {
            linked::use_threads(threads);
            let world = world();
            systems::<B>().add_to_world(&world).expect("nothing conflicts");
            world
        },
        |world| world.run_default_workload().expect("no system fails"),
        digest,
    );
}

pub(super) fn build(workload: &mut Workload) {
    workload.add(
        Shipyard,
        "Workload",
        world,
        |world| {
            let (systems, _) = systems::<Tiny>().build().expect("nothing conflicts");
            systems.run_with_world(world).expect("no system fails");
        },
        digest,
    );
}
