//! Look-ups by id.

use shipyard::{Component, EntityId, Get, IntoIter, View, ViewMut, World, track};

use crate::components::{Position, row};
use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Shipyard,
        "view.get",
        move || {
            let mut world = World::new();
            let ids = world.bulk_add_entity((0..entities).map(row)).collect();
            State::new(world, ids)
        },
        |state| {
            let ids = &state.ids;
            state.sum = state.world.run(|positions: View<Position>| {
                sum_of(ids, |id| Some((&positions).get(id).ok()?.0.x))
            });
        },
        |state| state.sum,
    );
}

pub(super) fn world_get(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Shipyard,
        "world.get",
        move || {
            let mut world = World::new();
            let ids = world.bulk_add_entity((0..entities).map(row)).collect();
            State::new(world, ids)
        },
        |state| {
            let world = &state.world;
            state.sum = sum_of(&state.ids, |id| Some(world.get::<&Position>(id).ok()?.0.x));
        },
        |state| state.sum,
    );
}

links::link_components! { EntityId }

impl Component for Link {
    type Tracking = track::Untracked;
}

impl Component for Sum {
    type Tracking = track::Untracked;
}

pub(super) fn links(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Shipyard,
        "for_each, view.get",
        move || {
            let mut world = World::new();
            let mut ids: Vec<EntityId> = Vec::new();
            for number in 0..entities {
                let parent = links::parent(number).map(|parent| ids[parent as usize]);
                let value = links::value(number);
                ids.push(world.add_entity((Link { parent, value }, Sum(0.0))));
            }
            world
        },
        |world| {
            world.run(|mut sums: ViewMut<Sum>, links: View<Link>| {
                (&mut sums, &links).iter().for_each(|(sum, link)| {
                    sum.0 = links::sum_up(link.parent, |id| {
                        let link = (&links).get(id).ok()?;
                        Some((link.value, link.parent))
                    });
                });
            });
        },
        |world| world.run(|sums: View<Sum>| frag::digest(sums.iter().map(|sum| sum.0))),
    );
}
