//! Many tiny systems over twenty components of one entity, in the world's pipeline.

use flecs_ecs::prelude::*;

use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::linked;
use crate::workloads::systems::{self, for_each_component, for_each_tiny_system};

fn digest(world: &mut World) -> u64 {
    let mut values = Vec::new();
    macro_rules! collect {
        ($component:ident) => {
            world.new_query::<&linked::$component>().each(|one| values.push(one.0));
        };
    }
    for_each_component!(collect);
    systems::digest(values)
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Flecs,
        "progress",
        move || {
            let world = World::new();
            let entity = world.entity();
            macro_rules! set {
                ($component:ident) => {
                    entity.set(linked::$component(0.0));
                };
            }
            for_each_component!(set);
            macro_rules! add {
                ($component:ident) => {{
                    world.system::<&mut linked::$component>().each(|one| one.0 += 1.0);
                }};
            }
            for_each_tiny_system!(systems, add);
            world
        },
        |world| {
            world.progress();
        },
        digest,
    );
}
