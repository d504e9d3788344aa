//! Many systems in thirty chains.

use legion::query::IntoQuery;
use legion::storage::Component;
use legion::systems::{Builder, ParallelRunnable};
use legion::{Resources, Schedule, SystemBuilder, World};

use crate::peers::Peer::Legion;
use crate::subject::Workload;
use crate::workloads::linked::{self, Body, Busy, Chain, Tiny, Wait, for_each_chain, for_each_system};

type State = (World, Schedule, Resources);

fn system<L: Chain + Component, B: Body>() -> impl ParallelRunnable {
    let system = SystemBuilder::new("act").with_query(<&mut L>::query());
    system.build(|_, world, (), query| {
        query.for_each_mut(world, |one| B::act(one.value()));
    })
}

fn world() -> World {
    let mut world = World::default();
    macro_rules! spawn {
        ($chain:ident) => {
            world.extend(linked::values().map(|value| (linked::$chain::of(value),)));
        };
    }
    for_each_chain!(spawn);
    world
}

fn schedule<B: Body>() -> Schedule {
    let mut builder: Builder = Schedule::builder();
    macro_rules! add {
        ($chain:ident) => {
            builder.add_system(system::<linked::$chain, B>())
        };
    }
    for_each_system!(B, add);
    builder.build()
}

fn digest(world: &mut World) -> u64 {
    let mut chains = Vec::new();
    macro_rules! collect {
        ($chain:ident) => {
            let mut query = <&mut linked::$chain>::query();
            chains.push(query.iter_mut(world).map(|one| *one.value()).collect());
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
        Legion,
        "Schedule",
        move || -> State {
            linked::use_threads(threads);
            (world(), schedule::<B>(), Resources::default())
        },
        |(world, schedule, resources)| schedule.execute(world, resources),
        |(world, ..)| digest(world),
    );
}

/// Makes a schedule that runs all systems on the calling thread.
fn sequential() -> Schedule {
    let mut builder: Builder = Schedule::builder();
    macro_rules! add {
        ($chain:ident) => {
            builder.add_thread_local(system::<linked::$chain, Tiny>())
        };
    }
    for_each_system!(Tiny, add);
    builder.build()
}

pub(super) fn build(workload: &mut Workload) {
    workload.add(
        Legion,
        "Schedule, thread local",
        || (world(), Resources::default()),
        |(world, resources)| sequential().execute(world, resources),
        |(world, _)| digest(world),
    );
}
