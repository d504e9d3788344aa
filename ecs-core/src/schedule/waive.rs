//! What is made of the freedom where order was waived.

use std::collections::HashSet;

use super::graph::{self, Edges};
use super::plan::Plan;
use super::reach::Reaches;

impl Plan {
    /// Chooses an order of each pair whose order was waived and makes a difference: first comes the one that can start
    /// sooner, counted in steps that wait for each other; of equals, the one that comes first anyway.
    ///
    /// Returns what has to come before what, and the pairs that the choice was about, all in positions in the list.
    pub(super) fn choose(
        &self,
        edges: &[(usize, usize)],
        waived: &[(usize, usize)],
    ) -> (Edges, Edges) {
        let reaches = Reaches::new(self);
        let listed = |step: usize| self.steps[step].listed;
        let waived: HashSet<_> = waived.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        let mut chosen = edges.to_vec();
        let mut open = Vec::new();
        for second in 0..self.steps.len() {
            for first in 0..second {
                let pair = (listed(first), listed(second));
                let wait = reaches.steps_wait(first, second);
                if waived.contains(&pair) {
                    if wait || reaches.steps_wait(second, first) {
                        open.push(pair);
                    }
                } else if wait {
                    chosen.push(pair);
                }
            }
        }
        let order: Vec<usize> = (0..self.steps.len()).map(listed).collect();
        let starts = graph::levels(&order, &chosen);
        // What follows from all else is no choice.
        open.retain(|&(first, second)| !graph::leads_to(order.len(), &chosen, first, second));
        for &(first, second) in &open {
            let leads = |from, to| graph::leads_to(order.len(), &chosen, from, to);
            if leads(first, second) || leads(second, first) {
                // Earlier choices have decided.
                continue;
            }
            let sooner = starts[second] < starts[first];
            chosen.push(if sooner {
                (second, first)
            } else {
                (first, second)
            });
        }
        (chosen, open)
    }
}
