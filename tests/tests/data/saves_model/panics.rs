//! Panics in users' code during a load or a save: no value is lost or dropped twice, and worlds stay consistent.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::LocalKey;

use ecs_core::data::__private::seal;
use ecs_core::data::{Loader, WorldData};
use ecs_core::prelude::*;
use ecs_core::world::hooks::{OnAdd, OnInsert};
use ecs_tests::{ARMED, Ledger, Token};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::parts::Tag;

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
    /// The number of calls after which one panics.
    static LEFT: Cell<u32> = const { Cell::new(u32::MAX) };
    /// The same, for `Serialize`.
    static LEFT_TO_WRITE: Cell<u32> = const { Cell::new(u32::MAX) };
    /// The same, for hooks.
    static LEFT_TO_HOOK: Cell<u32> = const { Cell::new(u32::MAX) };
    /// The number of the token whose drop will panic.
    static ARM: Cell<Option<u32>> = const { Cell::new(None) };
}

fn alive() -> usize {
    LEDGER.with_borrow(Ledger::alive).len()
}

fn count_down(calls: &'static LocalKey<Cell<u32>>) {
    let left = calls.get();
    calls.set(left.wrapping_sub(1));
    assert!(left > 0, "one call too many");
}

macro_rules! fragile {
    ($name:ident, $($data:tt)*) => {
        #[derive(Component)]
        #[component($($data)*, no_clone, no_debug)]
        struct $name(#[allow(dead_code, reason = "it counts drops")] Token, Option<Entity>);

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                count_down(&LEFT_TO_WRITE);
                self.1.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                // It swallows errors of ids, like untagged enums.
                let id = Option::<Entity>::deserialize(deserializer).unwrap_or(None);
                let token = LEDGER.with_borrow(Ledger::token);
                if ARM.get() == Some(token.id()) {
                    ARM.set(None);
                    LEDGER.with_borrow(|ledger| ledger.arm(token.id()));
                }
                count_down(&LEFT);
                Ok(Self(token, id))
            }
        }
    };
}

fragile!(InTable, data = "fragile.rows");
fragile!(InSet, data = "fragile.sets", storage = "sparse");

fn fragile() -> (Loader, World) {
    let mut world = World::new();
    let token = || LEDGER.with_borrow(Ledger::token);
    let first = world.spawn(Tag);
    for _ in 0..6 {
        let entity = world.spawn(InTable(token(), Some(first)));
        world.insert(entity, InSet(token(), Some(entity))).unwrap();
    }
    (
        Loader::new()
            .with::<InTable>()
            .with::<InSet>()
            .with::<Tag>(),
        world,
    )
}

#[test]
fn a_panic_in_deserialize_leaks_nothing_and_drops_nothing_twice() {
    let (loader, world) = fragile();
    let bytes = world.save().to_vec().unwrap();
    let text = serde_json::to_string(&world.save()).unwrap();
    drop(world);
    for form in 0..2 {
        let mut done = false;
        for n in 0..1000 {
            let mut new = World::new();
            LEFT.set(n);
            let load = AssertUnwindSafe(|| match form {
                0 => loader.load_into(&mut new, &bytes[..]).map(drop).unwrap(),
                _ => {
                    let mut json = serde_json::Deserializer::from_str(&text);
                    loader.deserialize(&mut new, &mut json).map(drop).unwrap();
                }
            });
            let result = catch_unwind(load);
            LEFT.set(u32::MAX);
            new.check_invariants();
            done = result.is_ok();
            assert_eq!(alive(), if done { 12 } else { 0 }, "the call {n}");
            assert_eq!(new.len(), if done { 7 } else { 0 });
            drop(new);
            assert_eq!(alive(), 0);
            if done {
                break;
            }
        }
        assert!(done);
    }
}

#[test]
fn a_panic_in_serialize_leaves_the_world_usable() {
    let (_, world) = fragile();
    for n in 0..12 {
        LEFT_TO_WRITE.set(n);
        let panicked = catch_unwind(AssertUnwindSafe(|| world.save().to_vec().map(drop))).is_err();
        LEFT_TO_WRITE.set(u32::MAX);
        assert!(panicked, "the call {n}");
        // No borrow is left behind.
        world.query::<&mut InTable>().iter().for_each(drop);
        world.check_invariants();
    }
    assert_eq!(alive(), 12);
    world.save().to_vec().unwrap();
    drop(world);
    assert_eq!(alive(), 0);
}

