//! Many tiny systems over twenty components of one entity, in a workload and run one by one.

use shipyard::{Component, IntoIter, View, ViewMut, Workload as Systems, World, track};

use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::linked::{self, Chain};
use crate::workloads::systems::{self, for_each_component, for_each_tiny_system};

fn add_one<L: Chain + Component<Tracking = track::Untracked> + Send + Sync>(mut all: ViewMut<L>) {
    (&mut all).iter().for_each(|one| *one.value() += 1.0);
}

fn world() -> World {
    let mut world = World::new();
    let entity = world.add_entity(());
    macro_rules! insert {
        ($component:ident) => {
            world.add_component(entity, (linked::$component(0.0),));
        };
    }
    for_each_component!(insert);
    world
}

fn digest(world: &mut World) -> u64 {
    let mut values = Vec::new();
    macro_rules! collect {
        ($component:ident) => {
            world.run(|all: View<linked::$component>| values.extend(all.iter().map(|one| one.0)));
        };
    }
    for_each_component!(collect);
    systems::digest(values)
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Shipyard,
        "Workload",
        move || {
            let world = world();
            let mut all = Systems::new("tiny");
            macro_rules! add {
                ($component:ident) => {
                    all = all.with_system(add_one::<linked::$component>)
                };
            }
            for_each_tiny_system!(systems, add);
            all.add_to_world(&world).expect("nothing conflicts");
            world
        },
        |world| world.run_default_workload().expect("no system fails"),
        digest,
    );
    workload.add(
        Shipyard,
        "run",
        world,
        move |world| {
            macro_rules! call {
                ($component:ident) => {
                    world.run(add_one::<linked::$component>)
                };
            }
            for_each_tiny_system!(systems, call);
        },
        digest,
    );
}
