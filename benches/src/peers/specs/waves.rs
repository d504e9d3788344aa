//! Entities that are despawned and spawned in waves.

use specs::{Builder, Entity, Join, World, WorldExt};

use crate::components::{Position, Rotation, Velocity};
use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::waves::{self, LIVING, Row};

fn create(world: &mut World, (position, rotation, velocity): Row) -> Entity {
    let entity = world.create_entity().with(position).with(rotation);
    entity.with(velocity).build()
}

fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.register::<Position>();
    world.register::<Rotation>();
    world.register::<Velocity>();
    let ids = (0..LIVING).map(|number| create(&mut world, waves::row(number)));
    let ids = ids.collect();
    (world, ids)
}

fn digest(world: &mut World) -> u64 {
    let (positions, rotations) = (world.read_storage::<Position>(), world.read_storage::<Rotation>());
    let velocities = world.read_storage::<Velocity>();
    waves::digest((&positions, &rotations, &velocities).join())
}

pub(super) fn one_by_one(workload: &mut Workload) {
    waves::add(
        workload,
        Specs,
        "delete_entity, create_entity",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                world.delete_entity(victim).expect("the entity was alive");
            }
            born.extend(numbers.map(|number| create(world, waves::row(number))));
        },
        digest,
    );
}

pub(super) fn batch(workload: &mut Workload) {
    waves::add(
        workload,
        Specs,
        "delete_entities, create_iter",
        world,
        |world, victims, numbers, born| {
            world.delete_entities(victims).expect("the entities were alive");
            {
                let (mut positions, mut rotations) = (world.write_storage(), world.write_storage());
                let mut velocities = world.write_storage();
                for (entity, number) in world.entities().create_iter().zip(numbers) {
                    let (position, rotation, velocity) = waves::row(number);
                    positions.insert(entity, position).expect("the entity is alive");
                    rotations.insert(entity, rotation).expect("the entity is alive");
                    velocities.insert(entity, velocity).expect("the entity is alive");
                    born.push(entity);
                }
            }
            world.maintain();
        },
        digest,
    );
}
