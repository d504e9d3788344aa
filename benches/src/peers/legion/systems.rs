//! Many tiny systems over twenty components of one entity, all of them on the calling thread.

use legion::query::IntoQuery;
use legion::storage::Component;
use legion::systems::Runnable;
use legion::{Resources, Schedule, SystemBuilder, World};

use crate::peers::Peer::Legion;
use crate::subject::Workload;
use crate::workloads::linked::{self, Chain};
use crate::workloads::systems::{self, for_each_component, for_each_tiny_system};

fn system<L: Chain + Component>() -> impl Runnable {
    let system = SystemBuilder::new("tiny").with_query(<&mut L>::query());
    system.build(|_, world, (), query| {
        query.for_each_mut(world, |one| *one.value() += 1.0);
    })
}

/// Inserts one component after the other.
fn world() -> World {
    let mut world = World::default();
    let entity = world.push(());
    let mut entry = world.entry(entity).expect("the entity is alive");
    macro_rules! insert {
        ($component:ident) => {
            entry.add_component(linked::$component(0.0));
        };
    }
    for_each_component!(insert);
    world
}

fn digest(world: &mut World) -> u64 {
    let mut values = Vec::new();
    macro_rules! collect {
        ($component:ident) => {
            let mut query = <&linked::$component>::query();
            values.extend(query.iter(world).map(|one| one.0));
        };
    }
    for_each_component!(collect);
    systems::digest(values)
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Legion,
        "Schedule, thread local",
        move || {
            let mut builder = Schedule::builder();
            macro_rules! add {
                ($component:ident) => {
                    builder.add_thread_local(system::<linked::$component>())
                };
            }
            for_each_tiny_system!(systems, add);
            (world(), builder.build(), Resources::default())
        },
        |(world, schedule, resources)| schedule.execute(world, resources),
        |(world, ..)| digest(world),
    );
}
