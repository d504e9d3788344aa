//! The inputs of one player.

use std::collections::VecDeque;

use super::InputError;

/// The inputs of one player by frame: the known ones, and the ones that frames ran with.
#[derive(Debug)]
pub(super) struct Inputs<I> {
    /// The frame of the first input that is kept.
    first: u64,
    known: VecDeque<I>,
    /// The input that frames run with until one is known.
    default: I,
    /// By frame from `first` on, the input that the frame last ran with.
    used: VecDeque<I>,
}

impl<I: Default> Default for Inputs<I> {
    fn default() -> Self {
        Self {
            first: 0,
            known: VecDeque::new(),
            default: I::default(),
            used: VecDeque::new(),
        }
    }
}

impl<I> Inputs<I> {
    /// Returns the frame after the last one whose input is known.
    pub(super) fn end(&self) -> u64 {
        self.first + self.known.len() as u64
    }

    /// Returns the known inputs from a frame on.
    pub(super) fn from(&self, frame: u64) -> impl Iterator<Item = (u64, &I)> {
        let skipped = frame
            .saturating_sub(self.first)
            .min(self.known.len() as u64);
        let known = self.known.range(skipped as usize..);
        (self.first + skipped..).zip(known)
    }

    /// Drops the inputs of frames before `first`, except for the last known one.
    pub(super) fn forget(&mut self, first: u64) {
        while self.first < first && self.known.len() > 1 {
            self.known.pop_front();
            self.used.pop_front();
            self.first += 1;
        }
    }
}

impl<I: Clone + PartialEq> Inputs<I> {
    /// Adds the input of a frame; returns true if the frame ran with another one.
    pub(super) fn add(&mut self, player: usize, frame: u64, input: I) -> Result<bool, InputError> {
        let end = self.end();
        if frame > end {
            return Err(InputError::Gap {
                player,
                frame,
                expected: end,
            });
        }
        if frame < end {
            // A forgotten input is not compared.
            let known = frame.checked_sub(self.first);
            let known = known.map(|at| &self.known[at as usize]);
            return match known {
                Some(known) if *known != input => Err(InputError::Conflict { player, frame }),
                _ => Ok(false),
            };
        }
        let used = self.used.get(self.known.len());
        let is_other = used.is_some_and(|used| *used != input);
        self.known.push_back(input);
        Ok(is_other)
    }

    /// Returns the input that a frame runs with, and notes it: the known one, or else the last one that is known.
    ///
    /// The frame is not forgotten, and all before it have run.
    pub(super) fn use_for(&mut self, frame: u64) -> &I {
        let at = (frame - self.first) as usize;
        let input = self.known.get(at).or(self.known.back());
        let input = input.unwrap_or(&self.default).clone();
        self.used.truncate(at);
        self.used.push_back(input);
        &self.used[at]
    }
}
