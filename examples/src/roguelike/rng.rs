//! Dice.

use core::ops::RangeInclusive;

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

/// A small random number generator (SplitMix64): the same seed gives the same numbers everywhere.
#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "rng")]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Makes a generator whose numbers depend on `seed` alone.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns a number in `range`; its start if it is empty.
    pub fn roll(&mut self, range: RangeInclusive<i32>) -> i32 {
        let (low, high) = (i64::from(*range.start()), i64::from(*range.end()));
        let count = (high - low + 1).max(1) as u64;
        // Slightly biased towards low numbers, which no player notices.
        (low + (self.next() % count) as i64) as i32
    }

    /// Returns `true` once in `n` times on average.
    pub fn one_in(&mut self, n: i32) -> bool {
        self.roll(1..=n) == 1
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}
