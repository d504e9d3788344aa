//! Rows that move from one world to another, and copies that are replaced.

use ecs_core::prelude::*;
use ecs_core::rows::Rows;
use ecs_core::world::ReadOnlyWorld;

use super::saves::{digest, world};
use crate::digest::Digest;
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::saves::{Place, Speed, Turn, row};
use crate::workloads::travel::{MOVING, STAYING, moving};

/// Two worlds, and the entities of the first one that move.
fn worlds() -> (World, World, Vec<Entity>) {
    let (here, ids) = world(STAYING + MOVING);
    let moving = moving().into_iter().map(|number| ids[number as usize]);
    let mut there = World::new();
    there.register::<Place>();
    there.register::<Turn>();
    there.register::<Speed>();
    (here, there, moving.collect())
}

fn key(_: ReadOnlyWorld<'_>, entity: Entity) -> Option<u64> {
    Some(entity.to_bits())
}

fn cross(from: &mut World, list: &[Entity], to: &mut World) -> Vec<Entity> {
    let rows = from.take_rows(list, key).expect("they can leave");
    let put = to.put_rows(rows, |_| None);
    put.expect("they fit").entities
}

fn cross_as_bytes(from: &mut World, list: &[Entity], to: &mut World) -> Vec<Entity> {
    let rows = from.take_rows(list, key).expect("they can leave");
    let bytes = rows.to_bytes().expect("all components are data");
    let rows = Rows::from_bytes(to, &bytes).expect("they were written");
    to.put_rows(rows, |_| None).expect("they fit").entities
}

fn cross_by_hand(from: &mut World, list: &[Entity], to: &mut World) -> Vec<Entity> {
    let query = from.query::<(&Place, &Turn, &Speed)>();
    let values = list.iter().map(|&entity| {
        let (place, turn, speed) = query.get(entity).expect("it has them");
        (*place, *turn, *speed)
    });
    let values: Vec<_> = values.collect();
    drop(query);
    from.despawn_batch(list.iter().copied());
    to.spawn_batch(values).to_vec()
}

type Cross = fn(&mut World, &[Entity], &mut World) -> Vec<Entity>;

const FORMS: [(&str, Cross); 3] = [
    ("take_rows, put_rows", cross),
    ("as bytes", cross_as_bytes),
    ("typed: query, despawn_batch, spawn_batch", cross_by_hand),
];

pub(super) fn travel(workload: &mut Workload) {
    for (form, cross) in FORMS {
        workload.add(
            Ours,
            form,
            worlds,
            move |(here, there, moving)| {
                let away = cross(here, moving, there);
                *moving = cross(there, &away, here);
            },
            |(here, ..)| digest(here),
        );
    }
}

#[derive(Component, Clone, Copy)]
struct Ghost;

fn ghost(number: u32) -> (Ghost, Place, Turn, Speed) {
    let (place, turn, speed) = row(number);
    (Ghost, place, turn, speed)
}

fn sum(world: &mut World) -> u64 {
    let ghosts = world.query_filtered::<(&Place, &Turn, &Speed), With<Ghost>>();
    let rows = ghosts.iter();
    Digest::of(rows.map(|(place, turn, speed)| [place.0, turn.0, speed.0].concat()))
}

pub(super) fn ghosts(workload: &mut Workload) {
    let setup = || {
        let mut world = world(STAYING).0;
        world.spawn_batch((0..MOVING).map(ghost));
        world
    };
    workload.add(
        Ours,
        "replace_all",
        setup,
        |world| {
            world.replace_all::<With<Ghost>, _>((0..MOVING).map(ghost));
        },
        sum,
    );
    workload.add(
        Ours,
        "despawn_all, spawn_batch",
        setup,
        |world| {
            world.despawn_all::<With<Ghost>>();
            world.spawn_batch((0..MOVING).map(ghost));
        },
        sum,
    );
}
