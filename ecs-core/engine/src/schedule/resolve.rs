//! From what was said about systems and sets to positions in the list.

use std::collections::HashMap;

use super::error::{Named, PlanError};
use super::graph::{self, Edges};
use super::label::Label;
use super::list::{List, Listed};
use super::members::Members;
use super::plan::Planned;
use super::sets::ListedSet;

/// What a plan is made from; pairs are of positions in the list.
pub(super) struct Resolved {
    pub(super) systems: Vec<Planned>,
    /// The first one runs first.
    pub(super) edges: Edges,
    /// List order need not be kept.
    pub(super) waived: Edges,
}

impl List {
    /// Finds the systems that constraints name, and gives each system what was said about its sets.
    pub(super) fn resolve(&self) -> Result<Resolved, PlanError> {
        let sets = Sets::of(self)?;
        let members = Members::of(self, &sets);
        let mut edges = self.chained.clone();
        for (position, system) in self.systems.iter().enumerate() {
            let named = || Named::System(system.meta.name);
            members.constrain(&[position], &named, &system.constraints, &mut edges)?;
        }
        for set in &self.sets {
            let systems = members.of_set(&set.label).unwrap_or_default();
            let named = || Named::set(&set.label);
            members.constrain(systems, &named, &set.constraints, &mut edges)?;
        }
        for (first, second) in &self.chained_sets {
            let first = members.of_set(first).unwrap_or_default();
            let second = members.of_set(second).unwrap_or_default();
            add_pairs(first, second, &mut edges);
        }
        for place in self.systems.len()..members.places {
            without(place, &mut edges);
        }
        let waived = members.waived(self.systems.len(), &self.waived)?;
        let mut systems = Vec::with_capacity(self.systems.len());
        for system in &self.systems {
            systems.push(sets.planned(system));
        }
        Ok(Resolved {
            systems,
            edges,
            waived,
        })
    }
}

/// Adds every place of the first list with every one of the second.
fn add_pairs(first: &[usize], second: &[usize], edges: &mut Edges) {
    for &one in first {
        for &other in second {
            edges.push((one, other));
        }
    }
}

/// Takes a place out of the order, and keeps the order of those that come before and after it.
fn without(place: usize, edges: &mut Edges) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (first, second) in core::mem::take(edges) {
        match (first == place, second == place) {
            (false, true) => before.push(first),
            (true, false) => after.push(second),
            (true, true) => {}
            (false, false) => edges.push((first, second)),
        }
    }
    add_pairs(&before, &after, edges);
}

/// All sets that anything was said about, numbered.
pub(super) struct Sets<'a> {
    numbers: HashMap<&'a Label, usize>,
    /// By number: what was said by `configure`.
    configured: Vec<Option<&'a ListedSet>>,
}

impl<'a> Sets<'a> {
    fn of(list: &'a List) -> Result<Self, PlanError> {
        let mut sets = Self {
            numbers: HashMap::new(),
            configured: Vec::new(),
        };
        for set in &list.sets {
            let number = sets.add(&set.label);
            if sets.configured[number].replace(set).is_some() {
                return Err(PlanError::ConfiguredTwice {
                    set: format!("{:?}", set.label),
                });
            }
        }
        for set in &list.sets {
            sets.add_all(&set.sets);
        }
        for system in &list.systems {
            sets.add_all(&system.sets);
        }
        for (first, second) in &list.chained_sets {
            sets.add(first);
            sets.add(second);
        }
        sets.refuse_circles(list)?;
        Ok(sets)
    }

    fn add_all(&mut self, labels: &'a [Label]) {
        for label in labels {
            self.add(label);
        }
    }

    /// The number of the set.
    fn add(&mut self, label: &'a Label) -> usize {
        if let Some(number) = self.number(label) {
            return number;
        }
        let number = self.len();
        self.numbers.insert(label, number);
        self.configured.push(None);
        number
    }

    /// The number of a set that something was said about.
    pub(super) fn number(&self, label: &Label) -> Option<usize> {
        self.numbers.get(label).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.configured.len()
    }

    /// Sets that are in each other would have no outermost one.
    fn refuse_circles(&self, list: &List) -> Result<(), PlanError> {
        let mut inside = Edges::new();
        // The first ones are those that are configured, in that order.
        for (number, set) in list.sets.iter().enumerate() {
            for outer in &set.sets {
                inside.push((number, self.numbers[outer]));
            }
        }
        let Err(circle) = graph::order(self.len(), &inside) else {
            return Ok(());
        };
        let mut sets = Vec::new();
        for number in circle {
            sets.push(format!("{:?}", list.sets[number].label));
        }
        Err(PlanError::SetsInEachOther { sets })
    }

    /// The sets and those that they are in, each once, the outermost first.
    pub(super) fn all(&self, direct: &[Label]) -> Vec<usize> {
        let mut all = Vec::new();
        self.collect(direct, &mut all);
        all
    }

    fn collect(&self, direct: &[Label], all: &mut Vec<usize>) {
        for label in direct {
            let number = self.numbers[label];
            if all.contains(&number) {
                continue;
            }
            if let Some(set) = self.configured[number] {
                self.collect(&set.sets, all);
            }
            all.push(number);
        }
    }

    /// The system with the conditions of its sets, which are asked first.
    fn planned(&self, system: &Listed) -> Planned {
        let mut conditions = Vec::new();
        for number in self.all(&system.sets) {
            if let Some(set) = self.configured[number] {
                conditions.extend_from_slice(&set.conditions);
            }
        }
        conditions.extend_from_slice(&system.conditions);
        Planned {
            id: system.id,
            meta: system.meta,
            conditions,
            flush: system.flush,
        }
    }
}
