use super::*;
use std::rc::Rc;

#[test]
fn values_are_borrowed_replaced_and_removed_on_their_thread() {
    let mut map = NonSendMap::default();
    let value = Rc::new(5);
    assert_eq!(map.insert(value.clone()), Ok(None));
    **map.borrow_mut::<Rc<i32>>().as_mut().unwrap() = Rc::new(6);
    assert_eq!(Rc::strong_count(&value), 1);
    let (one, two) = (map.borrow::<Rc<i32>>().unwrap(), map.borrow::<Rc<i32>>());
    assert_eq!((**one, two.map(|two| **two)), (6, Ok(6)));
    drop(one);
    assert_eq!(map.insert(value.clone()), Ok(Some(Rc::new(6))));
    assert_eq!(map.remove(), Ok(Some(value)));
    assert_eq!(map.remove::<Rc<i32>>(), Ok(None));
}

#[test]
fn other_threads_cannot_access_the_value() {
    let mut map = NonSendMap::default();
    let value = Rc::new(5);
    map.insert(value.clone()).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            assert!(map.borrow::<Rc<i32>>().is_err());
            assert!(map.borrow_mut::<Rc<i32>>().is_err());
            assert!(map.remove::<Rc<i32>>().is_err());
            assert!(map.insert(Rc::new(6)).is_err());
            // Values that this thread inserts are dropped on it.
            map.insert(Box::new(Rc::new(7))).unwrap();
            map.remove::<Box<Rc<i32>>>().unwrap();
        });
    });
    assert_eq!(map.borrow::<Rc<i32>>().map(|v| **v), Ok(5));
    drop(map);
    assert_eq!(Rc::strong_count(&value), 1);
}

#[test]
fn a_sendable_handle_releases_its_borrow_on_any_thread() {
    let mut map = NonSendMap::default();
    map.insert(5).unwrap();
    let (reader, other) = (map.borrow::<i32>().unwrap(), map.borrow::<i32>().unwrap());
    thread::scope(|scope| _ = scope.spawn(move || drop((reader, other))));
    let mut writer = map.borrow_mut::<i32>().unwrap();
    thread::scope(|scope| _ = scope.spawn(move || *writer += 1));
    assert_eq!(map.borrow::<i32>().map(|v| *v), Ok(6));
}

#[test]
fn a_map_dropped_on_another_thread_leaks_the_value() {
    let mut map = NonSendMap::default();
    let value = Rc::new(5);
    map.insert(value.clone()).unwrap();
    thread::spawn(move || drop(map)).join().unwrap();
    assert_eq!(Rc::strong_count(&value), 2);
}
