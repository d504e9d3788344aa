//! Sorting by numbers and by texts.
//!
//! The standard library's sorts are made for lists of any type: each type and key adds about two thousand lines of the compiler's
//! intermediate code to a build. Here all lists share one sort of numbers, and one of texts.

use alloc::string::String;
use alloc::vec::Vec;

/// Sorts a list by a number. The sort is stable, and does not allocate for lists of up to 16 elements.
///
/// O(length) if the list is sorted, and at most O(length * log length).
pub(crate) fn sort_by_number<T>(list: &mut [T], number: impl Fn(&T) -> u64) {
    const SHORT: usize = 16;
    if list.len() > SHORT {
        let mut numbers = Vec::with_capacity(list.len());
        for one in &*list {
            numbers.push((number(one), numbers.len()));
        }
        return arrange(list, order_of(numbers));
    }
    for end in 1..list.len() {
        let mut at = end;
        while at > 0 && number(&list[at]) < number(&list[at - 1]) {
            list.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Sorts a list by a text. The sort is stable.
pub(crate) fn sort_by_text<T>(list: &mut [T], text: impl Fn(&T) -> String) {
    let mut texts = Vec::with_capacity(list.len());
    for one in &*list {
        texts.push((text(one), texts.len()));
    }
    arrange(list, order_of(texts));
}

/// Returns the places of keys, in the order of the keys.
fn order_of<K: Ord>(mut keys: Vec<(K, usize)>) -> Vec<usize> {
    // Equal keys have different places, in order.
    keys.sort_unstable();
    keys.into_iter().map(|(_, place)| place).collect()
}

/// Puts a list in an order: first the element at the first place of `order`, and so on.
fn arrange<T>(list: &mut [T], order: Vec<usize>) {
    for at in 0..list.len() {
        // An element whose place was taken before is where the element of that place came from.
        let mut from = order[at];
        while from < at {
            from = order[from];
        }
        list.swap(at, from);
    }
}

/// The first element that equals an earlier one. For short lists: O(length^2).
pub(crate) fn first_duplicate<T: PartialEq>(list: &[T]) -> Option<&T> {
    for n in 1..list.len() {
        if list[..n].contains(&list[n]) {
            return Some(&list[n]);
        }
    }
    None
}

#[cfg(test)]
#[path = "sort_tests.rs"]
mod tests;
