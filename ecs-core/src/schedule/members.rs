//! Where in the list the systems are that constraints name.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::error::{Named, PlanError, Relation};
use super::label::Label;
use super::list::List;
use super::resolve::Sets;
use super::target::{Constraint, Place};
use crate::hash::BuildTypeIdHasher;
use crate::system::SystemId;

/// Where the systems are, by what constraints call them.
///
/// A set without systems has a place of its own after those of the systems, so that what is said about it orders those
/// who wait for it.
pub(super) struct Members<'a> {
    by_id: HashMap<SystemId, Found, BuildTypeIdHasher>,
    by_label: HashMap<&'a Label, Vec<usize>>,
    /// The number of systems and of sets without any.
    pub(super) places: usize,
}

/// Where a system is that constraints name.
enum Found {
    /// At that one position.
    Once([usize; 1]),
    Again,
}

impl<'a> Members<'a> {
    pub(super) fn of(list: &'a List, sets: &Sets<'a>) -> Self {
        let mut by_id: HashMap<_, Found, _> =
            HashMap::with_capacity_and_hasher(list.systems.len(), BuildTypeIdHasher::default());
        let mut by_label: HashMap<_, Vec<usize>> = HashMap::new();
        for (position, system) in list.systems.iter().enumerate() {
            match by_id.entry(system.id) {
                Entry::Vacant(entry) => _ = entry.insert(Found::Once([position])),
                Entry::Occupied(mut entry) => _ = entry.insert(Found::Again),
            }
            for label in sets.all(&system.sets) {
                by_label.entry(label).or_default().push(position);
            }
        }
        let mut places = list.systems.len();
        let configured = list.sets.iter().flat_map(|set| {
            let outer = set.sets.iter();
            outer.chain([&set.label])
        });
        let chained = list.chained_sets.iter().flat_map(|(a, b)| [a, b]);
        for label in configured.chain(chained) {
            if by_label.contains_key(label) {
                continue;
            }
            for label in sets.all(core::slice::from_ref(label)) {
                by_label.entry(label).or_default().push(places);
            }
            places += 1;
        }
        Self {
            by_id,
            by_label,
            places,
        }
    }

    pub(super) fn of_set(&self, label: &Label) -> Option<&[usize]> {
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
            Place::System { id, name } => match self.by_id.get(id) {
                Some(Found::Once(position)) => Ok(position),
                Some(Found::Again) => Err(PlanError::AmbiguousSystem {
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

    pub(super) fn constrain(
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

    /// Pairs of the first `systems` places.
    pub(super) fn waived(
        &self,
        systems: usize,
        pairs: &[(Place, Place)],
    ) -> Result<Vec<(usize, usize)>, PlanError> {
        let mut waived = Vec::new();
        for (one, other) in pairs {
            let first = self.find(|| other.named(), Relation::Unordered, one)?;
            let second = self.find(|| one.named(), Relation::Unordered, other)?;
            for &a in first {
                let pairs = second.iter().map(|&b| (a.min(b), a.max(b)));
                waived.extend(pairs.filter(|&(a, b)| a != b && b < systems));
            }
        }
        waived.sort_unstable();
        waived.dedup();
        Ok(waived)
    }
}
