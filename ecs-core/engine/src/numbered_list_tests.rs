use std::collections::BTreeMap;

use super::NumberedList;
use crate::test_random::random_from;

#[test]
fn holds_what_a_map_by_number_holds() {
    let mut random = random_from(7);
    for _ in 0..50 {
        let mut list = NumberedList::default();
        let mut model = BTreeMap::new();
        let mut next = 0;
        for _ in 0..300 {
            match random(3) {
                0 => {
                    next += 1 + random(3) as u64;
                    list.push(next, next * 10);
                    model.insert(next, next * 10);
                }
                // The oldest one, or any number, which may have no value.
                1 => {
                    let oldest = model.keys().next().copied().unwrap_or(1);
                    assert_eq!(list.remove(oldest), model.remove(&oldest));
                }
                _ => {
                    let number = random(next as usize + 2) as u64;
                    assert_eq!(list.get(number), model.get(&number));
                    assert_eq!(list.get_mut(number), model.get_mut(&number));
                    assert_eq!(list.remove(number), model.remove(&number));
                }
            }
            assert_eq!(list.len(), model.len());
            assert!(
                list.iter()
                    .eq(model.iter().map(|(number, value)| (*number, value)))
            );
            assert!(list.values_mut().eq(model.values_mut()));
            assert_eq!(
                list.iter().next_back().map(|(number, _)| number),
                model.keys().next_back().copied()
            );
        }
    }
}

#[test]
fn values_that_leave_in_the_order_of_insertion_are_passed_once() {
    let mut list = NumberedList::default();
    for number in 0..100_000 {
        list.push(number, ());
    }
    let mut passed = 0;
    for number in 0..100_000 {
        let places = list.places.iter().skip(list.first);
        passed += places.take_while(|(_, value)| value.is_none()).count();
        assert_eq!(list.iter().next(), Some((number, &())));
        list.remove(number);
        assert!(list.places.len() <= 2 * list.len() + 1);
    }
    assert_eq!(passed, 0);
}
