//! Entities that are despawned and spawned in waves.

use flecs_ecs::prelude::*;

use crate::columns::Values;
use crate::components::{Position, Rotation, Velocity};
use crate::digest::Digest;
use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::waves::{self, LIVING};

fn spawn_all(world: &World, numbers: std::ops::Range<u32>) -> Vec<Entity> {
    let rows = numbers.clone().map(waves::row);
    let positions: Vec<Position> = rows.clone().map(|row| row.0).collect();
    let rotations: Vec<Rotation> = rows.clone().map(|row| row.1).collect();
    let velocities: Vec<Velocity> = rows.map(|row| row.2).collect();
    let mut bulk = world.entity_bulk(numbers.len() as u32);
    bulk.set(&positions).set(&rotations).set(&velocities).build()
}

fn world() -> (World, Vec<Entity>) {
    let world = World::new();
    let ids = spawn_all(&world, 0..LIVING);
    (world, ids)
}

fn digest(world: &mut World) -> u64 {
    let mut digest = Digest::default();
    let query = world.new_query::<(&Position, &Rotation, &Velocity)>();
    query.each(|(p, r, v)| digest.row((*p, *r, *v).values()));
    digest.finish()
}

pub(super) fn one_by_one(workload: &mut Workload) {
    waves::add(
        workload,
        Flecs,
        "destruct; entity, set",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                world.entity_from_id(victim).destruct();
            }
            born.extend(numbers.map(|number| {
                let (position, rotation, velocity) = waves::row(number);
                world.entity().set(position).set(rotation).set(velocity).id()
            }));
        },
        digest,
    );
}

pub(super) fn batch(workload: &mut Workload) {
    waves::add(
        workload,
        Flecs,
        "destruct, entity_bulk",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                world.entity_from_id(victim).destruct();
            }
            born.extend(spawn_all(world, numbers));
        },
        digest,
    );
}
