//! The order of a list, in constants.

use super::list::{ConstLink, ListedFunction};
use super::refuse;

/// Returns the systems in running order. As in a [`Schedule`](crate::Schedule), the next system is always the first in the
/// list that waits for no other.
///
/// Systems in a cycle, or after one, come last.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn order<const N: usize>(systems: &[ListedFunction], links: &[ConstLink]) -> [usize; N] {
    let mut sorted = Sorted::<N>::new(&resolve::<N>(systems, links));
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
pub const fn refuse_cycle<const N: usize>(systems: &[ListedFunction], links: &[ConstLink]) {
    let edges = resolve::<N>(systems, links);
    let sorted = Sorted::<N>::new(&edges);
    if sorted.placed == N {
        return;
    }
    // Each remaining system waits for another remaining one, so walking backwards ends in a cycle.
    let mut at = 0;
    while sorted.waits_for[at] == 0 {
        at += 1;
    }
    let mut steps = 0;
    while steps < N {
        at = sorted.before(&edges, at);
        steps += 1;
    }
    // `at` is in the cycle; walking backwards visits its systems in reverse.
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

/// For each system, the systems that it runs before.
pub(super) type Edges<const N: usize> = [[bool; N]; N];

/// Returns the order that the links demand.
#[inline]
pub(super) const fn resolve<const N: usize>(
    systems: &[ListedFunction],
    links: &[ConstLink],
) -> Edges<N> {
    let mut edges = [[false; N]; N];
    let mut i = 0;
    while i < links.len() {
        if let Some((first, second)) = links[i].edge(systems) {
            edges[first][second] = true;
        }
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
    const fn new(edges: &Edges<N>) -> Self {
        let mut sorted = Self {
            order: [0; N],
            placed: 0,
            waits_for: [0; N],
        };
        let mut first = 0;
        while first < N {
            let mut second = 0;
            while second < N {
                sorted.waits_for[second] += edges[first][second] as usize;
                second += 1;
            }
            first += 1;
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

    /// Removes the edges from `first`. Returns the lowest system that now waits for nothing, or `N` if there is none.
    #[inline]
    const fn release(&mut self, edges: &Edges<N>, first: usize) -> usize {
        let mut lowest = N;
        let mut second = N;
        while second > 0 {
            second -= 1;
            if edges[first][second] {
                self.waits_for[second] -= 1;
                if self.waits_for[second] == 0 {
                    lowest = second;
                }
            }
        }
        lowest
    }

    /// Returns the lowest remaining system that `second` waits for.
    #[inline]
    const fn before(&self, edges: &Edges<N>, second: usize) -> usize {
        let mut first = 0;
        while first < N {
            if edges[first][second] && self.waits_for[first] > 0 {
                return first;
            }
            first += 1;
        }
        N
    }
}
