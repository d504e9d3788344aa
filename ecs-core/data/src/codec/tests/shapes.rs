//! The texts of shapes.

use std::collections::{BTreeMap, HashSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::sample::Sample;
use crate::Value;
use crate::codec::{Codec, Encoder, Form, NameRole, fits};

fn shape<T: Serialize + DeserializeOwned + 'static>() -> String {
    let found = Codec::of::<T>().find_out(false);
    assert_eq!(found.form == Form::Tree, found.shape.is_empty());
    found.shape.to_string()
}

#[derive(Serialize, Deserialize)]
enum Outer {
    Nothing,
    One(Option<Inner>),
    More(Vec<Outer>),
    Odd {
        #[serde(rename = "a:b|c")]
        a: u8,
    },
}

#[derive(Serialize, Deserialize)]
enum Inner {
    First,
    Second(Innermost),
}

#[derive(Serialize, Deserialize)]
enum Innermost {
    A,
    B(i8, char),
    C { flag: bool },
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", content = "value")]
enum Adjacent {
    Small(u8),
    Inner(Inner),
    Many(Vec<Innermost>),
}

/// A text that has to be a number.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[derive(Clone)]
struct Checked(u8);

impl TryFrom<String> for Checked {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl From<Checked> for String {
    fn from(checked: Checked) -> Self {
        checked.0.to_string()
    }
}

#[derive(Serialize, Deserialize)]
struct Partly {
    a: u8,
    checked: Checked,
    b: Inner,
}

/// A number with only one possible value.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
struct Only<const N: u64>;

impl<const N: u64> TryFrom<u64> for Only<N> {
    type Error = String;

    fn try_from(number: u64) -> Result<Self, String> {
        match number == N {
            true => Ok(Self),
            false => Err(format!("{number} instead of {N}")),
        }
    }
}

impl<const N: u64> From<Only<N>> for u64 {
    fn from(_: Only<N>) -> Self {
        N
    }
}

#[derive(Serialize, Deserialize)]
struct Refusing {
    first: Only<77>,
    pair: (u8, Only<2>),
    list: Vec<Only<0>>,
    by_key: BTreeMap<u8, Only<200>>,
    outer: RefusingOuter,
    last: Inner,
}

#[derive(Serialize, Deserialize)]
enum RefusingOuter {
    One(Only<3>, Innermost),
    Two {
        only: Option<Only<4>>,
        other: Innermost,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(try_from = "(u8, u8)")]
struct Span {
    from: u8,
    to: u8,
}

impl TryFrom<(u8, u8)> for Span {
    type Error = &'static str;

