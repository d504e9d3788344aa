//! Differences that were written as text, compared with the others: in text, keys are texts and numbers have limits.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use ecs_core::data::{Diff, Undo, Value};
use ecs_core::prelude::*;
use proptest::prelude::*;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes, which are a list in some formats.
#[derive(Clone, Debug, Default, PartialEq)]
struct Blob(Vec<u8>);

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Blob;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Blob, E> {
                Ok(Blob(bytes.to_vec()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Blob, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = list.next_element()? {
                    bytes.push(byte);
                }
                Ok(Blob(bytes))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Kind {
    Idle,
    Some(Option<u8>),
    Pair(u8, char),
    Far { by: i128 },
}

type Nested = BTreeMap<u8, BTreeMap<(bool, char), u8>>;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "texts.keys")]
struct Keys {
    bytes: BTreeMap<u8, u8>,
    long: BTreeMap<i64, u128>,
    longer: HashMap<i128, i128>,
    longest: BTreeMap<u128, ()>,
    flags: BTreeMap<bool, char>,
    chars: BTreeMap<char, f32>,
    texts: HashMap<String, f32>,
    pairs: HashMap<(u8, i128), char>,
    options: BTreeMap<Option<u8>, Option<Option<u8>>>,
    kinds: BTreeMap<Kind, Kind>,
    lists: BTreeMap<Vec<u8>, Vec<(u8, u8)>>,
    maps: BTreeMap<BTreeMap<(u8, u8), i128>, Nested>,
    entities: BTreeMap<Entity, Entity>,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "texts.numbers", storage = "sparse")]
struct Numbers {
    small: (u8, i8, u16, i16, u32, i32),
    large: (u64, i64, u128, i128),
    floats: (f32, f64, Vec<(f64, f32)>),
    text: String,
    options: (Option<Option<()>>, Option<Option<u128>>, Option<Kind>),
    blob: Blob,
}

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "texts.likes", many)]
struct Likes(BTreeMap<u8, i128>, HashMap<(u8, bool), f64>);

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "texts.table")]
struct Table(HashMap<(u8, u8), u128>, BTreeMap<i128, Kind>);

struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.next(values.len() as u64) as usize].clone()
    }

    fn byte(&mut self) -> u8 {
        self.next(4) as u8 * 85
    }

    fn flag(&mut self) -> bool {
        self.next(2) == 0
    }

    fn int(&mut self) -> i128 {
        let far = i128::from(u64::MAX);
        let near = i128::from(i64::MIN);
        self.of(&[
            0,
            1,
            -5,
            far,
            far + 1,
            near,
            near - 1,
            1 << 100,
            i128::MAX,
            i128::MIN,
        ])
    }

    fn natural(&mut self) -> u128 {
        let int = self.int().unsigned_abs();
        self.of(&[int, u128::MAX, u128::MAX / 2 + 1])
    }

    fn float(&mut self) -> f64 {
        let nan = f64::from_bits(f64::NAN.to_bits() | 5);
        self.of(&[
            0.1,
            1.0,
            -0.0,
            1e300,
            5e-324,
            f64::INFINITY,
            -f64::INFINITY,
            f64::NAN,
            -nan,
        ])
    }

    fn short_float(&mut self) -> f32 {
        let nan = f32::from_bits(0x7fc0_0123);
        self.of(&[
            0.1,
            1.0,
            -0.0,
            7.038531e-26,
            f32::MAX,
            f32::INFINITY,
            -f32::INFINITY,
            nan,
        ])
    }

    fn character(&mut self) -> char {
        self.of(&['a', '1', '"', 'ü', '\0'])
    }

    fn text(&mut self) -> String {
        self.of(&["", "1", "true", "Some", "float(NaN)", "float(inf)", "ü\n"])
            .to_owned()
    }

    fn option<T>(&mut self, value: T) -> Option<T> {
        self.flag().then_some(value)
    }

    fn kind(&mut self) -> Kind {
        match self.next(4) {
            0 => Kind::Idle,
            1 => Kind::Some((self.next(2) == 0).then_some(1)),
            2 => Kind::Pair(self.byte(), self.character()),
            _ => Kind::Far { by: self.int() },
        }
    }

    fn some<T, C: FromIterator<T>>(&mut self, mut value: impl FnMut(&mut Self) -> T) -> C {
        (0..self.next(4)).map(|_| value(self)).collect()
    }

    fn keys(&mut self, entities: &[Entity]) -> Keys {
        Keys {
            bytes: self.some(|it| (it.byte(), it.byte())),
            long: self.some(|it| (it.int() as i64, it.natural())),
            longer: self.some(|it| (it.int(), it.int())),
            longest: self.some(|it| (it.natural(), ())),
            flags: self.some(|it| (it.flag(), it.character())),
            chars: self.some(|it| (it.character(), it.short_float())),
            texts: self.some(|it| (it.text(), it.short_float())),
            pairs: self.some(|it| ((it.byte(), it.int()), it.character())),
            options: self.some(|it| {
                let [key, value] = [it.byte(), it.byte()];
                let inner = it.option(value);
                (it.option(key), it.option(inner))
            }),
            kinds: self.some(|it| (it.kind(), it.kind())),
            lists: self.some(|it| {
                let key = it.some(Self::byte);
                (key, it.some(|it| (it.byte(), it.byte())))
            }),
            maps: self.some(|it| {
                let key = it.some(|it| ((it.byte(), it.byte()), it.int()));
                let inner = |it: &mut Self| ((it.flag(), it.character()), it.byte());
                (key, it.some(|it| (it.byte(), it.some(inner))))
            }),
            entities: self.some(|it| (it.of(entities), it.of(entities))),
        }
    }

    fn numbers(&mut self) -> Numbers {
        let int = self.int();
        let natural = self.natural();
        let kind = self.kind();
        let (some, inner) = (self.option(()), self.option(natural));
        Numbers {
            small: (
                int as u8, int as i8, int as u16, int as i16, int as u32, int as i32,
            ),
            large: (int as u64, int as i64, natural, int),
            floats: {
                let (short, long) = (self.short_float(), self.float());
                (short, long, self.some(|it| (it.float(), it.short_float())))
            },
            text: self.text(),
            options: (self.option(some), self.option(inner), self.option(kind)),
            blob: Blob(self.some(Self::byte)),
        }
    }

    /// Changes some parts of the world.
    fn change(&mut self, world: &mut World, entities: &[Entity]) {
        for &entity in entities {
            match self.next(6) {
                0 => world.remove::<Keys>(entity).unwrap(),
                1 => world.remove::<Numbers>(entity).unwrap(),
                2 | 3 => {
                    let keys = self.keys(entities);
                    world.insert(entity, keys).unwrap();
                }
                4 => {
                    let numbers = self.numbers();
                    world.insert(entity, numbers).unwrap();
                }
                _ => {
                    let short = self.some(|it| (it.byte(), it.int()));
                    let likes = Likes(short, self.some(|it| ((it.byte(), it.flag()), it.float())));
                    let target = self.of(entities);
                    if target != entity {
                        world.relate(entity, likes, target).unwrap();
                    }
                }
            }
        }
        let table = self.some(|it| ((it.byte(), it.byte()), it.natural()));
        world.insert_resource(Table(table, self.some(|it| (it.int(), it.kind()))));
    }
}

