use alloc::vec::Vec;

use super::*;

/// Finds a cycle among edges from each number to another one.
fn cycle_of(parents: &[Option<usize>], starts: &[usize]) -> Option<usize> {
    let mut met = vec![0; parents.len()];
    let visit = |at: usize, walk| core::mem::replace(&mut met[at], walk);
    find_cycle(starts.iter().copied(), |at| parents[at], visit)
}

#[test]
fn a_cycle_is_found_from_each_entity_that_leads_into_it() {
    let parents = [Some(1), Some(2), Some(1), None, Some(3), Some(5)];
    assert_eq!(
        cycle_of(&parents, &[0]),
        Some(1),
        "the walk enters the cycle at 1"
    );
    assert_eq!(cycle_of(&parents, &[4, 3, 2]), Some(2));
    assert_eq!(
        cycle_of(&parents, &[5]),
        Some(5),
        "an edge to itself is a cycle"
    );
    assert_eq!(cycle_of(&parents, &[3, 4, 4]), None);
}

#[test]
fn each_entity_is_left_once() {
    let parents: Vec<Option<usize>> = (0..1000_usize).map(|at| at.checked_sub(1)).collect();
    let (mut met, left) = (vec![0; 1000], core::cell::Cell::new(0));
    let visit = |at: usize, walk| core::mem::replace(&mut met[at], walk);
    let parent_of = |at: usize| {
        left.set(left.get() + 1);
        parents[at]
    };
    assert_eq!(find_cycle(0..1000, parent_of, visit), None);
    assert_eq!(left.get(), 1000);
}
