//! Look-ups by id.

use gecs::prelude::*;

use super::worlds::rows::{self, *};
use super::worlds::tree::{self, *};
use crate::components::{Position, row};
use crate::peers::Peer::Gecs;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Gecs,
        "ecs_find!",
        move || -> State<RowsWorld, Entity<Full>> {
            let mut world = RowsWorld::with_capacity(entities as usize);
            let ids = (0..entities).map(|number| world.create::<Full>(row(number)));
            let ids = ids.collect();
            State::new(world, ids)
        },
        |state| {
            let world = &mut state.world;
            state.sum = sum_of(&state.ids, |id| {
                rows::ecs_find!(world, id, |position: &Position| position.0.x)
            });
        },
        |state| state.sum,
    );
}

pub(super) fn links(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Gecs,
        "ecs_iter_borrow!, ecs_find_borrow!",
        move || {
            let mut world = TreeWorld::with_capacity(entities as usize);
            let mut ids: Vec<EntityAny> = Vec::new();
            for number in 0..entities {
                let parent = links::parent(number).map(|parent| ids[parent as usize]);
                let value = links::value(number);
                let node = world.create::<Node>((Link { parent, value }, Sum(0.0)));
                ids.push(node.into());
            }
            world
        },
        |world| {
            tree::ecs_iter_borrow!(world, |sum: &mut Sum, link: &Link| {
                sum.0 = links::sum_up(link.parent, |id| {
                    tree::ecs_find_borrow!(world, id, |link: &Link| (link.value, link.parent))
                });
            });
        },
        |world| frag::digest(world.node.borrow_slice::<Sum>().iter().map(|sum| sum.0)),
    );
}
