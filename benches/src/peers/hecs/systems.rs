//! Many tiny systems over twenty components of one entity: functions that are called.

use hecs::{Component, World};

use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::linked::{self, Chain};
use crate::workloads::systems::{self, for_each_component, for_each_tiny_system};

#[inline(never)]
fn add_one<L: Chain + Component>(world: &mut World) {
    for one in world.query_mut::<&mut L>() {
        *one.value() += 1.0;
    }
}

/// Inserts one component after the other.
fn world() -> World {
    let mut world = World::new();
    let entity = world.spawn(());
    macro_rules! insert {
        ($component:ident) => {
            world.insert_one(entity, linked::$component(0.0)).expect("the entity is alive");
        };
    }
    for_each_component!(insert);
    world
}

fn digest(world: &mut World) -> u64 {
    let mut values = Vec::new();
    macro_rules! collect {
        ($component:ident) => {
            values.extend(world.query_mut::<&linked::$component>().into_iter().map(|one| one.0));
        };
    }
    for_each_component!(collect);
    systems::digest(values)
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Hecs,
        "calls",
        world,
        move |world| {
            macro_rules! call {
                ($component:ident) => {
                    add_one::<linked::$component>(world)
                };
            }
            for_each_tiny_system!(systems, call);
        },
        digest,
    );
}
