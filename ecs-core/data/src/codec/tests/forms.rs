//! Types that need trees, and those that do not.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::sample::{Flat, Internal, Loose, Named, Sample};
use crate::codec::{Codec, Encoder, Form};

fn form<T: Serialize + DeserializeOwned + 'static>() -> Form {
    Codec::of::<T>().form()
}

#[derive(Serialize, Deserialize)]
enum Expression {
    Add(Box<Expression>, Box<Expression>),
    Call {
        name: String,
        arguments: Vec<Expression>,
    },
    Number(f64),
    Not(Box<Expression>),
}

/// Has a part that needs names in a variant far from the first.
#[derive(Serialize, Deserialize)]
enum Deep {
    Leaf(Side, Side),
    Next(Option<Box<Deep>>),
    Last(HashMap<u8, Vec<Option<Loose>>>),
}

#[derive(Serialize, Deserialize)]
enum Side {
    Left,
    Right(Marked),
}

#[derive(Serialize, Deserialize)]
enum Marked {
    No,
    Yes(u8),
}

#[derive(Serialize, Deserialize)]
enum InMarked {
    Side(Side),
    Other(Side, Internal),
}

/// Has it in a variant of an enum, in one that is not the first.
#[derive(Serialize, Deserialize)]
enum Nested {
    First,
    Last(BTreeMap<u8, Second>),
}

#[derive(Serialize, Deserialize)]
enum Second {
    First,
    Number(u8),
    Third(Marked, Loose),
}

/// No value is finite.
#[derive(Serialize, Deserialize)]
enum Endless {
    Next(Box<Endless>),
}

#[derive(Serialize, Deserialize)]
enum Never {}

#[derive(Serialize, Deserialize)]
struct Checked {
    #[serde(deserialize_with = "refuse")]
    checked: u8,
}

fn refuse<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    match u8::deserialize(deserializer)? {
        1 => panic!("a made-up value is refused rudely"),
        value => Ok(value),
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Number(u8),
    Next(Box<Adjacent>),
    Loose { inner: Loose },
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum AdjacentUnit {
    Number(u8),
    Unit,
}

#[test]
fn types_that_look_at_their_data_need_trees() {
    assert_eq!(form::<Loose>(), Form::Tree);
    assert_eq!(form::<Internal>(), Form::Tree);
    assert_eq!(form::<Flat>(), Form::Tree);
    assert_eq!(form::<Named>(), Form::Tree);
    assert_eq!(form::<Vec<(u8, Loose)>>(), Form::Tree);
    assert_eq!(form::<Option<Option<Internal>>>(), Form::Tree);
    assert_eq!(form::<BTreeMap<u8, Flat>>(), Form::Tree);
    assert_eq!(form::<Deep>(), Form::Tree);
    assert_eq!(form::<InMarked>(), Form::Tree);
    assert_eq!(form::<Nested>(), Form::Tree);
    assert_eq!(form::<crate::Value>(), Form::Tree);
    assert_eq!(form::<Adjacent>(), Form::Tree);
    // Structs and tuples after a tag are looked at; the content that a variant lacks is not written, but any content is read.
    assert_eq!(form::<AdjacentUnit>(), Form::Tree);
    assert_eq!(form::<(super::sample::Adjacent, Loose)>(), Form::Tree);
}

#[test]
fn other_types_are_plain() {
    assert_eq!(form::<super::sample::Adjacent>(), Form::Plain);
    assert_eq!(form::<super::sample::Shape>(), Form::Plain);
    assert_eq!(form::<super::sample::Tree>(), Form::Plain);
    assert_eq!(form::<super::sample::Numbers>(), Form::Plain);
    assert_eq!(form::<super::sample::Key>(), Form::Plain);
    assert_eq!(form::<Sample>(), Form::Plain);
    assert_eq!(form::<Expression>(), Form::Plain);
    assert_eq!(form::<Side>(), Form::Plain);
    assert_eq!(form::<Endless>(), Form::Plain);
    assert_eq!(form::<Never>(), Form::Plain);
    assert_eq!(
        form::<(NonZero<u8>, String, std::time::Duration, Result<u8, String>)>(),
        Form::Plain
    );
    assert_eq!(form::<std::net::IpAddr>(), Form::Plain);
}

/// The made-up value is wrong to a type that checks it, and that is no reason to panic.
#[test]
fn panics_count_as_refusals() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let form = form::<Checked>();
    std::panic::set_hook(hook);
    assert_eq!(form, Form::Plain);
}

#[derive(Serialize, Deserialize)]
struct Skips {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    skipped: Option<u8>,
    other: u8,
}

#[derive(Serialize, Deserialize)]
enum SkipsInside {
    Variant {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        skipped: Option<u8>,
    },
}

/// Nothing in `Deserialize` tells that a field may be missing, but `Serialize` does.
#[test]
fn skipped_fields_need_trees_where_they_are_skipped() {
    fn encode<T: Serialize + DeserializeOwned + 'static>(values: &[T]) -> (Form, usize) {
        let mut encoder = Encoder::new();
        encoder.push(b"before");
        // SAFETY: these are values of the type.
        let form =
            unsafe { Codec::of::<T>().encode(values.as_ptr().cast(), values.len(), &mut encoder) }
                .unwrap();
        assert!(encoder.bytes().starts_with(b"before"));
        (form, encoder.len())
    }
    let value = |skipped| Skips { skipped, other: 2 };
    assert_eq!(
        encode(&[value(Some(1)), value(Some(2))]),
        (Form::Plain, 6 + 6)
    );
    assert_eq!(encode(&[value(Some(1)), value(None)]).0, Form::Tree);
    assert_eq!(
        encode(&[SkipsInside::Variant { skipped: None }]).0,
        Form::Tree
    );

    let mut encoder = Encoder::new();
    let error = encoder.value(&value(None)).unwrap_err();
    assert!(error.to_string().contains("a field is skipped"), "{error}");
    assert!(encoder.is_empty());
}
