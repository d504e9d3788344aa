//! Numbers of 64 bits for processors whose atomic instructions have 32.

use super::{Mutex, Ordering, PoisonError};

/// Like `core::sync::atomic::AtomicU64`, but uses a lock. Orderings are ignored: each access is ordered by the lock.
#[derive(Debug, Default)]
pub(crate) struct AtomicU64(Mutex<u64>);

impl AtomicU64 {
    pub(crate) const fn new(value: u64) -> Self {
        Self(Mutex::new(value))
    }

    pub(crate) fn load(&self, _: Ordering) -> u64 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn store(&self, value: u64, _: Ordering) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = value;
    }

    /// Adds, modulo 2^64, and returns the value before.
    pub(crate) fn fetch_add(&self, summand: u64, _: Ordering) -> u64 {
        let mut value = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = *value;
        *value = before.wrapping_add(summand);
        before
    }

    /// Replaces a smaller value, and returns the value before.
    pub(crate) fn fetch_max(&self, value: u64, _: Ordering) -> u64 {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = *known;
        *known = before.max(value);
        before
    }

    pub(crate) fn get_mut(&mut self) -> &mut u64 {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_lose_no_sum_above_32_bits() {
        let mut sum = AtomicU64::new(u64::from(u32::MAX) - 50);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        sum.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(sum.load(Ordering::Relaxed), u64::from(u32::MAX) + 150);
        sum.store(u64::MAX, Ordering::Relaxed);
        assert_eq!(sum.fetch_add(3, Ordering::Relaxed), u64::MAX);
        *sum.get_mut() += 5;
        assert_eq!(sum.load(Ordering::Relaxed), 7);
        assert_eq!(sum.fetch_max(9, Ordering::Relaxed), 7);
        assert_eq!(sum.fetch_max(8, Ordering::Relaxed), 9);
    }
}