/// Returns a difference unchanged, and after reading it from each form. The last one was read as a text, and no longer
/// knows that.
fn forms(diff: &Diff) -> [(&'static str, Diff); 8] {
    let json = serde_json::to_string(diff).unwrap();
    let tree = serde_json::to_value(diff).unwrap();
    let bytes = rmp_serde::to_vec(diff).unwrap();
    let mut readable = Vec::new();
    let mut serializer = rmp_serde::Serializer::new(&mut readable).with_human_readable();
    diff.serialize(&mut serializer).unwrap();
    let mut readable = rmp_serde::Deserializer::from_read_ref(&readable).with_human_readable();
    let from_json: Diff = serde_json::from_str(&json).unwrap();
    let twice = Diff::from_slice(&from_json.to_vec().unwrap()).unwrap();
    [
        ("as it is", diff.clone()),
        ("bytes", Diff::from_slice(&diff.to_vec().unwrap()).unwrap()),
        ("MessagePack", rmp_serde::from_slice(&bytes).unwrap()),
        (
            "readable MessagePack",
            Diff::deserialize(&mut readable).unwrap(),
        ),
        (
            "RON",
            ron::from_str(&ron::to_string(diff).unwrap()).unwrap(),
        ),
        ("JSON", from_json),
        ("a tree of JSON", serde_json::from_value(tree).unwrap()),
        ("bytes of one from JSON", twice),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(12)))]

    #[test]
    fn what_was_written_as_text_is_equal_and_continues_and_is_continued(seed in any::<u64>()) {
        let mut random = Random(seed);
        let mut world = World::new();
        world.register_data_resource::<Table>();
        let entities = [(); 3].map(|()| world.spawn(()));
        random.change(&mut world, &entities);
        let states = [(); 3].map(|()| {
            random.change(&mut world, &entities);
            let last = random.of(&entities);
            if random.next(4) == 0 {
                world.insert(last, random.numbers()).unwrap();
            }
            world.try_clone().unwrap()
        });
        let [first, second] = [(0, 1), (1, 2)].map(|(a, b)| states[a].diff(&states[b]).unwrap());
        let both = states[0].diff(&states[2]).unwrap();
        let hashes = [0, 1, 2].map(|at| states[at].hash().unwrap());
        let seconds = forms(&second);
        for (form, read) in forms(&first) {
            prop_assert_eq!(&read, &first, "{}", form);
            prop_assert_eq!(&first, &read, "{}", form);
            prop_assert_eq!(&read.reversed(), &first.reversed(), "{}", form);
            prop_assert_eq!(read == second, first == second, "{}", form);
            let mut copy = states[0].try_clone().unwrap();
            read.apply(&mut copy).unwrap();
            prop_assert_eq!(copy.hash().unwrap(), hashes[1], "{}", form);
            read.reversed().apply(&mut copy).unwrap();
            prop_assert_eq!(copy.hash().unwrap(), hashes[0], "{}", form);
            for (next_form, next) in &seconds {
                let then = read.clone().then(next);
                prop_assert!(then.is_ok(), "{form} and {next_form}: {}", then.unwrap_err());
                let then = then.unwrap();
                // Values that are the same at both ends may stay in it if neither is known to come from a text.
                if *next_form != "bytes of one from JSON" && form != "bytes of one from JSON" {
                    prop_assert_eq!(&then, &both, "{} and {}", form, next_form);
                }
                let mut copy = states[0].try_clone().unwrap();
                then.apply(&mut copy).unwrap();
                prop_assert_eq!(copy.hash().unwrap(), hashes[2], "{} and {}", form, next_form);
                then.reversed().apply(&mut copy).unwrap();
                prop_assert_eq!(copy.hash().unwrap(), hashes[0], "{} and {}", form, next_form);
                let mut undo = Undo::new(2);
                undo.push(read.clone());
                undo.merge(next.clone()).unwrap();
                prop_assert_eq!(undo.done().len(), usize::from(!then.is_empty()));
            }
            if form != "bytes of one from JSON" {
                prop_assert!(first.clone().then(&read.reversed()).unwrap().is_empty(), "{}", form);
                prop_assert!(read.then(&first.reversed()).unwrap().is_empty(), "{}", form);
            }
        }
    }
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "texts.held")]
struct Held(Value);

