//! Differences between worlds: applied, reversed, added, and written.

mod blocks;
mod dead_ids;
mod dead_loads;
mod exact;
mod parts;
mod plain;
mod random;
mod texts;

use std::collections::{BTreeMap, HashMap};

use ecs_core::data::{ApplyError, Diff, DiffError, Differ, Value};
use ecs_core::dynamic::{DynamicComponent, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_core::world::hooks::OnInsert;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data_steps::{
    Bag, ChildOf, Fast, Likes, Marked, Place, Shape, Sprite, Step, Text, apply, model, run_full,
    step,
};

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "score")]
struct Score(u64, Option<Entity>);

/// Makes a change that the other changes leave out: of resources, and of the order of sources.
fn rearrange(world: &mut World, what: u8) {
    match what {
        0 => _ = world.remove_resource::<Score>(),
        1..4 => _ = world.insert_resource(Score(what.into(), None)),
        _ => {
            let entities = Vec::from_iter(&world.query::<Entity>());
            for target in entities {
                if let Some(mut sources) = world.sources_mut::<ChildOf>(target) {
                    sources.sort_by(|a, b| b.id().cmp(&a.id()));
                }
            }
        }
    }
}

fn start(steps: &[Step]) -> World {
    let mut world = run_full(steps);
    world.register_data_resource::<Score>();
    world.insert_resource(Score(u64::MAX, None));
    world
}

/// Changes a world by the given steps; its states before and after are compared.
fn change(world: &mut World, steps: &[(Step, u8)]) {
    for (step, what) in steps {
        apply(world, step);
        if *what < 8 {
            rearrange(world, *what);
        }
    }
}

fn steps(max: usize) -> impl Strategy<Value = Vec<(Step, u8)>> {
    prop::collection::vec((step(), 0_u8..20), 0..max)
}

/// Returns the difference through each of the forms.
fn forms(diff: &Diff) -> [Diff; 5] {
    let json = serde_json::to_string(diff).unwrap();
    let ron = ron::to_string(diff).unwrap();
    let postcard = postcard::to_allocvec(diff).unwrap();
    let packed = rmp_serde::to_vec(diff).unwrap();
    [
        serde_json::from_str(&json).unwrap(),
        ron::from_str(&ron).unwrap(),
        postcard::from_bytes(&postcard).unwrap(),
        rmp_serde::from_slice(&packed).unwrap(),
        Diff::from_slice(&diff.to_vec().unwrap()).unwrap(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(400)))]

    #[test]
    fn a_difference_leads_there_and_back(
        first in prop::collection::vec(step(), 0..12),
        more in steps(8),
        rest in steps(6),
    ) {
        let mut world = start(&first);
        let mut twin = start(&first);
        let states = [model(&world), {
            change(&mut twin, &more);
            model(&twin)
        }];
        let hashes = [world.hash().unwrap(), twin.hash().unwrap()];
        let diff = world.diff(&twin).unwrap();
        prop_assert_eq!(diff.is_empty(), hashes[0] == hashes[1]);
        prop_assert_eq!(&diff.reversed().reversed(), &diff);
        prop_assert_eq!(diff.to_string().is_empty(), {
            let reordered = diff.entities().is_empty() && diff.resources().is_empty();
            diff.is_empty() || reordered && diff.to_string().is_empty()
        });
        for form in forms(&diff) {
            prop_assert_eq!(&form, &diff);
            form.apply(&mut world).unwrap();
            world.check_invariants();
            prop_assert_eq!(world.hash().unwrap(), hashes[1]);
            prop_assert_eq!(&model(&world), &states[1]);
            let again = form.apply(&mut world);
            prop_assert_eq!(again.is_ok(), diff.is_empty());
            form.reversed().apply(&mut world).unwrap();
            world.check_invariants();
            prop_assert_eq!(world.hash().unwrap(), hashes[0]);
            prop_assert_eq!(&model(&world), &states[0]);
        }
        // Appending a second difference equals merging both.
        let mut third = twin.try_clone().unwrap();
        change(&mut third, &rest);
        let next = twin.diff(&third).unwrap();
        let both = diff.clone().then(&next).unwrap();
        prop_assert_eq!(&both, &world.diff(&third).unwrap());
        prop_assert!(both.is_empty() || both.clone().then(&both.reversed()).unwrap().is_empty());
        both.apply(&mut world).unwrap();
        world.check_invariants();
        prop_assert_eq!(world.hash().unwrap(), third.hash().unwrap());
        both.reversed().apply(&mut world).unwrap();
        prop_assert_eq!(world.hash().unwrap(), hashes[0]);
    }

    #[test]
    fn a_refused_difference_changes_nothing(
        first in prop::collection::vec(step(), 0..12),
        more in steps(6),
        other in steps(3),
    ) {
        let mut world = start(&first);
        let mut twin = start(&first);
        change(&mut twin, &more);
        let diff = world.diff(&twin).unwrap();
        change(&mut world, &other);
        let before = model(&world);
        let next = world.next_ids(6).unwrap();
        if diff.apply(&mut world).is_err() {
            world.check_invariants();
            prop_assert_eq!(model(&world), before);
            prop_assert_eq!(world.next_ids(6).unwrap(), next);
        } else {
            let back = diff.reversed().apply(&mut world);
            prop_assert!(back.is_ok(), "{:?}", back);
            prop_assert_eq!(model(&world), before);
        }
    }
}

