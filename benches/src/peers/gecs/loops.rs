//! Loops with heavy computation per entity, and loops of each against all others.

use gecs::prelude::*;

use super::worlds::bodies::*;
use super::worlds::rows::{self, *};
use crate::components::{Position, Transform};
use crate::peers::Peer::Gecs;
use crate::subject::Workload;
use crate::workloads::bodies::{self, BODIES, Body, body};
use crate::workloads::heavy;

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Gecs,
        "ecs_iter!",
        move || {
            let mut world = RowsWorld::with_capacity(entities as usize);
            for number in 0..entities {
                world.create::<Full>(heavy::row(number));
            }
            world
        },
        |world| {
            rows::ecs_iter!(world, |transform: &mut Transform, position: &mut Position| {
                heavy::work(transform, position);
            });
        },
        |world| {
            let (transforms, positions) = (
                world.full.borrow_slice::<Transform>(),
                world.full.borrow_slice::<Position>(),
            );
            heavy::digest(transforms.iter().zip(&*positions))
        },
    );
}

/// Iterates over one slice: an archetype has all values of a component in one.
pub(super) fn one_and_rest(workload: &mut Workload) {
    workload.add(
        Gecs,
        "slice, pairs",
        || {
            let mut world = BodiesWorld::default();
            for number in 0..BODIES {
                world.create::<Massive>((body(number),));
            }
            world
        },
        |world| bodies::pairs(world.massive.get_slice_mut::<Body>()),
        |world| bodies::digest(world.massive.get_slice::<Body>().iter()),
    );
}
