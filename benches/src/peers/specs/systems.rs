//! Many tiny systems over twenty components of one entity, on the calling thread.

use std::marker::PhantomData;

use specs::{
    Builder, Component, DispatcherBuilder, Join, System, VecStorage, World, WorldExt, WriteStorage,
};

use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::linked::{self, Chain};
use crate::workloads::systems::{self, for_each_component, for_each_tiny_system};

struct AddOne<L>(PhantomData<fn() -> L>);

impl<'a, L: Chain + Component<Storage = VecStorage<L>> + Send + Sync> System<'a> for AddOne<L> {
    type SystemData = WriteStorage<'a, L>;

    fn run(&mut self, mut all: Self::SystemData) {
        for one in (&mut all).join() {
            *one.value() += 1.0;
        }
    }
}

fn world() -> World {
    let mut world = World::new();
    let entity = world.create_entity().build();
    macro_rules! insert {
        ($component:ident) => {
            world.register::<linked::$component>();
            let inserted = world.write_storage().insert(entity, linked::$component(0.0));
            inserted.expect("the entity is alive");
        };
    }
    for_each_component!(insert);
    world
}

fn digest(world: &mut World) -> u64 {
    let mut values = Vec::new();
    macro_rules! collect {
        ($component:ident) => {
            let all = world.read_storage::<linked::$component>();
            values.extend((&all).join().map(|one| one.0));
        };
    }
    for_each_component!(collect);
    systems::digest(values)
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Specs,
        "dispatch_seq",
        move || {
            let mut builder = DispatcherBuilder::new();
            let mut number = 0;
            macro_rules! add {
                ($component:ident) => {{
                    number += 1;
                    let system = AddOne::<linked::$component>(PhantomData);
                    builder.add(system, &format!("tiny {number}"), &[]);
                }};
            }
            for_each_tiny_system!(systems, add);
            (world(), builder.build())
        },
        |(world, dispatcher)| dispatcher.dispatch_seq(world),
        |(world, _)| digest(world),
    );
}
