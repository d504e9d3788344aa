//! The numbers of datagrams that have arrived, and their confirmation.
//!
//! ```text
//! confirmation: ranges: u8, then the newest number, and for each range its length, and before all but the first the gap to it
//! ```

use crate::wire::{DatagramError, WireReader, put_varint};

/// The number of ranges that are remembered.
const KEPT: usize = 64;

/// The number of ranges in a confirmation.
const SENT: usize = 8;

/// The numbers of datagrams that have arrived.
#[derive(Debug, Default)]
pub(crate) struct Arrived {
    /// Ascending and apart, with both ends; at most [`KEPT`].
    ranges: Vec<(u64, u64)>,
    /// All numbers below count as arrived.
    floor: u64,
}

impl Arrived {
    /// Adds a number; returns false if it is there already.
    pub(crate) fn add(&mut self, number: u64) -> bool {
        if number < self.floor {
            return false;
        }
        let at = self.ranges.partition_point(|range| range.1 < number);
        if self.ranges.get(at).is_some_and(|range| range.0 <= number) {
            return false;
        }
        let joins_next = self
            .ranges
            .get(at)
            .is_some_and(|next| next.0 == number.saturating_add(1));
        let joins_last = at > 0 && self.ranges[at - 1].1 + 1 == number;
        match (joins_last, joins_next) {
            (true, true) => {
                self.ranges[at - 1].1 = self.ranges[at].1;
                self.ranges.remove(at);
            }
            (true, false) => self.ranges[at - 1].1 = number,
            (false, true) => self.ranges[at].0 = number,
            (false, false) => self.ranges.insert(at, (number, number)),
        }
        if self.ranges.len() > KEPT {
            let oldest = self.ranges.remove(0);
            self.floor = oldest.1 + 1;
        }
        true
    }

    /// Writes the newest ranges.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(self.ranges.len().min(SENT) as u8);
        let mut above = None;
        for &(first, last) in self.ranges.iter().rev().take(SENT) {
            // Between two ranges at least one number is missing.
            put_varint(out, above.map_or(last, |above: u64| above - last - 2));
            put_varint(out, last - first);
            above = Some(first);
        }
    }
}

/// Ranges of confirmed numbers with both ends, the newest ones first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Confirmed {
    ranges: [(u64, u64); SENT],
    count: usize,
}

impl Confirmed {
    pub(crate) fn read(input: &mut WireReader<'_>) -> Result<Self, DatagramError> {
        let count = usize::from(input.u8()?);
        if count > SENT {
            return Err(DatagramError::BadNumber);
        }
        let mut all = Self {
            count,
            ..Self::default()
        };
        let mut above = None;
        for range in &mut all.ranges[..count] {
            let number = input.varint()?;
            let last = match above {
                None => Some(number),
                Some(above) => number
                    .checked_add(2)
                    .and_then(|gap| u64::checked_sub(above, gap)),
            };
            let last = last.ok_or(DatagramError::BadNumber)?;
            let first = last.checked_sub(input.varint()?);
            let first = first.ok_or(DatagramError::BadNumber)?;
            *range = (first, last);
            above = Some(first);
        }
        Ok(all)
    }

    /// Returns the ranges, the newest one first.
    pub(crate) fn ranges(&self) -> &[(u64, u64)] {
        &self.ranges[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_confirmation_has_what_arrived_and_nothing_else(
            numbers in prop::collection::vec(0..200_u64, 0..80),
        ) {
            let (mut arrived, mut all) = (Arrived::default(), BTreeSet::new());
            for number in numbers {
                prop_assert_eq!(arrived.add(number), all.insert(number));
            }
            let mut bytes = Vec::new();
            arrived.write(&mut bytes);
            let mut input = WireReader::new(&bytes);
            let confirmed = Confirmed::read(&mut input).unwrap();
            prop_assert!(input.is_empty());
            let ranges = confirmed.ranges();
            for &(first, last) in ranges {
                prop_assert!((first..=last).all(|number| all.contains(&number)));
            }
            prop_assert_eq!(ranges.first().map(|range| range.1), all.last().copied());
            if ranges.len() < SENT {
                let count: u64 = ranges.iter().map(|range| range.1 - range.0 + 1).sum();
                prop_assert_eq!(count, all.len() as u64);
            }
        }

        #[test]
        fn any_bytes_are_a_confirmation_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = Confirmed::read(&mut WireReader::new(&bytes));
        }
    }

    #[test]
    fn numbers_far_apart_take_no_memory_without_end() {
        let mut arrived = Arrived::default();
        for number in (0..10_000).rev() {
            arrived.add(number * 3);
        }
        assert!(arrived.ranges.len() <= KEPT);
        assert!(!arrived.add(0), "what is too old counts as arrived");
        assert!(arrived.add(u64::MAX) && !arrived.add(u64::MAX));
    }
}
