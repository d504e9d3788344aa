//! Parts of values without trees, against the same parts of their trees.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

use super::sample::{Named, Sample, named, sample};
use crate::Value;
use crate::codec::{Codec, PartTest, Path, Scalar, SomeRows};
use crate::value::{write_index, write_key};

/// Returns the scalar that is at a path of a value, without its tree.
fn part<T: crate::saved::DataSerde + 'static>(value: &T, path: &str) -> Option<Value> {
    let (found, is_tested) = (RefCell::new(None), Cell::new(false));
    let test = |scalar: Option<Scalar<'_>>| {
        // One that writes names twice is tested twice, and the last time counts.
        is_tested.set(true);
        found.replace(None);
        let Some(scalar) = scalar else { return false };
        found.replace(Some(scalar.to_value()));
        true
    };
    let path = Path::new(path)?;
    // SAFETY: it is a value of the type.
    let passed = unsafe {
        let value = std::ptr::from_ref(value).cast();
        let test = PartTest::Shown(&test);
        Codec::of::<T>().test(&[value], SomeRows::first(1), &path, test)
    };
    assert!(is_tested.get());
    assert_eq!(passed != SomeRows::NONE, found.borrow().is_some());
    found.into_inner()
}

/// Returns the scalar that is at a path of the tree.
fn part_of_tree(tree: &Value, path: &str) -> Option<Value> {
    let found = tree.get(path)?;
    let has_parts = matches!(found, Value::List(_) | Value::Map(_) | Value::Bytes(_));
    (!has_parts).then(|| found.clone())
}

/// Appends the paths of all parts, and some that do not exist.
fn paths(tree: &Value, path: &str, all: &mut Vec<String>) {
    all.push(path.to_owned());
    for missing in [".missing", "[7]", "[-1]", ".Some", "[0]", ".0"] {
        all.push(format!("{path}{missing}"));
    }
    match tree {
        Value::List(values) => {
            for (index, value) in values.iter().enumerate() {
                let mut path = path.to_owned();
                write_index(&mut path, index);
                paths(value, &path, all);
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries {
                let mut path = path.to_owned();
                write_key(&mut path, key);
                paths(value, &path, all);
            }
        }
        _ => {}
    }
}

#[track_caller]
fn agrees<T: crate::saved::DataSerde + 'static>(value: &T) {
    let tree = Value::of(value).unwrap();
    let mut all = Vec::new();
    paths(&tree, "", &mut all);
    for path in all {
        assert_eq!(
            part(value, &path),
            part_of_tree(&tree, &path),
            "{path} of {tree}"
        );
    }
}

proptest! {
    #[test]
    fn a_part_of_a_value_is_that_of_its_tree(sample in sample(), named in named()) {
        agrees::<Sample>(&sample);
        agrees::<Named>(&named);
    }
}

#[test]
fn options_are_looked_through_as_in_trees() {
    type Options = (
        Option<Option<()>>,
        Option<Option<Option<u8>>>,
        Option<BTreeMap<String, u8>>,
        Option<Option<BTreeMap<Option<String>, Option<u8>>>>,
    );
    let some = |name: &str| BTreeMap::from([(name.to_owned(), 1)]);
    let entry = |key: Option<&str>, value| BTreeMap::from([(key.map(str::to_owned), value)]);
    let values: [Options; 5] = [
        (None, None, None, None),
        (Some(None), Some(None), Some(some("Some")), Some(None)),
        (
            Some(Some(())),
            Some(Some(None)),
            Some(some("a")),
            Some(Some(entry(None, None))),
        ),
        (
            None,
            Some(Some(Some(3))),
            None,
            Some(Some(entry(Some("Some"), Some(1)))),
        ),
        (None, None, None, Some(Some(entry(Some("a"), None)))),
    ];
    for value in &values {
        agrees(value);
    }
}

/// Writes its own fields in an order of its own, and twice; and continues after an error.
#[derive(Clone, Deserialize)]
struct Odd(u8);

impl Serialize for Odd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("Odd", 3)?;
        let _ = fields.serialize_field("a", &self.0);
        let _ = fields.serialize_field("b", &(self.0, "b"));
        let _ = fields.serialize_field("a", &(self.0 + 1));
        fields.end()
    }
}

/// Hides the errors of serializers behind its own.
#[derive(Clone, Deserialize)]
struct Hidden(Odd);

impl Serialize for Hidden {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::{Error, SerializeStruct};
        let mut fields = serializer.serialize_struct("Hidden", 2)?;
        let hide = |error: S::Error| S::Error::custom(error.to_string());
        fields.serialize_field("odd", &self.0).map_err(hide)?;
        fields.serialize_field("last", &true).map_err(hide)?;
        fields.end()
    }
}

#[test]
fn a_serialize_by_hand_may_swallow_errors_and_write_names_twice() {
    agrees(&Odd(3));
    agrees(&Hidden(Odd(3)));
}

/// Nested without a limit, so that a tree of it is refused.
#[derive(Clone, Serialize, Deserialize)]
struct Deep(Option<Box<Deep>>);

#[test]
fn options_that_are_too_deep_are_no_part() {
    let mut deep = Deep(None);
    for _ in 0..1000 {
        deep = Deep(Some(Box::new(deep)));
    }
    assert!(Value::of(&deep).is_err());
    assert_eq!(part(&deep, ""), None);
}

#[test]
fn a_part_is_found_where_the_rest_cannot_be_written() {
    struct Refuses;
    impl Serialize for Refuses {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("refused"))
        }
    }
    impl<'de> Deserialize<'de> for Refuses {
        fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            Err(serde::de::Error::custom("refused"))
        }
    }
    let value = (1, Refuses, 3);
    assert_eq!(part(&value, "[0]"), Some(Value::Int(1)));
    assert_eq!(part(&value, "[2]"), Some(Value::Int(3)));
    assert_eq!(part(&value, "[1]"), None);
}
