//! Values as trees: their form, input that people may write, and errors.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use ecs_engine::Entity;
use ecs_engine::entity::session::{IdForm, Session};

use super::sample::{Adjacent, Key, Maybe, Meters, Shape};
use crate::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[track_caller]
fn error<T: serde::de::DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
    json(text).to::<T>().unwrap_err().to_string()
}

#[test]
fn ids_in_trees_are_entities_and_what_a_save_says_inside_of_one() {
    let id = Entity::from_bits(7 << 32 | 3).unwrap();
    let value = (id, Some(id), vec![Some(id), None]);
    let tree = Value::of(&value).unwrap();
    assert!(
        matches!(&tree, Value::List(list) if matches!(list[0], Value::Entity(found) if found == id))
    );
    assert_eq!(tree.to_string(), r#"["3v7", "3v7", ["3v7", null]]"#);
    assert_eq!(tree.to().ok(), Some(value.clone()));
    // As a text they come back from any format.
    assert_eq!(json(&tree.to_string()).to().ok(), Some(value));
    assert!(json(r#""three""#).to::<Entity>().is_err());
    Session::new(IdForm::Bits).run(|| {
        let tree = Value::of(&id).unwrap();
        assert_eq!(tree, Value::Int(7 << 32 | 3));
        assert_eq!(tree.to().ok(), Some(id));
    });
}

#[test]
fn each_value_has_one_form() {
    let forms: [(Result<Value, _>, &str); 20] = [
        (Value::of(&Shape::Dot), r#""Dot""#),
        (Value::of(&Shape::Disc(1.0)), r#"{"Disc": 1.0}"#),
        (
            Value::of(&Shape::Line(0.1, vec![1])),
            r#"{"Line": [0.1, [1]]}"#,
        ),
        (
            Value::of(&Shape::Rect {
                width: 2.0,
                name: None,
            }),
            r#"{"Rect": {"width": 2.0, "name": null}}"#,
        ),
        (Value::of(&Some(Shape::Dot)), r#""Dot""#),
        (Value::of(&Some(3)), "3"),
        (Value::of(&None::<u8>), "null"),
        (Value::of(&Some(())), r#"{"Some": null}"#),
        (Value::of(&Some(None::<u8>)), r#"{"Some": null}"#),
        (Value::of(&Some(Some(3))), "3"),
        (
            Value::of(&Some(Some(None::<u8>))),
            r#"{"Some": {"Some": null}}"#,
        ),
        (Value::of(&Some(Maybe::Some(3))), r#"{"Some": {"Some": 3}}"#),
        (Value::of(&Some(Maybe::None)), r#""None""#),
        (Value::of(&Meters(1.5)), "1.5"),
        (
            Value::of(&Adjacent::C((1, 2))),
            r#"{"t": "C", "c": [1, 2]}"#,
        ),
        (
            Value::of(&i128::MIN),
            "-170141183460469231731687303715884105728",
        ),
        (
            Value::of(&u128::MAX),
            r#""340282366920938463463374607431768211455""#,
        ),
        (Value::of(&f32::INFINITY), "inf"),
        (Value::of(&(f64::NAN, 1e300)), "[NaN, 1e300]"),
        (
            Value::of(&BTreeMap::from([(Key::Pair(1, 2), 3)])),
            r#"{{"Pair": [1, 2]}: 3}"#,
        ),
    ];
    for (value, form) in forms {
        assert_eq!(value.unwrap().to_string(), form);
    }
}

#[test]
fn maps_with_other_keys_are_lists() {
    let grid = HashMap::from([((1, -2), "tree")]);
    let value = Value::of(&grid).unwrap();
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(text, r#"[[[1,-2],"tree"]]"#);
    assert_eq!(
        json(&text).to::<HashMap<(i32, i32), String>>().unwrap()[&(1, -2)],
        "tree"
    );
}

#[test]
fn what_is_written_by_hand_is_read() {
    assert_eq!(json("[1, 2.5]").to::<(f32, f64)>().unwrap(), (1.0, 2.5));
    assert!(json(r#""NaN""#).to::<f32>().unwrap().is_nan());
    assert_eq!(
        json(r#"["inf", "-inf"]"#).to::<(f32, f64)>().unwrap(),
        (f32::INFINITY, f64::NEG_INFINITY)
    );
    assert_eq!(json(r#"{"Dot": null}"#).to::<Shape>().unwrap(), Shape::Dot);
    assert_eq!(json(r#"{"Some": 3}"#).to::<Option<u8>>().unwrap(), Some(3));
    assert_eq!(
        json(r#"{"5": true}"#).to::<HashMap<u8, bool>>().unwrap(),
        HashMap::from([(5, true)])
    );
    assert_eq!(
        json(r#"{"true": "2"}"#)
            .to::<HashMap<bool, char>>()
            .unwrap(),
        HashMap::from([(true, '2')])
    );
    let ron: Value =
        ron::from_str(r#"(shape: {"Disc": 2.5}, name: Some("a"), at: (1, -2), c: 'x', n: NaN)"#)
            .unwrap();
    assert_eq!(
        ron.to_string(),
        r#"{"shape": {"Disc": 2.5}, "name": "a", "at": [1, -2], "c": "x", "n": NaN}"#
    );
    let ron: Value = ron::from_str("[None, Some(None), Some(Some(())), ()]").unwrap();
    assert_eq!(
        ron.to_string(),
        r#"[null, {"Some": null}, {"Some": {"Some": null}}, null]"#
    );
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Point {
    x: u8,
}

#[test]
fn texts_that_look_like_floats_stay_texts() {
    for text in [
        "float(NaN)",
        "float(inf)",
        "float(0x7ff8000000000005)",
        "NaN",
        "inf",
    ] {
        let value = Value::of(&(text, [(text, 1)].into_iter().collect::<HashMap<_, _>>())).unwrap();
        let read: Value = json(&serde_json::to_string(&value).unwrap());
        assert_eq!(
            read.to::<(String, HashMap<String, u8>)>().unwrap(),
            (text.to_owned(), HashMap::from([(text.to_owned(), 1)]))
        );
    }
}

#[test]
fn errors_name_the_place() {
    assert_eq!(
        error::<Point>("[7]"),
        "invalid type: a list, expected struct Point"
    );
    type Items = HashMap<String, Vec<Point>>;
    assert_eq!(
        error::<Items>(r#"{"items": [{"x": 1}, {"x": "no"}]}"#),
        r#"invalid type: string "no", expected u8, at `items[1].x`"#
    );
    assert_eq!(
        error::<Items>(r#"{"a b": [{"x": 256}]}"#),
        r#"256 is out of range for a u8, at `["a b"][0].x`"#
    );
    assert_eq!(
        error::<Items>(r#"{"a": [{}]}"#),
        "missing field `x`, at `a[0]`"
    );
    assert_eq!(
        error::<Items>(r#"{"a": [], "b": 1}"#),
        "invalid type: integer `1`, expected a sequence, at `b`"
    );
    assert_eq!(
        error::<(u8, u8)>("[1, 2, 3]"),
        "a list is longer than expected, by 1"
    );
    assert_eq!(
        error::<(u8, u8)>("[1]"),
        "invalid length 1, expected a tuple of size 2"
    );
    assert_eq!(
        error::<Option<Option<u8>>>(r#"{"Some": -1}"#),
        "-1 is out of range for a u8, at `Some`"
    );
    assert_eq!(
        error::<HashMap<u8, u8>>(r#"{"300": 1}"#),
        "300 is out of range for a u8, at `300`"
    );
    assert_eq!(
        error::<HashMap<(u8, u8), u8>>("[[[1, 2], 3], [4]]"),
        "invalid type: a list, expected a list of a key and a value"
    );
    assert_eq!(
        error::<u8>(r#""5""#),
        r#"invalid type: string "5", expected u8"#
    );
    assert_eq!(error::<f32>("1e300"), "1e300 is out of range for an f32");
    assert_eq!(
        error::<i128>(r#""340282366920938463463374607431768211455""#),
        r#"invalid type: string "340282366920938463463374607431768211455", expected i128"#
    );
    assert_eq!(
        error::<char>(r#""ab""#),
        r#"invalid type: string "ab", expected a char"#
    );
    assert_eq!(
        error::<bool>("1"),
        "invalid type: integer `1`, expected a bool"
    );
    assert_eq!(error::<()>("1"), "invalid type: integer `1`, expected null");
}

/// Behind errors that were ignored, too, if the way to these is longer or shorter.
#[test]
fn errors_name_the_place_at_any_level() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Level {
        #[serde(default)]
        odd: Vec<Ignored>,
        next: Option<Box<Level>>,
        #[serde(default)]
        end: u8,
    }
    #[derive(Debug)]
    struct Ignored;
    impl<'de> Deserialize<'de> for Ignored {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let _ = Vec::<Vec<Vec<u8>>>::deserialize(deserializer);
            Ok(Self)
        }
    }
    for levels in 0..12 {
        let mut text = r#"{"end": 256, "odd": []}"#.to_owned();
        for _ in 0..levels {
            text = format!(r#"{{"odd": [[[[true]]], [true]], "next": {text}}}"#);
        }
        assert_eq!(
            error::<Level>(&text),
            format!(
                "256 is out of range for a u8, at `{}end`",
                "next.".repeat(levels)
            )
        );
    }
}

#[test]
fn errors_of_variants_show_how_to_write_them() {
    assert_eq!(
        error::<Vec<Shape>>("[[1.5]]"),
        "invalid type: a list, expected a variant, at `[0]`; help: write a variant as `\"Dot\"`, with values as `{\"Dot\": ..}`"
    );
    assert_eq!(
        error::<Shape>(r#""Disc""#),
        "the variant \"Disc\" has values, which are missing; help: write a map, such as {\"Disc\": 1.5}"
    );
    assert_eq!(
        error::<Shape>(r#"{"Dot": 1}"#),
        "invalid type: integer `1`, expected null, at `Dot`"
    );
    assert_eq!(
        error::<Shape>(r#"{"Rect": {"width": []}}"#),
        "invalid type: a list, expected a float, at `Rect.width`"
    );
    assert!(
        error::<Shape>(r#""Star""#)
            .starts_with("unknown variant `Star`, expected one of `Dot`, `Disc`")
    );
}

/// A `Deserialize` may continue after an error; the next one has its own path and level.
#[test]
fn ignored_errors_leave_nothing_behind() {
    #[derive(Debug)]
    struct Or<T>(Option<T>);
    impl<'de, T: Deserialize<'de>> Deserialize<'de> for Or<T> {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Ok(Self(T::deserialize(deserializer).ok()))
        }
    }
    let bad = json(r#"[[[[1]]]]"#);
    let mut values = vec![bad; 300];
    values.push(json("[[[true]]]"));
    let read: Vec<Or<Vec<Vec<Vec<bool>>>>> = Value::List(values.clone()).to().unwrap();
    assert_eq!(read.iter().filter(|value| value.0.is_some()).count(), 1);
    let last: Value = [("a", Value::List(values)), ("b", Value::from(300))]
        .into_iter()
        .collect();
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Both {
        a: Vec<Or<Vec<Vec<Vec<bool>>>>>,
        b: u8,
    }
    assert_eq!(
        last.to::<Both>().unwrap_err().to_string(),
        "300 is out of range for a u8, at `b`"
    );
    assert_eq!(error::<Both>(r#"{"a": [[[[1]]]]}"#), "missing field `b`");
}

/// An error that a `Deserialize` raises between the entries of a map concerns the map.
#[test]
fn errors_after_an_entry_name_the_map() {
    #[derive(Debug)]
    struct Rising;
    impl<'de> serde::de::Visitor<'de> for Rising {
        type Value = Self;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("rising values")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
            let mut last = 0;
            while let Some((_, value)) = map.next_entry::<String, u8>()? {
                if value < last {
                    return Err(serde::de::Error::custom("the values fall"));
                }
                last = value;
            }
            Ok(self)
        }
    }
    impl<'de> Deserialize<'de> for Rising {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_map(Self)
        }
    }
    assert_eq!(
        error::<Vec<Rising>>(r#"[{"a": 1, "b": 2}, {"a": 2, "b": 1, "c": 3}]"#),
        "the values fall, at `[1]`"
    );
}

#[test]
fn trees_are_changed_and_read() {
    let mut value = Value::of(&Shape::Rect {
        width: 2.0,
        name: Some("a".into()),
    })
    .unwrap();
    *value.get_mut("Rect.name").unwrap() = None::<&str>.into();
    *value.get_mut("Rect.width").unwrap() = 0.1f32.into();
    assert_eq!(
        value.to::<Shape>().unwrap(),
        Shape::Rect {
            width: 0.1,
            name: None
        }
    );
    assert_eq!(
        format!("{value:#}"),
        "{\n    \"Rect\": {\n        \"width\": 0.1,\n        \"name\": null,\n    },\n}"
    );
    assert_eq!(Value::Bytes(vec![0, b'a']).to_string(), r#"b"\x00a""#);
}
