//! The texts of shapes.

use std::collections::{BTreeMap, HashSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::sample::Sample;
use crate::codec::{Codec, Form, Names, fits};

fn shape<T: Serialize + DeserializeOwned + 'static>() -> String {
    let (form, shape) = Codec::of::<T>().form_and_shape(false);
    assert_eq!(form == Form::Tree, shape.is_empty());
    shape
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
    assert_eq!(shape::<Partly>(), "{a:u8,checked:str,b:_}");
    assert_eq!(shape::<Sample>(), shape::<Sample>());
}

#[test]
fn a_shape_fits_itself_and_shapes_with_more_variants_and_aliases() {
    let own = shape::<Outer>();
    for names in [Names::Matter, Names::Ignored] {
        let fits = |saved, current| fits(saved, current, names);
        assert!(fits(&own, &own) && fits("<A>", "<A,B>") && !fits("<A,B>", "<A>"));
        assert!(fits("{a:u8,b:u8}", "{z|a:u8,b:u8}") && fits("{z|a:u8,b:u8}", "{a:u8,b:u8}"));
        assert!(!fits("{b:u8,a:u8}", "{z|a:u8,b:u8}"));
        assert!(
            !fits("<A,B>", "<A,C,B>") && fits("<A,B>", "<A|Z,B,C>") && !fits("<A,B>", "<A|C,D,B>")
        );
        assert!(fits("{a:_}", "{a:[u8]}") && !fits("{a:[u8]}", "{a:[i8]}"));
        assert_eq!(fits("@Feet(f32)", "@Meters(f32)"), names == Names::Ignored);
        assert!(fits("<A(#0),B>", "<A(#0),B,C>"));
    }
}

#[test]
fn texts_that_are_no_shapes_fit_nothing() {
    let own = shape::<Outer>();
    for end in (1..own.len()).filter(|&end| own.is_char_boundary(end)) {
        assert!(!fits(&own[..end], &own, Names::Matter), "{}", &own[..end]);
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
        assert!(!fits(text, &own, Names::Matter));
    }
    let many = format!("<{}A>", "A,".repeat(100_000));
    assert!(!fits(&many, &own, Names::Matter));
}
