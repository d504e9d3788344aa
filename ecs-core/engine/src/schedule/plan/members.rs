//! Where in the list the systems are that constraints name.

use core::slice::from_ref;

use super::error::PlanError;
use super::graph::Edges;
use super::sets::Sets;
use crate::schedule::declare::{Constraint, Label, List, OrderKind, Subject, TargetPlace};

/// Where the systems are, by what constraints call them.
///
/// A set without systems has a place of its own after those of the systems, so that what is said about it orders those
/// who wait for it.
pub(crate) struct Members<'a> {
    list: &'a List,
    sets: &'a Sets<'a>,
    /// By number of the set.
    by_set: Vec<Vec<usize>>,
    /// The number of systems and of sets without any.
    pub(crate) places: usize,
}

impl<'a> Members<'a> {
    pub(crate) fn of(list: &'a List, sets: &'a Sets<'a>) -> Self {
        let mut members = Self {
            list,
            sets,
            by_set: vec![Vec::new(); sets.len()],
            places: 0,
        };
        for system in &list.systems {
            members.put(&system.sets);
        }
        for set in &list.sets {
            for outer in &set.sets {
                members.put_if_empty(outer);
            }
            members.put_if_empty(&set.label);
        }
        for (first, second) in &list.chained_sets {
            members.put_if_empty(first);
            members.put_if_empty(second);
        }
        members
    }

    /// Gives the next place to what is in these sets.
    fn put(&mut self, direct: &[Label]) {
        for set in self.sets.all(direct) {
            self.by_set[set].push(self.places);
        }
        self.places += 1;
    }

    fn put_if_empty(&mut self, label: &Label) {
        if self.of_set(label).is_none() {
            self.put(from_ref(label));
        }
    }

    /// The places of what is in a set; `None` if nobody has said anything about it.
    pub(crate) fn of_set(&self, label: &Label) -> Option<&[usize]> {
        let places = &self.by_set[self.sets.number(label)?];
        (!places.is_empty()).then_some(places)
    }

    /// The positions of what is named as the other one by `who`.
    fn find(
        &self,
        who: &dyn Fn() -> Subject,
        relation: OrderKind,
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
                        who: who(),
                        relation,
                        system: name,
                    }),
                    1 => Ok(found),
                    _ => Err(PlanError::AmbiguousSystem {
                        who: who(),
                        relation,
                        system: name,
                    }),
                }
            }
            TargetPlace::Set(label) => match self.of_set(label) {
                Some(places) => Ok(places.to_vec()),
                None => Err(PlanError::UnknownSet {
                    who: who(),
                    relation,
                    set: format!("{label:?}"),
                }),
            },
        }
    }

    pub(crate) fn constrain(
        &self,
        systems: &[usize],
        who: &dyn Fn() -> Subject,
        constraints: &[Constraint],
        edges: &mut Edges,
    ) -> Result<(), PlanError> {
        for Constraint { relation, other } in constraints {
            for other in self.find(who, *relation, other)? {
                for &system in systems {
                    edges.push(match relation {
                        OrderKind::Before => (system, other),
                        _ => (other, system),
                    });
                }
            }
        }
        Ok(())
    }

    /// Pairs of the first `systems` places, the lower one first; some perhaps more than once.
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
