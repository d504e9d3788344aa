//! What is made of the freedom where order was waived.

use super::Plan;
use super::graph::{self, Edges};
use super::reach::Reaches;
use crate::bits::Bits;

impl Plan {
    /// Chooses an order of each pair whose order was waived and makes a difference: first comes the one that can start
    /// sooner, counted in steps that wait for each other; of equals, the one that comes first anyway.
    ///
    /// Returns what has to come before what, and the pairs that the choice was about, all in positions in the list.
    pub(crate) fn choose(
        &self,
        edges: &[(usize, usize)],
        waived: &[(usize, usize)],
    ) -> (Edges, Edges) {
        let reaches = Reaches::new(self);
        let listed = |step: usize| self.steps[step].listed;
        let count = self.steps.len();
        let mut is_waived = vec![Bits::default(); count];
        for &(a, b) in waived {
            is_waived[a].insert(b);
            is_waived[b].insert(a);
        }
        let mut chosen = edges.to_vec();
        let mut open = Vec::new();
        for second in 0..count {
            for first in 0..second {
                let pair = (listed(first), listed(second));
                let wait = reaches.steps_wait(first, second);
                if is_waived[pair.0].contains(pair.1) {
                    if wait || reaches.steps_wait(second, first) {
                        open.push(pair);
                    }
                } else if wait {
                    chosen.push(pair);
                }
            }
        }
        let mut order = Vec::with_capacity(count);
        for step in &self.steps {
            order.push(step.listed);
        }
        let starts = graph::levels(&order, &chosen);
        let mut ambiguous = Edges::new();
        // What follows from all else is no choice.
        let all_else = chosen.clone();
        for (first, second) in open {
            if graph::leads_to(count, &all_else, first, second) {
                continue;
            }
            ambiguous.push((first, second));
            let leads = |from, to| graph::leads_to(count, &chosen, from, to);
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
        (chosen, ambiguous)
    }
}
