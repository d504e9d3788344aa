//! Amounts of memory.

use alloc::vec::Vec;
use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign};

/// An amount of memory in bytes: how much values occupy, and how much is allocated for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bytes {
    /// The bytes of values that exist.
    pub used: usize,
    /// The bytes that are allocated, those in use included.
    pub reserved: usize,
}

impl Bytes {
    /// Returns the bytes that are allocated and not used.
    #[must_use]
    #[inline]
    pub const fn unused(self) -> usize {
        self.reserved.saturating_sub(self.used)
    }

    /// Counts the values of a list.
    pub(crate) const fn of_list<T>(list: &Vec<T>) -> Self {
        Self::of_values(list.len(), list.capacity(), size_of::<T>())
    }

    /// Counts `len` values of `size` bytes in memory for `capacity` of them.
    #[inline]
    pub(crate) const fn of_values(len: usize, capacity: usize, size: usize) -> Self {
        Self {
            used: len * size,
            reserved: capacity * size,
        }
    }
}

impl Add for Bytes {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            used: self.used + other.used,
            reserved: self.reserved + other.reserved,
        }
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Bytes {
    #[inline]
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}

/// Prints both numbers in the largest unit that is not above them: `1.5 MiB of 4.0 MiB`.
impl fmt::Display for Bytes {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", Human(self.used), Human(self.reserved))
    }
}

/// A number of bytes, printed in the largest unit that is not above it.
pub(crate) struct Human(pub(crate) usize);

impl fmt::Display for Human {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
        let mut unit = 0;
        let mut scale = 1;
        while unit + 1 < UNITS.len() && self.0 / scale >= 1024 {
            scale *= 1024;
            unit += 1;
        }
        if unit == 0 {
            write!(f, "{} B", self.0)
        } else {
            write!(f, "{:.1} {}", self.0 as f64 / scale as f64, UNITS[unit])
        }
    }
}

#[cfg(test)]
#[path = "bytes_tests.rs"]
mod tests;
