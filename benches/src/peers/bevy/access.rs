//! Look-ups by id.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::query::QueryState;
use bevy_ecs::system::{Query, SystemState};
use bevy_ecs::world::World;

use crate::components::{Position, row};
use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

/// A world and a prepared query.
type Prepared = (World, QueryState<&'static Position>);

fn world_of(entities: u32) -> State<Prepared, Entity> {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(row)).collect();
    let query = world.query();
    State::new((world, query), ids)
}

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "query.get",
        move || world_of(entities),
        |state| {
            let (world, query) = &mut state.world;
            let positions = query.query(world);
            state.sum = sum_of(&state.ids, |id| Some(positions.get(id).ok()?.0.x));
        },
        |state| state.sum,
    );
    world_get(workload);
}

pub(super) fn world_get(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "world.get",
        move || world_of(entities),
        |state| {
            let (world, _) = &state.world;
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
    type Queries = (
        Query<'static, 'static, (&'static mut Sum, &'static Link)>,
        Query<'static, 'static, &'static Link>,
    );

    let entities = workload.elements();
    workload.add(
        Bevy,
        "for_each, query.get",
        move || -> (World, SystemState<Queries>) {
            let mut world = World::new();
            let mut ids: Vec<Entity> = Vec::new();
            for number in 0..entities {
                let parent = links::parent(number).map(|parent| ids[parent as usize]);
                let value = links::value(number);
                ids.push(world.spawn((Link { parent, value }, Sum(0.0))).id());
            }
            let state = SystemState::new(&mut world);
            (world, state)
        },
        |(world, state)| {
            let (mut sums, links) = state.get_mut(world).expect("the queries do not conflict");
            sums.iter_mut().for_each(|(mut sum, link)| {
                sum.0 = links::sum_up(link.parent, |id| {
                    links.get(id).ok().map(|link| (link.value, link.parent))
                });
            });
        },
        |(world, _)| frag::digest(world.query::<&Sum>().iter(world).map(|sum| sum.0)),
    );
}
