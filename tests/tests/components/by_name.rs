//! Components and resources by name, in trees.

use std::cell::RefCell;

use ecs_core::component::ComponentId;
use ecs_core::data::{ByNameError, Value, ValueEncoder};
use ecs_core::dynamic::{DynamicComponent, DynamicRef, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::world::hooks::OnInsert;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.squad", alias = "game.party", version = 3, track)]
struct Squad {
    leader: Option<Entity>,
    members: Vec<(Entity, u8)>,
}

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.mood", storage = "sparse")]
enum Mood {
    Calm,
    Angry { level: u8 },
}

#[derive(Component)]
#[component(name = "game.texture")]
struct Texture;

#[derive(Component, Clone, Debug)]
#[component(data = "game.cache", no_serde)]
struct Cache;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "game.child_of", tree)]
struct ChildOf;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "game.likes", many)]
struct Likes(u32);

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "game.chosen")]
struct Chosen(Vec<Entity>);

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn message<T: std::fmt::Debug>(result: Result<T, ByNameError>) -> String {
    result.unwrap_err().to_string()
}

fn world() -> (World, [Entity; 3]) {
    let mut world = World::new();
    let gone = world.spawn(());
    let a = world.spawn(());
    let squad = Squad {
        leader: Some(a),
        members: vec![(gone, 1)],
    };
    let b = world.spawn((squad, Mood::Angry { level: 2 }, Texture, ChildOf.to(a)));
    world.relate(b, Likes(1), a).unwrap();
    world.despawn(gone).unwrap();
    (world, [gone, a, b])
}

