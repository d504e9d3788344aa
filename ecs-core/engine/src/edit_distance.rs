//! The difference between two names, for messages that suggest a name that was probably meant.

use alloc::vec::Vec;

/// Returns the number of characters to insert, remove or replace to get from one text to the other (Levenshtein). Only the
/// first 100 characters of a text count. O(product of the lengths).
#[doc(hidden)]
#[inline]
#[must_use]
pub fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(100).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().take(100).enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], i + 1);
        for (j, &b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
#[path = "edit_distance_tests.rs"]
mod tests;
