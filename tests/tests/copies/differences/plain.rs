//! Differences between worlds of plain values, which are first compared as bytes: structs of numbers without padding.

use std::cell::Cell;
use std::num::NonZeroU32;

use ecs_core::data::Differ;
use ecs_core::prelude::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "plain.plain")]
struct Plain {
    x: f32,
    y: [f32; 2],
    n: u32,
}

/// Generic types are not known to be plain.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data(Twin<f32> = "plain.twin"))]
struct Twin<F> {
    x: F,
    y: [F; 2],
    n: u32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "plain.sparse", storage = "sparse")]
struct Sparse(f32, u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data(SparseTwin<f32> = "plain.sparse_twin"), storage = "sparse")]
struct SparseTwin<F>(F, u32);

/// Numbers that are equal without being the same bytes, and the same bytes without being equal.
const NUMBERS: [f32; 6] = [
    0.0,
    -0.0,
    1.0,
    f32::NAN,
    f32::from_bits(0x7fc0_0001),
    f32::from_bits(0xffc0_0000),
];

type Values = (Plain, Twin<f32>, Sparse, SparseTwin<f32>);

fn values((x, y, n): (usize, usize, u32)) -> Values {
    let (x, y) = (NUMBERS[x], [NUMBERS[y], NUMBERS[x]]);
    let twin = Twin { x, y, n };
    (Plain { x, y, n }, twin, Sparse(x, n), SparseTwin(x, n))
}

fn any_values() -> impl Strategy<Value = (usize, usize, u32)> {
    (0..NUMBERS.len(), 0..NUMBERS.len(), 0_u32..2)
}

#[derive(Clone, Debug)]
enum Change {
    Insert(Index, (usize, usize, u32)),
    /// The entity moves to the last row of its table, and the last one to its row.
    Move(Index),
    Remove(Index),
    Despawn(Index),
    Spawn((usize, usize, u32)),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (any::<Index>(), any_values()).prop_map(|(at, values)| Change::Insert(at, values)),
        1 => any::<Index>().prop_map(Change::Move),
        1 => any::<Index>().prop_map(Change::Remove),
        1 => any::<Index>().prop_map(Change::Despawn),
        1 => any_values().prop_map(Change::Spawn),
    ]
}

fn apply(world: &mut World, entities: &[Entity], change: &Change) {
    let at = match change {
        Change::Spawn(new) => {
            world.spawn(values(*new));
            return;
        }
        Change::Insert(at, _) | Change::Move(at) | Change::Remove(at) | Change::Despawn(at) => at,
    };
    let entity = *at.get(entities);
    if world.entity(entity).is_err() {
        return;
    }
    match change {
        Change::Insert(_, new) => world.insert(entity, values(*new)).unwrap(),
        Change::Despawn(_) => world.despawn(entity).unwrap(),
        _ => {
            let before = world.try_clone().unwrap();
            world.remove::<Values>(entity).unwrap();
            if let (Change::Move(_), Some(plain)) = (change, before.get::<Plain>(entity)) {
                let Sparse(x, n) = *before.get::<Sparse>(entity).unwrap();
                let plain = Plain::clone(&plain);
                let twin = Twin {
                    x: plain.x,
                    y: plain.y,
                    n,
                };
                world
                    .insert(entity, (plain, twin, Sparse(x, n), SparseTwin(x, n)))
                    .unwrap();
            }
        }
    }
}

/// Returns the lines of a difference that are about a component, with another name.
fn lines_of(diff: &str, name: &str) -> Vec<String> {
    let of = |line: &&str| line.contains(name);
    diff.lines()
        .filter(of)
        .map(|line| line.replace(name, "it"))
        .collect()
}