#[test]
fn an_id_that_was_swallowed_is_an_error_and_leaks_nothing() {
    let (loader, world) = fragile();
    let mut bytes = world.save().to_vec().unwrap();
    drop(world);
    let text = r#"{"entities":[{"fragile.rows":null,"fragile.sets":9},{"fragile.rows":7}]}"#;
    let mut new = World::new();
    let mut json = serde_json::Deserializer::from_str(text);
    let error = loader
        .deserialize(&mut new, &mut json)
        .unwrap_err()
        .to_string();
    assert!(error.contains("there is no entity"), "{error}");
    assert_eq!((alive(), new.len()), (0, 0));
    // The last value of the set names an entity that does not exist.
    for at in (0..bytes.len() - 12).rev() {
        let before = bytes[at];
        bytes[at] = 200;
        seal(&mut bytes);
        if let Err(error) = loader.load(&bytes[..])
            && error.to_string().contains("there is no entity 200")
        {
            assert_eq!(alive(), 0);
            return;
        }
        bytes[at] = before;
    }
    panic!("some byte is that of an id");
}

/// Replaces all names in a file by others of the same length.
fn renamed(bytes: &[u8], names: &[(&str, &str)]) -> Vec<u8> {
    let mut renamed = bytes.to_vec();
    for (from, to) in names {
        assert_eq!(from.len(), to.len());
        let mut places = bytes.windows(from.len());
        let place = places.position(|part| part == from.as_bytes());
        let place = place.expect("the name is in the file");
        renamed[place..place + to.len()].copy_from_slice(to.as_bytes());
    }
    seal(&mut renamed);
    renamed
}

/// The number of tokens in the values of a world.
fn tokens_of(world: &World) -> usize {
    world.query::<&InTable>().iter().count() + world.query::<&InSet>().iter().count()
}

#[test]
fn a_panic_in_a_hook_leaves_a_consistent_world_and_leaks_nothing() {
    let (loader, world) = fragile();
    let columns = world.save().to_vec().unwrap();
    // The table's values in a set, and the set's values in tables: they are added one by one, after everything else.
    let swapped = [
        ("fragile.rows", "fragile.sets"),
        ("fragile.sets", "fragile.rows"),
    ];
    let swapped = renamed(&columns, &swapped);
    let text = serde_json::to_string(&world.save()).unwrap();
    drop(world);
    for form in 0..3 {
        let mut panics = 0;
        loop {
            let mut new = World::new();
            new.observe(|_: OnAdd<InTable>| count_down(&LEFT_TO_HOOK));
            new.observe(|_: OnInsert<InSet>, _: Comp<InTable>| count_down(&LEFT_TO_HOOK));
            new.observe(|_: OnAdd<Tag>, mut commands: Commands| {
                commands.spawn(InTable(LEDGER.with_borrow(Ledger::token), None));
            });
            LEFT_TO_HOOK.set(panics);
            let load = AssertUnwindSafe(|| match form {
                0 => loader.load_into(&mut new, &columns[..]).map(drop).unwrap(),
                1 => loader.load_into(&mut new, &swapped[..]).map(drop).unwrap(),
                _ => {
                    let mut json = serde_json::Deserializer::from_str(&text);
                    loader.deserialize(&mut new, &mut json).map(drop).unwrap();
                }
            });
            let is_done = catch_unwind(load).is_ok();
            LEFT_TO_HOOK.set(u32::MAX);
            new.check_invariants();
            // Values that are not in the world were dropped.
            assert_eq!(alive(), tokens_of(&new), "form {form}, the call {panics}");
            if form == 1 {
                assert!(new.len() >= 7, "all entities are there before any hook");
            } else {
                assert!(
                    tokens_of(&new) >= 12,
                    "all values are there before any hook"
                );
            }
            // It can be used: the remaining commands run now.
            new.flush();
            let more = loader.load_into(&mut new, &columns[..]).unwrap();
            assert_eq!(more.entities.len(), 7);
            new.check_invariants();
            assert_eq!(alive(), tokens_of(&new));
            drop(new);
            assert_eq!(alive(), 0);
            if is_done {
                break;
            }
            panics += 1;
        }
        assert!(panics >= 12, "form {form}: {panics} hooks have panicked");
    }
}

