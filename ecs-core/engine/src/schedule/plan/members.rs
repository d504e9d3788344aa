//! Positions in the list of the systems that constraints name.

use alloc::string::String;
use alloc::vec::Vec;
use core::slice::from_ref;

use super::error::PlanError;
use super::sets::NumberedSets;
use crate::graph::Edges;
use crate::schedule::declare::{Label, OrderKind, StepConstraint, StepList, Subject, TargetPlace};

/// The positions of systems, by the names that constraints use.
///
/// A set without systems has its own position, after the positions of the systems. So its constraints still order the
/// systems around it.
pub(crate) struct SystemPositions<'a> {
    pub(crate) list: &'a StepList,
    sets: &'a NumberedSets<'a>,
    /// By number of the set.
    by_set: Vec<Vec<usize>>,
    /// The number of systems, plus the number of sets without any.
    pub(crate) places: usize,
    /// Notes about possible mistakes.
    pub(crate) notes: Vec<String>,
}

impl<'a> SystemPositions<'a> {
    pub(crate) fn of(list: &'a StepList, sets: &'a NumberedSets<'a>) -> Self {
        let mut members = Self {
            list,
            sets,
            by_set: vec![Vec::new(); sets.len()],
            places: 0,
            notes: Vec::new(),
        };
        for system in &list.systems {
            members.add_position(&system.sets);
        }
        for set in &list.sets {
            for outer in &set.sets {
                members.add_position_if_empty(outer);
            }
            members.add_position_if_empty(&set.label);
        }
        for chained in &list.chained_sets {
            members.add_position_if_empty(&chained.first);
            members.add_position_if_empty(&chained.second);
        }
        // Sets that only constraints name.
        for label in sets.labels() {
            if members.of_set(label).is_none() {
                members.notes.push(format!(
                    "no system is in the set `{label:?}`, which is only named by constraints"
                ));
                members.add_position(from_ref(*label));
            }
        }
        members
    }

    /// Assigns the next position to a system, or an empty set, that is directly in these sets.
    fn add_position(&mut self, direct: &[Label]) {
        for set in self.sets.all(direct) {
            self.by_set[set].push(self.places);
        }
        self.places += 1;
    }

    fn add_position_if_empty(&mut self, label: &Label) {
        if self.of_set(label).is_none() {
            self.add_position(from_ref(label));
        }
    }

    /// Returns the positions of the members of a set; `None` if it has no position yet.
    pub(crate) fn of_set(&self, label: &Label) -> Option<&[usize]> {
        let places = &self.by_set[self.sets.number(label)?];
        (!places.is_empty()).then_some(places)
    }

    /// Returns the positions of the target of a constraint on `subject`.
    pub(crate) fn find(
        &self,
        subject: &dyn Fn() -> Subject,
        kind: OrderKind,
        other: &TargetPlace,
    ) -> Result<Vec<usize>, PlanError> {
        match other {
            TargetPlace::System { id, name } => {
                let mut found = Vec::new();
                for (position, system) in self.list.systems.iter().enumerate() {
                    if system.id == *id {
                        found.push(position);
                    }
                }
                match found.len() {
                    0 => Err(PlanError::UnknownSystem {
                        subject: subject(),
                        kind,
                        system: name,
                    }),
                    1 => Ok(found),
                    _ => Err(PlanError::AmbiguousSystem {
                        subject: subject(),
                        kind,
                        system: name,
                    }),
                }
            }
            TargetPlace::Set(label) => Ok(self.of_set(label).unwrap_or_default().to_vec()),
        }
    }

    pub(crate) fn constrain(
        &self,
        systems: &[usize],
        subject: &dyn Fn() -> Subject,
        constraints: &[StepConstraint],
        edges: &mut Edges,
    ) -> Result<(), PlanError> {
        for StepConstraint { kind, other } in constraints {
            for other in self.find(subject, *kind, other)? {
                for &system in systems {
                    edges.push(match kind {
                        OrderKind::Before => (system, other),
                        _ => (other, system),
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns the waived pairs of the first `systems` positions, the lower position first. Some may occur more than once.
    pub(crate) fn waived(
        &self,
        systems: usize,
        pairs: &[(TargetPlace, TargetPlace)],
    ) -> Result<Edges, PlanError> {
        let mut waived = Edges::new();
        for (one, other) in pairs {
            let first = self.find(&|| other.named(), OrderKind::Unordered, one)?;
            let second = self.find(&|| one.named(), OrderKind::Unordered, other)?;
            for &a in &first {
                for &b in &second {
                    if a != b && a.max(b) < systems {
                        waived.push((a.min(b), a.max(b)));
                    }
                }
            }
        }
        Ok(waived)
    }
}
