//! Many systems in thirty chains.

use ecs_core::prelude::*;
use rayon::ThreadPoolBuilder;

use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::linked::{self, Body, Busy, Chain, Tiny, Wait, for_each_chain, for_each_system};

#[system]
fn act<L: Chain + Component, B: Body>(mut all: CompMut<L>) {
    (&mut all).for_each(|mut one| B::act(one.value()));
}

fn world() -> World {
    let mut world = World::new();
    macro_rules! spawn {
        ($chain:ident) => {
            world.spawn_batch(linked::values().map(linked::$chain::of));
        };
    }
    for_each_chain!(spawn);
    world
}

fn schedule<B: Body>() -> Schedule {
    let mut schedule = Schedule::new();
    macro_rules! add {
        ($chain:ident) => {
            schedule.add(act::<linked::$chain, B>)
        };
    }
    for_each_system!(B, add);
    schedule
}

fn digest(world: &mut World) -> u64 {
    let mut chains = Vec::new();
    macro_rules! collect {
        ($chain:ident) => {
            let mut view = world.view_mut::<linked::$chain>();
            chains.push(view.iter_mut().map(|one| *one.value()).collect());
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

/// Runs systems on a number of threads, or on one for each core.
fn scheduled<B: Body>(workload: &mut Workload, threads: u32) {
    workload.add(
        Ours,
        "run",
        move || {
            linked::use_threads(threads);
            (world(), schedule::<B>())
        },
        |(world, schedule)| schedule.run(world).expect("no system fails"),
        |(world, _)| digest(world),
    );
    workload.add(
        Ours,
        "run_par",
        move || {
            let pool = ThreadPoolBuilder::new().num_threads(threads as usize);
            let pool = pool.build().expect("threads are available");
            (world(), schedule::<B>(), pool)
        },
        |(world, schedule, pool)| schedule.run_par(world, pool).expect("no system fails"),
        |(world, ..)| digest(world),
    );
}

pub(super) fn build(workload: &mut Workload) {
    workload.add(
        Ours,
        "add, run_seq",
        world,
        |world| schedule::<Tiny>().run_seq(world).expect("no system fails"),
        digest,
    );
}
