//! Bytes of values whose type differs from the one that reads them, and of values that need the names of their fields.

use ecs_core::data::ReadSnapshotError;
use ecs_core::relation::Targets;

use super::*;

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.changing")]
struct Changing(u32, i32);

/// Has as many bytes, and reads the others as values.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.changing")]
struct ChangedShape(i32, u32);

/// The same fields, with another meaning.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.changing", version = 2, migrate(1 = Changing))]
struct ChangedVersion(u32, i32);

impl From<Changing> for ChangedVersion {
    fn from(old: Changing) -> Self {
        Self(old.0, old.1)
    }
}

#[test]
fn a_type_with_another_shape_or_version_is_refused_by_name() {
    let mut world = World::new();
    let entity = world.spawn(Changing(1, 2));
    let snapshotter = Snapshotter::new();
    let bytes = snapshotter.take(&mut world).unwrap().to_bytes().unwrap();
    let [mut same, mut shape, mut version] = [(); 3].map(|()| World::new());
    same.register::<Changing>();
    shape.register::<ChangedShape>();
    version.register::<ChangedVersion>();
    for other in [&mut shape, &mut version] {
        let error = snapshotter.read_bytes(other, &bytes).unwrap_err();
        let expected = ReadSnapshotError::OtherType {
            name: "bytes.changing",
            written: "bytes.changing".to_owned(),
        };
        assert_eq!(error, expected);
    }
    let mut snapshot = snapshotter.read_bytes(&same, &bytes).unwrap();
    snapshotter.restore(&mut same, &mut snapshot).unwrap();
    assert_eq!(*same.get::<Changing>(entity).unwrap(), Changing(1, 2));
}

/// Leaves out a field in some values, which the plain form cannot do.
#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "bytes.owes", many)]
struct Owes {
    coins: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<u32>,
}

#[test]
fn values_that_turn_out_to_need_names_are_written_anew() {
    let owes = |coins: u32| Owes {
        coins,
        until: (coins < 3).then_some(coins),
    };
    let mut world = World::new();
    let bank = world.spawn(());
    // The values of each source are in memory of their own.
    let all = [1, 2, 3, 4].map(|coins| {
        let entity = world.spawn(());
        world.relate(entity, owes(coins), bank).unwrap();
        entity
    });
    let snapshotter = Snapshotter::new();
    let bytes = snapshotter.take(&mut world).unwrap().to_bytes().unwrap();
    let mut other = World::new();
    other.register::<Targets<Owes>>();
    let mut snapshot = snapshotter.read_bytes(&other, &bytes).unwrap();
    snapshotter.restore(&mut other, &mut snapshot).unwrap();
    other.check_invariants();
    for (coins, entity) in (1..).zip(all) {
        let debts = other.get::<Targets<Owes>>(entity).unwrap();
        assert_eq!(debts.get(bank), Some(&owes(coins)));
    }
}
