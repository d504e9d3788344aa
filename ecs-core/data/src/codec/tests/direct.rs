//! Compares values that are written to formats without trees with the written form of their trees.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Serialize, Serializer};

use super::sample::{Maybe, Named, Sample, Shape, named, sample};
use crate::Value;
use crate::codec::Readable;

#[track_caller]
fn agrees<T: Serialize>(value: &T) {
    let (tree, readable) = (Value::of(value), Readable::new(value));
    let tree = match tree {
        Ok(tree) => tree,
        Err(error) => {
            let found = serde_json::to_string(&readable).unwrap_err();
            assert_eq!(found.to_string(), error.to_string());
            return;
        }
    };
    let text = |value: &dyn erased_serde::Serialize| serde_json::to_string(value).unwrap();
    assert_eq!(text(&readable), text(&tree));
    let json = |value: &dyn erased_serde::Serialize| serde_json::to_value(value).unwrap();
    assert_eq!(json(&readable), json(&tree));
    let ron = |value: &dyn erased_serde::Serialize| ron::to_string(value).map_err(|_| ());
    assert_eq!(ron(&readable), ron(&tree));
    let packed = |value: &dyn erased_serde::Serialize| {
        let mut bytes = Vec::new();
        let mut serializer = rmp_serde::Serializer::new(&mut bytes).with_human_readable();
        value.serialize(&mut serializer).unwrap();
        bytes
    };
    assert_eq!(packed(&readable), packed(&tree));
}

proptest! {
    #[test]
    fn a_value_is_written_as_its_tree_is(sample in sample(), named in named()) {
        agrees::<Sample>(&sample);
        agrees::<Named>(&named);
    }
}

/// A sequence of unknown length.
struct Unsized(u8);

impl Serialize for Unsized {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq;
        let mut list = serializer.serialize_seq(None)?;
        (0..self.0).try_for_each(|number| list.serialize_element(&Some(number)))?;
        list.end()
    }
}

#[test]
fn what_is_seen_as_a_whole_first_is_written_as_its_tree_is() {
    #[derive(Serialize)]
    struct Renamed {
        #[serde(rename = "Some")]
        some: u8,
        #[serde(skip_serializing_if = "Option::is_none")]
        other: Option<u8>,
    }
    agrees(&Some(Unsized(3)));
    agrees(&[f32::NAN, 0.1, 1e-30, -0.0, f32::INFINITY, 16_777_216.0]);
    agrees(&(u64::MAX, i128::MIN, u128::MAX, i64::MIN, 'ß'));
    agrees(&[Some(Some(None)), Some(Some(Some(()))), Some(None), None]);
    agrees(&[
        Some(Maybe::Some(3)),
        Some(Maybe::None),
        Some(Maybe::Null(())),
    ]);
    agrees(&[
        Some(Shape::Dot),
        Some(Shape::Empty {}),
        Some(Shape::Line(0.1, vec![1])),
    ]);
    let some = |other| Some(Renamed { some: 1, other });
    agrees(&[some(None), some(Some(2))]);
    agrees(&Some(BTreeMap::from([(
        Some(1.5f32.to_bits()),
        Some(BTreeMap::from([("Some", 1)])),
    )])));
    agrees(&BTreeMap::from([((1, 2), "pairs")]));
}

/// Lists, options and variants inside of each other.
#[derive(Serialize)]
enum Deep {
    End,
    List([Box<Deep>; 1]),
    Option(Option<Box<Deep>>),
    Struct { next: Box<Deep> },
}

#[test]
fn the_limit_of_levels_is_that_of_trees() {
    for kind in 0..4 {
        for depth in [
            10, 36, 37, 38, 55, 56, 57, 74, 75, 111, 112, 113, 223, 224, 225, 300,
        ] {
            let mut value = Deep::End;
            for level in 0..depth {
                let inner = Box::new(value);
                value = match if kind == 3 { level % 3 } else { kind } {
                    0 => Deep::List([inner]),
                    1 => Deep::Option(Some(inner)),
                    _ => Deep::Struct { next: inner },
                };
            }
            agrees(&value);
        }
        let mut list = serde_json::json!(1);
        for depth in 0..120 {
            if depth > 105 {
                agrees(&list);
            }
            list = serde_json::json!([list]);
        }
    }
}
