//! Rows go from process to process as bytes.

use ecs_core::Disabled;
use ecs_core::data::__private::seal_rows;
use ecs_core::data::{FileError, ReadRowsError, WorldHasher, WriteRowsError};
use ecs_core::dynamic::{DynamicComponent, DynamicRef, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use ecs_core::relation::Targets;
use ecs_core::rows::{PutRowsReason, Rows};
use ecs_core::tree::Name;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Aim, Gid, Knows, Loose, Party, Place};
use crate::data_steps::{self, run, step};

/// A world that knows the types.
fn knowing() -> Place {
    let mut place = Place::default();
    let world = &mut place.world;
    world.register::<Gid>();
    world.register::<Party>();
    world.register::<Aim>();
    world.register::<Name>();
    world.register::<Disabled>();
    world.register::<Targets<Knows>>();
    place
}

fn full() -> Place {
    let mut place = knowing();
    let [a, b, c] = [1, 2, 3].map(|gid| place.spawn(gid, Name::new("n")));
    let world = &mut place.world;
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    world
        .insert(a, (Party(vec![b, c, gone]), Aim(Some(c))))
        .unwrap();
    world.insert(b, (Aim(None), Disabled)).unwrap();
    world.relate(a, Knows(1, Some(c)), b).unwrap();
    world.relate(a, Knows(2, None), c).unwrap();
    place
}

#[test]
fn all_data_arrives_in_another_process() {
    let mut one = full();
    let mut other = knowing();
    other.spawn(70, ());
    let stays = one.by_gid[&3];
    let rows = one.take(&[2, 1]);
    let bytes = rows.to_bytes().unwrap();
    let read = Rows::from_bytes(&other.world, &bytes).unwrap();
    assert!(read.keys().eq([2, 1]) && read.outside().eq([3]));
    assert_eq!(
        read.to_bytes().unwrap(),
        bytes,
        "read rows are written alike"
    );
    let put = other.put(read);
    let [b, a] = put.entities[..] else {
        panic!("two")
    };
    let stub = other.by_gid[&3];
    let world = &other.world;
    assert_eq!(&**world.get::<Name>(a).unwrap(), "n");
    let party = &world.get::<Party>(a).unwrap().0;
    assert_eq!(party[..2], [b, stub]);
    assert!(!world.contains(party[2]));
    assert_eq!(*world.get::<Aim>(a).unwrap(), Aim(Some(stub)));
    assert!(world.has::<Disabled>(b) && world.get::<Aim>(b).unwrap().0.is_none());
    let targets = world.get::<Targets<Knows>>(a).unwrap();
    assert_eq!(targets.get(b), Some(&Knows(1, Some(stub))));
    assert_eq!(targets.get(stub), Some(&Knows(2, None)));
    // The rows are still there, and can go back.
    let put = one.put(rows);
    let aim = *one.world.get::<Aim>(put.entities[1]).unwrap();
    assert_eq!(aim, Aim(Some(stays)));
}

#[test]
fn dynamic_components_are_written() {
    let bond = DynamicComponent::new("rows.bytes.bond").field("to", FieldKind::Entity);
    let bond = bond.field("n", FieldKind::U32).register().unwrap();
    let (mut one, mut other) = (Place::default(), Place::default());
    let [a, b] = [1, 2].map(|gid| one.spawn(gid, ()));
    let value = DynamicValue::new(bond)
        .unwrap()
        .with("to", Some(b))
        .unwrap();
    one.world
        .insert_dynamic(a, value.with("n", 7_u32).unwrap())
        .unwrap();
    other.world.register::<Gid>();
    other.world.register_erased(bond);
    let bytes = one.take(&[1]).to_bytes().unwrap();
    let rows = Rows::from_bytes(&other.world, &bytes).unwrap();
    let put = other.put(rows);
    let view = other.world.view_erased(bond);
    let value = DynamicRef::of(view.get(put.entities[0]).unwrap()).unwrap();
    assert_eq!(value.get::<Option<Entity>>("to"), Ok(&Some(put.stubs[0].1)));
    assert_eq!(value.get::<u32>("n"), Ok(&7));
}

