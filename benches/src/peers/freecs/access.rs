//! Look-ups by id.

use freecs::Entity;

use super::change::spawn_all;
use super::worlds::{node, rows, tree};
use crate::components::row;
use crate::peers::Peer::Freecs;
use crate::subject::Workload;
use crate::workloads::get::{State, sum_of};
use crate::workloads::{frag, links};
use tree::{LINK, SUM};

pub(super) fn get_random(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Freecs,
        "get_position",
        move || {
            let mut world = rows::World::default();
            let ids = spawn_all(&mut world, entities as usize, (0..entities).map(row));
            State::new(world, ids)
        },
        |state| {
            let world = &state.world;
            state.sum = sum_of(&state.ids, |id| Some(world.get_position(id)?.0.x));
        },
        |state| state.sum,
    );
}

/// Computes all sums, then writes them, because the world cannot be read while it is iterated mutably.
pub(super) fn links(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Freecs,
        "for_each, get_link; for_each_sum_mut",
        move || {
            let mut world = tree::World::default();
            let mut ids: Vec<Entity> = Vec::new();
            for number in 0..entities {
                let parent = links::parent(number).map(|parent| ids[parent as usize]);
                let value = links::value(number);
                let spawned = world.spawn_batch(LINK | SUM, 1, |table, row| {
                    table.link[row] = node::Link { parent, value };
                });
                ids.push(spawned[0]);
            }
            (world, Vec::new())
        },
        |(world, sums): &mut (tree::World, Vec<f32>)| {
            sums.clear();
            world.for_each(LINK | SUM, 0, |_, table, row| {
                sums.push(links::sum_up(table.link[row].parent, |id| {
                    let link = world.get_link(id)?;
                    Some((link.value, link.parent))
                }));
            });
            let mut sums = sums.iter();
            world.for_each_sum_mut(|sum| sum.0 = *sums.next().expect("one for each"));
        },
        |(world, _)| frag::digest(world.query_sum().map(|sum| sum.0)),
    );
}
