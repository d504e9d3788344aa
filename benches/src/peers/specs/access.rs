//! Look-ups by id.

use specs::{Builder, Component, Entity, Join, VecStorage, World, WorldExt};

use crate::components::{Position, Rotation, Transform, Velocity, row};
use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

fn world_of(entities: u32) -> State<World, Entity> {
    let mut world = World::new();
    world.register::<Transform>();
    world.register::<Position>();
    world.register::<Rotation>();
    world.register::<Velocity>();
    let spawn = |number| {
        let (transform, position, rotation, velocity) = row(number);
        let entity = world.create_entity().with(transform).with(position);
        entity.with(rotation).with(velocity).build()
    };
    let ids = (0..entities).map(spawn).collect();
    State::new(world, ids)
}

pub(super) fn world_get(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Specs,
        "read_storage, get",
        move || world_of(entities),
        |state| {
            let world = &state.world;
            state.sum = sum_of(&state.ids, |id| Some(world.read_storage::<Position>().get(id)?.0.x));
        },
        |state| state.sum,
    );
}

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Specs,
        "storage.get",
        move || world_of(entities),
        |state| {
            let positions = state.world.read_storage::<Position>();
            state.sum = sum_of(&state.ids, |id| Some(positions.get(id)?.0.x));
        },
        |state| state.sum,
    );
}

links::link_components! { Entity }

impl Component for Link {
    type Storage = VecStorage<Self>;
}

impl Component for Sum {
    type Storage = VecStorage<Self>;
}

pub(super) fn links(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Specs,
        "join, storage.get",
        move || {
            let mut world = World::new();
            world.register::<Link>();
            world.register::<Sum>();
            let mut ids: Vec<Entity> = Vec::new();
            for number in 0..entities {
                let parent = links::parent(number).map(|parent| ids[parent as usize]);
                let value = links::value(number);
                let entity = world.create_entity().with(Link { parent, value });
                ids.push(entity.with(Sum(0.0)).build());
            }
            world
        },
        |world| {
            let (mut sums, links) = (world.write_storage::<Sum>(), world.read_storage::<Link>());
            for (sum, link) in (&mut sums, &links).join() {
                sum.0 = links::sum_up(link.parent, |id| {
                    links.get(id).map(|link| (link.value, link.parent))
                });
            }
        },
        |world| {
            let sums = world.read_storage::<Sum>();
            frag::digest((&sums).join().map(|sum| sum.0))
        },
    );
}