#[test]
fn a_panic_in_the_drop_of_a_value_that_was_read_leaks_no_other() {
    let (loader, world) = fragile();
    let columns = world.save().to_vec().unwrap();
    let text = serde_json::to_string(&world.save()).unwrap();
    drop(world);
    // All values are read, and then an error follows.
    let text = text.replacen("]", ",{\"unknown\":1}]", 1);
    // After the resources come the kept values, the ids that come next, the number and the length of keys, the root, the
    // dead ids, the padding, and the checksum.
    let end = columns.len() - 4 * 7 - 8;
    let unknown_resource = {
        let resources = end - 4;
        assert_eq!(columns[resources..end], [0; 4], "there are no resources");
        let mut columns = columns.clone();
        columns[resources] = 1;
        let of_tag = [&0_u32.to_le_bytes()[..], &[0], &0_u64.to_le_bytes()].concat();
        columns.splice(end..end, of_tag);
        seal(&mut columns);
        columns
    };
    for form in 0..2 {
        for armed in 0..12 {
            let mut new = World::new();
            new.spawn(Tag);
            // Numbers of tokens go on from test to test.
            let next = LEDGER.with_borrow(Ledger::token).id() + 1;
            ARM.set(Some(next + armed));
            let load = AssertUnwindSafe(|| match form {
                0 => loader
                    .load_into(&mut new, &unknown_resource[..])
                    .map(drop)
                    .is_err(),
                _ => {
                    let mut json = serde_json::Deserializer::from_str(&text);
                    loader.deserialize(&mut new, &mut json).is_err()
                }
            });
            let panic = catch_unwind(load).expect_err("a drop panics");
            assert_eq!(
                panic.downcast_ref(),
                Some(&ARMED),
                "form {form}, value {armed}"
            );
            assert_eq!(ARM.take(), None, "the token was made");
            new.check_invariants();
            assert_eq!((alive(), new.len()), (0, 1), "form {form}, value {armed}");
        }
    }
}

#[derive(Resource, Debug, Serialize, Deserialize)]
#[resource(data = "fragile.resource", no_clone)]
struct InResource(
    u8,
    #[expect(dead_code, reason = "it counts drops")]
    #[serde(skip, default = "token")]
    Option<Token>,
);

fn token() -> Option<Token> {
    Some(LEDGER.with_borrow(Ledger::token))
}

#[test]
fn a_panic_in_the_drop_of_a_resource_that_is_replaced_comes_after_the_load() {
    let (loader, mut world) = fragile();
    world.insert_resource(InResource(1, None));
    let bytes = world.save().resource::<InResource>().to_vec().unwrap();
    drop(world);
    let loader = loader.with_resource::<InResource>();
    let mut new = World::new();
    let old = token().unwrap();
    LEDGER.with_borrow(|ledger| ledger.arm(old.id()));
    new.insert_resource(InResource(2, Some(old)));
    let load = AssertUnwindSafe(|| loader.load_into(&mut new, &bytes[..]).map(drop).unwrap());
    let panic = catch_unwind(load).expect_err("the old value panics");
    assert_eq!(panic.downcast_ref(), Some(&ARMED));
    new.check_invariants();
    assert_eq!(new.resource::<InResource>().0, 1, "the new one is there");
    assert_eq!((alive(), new.len()), (13, 7));
    drop(new);
    assert_eq!(alive(), 0);
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "fragile.rest", require(Required = Required::new()))]
struct Requiring(u8);

#[derive(Component)]
struct Required(#[expect(dead_code, reason = "it counts drops")] Token);

impl Required {
    fn new() -> Self {
        count_down(&LEFT);
        Self(LEDGER.with_borrow(Ledger::token))
    }
}

#[test]
fn a_panic_while_required_values_are_made_changes_nothing() {
    let (loader, mut world) = fragile();
    let all: Vec<Entity> = world.query::<Entity>().iter().collect();
    for entity in all {
        world.insert(entity, Requiring(1)).unwrap();
    }
    let bytes = world.save().to_vec().unwrap();
    drop(world);
    let loader = loader.with::<Requiring>();
    let mut new = World::new();
    new.spawn(Tag);
    // Twelve values are read, and seven are made.
    for n in 12..=19 {
        LEFT.set(n);
        let load = AssertUnwindSafe(|| loader.load_into(&mut new, &bytes[..]).map(drop).unwrap());
        let is_done = catch_unwind(load).is_ok();
        LEFT.set(u32::MAX);
        new.check_invariants();
        let expected = if n == 19 {
            (true, 19, 8)
        } else {
            (false, 0, 1)
        };
        assert_eq!((is_done, alive(), new.len()), expected, "the call {n}");
    }
    drop(new);
    assert_eq!(alive(), 0);
}
