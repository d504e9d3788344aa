//! Look-ups by id.

use ecs_core::prelude::*;

use crate::components::{Position, row};
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

fn world_of(entities: u32) -> State<World, Entity> {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(row)).to_vec();
    State::new(world, ids)
}

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    let setup = move || world_of(entities);
    workload.add(
        Ours,
        "view.get",
        setup,
        |state| {
            let positions = state.world.view::<Position>();
            state.sum = sum_of(&state.ids, |id| Some(positions.get(id)?.0.x));
        },
        |state| state.sum,
    );
    workload.add(
        Ours,
        "query.get",
        setup,
        |state| {
            let positions = state.world.query::<&Position>();
            state.sum = sum_of(&state.ids, |id| Some(positions.get(id)?.0.x));
        },
        |state| state.sum,
    );
    world_get(workload);
}

pub(super) fn world_get(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "world.get",
        move || world_of(entities),
        |state| {
            let world = &state.world;
            state.sum = sum_of(&state.ids, |id| Some(world.get::<Position>(id)?.0.x));
        },
        |state| state.sum,
    );
    workload.add(
        Ours,
        "read_only, get",
        move || world_of(entities),
        |state| {
            let world = state.world.read_only();
            state.sum = sum_of(&state.ids, |id| Some(world.get::<Position>(id)?.0.x));
        },
        |state| state.sum,
    );
}

links::link_components! {
    #[derive(Component)]
    Entity
}

pub(super) fn links(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "for_each, view.get",
        move || {
            let mut world = World::new();
            let mut ids: Vec<Entity> = Vec::new();
            for number in 0..entities {
                let parent = links::parent(number).map(|parent| ids[parent as usize]);
                let value = links::value(number);
                ids.push(world.spawn((Link { parent, value }, Sum(0.0))));
            }
            world
        },
        |world| {
            let (mut sums, links) = (world.view_mut::<Sum>(), world.view::<Link>());
            (&mut sums, &links).for_each(|(sum, link)| {
                sum.0 = links::sum_up(link.parent, |id| {
                    links.get(id).map(|link| (link.value, link.parent))
                });
            });
        },
        |world| frag::digest(world.view::<Sum>().iter().map(|sum| sum.0)),
    );
}
