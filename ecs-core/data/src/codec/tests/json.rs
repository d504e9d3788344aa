//! Compares values as JSON with what `serde_json` writes of the same values, where the form is the same.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

use ecs_engine::Entity;
use ecs_engine::entity::session::{IdForm, Session};
use proptest::prelude::*;
use serde::{Serialize, Serializer};

use super::sample::{Meters, Shape};
use crate::Value;
use crate::codec::{Readable, within_parts};

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(&Readable::new(value)).unwrap()
}

#[track_caller]
fn is_the_same<T: Serialize>(value: T) {
    let typed = serde_json::to_string(&value).unwrap();
    assert_eq!(json(&value), typed);
    // Counted, every value is written to a tape first.
    assert_eq!(within_parts(1000, || json(&value)), typed);
    assert_eq!(
        serde_json::to_string(&Value::of(&value).unwrap()).unwrap(),
        typed
    );
    // After something else, and inside of it.
    let list = [Readable::new(&value), Readable::new(&value)];
    assert_eq!(
        serde_json::to_string(&list).unwrap(),
        format!("[{typed},{typed}]")
    );
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Nothing;

#[derive(Clone, Debug, Serialize)]
struct Pair(u32, String);

#[derive(Clone, Debug, Serialize)]
struct Fields {
    at: [f64; 3],
    name: Option<String>,
    pair: Pair,
    nothing: Nothing,
    deep: Option<Box<Fields>>,
}

#[derive(Clone, Debug, Serialize)]
struct Outer<T>(T);

/// A value that is printed.
struct Printed(String);

impl Serialize for Printed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("<{}>", self.0))
    }
}

fn float() -> impl Strategy<Value = f64> {
    let all = any::<f64>().prop_filter("JSON has no others", |value| value.is_finite());
    prop_oneof![all, any::<i16>().prop_map(|value| f64::from(value) / 8.0)]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,70}",
        "[a-z\"\\\\\n\u{1}\u{7f}]{0,9}",
        Just("Some".to_owned())
    ]
}

fn fields() -> impl Strategy<Value = Fields> {
    let pair = (any::<u32>(), text()).prop_map(|(number, text)| Pair(number, text));
    let one = ([float(), float(), float()], prop::option::of(text()), pair);
    prop::collection::vec(one, 1..4).prop_map(|all| {
        let nested = all.into_iter().fold(None, |deep, (at, name, pair)| {
            let nothing = Nothing;
            Some(Box::new(Fields {
                at,
                name,
                pair,
                nothing,
                deep,
            }))
        });
        *nested.expect("there is one")
    })
}

proptest! {
    #[test]
    fn values_of_one_token_are_written_as_serde_writes_them(
        is_true in any::<bool>(),
        short in any::<(i8, i16, u8, u16)>(),
        long in any::<(i32, i64, u32, u64)>(),
        float in float(),
        eighths in any::<i16>(),
        letter in any::<char>(),
        text in text(),
    ) {
        is_the_same(is_true);
        is_the_same(short.0);
        is_the_same(short.1);
        is_the_same(short.2);
        is_the_same(short.3);
        is_the_same(long.0);
        is_the_same(long.1);
        is_the_same(long.2);
        is_the_same(long.3);
        is_the_same(i128::from(long.1));
        is_the_same(u128::from(long.3));
        is_the_same(float);
        is_the_same(f32::from(eighths) / 8.0);
        is_the_same(letter);
        is_the_same(text.as_str());
        is_the_same(Outer(Outer(text.clone())));
        is_the_same(Printed(text.clone()));
        is_the_same(Meters(float));
        is_the_same((Nothing, Shape::Dot, ()));
        is_the_same(Nothing);
        is_the_same(Shape::Dot);
        is_the_same(Some(text.clone()));
        is_the_same(Some(Outer(long.3)));
        is_the_same(Outer(Some(Some(is_true))));
        is_the_same(Some(Shape::Dot));
        is_the_same(Some(Printed(text)));
        is_the_same(None::<u32>);
    }

    #[test]
    fn values_with_parts_are_written_as_serde_writes_them(
        fields in fields(),
        numbers in prop::collection::vec(any::<u32>(), 0..9),
        entries in prop::collection::btree_map(text(), prop::option::of(any::<i64>()), 0..5),
        by_number in prop::collection::btree_map(any::<i32>(), any::<bool>(), 0..5),
        array in any::<[i16; 3]>(),
        float in float(),
    ) {
        is_the_same(&fields);
        is_the_same(&numbers);
        is_the_same(Some(&numbers));
        is_the_same(&entries);
        is_the_same(by_number);
        is_the_same(array);
        is_the_same((float, array, "x"));
        is_the_same(vec![Shape::Dot, Shape::Disc(0.5), Shape::Line(1.5, vec![1]), Shape::Empty {}]);
        is_the_same(Some(Outer(fields)));
    }
}

