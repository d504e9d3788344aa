use super::*;

const LEN_PER_WORD: usize = 64;

/// The number of words of the array and of the map.
fn lengths(array: &SparseArray) -> (usize, usize) {
    (array.near.len(), array.far.len())
}

#[test]
fn a_word_far_behind_the_others_does_not_grow_the_array() {
    let mut array = SparseArray::new(LEN_PER_WORD);
    array.set(1_000_000, 7, 0);
    array.set(3, 5, 1);
    assert_eq!(lengths(&array), (8, 1));
    let words = [0, 3, 1_000_000, 1_000_001].map(|index| array.get(index));
    assert_eq!(words, [0, 5, 7, 0]);
}

#[test]
fn the_array_takes_over_what_it_reaches() {
    let mut array = SparseArray::new(LEN_PER_WORD);
    array.set(100_000, 1, 0);
    array.set(100, 2, 1);
    assert_eq!(lengths(&array), (101, 1));
    for index in 101..2000 {
        array.set(index, 3, index as usize);
    }
    assert_eq!(array.far.len(), 1);
    array.set(120_000, 4, 2000);
    assert_eq!(lengths(&array), (120_001, 0));
    let words = [100, 1999, 100_000, 100_001, 120_000].map(|index| array.get(index));
    assert_eq!(words, [2, 3, 1, 0, 4]);
}

#[test]
fn shrinking_leaves_no_long_array_for_few_words() {
    let mut array = SparseArray::new(LEN_PER_WORD);
    for index in 0..100_000 {
        array.set(index, u64::from(index) + 1, index as usize);
    }
    for index in (10..99_990).chain(99_991..100_000) {
        array.take(index);
    }
    let (before, spare) = (array.bytes().reserved, array.spare_bytes());
    array.shrink();
    let given_back = before - array.bytes().reserved;
    assert!(
        given_back <= spare && given_back > 790_000,
        "{given_back} of {spare}"
    );
    assert_eq!(lengths(&array), (10, 1));
    let words = [0, 9, 10, 99_989, 99_990, 99_991].map(|index| array.get(index));
    assert_eq!(words, [1, 10, 0, 0, 99_991, 0]);
    // The others are in the array again when there are enough of them.
    for index in 10..99_990 {
        array.set(index, 1, index as usize);
    }
    array.shrink();
    assert_eq!(lengths(&array), (99_991, 0));
}

#[test]
fn memory_is_bounded_by_the_number_of_words() {
    let mut array = SparseArray::new(LEN_PER_WORD);
    for n in 0..2000 {
        array.set(n * n * 977, u64::from(n) + 1, n as usize);
        let words = array.near.capacity() + array.far.bytes().reserved / 8;
        assert!(words <= (n as usize + 1) * (LEN_PER_WORD + 8) + 64, "{n}");
    }
    for n in 0..2000 {
        assert_eq!(array.take(n * n * 977), u64::from(n) + 1);
        assert_eq!(array.get(n * n * 977), 0);
    }
    assert_eq!(array.far.len(), 0);
}
