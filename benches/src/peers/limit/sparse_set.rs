//! A component that is inserted and removed. It is stored apart from the others, so their number does not matter.

use std::hint::black_box;

use crate::columns::Id;
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::add_remove::{Kept, State, TOGGLED, Toggled, add, kept};

/// A hand-written sparse set: a packed list, and the position of each entity's value in it.
#[derive(Default)]
struct SparseSet {
    kept: Vec<Kept>,
    generations: Vec<u32>,
    places: Vec<u32>,
    owners: Vec<u32>,
    values: Vec<Toggled>,
}

const NOWHERE: u32 = u32::MAX;

impl SparseSet {
    fn new(entities: u32) -> State<Self, Id> {
        let world = Self {
            kept: (0..entities).map(kept).collect(),
            generations: vec![0; entities as usize],
            places: vec![NOWHERE; entities as usize],
            ..Self::default()
        };
        State {
            world,
            ids: (0..entities).map(Id::first).collect(),
        }
    }

    #[inline]
    fn insert(&mut self, id: Id, value: Toggled) {
        let index = id.index as usize;
        assert!(self.generations[index] == id.generation, "a dead entity");
        if self.places[index] == NOWHERE {
            self.places[index] = self.values.len() as u32;
            self.owners.push(id.index);
            self.values.push(value);
        } else {
            self.values[self.places[index] as usize] = value;
        }
    }

    #[inline]
    fn remove(&mut self, id: Id) {
        let index = id.index as usize;
        assert!(self.generations[index] == id.generation, "a dead entity");
        let place = self.places[index];
        if place == NOWHERE {
            return;
        }
        self.places[index] = NOWHERE;
        self.values.swap_remove(place as usize);
        self.owners.swap_remove(place as usize);
        if let Some(&moved) = self.owners.get(place as usize) {
            self.places[moved as usize] = place;
        }
    }

    fn pairs(&mut self) -> Vec<[f32; 2]> {
        let values = self.owners.iter().zip(&self.values);
        values
            .map(|(&owner, value)| [self.kept[owner as usize].0, value.0])
            .collect()
    }
}

pub(crate) fn add_remove(workload: &mut Workload) {
    let entities = workload.elements();
    add(
        workload,
        Limit,
        "sparse set",
        move || SparseSet::new(entities),
        |state| {
            for &id in &state.ids {
                state.world.insert(id, Toggled(TOGGLED));
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.remove(id);
            }
        },
        SparseSet::pairs,
    );
    workload.mark_as_plain();
    // No look-up by id at all: the lower bound, a few memory writes.
    add(
        workload,
        Limit,
        "push and pop",
        move || -> State<(Vec<Kept>, Vec<Toggled>), Id> {
            let world = ((0..entities).map(kept).collect(), Vec::new());
            State {
                world,
                ids: Vec::new(),
            }
        },
        |state| {
            for _ in &state.world.0 {
                state.world.1.push(black_box(Toggled(TOGGLED)));
            }
        },
        |state| while black_box(state.world.1.pop()).is_some() {},
        |(kept, values)| {
            let pairs = kept.iter().zip(values);
            pairs.map(|(kept, value)| [kept.0, value.0]).collect()
        },
    );
}
