//! Many tiny systems over twenty components of one entity: functions that are called.

use gecs::prelude::*;

use super::worlds::linked::*;
use crate::peers::Peer::Gecs;
use crate::subject::Workload;
use crate::workloads::linked::*;
use crate::workloads::systems::{self, for_each_component, for_each_tiny_system};

/// Makes two entities, because one has sixteen components at most.
fn world() -> LinkedWorld {
    let mut world = LinkedWorld::default();
    world.create::<Front>(Default::default());
    world.create::<Back>(Default::default());
    world
}

fn digest(world: &mut LinkedWorld) -> u64 {
    let mut values = Vec::new();
    macro_rules! collect {
        ($component:ident) => {
            ecs_iter!(world, |one: &$component| {
                values.push(one.0);
            });
        };
    }
    for_each_component!(collect);
    systems::digest(values)
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Gecs,
        "calls",
        world,
        move |world| {
            macro_rules! call {
                ($component:ident) => {{
                    #[inline(never)]
                    fn add_one(world: &mut LinkedWorld) {
                        ecs_iter!(world, |one: &mut $component| {
                            one.0 += 1.0;
                        });
                    }
                    add_one(world);
                }};
            }
            for_each_tiny_system!(systems, call);
        },
        digest,
    );
}
