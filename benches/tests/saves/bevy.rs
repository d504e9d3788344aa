//! The clones of `bevy_ecs`.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::world::World;

use crate::model::{Plan, Row, Rows};

#[derive(Component, Clone)]
struct Key(usize);

#[derive(Component, Clone)]
struct Place(f32);

#[derive(Component, Clone)]
struct Name(String);

#[derive(Component, Clone)]
struct Link(#[entities] Entity);

fn world(plan: &Plan) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..plan.nodes.len())
        .map(|position| world.spawn(Key(position)).id())
        .collect();
    for (&id, node) in ids.iter().zip(&plan.nodes) {
        let mut entity = world.entity_mut(id);
        if let Some(place) = node.place {
            entity.insert(Place(place));
        }
        if let Some(name) = &node.name {
            entity.insert(Name(name.clone()));
        }
        if let Some(link) = node.link {
            entity.insert(Link(ids[link]));
        }
        if let Some(parent) = node.parent {
            entity.insert(ChildOf(ids[parent]));
        }
    }
    (world, ids)
}

/// Returns the components of all entities after cloning one with all its descendants.
pub(crate) fn with_clone_of(plan: &Plan, root: usize) -> Rows {
    let (mut world, ids) = world(plan);
    let mut root = world.entity_mut(ids[root]);
    root.clone_and_spawn_with_opt_out(|cloner| {
        cloner.linked_cloning(true);
    });
    let all: Vec<(Entity, usize)> = world
        .query::<(Entity, &Key)>()
        .iter(&world)
        .map(|(entity, key)| (entity, key.0))
        .collect();
    let key = |entity: Entity| {
        let key = world.get::<Key>(entity).expect("all entities have keys");
        (key.0, !ids.contains(&entity))
    };
    let mut rows = Rows::new();
    for (entity, _) in all {
        let row = Row {
            place: world.get::<Place>(entity).map(|place| place.0),
            name: world.get::<Name>(entity).map(|name| name.0.clone()),
            link: world.get::<Link>(entity).map(|link| key(link.0)),
            parent: world
                .get::<ChildOf>(entity)
                .map(|parent| key(parent.parent())),
        };
        assert!(
            rows.insert(key(entity), row).is_none(),
            "each key occurs once"
        );
    }
    rows
}
