//! From what was said about systems and sets to positions in the list.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::error::{Named, PlanError};
use super::graph;
use super::label::Label;
use super::list::{List, Listed};
use super::members::Members;
use super::plan::Planned;
use super::sets::ListedSet;

/// What a plan is made from; pairs are of positions in the list.
pub(super) struct Resolved {
    pub(super) systems: Vec<Planned>,
    /// The first one runs first.
    pub(super) edges: Vec<(usize, usize)>,
    /// List order need not be kept.
    pub(super) waived: Vec<(usize, usize)>,
}

impl List {
    /// Finds the systems that constraints name, and gives each system what was said about its sets.
    pub(super) fn resolve(&self) -> Result<Resolved, PlanError> {
        let sets = Sets::of(self)?;
        let members = Members::of(self, &sets);
        let mut edges = self.chained.clone();
        for (position, system) in self.systems.iter().enumerate() {
            let named = || Named::System(system.meta.name);
            members.constrain(&[position], named, &system.constraints, &mut edges)?;
        }
        for set in &self.sets {
            let systems = members.of_set(&set.label).unwrap_or_default();
            let named = || Named::set(&set.label);
            members.constrain(systems, named, &set.constraints, &mut edges)?;
        }
        for (first, second) in &self.chained_sets {
            let [first, second] = [first, second].map(|set| members.of_set(set));
            edges.extend(pairs(first.unwrap_or_default(), second.unwrap_or_default()));
        }
        for place in self.systems.len()..members.places {
            without(place, &mut edges);
        }
        Ok(Resolved {
            systems: self.systems.iter().map(|s| sets.planned(s)).collect(),
            edges,
            waived: members.waived(self.systems.len(), &self.waived)?,
        })
    }
}

/// Every place of the first list with every one of the second.
fn pairs(first: &[usize], second: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let pairs = |&one: &usize| second.iter().map(move |&other| (one, other));
    first.iter().flat_map(pairs)
}

/// Takes a place out of the order, and keeps the order of those that come before and after it.
fn without(place: usize, edges: &mut Vec<(usize, usize)>) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    edges.retain(|&(first, second)| {
        match (first == place, second == place) {
            (false, true) => before.push(first),
            (true, false) => after.push(second),
            (true, true) => {}
            (false, false) => return true,
        }
        false
    });
    edges.extend(pairs(&before, &after));
}

/// The sets, by label.
pub(super) struct Sets<'a> {
    configured: HashMap<&'a Label, &'a ListedSet>,
}

impl<'a> Sets<'a> {
    fn of(list: &'a List) -> Result<Self, PlanError> {
        let mut configured = HashMap::new();
        for set in &list.sets {
            match configured.entry(&set.label) {
                Entry::Vacant(entry) => _ = entry.insert(set),
                Entry::Occupied(_) => {
                    return Err(PlanError::ConfiguredTwice {
                        set: format!("{:?}", set.label),
                    });
                }
            }
        }
        let sets = Self { configured };
        sets.refuse_circles(list)?;
        Ok(sets)
    }

    /// Sets that are in each other would have no outermost one.
    fn refuse_circles(&self, list: &List) -> Result<(), PlanError> {
        let numbers = list.sets.iter().enumerate();
        let numbers: HashMap<_, _> = numbers.map(|(n, set)| (&set.label, n)).collect();
        let inside = list.sets.iter().enumerate().flat_map(|(n, set)| {
            // A set that is not configured is in no other one.
            let outer = set.sets.iter().filter_map(|outer| numbers.get(outer));
            outer.map(move |&outer| (n, outer))
        });
        let inside: Vec<_> = inside.collect();
        match graph::order(list.sets.len(), &inside) {
            Ok(_) => Ok(()),
            Err(circle) => {
                let name = |&n: &usize| format!("{:?}", list.sets[n].label);
                let sets = circle.iter().map(name).collect();
                Err(PlanError::SetsInEachOther { sets })
            }
        }
    }

    /// The sets and those that they are in, each once, the outermost first.
    pub(super) fn all(&self, direct: &'a [Label]) -> Vec<&'a Label> {
        let mut all = Vec::new();
        self.collect(direct, &mut all);
        all
    }

    fn collect(&self, direct: &'a [Label], all: &mut Vec<&'a Label>) {
        for label in direct {
            if all.contains(&label) {
                continue;
            }
            if let Some(set) = self.configured.get(label) {
                self.collect(&set.sets, all);
            }
            all.push(label);
        }
    }

    /// The system with the conditions of its sets, which are asked first.
    fn planned(&self, system: &'a Listed) -> Planned {
        let sets = self.all(&system.sets).into_iter();
        let sets = sets.filter_map(|label| self.configured.get(label));
        let mut conditions: Vec<usize> = sets
            .flat_map(|set| set.conditions.iter().copied())
            .collect();
        conditions.extend(&system.conditions);
        Planned {
            id: system.id,
            meta: system.meta,
            conditions,
            flush: system.flush,
        }
    }
}
