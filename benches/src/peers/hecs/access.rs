//! Look-ups by id.

use hecs::{Entity, World};

use crate::components::{Position, row};
use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

fn world_of(entities: u32) -> State<World, Entity> {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(row)).collect();
    State::new(world, ids)
}

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "view.get",
        move || world_of(entities),
        |state| {
            let positions = state.world.view::<&Position>();
            state.sum = sum_of(&state.ids, |id| Some(positions.get(id)?.0.x));
        },
        |state| state.sum,
    );
    world_get(workload);
}

pub(super) fn world_get(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "world.get",
        move || world_of(entities),
        |state| {
            let world = &state.world;
            state.sum = sum_of(&state.ids, |id| {
                Some(world.get::<&Position>(id).ok()?.0.x)
            });
        },
        |state| state.sum,
    );
}

links::link_components! { Entity }

pub(super) fn links(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "for, view.get",
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
            let links = world.view::<&Link>();
            for (sum, link) in &mut world.query::<(&mut Sum, &Link)>() {
                sum.0 = links::sum_up(link.parent, |id| {
                    links.get(id).map(|link| (link.value, link.parent))
                });
            }
        },
        |world| frag::digest(world.query_mut::<&Sum>().into_iter().map(|sum| sum.0)),
    );
}
