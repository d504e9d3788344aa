//! Many tiny systems over twenty components of one entity, with the single-threaded executor.

use bevy_ecs::component::{Component, Mutable};
use bevy_ecs::schedule::{Schedule, SingleThreadedExecutor};
use bevy_ecs::system::Query;
use bevy_ecs::world::World;

use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::linked::{self, Chain};
use crate::workloads::systems::{self, for_each_component, for_each_tiny_system};

fn add_one<L: Chain + Component<Mutability = Mutable>>(mut all: Query<&mut L>) {
    for mut one in &mut all {
        *one.value() += 1.0;
    }
}

/// Inserts one component after the other.
fn world() -> World {
    let mut world = World::new();
    let mut entity = world.spawn_empty();
    macro_rules! insert {
        ($component:ident) => {
            entity.insert(linked::$component(0.0));
        };
    }
    for_each_component!(insert);
    world
}

fn schedule(systems: u32) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.set_executor(SingleThreadedExecutor::new());
    macro_rules! add {
        ($component:ident) => {
            schedule.add_systems(add_one::<linked::$component>)
        };
    }
    for_each_tiny_system!(systems, add);
    schedule
}

fn digest(world: &mut World) -> u64 {
    let mut values = Vec::new();
    macro_rules! collect {
        ($component:ident) => {
            let mut query = world.query::<&linked::$component>();
            values.extend(query.iter(world).map(|one| one.0));
        };
    }
    for_each_component!(collect);
    systems::digest(values)
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Bevy,
        "Schedule",
        move || (world(), schedule(systems)),
        |(world, schedule)| schedule.run(world),
        |(world, _)| digest(world),
    );
}

pub(super) fn build(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Bevy,
        "Schedule",
        world,
        move |world| schedule(systems).run(world),
        digest,
    );
}
