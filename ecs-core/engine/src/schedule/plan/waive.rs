//! The choice of an order for pairs whose order was waived.

use alloc::vec::Vec;

use super::SchedulePlan;
use super::job_access::JobAccesses;
use crate::bits::Bits;
use crate::graph::{self, Edges};

impl SchedulePlan {
    /// Chooses the order of each pair whose order was waived and makes a difference. The system that can start sooner,
    /// counted in steps that wait for each other, comes first. On a tie, the order without the waiver holds.
    ///
    /// Returns the resulting edges, and the pairs that had a choice, all as positions in the list.
    pub(crate) fn choose(
        &self,
        edges: &[(usize, usize)],
        waived: &[(usize, usize)],
    ) -> (Edges, Edges) {
        let accesses = JobAccesses::new(self);
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
                let wait = accesses.steps_wait(first, second);
                if is_waived[pair.0].contains(pair.1) {
                    if wait || accesses.steps_wait(second, first) {
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
        // A pair that other edges order leaves no choice.
        let all_else = chosen.clone();
        for (first, second) in open {
            if graph::leads_to(count, &all_else, first, second) {
                continue;
            }
            ambiguous.push((first, second));
            let leads = |from, to| graph::leads_to(count, &chosen, from, to);
            if leads(first, second) || leads(second, first) {
                // Decided by earlier choices.
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
