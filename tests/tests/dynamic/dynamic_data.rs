//! Dynamic components as data: in saves, clones, prefabs, snapshots and hashes.

use std::alloc::Layout;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicIsize, Ordering};

use ecs_core::component::ComponentId;
use ecs_core::data::__private::seal;
use ecs_core::data::{
    CloneError, Cloner, LoadError, Loader, Prefab, Unknown, WorldData, WorldHasher,
};
use ecs_core::dynamic::{DynamicComponent, DynamicMut, DynamicRef, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_core::snapshot::{Snapshot, Snapshotter};
use ecs_core::world::ErasedColumn;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "dd.place")]
struct Place(i32);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "dd.child_of", tree, sources = "despawn")]
struct ChildOf;

/// A component with a text and ids in tables, one of plain bytes in a set, and a tag.
struct Ids {
    mana: ComponentId,
    glow: ComponentId,
    hidden: ComponentId,
}

fn ids() -> &'static Ids {
    static IDS: OnceLock<Ids> = OnceLock::new();
    IDS.get_or_init(|| Ids {
        mana: DynamicComponent::new("dd.mana")
            .field("now", FieldKind::F32)
            .field("school", FieldKind::String)
            .field("from", FieldKind::Entity)
            .register()
            .unwrap(),
        glow: DynamicComponent::new("dd.glow")
            .field("color", FieldKind::U64)
            .field("letter", FieldKind::Char)
            .sparse()
            .tracked()
            .register()
            .unwrap(),
        hidden: DynamicComponent::new("dd.hidden").register().unwrap(),
    })
}

fn mana(now: f32, school: &str, from: Option<Entity>) -> DynamicValue {
    let value = DynamicValue::new(ids().mana).unwrap();
    let value = value.with("now", now).unwrap();
    let value = value.with("school", school.to_owned()).unwrap();
    value.with("from", from).unwrap()
}

fn glow(color: u64) -> DynamicValue {
    let value = DynamicValue::new(ids().glow).unwrap();
    let value = value.with("color", color).unwrap();
    value.with("letter", 'ä').unwrap()
}

/// A mage, and its child, which inherits its mana.
fn world() -> (World, [Entity; 2]) {
    let mut world = World::new();
    let gone = world.spawn(Place(0));
    let mage = world.spawn(Place(1));
    let child = world.spawn((Place(2), ChildOf.to(mage)));
    world.despawn(gone).unwrap();
    world.insert_dynamic(mage, mana(2.5, "fire", None)).unwrap();
    world.insert_dynamic(mage, glow(u64::MAX)).unwrap();
    let hidden = DynamicValue::new(ids().hidden).unwrap();
    world.insert_dynamic(mage, hidden).unwrap();
    world
        .insert_dynamic(child, mana(0.5, "", Some(mage)))
        .unwrap();
    (world, [mage, child])
}

fn get(world: &World, entity: Entity, component: ComponentId) -> Option<DynamicValue> {
    let view = world.view_erased(component);
    let value = view.get(entity)?;
    Some(DynamicRef::of(value).unwrap().to_owned())
}

/// Checks that two entities equal the entities of [`world`].
fn check(world: &World, [mage, child]: [Entity; 2]) {
    world.check_invariants();
    assert_eq!(get(world, mage, ids().mana), Some(mana(2.5, "fire", None)));
    assert_eq!(get(world, mage, ids().glow), Some(glow(u64::MAX)));
    assert!(world.has_erased(mage, ids().hidden));
    let of_child = get(world, child, ids().mana);
    assert_eq!(of_child, Some(mana(0.5, "", Some(mage))));
    assert_eq!(get(world, child, ids().glow), None);
    assert!(!world.has_erased(child, ids().hidden));
}

/// Checks the loaded entities, in any order.
fn check_loaded(world: &World, mut loaded: Vec<Entity>) {
    loaded.sort_by_key(|&entity| world.get::<Place>(entity).unwrap().0);
    check(world, loaded.try_into().unwrap());
}

fn loader() -> Loader {
    let Ids { mana, glow, hidden } = *ids();
    let loader = Loader::new().with::<Place>().with::<Sources<ChildOf>>();
    loader.dynamic(mana).dynamic(glow).dynamic(hidden)
}

