//! Saves made to cause harm: each is an error, or loads into a consistent world.

use ecs_core::data::__private::seal;
use ecs_core::data::{LoadError, Loader, Save, Unknown};
use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_tests::counting::peak_of;
use proptest::prelude::*;
use serde::Serialize as _;

use super::parts::{ChildOf, Key, all, build, describe, loader, save};

/// Random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end.max(1)
    }
}

/// Changes some bytes like a fuzzer, and repairs the checksum.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => bytes[at] = bytes[at].wrapping_add([1, 255][random.below(2)]),
            3 => {
                let words = [0, 1, 2, 0xffff, 0x7fff_ffff, u32::MAX];
                let word = words[random.below(6)].to_le_bytes();
                let end = bytes.len().min(at + 4);
                bytes[at..end].copy_from_slice(&word[..end - at]);
            }
            4 => {
                let end = bytes.len().min(at + random.below(20));
                bytes.drain(at..end);
            }
            _ => {
                let end = bytes.len().min(at + random.below(20));
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, part);
            }
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    seal(bytes);
}

/// Loads into a world with contents, and checks the world afterwards. Returns whether the load succeeded.
pub(crate) fn check<E: std::fmt::Display>(
    len: usize,
    load: impl FnOnce(&mut World) -> Result<ecs_core::data::Loaded, E>,
) -> bool {
    let mut world = build(
        &[
            (0, 0, 0, 0),
            (0, 0, 0, 0),
            (4, 0, 0, 3),
            (17, 0, 1, 2),
            (12, 1, 0, 0),
        ],
        1_000_000,
    );
    let entities = all(&world);
    let before = describe(&world, &entities);
    let next = world.next_ids(3).unwrap();
    let (result, peak) = peak_of(|| load(&mut world));
    assert!(
        peak < (4 << 20) + len * 4096,
        "{peak} bytes for a save of {len}"
    );
    world.check_invariants();
    match &result {
        Ok(loaded) => {
            assert_eq!(world.len(), 2 + loaded.entities.len());
            save(&world).to_vec().unwrap();
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(world.len(), 2);
            assert_eq!(world.next_ids(3).unwrap(), next);
            assert!(world.get_resource::<super::parts::Chosen>().is_none());
        }
    }
    let mut after = describe(&world, &entities);
    after.remove(&u32::MAX);
    assert_eq!(after, before);
    result.is_ok()
}

/// A save of a world with one of the features of saves, and a loader for it, selected by the bits of a number.
fn one_of<'w>(world: &'w World, how: u64) -> (Save<'w>, Loader) {
    let mut save = save(world);
    let mut to = loader().max_entities(10_000);
    let key = |entity: Entity| world.get::<Key>(entity).map_or(0, |key| key.0);
    if how & 1 == 1 {
        // Entities whose indices are free in the world of `check`.
        let part = all(world).into_iter();
        save = save.only(part.filter(|entity| entity.index() > 1));
    }
    if how & 2 == 2 {
        save = save.with_ids();
        to = to.same_ids();
    }
    if how & 4 == 4 {
        save = save.map_ids(move |entity| (key(entity) % 2 == 0).then(|| key(entity)));
        to = to.resolve_ids(|world, key| {
            let key = u64::from(key.as_int().is_some_and(|key| key > 9));
            all(world).get(key as usize).copied()
        });
    }
    if how & 8 == 8 {
        // Most names are unknown.
        let few = Loader::new().with::<Key>().with::<Sources<ChildOf>>();
        let few = few.max_entities(10_000).unknown(Unknown::Keep);
        to = if how & 2 == 2 { few.same_ids() } else { few };
    }
    (save, to)
}