    fn try_from((from, to): (u8, u8)) -> Result<Self, Self::Error> {
        (from < to)
            .then_some(Self { from, to })
            .ok_or("it is empty")
    }
}

/// A type that refuses all made-up values.
#[derive(Serialize, Deserialize)]
struct Unknown<T> {
    only: Only<1_000_003>,
    next: T,
}

#[test]
fn what_is_behind_a_value_that_is_refused_is_known() {
    let innermost = "<A,B(i8,char),C{flag:bool}>";
    assert_eq!(
        shape::<Refusing>(),
        format!(
            "{{first:u64,pair:(u8,u64),list:[u64],by_key:{{u8=u64}},\
             outer:<One(u64,{innermost}),Two{{only:?u64,other:#2}}>,last:<First,Second(#2)>}}"
        )
    );
    assert_eq!(
        shape::<(Span, std::net::IpAddr, Inner)>(),
        format!(
            "((u8,u8),<V4(u8,u8,u8,u8),V6({})>,<First,Second({innermost})>)",
            ["u8"; 16].join(",")
        )
    );
    assert_eq!(shape::<Unknown<Inner>>(), "{only:u64,next:_}");
}

#[test]
fn real_values_tell_what_is_behind_a_value_that_is_refused() {
    fn shape_with<T: Serialize + DeserializeOwned + 'static>(values: &[T]) -> String {
        let mut encoder = Encoder::new();
        encoder.values(values).unwrap();
        let codec = Codec::of::<T>();
        let found = codec.find_out(false);
        assert!(found.is_partial());
        let found = codec.find_more(found, encoder.bytes());
        assert_eq!(found.form == Form::Tree, found.shape.is_empty());
        found.shape.to_string()
    }
    fn unknown<T>(next: T) -> Unknown<T> {
        let only = Only;
        Unknown { only, next }
    }
    let one = || Inner::Second(Innermost::C { flag: true });
    assert_eq!(
        shape_with(&[unknown(one())]),
        "{only:u64,next:<First,Second(<A,B(i8,char),C{flag:bool}>)>}"
    );
    // Elements without bytes, in lists and maps.
    let lists = (
        vec![(), ()],
        vec![vec![()], vec![]],
        BTreeMap::from([((), vec![((), ())])]),
        7_i8,
    );
    assert_eq!(
        shape_with(&[unknown(lists)]),
        "{only:u64,next:([unit],[[unit]],{unit=[(unit,unit)]},i8)}"
    );
    let numbers = (
        -1_i8,
        -2_i64,
        u128::MAX,
        1.5_f32,
        f64::NAN,
        'x',
        true,
        "text".to_owned(),
        Some(Adjacent::Small(3)),
    );
    assert_eq!(
        shape_with(&[unknown(numbers)]),
        "{only:u64,next:(i8,i64,u128,f32,f64,char,bool,str,?<Small(u8),Inner(<First,Second(<A,B(i8,char),C{flag:bool}>)>),Many([#3])>)}"
    );
    // Only the first values are looked at.
    let many: Vec<_> = (0..2000).map(|_| unknown(one())).collect();
    assert_eq!(shape_with(&many), shape_with(&many[..1]));
}

#[test]
fn bytes_of_other_types_tell_nothing_wrong() {
    let codec = Codec::of::<Unknown<Outer>>();
    let mut bytes = 1_000_003_u64.to_le_bytes().to_vec();
    for byte in [0, 1, 2, 3, 4, 255] {
        bytes.resize(5000, byte);
        for len in (0..40).chain([5000]) {
            let found = codec.find_more(codec.find_out(false), &bytes[..len]);
            let own = format!("{{only:u64,next:{}}}", shape::<Outer>().replace("#0", "#1"));
            assert!(
                fits(&own, &found.shape, NameRole::Matter),
                "{}",
                found.shape
            );
        }
        bytes.truncate(8);
    }
}

#[test]
fn shapes_are_these_texts() {
    assert_eq!(shape::<u8>(), "u8");
    assert_eq!(shape::<()>(), "unit");
    assert_eq!(shape::<(f32, [i64; 2])>(), "(f32,(i64,i64))");
    assert_eq!(
        shape::<BTreeMap<String, Option<HashSet<u128>>>>(),
        "{str=?[u128]}"
    );
    let innermost = "<A,B(i8,char),C{flag:bool}>";
    let inner = format!("<First,Second({innermost})>");
    assert_eq!(
        shape::<Outer>(),
        format!("<Nothing,One(?{inner}),More([#0]),Odd{{a\\:b\\|c:u8}}>")
    );
    assert_eq!(
        shape::<Adjacent>(),
        format!("<Small(u8),Inner({inner}),Many([#2])>")
    );
    assert_eq!(shape::<Partly>(), format!("{{a:u8,checked:str,b:{inner}}}"));
    assert_eq!(shape::<Sample>(), shape::<Sample>());
}

#[test]
fn a_shape_fits_itself_and_shapes_with_more_variants_and_aliases() {
    let own = shape::<Outer>();
    for names in [NameRole::Matter, NameRole::Ignored] {
        let fits = |saved, current| fits(saved, current, names);
        assert!(fits(&own, &own) && fits("<A>", "<A,B>") && !fits("<A,B>", "<A>"));
        assert!(fits("{a:u8,b:u8}", "{z|a:u8,b:u8}") && fits("{z|a:u8,b:u8}", "{a:u8,b:u8}"));
        assert!(!fits("{b:u8,a:u8}", "{z|a:u8,b:u8}"));
        assert!(
            !fits("<A,B>", "<A,C,B>") && fits("<A,B>", "<A|Z,B,C>") && !fits("<A,B>", "<A|C,D,B>")
        );
        assert!(fits("{a:_}", "{a:[u8]}") && !fits("{a:[u8]}", "{a:[i8]}"));
        assert_eq!(
            fits("@Feet(f32)", "@Meters(f32)"),
            names == NameRole::Ignored
        );
        assert!(fits("<A(#0),B>", "<A(#0),B,C>"));
    }
}

#[test]
fn texts_that_are_no_shapes_fit_nothing() {
    let own = shape::<Outer>();
    for end in (1..own.len()).filter(|&end| own.is_char_boundary(end)) {
        assert!(
            !fits(&own[..end], &own, NameRole::Matter),
            "{}",
            &own[..end]
        );
    }
    let deep = "[".repeat(1_000_000);
    for text in [
        "",
        "#0",
        "#9999999999999999999999",
        "{",
        "@",
        "u8,",
        "()",
        "\\",
        deep.as_str(),
    ] {
        assert!(!fits(text, &own, NameRole::Matter));
    }
    let many = format!("<{}A>", "A,".repeat(100_000));
    assert!(!fits(&many, &own, NameRole::Matter));
}

/// Returns the names in the first of some trees that loses something, and the names that are left.
fn lost<T: Serialize + DeserializeOwned + 'static>(trees: &[Value]) -> Option<String> {
    let mut encoder = Encoder::new();
    trees.iter().for_each(|tree| encoder.tree(tree).unwrap());
    let lost = Codec::of::<T>().lost(encoder.bytes())?;
    Some(format!("{} | {}", lost.found, lost.current))
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "t")]
enum Named {
    A {
        #[serde(alias = "old")]
        new: Option<u8>,
        #[serde(default)]
        more: Option<Box<Named>>,
    },
}

