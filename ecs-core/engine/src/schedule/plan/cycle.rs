//! The message about systems that wait for each other.

use alloc::string::String;
use alloc::vec::Vec;
use core::panic::Location;

use super::members::SystemPositions;
use crate::schedule::declare::{Label, OrderKind, StepConstraint, Subject};

impl SystemPositions<'_> {
    /// Returns a cycle of systems, and inserts the empty sets that make a system wait for the next one. `edges` are the
    /// edges of all positions.
    #[inline]
    pub(crate) fn with_empty_sets(&self, cycle: &[usize], edges: &[(usize, usize)]) -> Vec<usize> {
        let mut whole = Vec::new();
        for (n, &first) in cycle.iter().enumerate() {
            whole.push(first);
            whole.extend(self.empty_sets_between(first, next_in(cycle, n), edges));
        }
        whole
    }

    /// Returns the positions on a shortest path from one system to another one.
    #[inline]
    fn empty_sets_between(
        &self,
        first: usize,
        second: usize,
        edges: &[(usize, usize)],
    ) -> Vec<usize> {
        // Positions that were reached, each with the index of the position before it.
        let mut reached = vec![(first, 0)];
        let mut index = 0;
        while let Some(&(last, _)) = reached.get(index) {
            for &(_, next) in edges.iter().filter(|(from, _)| *from == last) {
                if next == second {
                    let mut path = Vec::new();
                    while index > 0 {
                        let (place, before) = reached[index];
                        path.insert(0, place);
                        index = before;
                    }
                    return path;
                }
                if self.is_empty_set(next) && !reached.iter().any(|(known, _)| *known == next) {
                    reached.push((next, index));
                }
            }
            index += 1;
        }
        Vec::new()
    }

    #[inline]
    fn is_empty_set(&self, position: usize) -> bool {
        position >= self.list.systems.len()
    }

    /// Returns the constraints that place the positions of a cycle one after the other: constraints of sets, with
    /// the place in the source, and constraints of systems against empty sets.
    #[inline]
    pub(crate) fn orders_in(&self, cycle: &[usize]) -> Vec<String> {
        let mut orders: Vec<String> = Vec::new();
        for (n, &first) in cycle.iter().enumerate() {
            let second = next_in(cycle, n);
            let is_in = |label: &Label, position| {
                let members = self.of_set(label).unwrap_or_default();
                members.contains(&position)
            };
            let mut add = |before: Subject, after: Subject, at: Option<&Location<'_>>| {
                let order = match at {
                    Some(at) => format!("{before} before {after} ({at})"),
                    None => format!("{before} before {after}"),
                };
                if !orders.contains(&order) {
                    orders.push(order);
                }
            };
            let mut constrained = |named: &dyn Fn() -> Subject,
                                   constraint: &StepConstraint,
                                   of: &dyn Fn(usize) -> bool,
                                   at: Option<&Location<'_>>| {
                let StepConstraint { kind, other } = constraint;
                let others = self.find(named, *kind, other).unwrap_or_default();
                match kind {
                    OrderKind::Before if of(first) && others.contains(&second) => {
                        add(named(), other.named(), at);
                    }
                    OrderKind::After if of(second) && others.contains(&first) => {
                        add(other.named(), named(), at);
                    }
                    _ => {}
                }
            };
            for set in &self.list.sets {
                let named = || Subject::set(&set.label);
                for constraint in &set.constraints {
                    let of = |position| is_in(&set.label, position);
                    constrained(&named, constraint, &of, Some(set.at));
                }
            }
            if self.is_empty_set(first) != self.is_empty_set(second) {
                let position = first.min(second);
                let system = &self.list.systems[position];
                let named = || Subject::System(system.meta.name);
                for constraint in &system.constraints {
                    constrained(&named, constraint, &|other| other == position, None);
                }
            }
            for chained in &self.list.chained_sets {
                if is_in(&chained.first, first) && is_in(&chained.second, second) {
                    let (before, after) = (&chained.first, &chained.second);
                    add(Subject::set(before), Subject::set(after), Some(chained.at));
                }
            }
        }
        orders
    }
}

/// Returns the position that follows the `n`th one in a cycle.
#[inline]
fn next_in(cycle: &[usize], n: usize) -> usize {
    cycle[(n + 1) % cycle.len()]
}