fn damage_tree(tree: &mut serde_json::Value, random: &mut Random) {
    use serde_json::{Value, json};
    // Down to some part of it.
    let down = random.below(5) > 0;
    match tree {
        Value::Array(list) if down && !list.is_empty() => {
            let at = random.below(list.len());
            return damage_tree(&mut list[at], random);
        }
        Value::Object(map) if down && !map.is_empty() => {
            let at = random.below(map.len());
            return damage_tree(map.values_mut().nth(at).unwrap(), random);
        }
        _ => {}
    }
    *tree = match random.below(13) {
        0 => Value::Null,
        1 => json!(random.below(12)),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!("NaN"),
        5 => json!([tree.clone(), tree.clone()]),
        6 => json!({ "to": tree.clone(), "value": [] }),
        7 => json!({}),
        8 => {
            let ids = [
                "0v1",
                "2v1",
                "9999v7",
                "4000000000v1",
                "5v4294967295",
                "1v0",
                "v",
                "-1v1",
            ];
            json!(ids[random.below(8)])
        }
        9 => json!([["2v1", "3v2", "2v1"], 4_294_967_295_u64]),
        // Deep, even for readers that accept as many levels as there are.
        10 => (0..100).fold(Value::Null, |inner, _| json!([inner])),
        11 => (0..100).fold(Value::Null, |inner, _| json!({ "to": inner })),
        _ => json!(1.5),
    };
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(200))
    })]

    #[test]
    fn a_damaged_file_is_an_error_or_a_consistent_world(
        steps in prop::collection::vec(any::<super::Step>(), 10..60),
        seed in any::<u64>(),
    ) {
        let world = build(&steps, 0);
        let mut random = Random(seed);
        for _ in 0..20 {
            let (save, loader) = one_of(&world, random.next());
            let mut bytes = save.to_vec().unwrap();
            damage(&mut bytes, &mut random);
            check(bytes.len(), |world| loader.load_into(world, &bytes[..]));
        }
    }

    #[test]
    fn a_damaged_tree_is_an_error_or_a_consistent_world(
        steps in prop::collection::vec(any::<super::Step>(), 10..60),
        seed in any::<u64>(),
    ) {
        let world = build(&steps, 0);
        let mut random = Random(seed);
        for _ in 0..10 {
            let (save, loader) = one_of(&world, random.next());
            let mut tree = serde_json::to_value(save).unwrap();
            (0..1 + random.below(3)).for_each(|_| damage_tree(&mut tree, &mut random));
            let text = tree.to_string();
            check(text.len(), |world| {
                loader.deserialize(world, &mut serde_json::Deserializer::from_str(&text))
            });
            // As bytes, in rows and in columns of other formats.
            let mut bytes = Vec::new();
            let mut to = rmp_serde::Serializer::new(&mut bytes).with_human_readable();
            tree.serialize(&mut to).unwrap();
            check(bytes.len(), |world| {
                let mut from = rmp_serde::Deserializer::from_read_ref(&bytes).with_human_readable();
                loader.deserialize(world, &mut from)
            });
        }
    }
}

#[test]
fn an_untouched_file_passes_the_same_check() {
    let world = build(&[(0, 0, 0, 0), (4, 0, 0, 0), (22, 0, 0, 0)], 0);
    let mut bytes = save(&world).to_vec().unwrap();
    seal(&mut bytes);
    assert!(check(bytes.len(), |world| loader().load_into(world, &bytes[..])));
}

#[test]
fn what_is_damaged_is_an_error_of_the_file_and_not_of_a_value() {
    let world = build(&[(0, 0, 0, 0), (4, 0, 0, 3), (22, 0, 0, 0)], 0);
    let mut bytes = save(&world).to_vec().unwrap();
    for at in 0..bytes.len() {
        bytes[at] ^= 1;
        let error = loader().load(&bytes[..]).unwrap_err();
        assert!(matches!(error, LoadError::File(_)), "byte {at}: {error}");
        bytes[at] ^= 1;
    }
    loader().load(&bytes[..]).expect("nothing is damaged");
}

