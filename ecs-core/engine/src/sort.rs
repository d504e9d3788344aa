//! Sorting of short lists.
//!
//! The sorts of the standard library are made for lists of any length. Each type of element and each key costs a build
//! some two thousand lines of the compiler's intermediate code, and a list of ten ids is worth none of them.

/// Sorts a list that is short, or nearly sorted; equal ones keep their order.
///
/// O(length * how far an element has to move).
pub(crate) fn sort_short<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..list.len() {
        let mut at = end;
        while at > 0 && key(&list[at]) < key(&list[at - 1]) {
            list.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// The first element that a short list has had before.
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
    fn equal_ones_keep_their_order() {
        let mut list = [(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd'), (1, 'e')];
        sort_short(&mut list, |&(number, _)| number);
        assert_eq!(list, [(1, 'b'), (1, 'e'), (2, 'd'), (3, 'a'), (3, 'c')]);
        sort_short(&mut [(); 0], |()| 0);
    }

    #[test]
    fn what_is_there_twice_is_found() {
        assert_eq!(first_duplicate(&[3, 1, 2, 1, 3]), Some(&1));
        assert_eq!(first_duplicate(&[1, 2, 3]), None);
        assert_eq!(first_duplicate(&[0; 0]), None);
    }
}
