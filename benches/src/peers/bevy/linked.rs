//! Many systems in thirty chains.

use bevy_ecs::component::{Component, Mutable};
use bevy_ecs::schedule::{IntoScheduleConfigs, MultiThreadedExecutor, Schedule, SingleThreadedExecutor};
use bevy_ecs::system::Query;
use bevy_ecs::world::World;
use bevy_tasks::{ComputeTaskPool, TaskPool, TaskPoolBuilder};

use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::linked::{self, Body, Busy, Chain, Tiny, Wait, for_each_chain, for_each_system};

fn act<L: Chain + Component<Mutability = Mutable>, B: Body>(mut all: Query<&mut L>) {
    for mut one in &mut all {
        B::act(one.value());
    }
}

fn world() -> World {
    ComputeTaskPool::get_or_init(TaskPool::default);
    let mut world = World::new();
    macro_rules! spawn {
        ($chain:ident) => {
            world.spawn_batch(linked::values().map(linked::$chain::of));
        };
    }
    for_each_chain!(spawn);
    world
}

/// Adds the systems in any order: systems that write the same component exclude each other, and it does not matter
/// which is first.
fn tiny_schedule() -> Schedule {
    let mut schedule = Schedule::default();
    macro_rules! add {
        ($chain:ident) => {
            schedule.add_systems(act::<linked::$chain, Tiny>)
        };
    }
    for_each_system!(Tiny, add);
    schedule
}

/// Adds the systems in the order of their chains.
fn chained<B: Body>() -> Schedule {
    let mut schedule = Schedule::default();
    macro_rules! chain {
        ($chain:ident) => {
            let act = act::<linked::$chain, B>;
            schedule.add_systems((act, act, act, act, act, act, act, act, act, act).chain());
        };
    }
    for_each_chain!(chain);
    schedule
}

fn digest(world: &mut World) -> u64 {
    let mut chains = Vec::new();
    macro_rules! collect {
        ($chain:ident) => {
            let mut query = world.query::<&mut linked::$chain>();
            chains.push(query.iter_mut(world).map(|mut one| *one.value()).collect());
        };
    }
    for_each_chain!(collect);
    linked::digest(chains)
}

pub(super) fn tiny(workload: &mut Workload) {
    scheduled(workload, tiny_schedule, TaskPool::default);
}

pub(super) fn busy(workload: &mut Workload) {
    scheduled(workload, chained::<Busy>, TaskPool::default);
}

pub(super) fn waits(workload: &mut Workload, threads: u32) {
    let pool = move || TaskPoolBuilder::new().num_threads(threads as usize).build();
    scheduled(workload, chained::<Wait>, pool);
}

fn scheduled(
    workload: &mut Workload,
    schedule: fn() -> Schedule,
    pool: impl Fn() -> TaskPool + Copy + 'static,
) {
    workload.add(
        Bevy,
        "MultiThreadedExecutor",
        move || {
            ComputeTaskPool::get_or_init(pool);
            let mut schedule = schedule();
            schedule.set_executor(MultiThreadedExecutor::new());
            (world(), schedule)
        },
        |(world, schedule)| schedule.run(world),
        |(world, _)| digest(world),
    );
}

pub(super) fn build(workload: &mut Workload) {
    workload.add(
        Bevy,
        "SingleThreadedExecutor",
        world,
        |world| {
            let mut schedule = tiny_schedule();
            schedule.set_executor(SingleThreadedExecutor::new());
            schedule.run(world);
        },
        digest,
    );
}
