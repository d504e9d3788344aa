//! Entities that are despawned and spawned in waves.

use freecs::Entity;

use super::worlds::rows::{POSITION, ROTATION, VELOCITY, World};
use crate::peers::Peer::Freecs;
use crate::subject::Workload;
use crate::workloads::waves::{self, LIVING};

const ALL: u64 = POSITION | ROTATION | VELOCITY;

fn spawn(world: &mut World, count: usize, numbers: impl Iterator<Item = u32>) -> Vec<Entity> {
    let mut rows = numbers.map(waves::row);
    world.spawn_batch(ALL, count, |table, at| {
        let row = rows.next().expect("the number of requested rows");
        (table.position[at], table.rotation[at], table.velocity[at]) = row;
    })
}

fn world() -> (World, Vec<Entity>) {
    let mut world = World::default();
    let ids = spawn(&mut world, LIVING as usize, 0..LIVING);
    (world, ids)
}

fn digest(world: &mut World) -> u64 {
    let rows = world.tables.iter().flat_map(|table| {
        let rows = table.position.iter().zip(&table.rotation);
        rows.zip(&table.velocity).map(|((p, r), v)| (p, r, v))
    });
    waves::digest(rows)
}

pub(super) fn one_by_one(workload: &mut Workload) {
    waves::add(
        workload,
        Freecs,
        "despawn_entities, spawn_batch of one",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                world.despawn_entities(&[victim]);
            }
            born.extend(numbers.map(|number| spawn(world, 1, std::iter::once(number))[0]));
        },
        digest,
    );
}

pub(super) fn batch(workload: &mut Workload) {
    waves::add(
        workload,
        Freecs,
        "despawn_entities, spawn_batch",
        world,
        |world, victims, numbers, born| {
            world.despawn_entities(victims);
            born.extend(spawn(world, numbers.len(), numbers));
        },
        digest,
    );
}
