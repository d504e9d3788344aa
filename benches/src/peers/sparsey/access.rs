//! Look-ups by id.

use sparsey::World;
use sparsey::entity::Entity;

use crate::components::{Position, Rotation, Transform, Velocity, row};
use crate::peers::Peer::Sparsey;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Sparsey,
        "view.get",
        move || {
            let mut world = World::builder()
                .register::<Transform>()
                .register::<Position>()
                .register::<Rotation>()
                .register::<Velocity>()
                .build();
            let ids = world.extend((0..entities).map(row)).to_vec();
            State::new(world, ids)
        },
        |state| {
            let positions = state.world.borrow::<Position>();
            state.sum = sum_of(&state.ids, |id| Some(positions.get(id)?.0.x));
        },
        |state| state.sum,
    );
}

links::link_components! { Entity }

pub(super) fn links(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Sparsey,
        "group for_each, view.get",
        move || {
            let mut world = World::builder().add_group::<(Sum, Link)>().build();
            let mut ids: Vec<Entity> = Vec::new();
            for number in 0..entities {
                let parent = links::parent(number).map(|parent| ids[parent as usize]);
                let value = links::value(number);
                ids.push(world.create((Link { parent, value }, Sum(0.0))));
            }
            world
        },
        |world| {
            let links = world.borrow::<Link>();
            world.for_each::<(&mut Sum, &Link)>(|(sum, link)| {
                sum.0 = links::sum_up(link.parent, |id| {
                    links.get(id).map(|link| (link.value, link.parent))
                });
            });
        },
        |world| {
            let sums = world.borrow::<Sum>();
            frag::digest(sums.as_slice().iter().map(|sum| sum.0))
        },
    );
}
