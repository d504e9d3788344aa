//! Schemas of types with serde's attributes: they are right, or not known.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU8;

use ecs_core::data::{CatalogType, Schema, Value};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

macro_rules! components {
    ($($(#[$attribute:meta])* $kind:ident $name:ident $body:tt)*) => {$(
        #[derive(Component, Clone, Debug, Serialize, Deserialize)]
        $(#[$attribute])*
        $kind $name $body
    )*};
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Point {
    far_x: f32,
    #[serde(rename = "y!")]
    y: f32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Any {
    Number(i8),
    Text(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    One(u8),
    Two { x: u8 },
    Unit,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Kind {
    Idle,
    #[serde(rename = "go")]
    Go(u8),
    To {
        place: Point,
        by: Option<Box<Kind>>,
    },
    Pair(u8, String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Aliased {
    Idle,
    #[serde(alias = "run", alias = "walk")]
    Go(u8),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Middle {
    B,
    #[serde(alias = "A", alias = "X")]
    M,
    Z(u8),
}

/// A number below ten.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
struct Digit(u8);

impl TryFrom<u8> for Digit {
    type Error = &'static str;

    fn try_from(digit: u8) -> Result<Self, &'static str> {
        if digit < 10 {
            Ok(Self(digit))
        } else {
            Err("too large")
        }
    }
}

impl From<Digit> for u8 {
    fn from(digit: Digit) -> u8 {
        digit.0
    }
}

components! {
    #[component(data = "s.plain")]
    struct Plain { a: u8, kinds: Vec<Kind>, at: Point, set: BTreeSet<char>, by_number: BTreeMap<u32, i128>, big: u128 }
    #[component(data = "s.odd_keys")]
    struct OddKeys { map: BTreeMap<(u8, bool), Option<Option<Entity>>>, by_entity: HashMap<Entity, u64> }
    #[component(data = "s.first_alias")]
    struct FirstAlias { #[serde(alias = "zeta")] alpha: u8, beta: String }
    #[component(data = "s.last_alias")]
    struct LastAlias { alpha: u8, #[serde(alias = "aaa", alias = "zzz")] beta: String }
    #[component(data = "s.two_names")]
    struct TwoNames { #[serde(rename(serialize = "out", deserialize = "in"))] value: u8 }
    #[component(data = "s.skipped")]
    struct Skipped { a: u8, #[serde(skip)] _cache: u64, b: bool }
    #[component(data = "s.not_written")]
    struct NotWritten { a: u8, #[serde(skip_serializing, default)] _secret: u64 }
    #[component(data = "s.not_read")]
    struct NotRead { a: u8, #[serde(skip_deserializing)] sum: u64 }
    #[component(data = "s.sometimes")]
    struct Sometimes { a: u8, #[serde(skip_serializing_if = "Option::is_none", default)] b: Option<u8> }
    #[component(data = "s.defaults")]
    #[serde(default)]
    struct Defaults { #[serde(rename = "the a")] a: u8, point: Point }
    #[component(data = "s.untagged")]
    struct Untagged { a: u8, any: Any }
    #[component(data = "s.untagged_first")]
    struct UntaggedFirst { any: Any, many: Vec<Any>, b: Point }
    #[component(data = "s.adjacent")]
    struct InAdjacent { a: u8, adjacent: Adjacent }
    #[component(data = "s.tagged")]
    #[serde(tag = "kind")]
    enum Tagged { One { x: u8 }, Two }
    #[component(data = "s.flat")]
    struct Flat { a: u8, #[serde(flatten)] at: Point }
    #[component(data = "s.digit")]
    struct Refuses { digit: Digit, not_zero: NonZeroU8 }
    #[component(data = "s.any_value")]
    struct AnyValue { a: u8, value: Value }
    #[component(data = "s.transparent")]
    #[serde(transparent)]
    struct Transparent { only: Kind }
    #[component(data = "s.aliased")]
    struct InAliased { kind: Aliased }
    #[component(data = "s.in_the_middle")]
    struct InTheMiddle { a: Middle, #[serde(alias = "aaa", alias = "zzz")] beta: u8, gamma: Option<String> }
    #[component(data = "s.with_time")]
    struct WithTime { left: std::time::Duration }
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            a: 1,
            point: Point::default(),
        }
    }
}

/// Returns values of each type, as many as show its forms.
fn world() -> World {
    let mut world = World::new();
    let id = world.spawn(());
    let kinds = || {
        let to = |by| Kind::To {
            place: Point {
                far_x: 0.1,
                y: -2.0,
            },
            by,
        };
        vec![
            Kind::Idle,
            Kind::Go(1),
            Kind::Pair(1, "b".to_owned()),
            to(Some(Box::new(to(None)))),
        ]
    };
    world.spawn(Plain {
        a: 3,
        kinds: kinds(),
        at: Point::default(),
        set: BTreeSet::from(['a', 'ß']),
        by_number: BTreeMap::from([(7, i128::MIN)]),
        big: u128::MAX,
    });
    world.spawn(OddKeys {
        map: BTreeMap::from([
            ((1, true), None),
            ((2, true), Some(None)),
            ((3, false), Some(Some(id))),
        ]),
        by_entity: HashMap::from([(id, 3)]),
    });
    world.spawn(FirstAlias {
        alpha: 1,
        beta: "b".to_owned(),
    });
    world.spawn(LastAlias {
        alpha: 1,
        beta: "b".to_owned(),
    });
    world.spawn(TwoNames { value: 1 });
    world.spawn(Skipped {
        a: 1,
        _cache: 2,
        b: true,
    });
    world.spawn(NotWritten { a: 1, _secret: 2 });
    world.spawn(NotRead { a: 1, sum: 2 });
    world.spawn_batch([None, Some(3)].map(|b| Sometimes { a: 1, b }));
    world.spawn(Defaults::default());
    let any = [Any::Number(1), Any::Text("one".to_owned())];
    world.spawn_batch(any.map(|any| Untagged { a: 1, any }));
    world.spawn(UntaggedFirst {
        any: Any::Text("b".to_owned()),
        many: vec![Any::Number(1), Any::Text("c".to_owned())],
        b: Point::default(),
    });
    let adjacent = [Adjacent::One(1), Adjacent::Two { x: 1 }, Adjacent::Unit];
    world.spawn_batch(adjacent.map(|adjacent| InAdjacent { a: 1, adjacent }));
    world.spawn_batch([Tagged::One { x: 1 }, Tagged::Two]);
    world.spawn(Flat {
        a: 1,
        at: Point::default(),
    });
    world.spawn(Refuses {
        digit: Digit(3),
        not_zero: NonZeroU8::MIN,
    });
    world.spawn_batch(["text".into(), Value::Null].map(|value| AnyValue { a: 1, value }));
    world.spawn_batch(kinds().into_iter().map(|only| Transparent { only }));
    world.spawn_batch([Middle::B, Middle::M, Middle::Z(1)].map(|a| InTheMiddle {
        a,
        beta: 1,
        gamma: Some("c".to_owned()),
    }));
    world.spawn_batch([Aliased::Idle, Aliased::Go(1)].map(|kind| InAliased { kind }));
    world.spawn(WithTime {
        left: std::time::Duration::from_millis(1500),
    });
    world
}

fn schemas(world: &World) -> Vec<(CatalogType, Option<Schema>)> {
    let types = world.data_catalog().into_iter();
    let types: Vec<_> = types
        .filter(|known| known.name().starts_with("s."))
        .collect();
    assert_eq!(types.len(), 21);
    types
        .into_iter()
        .map(|known| (known, known.schema()))
        .collect()
}

#[test]
fn each_value_and_its_json_fit_the_schema() {
    let world = world();
    for (known, schema) in schemas(&world) {
        let Some(schema) = schema else { continue };
        let entities = world.entities_with(known.name()).unwrap();
        assert!(!entities.is_empty());
        for entity in entities {
            let value = world.get_by_name(entity, known.name()).unwrap().unwrap();
            assert!(
                schema.fits(&value),
                "{}: {schema:?} and {value}",
                known.name()
            );
            let json = serde_json::to_string(&value).unwrap();
            let json: Value = serde_json::from_str(&json).unwrap();
            assert!(
                schema.fits(&json),
                "{}: {schema:?} and {json}",
                known.name()
            );
        }
    }
}

#[test]
fn schemas_have_the_names_that_are_written_or_are_not_known() {
    let world = world();
    let expected = [
        ("s.first_alias", Some("{alpha:u8,beta:str}")),
        ("s.last_alias", Some("{alpha:u8,beta:str}")),
        ("s.two_names", None),
        ("s.skipped", Some("{a:u8,b:bool}")),
        ("s.not_read", None),
        ("s.defaults", Some("{the a:u8,point:{farX:f32,y!:f32}}")),
        ("s.untagged", Some("{a:u8,any:_}")),
        (
            "s.untagged_first",
            Some("{any:_,many:[_],b:{farX:f32,y!:f32}}"),
        ),
        ("s.adjacent", None),
        ("s.tagged", None),
        ("s.flat", None),
        ("s.any_value", Some("{a:u8,value:_}")),
        ("s.aliased", Some("{kind:<Idle,Go(u8)>}")),
        (
            "s.in_the_middle",
            Some("{a:<B,M,Z(u8)>,beta:u8,gamma:?str}"),
        ),
    ];
    let schemas = schemas(&world);
    for (name, expected) in expected {
        let (_, schema) = schemas
            .iter()
            .find(|(known, _)| known.name() == name)
            .unwrap();
        let text = schema.as_ref().map(ToString::to_string);
        assert_eq!(text.as_deref(), expected, "{name}");
    }
    let known = ["s.plain", "s.odd_keys", "s.transparent", "s.sometimes"];
    for (ty, schema) in &schemas {
        assert!(
            schema.is_some() || !known.contains(&ty.name()),
            "{}",
            ty.name()
        );
    }
}

#[test]
fn a_value_of_another_form_does_not_fit() {
    let world = world();
    let schemas = schemas(&world);
    let fits = |name: &str, text: &str| {
        let (_, schema) = schemas
            .iter()
            .find(|(known, _)| known.name() == name)
            .unwrap();
        schema
            .as_ref()
            .unwrap()
            .fits(&serde_json::from_str(text).unwrap())
    };
    assert!(
        fits("s.first_alias", r#"{"alpha":1}"#),
        "a field may be missing"
    );
    for wrong in [
        r#"{"zeta":1}"#,
        r#"{"alpha":"1"}"#,
        r#"{"alpha":1,"other":2}"#,
        r#"[1,"b"]"#,
        r#"{"alpha":1,"beta":null}"#,
    ] {
        assert!(!fits("s.first_alias", wrong), "{wrong}");
    }
    assert!(fits("s.transparent", r#"{"go":3}"#) && fits("s.transparent", r#""Idle""#));
    for wrong in [
        r#""go""#,
        r#"{"Idle":null}"#,
        r#"{"run":3}"#,
        r#"{"go":true}"#,
        r#"{"Pair":[1]}"#,
        r#"{"go":3,"Idle":1}"#,
        "null",
    ] {
        assert!(!fits("s.transparent", wrong), "{wrong}");
    }
    assert!(!fits("s.odd_keys", r#"{"by_entity":{"x":1}}"#));
    assert!(fits(
        "s.odd_keys",
        r#"{"by_entity":{"0v1":1},"map":[[[1,true],null]]}"#
    ));
}