/// A file with these parts; names belong to components without values.
fn file(names: &[&str], entities: u32, rest: &[u32]) -> Vec<u8> {
    let mut bytes = b"ecsworld\x01\0\0\0".to_vec();
    bytes.extend((names.len() as u32).to_le_bytes());
    for name in names {
        bytes.extend((name.len() as u32).to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(1_u32.to_le_bytes());
    }
    bytes.extend(entities.to_le_bytes());
    bytes.push(0);
    rest.iter()
        .for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes.extend([0; 8]);
    seal(&mut bytes);
    bytes
}

fn error_of(bytes: &[u8]) -> LoadError {
    let mut error = None;
    check(bytes.len(), |world| {
        let result = loader().load_into(world, bytes);
        result.map_err(|found| error.insert(found.to_string()).clone())
    });
    let mut world = World::new();
    assert!(error.is_some(), "it is an error");
    loader().load_into(&mut world, bytes).unwrap_err()
}

#[test]
fn four_billion_rows_in_few_bytes_are_refused() {
    let bytes = file(&[], u32::MAX, &[1, u32::MAX, 0, 0, 0, 0, 0]);
    let error = error_of(&bytes).to_string();
    assert!(
        error.contains("4294967295 entities, and the loader allows 16777216"),
        "{error}"
    );
    let all = loader().max_entities(u32::MAX);
    let error = all.load(&bytes[..]).unwrap_err().to_string();
    assert!(
        error.contains("a file of this length cannot have as many entities"),
        "{error}"
    );
}

#[test]
fn more_entities_than_allowed_are_refused() {
    let bytes = file(&[], 100, &[1, 100, 0, 0, 0, 0, 0]);
    assert_eq!(loader().load(&bytes[..]).unwrap().len(), 100);
    let error = loader().max_entities(99).load(&bytes[..]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("100 entities, and the loader allows 99"),
        "{error}"
    );
}

#[test]
fn lengths_beyond_the_end_are_refused() {
    for at in 0..5 {
        let mut rest = [0; 5];
        rest[at] = u32::MAX;
        let error = error_of(&file(&[], 0, &rest)).to_string();
        assert!(error.contains("it ends after"), "{error}");
    }
}

#[test]
fn a_name_twice_is_refused() {
    let error = error_of(&file(&["test.tag", "test.tag"], 0, &[0; 5])).to_string();
    assert!(error.contains("a name occurs twice"), "{error}");
}

#[test]
fn many_rows_without_values_are_one_table() {
    let text = format!(r#"{{"entities":[{{}}{}]}}"#, ",{}".repeat(70_000));
    // Empty rows are one table, however many there are.
    assert!(check(text.len(), |world| {
        loader().deserialize(world, &mut serde_json::Deserializer::from_str(&text))
    }));
}

#[test]
fn an_edge_twice_and_a_cycle_are_refused() {
    for edges in [
        r#"[{"test.likes":[1,1]},{}]"#,
        r#"[{"test.child_of":1},{"test.child_of":0}]"#,
        r#"[{"test.child_of":0}]"#,
        r#"[{"test.child_of":[1,2]},{},{}]"#,
        r#"[{"test.likes":[5]}]"#,
    ] {
        let text = format!(r#"{{"entities":{edges}}}"#);
        let loaded = check(text.len(), |world| {
            loader().deserialize(world, &mut serde_json::Deserializer::from_str(&text))
        });
        assert!(!loaded, "{text}");
    }
}

#[test]
fn too_many_levels_are_refused() {
    let deep = |open: &str, close: &str| {
        format!(
            r#"{{"entities":[{{"test.mood":{}"Calm"{}}}]}}"#,
            open.repeat(1000),
            close.repeat(1000)
        )
    };
    let text = deep(r#"{"Afraid":"#, "}");
    let mut json = serde_json::Deserializer::from_str(&text);
    loader()
        .deserialize(&mut World::new(), &mut json)
        .unwrap_err();
    // In columns: the variant number of `Afraid`, again and again.
    let mut bytes = file(&["test.mood"], 1, &[1, 1, 0, 1, 1, 0, 0]);
    bytes.truncate(bytes.len() - 8);
    let values = 2_u32.to_le_bytes().repeat(1_000_000);
    bytes.push(0);
    bytes.extend((values.len() as u64).to_le_bytes());
    bytes.extend(values);
    bytes.extend([0; 4 * 3 + 8]);
    seal(&mut bytes);
    let error = error_of(&bytes).to_string();
    assert!(error.contains("128 levels deep"), "{error}");
}