#[test]
fn each_kind_of_value_has_its_fields() {
    let mut world = World::new();
    let parent = world.spawn(());
    let bag = |n| Bag(HashMap::from([(1, HashMap::from([("a.b".into(), n)]))]));
    let entity = world.spawn((
        Place(1.0, 2),
        Text("a".into(), Some(parent)),
        bag(1),
        Shape::Flat(3),
    ));
    let other = world.spawn(());
    let before = world.try_clone().unwrap();
    world
        .insert(entity, (Place(0.1, 2), Text("b".into(), None), bag(2)))
        .unwrap();
    let round = Shape::Round {
        radius: 1,
        holes: HashMap::new(),
    };
    world.insert(entity, round).unwrap();
    world.insert(entity, (Fast(7), ChildOf.to(parent))).unwrap();
    world.relate(entity, Likes(1), parent).unwrap();
    world.relate(entity, Likes(2), other).unwrap();
    let diff = before.diff(&world).unwrap();
    let expected = r#"1v1 bag[1]["a.b"]: 1 -> 2
1v1 child_of: none -> "0v1"
1v1 fast: none -> 7
1v1 likes: none -> [{"to": "0v1", "value": 1}, {"to": "2v1", "value": 2}]
1v1 place[0]: 1.0 -> 0.1
1v1 shape: 3 -> {"radius": 1, "holes": {}}
1v1 text[0]: "a" -> "b"
1v1 text[1]: "0v1" -> null
"#;
    assert_eq!(diff.to_string(), expected);
    let place = &diff.entities()[0].values()[4];
    assert_eq!(
        (place.name(), place.old(), place.fields().len()),
        (
            "place",
            Some(&Value::from_iter([Value::from(1.0_f64), Value::from(2)])),
            1,
        )
    );
}

#[test]
fn components_of_run_time_differ_too() {
    let gold = DynamicComponent::new("differences.gold").field("amount", FieldKind::U32);
    let gold = gold.register().unwrap();
    let value = |amount: u32| {
        DynamicValue::new(gold)
            .unwrap()
            .with("amount", amount)
            .unwrap()
    };
    let mut worlds = [5, 6].map(|amount| {
        let mut world = World::new();
        let entity = world.spawn(());
        world.insert_dynamic(entity, value(amount)).unwrap();
        world
    });
    let [one, other] = &mut worlds;
    let extra = other.spawn(());
    other.insert_dynamic(extra, value(1)).unwrap();
    let diff = one.diff(other).unwrap();
    assert_eq!(
        diff.to_string(),
        "0v1 differences.gold.amount: 5 -> 6\n1v1 spawned\n1v1 differences.gold: none -> {\"amount\": 1}\n"
    );
    diff.apply(one).unwrap();
    assert!(one.diff(other).unwrap().is_empty());
    one.check_invariants();
    diff.reversed().apply(one).unwrap();
    assert_eq!(one.len(), 1);
}

#[test]
fn what_is_not_data_is_named_or_left_out() {
    let mut world = World::new();
    let before = world.try_clone().unwrap();
    let entity = world.spawn((Sprite, Fast(1), Marked));
    let error = before.diff(&world).unwrap_err();
    assert!(error.to_string().starts_with("entity 0v1, `"), "{error}");
    assert!(
        error.to_string().contains("Sprite`: it is not data"),
        "{error}"
    );
    let diff = Differ::new()
        .only_data()
        .without::<Fast>()
        .between(&before, &world);
    let diff = diff.unwrap();
    assert_eq!(diff.to_string(), "0v1 spawned\n0v1 marked: none -> null\n");
    diff.reversed().apply(&mut world).unwrap();
    assert!(!world.contains(entity));
}

