//! Code of all games: a world without edges, and numbers that look random.
//!
//! A game is the same in each library and in any order of entities: its rules are functions of values, its numbers are integers,
//! and the outcome of a conflict between entities depends on their numbers alone.

use crate::components::components;

/// The frames of one run.
pub(crate) const FRAMES: u32 = 20;

components! {
    /// A place in a world of 65,536 units in each direction, where both edges meet.
    pub(crate) struct Place([u16; 2]);
    /// The units that something moves in each frame.
    pub(crate) struct Heading([i16; 2]);
}

impl Place {
    /// Returns the place that a number stands for.
    pub(crate) const fn random(number: u32) -> Self {
        Self([number as u16, (number >> 16) as u16])
    }

    /// Returns the shortest way from another place.
    #[inline]
    pub(crate) const fn way_from(self, other: Self) -> [i32; 2] {
        let [x, y] = self.0;
        let [from_x, from_y] = other.0;
        [
            x.wrapping_sub(from_x) as i16 as i32,
            y.wrapping_sub(from_y) as i16 as i32,
        ]
    }

    /// Moves for a frame.
    #[inline]
    pub(crate) const fn fly(&mut self, heading: Heading) {
        self.0[0] = self.0[0].wrapping_add_signed(heading.0[0]);
        self.0[1] = self.0[1].wrapping_add_signed(heading.0[1]);
    }

    pub(crate) fn values(self) -> [f32; 2] {
        self.0.map(f32::from)
    }
}

impl Heading {
    /// Returns a heading of at most `limit` in each direction.
    #[inline]
    pub(crate) fn limited(heading: [i32; 2], limit: i32) -> Self {
        Self(heading.map(|part| part.clamp(-limit, limit) as i16))
    }

    /// Returns the heading that a number stands for.
    pub(crate) fn random(number: u32, limit: i32) -> Self {
        let part = |number: u32| (number % (2 * limit as u32 + 1)) as i32 - limit;
        Self::limited([part(number & 0xffff), part(number >> 16)], limit)
    }

    pub(crate) fn values(self) -> [f32; 2] {
        self.0.map(f32::from)
    }
}

/// Returns a number that looks random, and depends on both arguments alone.
#[inline]
pub(crate) const fn noise(a: u32, b: u32) -> u32 {
    let mut hash = ((a as u64) << 32 | b as u64) ^ 0x9e37_79b9_7f4a_7c15;
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (hash >> 32) as u32
}
