//! The sets of a list, and their nesting.

use alloc::vec::Vec;
use hashbrown::HashMap;

use super::Planned;
use super::error::PlanError;
use super::graph::{self, Edges};
use crate::hash::BuildIndexHasher;
use crate::schedule::declare::{Label, List, Listed, ListedSet};

/// All sets that are mentioned in a list, numbered.
pub(crate) struct Sets<'a> {
    numbers: HashMap<&'a Label, usize, BuildIndexHasher>,
    /// By number: the configuration, if there is one.
    configured: Vec<Option<&'a ListedSet>>,
}

impl<'a> Sets<'a> {
    pub(crate) fn of(list: &'a List) -> Result<Self, PlanError> {
        let mut sets = Self {
            numbers: HashMap::default(),
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
            sets.union_with(&set.sets);
        }
        for system in &list.systems {
            sets.union_with(&system.sets);
        }
        for (first, second) in &list.chained_sets {
            sets.add(first);
            sets.add(second);
        }
        sets.refuse_cycles(list)?;
        Ok(sets)
    }

    fn union_with(&mut self, labels: &'a [Label]) {
        for label in labels {
            self.add(label);
        }
    }

    /// Returns the number of the set; adds it if it is new.
    fn add(&mut self, label: &'a Label) -> usize {
        if let Some(number) = self.number(label) {
            return number;
        }
        let number = self.len();
        self.numbers.insert(label, number);
        self.configured.push(None);
        number
    }

    /// Returns the number of a set; `None` if it is not mentioned.
    pub(crate) fn number(&self, label: &Label) -> Option<usize> {
        self.numbers.get(label).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.configured.len()
    }

    /// Fails if sets contain each other: there would be no outermost one.
    fn refuse_cycles(&self, list: &List) -> Result<(), PlanError> {
        let mut inside = Edges::new();
        // The numbers of configured sets come first, in the order of `list.sets`.
        for (number, set) in list.sets.iter().enumerate() {
            for outer in &set.sets {
                inside.push((number, self.numbers[outer]));
            }
        }
        let Err(cycle) = graph::order(self.len(), &inside) else {
            return Ok(());
        };
        let mut sets = Vec::new();
        for number in cycle {
            sets.push(format!("{:?}", list.sets[number].label));
        }
        Err(PlanError::SetsInEachOther { sets })
    }

    /// Returns the sets and those that they are in, each once, the outermost first.
    pub(crate) fn all(&self, direct: &[Label]) -> Vec<usize> {
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

    /// Returns the system with the conditions of its sets, which are evaluated first.
    pub(crate) fn planned(&self, system: &Listed) -> Planned {
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