proptest! {
    #[test]
    fn plain_values_differ_where_the_same_values_of_other_types_do(
        rows in vec(any_values(), 1..200),
        changes in vec(change(), 0..6),
        is_reversed: bool,
    ) {
        let mut old = World::new();
        let entities: Vec<Entity> = old.spawn_batch(rows.into_iter().map(values)).to_vec();
        let mut new = old.try_clone().unwrap();
        for change in &changes {
            apply(&mut new, &entities, change);
        }
        if is_reversed {
            (old, new) = (new, old);
        }
        let diff = old.diff(&new).unwrap().to_string();
        prop_assert_eq!(lines_of(&diff, " plain.plain:"), lines_of(&diff, " plain.twin:"));
        prop_assert_eq!(lines_of(&diff, " plain.sparse:"), lines_of(&diff, " plain.sparse_twin:"));
        let differ = Differ::new().without::<Sparse>().without::<SparseTwin<f32>>();
        let first = |differ: Differ| differ.first(&old, &new).unwrap();
        let plain = first(differ.clone().without::<Twin<f32>>());
        let twin = first(differ.without::<Plain>());
        prop_assert_eq!(plain, twin.map(|line| line.replace("plain.twin", "plain.plain")));
    }
}

thread_local! {
    static WRITTEN: Cell<u32> = const { Cell::new(0) };
}

/// Lets values of components count how often they are written, and lists functions that return whether they are when a
/// difference of equal worlds is made.
macro_rules! counted {
    ($list:ident: $($type:ty = $value:expr,)*) => {
        $(
            impl Serialize for $type {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    WRITTEN.set(WRITTEN.get() + 1);
                    serializer.serialize_tuple(0)?.end()
                }
            }
            impl<'de> Deserialize<'de> for $type {
                fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
                    Ok($value)
                }
            }
        )*
        const $list: &[(&str, fn() -> bool)] = &[$((stringify!($type), || {
            let [mut one, mut other] = [World::new(), World::new()];
            one.spawn($value);
            other.spawn($value);
            // The first one finds out the form of the type.
            assert!(one.diff(&other).unwrap().is_empty());
            WRITTEN.set(0);
            assert!(one.diff(&other).unwrap().is_empty());
            WRITTEN.get() > 0
        })),*];
    };
}

/// Not the number.
mod other {
    #[derive(Clone, Copy, Debug)]
    #[expect(non_camel_case_types, reason = "it hides the type of this name")]
    #[expect(dead_code, reason = "the test writes none of the fields")]
    pub(super) struct u32(pub(super) u8, pub(super) u16);
}

const TWO: usize = 2;
const ENTITY: Entity = Entity::from_bits(1 << 32).unwrap();

