//! Algorithms on directed graphs whose nodes are numbers.

use alloc::vec::Vec;

use crate::bits::Bits;

/// Pairs of numbers: the first comes before the second.
pub(crate) type Edges = Vec<(usize, usize)>;

/// Returns the successors of each node.
fn successors(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut successors = vec![Vec::new(); count];
    for &(first, second) in edges {
        successors[first].push(second);
    }
    successors
}

/// Sorts `0..count` topologically: the next number is always the lowest one whose predecessors are all placed. Without
/// edges the result is `0..count`.
///
/// O(edges + count * count / 64). If there is a cycle, the error contains one: each number has an edge to the next one,
/// and the last one to the first.
pub(crate) fn order(count: usize, edges: &[(usize, usize)]) -> Result<Vec<usize>, Vec<usize>> {
    order_as(&Vec::from_iter(0..count), edges)
}

/// Sorts `preferred`, a list of each number below its length, topologically: the next number is always the first in the
/// list whose predecessors are all placed; see [`order`].
pub(crate) fn order_as(
    preferred: &[usize],
    edges: &[(usize, usize)],
) -> Result<Vec<usize>, Vec<usize>> {
    let count = preferred.len();
    let mut places = vec![0; count];
    for (place, &n) in preferred.iter().enumerate() {
        places[n] = place;
    }
    let successors = successors(count, edges);
    let mut waits_for = vec![0_usize; count];
    for &(_, second) in edges {
        waits_for[second] += 1;
    }
    let mut ready = Bits::default();
    for (n, &before) in waits_for.iter().enumerate() {
        if before == 0 {
            ready.insert(places[n]);
        }
    }
    let mut placed = Vec::with_capacity(count);
    while let Some(place) = ready.take_first() {
        let next = preferred[place];
        placed.push(next);
        for &n in &successors[next] {
            waits_for[n] -= 1;
            if waits_for[n] == 0 {
                ready.insert(places[n]);
            }
        }
    }
    if placed.len() == count {
        Ok(placed)
    } else {
        Err(cycle(edges, &waits_for))
    }
}

/// Returns a cycle among the numbers that still wait for others, starting at its lowest one.
fn cycle(edges: &[(usize, usize)], waits_for: &[usize]) -> Vec<usize> {
    let mut last = 0;
    while waits_for[last] == 0 {
        last += 1;
    }
    // Each number that is left waits for another one that is left, so walking backwards ends in a cycle.
    let mut path = Vec::new();
    while !path.contains(&last) {
        path.push(last);
        let mut before = usize::MAX;
        for &(first, second) in edges {
            if second == last && waits_for[first] > 0 {
                before = before.min(first);
            }
        }
        last = before;
    }
    // Numbers before the cycle only wait for it. The walk found the cycle itself from the last number to the first.
    let mut cycle = Vec::new();
    while let Some(n) = path.pop() {
        cycle.push(n);
        if n == last {
            break;
        }
    }
    let mut lowest = 0;
    for i in 1..cycle.len() {
        if cycle[i] < cycle[lowest] {
            lowest = i;
        }
    }
    let (end, start) = cycle.split_at(lowest);
    [start, end].concat()
}

/// Returns the number of edges on the longest path to each number. `order` is a topological order of all numbers.
pub(crate) fn levels(order: &[usize], edges: &[(usize, usize)]) -> Vec<usize> {
    let successors = successors(order.len(), edges);
    let mut levels = vec![0; order.len()];
    for &n in order {
        for &next in &successors[n] {
            levels[next] = levels[next].max(levels[n] + 1);
        }
    }
    levels
}

/// Returns true if there is a path of at least one edge.
pub(crate) fn leads_to(count: usize, edges: &[(usize, usize)], from: usize, to: usize) -> bool {
    let successors = successors(count, edges);
    let mut reached = Bits::default();
    let mut ahead = vec![from];
    while let Some(n) = ahead.pop() {
        for &next in &successors[n] {
            if next == to {
                return true;
            }
            if reached.insert(next) {
                ahead.push(next);
            }
        }
    }
    false
}

/// Removes the edges that follow from others (transitive reduction): an edge stays only if there is no longer path
/// between its ends. Every edge goes from a lower to a higher number, below `count`.
///
/// The remaining edges are sorted by second number, and for one second number by descending first number.
///
/// O(edges * count / 64).
pub(crate) fn reduce(count: usize, edges: &mut Edges) {
    let mut before = vec![Bits::default(); count];
    for &(first, second) in edges.iter() {
        debug_assert!(first < second, "an edge against the order");
        before[second].insert(first);
    }
    edges.clear();
    // By number: the numbers with a path to it.
    let mut reached_from: Vec<Bits> = Vec::with_capacity(count);
    for (second, before) in before.iter_mut().enumerate() {
        let mut reached = Bits::default();
        // Nearest first: a longer path between the same ends only leads through nearer numbers.
        while let Some(first) = before.take_last() {
            if reached.insert(first) {
                reached.union_with(&reached_from[first]);
                edges.push((first, second));
            }
        }
        reached_from.push(reached);
    }
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
