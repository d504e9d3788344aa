//! Edits that are taken back.

use ecs_core::data::Value;
use ecs_core::inspect::{Inspect, Inspector};
use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_core::tree::{ChildOf as PartOf, Name as TreeName};

use super::{ChildOf, Health, Name, Secret, Target, Texture, call, game, plain};

/// A relation that survives its target.
#[derive(Relation, Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[relation(data = "game.likes")]
struct Likes(u32);

fn undo(app: &mut App, inspector: &Inspector) -> String {
    call(app, inspector, "edit.undo", "{}")
}

fn sources<R: Relation>(app: &App, target: Entity) -> Vec<Entity> {
    let sources = app.world().get::<Sources<R>>(target);
    sources.map_or(Vec::new(), |sources| sources.iter().collect())
}

/// The target of an edge, and its value.
fn edge(app: &App, source: Entity, relation: &str) -> Option<(Entity, Value)> {
    let value = app.world().get_by_name(source, relation).unwrap()?;
    let to = value.get("to").unwrap_or(&value).as_entity()?;
    Some((to, value.get("value").cloned().unwrap_or_default()))
}

#[test]
fn whatever_is_spawned_is_despawned_again() {
    let (mut app, inspector) = plain(Inspect::new(0).prefab("rat", super::rat()));
    let before = app.world().len();
    for (method, params) in [
        (
            "world.spawn_entity",
            r#"{"components":{"game.health":{"now":1,"max":2}}}"#,
        ),
        (
            "entity.clone",
            r#"{"entity":"0v1","relation":"game.child_of"}"#,
        ),
        ("prefabs.spawn", r#"{"prefab":"rat","count":3}"#),
        (
            "entities.paste",
            r#"{"text":"{\"entities\":[{\"game.health\":{\"now\":1,\"max\":2}},{\"game.child_of\":0}]}"}"#,
        ),
    ] {
        let answer = call(&mut app, &inspector, method, params);
        assert!(app.world().len() > before, "{method}: {answer}");
        let undone = undo(&mut app, &inspector);
        assert!(undone.contains(r#""lost":[]"#), "{method}: {undone}");
        assert_eq!(app.world().len(), before, "{method}");
    }
    // One of them has gone by itself.
    call(&mut app, &inspector, "world.spawn_entity", "{}");
    let last = app.world().query::<Entity>().iter().max().unwrap();
    app.world_mut().despawn(last).unwrap();
    assert!(undo(&mut app, &inspector).contains("result"));
    assert!(undo(&mut app, &inspector).contains("no edit"));
}

#[test]
fn a_despawned_tree_comes_back_with_the_edges_between_it_and_others() {
    let (mut app, inspector) = plain(Inspect::new(0).hide::<Secret>());
    let world = app.world_mut();
    let [hero, goblin]: [Entity; 2] = ["0v1", "1v1"].map(|id| id.parse().unwrap());
    let flea = world.spawn((Name("Flea".to_owned()), Secret(7), PartOf.to(goblin)));
    let friend = world.spawn((TreeName::new("friend"), Likes(3).to(goblin)));
    let other = world.spawn(Health { now: 1, max: 1 });
    world
        .insert(flea, (Target { entity: goblin }, Likes(5).to(other)))
        .unwrap();
    let before = call(&mut app, &inspector, "entity.get", r#"{"entity":"1v1"}"#);
    call(
        &mut app,
        &inspector,
        "world.despawn_entity",
        r#"{"entity":"1v1"}"#,
    );
    let world = app.world();
    assert!(!world.contains(goblin) && !world.contains(flea));
    assert_eq!(edge(&app, friend, "game.likes"), None);
    let undone = undo(&mut app, &inspector);
    assert!(undone.contains(r#""lost":[]"#), "{undone}");
    let (new, value) = edge(&app, friend, "game.likes").unwrap();
    assert!(undone.contains(&format!(r#""entity":"{new}""#)), "{undone}");
    assert_eq!(value.as_int(), Some(3));
    assert_eq!(edge(&app, new, "game.child_of").unwrap().0, hero);
    let [flea] = sources::<PartOf>(&app, new)[..] else {
        panic!("one flea");
    };
    let world = app.world();
    assert_eq!(world.get::<Secret>(flea).unwrap().0, 7);
    assert_eq!(world.get::<Target>(flea).unwrap().entity, new);
    assert_eq!(edge(&app, flea, "game.likes").unwrap().0, other);
    let params = format!(r#"{{"entity":"{new}"}}"#);
    let after = call(&mut app, &inspector, "entity.get", &params);
    assert_eq!(before, after.replace(&new.to_string(), "1v1"));
    // Twice.
    let params = format!(r#"{{"entity":"{new}"}}"#);
    call(&mut app, &inspector, "world.despawn_entity", &params);
    assert!(undo(&mut app, &inspector).contains(r#""lost":[]"#));
    assert!(edge(&app, friend, "game.likes").is_some_and(|(to, _)| app.world().contains(to)));
}

#[test]
fn what_does_not_come_back_is_named() {
    let (mut app, inspector) = game(Inspect::new(0));
    call(
        &mut app,
        &inspector,
        "world.despawn_entity",
        r#"{"entity":"1v1"}"#,
    );
    let undone = undo(&mut app, &inspector);
    assert!(undone.contains(r#""lost":["game.texture"]"#), "{undone}");
    let found = app.world().entities_with("game.health").unwrap();
    assert_eq!(found.len(), 2);
    // The value of a texture is not known.
    let world = app.world_mut();
    world.insert(found[0], Texture).unwrap();
    let params = format!(
        r#"{{"entity":"{}","components":["game.texture"]}}"#,
        found[0]
    );
    call(&mut app, &inspector, "world.remove_components", &params);
    let undone = undo(&mut app, &inspector);
    assert!(
        undone.contains("-23604") && undone.contains("game.texture"),
        "{undone}"
    );
    let world = app.world_mut();
    let root = world.spawn(());
    for _ in 0..1_000 {
        world.spawn(PartOf.to(root));
    }
    let params = format!(r#"{{"entity":"{root}"}}"#);
    call(&mut app, &inspector, "world.despawn_entity", &params);
    let undone = undo(&mut app, &inspector);
    assert!(undone.contains("more than 1000 entities"), "{undone}");
}

#[test]
fn one_call_is_one_edit() {
    let (mut app, inspector) = plain(Inspect::new(0));
    let before = app.world().hash().unwrap();
    let both = r#"{"entity":"0v1","components":{"game.health":{"now":1,"max":2},"game.secret":4}}"#;
    call(&mut app, &inspector, "world.insert_components", both);
    assert!(undo(&mut app, &inspector).contains("game.health"));
    assert_eq!(app.world().hash().unwrap(), before);
    let root = app.world_mut().spawn(Health { now: 1, max: 1 });
    let rats: Vec<Entity> = (0..3)
        .map(|_| app.world_mut().spawn(ChildOf.to(root)))
        .collect();
    let before = app.world().hash().unwrap();
    let params = format!(
        r#"{{"entities":["{}","{}","{}"],"parent":"0v1"}}"#,
        rats[0], rats[1], rats[2]
    );
    call(&mut app, &inspector, "world.reparent_entities", &params);
    let hero = "0v1".parse().unwrap();
    assert_eq!(sources::<ChildOf>(&app, hero).len(), 4);
    undo(&mut app, &inspector);
    assert_eq!(sources::<ChildOf>(&app, root).len(), 3);
    assert_eq!(app.world().hash().unwrap(), before);
}
