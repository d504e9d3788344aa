//! The keys at some places of an order, of a sequence that is walked several times, with memory for few of them.
//!
//! The first walk keeps a sample, which tells between which two keys the wanted ones are, with a margin. The next one keeps what is
//! between the two: all of it, or again a sample. So two walks find any page of a million keys, and three of a hundred million. Pages
//! near the beginning need one walk, and keep the least keys.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The keys that are kept.
const KEPT: usize = 1 << 15;
/// The last key of pages that need one walk.
const NEAR: u64 = 1 << 10;
/// The keys that are sorted in one piece.
const RUN: usize = 512;
/// The walks. The sequence may change between two of them, so that a page is not where the last one was.
const MOST_WALKS: u32 = 12;

/// The keys after `skip` ones, at most `limit`.
pub(super) struct RankWindow<K> {
    skip: u64,
    limit: usize,
    /// The kept keys are from this one on,
    low: Option<K>,
    /// and before this one.
    high: Option<K>,
    walks: u32,
    below: u64,
    inside: u64,
    phase: RankPhase<K>,
    random: u64,
}

enum RankPhase<K> {
    /// The least keys, the greatest of them first.
    Least(BinaryHeap<K>),
    /// All keys inside, or a sample of them.
    Sample(Vec<K>),
    /// Sorted runs, and the first key of each with its number.
    Merging {
        rest: Vec<K>,
        runs: Vec<std::vec::IntoIter<K>>,
        heads: BinaryHeap<Reverse<(K, usize)>>,
        sorted: Vec<K>,
    },
    /// The page; false if the keys changed so much between the walks that it may be another one.
    Found(Vec<K>, bool),
}

/// The outcome of a walk.
pub(super) enum RankStep<'a, K> {
    /// It goes on with the next call.
    Open,
    /// The keys have to be added again.
    Again,
    /// The page; false if it may be another one.
    Found(&'a [K], bool),
}

