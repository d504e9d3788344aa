//! 100k lookups of one component by entity, in a random order.

use crate::columns::Id;
use crate::components::{Position, row};
use crate::shuffle::shuffle;
use crate::subject::{Peer, Workload};

const ENTITIES: u32 = 100_000;

/// The workload.
pub(super) fn workload() -> Workload {
    let about =
        "one of 4 components of 100k entities, looked up by id in random order; ns per lookup";
    let mut workload = Workload::new("get_random", ENTITIES, about);
    limit(&mut workload);
    ours(&mut workload);
    #[cfg(feature = "peers")]
    hecs(&mut workload);
    #[cfg(feature = "peers")]
    bevy(&mut workload);
    workload
}

/// A world, the ids to look up, and the sum of what was found.
struct State<W, I> {
    world: W,
    ids: Vec<I>,
    sum: u64,
}

impl<W, I> State<W, I> {
    /// Takes the ids in the order of spawning, so that everybody's shuffled list names the same rows.
    fn new(world: W, mut ids: Vec<I>) -> Self {
        shuffle(&mut ids);
        Self { world, ids, sum: 0 }
    }
}

/// Looks up all ids; gives up at the first that is not found.
///
/// Adds up bits, not floats: float additions wait for each other, and that time would hide the lookups.
#[inline]
fn sum_of<I: Copy>(ids: &[I], get: impl Fn(I) -> Option<f32>) -> u64 {
    let mut sum = 0_u64;
    for &id in ids {
        let Some(x) = get(id) else {
            return u64::MAX;
        };
        sum = sum.wrapping_add(u64::from(x.to_bits()));
    }
    sum
}

fn limit(workload: &mut Workload) {
    type Apart = (Vec<u32>, Vec<Position>);
    type Together = Vec<(u32, Position)>;

    let ids = || (0..ENTITIES).map(Id::first).collect();
    let setup = move || -> State<Apart, Id> {
        let world = (0..ENTITIES).map(|number| (0, row(number).1)).unzip();
        State::new(world, ids())
    };
    workload.add(
        Peer::Limit,
        "generations and values",
        setup,
        |state| {
            let (generations, positions) = &state.world;
            state.sum = sum_of(&state.ids, |id| {
                let index = id.index as usize;
                let alive = *generations.get(index)? == id.generation;
                alive.then(|| positions[index].0.x)
            });
        },
        |state| state.sum,
    );
    let setup = move || -> State<Together, Id> {
        let world = (0..ENTITIES).map(|number| (0, row(number).1)).collect();
        State::new(world, ids())
    };
    workload.add(
        Peer::Limit,
        "generation beside value",
        setup,
        |state| {
            state.sum = sum_of(&state.ids, |id| {
                let (generation, position) = state.world.get(id.index as usize)?;
                (*generation == id.generation).then_some(position.0.x)
            });
        },
        |state| state.sum,
    );
}

fn ours(workload: &mut Workload) {
    use ecs_core::prelude::*;

    let setup = || {
        let mut world = World::new();
        let ids = world.spawn_batch((0..ENTITIES).map(row)).to_vec();
        State::new(world, ids)
    };
    workload.add(
        Peer::Ours,
        "view.get",
        setup,
        |state| {
            let positions = state.world.view::<Position>();
            state.sum = sum_of(&state.ids, |id| Some(positions.get(id)?.0.x));
        },
        |state| state.sum,
    );
    workload.add(
        Peer::Ours,
        "query.get",
        setup,
        |state| {
            let positions = state.world.query::<&Position>();
            state.sum = sum_of(&state.ids, |id| Some(positions.get(id)?.0.x));
        },
        |state| state.sum,
    );
    workload.add(
        Peer::Ours,
        "world.get",
        setup,
        |state| {
            let world = &state.world;
            state.sum = sum_of(&state.ids, |id| Some(world.get::<Position>(id)?.0.x));
        },
        |state| state.sum,
    );
}

#[cfg(feature = "peers")]
fn hecs(workload: &mut Workload) {
    use hecs::World;

    let setup = || {
        let mut world = World::new();
        let ids = world.spawn_batch((0..ENTITIES).map(row)).collect();
        State::new(world, ids)
    };
    workload.add(
        Peer::Hecs,
        "view.get",
        setup,
        |state| {
            let positions = state.world.view::<&Position>();
            state.sum = sum_of(&state.ids, |id| Some(positions.get(id)?.0.x));
        },
        |state| state.sum,
    );
    workload.add(
        Peer::Hecs,
        "world.get",
        setup,
        |state| {
            let world = &state.world;
            state.sum = sum_of(&state.ids, |id| Some(world.get::<&Position>(id).ok()?.0.x));
        },
        |state| state.sum,
    );
}

#[cfg(feature = "peers")]
fn bevy(workload: &mut Workload) {
    use bevy_ecs::query::QueryState;
    use bevy_ecs::world::World;

    type Prepared = (World, QueryState<&'static Position>);

    let setup = || -> State<Prepared, _> {
        let mut world = World::new();
        let ids = world.spawn_batch((0..ENTITIES).map(row)).collect();
        let query = world.query();
        State::new((world, query), ids)
    };
    workload.add(
        Peer::Bevy,
        "query.get",
        setup,
        |state| {
            let (world, query) = &mut state.world;
            let positions = query.query(world);
            state.sum = sum_of(&state.ids, |id| Some(positions.get(id).ok()?.0.x));
        },
        |state| state.sum,
    );
    workload.add(
        Peer::Bevy,
        "world.get",
        setup,
        |state| {
            let (world, _) = &state.world;
            state.sum = sum_of(&state.ids, |id| Some(world.get::<Position>(id)?.0.x));
        },
        |state| state.sum,
    );
}
