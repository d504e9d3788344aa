//! Look-ups by id.

use flecs_ecs::prelude::*;

use crate::components::{Position, Rotation, Transform, Velocity, row};
use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Flecs,
        "try_get",
        move || {
            let world = World::new();
            let rows = (0..entities).map(row);
            let transforms: Vec<Transform> = rows.clone().map(|row| row.0).collect();
            let positions: Vec<Position> = rows.clone().map(|row| row.1).collect();
            let rotations: Vec<Rotation> = rows.clone().map(|row| row.2).collect();
            let velocities: Vec<Velocity> = rows.map(|row| row.3).collect();
            let mut bulk = world.entity_bulk(entities);
            let bulk = bulk.set(&transforms).set(&positions);
            let ids = bulk.set(&rotations).set(&velocities).build();
            State::new(world, ids)
        },
        |state| {
            let world = &state.world;
            state.sum = sum_of(&state.ids, |id| {
                let entity = world.entity_from_id(id);
                entity.try_get::<&Position>(|position| position.0.x)
            });
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
        Flecs,
        "each, try_get",
        move || -> (Query<(&'static mut Sum, &'static Link)>, World) {
            let world = World::new();
            let mut ids: Vec<Entity> = Vec::new();
            for number in 0..entities {
                let parent = links::parent(number).map(|parent| ids[parent as usize]);
                let value = links::value(number);
                let entity = world.entity().set(Link { parent, value });
                ids.push(entity.set(Sum(0.0)).id());
            }
            (world.new_query(), world)
        },
        |(query, world)| {
            query.each(|(sum, link)| {
                sum.0 = links::sum_up(link.parent, |id| {
                    let entity = world.entity_from_id(id);
                    entity.try_get::<&Link>(|link| (link.value, link.parent))
                });
            });
        },
        |(query, _)| {
            let mut sums = Vec::new();
            query.each(|(sum, _)| sums.push(sum.0));
            frag::digest(sums)
        },
    );
}
