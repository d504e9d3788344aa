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

/// Sorts `preferred`, which has each number below its length once, topologically: the next number is always the first of
/// the list whose predecessors are all placed; see [`order`].
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
mod tests {
    use super::*;

    #[test]
    fn without_edges_the_order_is_that_of_the_list() {
        assert_eq!(order(4, &[]), Ok(vec![0, 1, 2, 3]));
        assert_eq!(order(0, &[]), Ok(vec![]));
    }

    #[test]
    fn only_what_must_wait_is_moved() {
        // 1 waits for 3: the others keep their positions, and 1 follows directly.
        assert_eq!(order(5, &[(3, 1)]), Ok(vec![0, 2, 3, 1, 4]));
        assert_eq!(order(3, &[(0, 1), (0, 1), (1, 2)]), Ok(vec![0, 1, 2]));
        assert_eq!(order(4, &[(3, 0), (2, 3)]), Ok(vec![1, 2, 3, 0]));
    }

    #[test]
    fn another_list_order_is_kept_as_far_as_edges_allow() {
        assert_eq!(order_as(&[2, 0, 1], &[]), Ok(vec![2, 0, 1]));
        assert_eq!(order_as(&[2, 0, 1], &[(1, 2)]), Ok(vec![0, 1, 2]));
        assert_eq!(order_as(&[1, 0], &[(0, 1), (1, 0)]), Err(vec![0, 1]));
    }

    #[test]
    fn a_cycle_is_reported_without_those_that_only_wait_for_it() {
        // 0 waits for the cycle 1 -> 3 -> 2 -> 1; 4 is unrelated.
        let edges = [(2, 1), (1, 3), (3, 2), (2, 0)];
        assert_eq!(order(5, &edges), Err(vec![1, 3, 2]));
        assert_eq!(order(2, &[(1, 1)]), Err(vec![1]));
    }

    #[test]
    fn every_order_keeps_every_edge_and_is_the_least_one() {
        // Random edges along a hidden order; compared with a naive implementation of the definition.
        let mut random = 12345_u32;
        let mut next = |below: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) as usize % below
        };
        for _ in 0..200 {
            let count = 1 + next(12);
            let mut hidden = Vec::from_iter(0..count);
            for i in (1..count).rev() {
                hidden.swap(i, next(i + 1));
            }
            let edges: Vec<_> = (0..next(20))
                .map(|_| (next(count), next(count)))
                .filter(|(a, b)| a < b)
                .map(|(a, b)| (hidden[a], hidden[b]))
                .collect();
            let mut expected: Vec<usize> = Vec::new();
            while expected.len() < count {
                let free = (0..count).find(|n| {
                    let done = |&(first, second): &(usize, usize)| {
                        second != *n || expected.contains(&first)
                    };
                    !expected.contains(n) && edges.iter().all(done)
                });
                expected.push(free.expect("the hidden order is possible"));
            }
            assert_eq!(order(count, &edges), Ok(expected), "{edges:?}");
        }
    }

    #[test]
    fn reduction_keeps_what_is_reachable_and_nothing_else() {
        let reduce = |count, mut edges: Edges| {
            reduce(count, &mut edges);
            edges
        };
        assert_eq!(reduce(3, vec![(0, 1), (1, 2), (0, 2)]), [(0, 1), (1, 2)]);
        assert_eq!(reduce(3, vec![(0, 2), (1, 2), (0, 2)]), [(1, 2), (0, 2)]);
        let all: Edges = (0..100).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
        let chain: Vec<_> = (1..100).map(|n| (n - 1, n)).collect();
        assert_eq!(reduce(100, all), chain);
    }

    #[test]
    fn levels_count_the_longest_way() {
        let edges = [(2, 0), (0, 1), (2, 1), (1, 4)];
        assert_eq!(levels(&[2, 0, 1, 3, 4], &edges), [1, 2, 0, 0, 3]);
    }

    #[test]
    fn ways_lead_forward_only() {
        let edges = [(0, 1), (1, 2), (3, 2)];
        assert!(leads_to(4, &edges, 0, 2) && leads_to(4, &edges, 3, 2));
        assert!(!leads_to(4, &edges, 2, 0) && !leads_to(4, &edges, 0, 3));
        assert!(!leads_to(4, &edges, 1, 1), "no way without an edge");
    }
}