#[test]
fn integers_of_more_than_64_bits_are_texts_of_their_digits() {
    for value in [i128::MIN, i128::from(i64::MIN) - 1, 1 << 64, i128::MAX] {
        assert_eq!(json(&value), format!("\"{value}\""));
        assert_eq!(json(&Some(value)), format!("\"{value}\""));
    }
    assert_eq!(json(&(u128::MAX)), format!("\"{}\"", u128::MAX));
    for value in [i128::from(i64::MIN), i128::from(u64::MAX), 0] {
        assert_eq!(json(&value), value.to_string());
    }
}

#[test]
fn options_are_told_from_the_values_in_them() {
    assert_eq!(json(&Some(())), r#"{"Some":null}"#);
    assert_eq!(json(&Some(Some(Nothing))), r#"{"Some":{"Some":null}}"#);
    assert_eq!(json(&Some(None::<u8>)), r#"{"Some":null}"#);
    assert_eq!(json(&Some(Some(7))), "7");
    assert_eq!(json(&Some(f64::NAN)), r#""float(NaN)""#);
}

#[test]
fn a_chain_of_options_has_the_limit_of_levels() {
    #[derive(Serialize)]
    struct Chain(Option<Box<Chain>>);
    let chain = |length: usize| (0..length).fold(Chain(None), |next, _| Chain(Some(next.into())));
    for length in [1, 3, 200, 223, 224, 225, 5000] {
        let chain = chain(length);
        let ours = serde_json::to_string(&Readable::new(&chain)).map_err(|error| error.to_string());
        let tree = Value::of(&chain).map_err(|error| error.to_string());
        let tree = tree.map(|tree| serde_json::to_string(&tree).unwrap());
        assert_eq!(ours, tree, "{length}");
    }
    /// A number inside of as many options.
    struct Wrapped(usize);
    impl Serialize for Wrapped {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.0 {
                0 => serializer.serialize_u8(7),
                more => serializer.serialize_some(&Self(more - 1)),
            }
        }
    }
    for options in [0, 1, 223, 224, 225, 5000] {
        let value = Wrapped(options);
        let ours = serde_json::to_string(&Readable::new(&value)).map_err(|error| error.to_string());
        let tree = Value::of(&value).map_err(|error| error.to_string());
        assert_eq!(ours.is_ok(), options <= 224);
        assert_eq!(ours, tree.map(|tree| tree.to_string()), "{options}");
    }
    /// Text inside of many options.
    fn wrapped<T: Serialize>(value: T) -> Option<Option<Option<Outer<T>>>> {
        Some(Some(Some(Outer(value))))
    }
    is_the_same(wrapped(wrapped(wrapped("deep"))));
    // Levels end with their options.
    is_the_same(vec![Some(1); 300]);
}

#[test]
fn an_id_inside_of_a_tree_stays_an_id() {
    let id = Entity::from_bits(7 << 32 | 3).unwrap();
    Session::new(IdForm::Tree).run(|| {
        let tree = Value::of(&(Readable::new(&id), Readable::new(&Some(id)))).unwrap();
        let Value::List(list) = &tree else {
            panic!("{tree}")
        };
        // A text that is printed like the id would be equal.
        let is_id = |value: &Value| matches!(value, Value::Entity(found) if *found == id);
        assert!(list.len() == 2 && list.iter().all(is_id), "{tree:?}");
    });
    Session::new(IdForm::Text).run(|| {
        assert_eq!(json(&id), r#""3v7""#);
        assert_eq!(json(&Some(id)), r#""3v7""#);
    });
    assert!(
        serde_json::to_string(&Readable::new(&id)).is_err(),
        "no id has a form outside of a session"
    );
}

/// Calls a function when it is printed.
struct Counted<'a>(&'a Cell<u32>, usize);

impl Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.set(self.0.get() + 1);
        // In pieces, and one does not fit.
        (0..self.1).try_for_each(|_| f.write_str("0123456"))?;
        f.write_str("\"end\"")
    }
}

#[test]
fn printed_values_of_any_length_are_whole() {
    for pieces in 0..40 {
        let count = Cell::new(0);
        struct Value<'a>(Counted<'a>);
        impl Serialize for Value<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.0)
            }
        }
        let expected = format!("\"{}\\\"end\\\"\"", "0123456".repeat(pieces));
        assert_eq!(json(&Value(Counted(&count, pieces))), expected);
        assert!(count.get() <= 2);
    }
}

