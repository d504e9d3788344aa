//! Entities that are cloned.

use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::world::World;

use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::saves::{self, Place, Speed, Turn};

fn world(entities: u32) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(saves::row)).collect();
    (world, ids)
}

fn digest(world: &mut World) -> u64 {
    saves::digest(world.query::<(&Place, &Turn, &Speed)>().iter(world))
}

pub(super) fn clone_entities(workload: &mut Workload) {
    let entities = workload.elements();
    let plain = move || {
        let (world, ids) = world(entities);
        (world, ids, Vec::new())
    };
    let children = move || {
        let (mut world, ids) = world(entities);
        let parent = world.spawn_empty().id();
        for &id in &ids {
            world.entity_mut(id).insert(ChildOf(parent));
        }
        (world, ids, Vec::new())
    };
    let run = |(world, ids, copies): &mut (World, Vec<Entity>, Vec<Entity>)| {
        for copy in copies.drain(..) {
            assert!(world.despawn(copy), "the entity was alive");
        }
        for &id in &*ids {
            copies.push(world.entity_mut(id).clone_and_spawn());
        }
    };
    workload.add(Bevy, "clone_and_spawn", plain, run, |(world, ..)| {
        digest(world)
    });
    let form = "clone_and_spawn, children of one";
    workload.add(Bevy, form, children, run, |(world, ..)| digest(world));
}

pub(super) fn prefab(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "clone_and_spawn",
        World::new,
        move |world| {
            *world = World::new();
            // The first one is the template.
            let first = world.spawn(saves::row(0)).id();
            for _ in 1..entities {
                world.entity_mut(first).clone_and_spawn();
            }
        },
        digest,
    );
}

pub(super) fn prefab_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "spawn_batch",
        World::new,
        move |world| {
            *world = World::new();
            world.spawn_batch((0..entities).map(|_| saves::row(0)));
        },
        digest,
    );
}
