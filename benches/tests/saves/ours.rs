//! The saves and clones of this library.

use ecs_core::data::{Loader, WorldData as _};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use serde::{Deserialize, Serialize};

use crate::model::{Plan, Row, Rows};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "peers.key")]
struct Key(usize);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "peers.place")]
struct Place(f32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "peers.name", storage = "sparse")]
struct Name(String);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "peers.link")]
struct Link(Entity);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "peers.child_of", tree)]
struct ChildOf;

fn world(plan: &Plan) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut ids = Vec::new();
    for (position, node) in plan.nodes.iter().enumerate() {
        for _ in 0..node.gap {
            let gap = world.spawn(());
            world.despawn(gap).unwrap();
        }
        ids.push(world.spawn(Key(position)));
    }
    for (&entity, node) in ids.iter().zip(&plan.nodes) {
        if let Some(place) = node.place {
            world.insert(entity, Place(place)).unwrap();
        }
        if let Some(name) = &node.name {
            world.insert(entity, Name(name.clone())).unwrap();
        }
        if let Some(link) = node.link {
            world.insert(entity, Link(ids[link])).unwrap();
        }
        if let Some(parent) = node.parent {
            world.relate(entity, ChildOf, ids[parent]).unwrap();
        }
    }
    (world, ids)
}

/// Describes all entities; those that are not among the originals are copies.
fn rows(world: &World, is_copy: impl Fn(Entity) -> bool) -> Rows {
    let key = |entity: Entity| {
        let key = world.get::<Key>(entity).expect("all entities have keys");
        (key.0, is_copy(entity))
    };
    let mut rows = Rows::new();
    for entity in world.entities().iter() {
        let row = Row {
            place: world.get::<Place>(entity).map(|place| place.0),
            name: world.get::<Name>(entity).map(|name| name.0.clone()),
            link: world.get::<Link>(entity).map(|link| key(link.0)),
            parent: world
                .get::<Target<ChildOf>>(entity)
                .map(|parent| key(parent.entity())),
        };
        assert!(
            rows.insert(key(entity), row).is_none(),
            "each key occurs once"
        );
    }
    rows
}

fn loader() -> Loader {
    let loader = Loader::new().with::<Key>().with::<Place>().with::<Name>();
    loader.with::<Link>().with::<Sources<ChildOf>>()
}

pub(crate) fn saved_and_loaded(plan: &Plan) -> Vec<(&'static str, Rows)> {
    let (world, ids) = world(plan);
    let columns = world.save().to_vec().unwrap();
    let with_ids = world.save().with_ids().to_vec().unwrap();
    let text = serde_json::to_string(&world.save()).unwrap();
    let mut same = World::new();
    loader()
        .same_ids()
        .load_into(&mut same, &with_ids[..])
        .unwrap();
    assert!(ids.iter().all(|&entity| same.contains(entity)));
    let mut json = World::new();
    let mut reader = serde_json::Deserializer::from_str(&text);
    loader().deserialize(&mut json, &mut reader).unwrap();
    let columns = loader().load(&columns[..]).unwrap();
    let worlds = [("columns", columns), ("the same ids", same), ("rows", json)];
    worlds
        .map(|(form, world)| (form, rows(&world, |_| false)))
        .into()
}

pub(crate) fn with_clone_of(plan: &Plan, root: usize) -> Rows {
    let (mut world, ids) = world(plan);
    world.clone_tree::<ChildOf>(ids[root]).unwrap();
    rows(&world, |entity| !ids.contains(&entity))
}

pub(crate) fn with_clone_of_one(plan: &Plan, root: usize) -> Rows {
    let (mut world, ids) = world(plan);
    world.clone_entity(ids[root]).unwrap();
    rows(&world, |entity| !ids.contains(&entity))
}