/// Different values of a component that are written as the same text.
#[test]
fn a_change_between_values_with_the_same_text_is_not_lost() {
    let map = |key: Value| Value::Map(vec![(key, 5.into())]);
    let values = [
        (map(1.into()), map("1".into())),
        (map(true.into()), map("true".into())),
        (
            Value::Bytes(vec![1, 2]),
            Value::List(vec![1.into(), 2.into()]),
        ),
    ];
    for (one, other) in values {
        let mut world = World::new();
        let entity = world.spawn(Held(one.clone()));
        let states = [Value::Null, other.clone()].map(|value| {
            let before = world.try_clone().unwrap();
            world.insert(entity, Held(value)).unwrap();
            before
        });
        let [first, second] =
            [states[0].diff(&states[1]), states[1].diff(&world)].map(Result::unwrap);
        let both = first.then(&second).unwrap();
        let mut copy = states[0].try_clone().unwrap();
        both.apply(&mut copy).unwrap();
        assert_eq!(copy.get::<Held>(entity).unwrap().0, other, "from {one}");
        let values = both.entities()[0].values();
        assert!(!values[0].fields().is_empty(), "{both}");
    }
}

/// A text writes such a map as a list, whose order means nothing.
#[test]
fn the_order_of_a_map_with_other_keys_is_no_difference_to_a_text() {
    let make = |count: u8| {
        let mut world = World::new();
        world.register_data_resource::<Table>();
        let entries = (0..count).map(|key| ((key, 0), 1 << key));
        world.insert_resource(Table(entries.collect(), BTreeMap::new()));
        world
    };
    let first = make(1).diff(&make(20)).unwrap();
    for (form, read) in forms(&make(1).diff(&make(20)).unwrap()) {
        assert_eq!(first, read, "{form}");
        first.clone().then(&read.reversed()).unwrap();
        read.then(&first.reversed()).unwrap();
        let other = make(1).diff(&make(19)).unwrap();
        for (_, other) in forms(&other) {
            assert_ne!(first, other, "{form}");
            first.clone().then(&other.reversed()).unwrap_err();
        }
    }
}

#[test]
fn different_values_differ_in_a_text_too() {
    let make = |value: &dyn Fn(&mut Numbers)| {
        let mut world = World::new();
        let mut numbers = Random(7).numbers();
        (numbers.large, numbers.text) = ((1, 1, 1, 1), "1".to_owned());
        value(&mut numbers);
        world.spawn(numbers);
        world
    };
    let changes: [&dyn Fn(&mut Numbers); 7] = [
        &|_| {},
        &|it| it.large.3 = 1 << 100,
        &|it| it.large.3 = (1 << 100) + 1,
        &|it| it.floats.1 = f64::NAN,
        &|it| it.floats.1 = f64::INFINITY,
        &|it| it.blob.0 = vec![1, 2],
        &|it| it.blob.0 = vec![2, 1],
    ];
    let empty = {
        let mut world = World::new();
        world.spawn(());
        world
    };
    let diffs = changes.map(|change| forms(&empty.diff(&make(change)).unwrap()));
    for (at, one) in diffs.iter().enumerate() {
        for (other_at, other) in diffs.iter().enumerate() {
            for ((form, one), (other_form, other)) in one
                .iter()
                .flat_map(|one| other.iter().map(move |other| (one, other)))
            {
                assert_eq!(
                    one == other,
                    at == other_at,
                    "{at} {form}, {other_at} {other_form}"
                );
                let back = one.clone().then(&other.reversed());
                assert_eq!(
                    back.is_ok(),
                    at == other_at,
                    "{at} {form}, {other_at} {other_form}"
                );
            }
        }
    }
}
