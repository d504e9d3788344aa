//! Ticks: the order of reads and writes of a world.
//!
//! A world counts: every lock of tracked data gets the next number. Rows store the number of their last change in 32
//! bits, relative to a base that moves along, so that neither ever wraps.

use crate::sync::{AtomicU64, Ordering};

/// A point in the history of a world. Later ticks are greater; ticks never wrap.
///
/// Returned by `World::tick`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(u64);

impl Tick {
    /// Before everything.
    pub const START: Self = Self(0);

    pub(crate) const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The tick before this one.
    pub(crate) fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// The number of the tick.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// A tick as rows store it: the distance from the base of the world's [`TickClock`].
///
/// Signed and offset, because SSE2 only compares signed numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
#[doc(hidden)]
pub struct CompactTick(i32);

impl CompactTick {
    /// Earlier than all ticks in rows.
    pub(crate) const NEVER: Self = Self::new(0);
    /// The tick of rows whose last change is older than the window.
    const OLD: Self = Self::new(1);
    /// The tick of rows that changed after the base had not moved for 2^32 ticks: they count as changed for all readers.
    const LATEST: Self = Self::new(u32::MAX);

    const fn new(distance: u32) -> Self {
        Self(distance as i32 ^ i32::MIN)
    }

    /// The number of the tick, counted from the base of its clock.
    pub(crate) const fn to_number(self) -> u32 {
        self.distance()
    }

    /// Returns the tick of a [number](Self::to_number).
    pub(crate) const fn of_number(number: u32) -> Self {
        Self::new(number)
    }

    const fn distance(self) -> u32 {
        (self.0 ^ i32::MIN) as u32
    }

    /// Returns a mask of the ticks that are later than `seen`, with the first one in the lowest bit.
    #[inline]
    pub(crate) fn later(ticks: &[Self; 32], seen: Self) -> u32 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 has SSE2.
        return unsafe { sse2::later(ticks, seen) };
        #[cfg(not(target_arch = "x86_64"))]
        ticks
            .iter()
            .rev()
            .fold(0, |bits, &tick| bits << 1 | u32::from(tick > seen))
    }
}

/// SSE2 builds a bit mask of comparisons. Compilers do not vectorize the portable loop (measured: three times the
/// instructions).
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use core::arch::x86_64::{
        _mm_cmpgt_epi32, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32, _mm_set1_epi32,
        _mm_setr_epi32,
    };

    use super::CompactTick;

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn later(ticks: &[CompactTick; 32], seen: CompactTick) -> u32 {
        let seen = _mm_set1_epi32(seen.0);
        let four = |n: usize| {
            let [a, b, c, d] = [n, n + 1, n + 2, n + 3].map(|n| ticks[n].0);
            _mm_cmpgt_epi32(_mm_setr_epi32(a, b, c, d), seen)
        };
        let eight = |n| _mm_packs_epi32(four(n), four(n + 4));
        let sixteen = |n| _mm_movemask_epi8(_mm_packs_epi16(eight(n), eight(n + 8))) as u32;
        sixteen(0) | sixteen(16) << 16
    }
}

/// The ticks that one borrower compares with and writes.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Window {
    /// Rows with a later tick have changed since the borrower's last run.
    pub(crate) seen: CompactTick,
    /// The tick that the borrower writes into rows that it changes.
    pub(crate) now: CompactTick,
}

impl Window {
    /// The window of borrowers that do not use ticks.
    pub(crate) const NONE: Self = Self {
        seen: CompactTick::NEVER,
        now: CompactTick::LATEST,
    };
}

/// Allocates the ticks of a world.
///
/// A borrower takes the run-time borrow first and the tick afterwards. If one of two borrowers writes, the later one
/// therefore has the greater tick, and detects the other's changes or has its own detected. The borrow orders the
/// accesses, so relaxed atomics are enough here.
#[derive(Debug, Default)]
pub(crate) struct TickClock {
    now: AtomicU64,
    /// The origin of [`CompactTick`]s. Moves only under exclusive access to the world.
    base: u64,
    /// The number of returns to copies. After a return values differ although no tick does.
    returns: u64,
}

/// The number of past ticks within which the order of changes is exact.
const WINDOW: u64 = 1 << 31;
/// The base moves when it is this far behind the current tick.
pub(crate) const LIMIT: u64 = WINDOW + (1 << 30);

impl TickClock {
    /// A clock that starts at tick `now`.
    #[cfg(test)]
    pub(crate) fn starting_at(now: u64) -> Self {
        Self {
            now: AtomicU64::new(now),
            ..Self::default()
        }
    }

    /// Returns the origin of the ticks in rows, for a copy of the rows.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Sets the origin of the ticks in rows, which have returned to a copy. The clock itself keeps running, so that no
    /// borrower has seen a tick that is still to come.
    pub(crate) fn return_to(&mut self, origin: u64) {
        self.base = origin;
        self.returns += 1;
    }

