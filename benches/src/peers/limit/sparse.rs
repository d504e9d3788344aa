//! Joins of components: in one order, and by hand-written sparse sets.

use crate::components::Vec3;
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::sparse::{digest, first, other};

/// A packed list of values with their entities, and the place of each entity in it.
struct SparseSet {
    owners: Vec<u32>,
    values: Vec<Vec3>,
    places: Vec<u32>,
}

impl SparseSet {
    /// Makes a set of values, which are inserted in the order of `entities`.
    fn new(entities: impl ExactSizeIterator<Item = u32>, value: fn(u32) -> Vec3) -> Self {
        let mut set = Self {
            owners: Vec::new(),
            values: Vec::new(),
            places: vec![u32::MAX; entities.len()],
        };
        for entity in entities {
            set.places[entity as usize] = set.owners.len() as u32;
            set.owners.push(entity);
            set.values.push(value(entity));
        }
        set
    }

    #[inline]
    fn get(&self, entity: u32) -> Option<&Vec3> {
        let place = *self.places.get(entity as usize)?;
        self.values.get(place as usize)
    }
}

pub(super) fn join2(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "sparse sets",
        move || (SparseSet::new(0..rows, first), SparseSet::new((0..rows).rev(), other)),
        |(firsts, seconds)| {
            for (value, &owner) in firsts.values.iter_mut().zip(&firsts.owners) {
                if let Some(&second) = seconds.get(owner) {
                    *value += second;
                }
            }
        },
        |(firsts, _)| digest(firsts.values.iter().copied()),
    );
    workload.mark_as_plain();
    workload.add(
        Limit,
        "in one order",
        move || -> (Vec<Vec3>, Vec<Vec3>) { (0..rows).map(|row| (first(row), other(row))).unzip() },
        |(firsts, seconds)| {
            for (value, &second) in firsts.iter_mut().zip(&*seconds) {
                *value += second;
            }
        },
        |(firsts, _)| digest(firsts.iter().copied()),
    );
}

pub(super) fn join3(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "sparse sets",
        move || {
            let seconds = SparseSet::new((0..rows).rev(), other);
            (SparseSet::new(0..rows, first), seconds, SparseSet::new(0..rows, other))
        },
        |(firsts, seconds, thirds)| {
            for (value, &owner) in firsts.values.iter_mut().zip(&firsts.owners) {
                if let (Some(&second), Some(&third)) = (seconds.get(owner), thirds.get(owner)) {
                    *value += second;
                    *value += third;
                }
            }
        },
        |(firsts, ..)| digest(firsts.values.iter().copied()),
    );
    workload.mark_as_plain();
    workload.add(
        Limit,
        "in one order",
        move || -> (Vec<Vec3>, Vec<Vec3>, Vec<Vec3>) {
            (0..rows).map(|row| (first(row), other(row), other(row))).collect()
        },
        |(firsts, seconds, thirds)| {
            for ((value, &second), &third) in firsts.iter_mut().zip(&*seconds).zip(&*thirds) {
                *value += second;
                *value += third;
            }
        },
        |(firsts, ..)| digest(firsts.iter().copied()),
    );
}
