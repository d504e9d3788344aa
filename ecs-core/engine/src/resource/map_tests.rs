//! Tests of the map of resources.

use super::*;
use alloc::string::String;
use alloc::string::ToString;

#[test]
fn inserting_twice_returns_the_old_value() {
    let mut map = ResourceMap::new();
    assert_eq!(map.insert(1_u8), None);
    assert_eq!(map.insert(2_u8), Some(1));
    assert_eq!(map.len(), 1);
    assert_eq!(map.remove::<u8>(), Some(2));
    assert!(map.is_empty());
}

#[test]
fn the_error_names_a_missing_value() {
    let error = ResourceMap::new().try_borrow::<u64>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "no resource `u64`; help: insert it with `insert_resource`"
    );
}

#[test]
fn the_error_names_a_borrowed_value_until_the_guard_is_dropped() {
    let mut map = ResourceMap::new();
    map.insert(1_u8);
    let guard = map.borrow_mut::<u8>();
    let error = map.try_borrow::<u8>().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("resource `u8` cannot be read now"),
        "{error}"
    );
    drop(guard);
    assert_eq!(*map.borrow::<u8>(), 1);
}

#[test]
fn a_cloned_handle_holds_a_borrow_of_its_own() {
    let mut map = ResourceMap::new();
    map.insert(String::from("a"));
    let one = map.borrow::<String>();
    let two = Res::clone(&one);
    let value: String = one.clone();
    drop(one);
    assert!(map.try_borrow_mut::<String>().is_err());
    assert_eq!(*two, value);
    drop(two);
    assert!(map.try_borrow_mut::<String>().is_ok());
}

#[test]
fn different_values_are_borrowed_mutably_at_once() {
    let mut map = ResourceMap::new();
    map.insert(1_u8);
    map.insert(String::new());
    let (mut number, mut text) = (map.borrow_mut::<u8>(), map.borrow_mut::<String>());
    *number += 1;
    text.push('x');
    assert_eq!((*number, text.as_str()), (2, "x"));
}

#[test]
fn a_borrower_sees_changes_since_it_last_looked() {
    let mut map = ResourceMap::new();
    map.insert(1_u8);
    map.insert(1_u16);
    let (mut reader, mut writer) = (Tick::START, Tick::START);
    let look = |map: &ResourceMap, last: &mut Tick| {
        let res = map.borrow_since::<u8>(last).unwrap();
        (res.reborrow().is_added(), res.is_changed())
    };
    assert_eq!(look(&map, &mut reader), (true, true));
    assert_eq!(look(&map, &mut reader), (false, false));
    let mut res = map.borrow_mut_since::<u8>(&mut writer).unwrap();
    assert!(res.is_added());
    assert_eq!(*res, 1);
    *res.bypass() = 2;
    assert!(!res.set_if_neq(2));
    drop(res);
    assert_eq!(look(&map, &mut reader), (false, false), "read and bypassed");
    let mut res = map.borrow_mut_since::<u8>(&mut writer).unwrap();
    assert!(!res.is_changed());
    *res.reborrow() += 1;
    drop(res);
    *map.borrow_mut::<u16>() += 1;
    assert_eq!(look(&map, &mut reader), (false, true));
    assert_eq!(look(&map, &mut writer), (false, false), "its own change");
    assert!(map.borrow_mut::<u8>().set_if_neq(7));
    *map.get_mut::<u8>().unwrap() += 1;
    assert_eq!(look(&map, &mut writer), (false, true));
    map.insert(1_u8);
    assert_eq!(look(&map, &mut reader), (true, true));
    assert_eq!(look(&map, &mut reader), (false, false));
    assert!(map.borrow::<u8>().is_changed() && map.borrow::<u8>().is_changed());
}

#[test]
fn the_map_is_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<ResourceMap>();
}