macro_rules! data {
    ($name:literal $(#$more:tt)* struct $($item:tt)*) => {
        #[derive(Component, Clone, Copy, Debug)]
        #[component(data = $name)]
        #[allow(dead_code, reason = "the test writes none of the fields")]
        $(#$more)*
        struct $($item)*
    };
}

data!("plain.floats" struct Floats { x: f32, y: f32, z: f32 });
data!("plain.pair" struct Pair(u64, i64););
data!("plain.lists" struct Lists { list: [[f32; TWO]; 3], r#type: u8, bytes: [u8; 3] });
data!("plain.small" #[repr(C)] struct Small(bool, i8, u16, char););
data!("plain.large" struct Large(u128, i128););
data!("plain.sizes" struct Sizes(usize, isize););
data!("plain.ids" struct Ids(Entity, u32, u32););
data!("plain.packed" #[repr(C, packed)] struct Packed(u8, u32););
data!("plain.padded" struct Padded(u8, u32););
data!("plain.c" #[repr(C)] struct InOrder(u16, u32, u16););
data!("plain.aligned" #[repr(align(8))] struct Aligned(u32););
data!("plain.mark" struct Mark;);
data!("plain.zeros" struct Zeros([u8; 0]););
data!("plain.option" struct Optional(Option<u32>););
data!("plain.nested" struct Nested(Floats););
data!("plain.path" struct ByPath(core::primitive::u32););
data!("plain.not_zero" struct NotZero(NonZeroU32););

#[derive(Component, Clone, Copy, Debug)]
#[component(data(Generic<f32> = "plain.generic"))]
struct Generic<F>(F);

#[derive(Component, Clone, Copy, Debug)]
#[component(data = "plain.either")]
#[expect(dead_code, reason = "as above")]
enum Either {
    Here(u32),
}

mod hidden {
    use super::other::u32;
    use ecs_core::prelude::*;

    // Its name is that of a number, and its size too, but it has padding.
    #[derive(Component, Clone, Copy, Debug)]
    #[component(data = "plain.hidden")]
    pub(super) struct Hidden(pub(super) u32);
}
use hidden::Hidden;

#[derive(Component, Debug)]
#[component(data = "plain.dropped", no_clone)]
struct Dropped(u32);

impl Drop for Dropped {
    fn drop(&mut self) {}
}

counted! {
    PLAIN:
    Floats = Floats { x: 1.0, y: 2.0, z: f32::NAN },
    Pair = Pair(1, -1),
    Lists = Lists { list: [[1.0; 2]; 3], r#type: 1, bytes: [2; 3] },
    Small = Small(true, -1, 2, 'x'),
    Large = Large(1, 2),
    Sizes = Sizes(1, 2),
    Ids = Ids(ENTITY, 1, 2),
    Packed = Packed(1, 2),
    Dropped = Dropped(1),
    Zeros = Zeros([]),
}

counted! {
    OTHERS:
    Padded = Padded(1, 2),
    InOrder = InOrder(1, 2, 3),
    Aligned = Aligned(1),
    Mark = Mark,
    Optional = Optional(Some(1)),
    Nested = Nested(Floats { x: 1.0, y: 2.0, z: 3.0 }),
    ByPath = ByPath(1),
    NotZero = NotZero(NonZeroU32::MIN),
    Generic<f32> = Generic(1.0_f32),
    Either = Either::Here(1),
    Hidden = Hidden(other::u32(1, 2)),
}

#[test]
fn equal_values_are_compared_as_bytes_if_each_byte_belongs_to_a_number() {
    for (name, is_written) in PLAIN {
        assert!(!is_written(), "{name} is plain");
    }
    for (name, is_written) in OTHERS {
        assert!(is_written(), "{name} is not known to be plain");
    }
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "plain.sides")]
struct Sides(u64, i64);

#[test]
fn equal_values_of_other_entities_in_as_long_a_table_are_a_difference() {
    let mut old = World::new();
    let entities = old.spawn_batch((0..100).map(|_| Sides(1, 2))).to_vec();
    let last = entities[99];
    for at in [1, 50, 99] {
        let mut new = old.try_clone().unwrap();
        new.despawn(entities[at]).unwrap();
        let spawned = new.spawn(Sides(1, 2));
        let diff = old.diff(&new).unwrap();
        let changed: Vec<Entity> = diff
            .entities()
            .iter()
            .map(|change| change.entity())
            .collect();
        assert_eq!(changed, [entities[at], spawned]);
    }
    // In each row are the same values, and of two rows not of the same entities.
    let mut new = old.try_clone().unwrap();
    old.insert(last, Sides(3, 4)).unwrap();
    new.remove::<Sides>(entities[1]).unwrap();
    new.insert(entities[1], Sides(3, 4)).unwrap();
    let diff = old.diff(&new).unwrap().to_string();
    let expected = [
        (entities[1], "1 -> 3"),
        (entities[1], "2 -> 4"),
        (last, "3 -> 1"),
        (last, "4 -> 2"),
    ];
    for (line, (entity, change)) in diff.lines().zip(expected) {
        assert!(
            line.starts_with(&entity.to_string()) && line.ends_with(change),
            "{line}"
        );
    }
    assert_eq!(diff.lines().count(), 4);
}