fn by_text(loader: &Loader, world: &mut World, text: &str) -> Result<Vec<Entity>, String> {
    let mut json = serde_json::Deserializer::from_str(text);
    let loaded = loader.deserialize(world, &mut json);
    loaded
        .map(|loaded| loaded.entities)
        .map_err(|error| error.to_string())
}

#[test]
fn saves_have_the_fields_by_name() {
    let (world, [mage, _]) = world();
    let text = serde_json::to_string(&world.save().only([mage])).unwrap();
    let row = r#"{"dd.place":1,"dd.mana":{"now":2.5,"school":"fire","from":null},"dd.hidden":{},"dd.glow":{"color":18446744073709551615,"letter":"ä"}}"#;
    assert!(text.contains(row), "{text}");
    let mut left_out = world.save().only([mage]);
    for component in [ids().mana, ids().glow] {
        left_out = left_out.without_erased(component);
    }
    let text = serde_json::to_string(&left_out).unwrap();
    assert!(text.contains(r#"{"dd.place":1,"dd.hidden":{}}"#), "{text}");
}

#[test]
fn they_come_back_with_their_ids_from_both_forms() {
    let (world, _) = world();
    let bytes = world.save().to_vec().unwrap();
    let text = serde_json::to_string(&world.save()).unwrap();
    let mut new = World::new();
    // Other ids than before.
    new.spawn_batch((0..5).map(Place));
    let loaded = loader().load_into(&mut new, &bytes[..]).unwrap().entities;
    check_loaded(&new, loaded);
    let loaded = by_text(&loader(), &mut new, &text).unwrap();
    check_loaded(&new, loaded);
    // The world knows them now.
    let more = Loader::new()
        .load_into(&mut new, &bytes[..])
        .unwrap()
        .entities;
    check_loaded(&new, more);
    assert_eq!(
        Loader::new().types_of(&new).load(&bytes[..]).unwrap().len(),
        2
    );
}

#[test]
fn unknown_ones_are_refused_skipped_or_kept() {
    let (world, _) = world();
    let bytes = world.save().to_vec().unwrap();
    let text = serde_json::to_string(&world.save()).unwrap();
    let few = Loader::new().with::<Place>().with::<Sources<ChildOf>>();
    let refused = few.load(&bytes[..]).unwrap_err();
    assert!(
        matches!(refused, LoadError::UnknownName { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("`dd.mana`"), "{refused}");
    let refused = by_text(&few, &mut World::new(), &text).unwrap_err();
    assert!(refused.contains("`dd.mana`"), "{refused}");

    let mut new = World::new();
    let skipping = few.clone().unknown(Unknown::Skip);
    let skipped = skipping.load_into(&mut new, &bytes[..]).unwrap().skipped;
    assert_eq!(skipped, ["dd.mana", "dd.glow", "dd.hidden"]);

    // Another program keeps them for this one.
    let keeping = few.unknown(Unknown::Keep);
    let from_columns = keeping.load(&bytes[..]).unwrap();
    let mut from_rows = World::new();
    by_text(&keeping, &mut from_rows, &text).unwrap();
    for kept in [from_columns, from_rows] {
        let again = kept.save().to_vec().unwrap();
        let mut new = World::new();
        let loaded = loader().load_into(&mut new, &again[..]).unwrap().entities;
        check_loaded(&new, loaded);
    }
}

/// Returns the error of a row with a value of `dd.mana`.
fn refused(value: &str) -> String {
    let mut world = World::new();
    let text = format!(r#"{{"entities":[{{"dd.place":1}},{{"dd.mana":{value}}}]}}"#);
    let error = by_text(&loader(), &mut world, &text).unwrap_err();
    assert!(world.is_empty());
    error
}

#[test]
fn fields_are_read_by_name() {
    let mut world = World::new();
    let text = r#"{"entities":[{"dd.mana":{"from":1,"now":3}},{}]}"#;
    let loaded = by_text(&loader(), &mut world, text).unwrap();
    let expected = mana(3.0, "", Some(loaded[1]));
    assert_eq!(get(&world, loaded[0], ids().mana), Some(expected));

    let cases = [
        (
            r#"{"old":3}"#,
            "unknown field `old`, expected one of `now`, `school`, `from`",
        ),
        (r#"{"now":true}"#, ", at `now`"),
        (r#"{"school":3}"#, ", at `school`"),
        (r#"{"now":1,"now":2}"#, "the field `now` occurs twice"),
        (r#"{"from":7}"#, "7"),
        ("[1,2,3]", "expected a map of fields"),
        ("null", "expected a map of fields"),
    ];
    for (value, expected) in cases {
        let error = refused(value);
        assert!(error.contains("entity 1, `dd.mana`: "), "{value}: {error}");
        assert!(error.contains(expected), "{value}: {error}");
    }
    let text = r#"{"entities":[{"dd.hidden":{"now":1}}]}"#;
    let error = by_text(&loader(), &mut world, text).unwrap_err();
    assert!(
        error.contains("unknown field `now`, there are no fields"),
        "{error}"
    );
    let text = r#"{"versions":{"dd.mana":2},"entities":[{"dd.mana":{}}]}"#;
    let error = by_text(&loader(), &mut world, text).unwrap_err();
    assert!(error.contains("has version 2 in the save"), "{error}");
}

#[test]
fn damaged_columns_are_errors() {
    let (world, _) = world();
    let bytes = world.save().to_vec().unwrap();
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        seal(&mut bytes);
        let mut world = World::new();
        let error = loader().load_into(&mut world, &bytes[..]).unwrap_err();
        assert!(world.is_empty());
        error.to_string()
    };
    let find = |bytes: &[u8], text: &[u8]| {
        let mut windows = bytes.windows(text.len());
        windows.position(|window| window == text).unwrap()
    };
    let error = refused(&|bytes| {
        let at = find(bytes, b"school");
        bytes[at..at + 6].copy_from_slice(b"skool\0");
    });
    assert!(error.contains(r"unknown field `skool\0`"), "{error}");
    assert!(error.contains("`dd.mana`: unknown"), "{error}");
    // The form of a column without names, in front of the number of bytes and the tag of the first tree.
    let error = refused(&|bytes| {
        let at = find(bytes, b"now");
        let form = bytes[..at].iter().rposition(|&byte| byte == 1).unwrap();
        assert_eq!(
            bytes[form - 4..form],
            [1, 0, 0, 0],
            "the number of the name"
        );
        bytes[form] = 0;
    });
    assert!(
        error.contains("`dd.mana`: the fields have no names here"),
        "{error}"
    );
    // A list in a list in a list, a million times, in place of the tag of the first tree.
    let error = refused(&|bytes| {
        let at = find(bytes, b"now");
        let form = bytes[..at].iter().rposition(|&byte| byte == 1).unwrap();
        let deep = [8, 1, 0, 0, 0].repeat(1_000_000);
        let len = bytes[form + 1..form + 9].try_into().unwrap();
        let len = u64::from_le_bytes(len) as usize;
        let new = (deep.len() as u64).to_le_bytes();
        bytes[form + 1..form + 9].copy_from_slice(&new);
        bytes.splice(form + 9..form + 9 + len, deep);
    });
    assert!(
        error.contains("`dd.mana`: a value is nested more than 128"),
        "{error}"
    );
    // Every change of a single byte.
    for at in 0..bytes.len() - 8 {
        for bits in [1, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= bits;
            seal(&mut bytes);
            let mut world = World::new();
            let loaded = loader().load_into(&mut world, &bytes[..]);
            assert!(loaded.is_ok() || world.is_empty());
            world.check_invariants();
            drop(
                world
                    .save()
                    .dangling(ecs_core::data::Dangling::Dead)
                    .to_vec()
                    .unwrap(),
            );
        }
        if cfg!(miri) && at > 40 {
            break;
        }
    }
}

#[test]
fn copies_have_ids_of_the_copy() {
    let (mut world, [mage, child]) = world();
    let copy = world.clone_entity(child).unwrap();
    let value = get(&world, copy, ids().mana);
    assert_eq!(
        value,
        Some(mana(0.5, "", Some(mage))),
        "outside of the copy"
    );
    let root = world.clone_tree::<ChildOf>(mage).unwrap();
    let below: Vec<Entity> = world.descendants::<ChildOf>(root).collect();
    assert_eq!(below.len(), 2, "the child and its copy");
    check(&world, [root, below[0]]);
    check(&world, [mage, child]);

    let without = Cloner::new().without_erased(ids().mana);
    let cloned = without.entities(&mut world, [mage]).unwrap().root();
    assert_eq!(get(&world, cloned, ids().mana), None);
    assert_eq!(get(&world, cloned, ids().glow), Some(glow(u64::MAX)));

    let copy = world.try_clone().unwrap();
    check(&copy, [mage, child]);
    assert_eq!(copy.hash().unwrap(), world.hash().unwrap());
}

#[test]
fn prefabs_have_them() {
    let (world, [mage, _]) = world();
    let text = serde_json::to_string(&world.save()).unwrap();
    let mut json = serde_json::Deserializer::from_str(&text);
    let read = Prefab::deserialize(&loader(), &mut json).unwrap();
    let taken = Prefab::from_tree::<ChildOf>(&world, mage).unwrap();
    for prefab in [read, taken] {
        let mut new = World::new();
        for root in prefab.spawn_n(&mut new, 3).unwrap() {
            let child = new.descendants::<ChildOf>(root).next().unwrap();
            check(&new, [root, child]);
        }
    }
}

fn set(world: &mut World, entity: Entity, color: u64, school: &str) {
    let mut view = world.view_erased_mut(ids().glow);
    let mut value = DynamicMut::of(view.get_mut(entity).unwrap()).unwrap();
    value.set("color", color).unwrap();
    drop(view);
    let mut view = world.view_erased_mut(ids().mana);
    let mut value = DynamicMut::of(view.get_mut(entity).unwrap()).unwrap();
    value.set("school", school.to_owned()).unwrap();
}

#[test]
fn snapshots_return_to_them() {
    let (mut world, entities) = world();
    let [mage, child] = entities;
    let snapshotter = Snapshotter::new();
    let mut snapshot = Snapshot::new();
    for round in 0..3 {
        // Into the memory of the earlier ones.
        snapshotter.take_into(&mut world, &mut snapshot).unwrap();
        let hash = world.hash().unwrap();
        set(&mut world, mage, round, "a text that is longer than before");
        assert_ne!(world.hash().unwrap(), hash);
        if round == 1 {
            world.remove_erased(mage, ids().mana).unwrap();
            world.despawn(child).unwrap();
        }
        snapshotter.restore(&mut world, &mut snapshot).unwrap();
        check(&world, entities);
        assert_eq!(world.hash().unwrap(), hash);
    }
    let without = Snapshotter::new().without_erased(ids().glow);
    let mut snapshot = without.take(&mut world).unwrap();
    set(&mut world, mage, 7, "water");
    without.restore(&mut world, &mut snapshot).unwrap();
    assert_eq!(get(&world, mage, ids().mana), Some(mana(2.5, "fire", None)));
    assert_eq!(
        get(&world, mage, ids().glow),
        Some(glow(7)),
        "it was left out"
    );
}

#[test]
#[should_panic(expected = "`dd.mana` cannot be left out of snapshots")]
fn what_is_in_tables_cannot_be_left_out_of_snapshots() {
    let _ = Snapshotter::new().without_erased(ids().mana);
}

#[test]
fn hashes_depend_on_fields() {
    let (world, [mage, child]) = world();
    let (mut other, _) = self::world();
    let hash = world.hash().unwrap();
    assert_eq!(other.hash().unwrap(), hash);
    set(&mut other, mage, u64::MAX, "ice");
    assert_ne!(other.hash().unwrap(), hash);
    let mut hasher = WorldHasher::new().without_erased(ids().mana);
    assert_eq!(hasher.world(&other).unwrap(), hasher.world(&world).unwrap());
    let mut hasher = WorldHasher::new();
    let entity = |hasher: &mut WorldHasher, entity| {
        [&world, &other].map(|world| hasher.entity(world, entity).unwrap())
    };
    let [one, two] = entity(&mut hasher, mage);
    assert_ne!(one, two);
    let [one, two] = entity(&mut hasher, child);
    assert_eq!(one, two);
}

#[test]
fn entities_print_their_fields() {
    let (world, [mage, child]) = world();
    let text = format!("{:?}", world.entity(child).unwrap());
    let expected = format!(r#"dd.mana: {{now: 0.5, school: "", from: Some({mage:?})}}"#);
    assert!(text.contains(&expected), "{text}");
}

/// The values of raw components that exist.
static RAW: AtomicIsize = AtomicIsize::new(0);

/// # Safety
/// `values` points to `len` boxes, which are not used afterwards.
unsafe fn drop_boxes(values: *mut u8, len: usize) {
    RAW.fetch_sub(len as isize, Ordering::Relaxed);
    let values = std::ptr::slice_from_raw_parts_mut(values.cast::<Box<u32>>(), len);
    // SAFETY: these are boxes that are not used afterwards, by the caller's contract.
    unsafe { values.drop_in_place() };
}

/// # Safety
/// `from` points to `len` boxes, and `to` to memory for as many.
unsafe fn clone_boxes(from: *const u8, to: *mut u8, len: usize) {
    for row in 0..len {
        // SAFETY: there are as many, by the caller's contract.
        let value = unsafe { from.cast::<Box<u32>>().add(row) };
        // SAFETY: it is one of the boxes.
        let value = unsafe { &*value }.clone();
        RAW.fetch_add(1, Ordering::Relaxed);
        // SAFETY: there is memory for as many, by the caller's contract.
        let place = unsafe { to.cast::<Box<u32>>().add(row) };
        // SAFETY: as above.
        unsafe { place.write(value) };
    }
}

fn raw(name: &str, is_clone: bool) -> ComponentId {
    let clone = is_clone.then_some(clone_boxes as unsafe fn(*const u8, *mut u8, usize));
    // SAFETY: values are boxes, which the functions drop and clone, and which are `Send` and `Sync`.
    let raw =
        unsafe { DynamicComponent::raw(name, Layout::new::<Box<u32>>(), Some(drop_boxes), clone) };
    raw.register().unwrap()
}

fn insert_raw(world: &mut World, entity: Entity, component: ComponentId, value: u32) {
    let mut column = ErasedColumn::new(component);
    let value = Box::new(value);
    RAW.fetch_add(1, Ordering::Relaxed);
    let write = |place: *mut u8| {
        // SAFETY: the place is one for a value of the component, which is a box.
        unsafe { place.cast::<Box<u32>>().write(value) };
        Ok::<(), ()>(())
    };
    // SAFETY: the function has written a value of the component.
    unsafe { column.push_with(write) }.unwrap();
    world.insert_erased(entity, &mut column).unwrap();
}

fn raw_value(world: &World, entity: Entity, component: ComponentId) -> u32 {
    let view = world.view_erased(component);
    let value = view.get(entity).unwrap().as_ptr();
    // SAFETY: it is a value of the component, which is a box, and is borrowed by the view.
    unsafe { **value.cast::<Box<u32>>() }
}

#[test]
fn raw_components_are_cloned_by_their_function_and_not_saved() {
    let (cloned, fixed) = (raw("dd.raw", true), raw("dd.fixed", false));
    let mut world = World::new();
    let entity = world.spawn(Place(3));
    insert_raw(&mut world, entity, cloned, 5);
    let copy = world.clone_entity(entity).unwrap();
    assert_eq!(raw_value(&world, copy, cloned), 5);
    let snapshotter = Snapshotter::new();
    let mut snapshot = snapshotter.take(&mut world).unwrap();
    for value in [6, 7] {
        insert_raw(&mut world, copy, cloned, value);
        snapshotter.take_into(&mut world, &mut snapshot).unwrap();
        insert_raw(&mut world, copy, cloned, 8);
        snapshotter.restore(&mut world, &mut snapshot).unwrap();
        assert_eq!(raw_value(&world, copy, cloned), value);
        assert_eq!(raw_value(&world, entity, cloned), 5);
    }
    // Like other components without a saved form.
    let text = serde_json::to_string(&world.save()).unwrap();
    assert!(!text.contains("dd.raw"), "{text}");
    assert!(world.hash().unwrap_err().to_string().contains("`dd.raw`"));

    insert_raw(&mut world, entity, fixed, 9);
    let error = world.clone_entity(entity).unwrap_err();
    assert!(
        matches!(
            error,
            CloneError::NotData {
                name: "dd.fixed",
                ..
            }
        ),
        "{error}"
    );
    let error = snapshotter.take(&mut world).unwrap_err();
    assert_eq!(*error.components, ["dd.fixed"]);
    let without = Cloner::new().without_erased(fixed);
    let copy = without.entities(&mut world, [entity]).unwrap().root();
    assert_eq!(raw_value(&world, copy, cloned), 5);
    assert!(!world.has_erased(copy, fixed));
    drop((world, snapshot));
    assert_eq!(RAW.load(Ordering::Relaxed), 0, "all are dropped, once");
}

#[test]
#[should_panic(expected = "`dd.opaque` was not defined by its fields")]
fn a_loader_refuses_what_has_no_saved_form() {
    let _ = Loader::new().dynamic(raw("dd.opaque", true));
}
