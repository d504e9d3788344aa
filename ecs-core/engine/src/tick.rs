//! Ticks: in which order a world was read and written.
//!
//! A world counts: every lock of something that is tracked gets the next number. Rows store the number of their last
//! change in 32 bits, relative to a base that moves along, so that neither ever wraps.

use crate::sync::{AtomicU64, Ordering};

/// A point in the history of a world; later ones are greater. They only grow, and never wrap.
///
/// From `World::tick`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(u64);

impl Tick {
    /// Before everything.
    pub const START: Self = Self(0);

    pub(crate) const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number of the tick.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// A tick as rows store it: the distance from the base of the world's [`Clock`].
///
/// Signed and shifted, because SSE2 compares signed numbers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
#[doc(hidden)]
pub struct CompactTick(i32);

impl CompactTick {
    /// Before all stamps in rows.
    pub(crate) const NEVER: Self = Self::new(0);
    /// Of rows whose last change is older than the window.
    const OLD: Self = Self::new(1);
    /// Of rows that changed when the base had not moved for 2^32 ticks: they count as changed for everybody.
    const LATEST: Self = Self::new(u32::MAX);

    const fn new(distance: u32) -> Self {
        Self(distance as i32 ^ i32::MIN)
    }

    const fn distance(self) -> u32 {
        (self.0 ^ i32::MIN) as u32
    }

    /// Which of the stamps are later than `seen`, the first one in the lowest bit.
    #[inline]
    pub(crate) fn later(stamps: &[Self; 32], seen: Self) -> u32 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 has SSE2.
        return unsafe { packed::later(stamps, seen) };
        #[cfg(not(target_arch = "x86_64"))]
        stamps
            .iter()
            .rev()
            .fold(0, |bits, &stamp| bits << 1 | u32::from(stamp > seen))
    }
}

/// SSE2, which every x86-64 has, makes a bit mask of comparisons; compilers do not find out by themselves (measured: three
/// times the instructions).
#[cfg(target_arch = "x86_64")]
mod packed {
    use core::arch::x86_64::{
        _mm_cmpgt_epi32, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32, _mm_set1_epi32,
        _mm_setr_epi32,
    };

    use super::CompactTick;

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn later(stamps: &[CompactTick; 32], seen: CompactTick) -> u32 {
        let seen = _mm_set1_epi32(seen.0);
        let four = |n: usize| {
            let [a, b, c, d] = [n, n + 1, n + 2, n + 3].map(|n| stamps[n].0);
            _mm_cmpgt_epi32(_mm_setr_epi32(a, b, c, d), seen)
        };
        let eight = |n| _mm_packs_epi32(four(n), four(n + 4));
        let sixteen = |n| _mm_movemask_epi8(_mm_packs_epi16(eight(n), eight(n + 8))) as u32;
        sixteen(0) | sixteen(16) << 16
    }
}

/// What one borrower sees and leaves behind.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Window {
    /// Rows with a later stamp have changed since the borrower's last run.
    pub(crate) seen: CompactTick,
    /// What the borrower writes into rows that it changes.
    pub(crate) stamp: CompactTick,
}

impl Window {
    /// Of borrowers to whom ticks mean nothing.
    pub(crate) const NONE: Self = Self {
        seen: CompactTick::NEVER,
        stamp: CompactTick::LATEST,
    };
}

/// Gives out the ticks of a world.
///
/// Whoever borrows takes the run-time borrow first and the tick then: of two borrows of which one writes, the later one
/// therefore has the greater tick, and sees or is seen by the other. That order comes with the borrow, so relaxed
/// accesses are enough here.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    now: AtomicU64,
    /// What [`CompactTick`]s are relative to. Moves under exclusive access to the world alone.
    base: u64,
}

/// How many ticks back changes are told apart for certain.
const WINDOW: u64 = 1 << 31;
/// How far the base stays behind before it moves.
pub(crate) const LIMIT: u64 = WINDOW + (1 << 30);

impl Clock {
    /// A clock that has run for a while.
    #[cfg(test)]
    pub(crate) fn starting_at(now: u64) -> Self {
        Self {
            now: AtomicU64::new(now),
            base: 0,
        }
    }

