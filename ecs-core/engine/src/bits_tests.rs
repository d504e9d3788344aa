use super::*;

fn of(numbers: &[usize]) -> Bits {
    let mut bits = Bits::default();
    for &n in numbers {
        assert!(bits.insert(n) && !bits.insert(n) && bits.contains(n));
    }
    bits
}

#[test]
fn numbers_are_taken_from_either_end() {
    let mut bits = of(&[64, 3, 200, 63]);
    assert!(!bits.contains(4) && !bits.contains(1000));
    assert_eq!((bits.from(4), bits.from(201)), (Some(63), None));
    assert_eq!((bits.from(64), bits.from(65)), (Some(64), Some(200)));
    assert_eq!(bits.rest.len(), 3, "words up to the highest number");
    assert!(!bits.is_empty());
    assert_eq!((bits.take_first(), bits.take_last()), (Some(3), Some(200)));
    assert_eq!((bits.take_last(), bits.take_first()), (Some(64), Some(63)));
    assert!(bits.is_empty() && bits.take_first().is_none() && bits.take_last().is_none());
}

#[test]
fn ranges_are_inserted_word_by_word() {
    for (start, end) in [
        (0, 0),
        (5, 5),
        (9, 3),
        (0, 1),
        (3, 64),
        (63, 65),
        (64, 128),
        (1, 200),
    ] {
        let mut bits = of(&[70]);
        bits.insert_range(start, end);
        let expected = |n| n == 70 || (start..end).contains(&n);
        assert!(
            (0..260).all(|n| bits.contains(n) == expected(n)),
            "{start}..{end}"
        );
    }
}

#[test]
fn sets_of_different_lengths_are_united_and_compared() {
    let (mut short, long) = (of(&[1]), of(&[70]));
    assert!(!short.intersects(&long) && !long.intersects(&short));
    short.union_with(&long);
    assert!(short.intersects(&long) && short.contains(1) && short.contains(70));
}

#[test]
fn numbers_of_another_set_are_removed() {
    let (mut bits, other) = (of(&[1, 2, 70]), of(&[2, 3]));
    bits.remove_all(&other);
    assert_eq!(bits.iter().collect::<Vec<_>>(), [1, 70]);
    bits.remove_all(&of(&[1, 70, 200]));
    assert!(bits.is_empty());
}
