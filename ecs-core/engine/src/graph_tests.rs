//! Tests of sorting by constraints.

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
                let done =
                    |&(first, second): &(usize, usize)| second != *n || expected.contains(&first);
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