fn tree(parts: impl Serialize) -> Value {
    Value::of(&parts).unwrap()
}

#[test]
fn each_tree_is_looked_at_for_a_part_that_is_not_read() {
    let a = |parts: &[(&str, Value)]| {
        let parts = parts.iter().cloned();
        std::iter::once(("t", "A".into())).chain(parts).collect()
    };
    let one = || Value::from(1);
    let [new, old]: [Value; 2] = ["new", "old"].map(|key| a(&[(key, one())]));
    let other = || -> Value { a(&[("other", one())]) };
    let none = || -> Value { a(&[("other", Value::Null)]) };
    assert_eq!(lost::<Named>(&[new.clone(), old.clone(), none()]), None);
    let names = "{t,other} | {t,new,more}";
    assert_eq!(lost::<Named>(&[new, old.clone(), other()]).unwrap(), names);
    assert_eq!(
        lost::<Named>(&[a(&[("old", one()), ("other", one())])]).unwrap(),
        "{t,old,other} | {t,new,more}",
        "one new key is the alias of one"
    );
    assert_eq!(
        lost::<Named>(&[none(), a(&[("more", other())])]).unwrap(),
        "{t,more:{t,other}} | {t,new,more:{t,new,more}}"
    );
    // A value that cannot be read is an error when it is read, and the values after it are looked at too.
    assert_eq!(lost::<Named>(&[tree(1), old]), None);
    assert_eq!(lost::<Named>(&[tree(1), other()]).unwrap(), names);
}

#[test]
fn sets_and_maps_without_an_order_lose_nothing() {
    #[derive(PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Either {
        A { a: u8 },
        B { b: u8 },
        Both(Vec<Either>),
    }
    let either = |n: u8| match n % 3 {
        0 => Either::A { a: n },
        1 => Either::B { b: n },
        _ => Either::Both(vec![Either::A { a: n }, Either::B { b: n }]),
    };
    let set = || (0..40).map(either).collect::<HashSet<_>>();
    for _ in 0..20 {
        let tree = tree((set(), vec![set(), set()]));
        assert_eq!(
            lost::<(HashSet<Either>, Vec<HashSet<Either>>)>(&[tree]),
            None
        );
    }
}

#[test]
fn large_trees_are_compared_in_a_time_in_proportion_to_them() {
    #[derive(Serialize, Deserialize)]
    struct Flat {
        #[serde(flatten)]
        rest: Rest,
    }
    #[derive(Serialize, Deserialize)]
    struct Rest {
        all: Option<Vec<u32>>,
    }
    let many: BTreeMap<String, u32> = (0..100_000).map(|n| (n.to_string(), n)).collect();
    let found = lost::<Flat>(&[tree(many)]).unwrap();
    assert!(found.ends_with("99999} | {all}"));
}