#[test]
fn a_limit_bounds_a_difference() {
    let mut world = World::new();
    let before = world.try_clone().unwrap();
    for _ in 0..10 {
        world.spawn(Marked);
    }
    let differ = Differ::new().limit(20);
    assert!(differ.between(&before, &world).is_ok());
    let error = differ
        .clone()
        .limit(19)
        .between(&before, &world)
        .unwrap_err();
    assert!(matches!(error, DiffError::TooMany { limit: 19 }));
}

#[test]
fn errors_name_what_is_in_the_way() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Fast(n)));
    world.insert(b, ChildOf.to(a)).unwrap();
    let old = world.try_clone().unwrap();
    world.insert(a, Fast(9)).unwrap();
    world.insert(b, Likes(1).to(a)).unwrap();
    let c = world.spawn(Fast(3));
    let diff = old.diff(&world).unwrap();
    let refused = |make: &dyn Fn(&mut World)| {
        let mut world = old.try_clone().unwrap();
        make(&mut world);
        let before = model(&world);
        let error = diff.apply(&mut world).unwrap_err();
        assert_eq!(model(&world), before);
        world.check_invariants();
        error.to_string()
    };
    let help = "; help: apply a diff to the world that it starts from";
    assert_eq!(
        refused(&|world| _ = world.insert(a, Fast(2))),
        format!("entity 0v1, `fast`: the diff starts from 1, the world has 2{help}")
    );
    assert_eq!(
        refused(&|world| _ = world.despawn(b)),
        format!("there is no entity 1v1, which the diff changes{help}")
    );
    assert_eq!(
        refused(&|world| assert_eq!(world.spawn(()), c)),
        format!("there is an entity 2v1, which the diff adds{help}")
    );
    assert_eq!(
        refused(&|world| _ = world.insert(b, Likes(4).to(a))),
        format!(
            "entity 1v1, `likes`: the diff starts from no value, the world has [{{\"to\": \"0v1\", \"value\": 4}}]{help}"
        )
    );
    // An index that another entity has now.
    let mut world = old.try_clone().unwrap();
    world.spawn(());
    world.despawn(c).unwrap();
    let next = world.spawn(());
    assert_eq!(next.to_string(), "2v2");
    let error = diff.apply(&mut world).unwrap_err();
    assert!(
        matches!(error, ApplyError::Id { entity, .. } if entity == c),
        "{error}"
    );
}

