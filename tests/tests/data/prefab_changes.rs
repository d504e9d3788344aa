//! Copies remember their prefab, and their differences from it can be listed, saved alone, and made again.

use ecs_core::data::{ChangesError, Diff, Loader, Prefab, PrefabPart};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Targets};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "health")]
struct Health(f32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "aim", storage = "sparse")]
struct Aim(Option<Entity>);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "child_of", tree)]
struct ChildOf;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "likes", many)]
struct Likes(u8);

/// Not data.
#[derive(Component)]
struct Sprite;

/// A goblin with a spear and a bag, and something in the bag.
fn goblin() -> Prefab {
    let mut world = World::new();
    let root = world.spawn((Health(7.0), Aim(None)));
    let spear = world.spawn((Health(f32::NAN), ChildOf.to(root)));
    let bag = world.spawn((Aim(Some(spear)), ChildOf.to(root)));
    let coin = world.spawn((Aim(Some(root)), ChildOf.to(bag)));
    world.relate(root, Likes(1), coin).unwrap();
    Prefab::from_tree::<ChildOf>(&world, root).unwrap()
}

fn parts(world: &World, root: Entity) -> Vec<Entity> {
    let parts = world.query::<(Entity, &PrefabPart)>();
    let mut parts: Vec<_> = parts
        .iter()
        .filter(|(_, part)| part.root() == root)
        .map(|(entity, part)| (part.number(), entity))
        .collect();
    parts.sort_unstable();
    parts.into_iter().map(|(_, entity)| entity).collect()
}

#[test]
fn copies_remember_name_number_and_root() {
    let prefab = goblin();
    let mut world = World::new();
    let plain = prefab.spawn(&mut world).unwrap();
    assert!(world.get::<PrefabPart>(plain).is_none());
    let roots = prefab
        .copies(3)
        .remembered("goblin")
        .spawn(&mut world)
        .unwrap();
    for &root in &roots {
        let parts = parts(&world, root);
        assert_eq!((parts[0], parts.len()), (root, 4));
        for (number, part) in parts.iter().enumerate() {
            let remembered = world.get::<PrefabPart>(*part).unwrap();
            assert_eq!(remembered.prefab(), "goblin");
            assert_eq!(remembered.number() as usize, number);
        }
        assert!(prefab.changes(&world, root).unwrap().is_empty());
    }
    let error = prefab.changes(&world, plain).unwrap_err();
    assert!(
        matches!(error, ChangesError::NotRemembered { .. }),
        "{error}"
    );
    let spear = parts(&world, roots[0])[1];
    prefab.changes(&world, spear).unwrap_err();
}

#[test]
fn changes_are_listed_by_part_and_field() {
    let prefab = goblin();
    let mut world = World::new();
    let village = world.spawn(Health(1.0));
    let root = prefab
        .copies(1)
        .remembered("goblin")
        .spawn(&mut world)
        .unwrap()[0];
    let [_, spear, bag, coin] = parts(&world, root)[..] else {
        panic!("four parts");
    };
    world.get_mut::<Health>(root).unwrap().0 = 3.0;
    world.insert(root, ChildOf.to(village)).unwrap();
    world.insert(root, Sprite).unwrap();
    world.remove::<Health>(spear).unwrap();
    world.insert(bag, Aim(Some(village))).unwrap();
    world.despawn(coin).unwrap();
    let added = world.spawn((Health(5.0), ChildOf.to(bag)));
    let changes = prefab.changes(&world, root).unwrap();
    let text = changes.to_string();
    assert!(text.contains("0v1 health: 7.0 -> 3.0\n"), "{text}");
    assert!(text.contains("1v1 health: NaN -> none\n"), "{text}");
    assert!(text.contains("2v1 aim: "), "{text}");
    assert!(text.contains("3v1 despawned\n"), "{text}");
    assert!(text.contains("0v1 likes: "), "{text}");
    assert!(
        !text.contains("village") && !text.contains("0v1 child_of"),
        "{text}"
    );
    assert!(world.contains(added));
}

#[test]
fn saves_and_clones_remember_too() {
    let prefab = goblin();
    let mut world = World::new();
    let root = prefab
        .copies(2)
        .remembered("goblin")
        .spawn(&mut world)
        .unwrap()[1];
    world.get_mut::<Health>(root).unwrap().0 = 4.0;
    let expected = prefab.changes(&world, root).unwrap();
    let copy = world.clone_tree::<ChildOf>(root).unwrap();
    assert_eq!(prefab.changes(&world, copy).unwrap(), expected);

    let loader = Loader::new().with::<PrefabPart>().types_of(&world);
    for json in [false, true] {
        let mut new = World::new();
        if json {
            let text = serde_json::to_string(&world.save()).unwrap();
            loader
                .deserialize(&mut new, &mut serde_json::Deserializer::from_str(&text))
                .unwrap();
        } else {
            loader
                .load_into(&mut new, &world.save().to_vec().unwrap()[..])
                .unwrap();
        }
        let found = new.query::<(Entity, &PrefabPart, &Health)>();
        let changed = found
            .iter()
            .find(|(_, part, health)| part.number() == 0 && health.0 == 4.0);
        let root = changed.unwrap().0;
        drop(found);
        assert_eq!(prefab.changes(&new, root).unwrap(), expected);
    }
}

