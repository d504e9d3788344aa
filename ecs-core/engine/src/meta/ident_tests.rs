//! Tests of the identities of types.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::vec::Vec;
use std::collections::{HashMap, HashSet};

use super::*;

/// The texts resemble places: alike, of many lengths, and different in one or two characters.
#[test]
fn places_that_are_alike_have_different_hashes() {
    let mut seen = HashMap::new();
    for module in [
        "game",
        "game::physics",
        "a_long_crate::with::modules::deep::down",
    ] {
        for name in ["A", "B", "Ab", "Ba", "Velocity", "ComponentWithALongName"] {
            for (line, column) in (0..400).flat_map(|line| [(line, 10), (line, 19)]) {
                let place = format!("{module}::{name}@{line}:{column};1.0.0");
                let hash = hash_128(0, &place);
                assert_eq!(seen.insert(hash, place), None);
            }
        }
    }
    for text in ["", "\0", "\0\0", "0123456789abcdef", "0123456789abcdef\0"] {
        assert_eq!(seen.insert(hash_128(0, text), text.to_owned()), None);
    }
    let halves: HashSet<u64> = seen.keys().map(|hash| *hash as u64).collect();
    assert_eq!(
        halves.len(),
        seen.len(),
        "the lower halves of the hashes differ"
    );
}

#[test]
fn exact_idents_are_decided_by_the_constant() {
    const A: ConstTypeId = ConstTypeIdOf::<u8>::exact("crate::A@1:1;1.0", "crate::A").ident();
    const B: ConstTypeId = ConstTypeIdOf::<u16>::exact("crate::B@2:1;1.0", "crate::B").ident();
    const SAME: Option<bool> = A.const_eq(&A);
    const DIFFERENT: Option<bool> = A.const_eq(&B);
    assert_eq!(SAME, Some(true));
    assert_eq!(DIFFERENT, Some(false));
    assert_ne!(A, B);
}

#[test]
fn a_given_name_is_shown_and_does_not_change_equality() {
    const PATH: ConstTypeIdOf<u8> = ConstTypeIdOf::exact("crate::A@1:1;1.0", "crate::A");
    const OTHER: ConstTypeIdOf<u16> = ConstTypeIdOf::exact("crate::B@2:1;1.0", "crate::B");
    let (one, two) = (PATH.called("a").ident(), OTHER.called("a").ident());
    assert_eq!(
        (PATH.given_name(), PATH.called("a").given_name()),
        (None, Some("a"))
    );
    assert_eq!((one.name(), one.type_name()), ("a", "a"));
    assert_eq!(one.const_eq(&two), Some(false));
    assert_eq!(one.const_eq(&PATH.ident()), Some(true));
    assert_ne!(one, two);
    assert_eq!(one, PATH.ident());
}

#[test]
fn generic_types_with_different_heads_are_different() {
    const LIST: ConstTypeId = ConstTypeIdOf::<Vec<u8>>::generic("Vec", "Vec").ident();
    const BOX: ConstTypeId = ConstTypeIdOf::<Box<u8>>::generic("Box", "Box").ident();
    const PLAIN: ConstTypeId = ConstTypeIdOf::<u8>::exact("u8", "u8").ident();
    const OPAQUE: ConstTypeId = ConstTypeIdOf::<u16>::opaque().ident();
    assert_eq!(LIST.const_eq(&BOX), Some(false));
    assert_eq!(LIST.const_eq(&PLAIN), Some(false));
    assert_eq!(OPAQUE.const_eq(&PLAIN), Some(false));
    assert_eq!(OPAQUE.const_eq(&OPAQUE), None);
}

#[test]
fn generic_idents_are_undecided_until_run_time() {
    const A: ConstTypeId = ConstTypeIdOf::<Vec<u8>>::generic("Vec", "Vec").ident();
    const B: ConstTypeId = ConstTypeIdOf::<Vec<u16>>::generic("Vec", "Vec").ident();
    const EQUAL: Option<bool> = A.const_eq(&B);
    assert_eq!(EQUAL, None);
    assert_ne!(A, B);
    assert_eq!(A, A);
}
