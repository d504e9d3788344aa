//! From what was said about systems and sets to positions in the list.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::error::{Named, PlanError, Relation};
use super::graph;
use super::label::Label;
use super::list::List;
use super::plan::Planned;
use super::sets::ListedSet;
use super::target::{Constraint, Place};
use crate::system::SystemId;

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
        Ok(Resolved {
            systems: self.systems.iter().map(|s| sets.planned(s)).collect(),
            edges,
            waived: members.waived(&self.waived)?,
        })
    }
}

/// The sets, by label.
struct Sets<'a> {
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

    /// Calls `visit` with each of the sets and those that they are in, once, the outermost first.
    fn all(&self, direct: &'a [Label]) -> Vec<&'a Label> {
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
    fn planned(&self, system: &'a super::list::Listed) -> Planned {
        let sets = self.all(&system.sets).into_iter();
        let sets = sets.filter_map(|label| self.configured.get(label));
        let mut conditions: Vec<usize> = sets
            .flat_map(|set| set.conditions.iter().copied())
            .collect();
        conditions.extend(&system.conditions);
        Planned {
            meta: system.meta,
            conditions,
            flush: system.flush,
        }
    }
}

/// Where the systems are, by what constraints call them.
struct Members<'a> {
    by_id: HashMap<SystemId, Vec<usize>>,
    by_label: HashMap<&'a Label, Vec<usize>>,
}

impl<'a> Members<'a> {
    fn of(list: &'a List, sets: &Sets<'a>) -> Self {
        let mut by_id: HashMap<_, Vec<usize>> = HashMap::new();
        let mut by_label: HashMap<_, Vec<usize>> = HashMap::new();
        for (position, system) in list.systems.iter().enumerate() {
            by_id.entry(system.id).or_default().push(position);
            for label in sets.all(&system.sets) {
                by_label.entry(label).or_default().push(position);
            }
        }
        // These are known, though they may be empty.
        for set in &list.sets {
            by_label.entry(&set.label).or_default();
            for outer in &set.sets {
                by_label.entry(outer).or_default();
            }
        }
        Self { by_id, by_label }
    }

    fn of_set(&self, label: &Label) -> Option<&[usize]> {
        self.by_label.get(label).map(Vec::as_slice)
    }

    /// The positions of what is named as the other one by `who`.
    fn find(
        &self,
        who: impl FnOnce() -> Named,
        relation: Relation,
        other: &Place,
    ) -> Result<&[usize], PlanError> {
        match other {
            Place::System { id, name } => match self.by_id.get(id).map(Vec::as_slice) {
                Some(found @ [_]) => Ok(found),
                Some(_) => Err(PlanError::AmbiguousSystem {
                    who: who(),
                    relation,
                    system: name,
                }),
                None => Err(PlanError::UnknownSystem {
                    who: who(),
                    relation,
                    system: name,
                }),
            },
            Place::Set(label) => self.of_set(label).ok_or_else(|| PlanError::UnknownSet {
                who: who(),
                relation,
                set: format!("{label:?}"),
            }),
        }
    }

    fn constrain(
        &self,
        systems: &[usize],
        who: impl Fn() -> Named,
        constraints: &[Constraint],
        edges: &mut Vec<(usize, usize)>,
    ) -> Result<(), PlanError> {
        for Constraint { relation, other } in constraints {
            for &other in self.find(&who, *relation, other)? {
                edges.extend(systems.iter().map(|&system| match relation {
                    Relation::Before => (system, other),
                    _ => (other, system),
                }));
            }
        }
        Ok(())
    }

    fn waived(&self, pairs: &[(Place, Place)]) -> Result<Vec<(usize, usize)>, PlanError> {
        let mut waived = Vec::new();
        for (one, other) in pairs {
            let first = self.find(|| other.named(), Relation::Unordered, one)?;
            let second = self.find(|| one.named(), Relation::Unordered, other)?;
            for &a in first {
                let pairs = second.iter().map(|&b| (a.min(b), a.max(b)));
                waived.extend(pairs.filter(|(a, b)| a != b));
            }
        }
        waived.sort_unstable();
        waived.dedup();
        Ok(waived)
    }
}