/// Writes its text, and fails.
struct Late(&'static str);

impl Serialize for Late {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)?;
        Err(serde::ser::Error::custom("too late"))
    }
}

#[test]
fn the_error_of_a_value_that_has_written_its_text_is_returned() {
    for value in [
        &Readable::new(&Late("text")),
        &Readable::new(&Some(Late(""))),
        &Readable::new(&Outer(Late("x"))),
    ] {
        let error = serde_json::to_string(value).unwrap_err();
        assert_eq!(error.to_string(), "too late");
        assert_eq!(value.to_value().unwrap_err().to_string(), "too late");
    }
    /// Fails in its first run only.
    struct Once(Cell<bool>);
    impl Serialize for Once {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let written = serializer.serialize_str("text")?;
            match self.0.replace(true) {
                true => Ok(written),
                false => Err(serde::ser::Error::custom("once")),
            }
        }
    }
    let error = serde_json::to_string(&Readable::new(&Once(Cell::new(false)))).unwrap_err();
    assert!(error.to_string().contains("failed"), "{error}");
}

#[test]
fn texts_and_elements_count_for_the_limit_of_parts() {
    let long = "x".repeat(1000);
    let written = |most| within_parts(most, || serde_json::to_string(&Readable::new(&long)));
    assert!(written(10).is_err() && written(1000).is_ok());
    let list = [1; 10];
    let written = |most| within_parts(most, || serde_json::to_string(&Readable::new(&list)));
    assert!(written(9).is_err() && written(10).is_ok());
    let entries = BTreeMap::from([("a", 1)]);
    assert!(within_parts(0, || serde_json::to_string(&Readable::new(&entries))).is_err());
    let number = || serde_json::to_string(&Readable::new(&7)).is_ok();
    let written = || within_parts(10, || [number(), number(), written(10).is_ok()]);
    assert_eq!(written(), [true; 3], "a number has no parts");
}

#[test]
fn all_values_of_a_call_count_together_and_for_the_call_around_it() {
    let list = [1; 6];
    let write = || serde_json::to_string(&Readable::new(&list)).is_ok();
    assert_eq!(within_parts(10, || [write(), write()]), [true, false]);
    assert_eq!(within_parts(20, || [write(), write()]), [true, true]);
    let inside = || within_parts(10, write);
    assert_eq!(within_parts(10, || [inside(), write()]), [true, false]);
    assert_eq!(within_parts(20, || [inside(), write()]), [true, true]);
    let nested = || serde_json::to_string(&Readable::new(&[[1; 6]; 3])).is_ok();
    assert!(!within_parts(17, nested) && within_parts(21, nested));
    // Texts of earlier values do not count.
    let long = ("x".repeat(1000), 1);
    assert!(serde_json::to_string(&Readable::new(&long)).is_ok());
    assert!(within_parts(10, || serde_json::to_string(&Readable::new(&("short", 1)))).is_ok());
}