#[test]
fn changes_of_something_else_are_errors() {
    let prefab = goblin();
    let diff = |json: &str| -> Diff { serde_json::from_str(json).unwrap() };
    let mut world = World::new();
    let root = prefab
        .copies(1)
        .remembered("goblin")
        .spawn(&mut world)
        .unwrap()[0];
    world.get_mut::<Health>(root).unwrap().0 = 3.0;
    let changes = prefab.changes(&world, root).unwrap();
    let text = serde_json::to_string(&changes).unwrap();
    let wounded = prefab.changed(&changes).unwrap();
    let error = wounded.changed(&changes).unwrap_err();
    assert!(matches!(error, ChangesError::Apply(_)), "{error}");
    for (from, to) in [
        ("\"health\"", "\"wealth\""),
        ("7.0", "8.0"),
        ("3.0", "\"x\""),
    ] {
        assert!(text.contains(from), "{text}");
        prefab.changed(&diff(&text.replace(from, to))).unwrap_err();
    }
    // Removes the root.
    let all = prefab.to_world().unwrap();
    let mut none = prefab.to_world().unwrap();
    let root = none.query::<Entity>().iter().min().unwrap();
    none.despawn(root).unwrap();
    let gone = all.diff(&none).unwrap();
    let error = prefab.changed(&gone).unwrap_err();
    assert!(matches!(error, ChangesError::NoRoot), "{error}");
}

/// A change of a copy: the part, and the action.
fn changes() -> impl Strategy<Value = Vec<(usize, u8, usize)>> {
    prop::collection::vec((0..4_usize, 0..7_u8, 0..4_usize), 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(64)))]
    #[test]
    fn a_changed_prefab_makes_the_changed_copy(changes in changes()) {
        let prefab = goblin();
        let mut world = World::new();
        world.register::<Sources<ChildOf>>();
        world.register::<Targets<Likes>>();
        let root = prefab.copies(2).remembered("goblin").spawn(&mut world).unwrap()[1];
        let all = parts(&world, root);
        for (part, kind, other) in changes {
            let (part, other) = (all[part], all[other]);
            if !world.contains(part) || !world.contains(other) {
                continue;
            }
            match kind {
                0 => _ = world.insert(part, Health(2.5)),
                1 => _ = world.remove::<Health>(part),
                2 => _ = world.insert(part, Aim(Some(other))),
                3 => _ = world.remove::<Aim>(part),
                4 if part != other => _ = world.relate(part, Likes(9), other),
                5 => _ = world.unrelate::<Likes>(part, other),
                6 if part == all[3] => {
                    // A prefab cannot name an entity that is dead.
                    for &aiming in &all {
                        let aims = world.get::<Aim>(aiming).is_some_and(|aim| aim.0 == Some(part));
                        if aims {
                            _ = world.remove::<Aim>(aiming);
                        }
                    }
                    _ = world.despawn(part);
                }
                _ => {}
            }
        }
        world.check_invariants();
        let changes = prefab.changes(&world, root).unwrap();
        let bytes = postcard::to_allocvec(&changes).unwrap();
        let text = ron::to_string(&changes).unwrap();
        prop_assert_eq!(&postcard::from_bytes::<Diff>(&bytes).unwrap(), &changes);
        let changes: Diff = ron::from_str(&text).unwrap();
        let changed = prefab.changed(&changes).unwrap();
        let copy = changed.copies(1).remembered("goblin").spawn(&mut world).unwrap()[0];
        world.check_invariants();
        prop_assert_eq!(prefab.changes(&world, copy).unwrap().to_string(), changes.to_string());
        // Both have the same file.
        let file = |root| {
            let tree = Prefab::from_tree::<ChildOf>(&world, root);
            serde_json::to_value(tree.unwrap().to_world().unwrap().save().without::<PrefabPart>()).unwrap()
        };
        prop_assert_eq!(file(root), file(copy));
    }
}

#[test]
fn copies_in_a_save_of_an_earlier_release_are_known() {
    let save = r#"{
        "versions": { "ecs.prefab_part": 1 },
        "entities": [{ "ecs.prefab_part": ["goblin", 0, 0] }, { "ecs.prefab_part": ["goblin", 1, 0] }]
    }"#;
    let mut world = World::new();
    let mut json = serde_json::Deserializer::from_str(save);
    let loaded = Loader::new().deserialize(&mut world, &mut json).unwrap();
    let [root, part] = loaded.entities[..] else {
        panic!("there are two entities");
    };
    for (number, entity) in [root, part].into_iter().enumerate() {
        let known = world.get::<PrefabPart>(entity).unwrap();
        assert_eq!((known.prefab(), known.root()), ("goblin", root));
        assert_eq!(known.number() as usize, number);
    }
}