/// Returns the difference in a JSON text.
fn from_json(text: &str) -> Diff {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn differences_of_strangers_are_refused_before_anything_changes() {
    let mut world = World::new();
    world.register::<Sprite>();
    let [a, b] = [1, 2].map(|n| world.spawn(Fast(n)));
    world.insert(b, ChildOf.to(a)).unwrap();
    let before = model(&world);
    let spawn = |id: &str, values: &str| {
        format!(
            r#"{{"format":1,"entities":[{{"entity":"{id}","spawned":true,"values":{{{values}}}}}]}}"#
        )
    };
    let edit = |id: &str, values: &str| {
        format!(
            r#"{{"format":1,"entities":[{{"entity":"0v1","values":{{"fast":{{"old":1,"new":5}}}}}},{{"entity":"{id}","values":{{{values}}}}}]}}"#
        )
    };
    for (text, expected) in [
        (spawn("4000000000v1", ""), "the index is far beyond"),
        (spawn("7v4194304", ""), "its generation is too high"),
        (spawn("0v2", ""), "its index belongs to a living entity"),
        (spawn("2v1", r#""fast":{"new":-1}"#), "-1 is out of range for a u16"),
        (spawn("2v1", r#""fats":{"new":1}"#), "no component `fats`"),
        (spawn("2v1", r#""child_of":{"new":"2v1"}"#), "cannot be related to itself"),
        (spawn("2v1", r#""child_of":{"new":"9v1"}"#), "there is no entity 9v1"),
        (spawn("2v1", r#""child_of":{"new":["0v1","1v1"]}"#), "it leads to one target"),
        (spawn("2v1", r#""likes":{"new":["0v1","0v1"]}"#), "the target 0v1 occurs twice"),
        (edit("1v1", r#""fast":{"old":3,"new":5}"#), "the diff starts from 3, the world has 2"),
        (edit("1v1", r#""child_of":{"old":"0v1","new":"1v1"}"#), "cannot be related to itself"),
        (edit("1v2", r#""fast":{"old":3,"new":5}"#), "there is no entity 1v2"),
        (
            r#"{"format":1,"entities":[{"entity":"0v1","values":{"child_of":{"new":"1v1"}}}]}"#.to_owned(),
            "which is a tree: 1v1 is a descendant of 0v1",
        ),
        (
            r#"{"format":1,"partial":true,"entities":[{"entity":"0v1","despawned":true},{"entity":"1v1","values":{"likes":{"new":"0v1"}}}]}"#.to_owned(),
            "there is no entity 0v1",
        ),
        (
            r#"{"format":1,"partial":true,"entities":[{"entity":"0v1","despawned":true},{"entity":"0v4194304","spawned":true}]}"#.to_owned(),
            "its generation is too high",
        ),
        (
            r#"{"format":1,"entities":[{"entity":"1v1","despawned":true,"values":{"fast":{"old":2}}}]}"#.to_owned(),
            "`child_of`: the diff starts from no value",
        ),
        (
            r#"{"format":1,"entities":[{"entity":"0v1","despawned":true,"values":{"fast":{"old":1}}}]}"#.to_owned(),
            "`child_of`: the world has other sources",
        ),
        (
            r#"{"format":1,"entities":[{"entity":"5v1","spawned":true},{"entity":"5v2","spawned":true}]}"#.to_owned(),
            "same id",
        ),
        (
            r#"{"format":1,"partial":true,"entities":[{"entity":"1v1","despawned":true},{"entity":"1v2","spawned":true},{"entity":"1v3","spawned":true}]}"#.to_owned(),
            "same id",
        ),
        (
            r#"{"format":1,"entities":[{"entity":"0v1","values":{"copies::data_steps::Sprite":{"new":null}}}]}"#.to_owned(),
            "data_steps::Sprite` are known to its type alone",
        ),
        (r#"{"format":1,"orders":[{"relation":"child_of","target":"0v1","old":[],"new":[]}]}"#.to_owned(), "other sources"),
        (r#"{"format":1,"orders":[{"relation":"fast","target":"0v1","old":[],"new":[]}]}"#.to_owned(), "`fast`"),
        (r#"{"format":1,"resources":{"nothing":{"new":1}}}"#.to_owned(), "no resource `nothing`"),
    ] {
        let error = from_json(&text).apply(&mut world).expect_err(&text);
        assert!(error.to_string().contains(expected), "{text}: {error}");
        assert_eq!(model(&world), before, "{text}");
        world.check_invariants();
    }
    for (text, expected) in [
        (r#"{"format":2}"#, "of a later version"),
        (r#"{"format":1,"x":1}"#, "unknown field"),
        (r#"{"format":1,"format":1}"#, "occurs twice"),
        (
            r#"{"format":1,"entities":[{"entity":"0v1"}]}"#,
            "nothing differs about entity 0v1",
        ),
        (
            r#"{"format":1,"entities":[{"entity":"0v1","spawned":true,"despawned":true}]}"#,
            "is spawned and despawned",
        ),
        (
            r#"{"format":1,"entities":[{"entity":"0v1","spawned":true,"values":{"a":{"old":1}}}]}"#,
            "when it is not there",
        ),
        (
            r#"{"format":1,"entities":[{"entity":"0v1","values":{"a":{}}}]}"#,
            "no value before",
        ),
        (
            r#"{"format":1,"entities":[{"entity":"1v1","spawned":true},{"entity":"0v1","spawned":true}]}"#,
            "not behind",
        ),
        (
            r#"{"format":1,"entities":[{"entity":"1","spawned":true}]}"#,
            "expected the id",
        ),
        (
            r#"{"format":1,"resources":{"b":{"new":1},"a":{"new":1},"b":{"new":1}}}"#,
            "`b` occurs twice",
        ),
    ] {
        let error = serde_json::from_str::<Diff>(text).expect_err(text);
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

#[test]
fn parents_and_children_can_change_places() {
    let mut world = World::new();
    let a = world.spawn(());
    let b = world.spawn(ChildOf.to(a));
    let c = world.spawn(ChildOf.to(b));
    let old = world.try_clone().unwrap();
    world.relate(b, ChildOf, c).unwrap_err();
    world
        .remove::<ecs_core::relation::Target<ChildOf>>(c)
        .unwrap();
    world
        .remove::<ecs_core::relation::Target<ChildOf>>(b)
        .unwrap();
    world.insert(b, ChildOf.to(c)).unwrap();
    world.insert(a, ChildOf.to(b)).unwrap();
    let diff = old.diff(&world).unwrap();
    diff.reversed().apply(&mut world).unwrap();
    assert_eq!(model(&world), model(&old));
    diff.apply(&mut world).unwrap();
    assert_eq!(world.get::<Sources<ChildOf>>(c).unwrap().to_vec(), [b]);
    world.check_invariants();
}

#[test]
fn the_order_of_sources_is_a_difference() {
    let mut world = World::new();
    let root = world.spawn(());
    let [a, b, c] = [(); 3].map(|()| world.spawn(ChildOf.to(root)));
    let old = world.try_clone().unwrap();
    world.sources_mut::<ChildOf>(root).unwrap().move_to(c, 0);
    let diff = old.diff(&world).unwrap();
    assert_eq!(
        diff.to_string(),
        "0v1 sources in child_of: [1v1, 2v1, 3v1] -> [3v1, 1v1, 2v1]\n"
    );
    diff.reversed().apply(&mut world).unwrap();
    assert_eq!(*world.sources_mut::<ChildOf>(root).unwrap(), [a, b, c]);
    diff.apply(&mut world).unwrap();
    assert_eq!(*world.sources_mut::<ChildOf>(root).unwrap(), [c, a, b]);
    world.check_invariants();
}

/// Changes some bytes like a fuzzer.
fn damage(bytes: &mut Vec<u8>, changes: &[(u16, u8)]) {
    for &(at, what) in changes {
        if bytes.is_empty() {
            return;
        }
        let at = usize::from(at) % bytes.len();
        match what {
            0..100 => bytes[at] = what,
            100..180 => bytes[at] ^= 1 << (what % 8),
            180..220 => _ = bytes.drain(at..bytes.len().min(at + 8)),
            _ => {
                let part = bytes[at..bytes.len().min(at + 16)].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(1500)))]

    #[test]
    fn damaged_differences_change_nothing_or_are_applied_whole(
        first in prop::collection::vec(step(), 0..12),
        more in steps(8),
        changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..5),
        is_text in any::<bool>(),
    ) {
        let mut world = start(&first);
        let mut twin = start(&first);
        change(&mut twin, &more);
        let diff = world.diff(&twin).unwrap();
        let mut bytes = match is_text {
            true => serde_json::to_vec(&diff).unwrap(),
            false => diff.to_vec().unwrap(),
        };
        damage(&mut bytes, &changes);
        let read = match is_text {
            true => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
            false => Diff::from_slice(&bytes).map_err(|error| error.to_string()),
        };
        let Ok(read) = read else { return Ok(()) };
        let before = (model(&world), world.hash().unwrap(), world.next_ids(6).unwrap());
        let applied = read.apply(&mut world);
        world.check_invariants();
        if applied.is_err() {
            let after = (model(&world), world.hash().unwrap(), world.next_ids(6).unwrap());
            prop_assert_eq!(after, before);
            return Ok(());
        }
        let (old, new) = (start(&first), &world);
        let made = old.diff(new).unwrap();
        for change in made.entities() {
            let was_meant = read.entities().iter().any(|meant| meant.entity() == change.entity());
            prop_assert!(was_meant, "{}", change.entity());
        }
    }
}

#[test]
fn hooks_and_observers_see_what_is_applied_if_they_are_asked_for() {
    use std::sync::{Arc, Mutex};

    let mut world = World::new();
    let (a, b) = (world.spawn(Fast(1)), world.spawn(Fast(2)));
    let old = world.try_clone().unwrap();
    world.despawn(b).unwrap();
    world.insert(a, Fast(5)).unwrap();
    let diff = old.diff(&world).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    world.observe(move |event: OnInsert<Fast>, fast: Comp<Fast>| {
        let entity = event.entity();
        log.lock()
            .unwrap()
            .push((entity, fast.get(entity).unwrap().0));
    });
    diff.reversed().apply(&mut world).unwrap();
    diff.apply(&mut world).unwrap();
    assert!(seen.lock().unwrap().is_empty());
    diff.reversed().apply_with_hooks(&mut world).unwrap();
    assert_eq!(*seen.lock().unwrap(), [(a, 1), (b, 2)]);
    let mut by_entity = BTreeMap::new();
    for (entity, fast) in &world.query::<(Entity, &Fast)>() {
        by_entity.insert(entity, fast.0);
    }
    assert_eq!(by_entity, BTreeMap::from([(a, 1), (b, 2)]));
}
