//! 10k entities with one component: all get a second one, then all lose it.

use std::hint::black_box;

use crate::columns::Id;
use crate::components::components;
use crate::digest::Digest;
use crate::subject::{Peer, Workload};

const ENTITIES: u32 = 10_000;

components! {
    /// What every entity keeps.
    struct Kept(f32);
    /// What comes and goes.
    struct Toggled(f32);
}

const TOGGLED: f32 = 7.0;

/// The workload.
pub(super) fn workload() -> Workload {
    let about =
        "10k entities with 1 other component: insert in all, remove from all; ns per pair of these";
    let mut workload = Workload::new("add_remove", ENTITIES, about);
    limit(&mut workload);
    ours(&mut workload);
    #[cfg(feature = "peers")]
    hecs(&mut workload);
    #[cfg(feature = "peers")]
    bevy(&mut workload);
    workload
}

/// A world and its entities.
struct State<W, I> {
    world: W,
    ids: Vec<I>,
}

fn kept(number: u32) -> Kept {
    Kept(number as f32)
}

/// Adds a form: how to insert in all, how to remove from all, and the pairs of values while they are inserted.
///
/// The checksum is over the pairs while all are inserted and over what is left of them when all are removed, so that a
/// form which inserts or removes nothing cannot pass.
fn add<W: 'static, I: 'static>(
    workload: &mut Workload,
    peer: Peer,
    form: &'static str,
    setup: impl Fn() -> State<W, I> + 'static,
    insert: impl Fn(&mut State<W, I>) + Copy + 'static,
    remove: impl Fn(&mut State<W, I>) + Copy + 'static,
    pairs: impl Fn(&mut W) -> Vec<[f32; 2]> + Copy + 'static,
) {
    let run = move |state: &mut State<W, I>| {
        insert(state);
        remove(state);
    };
    let checksum = move |state: &mut State<W, I>| {
        insert(state);
        let inserted = Digest::of(pairs(&mut state.world));
        remove(state);
        let removed = Digest::of(pairs(&mut state.world));
        inserted ^ removed.rotate_left(1)
    };
    workload.add(peer, form, setup, run, checksum);
}

/// What one writes by hand for a component that comes and goes: a packed list, and where each entity's value is.
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
    fn new() -> State<Self, Id> {
        let world = Self {
            kept: (0..ENTITIES).map(kept).collect(),
            generations: vec![0; ENTITIES as usize],
            places: vec![NOWHERE; ENTITIES as usize],
            ..Self::default()
        };
        State {
            world,
            ids: (0..ENTITIES).map(Id::first).collect(),
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

fn limit(workload: &mut Workload) {
    add(
        workload,
        Peer::Limit,
        "sparse set",
        SparseSet::new,
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
    // No look-up by id at all: the few memory writes below which nobody can get.
    add(
        workload,
        Peer::Limit,
        "push and pop",
        || -> State<(Vec<Kept>, Vec<Toggled>), Id> {
            let world = ((0..ENTITIES).map(kept).collect(), Vec::new());
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

fn ours(workload: &mut Workload) {
    use ecs_core::prelude::*;

    /// The same as [`Toggled`], kept apart from the tables.
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Sparse(f32);

    let setup = || {
        let mut world = World::new();
        let ids = world.spawn_batch((0..ENTITIES).map(kept)).to_vec();
        State { world, ids }
    };
    add(
        workload,
        Peer::Ours,
        "table",
        setup,
        |state| {
            for &id in &state.ids {
                state.world.insert(id, Toggled(TOGGLED)).expect("it lives");
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.remove::<Toggled>(id).expect("it lives");
            }
        },
        |world| {
            let views = (&world.view::<Kept>(), &world.view::<Toggled>());
            views.iter().map(|(a, b)| [a.0, b.0]).collect()
        },
    );
    add(
        workload,
        Peer::Ours,
        "sparse",
        setup,
        |state| {
            for &id in &state.ids {
                state.world.insert(id, Sparse(TOGGLED)).expect("it lives");
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.remove::<Sparse>(id).expect("it lives");
            }
        },
        |world| {
            let views = (&world.view::<Kept>(), &world.view::<Sparse>());
            views.iter().map(|(a, b)| [a.0, b.0]).collect()
        },
    );
}

#[cfg(feature = "peers")]
fn hecs(workload: &mut Workload) {
    use hecs::World;

    let setup = || {
        let mut world = World::new();
        let ids = world
            .spawn_batch((0..ENTITIES).map(|number| (kept(number),)))
            .collect();
        State { world, ids }
    };
    add(
        workload,
        Peer::Hecs,
        "insert_one, remove_one",
        setup,
        |state| {
            for &id in &state.ids {
                state
                    .world
                    .insert_one(id, Toggled(TOGGLED))
                    .expect("it lives");
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.remove_one::<Toggled>(id).expect("it has one");
            }
        },
        |world| {
            let query = world.query_mut::<(&Kept, &Toggled)>();
            query.into_iter().map(|(a, b)| [a.0, b.0]).collect()
        },
    );
}

#[cfg(feature = "peers")]
fn bevy(workload: &mut Workload) {
    use bevy_ecs::component::Component;
    use bevy_ecs::entity::Entity;
    use bevy_ecs::world::World;

    /// The same as [`Toggled`], kept apart from the tables.
    #[derive(Component)]
    #[component(storage = "SparseSet")]
    struct Sparse(f32);

    let setup = || {
        let mut world = World::new();
        let ids = world.spawn_batch((0..ENTITIES).map(kept)).collect();
        State { world, ids }
    };
    let table_pairs = |world: &mut World| {
        let mut query = world.query::<(&Kept, &Toggled)>();
        query.iter(world).map(|(a, b)| [a.0, b.0]).collect()
    };
    let remove = |state: &mut State<World, Entity>| {
        for &id in &state.ids {
            state.world.entity_mut(id).remove::<Toggled>();
        }
    };
    add(
        workload,
        Peer::Bevy,
        "table",
        setup,
        |state| {
            for &id in &state.ids {
                state.world.entity_mut(id).insert(Toggled(TOGGLED));
            }
        },
        remove,
        table_pairs,
    );
    add(
        workload,
        Peer::Bevy,
        "table, insert_batch",
        setup,
        |state| {
            let batch = state.ids.iter().map(|&id| (id, Toggled(TOGGLED)));
            state.world.insert_batch(batch);
        },
        remove,
        table_pairs,
    );
    add(
        workload,
        Peer::Bevy,
        "sparse",
        setup,
        |state| {
            for &id in &state.ids {
                state.world.entity_mut(id).insert(Sparse(TOGGLED));
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.entity_mut(id).remove::<Sparse>();
            }
        },
        |world| {
            let mut query = world.query::<(&Kept, &Sparse)>();
            query.iter(world).map(|(a, b)| [a.0, b.0]).collect()
        },
    );
}
