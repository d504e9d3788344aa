//! Tests of `erased_mut.rs`.

use alloc::string::String;

use super::*;
use crate::tick::Tick;

#[test]
fn values_are_found_by_their_types() {
    let mut map = ResourceMap::new();
    map.insert(7_u8);
    map.insert(String::from("a"));
    let [number, text] = [TypeId::of::<u8>(), TypeId::of::<String>()];
    assert_eq!(
        map.types(),
        [(number, "u8"), (text, "alloc::string::String")]
    );
    assert!(
        map.try_borrow_erased(TypeId::of::<u16>())
            .unwrap()
            .is_none()
    );
    let value = map.try_borrow_erased(number).unwrap().unwrap();
    assert_eq!(value.downcast_ref(), Some(&7_u8));
    let error = map.try_borrow_mut_erased(number).unwrap_err();
    assert_eq!(error, map.try_borrow_mut::<u8>().unwrap_err());
    let mut other = map.try_borrow_mut_erased(text).unwrap().unwrap();
    other.downcast_mut::<String>().unwrap().push('b');
    let error = map.try_borrow_erased(text).unwrap_err();
    assert_eq!(error, map.try_borrow::<String>().unwrap_err());
    drop((value, other));
    assert_eq!(*map.borrow::<String>(), "ab");
}

#[test]
fn a_write_counts_as_a_change_and_a_borrow_does_not() {
    let mut map = ResourceMap::new();
    map.insert(1_u8);
    let mut last = Tick::START;
    let mut is_changed =
        |map: &ResourceMap| map.borrow_since::<u8>(&mut last).unwrap().is_changed();
    assert!(is_changed(&map));
    let borrowed = map
        .try_borrow_mut_erased(TypeId::of::<u8>())
        .unwrap()
        .unwrap();
    assert!(borrowed.downcast_ref::<u8>().is_some());
    drop(borrowed);
    assert!(!is_changed(&map));
    let mut borrowed = map
        .try_borrow_mut_erased(TypeId::of::<u8>())
        .unwrap()
        .unwrap();
    *borrowed.downcast_mut::<u8>().unwrap() += 1;
    drop(borrowed);
    assert!(is_changed(&map) && !is_changed(&map));
}

#[test]
fn a_value_that_is_only_looked_at_does_not_count_as_changed() {
    let mut map = ResourceMap::new();
    map.insert(5_u32);
    let moment = map.moment();
    assert_eq!(map.bypass::<u32>(), Some(&mut 5));
    assert_eq!(map.bypass::<u64>(), None);
    assert_eq!(map.moment(), moment);
    let mut written = Vec::new();
    map.written_since(moment, &mut written);
    assert!(written.is_empty());
}

#[test]
fn an_inserted_value_has_its_type() {
    let mut map = ResourceMap::new();
    assert!(map.insert_erased("a number", Box::new(3_u32)).is_none());
    assert_eq!(map.types(), [(TypeId::of::<u32>(), "a number")]);
    assert_eq!(*map.borrow::<u32>(), 3);
    let old = map.insert_erased("a number", Box::new(4_u32)).unwrap();
    assert_eq!(old.downcast_ref(), Some(&3_u32));
    assert_eq!(map.insert(5_u32), Some(4));
    let removed = map.remove_erased(TypeId::of::<u32>()).unwrap();
    assert_eq!(removed.downcast_ref(), Some(&5_u32));
    assert!(map.is_empty() && map.remove_erased(TypeId::of::<u32>()).is_none());
}
