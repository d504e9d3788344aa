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
    assert_eq!(written(&readable), written(&tree));
}

/// Returns the value in several formats.
fn written(value: &impl Serialize) -> (String, serde_json::Value, Result<String, ()>, Vec<u8>) {
    let text = serde_json::to_string(value).unwrap();
    let json = serde_json::to_value(value).unwrap();
    let ron = ron::to_string(value).map_err(|_| ());
    let mut bytes = Vec::new();
    let mut serializer = rmp_serde::Serializer::new(&mut bytes).with_human_readable();
    value.serialize(&mut serializer).unwrap();
    (text, json, ron, bytes)
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

#[test]
fn pairs_are_two_levels_of_a_format() {
    #[derive(Serialize)]
    struct Nested(BTreeMap<(u8, u8), Nested>);
    let mut value = Nested(BTreeMap::new());
    let mut written = 0;
    for depth in 1..115 {
        value = Nested(BTreeMap::from([((1, 2), value)]));
        let text = |value: &dyn Fn() -> Result<String, serde_json::Error>| {
            value().map_err(|error| error.to_string())
        };
        let Ok(tree) = Value::of(&value) else {
            assert!(depth > 100);
            continue;
        };
        let ours = text(&|| serde_json::to_string(&Readable::new(&value)));
        assert_eq!(ours, text(&|| serde_json::to_string(&tree)), "{depth}");
        written += usize::from(ours.is_ok());
    }
    assert!((60..70).contains(&written), "{written}");
    agrees(&BTreeMap::from([(BTreeMap::from([((1, 2), 3)]), 4)]));
}

/// A value that cannot be written.
struct Refused;

impl Serialize for Refused {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("refused"))
    }
}

/// Ignores the errors of its parts, and has keys without values and a value without a key.
struct Careless;

impl Serialize for Careless {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(Some(7))?;
        map.serialize_key("lost")?;
        map.serialize_entry("list", &[[1, 2]])?;
        _ = map.serialize_entry("refused", &(1, vec![Some(Refused)]));
        _ = map.serialize_entry(&(2, Refused), &3);
        map.serialize_value(&4)?;
        map.serialize_entry("last", &Some(()))?;
        map.serialize_key("lost too")?;
        map.end()
    }
}

/// Ignores the errors of its elements.
struct CarelessList;

impl Serialize for CarelessList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeTuple;
        let mut list = serializer.serialize_tuple(9)?;
        _ = list.serialize_element(&(1, Refused));
        list.serialize_element(&2)?;
        _ = list.serialize_element(&Some(Some(Refused)));
        list.end()
    }
}

#[track_caller]
fn is_written(value: &impl Serialize, tree: &str, json: &str) {
    assert_eq!(Value::of(value).unwrap().to_string(), tree);
    let readable = Readable::new(value);
    assert_eq!(serde_json::to_string(&readable).unwrap(), json);
    agrees(value);
}

#[test]
fn values_have_the_form_of_the_table() {
    #[derive(Serialize)]
    struct Unit;
    #[derive(Serialize)]
    struct New(u8);
    #[derive(Serialize)]
    enum Kind {
        Idle,
        One(u8),
        Two(u8, char),
        Walk { speed: f32 },
    }
    is_written(
        &(Unit, New(1), (), 'x', "a\"b", true),
        r#"[null, 1, null, "x", "a\"b", true]"#,
        r#"[null,1,null,"x","a\"b",true]"#,
    );
    is_written(
        &[
            Kind::Idle,
            Kind::One(1),
            Kind::Two(2, 'y'),
            Kind::Walk { speed: 0.1 },
        ],
        r#"["Idle", {"One": 1}, {"Two": [2, "y"]}, {"Walk": {"speed": 0.1}}]"#,
        r#"["Idle",{"One":1},{"Two":[2,"y"]},{"Walk":{"speed":0.1}}]"#,
    );
    is_written(
        &[None, Some(None), Some(Some(None)), Some(Some(Some(1)))],
        r#"[null, {"Some": null}, {"Some": {"Some": null}}, 1]"#,
        r#"[null,{"Some":null},{"Some":{"Some":null}},1]"#,
    );
    is_written(
        &(
            u64::MAX,
            i128::MIN,
            i128::MAX,
            u128::MAX,
            f64::NAN,
            7.038_531e-26_f32,
        ),
        "[18446744073709551615, -170141183460469231731687303715884105728, 170141183460469231731687303715884105727, \
         \"340282366920938463463374607431768211455\", NaN, 7.038530691851209e-26]",
        "[18446744073709551615,\"-170141183460469231731687303715884105728\",\"170141183460469231731687303715884105727\",\
         \"340282366920938463463374607431768211455\",\"float(NaN)\",7.038530691851209e-26]",
    );
    is_written(
        &BTreeMap::from([((1, [2]), Some(3)), ((4, [5]), None)]),
        "{[1, [2]]: 3, [4, [5]]: null}",
        "[[[1,[2]],3],[[4,[5]],null]]",
    );
    is_written(
        &(
            BTreeMap::from([(1, 'a'), (-2, 'b')]),
            BTreeMap::from([(true, 1.5)]),
        ),
        r#"[{-2: "b", 1: "a"}, {true: 1.5}]"#,
        r#"[{"-2":"b","1":"a"},{"true":1.5}]"#,
    );
}

#[test]
fn parts_that_fail_are_left_out_if_the_value_goes_on() {
    is_written(
        &(Careless, CarelessList, 5),
        r#"[{"list": [[1, 2]], null: 4, "last": {"Some": null}}, [2], 5]"#,
        r#"[[["list",[[1,2]]],[null,4],["last",{"Some":null}]],[2],5]"#,
    );
    let error = serde_json::to_string(&[Readable::new(&vec![(1, Refused)])]).unwrap_err();
    assert_eq!(error.to_string(), "refused");
}

#[test]
fn a_serialize_may_write_values_itself() {
    /// Writes another value to a format of its own, while it is written.
    struct Nested(u8);

    impl Serialize for Nested {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let inner = match self.0 {
                0 => "end".to_owned(),
                level => serde_json::to_string(&Readable::new(&(1, Nested(level - 1)))).unwrap(),
            };
            (self.0, inner, [1, 2]).serialize(serializer)
        }
    }

    let tree = Value::of(&Nested(2)).unwrap();
    assert_eq!(
        tree.to_string(),
        r#"[2, "[1,[1,\"[1,[0,\\\"end\\\",[1,2]]]\",[1,2]]]", [1, 2]]"#
    );
}