    /// Notes that values came from another world, or went there, although no tick differs.
    pub(crate) fn note_moved(&mut self) {
        self.returns += 1;
    }

    /// Returns how many ticks before the next one a row's tick is.
    #[inline]
    pub(crate) fn age(&self, stored: CompactTick) -> u32 {
        self.between().distance().saturating_sub(stored.distance())
    }

    /// Returns the tick of a row with an [age](Self::age), or the oldest one if the clock has not run as long.
    #[inline]
    pub(crate) fn of_age(&self, age: u32) -> CompactTick {
        let distance = self.between().distance().saturating_sub(age);
        CompactTick::new(distance).max(CompactTick::OLD)
    }

    /// The last tick.
    pub(crate) fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Moves the clock forward to a tick that a copy has reached, unless it is later already.
    pub(crate) fn reach(&mut self, now: u64) {
        let later = self.now().max(now);
        self.now.store(later, Ordering::Relaxed);
    }

    /// Returns how often rows have returned to a copy.
    #[inline]
    pub(crate) fn returns(&self) -> u64 {
        self.returns
    }

    #[cfg(test)]
    pub(crate) fn advance_to(&mut self, now: u64) {
        self.now.store(now, Ordering::Relaxed);
    }

    /// The next tick.
    #[inline]
    pub(crate) fn tick(&self) -> Tick {
        Tick(self.now.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// The window from the borrower's last run, if it remembers one, to now.
    #[inline]
    pub(crate) fn window(&self, last: Option<&mut Tick>) -> Window {
        let now = self.tick();
        let seen = match last {
            None => CompactTick::NEVER,
            Some(last) => self.seen(core::mem::replace(last, now)),
        };
        Window {
            seen,
            now: self.compact(now),
        }
    }

    /// The tick written into rows that are changed through `&mut World`: after all borrows so far, before the next one.
    #[inline]
    pub(crate) fn between(&self) -> CompactTick {
        self.compact(self.next())
    }

    /// The tick of [`between`](Self::between).
    #[inline]
    pub(crate) fn next(&self) -> Tick {
        Tick(self.now.load(Ordering::Relaxed) + 1)
    }

    /// The window of exclusive access to the world.
    #[inline]
    pub(crate) fn exclusive(&self) -> Window {
        Window {
            seen: CompactTick::NEVER,
            now: self.between(),
        }
    }

    #[inline]
    fn compact(&self, tick: Tick) -> CompactTick {
        let distance = tick.0.saturating_sub(self.base);
        CompactTick::new(distance.clamp(1, u64::from(u32::MAX)) as u32)
    }

    /// Returns a tick that is below the ticks of all rows changed after `last`; rows whose order is no longer known count as
    /// changed.
    #[inline]
    pub(crate) fn seen(&self, last: Tick) -> CompactTick {
        let distance = last.0.saturating_sub(self.base);
        CompactTick::new(distance.min(u64::from(u32::MAX - 1)) as u32)
    }

    /// Returns the tick that a row stores; the oldest one of the window if the row's is older.
    #[inline]
    pub(crate) fn tick_of(&self, stored: CompactTick) -> Tick {
        Tick(self.base + u64::from(stored.distance()))
    }

    /// Returns true if it is time for [`advance`](Self::advance).
    #[inline]
    pub(crate) fn is_behind(&mut self) -> bool {
        self.now.load(Ordering::Relaxed) - self.base > LIMIT
    }

    /// Moves the base; all ticks in rows must then be [shifted](Shift::apply).
    pub(crate) fn advance(&mut self) -> Shift {
        let now = self.now.load(Ordering::Relaxed);
        let old = self.base;
        self.base = now.saturating_sub(WINDOW).max(old);
        self.shift_since(old)
    }

    /// Returns how ticks have changed since an earlier base.
    pub(crate) fn shift_since(&self, base: u64) -> Shift {
        let by = self.base.saturating_sub(base);
        Shift {
            by: u32::try_from(by).unwrap_or(u32::MAX),
            latest: self.between(),
        }
    }
}

/// The change of ticks in rows when the base moves.
#[derive(Clone, Copy)]
pub(crate) struct Shift {
    by: u32,
    latest: CompactTick,
}

impl Shift {
    pub(crate) fn apply(self, ticks: &mut [CompactTick]) {
        for tick in ticks {
            *tick = if *tick == CompactTick::LATEST {
                // The exact tick is unknown.
                self.latest
            } else {
                CompactTick::new(tick.distance().saturating_sub(self.by)).max(CompactTick::OLD)
            };
        }
    }
}

#[cfg(test)]
#[path = "tick_tests.rs"]
mod tests;
