//! Depth: if a value can be written, it can be read; a deeper one is an error at both ends.

use serde::{Deserialize, Serialize};

use crate::Value;
use crate::codec::{Decoder, Encoder, MAX_DEPTH, Readable};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Chain {
    next: Option<Box<Chain>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Nested(Vec<Nested>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Expression {
    End,
    Not(Box<Expression>),
    Pair(Box<Expression>, u8),
    Named { inner: Box<Expression> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(Option<Box<Wrapped>>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Mapped(std::collections::BTreeMap<u8, Mapped>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Tagged {
    End(u8),
    Next(Box<Tagged>),
}

fn tagged(depth: u32) -> Tagged {
    (0..depth).fold(Tagged::End(0), |inner, _| Tagged::Next(Box::new(inner)))
}

fn chain(depth: u32) -> Chain {
    (0..depth).fold(Chain { next: None }, |next, _| Chain {
        next: Some(Box::new(next)),
    })
}

fn nested(depth: u32) -> Nested {
    (1..depth).fold(Nested(vec![]), |inner, _| Nested(vec![inner]))
}

fn expression(depth: u32) -> Expression {
    (0..depth).fold(Expression::End, |inner, level| match level % 3 {
        0 => Expression::Not(Box::new(inner)),
        1 => Expression::Pair(Box::new(inner), 1),
        _ => Expression::Named {
            inner: Box::new(inner),
        },
    })
}

fn wrapped(depth: u32) -> Wrapped {
    (0..depth).fold(Wrapped(None), |inner, _| Wrapped(Some(Box::new(inner))))
}

fn mapped(depth: u32) -> Mapped {
    (1..depth).fold(Mapped([].into()), |inner, _| Mapped([(1, inner)].into()))
}

/// Checks that a type is read back from bytes at the limit, and not written beyond.
fn check<T>(make: fn(u32) -> T, levels: u32)
where
    T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let deepest = MAX_DEPTH / levels;
    for mut encoder in [Encoder::new(), Encoder::canonical()] {
        encoder.value(&make(deepest)).unwrap();
        assert_eq!(
            Decoder::of_bytes(encoder.bytes()).value::<T>().unwrap(),
            make(deepest)
        );
        let before = encoder.len();
        let error = encoder.value(&make(deepest + 1)).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("a value is nested more than 128 levels deep"),
            "{error}"
        );
        let error = encoder.values(&[make(1), make(deepest + 1)]).unwrap_err();
        assert_eq!(error.row(), Some(1));
        assert_eq!(encoder.len(), before);
    }
}

#[test]
fn depth_of_bytes() {
    check(|depth| chain(depth - 1), 2);
    check(nested, 1);
    check(expression, 1);
    check(wrapped, 1);
    check(mapped, 1);
    check(|depth| tagged(depth - 1), 1);
}

/// The deepest tree that can be written goes through formats, with some levels of a file around it.
fn check_tree<T>(make: fn(u32) -> T)
where
    T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let deepest = (1..300)
        .take_while(|&depth| Value::of(&make(depth)).is_ok())
        .last()
        .unwrap();
    assert!(deepest >= 36, "{deepest}");
    let value = make(deepest);
    let error = Value::of(&make(deepest + 1)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("a value is nested more than 112 levels deep"),
        "{error}"
    );

    // RON counts each level twice, so it reads half as many unless it is asked for more.
    let ron = ron::Options::default().with_recursion_limit(256);
    let file = [[[[Readable::new(&value)]]]];
    let json = serde_json::to_string(&file).unwrap();
    let [[[[read]]]]: [[[[Value; 1]; 1]; 1]; 1] = serde_json::from_str(&json).unwrap();
    assert_eq!(read.to::<T>().unwrap(), value);
    let [[[[read]]]]: [[[[Value; 1]; 1]; 1]; 1] =
        ron.from_str(&ron::to_string(&file).unwrap()).unwrap();
    assert_eq!(read.to::<T>().unwrap(), value);
    let mut encoder = Encoder::new();
    encoder.tree(&read).unwrap();
    let read = Decoder::of_bytes(encoder.bytes()).tree().unwrap();
    assert_eq!(read.to::<T>().unwrap(), value);
}

#[test]
fn depth_of_trees() {
    check_tree(chain);
    check_tree(nested);
    check_tree(expression);
    check_tree(wrapped);
    check_tree(mapped);
    check_tree(tagged);
}

fn lists(depth: u32) -> Value {
    (1..depth).fold(Value::List(vec![]), |inner, _| Value::List(vec![inner]))
}

#[test]
fn deep_trees_are_refused() {
    let mut encoder = Encoder::new();
    encoder.tree(&lists(MAX_DEPTH)).unwrap();
    assert_eq!(
        Decoder::of_bytes(encoder.bytes()).tree().unwrap(),
        lists(MAX_DEPTH)
    );
    assert!(encoder.tree(&lists(MAX_DEPTH + 1)).is_err());

    // Bytes that nothing writes.
    let deep = [8, 1, 0, 0, 0].repeat(100_000);
    let error = Decoder::of_bytes(&deep).tree().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("a value is nested more than 128 levels deep, at byte"),
        "{error}"
    );
    let error = Decoder::of_bytes(&[1; 100_000])
        .value::<Chain>()
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("a value is nested more than 128 levels deep, at byte"),
        "{error}"
    );

    // Message Pack has a limit of its own, which is higher.
    let deep = [0x91].repeat(1000);
    assert!(rmp_serde::from_slice::<Value>(&deep).is_err());
    assert!(lists(1_000).to::<Nested>().is_err());
    assert!(lists(MAX_DEPTH).to::<Nested>().is_ok());
}
