//! A type with all that serde has, and random values of it.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Sample {
    pub(super) numbers: Numbers,
    pub(super) texts: (char, String, Box<str>),
    pub(super) bytes: Bytes,
    pub(super) shape: Shape,
    pub(super) nested: Option<Option<Option<u8>>>,
    pub(super) unit: Option<()>,
    pub(super) marker: Option<Marker>,
    pub(super) maybe: Option<Maybe>,
    pub(super) lists: Vec<Vec<Shape>>,
    pub(super) empty: Vec<()>,
    pub(super) by_name: BTreeMap<String, i16>,
    pub(super) by_number: BTreeMap<i64, Option<String>>,
    pub(super) by_shape: BTreeMap<Key, u8>,
    pub(super) some_map: Option<BTreeMap<String, u8>>,
    pub(super) empty_entries: BTreeMap<(), ()>,
    pub(super) array: [u16; 3],
    pub(super) meters: Meters,
    pub(super) tree: Tree,
    pub(super) tagged: Adjacent,
    pub(super) bools: BTreeMap<bool, ()>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Numbers {
    a: (i8, i16, i32, i64, i128),
    b: (u8, u16, u32, u64, u128),
    c: (f32, f64),
    d: (bool, isize, usize),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Shape {
    Dot,
    Disc(f32),
    Line(f32, Vec<u8>),
    Rect { width: f32, name: Option<String> },
    Many(Vec<Shape>),
    Nothing(()),
    Empty {},
    EmptyTuple(),
}

/// An option by another name, whose form could be mistaken for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Maybe {
    None,
    Some(u8),
    Null(()),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Marker;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Meters(pub(super) f64);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Key {
    Unit,
    Number(i32),
    Pair(i32, i32),
    Text { text: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tree {
    value: u8,
    next: Option<Box<Tree>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
pub(super) enum Adjacent {
    A(u16),
    B(u8),
    C((i8, i8)),
}

/// Bytes that are not a list of numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_byte_buf(Visitor)
    }
}

/// Types that only trees can hold: names are needed to read them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Named {
    pub(super) loose: Loose,
    pub(super) internal: Internal,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) skipped: Option<u8>,
    #[serde(skip)]
    pub(super) never: u8,
    #[serde(flatten)]
    pub(super) flat: Flat,
    #[serde(rename = "with space.and \"quotes\"")]
    pub(super) last: u8,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Loose {
    Number(i64),
    Float(f64),
    Text(String),
    Pair(u8, Vec<u8>),
    Fields { x: i32, y: Option<String> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Internal {
    Unit,
    Fields { a: u8, b: Vec<i32> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Flat {
    pub(super) inner: Vec<Shape>,
    #[serde(flatten)]
    pub(super) others: BTreeMap<String, String>,
}

fn float() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        any::<i16>().prop_map(|value| f64::from(value) / 8.0),
        any::<u64>().prop_map(f64::from_bits),
        Just(f64::NAN),
        Just(-f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(-0.0),
    ]
}

fn short_float() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<f32>(),
        any::<u32>().prop_map(f32::from_bits),
        Just(f32::NAN),
        Just(f32::NEG_INFINITY),
        Just(0.1)
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,6}",
        "[a-z]{0,3}",
        Just("float(NaN)".to_owned()),
        Just("Some".to_owned()),
        Just("7".to_owned())
    ]
}

/// Texts that look like a float are not read back by serde's buffer.
fn plain_text() -> impl Strategy<Value = String> {
    prop_oneof!["[^f]{0,6}", Just("Some".to_owned()), Just("7".to_owned())]
}

fn shape() -> impl Strategy<Value = Shape> {
    shape_with(text().boxed())
}

fn shape_with(text: BoxedStrategy<String>) -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Dot),
        short_float().prop_map(Shape::Disc),
        (short_float(), vec(any::<u8>(), 0..3)).prop_map(|(a, b)| Shape::Line(a, b)),
        (short_float(), option::of(text)).prop_map(|(width, name)| Shape::Rect { width, name }),
        Just(Shape::Nothing(())),
        Just(Shape::Empty {}),
        Just(Shape::EmptyTuple()),
    ];
    leaf.prop_recursive(3, 8, 3, |shape| vec(shape, 0..3).prop_map(Shape::Many))
}

