//! Sorting of short lists.
//!
//! The standard library's sorts are made for lists of any length: each element type and key adds about two thousand lines of
//! the compiler's intermediate code to a build. Lists of about ten ids do not need them. Where a list may be longer, a plain
//! merge sort is fast enough.

/// Sorts a list by a key. The sort is stable, and made for lists that are short or nearly sorted.
///
/// O(length) if the list is sorted, and at most O(length * log^2 length).
pub(crate) fn sort_short<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    sort_part(list, &key);
}

fn sort_part<T, K: Ord>(list: &mut [T], key: &impl Fn(&T) -> K) {
    const SHORT: usize = 16;
    if list.len() > SHORT {
        let middle = list.len() / 2;
        sort_part(&mut list[..middle], key);
        sort_part(&mut list[middle..], key);
        merge(list, middle, key);
        return;
    }
    for end in 1..list.len() {
        let mut at = end;
        while at > 0 && key(&list[at]) < key(&list[at - 1]) {
            list.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Merges two sorted parts of a list, without memory: half of the longer part is placed, then both sides of it are merged.
fn merge<T, K: Ord>(list: &mut [T], middle: usize, key: &impl Fn(&T) -> K) {
    if middle == 0 || middle == list.len() || key(&list[middle - 1]) <= key(&list[middle]) {
        return;
    }
    let (start, end) = if middle > list.len() / 2 {
        let start = middle / 2;
        let pivot = key(&list[start]);
        let smaller = list[middle..].partition_point(|one| key(one) < pivot);
        (start, middle + smaller)
    } else {
        let end = middle + (list.len() - middle).div_ceil(2);
        let pivot = key(&list[end - 1]);
        let before = list[..middle].partition_point(|one| key(one) <= pivot);
        (before, end)
    };
    list[start..end].rotate_left(middle - start);
    let placed = start + (end - middle);
    let (left, right) = list.split_at_mut(placed);
    merge(left, start, key);
    merge(right, middle - start, key);
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
