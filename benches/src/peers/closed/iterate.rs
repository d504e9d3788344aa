//! Loops.

use ecs_core::Entity;
use ecs_core::statics::{StaticWorld, component, component_mut, spawn, system, world};

use super::change::Rows;
use crate::components::{Position, Transform, Velocity, digest_positions, moving};
use crate::peers::Peer::Closed;
use crate::subject::Workload;
use crate::workloads::bodies::{self, BODIES, Body, body};
use crate::workloads::frag::{self, *};
use crate::workloads::heavy;
use crate::workloads::plain::{self, N1, N2, N3, N4, N5, N6, N7, N8, STEP, digest};

world! {
    Moving { Position, Velocity, M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13, Rare }
}

fn moving_world(rows: u32) -> Moving {
    let mut world = Moving::new();
    for number in 0..rows {
        world.spawn(moving(number));
    }
    world
}

/// Adds `p += v` over all entities with both components.
fn add_loop(workload: &mut Workload, setup: impl Fn() -> Moving + Copy + 'static) {
    workload.add(
        Closed,
        "system!",
        setup,
        |world| {
            system!(world, |position: &mut Position, velocity: &Velocity| {
                position.0 += velocity.0;
            });
        },
        |world| digest_positions(component!(world, Position).iter()),
    );
}

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    add_loop(workload, move || moving_world(rows));
}

world! {
    Kinds { Data, KA, KB, KC, KD, KE, KF, KG, KH, KI, KJ, KK, KL, KM, KN, KO, KP, KQ, KR, KS, KT, KU, KV, KW, KX, KY, KZ }
}

pub(super) fn frag_iter(workload: &mut Workload) {
    workload.add(
        Closed,
        "system!",
        || {
            let mut world = Kinds::new();
            macro_rules! spawn {
                ($kind:ident) => {
                    for value in frag::start() {
                        world.spawn(($kind(0.0), Data(value)));
                    }
                };
            }
            for_each_kind!(spawn);
            world
        },
        |world| system!(world, |data: &mut Data| data.0 *= 2.0),
        |world| frag::digest(component!(world, Data).iter().map(|data| data.0)),
    );
}

/// Makes a world with entities of a number of kinds, and returns these entities in order.
fn marked_world(entities: u32, kinds: u32) -> (Moving, Vec<Entity>) {
    let mut world = Moving::new();
    let spawn = |number| {
        let entity = world.spawn(moving(number));
        macro_rules! mark {
            ($marker:ident, $bit:literal) => {
                if frag::is_marked(number, kinds, $bit) {
                    world.insert(entity, $marker).expect("the entity is alive");
                }
            };
        }
        for_each_marker!(mark);
        entity
    };
    let ids = (0..entities).map(spawn).collect();
    (world, ids)
}

pub(super) fn frag_deep(workload: &mut Workload, kinds: u32) {
    let entities = workload.elements();
    add_loop(workload, move || marked_world(entities, kinds).0);
}

pub(super) fn rare_join(workload: &mut Workload) {
    workload.add(
        Closed,
        "system!",
        || {
            let (mut world, ids) = marked_world(RARE_AMONG, frag::MARKED_KINDS);
            for (entity, number) in ids.into_iter().zip(0..) {
                if frag::is_rare(number, RARE_AMONG) {
                    world.insert(entity, Rare(0.0)).expect("the entity is alive");
                }
            }
            world
        },
        |world| {
            system!(world, |rare: &mut Rare, position: &Position| rare.0 += position.0.x);
        },
        |world| frag::digest(component!(world, Rare).iter().map(|rare| rare.0)),
    );
}

world! { Bodies { Body } }

/// Copies the values to a list and back, because no loop has one value mutably and the others beside it.
pub(super) fn one_and_rest(workload: &mut Workload) {
    workload.add(
        Closed,
        "a copy, pairs",
        || {
            let mut world = Bodies::new();
            for number in 0..BODIES {
                spawn!(world; body(number));
            }
            world
        },
        |world| {
            let mut all: Vec<Body> = component!(world, Body).iter().copied().collect();
            bodies::pairs(&mut all);
            for (body, new) in component_mut!(world, Body).iter_mut().zip(all) {
                *body = new;
            }
        },
        |world| bodies::digest(component!(world, Body).iter()),
    );
}

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Closed,
        "system!",
        move || {
            let mut world = Rows::new();
            for number in 0..entities {
                world.spawn(heavy::row(number));
            }
            world
        },
        |world| {
            system!(world, |transform: &mut Transform, position: &mut Position| {
                heavy::work(transform, position);
            });
        },
        |world| {
            let mut rows = Vec::new();
            system!(world, |transform: &Transform, position: &Position| {
                rows.push((*transform, *position));
            });
            heavy::digest(rows.iter().map(|(transform, position)| (transform, position)))
        },
    );
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Closed,
        "spawn",
        move || moving_world(rows),
        |_| {},
        |world| digest_positions(component!(world, Position).iter()),
    );
}

world! { Plain { N1, N2, N3, N4, N5, N6, N7, N8 } }

pub(super) fn one(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Closed,
        "system!",
        move || {
            let mut world = Plain::new();
            for number in 0..rows {
                spawn!(world; plain::one(number));
            }
            world
        },
        |world| system!(world, |a: &mut N1| a.0 += STEP),
        |world| digest(component!(world, N1).iter().map(|a| [a.0])),
    );
}

/// Adds a loop over pairs of components.
macro_rules! add_pairs {
    ($workload:ident, $row:expr, $($write:ident: $Write:ident, $read:ident: $Read:ident;)*) => {
        let rows = $workload.elements();
        $workload.add(
            Closed,
            "system!",
            move || {
                let mut world = Plain::new();
                for number in 0..rows {
                    world.spawn($row(number));
                }
                world
            },
            |world| {
                system!(world, |$( $write: &mut $Write, $read: &$Read ),*| {
                    $( $write.0 += $read.0; )*
                });
            },
            |world| {
                let mut rows = Vec::new();
                system!(world, |$( $write: &$Write ),*| {
                    rows.push([$( $write.0 ),*]);
                });
                digest(rows)
            },
        );
    };
}

pub(super) fn two(workload: &mut Workload) {
    add_pairs!(workload, plain::two, a: N1, b: N2;);
}

pub(super) fn four(workload: &mut Workload) {
    add_pairs!(workload, plain::four, a: N1, b: N2; c: N3, d: N4;);
}

pub(super) fn eight(workload: &mut Workload) {
    add_pairs!(workload, plain::eight, a: N1, b: N2; c: N3, d: N4; e: N5, f: N6; g: N7, h: N8;);
}

pub(super) fn option(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Closed,
        "system!",
        move || {
            let mut world = Plain::new();
            for number in 0..rows / 2 {
                world.spawn(plain::two(number));
            }
            for number in rows / 2..rows {
                spawn!(world; plain::one(number));
            }
            world
        },
        |world| {
            system!(world, |a: &mut N1, b: Option<&N2>| a.0 += b.map_or(STEP, |b| b.0));
        },
        |world| digest(component!(world, N1).iter().map(|a| [a.0])),
    );
}