fn numbers() -> impl Strategy<Value = Numbers> {
    let long = prop_oneof![
        any::<i128>(),
        any::<i64>().prop_map(i128::from),
        Just(i128::MAX),
        Just(i128::MIN)
    ];
    let unsigned = prop_oneof![
        any::<u128>(),
        any::<u64>().prop_map(u128::from),
        Just(u128::MAX),
        Just(1 << 64)
    ];
    (
        (any::<i8>(), any::<i16>(), any::<i32>(), any::<i64>(), long),
        (
            any::<u8>(),
            any::<u16>(),
            any::<u32>(),
            any::<u64>(),
            unsigned,
        ),
        (short_float(), float()),
        any::<(bool, isize, usize)>(),
    )
        .prop_map(|(a, b, c, d)| Numbers { a, b, c, d })
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        Just(Key::Unit),
        any::<i32>().prop_map(Key::Number),
        any::<(i32, i32)>().prop_map(|(a, b)| Key::Pair(a, b)),
        text().prop_map(|text| Key::Text { text }),
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = any::<u8>().prop_map(|value| Tree { value, next: None });
    leaf.prop_recursive(5, 5, 1, |next| {
        (any::<u8>(), next).prop_map(|(value, next)| Tree {
            value,
            next: Some(Box::new(next)),
        })
    })
}

fn adjacent() -> impl Strategy<Value = Adjacent> {
    prop_oneof![
        any::<u16>().prop_map(Adjacent::A),
        any::<u8>().prop_map(Adjacent::B),
        any::<(i8, i8)>().prop_map(Adjacent::C)
    ]
}

fn maybe() -> impl Strategy<Value = Maybe> {
    prop_oneof![
        Just(Maybe::None),
        any::<u8>().prop_map(Maybe::Some),
        Just(Maybe::Null(()))
    ]
}

pub(super) fn sample() -> impl Strategy<Value = Sample> {
    let first = (
        numbers(),
        (
            any::<char>(),
            text(),
            text().prop_map(String::into_boxed_str),
        ),
        vec(any::<u8>(), 0..5).prop_map(Bytes),
        shape(),
        option::of(option::of(option::of(any::<u8>()))),
        option::of(Just(())),
        option::of(Just(Marker)),
        option::of(maybe()),
        vec(vec(shape(), 0..3), 0..3),
        vec(Just(()), 0..4),
    );
    let second = (
        btree_map(text(), any::<i16>(), 0..4),
        btree_map(any::<i64>(), option::of(text()), 0..4),
        btree_map(key(), any::<u8>(), 0..4),
        option::of(btree_map(text(), any::<u8>(), 0..2)),
        btree_map(Just(()), Just(()), 0..2),
        any::<[u16; 3]>(),
        float().prop_map(Meters),
        tree(),
        adjacent(),
        btree_map(any::<bool>(), Just(()), 0..2),
    );
    (first, second).prop_map(|(first, second)| Sample {
        numbers: first.0,
        texts: first.1,
        bytes: first.2,
        shape: first.3,
        nested: first.4,
        unit: first.5,
        marker: first.6,
        maybe: first.7,
        lists: first.8,
        empty: first.9,
        by_name: second.0,
        by_number: second.1,
        by_shape: second.2,
        some_map: second.3,
        empty_entries: second.4,
        array: second.5,
        meters: second.6,
        tree: second.7,
        tagged: second.8,
        bools: second.9,
    })
}

/// Values that serde itself can read back: its buffer for inspected data knows no options of options.
pub(super) fn named() -> impl Strategy<Value = Named> {
    let loose = prop_oneof![
        any::<i64>().prop_map(Loose::Number),
        float().prop_map(Loose::Float),
        "[a-z]{0,4}".prop_map(Loose::Text),
        (any::<u8>(), vec(any::<u8>(), 0..3)).prop_map(|(a, b)| Loose::Pair(a, b)),
        (any::<i32>(), option::of(plain_text())).prop_map(|(x, y)| Loose::Fields { x, y }),
    ];
    let internal = prop_oneof![
        Just(Internal::Unit),
        (any::<u8>(), vec(any::<i32>(), 0..3)).prop_map(|(a, b)| Internal::Fields { a, b }),
    ];
    let others = btree_map("other [a-z]{1,3}", "[a-z]{0,3}", 0..3);
    (
        loose,
        internal,
        option::of(any::<u8>()),
        vec(shape_with(plain_text().boxed()), 0..3),
        others,
        any::<u8>(),
    )
        .prop_map(|(loose, internal, skipped, inner, others, last)| Named {
            loose,
            internal,
            skipped,
            never: 0,
            flat: Flat { inner, others },
            last,
        })
}
