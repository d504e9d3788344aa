//! The names and values that worlds, entities and components print.

use std::collections::HashSet;

use ecs_core::Disabled;
use ecs_core::component::{ComponentId, StorageKind};
use ecs_core::dynamic::{DynamicComponent, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.health", track)]
struct Health {
    now: f32,
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "game.stunned", storage = "sparse")]
struct Stunned(u8);

#[derive(Component)]
struct Secret;

#[derive(Component)]
#[component(storage = "sparse", immediate, name = "game.burning")]
struct Burning;

#[derive(Relation)]
#[relation(many)]
struct Likes;

#[derive(Relation)]
struct ChildOf;

fn world() -> (World, Entity) {
    let mut world = World::new();
    let hero = world.spawn((Stunned(3), Health { now: 1.5 }, Secret));
    (world, hero)
}

#[test]
fn an_entity_lists_its_components_in_order_of_registration_tables_first() {
    let (world, hero) = world();
    let hero = world.entity(hero).unwrap();
    let listed = hero.components();
    let listed: Vec<_> = listed
        .map(|component| {
            (
                component.name(),
                component.layout().size(),
                component.storage(),
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("game.health", 4, StorageKind::Table),
            ("components::looking::Secret", 0, StorageKind::Table),
            ("game.stunned", 1, StorageKind::Sparse),
        ]
    );
}

#[test]
fn only_tracked_components_have_ticks() {
    let (mut world, hero) = world();
    let before = world.tick();
    world.get_mut::<Health>(hero).unwrap().now = 2.0;
    let ticks = |name| {
        let mut components = world.entity(hero).unwrap().components();
        let component = components
            .find(|component| component.name() == name)
            .unwrap();
        (component.added(), component.changed())
    };
    let (added, changed) = ticks("game.health");
    let (added, changed) = (added.unwrap(), changed.unwrap());
    assert!(
        added <= before && changed > before,
        "{added:?} {before:?} {changed:?}"
    );
    assert_eq!(ticks("game.stunned"), (None, None));
}

#[test]
fn an_entity_prints_its_components_by_name() {
    let (mut world, hero) = world();
    let text = "0v1 {game.health: Health { now: 1.5 }, components::looking::Secret: .., game.stunned: Stunned(3)}";
    assert_eq!(format!("{:?}", world.entity(hero).unwrap()), text);
    assert_eq!(format!("{:?}", world.entity_mut(hero).unwrap()), text);
    let pretty = format!("{:#?}", world.entity(hero).unwrap());
    assert!(
        pretty.contains("    game.health: Health {\n        now: 1.5,\n    },\n"),
        "{pretty}"
    );
}

#[test]
fn ends_of_relations_print_the_other_ends() {
    let mut world = World::new();
    let parent = world.spawn(());
    let child = world.spawn((ChildOf.to(parent), Likes.to(parent)));
    let text = format!("{:?}", world.entity(child).unwrap());
    assert!(
        text.contains("Target<components::looking::ChildOf>: 0v1"),
        "{text}"
    );
    assert!(
        text.contains("Targets<components::looking::Likes>: [0v1]"),
        "{text}"
    );
    let text = format!("{:?}", world.entity(parent).unwrap());
    assert!(
        text.contains("Sources<components::looking::ChildOf>: [1v1]"),
        "{text}"
    );
    assert!(world.has::<Sources<ChildOf>>(parent) && world.has::<Target<ChildOf>>(child));
}

#[test]
fn a_borrowed_component_says_so_instead_of_failing() {
    let (world, hero) = world();
    let view = world.view_mut::<Health>();
    let text = format!("{:?}", world.entity(hero).unwrap());
    assert!(
        text.contains("game.health: <borrowed for writing>"),
        "{text}"
    );
    drop(view);
    assert!(!format!("{:?}", world.entity(hero).unwrap()).contains("borrowed"));
}

#[test]
fn what_a_view_has_inserted_at_once_is_listed() {
    let (mut world, hero) = world();
    world.register::<Burning>();
    _ = world.view_mut::<Burning>().insert(hero, Burning);
    let mut components = world.entity(hero).unwrap().components();
    assert!(components.any(|component| component.name() == "game.burning"));
    let mut other = World::new();
    let other_hero = other.spawn(Secret);
    assert_eq!(
        format!("{:?}", other.entity(other_hero).unwrap()),
        "0v1 {components::looking::Secret: ..}"
    );
}

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "game.score")]
struct Score(u32);

