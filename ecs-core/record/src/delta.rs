//! A snapshot as the difference from an earlier one.
//!
//! ```text
//! length of the result
//! parts: [literal bytes: number, bytes, copied bytes: number, and if there are any, their place in the earlier snapshot]
//!
//! Numbers are groups of seven bits, the lowest first.
//! ```

use std::collections::HashMap;

use ecs_data::__private::put_number;

use crate::format::RecordFields;

/// The bytes that are compared at once. Shorter matches are written as they are.
const BLOCK: usize = 32;

/// The factor of the rolling hash, and its power by which the oldest byte of a block leaves.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const OLDEST: u64 = power(BLOCK as u32 - 1);

const fn power(exponent: u32) -> u64 {
    let (mut result, mut i) = (1_u64, 0);
    while i < exponent {
        result = result.wrapping_mul(FACTOR);
        i += 1;
    }
    result
}

fn hash(block: &[u8]) -> u64 {
    let add = |hash: u64, byte: &u8| hash.wrapping_mul(FACTOR).wrapping_add(u64::from(*byte));
    block.iter().fold(0, add)
}

/// Appends the difference of two snapshots. O(bytes).
pub(crate) fn put_delta(out: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    put_number(out, new.len() as u64);
    let blocks = old.chunks_exact(BLOCK).enumerate();
    // The first of equal blocks: the runs that begin there are the longest.
    let mut places = HashMap::with_capacity(old.len() / BLOCK);
    for (index, block) in blocks {
        places.entry(hash(block)).or_insert(index * BLOCK);
    }
    let (mut at, mut literal) = (0, 0);
    // A place in the old bytes that continues the last run: values that change in place leave the others where they are.
    let mut shift = 0_isize;
    let mut rolling = None;
    while at + BLOCK <= new.len() {
        let block = &new[at..at + BLOCK];
        let same_place = at.checked_add_signed(shift);
        let mut found = same_place.filter(|place| old.get(*place..*place + BLOCK) == Some(block));
        if found.is_none() {
            let key = *rolling.get_or_insert_with(|| hash(block));
            let place = places.get(&key).copied();
            found = place.filter(|place| old[*place..*place + BLOCK] == *block);
        }
        let Some(place) = found else {
            rolling = rolling.zip(new.get(at + BLOCK)).map(|(key, next)| {
                let left: u64 = key.wrapping_sub(u64::from(new[at]).wrapping_mul(OLDEST));
                left.wrapping_mul(FACTOR).wrapping_add(u64::from(*next))
            });
            at += 1;
            continue;
        };
        let length = same_length(&old[place..], &new[at..]);
        put_part(out, &new[literal..at], Some((length, place)));
        shift = place as isize - at as isize;
        at += length;
        literal = at;
        rolling = None;
    }
    put_part(out, &new[literal..], None);
}

/// Returns the number of bytes at the start that are the same.
fn same_length(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let whole = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let rest = one[whole..].iter().zip(&other[whole..]);
    whole + rest.take_while(|(one, other)| one == other).count()
}

fn put_part(out: &mut Vec<u8>, literal: &[u8], copied: Option<(usize, usize)>) {
    put_number(out, literal.len() as u64);
    out.extend(literal);
    let (length, place) = copied.unwrap_or_default();
    put_number(out, length as u64);
    if length > 0 {
        put_number(out, place as u64);
    }
}

/// Returns the snapshot that a difference makes of an earlier one; `None` if it is damaged, or longer than `limit`.
pub(crate) fn apply_delta(old: &[u8], delta: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut fields = RecordFields(delta);
    let number = |fields: &mut RecordFields<'_>| usize::try_from(fields.number()?).ok();
    let length = number(&mut fields).filter(|length| *length <= limit)?;
    let mut new = Vec::with_capacity(length);
    while !fields.0.is_empty() {
        let literal = number(&mut fields)?;
        new.extend(fields.bytes(literal as u64)?);
        let copied = number(&mut fields)?;
        if copied > 0 {
            let place = number(&mut fields)?;
            let end = place.checked_add(copied)?;
            let copied = old.get(place..end)?;
            if copied.len() > length.checked_sub(new.len())? {
                return None;
            }
            new.extend(copied);
        }
    }
    (new.len() == length).then_some(new)
}

#[cfg(test)]
mod tests {
    use super::{apply_delta, put_delta};

    /// A sequence of bytes that looks random.
    fn bytes(mut state: u64, count: usize) -> Vec<u8> {
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    fn delta(old: &[u8], new: &[u8]) -> Vec<u8> {
        let mut delta = Vec::new();
        put_delta(&mut delta, old, new);
        assert_eq!(apply_delta(old, &delta, new.len()).unwrap(), new);
        delta
    }

    #[test]
    fn values_that_change_in_place_and_rows_that_come_and_go_are_small_differences() {
        let old = bytes(3, 40_000);
        assert!(delta(&old, &old).len() < 16);
        let mut new = old.clone();
        new[7] ^= 1;
        new[20_000..20_004].copy_from_slice(&[1, 2, 3, 4]);
        new[39_999] ^= 1;
        assert!(delta(&old, &new).len() < 160);
        new.splice(500..500, bytes(5, 24));
        new.drain(30_000..30_090);
        assert!(delta(&old, &new).len() < 500, "{}", delta(&old, &new).len());
    }

    #[test]
    fn any_bytes_come_back() {
        let old = bytes(9, 700);
        for (seed, count) in [
            (1, 0),
            (2, 1),
            (9, 31),
            (9, 32),
            (9, 699),
            (9, 700),
            (4, 900),
        ] {
            delta(&old, &bytes(seed, count));
            delta(&[], &bytes(seed, count));
            delta(&bytes(seed, count), &[]);
        }
        delta(&[0; 3_000], &[0; 2_000]);
        delta(&[0; 100], &[0; 9_000]);
        let turned: Vec<u8> = old.iter().rev().copied().collect();
        delta(&old, &turned);
        delta(&old, &[&old[300..], &old[..300]].concat());
    }

    #[test]
    fn damaged_differences_are_refused() {
        let old = bytes(9, 700);
        let mut new = old.clone();
        new.splice(100..120, bytes(1, 50));
        let whole = delta(&old, &new);
        assert!(apply_delta(&old, &whole, new.len() - 1).is_none());
        assert!(apply_delta(&old[..50], &whole, new.len()).is_none());
        for length in 0..whole.len() {
            // The last part is empty, so bytes without it are as good.
            let cut = apply_delta(&old, &whole[..length], new.len());
            assert!(cut.is_none_or(|result| result == new), "{length}");
        }
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                if let Some(other) = apply_delta(&old, &damaged, 10_000) {
                    assert!(other.len() <= 10_000);
                }
            }
        }
    }
}