#[test]
fn what_cannot_be_written_or_read_is_named() {
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "rows.gid")]
    struct OtherGid(u32);

    let mut one = full();
    let entity = one.by_gid[&1];
    one.world.insert(entity, Loose(1)).unwrap();
    let rows = one.take(&[1, 2, 3]);
    let Err(WriteRowsError::NotData { names }) = rows.to_bytes() else {
        panic!("`Loose` is not data")
    };
    assert!(names.len() == 1 && names[0].ends_with("Loose"), "{names:?}");

    let bytes = full().take(&[1, 2, 3]).to_bytes().unwrap();
    let mut world = World::new();
    let unknown = Rows::from_bytes(&world, &bytes).unwrap_err();
    let ReadRowsError::UnknownTypes { names } = &unknown else {
        panic!("{unknown}")
    };
    assert!(
        names.contains(&"rows.party".to_owned()) && names.len() > 2,
        "{names:?}"
    );
    world.register::<OtherGid>();
    world.register::<Party>();
    world.register::<Aim>();
    world.register::<Name>();
    world.register::<Disabled>();
    world.register::<Targets<Knows>>();
    let other = Rows::from_bytes(&world, &bytes).unwrap_err();
    assert_eq!(other, ReadRowsError::OtherType { name: "rows.gid" });
    assert!(other.to_string().contains("`SchemaHash`"), "{other}");
    let foreign = Rows::from_bytes(&world, b"ecsworld").unwrap_err();
    assert_eq!(foreign, ReadRowsError::File(FileError::Foreign));
}

/// Reads bytes from a stranger, and puts the rows if there are any. Returns true if that was possible.
fn put_hostile(bytes: &[u8]) -> bool {
    let mut place = full();
    let Ok(rows) = Rows::from_bytes(&place.world, bytes) else {
        return false;
    };
    let before = place.world.len();
    let is_put = match place.world.put_rows(rows, |_| None) {
        Ok(_) => true,
        Err(error) => {
            let is_typed = matches!(
                error.reason(),
                PutRowsReason::Stage(_) | PutRowsReason::Value { .. }
            );
            assert!(is_typed && place.world.len() == before, "{error}");
            false
        }
    };
    place.world.check_invariants();
    is_put
}

#[test]
fn hostile_bytes_are_errors_or_rows() {
    let bytes = full().take(&[1, 2, 3]).to_bytes().unwrap();
    assert!(put_hostile(&bytes));
    let (mut read, mut refused) = (0, 0);
    for at in 0..bytes.len() {
        assert!(!put_hostile(&bytes[..at]));
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(!put_hostile(&changed), "the checksum of {at}");
        for value in [0, 1, 2, 3, 0x7f, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            seal_rows(&mut changed);
            match put_hostile(&changed) {
                true => read += 1,
                false => refused += 1,
            }
        }
        let mut cut = bytes[..at].to_vec();
        cut.extend([0; 8]);
        seal_rows(&mut cut);
        put_hostile(&cut);
    }
    assert!(read > 100 && refused > 500, "{read} {refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(200)))]

    #[test]
    fn a_world_that_travels_has_the_same_hash_by_key(
        steps in prop::collection::vec(step(), 0..20),
        as_bytes in any::<bool>(),
        first in 0_usize..4,
    ) {
        let mut world = run(&steps);
        let mut all = Vec::from_iter(&world.query::<Entity>());
        all.sort_unstable();
        for (n, &entity) in (1..).zip(&all) {
            world.insert(entity, Gid(n)).unwrap();
        }
        let mut hasher = WorldHasher::new().by::<Gid>();
        let before = hasher.world(&world).unwrap();
        let len = all.len().max(1);
        all.rotate_left(first % len);
        let key = |world: ecs_core::world::ReadOnlyWorld<'_>, entity| Some(world.get::<Gid>(entity)?.0);
        let mut rows = world.take_rows(&all, key).unwrap();
        prop_assert!(world.is_empty());
        let mut other = World::new();
        other.spawn_batch((0..first).map(|_| data_steps::Marked));
        other.despawn_all::<()>();
        if as_bytes {
            let bytes = rows.to_bytes().unwrap();
            // The first world knows the types.
            rows = Rows::from_bytes(&world, &bytes).unwrap();
        }
        other.put_rows(rows, |_| None).unwrap();
        other.check_invariants();
        prop_assert_eq!(hasher.world(&other).unwrap(), before);
    }
}
