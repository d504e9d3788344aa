//! Look-ups by id.

use legion::query::IntoQuery;
use legion::{Entity, EntityStore, World};

use crate::components::{Position, row};
use crate::peers::Peer::Legion;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

fn world_of(entities: u32) -> State<World, Entity> {
    let mut world = World::default();
    let ids = world.extend((0..entities).map(row)).to_vec();
    State::new(world, ids)
}

pub(super) fn world_get(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Legion,
        "entry_ref",
        move || world_of(entities),
        |state| {
            let world = &state.world;
            state.sum = sum_of(&state.ids, |id| {
                let entry = world.entry_ref(id).ok()?;
                Some(entry.into_component::<Position>().ok()?.0.x)
            });
        },
        |state| state.sum,
    );
}

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    world_get(workload);
    workload.add(
        Legion,
        "query.get",
        move || world_of(entities),
        |state| {
            let (world, mut query) = (&state.world, <&Position>::query());
            state.sum = sum_of(&state.ids, |id| Some(query.get(world, id).ok()?.0.x));
        },
        |state| state.sum,
    );
}

links::link_components! { Entity }

pub(super) fn links(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Legion,
        "for_each, entry_ref",
        move || {
            let mut world = World::default();
            let mut ids: Vec<Entity> = Vec::new();
            for number in 0..entities {
                let parent = links::parent(number).map(|parent| ids[parent as usize]);
                let value = links::value(number);
                ids.push(world.push((Link { parent, value }, Sum(0.0))));
            }
            (world, <(&mut Sum, &Link)>::query())
        },
        |(world, query)| {
            let (mut sums, rest) = world.split_for_query(query);
            query.for_each_mut(&mut sums, |(sum, link)| {
                sum.0 = links::sum_up(link.parent, |id| {
                    let entry = rest.entry_ref(id).ok()?;
                    let link = entry.into_component::<Link>().ok()?;
                    Some((link.value, link.parent))
                });
            });
        },
        |(world, _)| frag::digest(<&Sum>::query().iter(world).map(|sum| sum.0)),
    );
}
