//! Sorting of short lists.
//!
//! The standard library's sorts are made for lists of any length: each element type and key adds about two thousand
//! lines of the compiler's intermediate code to a build. Lists of about ten ids do not need them.

/// Sorts a short or nearly sorted list with a stable insertion sort.
///
/// O(length * the distance that elements move).
pub(crate) fn sort_short<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..list.len() {
        let mut at = end;
        while at > 0 && key(&list[at]) < key(&list[at - 1]) {
            list.swap(at, at - 1);
            at -= 1;
        }
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
mod tests {
    use super::*;

    #[test]
    fn equal_elements_keep_their_order() {
        let mut list = [(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd'), (1, 'e')];
        sort_short(&mut list, |&(number, _)| number);
        assert_eq!(list, [(1, 'b'), (1, 'e'), (2, 'd'), (3, 'a'), (3, 'c')]);
        sort_short(&mut [(); 0], |()| 0);
    }

    #[test]
    fn the_first_duplicate_is_found() {
        assert_eq!(first_duplicate(&[3, 1, 2, 1, 3]), Some(&1));
        assert_eq!(first_duplicate(&[1, 2, 3]), None);
        assert_eq!(first_duplicate(&[0; 0]), None);
    }
}
