//! Many tiny systems over twenty components of one entity: functions that are called.

use sparsey::World;

use crate::peers::Peer::Sparsey;
use crate::subject::Workload;
use crate::workloads::linked::{self, Chain};
use crate::workloads::systems::{self, for_each_component, for_each_tiny_system};

#[inline(never)]
fn add_one<L: Chain + Send + Sync + 'static>(world: &World) {
    world.for_each::<&mut L>(|one| *one.value() += 1.0);
}

fn world() -> World {
    let mut world = World::default();
    let entity = world.create(());
    macro_rules! insert {
        ($component:ident) => {
            world.register::<linked::$component>();
            world.insert(entity, (linked::$component(0.0),));
        };
    }
    for_each_component!(insert);
    world
}

fn digest(world: &mut World) -> u64 {
    let mut values = Vec::new();
    macro_rules! collect {
        ($component:ident) => {
            let view = world.borrow::<linked::$component>();
            values.extend(view.as_slice().iter().map(|one| one.0));
        };
    }
    for_each_component!(collect);
    systems::digest(values)
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Sparsey,
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
