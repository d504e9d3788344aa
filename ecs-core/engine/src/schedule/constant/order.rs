//! The order of a list, in constants.

use super::list::{Link, Written};
use super::refuse;

/// Returns the systems in the order in which they run: the next one is always the first in the list that waits for no
/// other one, as in a [`Schedule`](crate::Schedule).
///
/// Systems in a cycle, or after one, come last.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn order<const N: usize, const LINKS: usize>(
    systems: &[Written],
    links: &[Link],
) -> [usize; N] {
    let mut sorted = Sorted::<N>::new(&resolve::<LINKS>(systems, links));
    let mut i = 0;
    while i < N {
        if sorted.waits_for[i] > 0 {
            sorted.order[sorted.placed] = i;
            sorted.placed += 1;
        }
        i += 1;
    }
    sorted.order
}

/// Fails compilation at the caller if systems wait for each other.
///
/// # Panics
/// If they do.
#[doc(hidden)]
#[track_caller]
#[inline]
pub const fn refuse_cycle<const N: usize, const LINKS: usize>(systems: &[Written], links: &[Link]) {
    let edges = resolve::<LINKS>(systems, links);
    let sorted = Sorted::<N>::new(&edges);
    if sorted.placed == N {
        return;
    }
    // Each system that is left waits for another one that is left, so walking backwards ends in a cycle.
    let mut at = 0;
    while sorted.waits_for[at] == 0 {
        at += 1;
    }
    let mut steps = 0;
    while steps < N {
        at = sorted.before(&edges, at);
        steps += 1;
    }
    // `at` is in the cycle; walking backwards finds its systems in reverse.
    let mut cycle = [0; N];
    let mut len = 0;
    let start = at;
    loop {
        cycle[N - 1 - len] = at;
        len += 1;
        at = sorted.before(&edges, at);
        if at == start {
            break;
        }
    }
    refuse::cycle(systems, cycle.split_at(N - len).1);
}

/// Returns the pairs of positions of which the first one runs first.
#[inline]
pub(super) const fn resolve<const LINKS: usize>(
    systems: &[Written],
    links: &[Link],
) -> [Option<(usize, usize)>; LINKS] {
    let mut edges = [None; LINKS];
    let mut i = 0;
    while i < LINKS {
        edges[i] = links[i].edge(systems);
        i += 1;
    }
    edges
}

struct Sorted<const N: usize> {
    order: [usize; N],
    /// The number of systems in the order.
    placed: usize,
    /// The number of systems that each one still waits for.
    waits_for: [usize; N],
}

impl<const N: usize> Sorted<N> {
    #[inline]
    const fn new(edges: &[Option<(usize, usize)>]) -> Self {
        let mut sorted = Self {
            order: [0; N],
            placed: 0,
            waits_for: [0; N],
        };
        let mut i = 0;
        while i < edges.len() {
            if let Some((_, second)) = edges[i] {
                sorted.waits_for[second] += 1;
            }
            i += 1;
        }
        let mut done = [false; N];
        let mut next = 0;
        while next < N {
            if done[next] || sorted.waits_for[next] > 0 {
                next += 1;
                continue;
            }
            done[next] = true;
            sorted.order[sorted.placed] = next;
            sorted.placed += 1;
            let lowest = sorted.release(edges, next);
            if lowest < next {
                next = lowest;
            }
        }
        sorted
    }

    /// Removes the edges from `first`; returns the lowest system that waits for nothing any more, `N` if there is none.
    #[inline]
    const fn release(&mut self, edges: &[Option<(usize, usize)>], first: usize) -> usize {
        let mut lowest = N;
        let mut i = 0;
        while i < edges.len() {
            if let Some((one, second)) = edges[i]
                && one == first
            {
                self.waits_for[second] -= 1;
                if self.waits_for[second] == 0 && second < lowest {
                    lowest = second;
                }
            }
            i += 1;
        }
        lowest
    }

    /// Returns the lowest system that is left and that `second` waits for.
    #[inline]
    const fn before(&self, edges: &[Option<(usize, usize)>], second: usize) -> usize {
        let mut lowest = N;
        let mut i = 0;
        while i < edges.len() {
            if let Some((first, two)) = edges[i]
                && two == second
                && self.waits_for[first] > 0
                && first < lowest
            {
                lowest = first;
            }
            i += 1;
        }
        lowest
    }
}
