//! Loops.

use gecs::prelude::*;

use super::worlds::kinds::{self, *};
use super::worlds::moving::{self as body, *};
use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Gecs;
use crate::subject::Workload;
use crate::workloads::frag::{self, *};

fn moving_world(rows: u32) -> MovingWorld {
    let mut world = MovingWorld::with_capacity(rows as usize);
    for number in 0..rows {
        world.create::<Body>(moving(number));
    }
    world
}

fn digest(world: &mut MovingWorld) -> u64 {
    digest_positions(world.body.get_slice::<Position>())
}

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Gecs,
        "ecs_iter!",
        move || moving_world(rows),
        |world| {
            body::ecs_iter!(world, |position: &mut Position, velocity: &Velocity| {
                position.0 += velocity.0;
            });
        },
        digest,
    );
}

pub(super) fn frag_iter(workload: &mut Workload) {
    workload.add(
        Gecs,
        "ecs_iter!",
        || {
            let mut world = KindsWorld::default();
            macro_rules! spawn {
                ($($archetype:ident $kind:ident)*) => { $(
                    for value in frag::start() {
                        world.create::<$archetype>((Data(value), $kind(0.0)));
                    }
                )* };
            }
            spawn!(KindA KA KindB KB KindC KC KindD KD KindE KE KindF KF KindG KG KindH KH KindI KI);
            spawn!(KindJ KJ KindK KK KindL KL KindM KM KindN KN KindO KO KindP KP KindQ KQ KindR KR);
            spawn!(KindS KS KindT KT KindU KU KindV KV KindW KW KindX KX KindY KY KindZ KZ);
            world
        },
        |world| {
            kinds::ecs_iter!(world, |data: &mut Data| {
                data.0 *= 2.0;
            });
        },
        |world| {
            let mut values = Vec::new();
            kinds::ecs_iter!(world, |data: &Data| {
                values.push(data.0);
            });
            frag::digest(values)
        },
    );
}

/// The reason why this peer has no markers.
const DECLARED: &str = "kinds of entities are listed in the source; a list of 1024 is not practical";

pub(super) fn frag_deep(workload: &mut Workload) {
    workload.lacks(Gecs, DECLARED);
}

pub(super) fn rare_join(workload: &mut Workload) {
    workload.lacks(Gecs, DECLARED);
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Gecs,
        "with_capacity",
        move || moving_world(rows),
        |_| {},
        digest,
    );
}