#[test]
fn what_is_read_can_be_inserted_again() {
    let (mut world, [gone, a, b]) = world();
    let squad = world.get_by_name(b, "game.squad").unwrap().unwrap();
    assert_eq!(
        squad,
        json(r#"{ "leader": "1v1", "members": [["0v1", 1]] }"#)
    );
    let before = world.tick();
    world.insert_by_name(b, "game.squad", &squad).unwrap();
    world.insert_by_name(a, "game.party", &squad).unwrap();
    let copies = [a, b].map(|entity| world.get::<Squad>(entity).unwrap().clone());
    assert_eq!(copies[0], copies[1]);
    assert_eq!(copies[0].members, [(gone, 1)], "a dead id is kept");
    let hero = world.entity(b).unwrap();
    let component = hero.components().find(|c| c.name() == "game.squad");
    assert!(component.unwrap().changed().unwrap() > before, "ticks know");

    assert_eq!(world.get_by_name(a, "game.mood"), Ok(None));
    world
        .insert_by_name(a, "game.mood", &"Calm".into())
        .unwrap();
    assert_eq!(*world.get::<Mood>(a).unwrap(), Mood::Calm);
    world.check_invariants();
}

#[test]
fn insertion_calls_hooks_and_drops_what_it_replaces() {
    let (mut world, [_, a, b]) = world();
    world.observe(|on: OnInsert<Mood>, mut seen: ResMut<Vec<Entity>>| seen.push(on.entity()));
    world.insert_resource(Vec::<Entity>::new());
    for entity in [a, b] {
        world
            .insert_by_name(entity, "game.mood", &json(r#"{ "Angry": { "level": 9 } }"#))
            .unwrap();
    }
    assert_eq!(*world.resource::<Vec<Entity>>(), [a, b]);
}

#[test]
fn a_failed_insertion_changes_nothing() {
    let (mut world, [_, a, b]) = world();
    let before = format!("{:?}", world.entity(b).unwrap());
    let tables = format!("{world:?}");
    let mut refused = |entity, name, text| message(world.insert_by_name(entity, name, &json(text)));
    let squad = "game.squad";
    assert_eq!(
        refused(b, squad, r#"{ "leader": 3, "members": [] }"#),
        "`game.squad`: invalid type: integer `3`, expected a string, at `leader`"
    );
    let bad_id = refused(b, squad, r#"{ "leader": null, "members": [["0v0", 1]] }"#);
    assert_eq!(
        bad_id,
        "`game.squad`: this is not an entity id, at `members[0][0]`; help: write it like `7v1`, an index and a generation"
    );
    let range = refused(b, "game.mood", r#"{ "Angry": { "level": 256 } }"#);
    assert_eq!(
        range,
        "`game.mood`: 256 is out of range for a u8, at `Angry.level`"
    );
    assert_eq!(
        refused(a, "game.texture", "null"),
        "the values of component `game.texture` are known to its type alone; help: add `#[component(data = \"game.texture\")]` to it"
    );
    assert_eq!(
        refused(a, "game.child_of", "\"2v1\""),
        "`game.child_of`: entity 1v1 cannot be related to 2v1 by `Target<components::by_name::ChildOf>`, which is a tree: 2v1 is a descendant of 1v1"
    );
    assert!(refused(a, "game.child_of", "\"1v1\"").contains("1v1"));
    assert_eq!(
        refused(b, "game.child_of", r#"["1v1", "2v1"]"#),
        "`game.child_of`: it leads to one target"
    );
    assert_eq!(
        refused(b, "game.child_of", "\"0v1\""),
        "`game.child_of`: there is no entity 0v1"
    );
    assert_eq!(
        refused(b, "game.child_of", "1"),
        "`game.child_of`: expected the id of an entity as text, such as \"7v1\", found 1"
    );
    let twice = r#"[{ "to": "1v1", "value": 1 }, { "to": "1v1", "value": 2 }]"#;
    assert_eq!(
        refused(b, "game.likes", twice),
        "`game.likes`: the target 1v1 occurs twice"
    );
    assert_eq!(
        refused(b, "game.likes", r#"{ "to": "1v1", "value": -1 }"#),
        "`game.likes`: the edge to 1v1: -1 is out of range for a u32"
    );
    assert!(refused(a, "game.sqad", "null").ends_with("help: there is `game.squad`"));
    assert!(
        refused(a, "game.chosen", "null").ends_with("help: call `World::register` with its type")
    );
    assert_eq!(format!("{:?}", world.entity(b).unwrap()), before);
    assert_eq!(format!("{world:?}"), tables);
    world.check_invariants();
}

#[test]
fn an_entity_that_is_gone_is_an_error() {
    let (mut world, [gone, ..]) = world();
    let is_gone = |error| matches!(error, ByNameError::NoSuchEntity(error) if error.entity == gone);
    assert!(is_gone(world.get_by_name(gone, "game.mood").unwrap_err()));
    assert!(is_gone(
        world
            .insert_by_name(gone, "game.mood", &"Calm".into())
            .unwrap_err()
    ));
    assert!(is_gone(
        world.remove_by_name(gone, "game.mood").unwrap_err()
    ));
    assert!(is_gone(world.entity_to_value(gone).unwrap_err()));
}

#[test]
fn what_is_borrowed_or_not_saved_is_an_error() {
    let (mut world, [_, a, b]) = world();
    let view = world.view_mut::<Mood>();
    assert!(matches!(
        world.get_by_name(b, "game.mood"),
        Err(ByNameError::Borrowed(_))
    ));
    assert!(matches!(
        world.entity_to_value(b),
        Err(ByNameError::Borrowed(_))
    ));
    assert!(matches!(
        world.entities_with("game.mood"),
        Err(ByNameError::Borrowed(_))
    ));
    assert!(world.get_by_name(b, "game.squad").is_ok());
    drop(view);
    world.insert(a, Cache).unwrap();
    let refused = world.get_by_name(a, "game.cache").unwrap_err();
    assert_eq!(
        refused,
        ByNameError::NotData {
            name: "game.cache".to_owned()
        }
    );
    assert_eq!(world.entity_to_value(a), Ok(Value::Map(Vec::new())));
}

#[test]
fn components_are_removed_and_found_without_being_data() {
    let (mut world, [_, a, b]) = world();
    world.insert(a, Texture).unwrap();
    assert_eq!(world.entities_with("game.mood"), Ok(vec![b]));
    let mut textures = world.entities_with("game.texture").unwrap();
    textures.sort_by_key(|entity| entity.index());
    assert_eq!(textures, [a, b]);
    assert_eq!(world.remove_by_name(b, "game.texture"), Ok(true));
    assert_eq!(world.remove_by_name(b, "game.texture"), Ok(false));
    assert_eq!(world.entities_with("game.texture"), Ok(vec![a]));
    assert!(world.entities_with("game.textur").is_err());
    world.check_invariants();
}

#[test]
fn relations_are_read_and_removed() {
    let (mut world, [_, a, b]) = world();
    assert_eq!(
        world.get_by_name(b, "game.child_of"),
        Ok(Some("1v1".into()))
    );
    assert_eq!(world.get_by_name(a, "game.child_of"), Ok(None));
    assert_eq!(world.get_by_name(a, "game.likes"), Ok(None));
    let likes = json(r#"[{ "to": "1v1", "value": 1 }]"#);
    assert_eq!(world.get_by_name(b, "game.likes"), Ok(Some(likes)));
    assert_eq!(world.entities_with("game.likes"), Ok(vec![b]));
    assert_eq!(world.remove_by_name(b, "game.child_of"), Ok(true));
    assert!(!world.is_related::<ChildOf>(b, a));
    assert_eq!(world.entities_with("game.child_of"), Ok(vec![]));
    world.check_invariants();
}

#[test]
fn edges_are_inserted_in_place_of_those_before() {
    let (mut world, [_, a, b]) = world();
    let c = world.spawn(());
    for target in [a, b] {
        let id = Value::from(target.to_string());
        world.insert_by_name(c, "game.child_of", &id).unwrap();
        world.check_invariants();
    }
    assert_eq!(
        world.get_by_name(c, "game.child_of"),
        Ok(Some("2v1".into()))
    );
    assert!(!world.is_related::<ChildOf>(c, a) && world.is_related::<ChildOf>(c, b));

    let text = format!(r#"[{{ "to": "{c}", "value": 7 }}, {{ "to": "{a}", "value": 9 }}]"#);
    world.insert_by_name(b, "game.likes", &json(&text)).unwrap();
    world.check_invariants();
    assert_eq!(world.get_by_name(b, "game.likes"), Ok(Some(json(&text))));
    let liked: Vec<(Entity, u32)> = {
        let targets = world.get::<Targets<Likes>>(b).unwrap();
        targets
            .iter()
            .map(|(target, likes)| (target, likes.0))
            .collect()
    };
    assert_eq!(liked, [(c, 7), (a, 9)]);
    assert_eq!(world.get::<Sources<Likes>>(a).unwrap().to_vec(), [b]);

    // Removes one of them.
    let text = format!(r#"{{ "to": "{a}", "value": 9 }}"#);
    world.insert_by_name(b, "game.likes", &json(&text)).unwrap();
    assert!(!world.is_related::<Likes>(b, c) && world.is_related::<Likes>(b, a));
    world.insert_by_name(b, "game.likes", &json("[]")).unwrap();
    assert_eq!(world.get_by_name(b, "game.likes"), Ok(None));
    world.check_invariants();
}

#[test]
fn an_entity_is_a_map_of_all_that_is_data() {
    let (world, [_, _, b]) = world();
    let value = world.entity_to_value(b).unwrap();
    assert_eq!(
        value.to_string(),
        r#"{"game.squad": {"leader": "1v1", "members": [["0v1", 1]]}, "game.mood": {"Angry": {"level": 2}}, "game.child_of": "1v1", "game.likes": [{"to": "1v1", "value": 1}]}"#
    );
    assert_eq!(value.get(r#"["game.mood"].Angry.level"#), Some(&2.into()));
}

#[test]
fn components_of_run_time_are_maps_of_their_fields() {
    let mana = DynamicComponent::new("by_name.mana")
        .field("now", FieldKind::U8)
        .field("school", FieldKind::String)
        .field("from", FieldKind::Entity)
        .register()
        .unwrap();
    let (mut world, [_, a, b]) = world();
    let value = json(r#"{ "from": "2v1", "now": 3 }"#);
    world.insert_by_name(a, "by_name.mana", &value).unwrap();
    {
        let view = world.view_erased(mana);
        let value = DynamicRef::of(view.get(a).unwrap()).unwrap();
        assert_eq!(value.get::<Option<Entity>>("from"), Ok(&Some(b)));
        assert_eq!(value.get::<String>("school"), Ok(&String::new()));
    }
    let value = world.get_by_name(a, "by_name.mana").unwrap().unwrap();
    assert_eq!(value, json(r#"{ "now": 3, "school": "", "from": "2v1" }"#));
    let mut refused = |text| message(world.insert_by_name(a, "by_name.mana", &json(text)));
    assert_eq!(refused("3"), "`by_name.mana`: expected a map of fields");
    assert_eq!(
        refused(r#"{ "now": 300 }"#),
        "`by_name.mana`: 300 is out of range for a u8, at `now`"
    );
    assert_eq!(
        refused(r#"{ "new": 3 }"#),
        "`by_name.mana`: unknown field `new`, expected one of `now`, `school`, `from`"
    );
    assert_eq!(world.get_by_name(a, "by_name.mana"), Ok(Some(value)));
    assert_eq!(world.entities_with("by_name.mana"), Ok(vec![a]));
}

#[test]
fn resources_are_known_after_they_are_registered() {
    let (mut world, [_, a, _]) = world();
    world.insert_resource(Chosen(vec![a]));
    let unknown = message(world.resource_by_name("game.chosen"));
    assert_eq!(
        unknown,
        "no resource `game.chosen` in this world; help: schedule a system that uses it, or call `register_data_resource` with its type"
    );
    world.register_data_resource::<Chosen>();
    assert_eq!(
        world.resource_by_name("game.chosen"),
        Ok(Some(json(r#"["1v1"]"#)))
    );
    let refused = message(world.insert_resource_by_name("game.chosen", &json(r#"["1v1", 2]"#)));
    assert!(refused.ends_with("at `[1]`"), "{refused}");
    assert_eq!(*world.resource::<Chosen>(), Chosen(vec![a]));
    world
        .insert_resource_by_name("game.chosen", &json("[]"))
        .unwrap();
    assert_eq!(*world.resource::<Chosen>(), Chosen(vec![]));
    let borrowed = world.resource_mut::<Chosen>();
    assert!(matches!(
        world.resource_by_name("game.chosen"),
        Err(ByNameError::ResourceBorrowed(_))
    ));
    drop(borrowed);
    assert_eq!(world.remove_resource_by_name("game.chosen"), Ok(true));
    assert_eq!(world.remove_resource_by_name("game.chosen"), Ok(false));
    assert_eq!(world.resource_by_name("game.chosen"), Ok(None));
    assert!(message(world.resource_by_name("game.mood")).starts_with("no resource"));
}

#[test]
fn an_id_that_a_type_swallows_is_an_error() {
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "by_name.guess")]
    #[serde(untagged)]
    enum Guess {
        Who(Entity),
        Letter(char),
    }
    let (mut world, [_, a, _]) = world();
    world.register::<Guess>();
    world
        .insert_by_name(a, "by_name.guess", &"1v1".into())
        .unwrap();
    assert!(matches!(&*world.get::<Guess>(a).unwrap(), Guess::Who(id) if *id == a));
    let refused = message(world.insert_by_name(a, "by_name.guess", &"x".into()));
    assert!(refused.contains("not an entity id"), "{refused}");
}

#[test]
fn user_code_that_panics_leaves_the_world_as_it_was() {
    thread_local!(static PANICS: RefCell<bool> = const { RefCell::new(false) });
    #[derive(Component, Clone, Debug)]
    #[component(data = "by_name.bomb")]
    struct Bomb;
    impl Serialize for Bomb {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("do not touch"))
        }
    }
    impl<'de> Deserialize<'de> for Bomb {
        fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            PANICS.with_borrow(|&panics| assert!(!panics, "boom"));
            Ok(Bomb)
        }
    }
    let (mut world, [_, a, b]) = world();
    world.insert(a, Bomb).unwrap();
    assert_eq!(
        message(world.get_by_name(a, "by_name.bomb")),
        "`by_name.bomb`: do not touch"
    );
    PANICS.set(true);
    let insert =
        std::panic::AssertUnwindSafe(|| world.insert_by_name(b, "by_name.bomb", &Value::Null));
    assert!(std::panic::catch_unwind(insert).is_err());
    assert!(!world.has::<Bomb>(b));
    PANICS.set(false);
    world
        .insert_by_name(b, "by_name.bomb", &Value::Null)
        .unwrap();
    assert!(world.has::<Bomb>(b));
    let outside = std::panic::catch_unwind(|| serde_json::to_string(&a)).unwrap();
    assert!(outside.is_err(), "the session has ended");
    world.check_invariants();
}

/// The world remembers the meaning of names; this memory follows newly registered types.
#[test]
fn a_name_is_found_as_soon_as_the_world_knows_it() {
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "game.late")]
    struct Late(u8);
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "game.later", alias = "game.late")]
    struct Later(u8);
    #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "game.late")]
    struct LateResource(u8);

    let mut world = World::new();
    let entity = world.spawn(());
    let is_unknown = |error| matches!(error, ByNameError::Unknown { .. });
    assert!(is_unknown(
        world.get_by_name(entity, "game.late").unwrap_err()
    ));
    world.insert(entity, Late(1)).unwrap();
    assert_eq!(world.get_by_name(entity, "game.late"), Ok(Some(1.into())));
    assert!(is_unknown(world.resource_by_name("game.late").unwrap_err()));
    world.register_data_resource::<LateResource>();
    assert_eq!(world.resource_by_name("game.late"), Ok(None));
    assert_eq!(world.get_by_name(entity, "game.late"), Ok(Some(1.into())));
    world.register::<Later>();
    assert!(matches!(
        world.get_by_name(entity, "game.late"),
        Err(ByNameError::SameName(_))
    ));
    assert_eq!(world.get_by_name(entity, "game.later"), Ok(None));
}

#[test]
fn an_encoder_writes_each_value_like_its_tree() {
    let (mut world, [_, a, b]) = world();
    let oxygen = DynamicComponent::new("by_name.oxygen")
        .field("left", FieldKind::F32)
        .field("of", FieldKind::Entity)
        .field("sign", FieldKind::Char)
        .register()
        .unwrap();
    let value = DynamicValue::new(oxygen).unwrap();
    let value = value.with("left", 0.1_f32).unwrap();
    let value = value.with("of", Some(b)).unwrap();
    world.insert_dynamic(a, value).unwrap();
    world.insert(b, Mood::Angry { level: 3 }).unwrap();
    world.insert(a, Mood::Calm).unwrap();
    let squad = Squad {
        leader: Some(a),
        members: vec![(b, 1), (a, 2)],
    };
    world.insert(b, squad).unwrap();

    for name in ["game.squad", "game.mood", "by_name.oxygen"] {
        let encoder = ValueEncoder::named(&world, name).unwrap();
        assert_eq!(
            encoder.component(),
            ValueEncoder::of(encoder.component()).unwrap().component()
        );
        let view = world.view_erased(encoder.component());
        let mut count = 0;
        for entity in &world.entities() {
            let Some(value) = view.get(entity) else {
                continue;
            };
            let tree = world.get_by_name(entity, name).unwrap().unwrap();
            let encoded = encoder.encode(value);
            let json = serde_json::to_string(&encoded).unwrap();
            assert_eq!(json, serde_json::to_string(&tree).unwrap(), "{name}");
            assert_eq!(encoded.to_value().unwrap(), tree);
            count += 1;
        }
        assert!(count > 0, "{name}");
    }
    assert!(ValueEncoder::of(ComponentId::of::<Texture>()).is_none());
    assert!(ValueEncoder::of(ComponentId::of::<Cache>()).is_none());
    assert!(ValueEncoder::of(ComponentId::of::<Sources<Likes>>()).is_none());
    assert_eq!(
        message(ValueEncoder::named(&world, "game.mod")),
        "no component `game.mod` in this world; help: there is `game.mood`"
    );
}

#[test]
#[should_panic(expected = "a value of `game.mood` was passed to the encoder of `game.squad`")]
fn an_encoder_refuses_values_of_other_components() {
    let (mut world, [_, a, _]) = world();
    world.insert(a, Mood::Calm).unwrap();
    let encoder = ValueEncoder::of(ComponentId::of::<Squad>()).unwrap();
    let view = world.view_erased(ComponentId::of::<Mood>());
    let _ = encoder.encode(view.get(a).unwrap());
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.fragile", on_insert = break_it)]
struct Fragile;

fn break_it(mut world: ecs_core::world::hooks::DeferredWorld, entity: Entity) {
    world.commands().despawn(entity);
}

#[test]
fn an_entity_is_spawned_from_names_and_values_or_not_at_all() {
    let (mut world, _) = world();
    let a = world.spawn(());
    let before = world.len();
    let squad = json(&format!(r#"{{ "leader": "{a}", "members": [] }}"#));
    let (calm, angry) = (json(r#""Calm""#), json(r#"{ "Angry": { "level": 3 } }"#));
    let parent = json(&format!(r#""{a}""#));

    let typed = world.spawn((
        Squad {
            leader: Some(a),
            members: Vec::new(),
        },
        Mood::Angry { level: 3 },
    ));
    world.relate(typed, ChildOf, a).unwrap();
    let names = [
        ("game.mood", &angry),
        ("game.squad", &squad),
        ("game.child_of", &parent),
    ];
    let named = world.spawn_by_name(names).unwrap();
    let of = |entity| {
        let mut values = Vec::new();
        for (name, _) in names {
            values.push(world.get_by_name(entity, name).unwrap());
        }
        values
    };
    assert_eq!(of(named), of(typed));
    assert!(of(named).iter().all(Option::is_some));
    assert_eq!(world.len(), before + 2);
    let empty = world.spawn_by_name([]).unwrap();
    assert!(world.contains(empty));

    let wrong = json(r#"{ "Angry": { "level": 300 } }"#);
    for (values, expected) in [
        (
            vec![("game.squad", &squad), ("game.mod", &calm)],
            "no component `game.mod` in this world; help: there is `game.mood`",
        ),
        (
            vec![("game.squad", &squad), ("game.mood", &wrong)],
            "`game.mood`: 300 is out of range for a u8, at `Angry.level`",
        ),
        (
            vec![
                ("game.squad", &squad),
                ("game.mood", &calm),
                ("game.party", &squad),
            ],
            "the list has the component `game.party` twice; help: remove one of the two",
        ),
    ] {
        let count = world.len();
        assert_eq!(message(world.spawn_by_name(values)), expected);
        assert_eq!(world.len(), count);
        world.check_invariants();
    }
}

#[derive(Resource)]
struct Seen(Vec<bool>);

#[test]
fn an_entity_that_a_hook_despawns_stays_so() {
    let (mut world, _) = world();
    world.register::<Fragile>();
    let count = world.len();
    let (fragile, calm) = (json("null"), json(r#""Calm""#));
    let gone = world.spawn_by_name([("game.fragile", &fragile), ("game.mood", &calm)]);
    assert!(!world.contains(gone.unwrap()));
    assert_eq!(world.len(), count);
    world.check_invariants();
}

#[test]
fn hooks_of_an_entity_that_is_spawned_by_name_see_all_of_its_components() {
    let (mut world, [_, a, _]) = world();
    world.insert_resource(Seen(Vec::new()));
    world.observe(
        |event: OnInsert<Mood>, related: Query<&Target<ChildOf>>, mut seen: ResMut<Seen>| {
            seen.0.push(related.get(event.entity()).is_some());
        },
    );
    let (calm, parent) = (json(r#""Calm""#), json(&format!(r#""{a}""#)));
    let names = [("game.mood", &calm), ("game.child_of", &parent)];
    world.spawn_by_name(names).unwrap();
    world.spawn_by_name([names[1], names[0]]).unwrap();
    assert_eq!(world.resource::<Seen>().0, [true, true]);
}
