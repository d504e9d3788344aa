//! Joins of components in sparse storage.

use flecs_ecs::core::flecs::{DontFragment, Sparse};
use flecs_ecs::prelude::*;

use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::sparse::{First, Second, Third, digest, first, other};

/// Inserts the second component in the opposite order.
fn world(entities: u32) -> World {
    let world = World::new();
    macro_rules! set_apart {
        ($component:ident) => {
            let component = world.component::<$component>();
            component.add_trait::<Sparse>();
            component.add_trait::<DontFragment>();
        };
    }
    set_apart!(First);
    set_apart!(Second);
    set_apart!(Third);
    let ids = (0..entities).map(|number| world.entity().set(First(first(number))).id());
    let ids: Vec<Entity> = ids.collect();
    for (&id, number) in ids.iter().zip(0..entities).rev() {
        world.entity_from_id(id).set(Second(other(number)));
    }
    for (&id, number) in ids.iter().zip(0..) {
        world.entity_from_id(id).set(Third(other(number)));
    }
    world
}

fn checksum(world: &World) -> u64 {
    let mut values = Vec::new();
    world.new_query::<&First>().each(|first| values.push(first.0));
    digest(values)
}

pub(super) fn join2(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Flecs,
        "DontFragment, each",
        move || -> (Query<(&'static mut First, &'static Second)>, World) {
            let world = world(entities);
            (world.new_query(), world)
        },
        |(query, _)| query.each(|(first, second)| first.0 += second.0),
        |(_, world)| checksum(world),
    );
}

pub(super) fn join3(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Flecs,
        "DontFragment, each",
        move || -> (Query<(&'static mut First, &'static Second, &'static Third)>, World) {
            let world = world(entities);
            (world.new_query(), world)
        },
        |(query, _)| {
            query.each(|(first, second, third)| {
                first.0 += second.0;
                first.0 += third.0;
            });
        },
        |(_, world)| checksum(world),
    );
}
