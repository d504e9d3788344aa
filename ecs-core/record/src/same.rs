//! Until when two worlds were the same, as far as hashes of their parts tell.

use std::collections::BTreeMap;

use ecs_data::__private::HashPart;

/// The first frame that can have made a difference: a hash of a part says nothing about the others, whose turns were at other frames.
#[derive(Debug, Default)]
pub(crate) struct SameUntil {
    /// Until then everything was the same.
    whole: u64,
    /// The number of parts, and until when each was the same, if it had a turn. A file can name billions of parts.
    of: u32,
    parts: BTreeMap<u32, u64>,
}

impl SameUntil {
    /// Returns the first frame that can have made a difference. O(parts).
    pub(crate) fn frame(&self) -> u64 {
        let has_all = self.parts.len() == self.of as usize;
        let parts = self.parts.values().copied().min();
        parts.filter(|_| has_all).unwrap_or(0).max(self.whole)
    }

    /// Notes that a part was the same before a frame.
    pub(crate) fn note(&mut self, part: HashPart, frame: u64) {
        if part.is_whole() {
            self.whole = self.whole.max(frame);
            return;
        }
        let [number, of] = part.numbers();
        if self.of != of {
            // The parts have other values than before.
            self.whole = self.frame();
            self.of = of;
            self.parts.clear();
        }
        let until = self.parts.entry(number).or_default();
        *until = frame.max(*until);
    }

    /// Notes that the world returns to an earlier frame.
    pub(crate) fn go_back(&mut self, frame: u64) {
        self.whole = self.whole.min(frame);
        for until in self.parts.values_mut() {
            *until = frame.min(*until);
        }
    }

    /// Notes that the world is the same before a frame.
    pub(crate) fn restart(&mut self, frame: u64) {
        self.whole = frame;
        self.parts.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: u32, of: u32) -> HashPart {
        HashPart::new(number, of).unwrap()
    }

    #[test]
    fn the_part_whose_turn_is_longest_ago_decides() {
        let mut same = SameUntil::default();
        same.note(part(0, 3), 10);
        same.note(part(1, 3), 50);
        assert_eq!(same.frame(), 0, "nothing is known about the last part");
        same.note(part(2, 3), 90);
        assert_eq!(same.frame(), 10);
        same.note(part(0, 3), 100);
        assert_eq!(same.frame(), 50);
        same.note(part(0, 2), 110);
        assert_eq!(same.frame(), 50, "of other values");
        same.note(part(1, 2), 120);
        assert_eq!(same.frame(), 110);
        same.note(HashPart::WHOLE, 130);
        assert_eq!(same.frame(), 130);
        same.go_back(70);
        assert_eq!(same.frame(), 70);
        same.note(part(0, u32::MAX), 80);
        assert_eq!(same.frame(), 70);
        same.restart(20);
        assert_eq!(same.frame(), 20);
    }
}
