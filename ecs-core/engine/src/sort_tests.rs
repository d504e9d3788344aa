use alloc::vec::Vec;

use super::*;

#[test]
fn equal_elements_keep_their_order() {
    let mut list = [(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd'), (1, 'e')];
    sort_by_number(&mut list, |&(number, _)| number);
    assert_eq!(list, [(1, 'b'), (1, 'e'), (2, 'd'), (3, 'a'), (3, 'c')]);
    sort_by_number(&mut [(); 0], |()| 0);
}

#[test]
fn long_lists_are_sorted_like_short_ones() {
    let mut next = 1_u32;
    for len in 0..200 {
        let mut list: Vec<(u32, usize)> = Vec::new();
        for at in 0..len {
            next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            list.push(((next >> 20) % (1 + len as u32 / 3), at));
        }
        let mut expected = list.clone();
        expected.sort_by_key(|&(key, _)| key);
        sort_by_number(&mut list, |&(key, _)| u64::from(key));
        assert_eq!(list, expected);
    }
}

#[test]
fn texts_are_sorted_and_equal_ones_keep_their_order() {
    let mut list = [
        ("pear", 1),
        ("apple", 2),
        ("pear", 3),
        ("", 4),
        ("apple", 5),
    ];
    sort_by_text(&mut list, |&(text, _)| text.into());
    let expected = [
        ("", 4),
        ("apple", 2),
        ("apple", 5),
        ("pear", 1),
        ("pear", 3),
    ];
    assert_eq!(list, expected);
}

#[test]
fn the_first_duplicate_is_found() {
    assert_eq!(first_duplicate(&[3, 1, 2, 1, 3]), Some(&1));
    assert_eq!(first_duplicate(&[1, 2, 3]), None);
    assert_eq!(first_duplicate(&[0; 0]), None);
}
