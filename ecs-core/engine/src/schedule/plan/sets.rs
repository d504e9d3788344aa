//! The sets of a list, and their nesting.

use alloc::vec::Vec;
use hashbrown::HashMap;

use super::Planned;
use super::error::PlanError;
use crate::graph::{self, Edges};
use crate::hash::BuildIndexHasher;
use crate::schedule::declare::{Label, ListedSet, ListedStep, StepList, TargetPlace};

/// All sets that are mentioned in a list, numbered.
pub(crate) struct NumberedSets<'a> {
    numbers: HashMap<&'a Label, usize, BuildIndexHasher>,
    /// By number.
    labels: Vec<&'a Label>,
    /// By number: the configurations, which add up.
    configured: Vec<Vec<&'a ListedSet>>,
}

impl<'a> NumberedSets<'a> {
    pub(crate) fn of(list: &'a StepList) -> Result<Self, PlanError> {
        let mut sets = Self {
            numbers: HashMap::default(),
            labels: Vec::new(),
            configured: Vec::new(),
        };
        for set in &list.sets {
            let number = sets.add(&set.label);
            sets.configured[number].push(set);
        }
        for set in &list.sets {
            sets.union_with(&set.sets);
        }
        for system in &list.systems {
            sets.union_with(&system.sets);
        }
        for chained in &list.chained_sets {
            sets.add(&chained.first);
            sets.add(&chained.second);
        }
        let of_systems = list.systems.iter().flat_map(|system| &system.constraints);
        let of_sets = list.sets.iter().flat_map(|set| &set.constraints);
        let waived = list.waived.iter().flat_map(|(one, other)| [one, other]);
        for target in of_systems
            .chain(of_sets)
            .map(|one| &one.other)
            .chain(waived)
        {
            if let TargetPlace::Set(label) = target {
                sets.add(label);
            }
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
        self.labels.push(label);
        self.configured.push(Vec::new());
        number
    }

    /// Returns the number of a set; `None` if it is not mentioned.
    pub(crate) fn number(&self, label: &Label) -> Option<usize> {
        self.numbers.get(label).copied()
    }

    /// Returns the labels of all sets, by number.
    pub(crate) fn labels(&self) -> &[&'a Label] {
        &self.labels
    }

    pub(crate) fn len(&self) -> usize {
        self.configured.len()
    }

    /// Fails if sets contain each other, because then none is the outermost.
    fn refuse_cycles(&self, list: &StepList) -> Result<(), PlanError> {
        let mut inside = Edges::new();
        for set in &list.sets {
            for outer in &set.sets {
                inside.push((self.numbers[&set.label], self.numbers[outer]));
            }
        }
        let Err(cycle) = graph::order(self.len(), &inside) else {
            return Ok(());
        };
        let mut sets = Vec::new();
        for number in cycle {
            sets.push(format!("{:?}", self.labels[number]));
        }
        Err(PlanError::SetsInEachOther { sets })
    }

    /// Returns the sets and all sets around them, each once, the outermost first.
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
            for set in &self.configured[number] {
                self.collect(&set.sets, all);
            }
            all.push(number);
        }
    }

    /// Returns the system with the conditions of its sets, which come first.
    pub(crate) fn planned(&self, system: &ListedStep) -> Planned {
        let (mut conditions, mut unread) = (Vec::new(), None);
        for number in self.all(&system.sets) {
            for set in &self.configured[number] {
                unread = set.unread.or(unread);
                conditions.extend_from_slice(&set.conditions);
            }
        }
        conditions.extend_from_slice(&system.conditions);
        Planned {
            id: system.id,
            meta: system.meta,
            conditions,
            flush: system.flush,
            unread: system.unread.or(unread),
            part: system.part,
            on_error: system.on_error,
        }
    }
}
