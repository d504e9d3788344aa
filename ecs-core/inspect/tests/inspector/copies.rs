//! Entities as text.

use ecs_core::data::Value;
use ecs_core::inspect::{Inspect, Inspector};
use ecs_core::prelude::*;
use ecs_core::relation;

use super::{ChildOf, Health, Name, Secret, Target, call, game};

fn parent(world: &World, entity: Entity) -> Option<Entity> {
    let parent = world.get::<relation::Target<ChildOf>>(entity);
    parent.map(|parent| parent.entity())
}

/// Returns the part of a result.
fn result(app: &mut App, inspector: &Inspector, method: &str, params: &Value, part: &str) -> Value {
    let params = serde_json::to_string(params).unwrap();
    let answer = call(app, inspector, method, &params);
    let answer: Value = serde_json::from_str(&format!("{{{answer}}}")).unwrap();
    let found = answer.get(&format!("result.{part}"));
    found
        .unwrap_or_else(|| panic!("{method} {params}: {answer}"))
        .clone()
}

fn copied(app: &mut App, inspector: &Inspector, params: &str) -> Value {
    let params = serde_json::from_str(params).unwrap();
    result(app, inspector, "entities.copy", &params, "text")
}

/// Pastes a text, and returns the new entities.
fn pasted(app: &mut App, inspector: &Inspector, text: &Value) -> Vec<Entity> {
    let params = [("text", text.clone())].into_iter().collect();
    let entities = result(app, inspector, "entities.paste", &params, "entities");
    let entities = entities.as_list().unwrap().iter();
    entities
        .map(|id| id.as_str().unwrap().parse().unwrap())
        .collect()
}

/// A game with a goblin that looks at its hero and has a secret child.
fn goblin(inspect: Inspect) -> (App, Inspector, Entity) {
    let (mut app, inspector) = game(inspect);
    let world = app.world_mut();
    let goblin = world.entities_with("game.texture").unwrap()[0];
    let hero = world.entities_with("game.name").unwrap()[0];
    world.insert(goblin, Target { entity: hero }).unwrap();
    world.spawn((ChildOf.to(goblin), Target { entity: goblin }, Secret(4711)));
    (app, inspector, goblin)
}

const COPY: &str = r#"{"entities":["1v1"],"relation":"game.child_of"}"#;

#[test]
fn a_copy_in_the_same_world_has_the_same_parent_and_targets() {
    let (mut app, inspector, goblin) = goblin(Inspect::new(0));
    let text = copied(&mut app, &inspector, COPY);
    let new = pasted(&mut app, &inspector, &text);
    let world = app.world();
    let hero = parent(world, goblin).unwrap();
    assert_eq!(parent(world, new[0]), Some(hero));
    assert_eq!(world.get::<Target>(new[0]).unwrap().entity, hero);
    assert_eq!(
        *world.get::<Health>(new[0]).unwrap(),
        Health { now: 3, max: 9 }
    );
    assert_eq!(parent(world, new[1]), Some(new[0]));
    assert_eq!(world.get::<Target>(new[1]).unwrap().entity, new[0]);
    assert_eq!(world.get::<Secret>(new[1]).unwrap().0, 4711);
}

#[test]
fn a_copy_in_another_world_names_nothing_outside_of_it() {
    let (mut app, inspector, _) = goblin(Inspect::new(0));
    let text = copied(&mut app, &inspector, COPY);
    let (mut other, inspector) = game(Inspect::new(0));
    let new = pasted(&mut other, &inspector, &text);
    let world = other.world();
    assert_eq!(parent(world, new[0]), None);
    let target = world.get::<Target>(new[0]).unwrap().entity;
    assert!(!world.contains(target), "{target}");
    assert_eq!(parent(world, new[1]), Some(new[0]));
    assert_eq!(world.get::<Target>(new[1]).unwrap().entity, new[0]);
}

#[test]
fn a_copy_of_entities_that_died_meanwhile_forgets_them() {
    let (mut app, inspector, goblin) = goblin(Inspect::new(0));
    let text = copied(&mut app, &inspector, COPY);
    let hero = parent(app.world(), goblin).unwrap();
    app.world_mut().despawn(hero).unwrap();
    let new = pasted(&mut app, &inspector, &text);
    assert_eq!(parent(app.world(), new[0]), None);
    assert!(
        !app.world()
            .contains(app.world().get::<Target>(new[0]).unwrap().entity)
    );
}

#[test]
fn a_copy_has_no_hidden_values_and_a_paste_makes_none() {
    for inspect in [
        Inspect::new(0).hide::<Secret>().hide::<ChildOf>(),
        Inspect::new(0)
            .hide_named("game.secret")
            .hide_named("game.child_of"),
    ] {
        let (mut app, inspector, _) = goblin(inspect);
        let text = copied(&mut app, &inspector, r#"{"entities":["1v1","2v1"]}"#).to_string();
        assert!(!text.contains("4711") && !text.contains("secret"), "{text}");
        assert!(!text.contains("child_of"), "{text}");
        for text in [
            r#"{"entities":[{"game.secret":1}]}"#,
            r#"{"entities":[{},{"game.child_of":0}]}"#,
        ] {
            let params = [("text", Value::from(text))].into_iter().collect::<Value>();
            let params = serde_json::to_string(&params).unwrap();
            let answer = call(&mut app, &inspector, "entities.paste", &params);
            assert!(answer.contains("is hidden"), "{answer}");
        }
        let answer = call(&mut app, &inspector, "entities.copy", COPY);
        assert!(answer.contains("is hidden"), "{answer}");
    }
}

#[test]
fn a_big_copy_needs_the_right_to_write_and_a_bigger_one_is_refused() {
    let (mut app, inspector) = game(Inspect::new(0));
    let hero = app.world().entities_with("game.name").unwrap()[0];
    app.world_mut()
        .spawn_batch((0..300).map(|_| (Name("Rat".into()), ChildOf.to(hero))));
    let copy = r#"{"entities":["0v1"],"relation":"game.child_of"}"#;
    let text = copied(&mut app, &inspector, copy);
    assert_eq!(pasted(&mut app, &inspector, &text).len(), 302);
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"entities.copy","params":{copy}}}"#);
    let answer = inspector.answer_reading(&mut app, &request);
    assert!(answer.contains("more than 50 entities"), "{answer}");
    app.world_mut()
        .spawn_batch((0..900).map(|_| (Name("Rat".into()), ChildOf.to(hero))));
    let answer = call(&mut app, &inspector, "entities.copy", copy);
    assert!(answer.contains("more than 1000 entities"), "{answer}");
}