impl<K: Ord + Clone> RankWindow<K> {
    pub(super) fn new(skip: u64, limit: usize) -> Self {
        let is_near = skip.saturating_add(limit as u64) <= NEAR;
        Self {
            skip,
            limit,
            low: None,
            high: None,
            walks: 1,
            below: 0,
            inside: 0,
            phase: match is_near {
                true => RankPhase::Least(BinaryHeap::new()),
                false => RankPhase::Sample(Vec::new()),
            },
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Adds the next key of a walk. O(log(page)).
    pub(super) fn add(&mut self, key: K) {
        if self.low.as_ref().is_some_and(|low| key < *low) {
            self.below += 1;
            return;
        }
        if self.high.as_ref().is_some_and(|high| key >= *high) {
            return;
        }
        self.inside += 1;
        match &mut self.phase {
            RankPhase::Least(heap) => {
                if heap.len() < self.skip as usize + self.limit {
                    heap.push(key);
                } else if let Some(mut greatest) = heap.peek_mut()
                    && key < *greatest
                {
                    *greatest = key;
                }
            }
            RankPhase::Sample(keys) if keys.len() < KEPT => keys.push(key),
            RankPhase::Sample(keys) => {
                // Each key is kept with the same probability.
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                let place = self.random % self.inside;
                if let Some(kept) = keys.get_mut(place as usize) {
                    *kept = key;
                }
            }
            RankPhase::Merging { .. } | RankPhase::Found(..) => {}
        }
    }

    /// Looks for the page in the kept keys, until the time is spent.
    pub(super) fn end(&mut self, is_spent: &mut dyn FnMut() -> bool) -> RankStep<'_, K> {
        if let RankPhase::Least(heap) = &mut self.phase {
            let mut page = std::mem::take(heap).into_sorted_vec();
            page.drain(..page.len().min(self.skip as usize));
            self.phase = RankPhase::Found(page, true);
        }
        if let RankPhase::Sample(keys) = &mut self.phase {
            self.phase = RankPhase::Merging {
                rest: std::mem::take(keys),
                runs: Vec::new(),
                heads: BinaryHeap::new(),
                sorted: Vec::new(),
            };
        }
        if let RankPhase::Merging { .. } = self.phase {
            if !self.merge(is_spent) {
                return RankStep::Open;
            }
            if !self.choose() {
                return RankStep::Again;
            }
        }
        match &self.phase {
            RankPhase::Found(page, is_exact) => RankStep::Found(page, *is_exact),
            _ => RankStep::Open,
        }
    }

    /// Sorts the kept keys; returns true at the end.
    fn merge(&mut self, is_spent: &mut dyn FnMut() -> bool) -> bool {
        let RankPhase::Merging {
            rest,
            runs,
            heads,
            sorted,
        } = &mut self.phase
        else {
            return true;
        };
        while !rest.is_empty() {
            let mut run = rest.split_off(rest.len().saturating_sub(RUN));
            run.sort_unstable();
            let mut run = run.into_iter();
            heads.extend(run.next().map(|key| Reverse((key, runs.len()))));
            runs.push(run);
            if is_spent() {
                return false;
            }
        }
        while let Some(Reverse((key, run))) = heads.pop() {
            sorted.push(key);
            heads.extend(runs[run].next().map(|key| Reverse((key, run))));
            if sorted.len().is_multiple_of(256) && is_spent() {
                return false;
            }
        }
        true
    }

    /// Takes the page out of the sorted keys, or begins a walk with other bounds and returns false.
    fn choose(&mut self) -> bool {
        let RankPhase::Merging { sorted, .. } = &mut self.phase else {
            return true;
        };
        let sorted = std::mem::take(sorted);
        let (kept, end) = (
            sorted.len() as u64,
            self.skip.saturating_add(self.limit as u64),
        );
        let is_all = kept == self.inside;
        let is_inside = (self.skip >= self.below || self.low.is_none())
            && (end <= self.below + self.inside || self.high.is_none());
        let is_exact = is_all && is_inside;
        if is_exact || self.walks == MOST_WALKS {
            let start = self.skip.saturating_sub(self.below);
            let page = sorted.into_iter().skip(start as usize).take(self.limit);
            self.phase = RankPhase::Found(page.collect(), is_exact);
            return true;
        }
        if is_inside {
            // The places of the wanted keys in the sample, with a margin of four times the usual error.
            let place = |rank: u64| {
                let rank = rank.saturating_sub(self.below).min(self.inside);
                (u128::from(rank) * u128::from(kept) / u128::from(self.inside.max(1))) as usize
            };
            let margin = 2 * kept.isqrt() as usize;
            let (first, last) = (place(self.skip), place(end) + margin);
            if let Some(key) = first
                .checked_sub(margin)
                .and_then(|place| sorted.get(place))
            {
                self.low = Some(key.clone());
            }
            if let Some(key) = sorted.get(last) {
                self.high = Some(key.clone());
            }
        } else {
            // The keys have changed since the last walk.
            (self.low, self.high) = (None, None);
        }
        self.walks += 1;
        (self.below, self.inside) = (0, 0);
        self.phase = RankPhase::Sample(Vec::new());
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page, the number of walks, and whether the page is exact.
    fn page(
        keys: &mut dyn FnMut(u32) -> Vec<u64>,
        skip: u64,
        limit: usize,
    ) -> (Vec<u64>, u32, bool) {
        let mut window = RankWindow::new(skip, limit);
        let mut walks = 1;
        loop {
            for key in keys(walks) {
                window.add(key);
            }
            loop {
                match window.end(&mut || true) {
                    RankStep::Open => {}
                    RankStep::Again => break,
                    RankStep::Found(page, is_exact) => return (page.to_vec(), walks, is_exact),
                }
            }
            walks += 1;
        }
    }

    fn shuffled(count: u64) -> Vec<u64> {
        // A multiplication by a number without common divisor permutes them.
        (0..count).map(|key| key * 7_919 % count).collect()
    }

    #[test]
    fn any_page_is_as_in_the_sorted_list_after_few_walks() {
        let count = 300_007;
        let keys = shuffled(count);
        for (skip, limit) in [
            (0, 40),
            (984, 40),
            (985, 40),
            (150_000, 200),
            (count - 20, 40),
            (count - 1, 1),
            (count, 40),
            (u64::MAX, 40),
            (7, 0),
        ] {
            let (found, walks, is_exact) = page(&mut |_| keys.clone(), skip, limit);
            let expected: Vec<u64> = (skip..count).take(limit).collect();
            assert_eq!((found, is_exact), (expected, true), "{skip} {limit}");
            assert!(walks <= 3, "{skip} {limit}: {walks} walks");
        }
    }

    #[test]
    fn few_keys_need_no_second_walk() {
        for count in [0, 1, 30, KEPT as u64] {
            let (found, walks, _) = page(&mut |_| shuffled(count), 1_100, 40);
            assert_eq!(found, (1_100..count).take(40).collect::<Vec<_>>());
            assert_eq!(walks, 1);
        }
    }

    #[test]
    fn keys_that_change_between_walks_end_in_a_page_of_the_last_walk() {
        // All keys grow beyond all bounds of the walks before.
        let grown = |walk: u32| {
            let by = 10_000_000 * u64::from(walk);
            shuffled(200_003).into_iter().map(|key| key + by).collect()
        };
        let (found, walks, is_exact) = page(&mut { grown }, 100_000, 40);
        assert!(walks <= MOST_WALKS && found.len() <= 40, "{walks}");
        assert!(!is_exact);
        // They change once.
        let (found, walks, is_exact) = page(&mut |walk| grown(walk.min(2)), 100_000, 40);
        let expected: Vec<u64> = (20_100_000..20_100_040).collect();
        assert_eq!((found, walks, is_exact), (expected, 4, true));
    }
}
