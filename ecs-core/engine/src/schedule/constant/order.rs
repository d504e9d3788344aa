//! The order of a list, in constants.

use super::list::{Link, Written};
use super::refuse;

/// The systems in the order in which they run: always the first in the list next that waits for no other one, as
/// [`Schedule`](crate::Schedule) orders them.
///
/// What waits for each other in a circle comes last.
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

/// Stops the compilation at the caller if systems wait for each other.
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
    // Whatever is stuck waits for something that is stuck too, so going back from one to the next ends in a circle.
    let mut at = 0;
    while sorted.waits_for[at] == 0 {
        at += 1;
    }
    let mut steps = 0;
    while steps < N {
        at = sorted.before(&edges, at);
        steps += 1;
    }
    // Now somewhere in the circle; walking back it is told backwards.
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

/// The pairs of places of which the first one runs first.
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
    /// How many systems are in the order.
    placed: usize,
    /// How many of the others each one still waits for.
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

    /// Those that wait for `first` no longer do; the lowest one that waits for nothing else.
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

    /// The lowest one that is stuck and that `second` waits for.
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