#[test]
fn a_world_prints_a_summary() {
    let (mut world, hero) = world();
    world.spawn((Health { now: 2.0 },));
    world.insert_resource(Score(7));
    world.insert_resource(3_u32);
    world.register_data_resource::<Score>();
    let line = r#"World { entities: 2, tables: 3, resources: {"components::looking::Score", "u32"}, non_send: {} }"#;
    assert_eq!(format!("{world:?}"), line);
    let view = world.view_mut::<Stunned>();
    assert_eq!(
        format!("{world:#?}"),
        "World {
    entities: 2,
    tables: 3,
    components: {
        game.stunned: <borrowed for writing>,
        game.health: 2,
        components::looking::Secret: 1,
    },
    resources: {
        game.score,
        u32,
    },
    non_send: {},
}"
    );
    drop(view);
    world.despawn(hero).unwrap();
    let pretty = format!("{world:#?}");
    assert!(
        pretty.contains("game.stunned: 0,\n        game.health: 1,"),
        "{pretty}"
    );
}

/// What a page of tables shows: each entity once, beside the components of its table.
fn tables(world: &World) -> Vec<(Vec<Entity>, Vec<ComponentId>)> {
    let registered = world.registered_components();
    let mut seen = HashSet::new();
    let mut sets = HashSet::new();
    let mut all = Vec::new();
    for (entities, components) in world.all_tables() {
        assert!(sets.insert(components.clone()), "a set has one table");
        for component in &components {
            assert_eq!(component.storage(), StorageKind::Table);
            assert!(registered.contains(component), "{}", component.name());
        }
        for &entity in entities {
            assert!(seen.insert(entity), "{entity} is in one table");
            let listed = world.entity(entity).unwrap().components();
            let of_entity: Vec<ComponentId> = listed.map(|component| component.id()).collect();
            let in_tables = of_entity
                .iter()
                .filter(|of| of.storage() == StorageKind::Table);
            assert!(
                in_tables.eq(components.iter()),
                "{entity} is in the table of its components"
            );
            assert!(of_entity.iter().all(|of| registered.contains(of)));
        }
        all.push((entities.to_vec(), components));
    }
    seen.retain(|entity| !world.has::<Disabled>(*entity));
    assert_eq!(
        seen,
        world.entities().iter().collect(),
        "no entity is missing"
    );
    all
}

#[test]
fn all_tables_have_each_entity_once_with_its_components_while_the_world_changes() {
    let (mut world, hero) = world();
    assert_eq!(tables(&world).len(), 2, "the empty one, and the hero's");
    let tag = DynamicComponent::new("looking.tag").field("at", FieldKind::U8);
    let value = DynamicValue::new(tag.register().unwrap()).unwrap();
    let others: Vec<Entity> = world.spawn_batch((0..5).map(|_| Secret)).to_vec();
    world.insert_dynamic(others[0], value).unwrap();
    world.insert(others[1], Disabled).unwrap();
    world.insert(others[2], Burning).unwrap();
    world.relate(others[3], ChildOf, hero).unwrap();
    world.relate(others[3], Likes, others[0]).unwrap();
    let before = tables(&world);
    let disabled = ComponentId::of::<Disabled>();
    let mut with_disabled = before
        .iter()
        .filter(|(_, components)| components.contains(&disabled));
    assert!(
        with_disabled.any(|(entities, _)| *entities == [others[1]]),
        "a page of tables shows it"
    );
    world.remove::<Health>(hero).unwrap();
    world.despawn(others[4]).unwrap();
    world.spawn(());
    let after = tables(&world);
    // A table stays where it is in the list, even if it is empty.
    let sets = |all: &[(Vec<Entity>, Vec<ComponentId>)]| {
        all.iter()
            .map(|(_, components)| components.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(sets(&after)[..before.len()], sets(&before));
    let registered = world.registered_components();
    let distinct: HashSet<_> = registered.iter().collect();
    assert_eq!(distinct.len(), registered.len());
    world.clear();
    let cleared = tables(&world);
    assert!(cleared.iter().all(|(entities, _)| entities.is_empty()));
    assert_eq!(sets(&cleared), sets(&after));
    assert_eq!(world.registered_components(), registered);
}