    #[cfg(test)]
    pub(crate) fn advance_to(&mut self, now: u64) {
        self.now.store(now, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// The next tick.
    #[inline]
    pub(crate) fn tick(&self) -> Tick {
        Tick(self.now.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// A window from the borrower's last one, if it remembers any, to now.
    #[inline]
    pub(crate) fn window(&self, last: Option<&mut Tick>) -> Window {
        let now = self.tick();
        let seen = match last {
            None => CompactTick::NEVER,
            Some(last) => self.seen(core::mem::replace(last, now)),
        };
        Window {
            seen,
            stamp: self.stamp(now),
        }
    }

    /// What is left in rows that are changed through `&mut World`: after all borrows so far, before the next one.
    #[inline]
    pub(crate) fn between(&self) -> CompactTick {
        self.stamp(Tick(self.now.load(Ordering::Relaxed) + 1))
    }

    /// The window of somebody who has the world alone.
    #[inline]
    pub(crate) fn exclusive(&self) -> Window {
        Window {
            seen: CompactTick::NEVER,
            stamp: self.between(),
        }
    }

    #[inline]
    fn stamp(&self, tick: Tick) -> CompactTick {
        let distance = tick.0.saturating_sub(self.base);
        CompactTick::new(distance.clamp(1, u64::from(u32::MAX)) as u32)
    }

    /// What rows that changed after `last` are greater than; rows that cannot be told apart count as changed.
    #[inline]
    pub(crate) fn seen(&self, last: Tick) -> CompactTick {
        let distance = last.0.saturating_sub(self.base);
        CompactTick::new(distance.min(u64::from(u32::MAX - 1)) as u32)
    }

    /// Whether it is time for [`advance`](Self::advance).
    #[inline]
    pub(crate) fn is_behind(&mut self) -> bool {
        self.now.load(Ordering::Relaxed) - self.base > LIMIT
    }

    /// Moves the base; all stamps have to be [shifted](Shift::apply).
    pub(crate) fn advance(&mut self) -> Shift {
        let now = self.now.load(Ordering::Relaxed);
        let base = now.saturating_sub(WINDOW).max(self.base);
        let by = u32::try_from(base - self.base).unwrap_or(u32::MAX);
        self.base = base;
        Shift {
            by,
            latest: self.between(),
        }
    }
}

/// How stamps change when the base moves.
#[derive(Clone, Copy)]
pub(crate) struct Shift {
    by: u32,
    latest: CompactTick,
}

impl Shift {
    pub(crate) fn apply(self, stamps: &mut [CompactTick]) {
        for stamp in stamps {
            *stamp = if *stamp == CompactTick::LATEST {
                // Nobody knows how late it was.
                self.latest
            } else {
                CompactTick::new(stamp.distance().saturating_sub(self.by)).max(CompactTick::OLD)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_ordered_as_their_ticks() {
        let clock = Clock::starting_at(WINDOW - 3);
        let mut last = clock.stamp(clock.tick());
        for _ in 0..10 {
            let next = clock.stamp(clock.tick());
            assert!(next > last);
            last = next;
        }
    }

    #[test]
    fn a_change_counts_for_those_who_looked_before_it_only() {
        let clock = Clock::default();
        let before = clock.tick();
        let change = clock.stamp(clock.tick());
        let after = clock.tick();
        assert!(change > clock.seen(Tick::START) && change > clock.seen(before));
        assert!(change <= clock.seen(after));
    }

    #[test]
    fn moving_the_base_keeps_the_order_inside_the_window() {
        let mut clock = Clock::default();
        let mut stamps = [
            clock.stamp(clock.tick()),
            CompactTick::LATEST,
            CompactTick::LATEST,
        ];
        clock.advance_to(WINDOW + 10);
        let (before, change, after) = (clock.tick(), clock.tick(), clock.tick());
        stamps[1] = clock.stamp(change);
        clock.advance_to(LIMIT + 1);
        assert!(clock.is_behind());
        clock.advance().apply(&mut stamps);
        assert!(!clock.is_behind());
        assert_eq!(stamps[0], CompactTick::OLD);
        assert!(stamps[1] > clock.seen(before) && stamps[1] <= clock.seen(after));
        let now = clock.tick();
        assert!(stamps[2] > clock.seen(Tick(now.get() - 1)));
        assert!(
            stamps[0] > clock.seen(Tick(3)),
            "older than the window: again"
        );
        assert!(stamps[0] <= clock.seen(before));
    }

    #[test]
    fn a_mask_has_the_bits_of_later_stamps() {
        let seen = CompactTick::new(1 << 31);
        let distance = |n: u32| (1 << 31) - 7 + n * 0x9E37 % 15;
        let stamps: [CompactTick; 32] =
            core::array::from_fn(|n| CompactTick::new(distance(n as u32)));
        let mask = CompactTick::later(&stamps, seen);
        assert!(mask != 0 && mask != u32::MAX);
        for (n, &stamp) in stamps.iter().enumerate() {
            assert_eq!(mask >> n & 1 == 1, stamp > seen, "{n}");
        }
        assert_eq!(
            CompactTick::later(&[CompactTick::LATEST; 32], CompactTick::new(u32::MAX - 1)),
            u32::MAX
        );
        assert_eq!(
            CompactTick::later(&[CompactTick::OLD; 32], CompactTick::NEVER),
            u32::MAX
        );
        assert_eq!(
            CompactTick::later(&[CompactTick::OLD; 32], CompactTick::OLD),
            0
        );
    }

    #[test]
    fn a_base_that_never_moved_makes_changes_count_again_and_not_vanish() {
        let mut clock = Clock::default();
        clock.advance_to(u64::from(u32::MAX) + 5);
        let last = clock.tick();
        let change = clock.stamp(clock.tick());
        assert!(change > clock.seen(last));
        let mut stamps = [change];
        clock.advance().apply(&mut stamps);
        assert!(stamps[0] > clock.seen(last));
    }
}
