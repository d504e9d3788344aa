//! 10k living entities; each in turn, in a random order, dies and another is born.

use crate::columns::{ById, Columns, Id, Row, Rows};
use crate::components::row;
use crate::shuffle::shuffle;
use crate::subject::{Peer, Workload};

const ENTITIES: u32 = 10_000;

/// The workload.
pub(super) fn workload() -> Workload {
    let about =
        "10k entities of 4 components (100 bytes): despawn one, spawn one; ns per pair of these";
    let mut workload = Workload::new("churn", ENTITIES, about);
    limit::<Columns>(&mut workload, "one Vec per component");
    limit::<Vec<(Id, Row)>>(&mut workload, "one Vec of rows");
    ours(&mut workload);
    #[cfg(feature = "peers")]
    hecs(&mut workload);
    #[cfg(feature = "peers")]
    bevy(&mut workload);
    workload
}

/// A world, who lives in it, in which order they die, and the number of the next one to be born.
struct State<W, I> {
    world: W,
    living: Vec<I>,
    order: Vec<u32>,
    next: u32,
}

impl<W, I> State<W, I> {
    /// Takes the ids in the order of spawning, so that everybody kills the same rows.
    fn new(world: W, living: Vec<I>) -> Self {
        let mut order: Vec<u32> = (0..ENTITIES).collect();
        shuffle(&mut order);
        Self {
            world,
            living,
            order,
            next: ENTITIES,
        }
    }

    /// Replaces each living entity once.
    ///
    /// `next` starts over at 2^24, the last integer that a component of type `f32` tells from the one before.
    #[inline]
    fn replace_all(&mut self, mut replace: impl FnMut(&mut W, I, Row) -> I)
    where
        I: Copy,
    {
        for &victim in &self.order {
            let place = &mut self.living[victim as usize];
            *place = replace(&mut self.world, *place, row(self.next));
            self.next = (self.next + 1) & 0x00ff_ffff;
        }
    }
}

fn limit<R: Rows + Default + 'static>(workload: &mut Workload, form: &'static str) {
    let setup = || {
        let mut world = ById::<R>::default();
        let living = (0..ENTITIES)
            .map(|number| world.spawn(row(number)))
            .collect();
        State::new(world, living)
    };
    workload.add(
        Peer::Limit,
        form,
        setup,
        |state| {
            state.replace_all(|world, victim, born| {
                assert!(world.despawn(victim), "it lived");
                world.spawn(born)
            });
        },
        |state| state.world.rows.digest(),
    );
}

fn ours(workload: &mut Workload) {
    use ecs_core::prelude::*;

    let setup = || {
        let mut world = World::new();
        let living = world.spawn_batch((0..ENTITIES).map(row)).to_vec();
        State::new(world, living)
    };
    workload.add(
        Peer::Ours,
        "despawn, spawn",
        setup,
        |state| {
            state.replace_all(|world, victim, born| {
                world.despawn(victim).expect("it lived");
                world.spawn(born)
            });
        },
        |state| super::spawn_one::digest_of_ours(&mut state.world),
    );
}

#[cfg(feature = "peers")]
fn hecs(workload: &mut Workload) {
    use hecs::World;

    let setup = || {
        let mut world = World::new();
        let living = world.spawn_batch((0..ENTITIES).map(row)).collect();
        State::new(world, living)
    };
    workload.add(
        Peer::Hecs,
        "despawn, spawn",
        setup,
        |state| {
            state.replace_all(|world, victim, born| {
                world.despawn(victim).expect("it lived");
                world.spawn(born)
            });
        },
        |state| super::spawn_one::digest_of_hecs(&mut state.world),
    );
}

#[cfg(feature = "peers")]
fn bevy(workload: &mut Workload) {
    use bevy_ecs::world::World;

    let setup = || {
        let mut world = World::new();
        let living = world.spawn_batch((0..ENTITIES).map(row)).collect();
        State::new(world, living)
    };
    workload.add(
        Peer::Bevy,
        "despawn, spawn",
        setup,
        |state| {
            state.replace_all(|world, victim, born| {
                assert!(world.despawn(victim), "it lived");
                world.spawn(born).id()
            });
        },
        |state| super::spawn_one::digest_of_bevy(&mut state.world),
    );
}
