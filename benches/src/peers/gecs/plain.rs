//! The natural loop: `ecs_iter!`.

use gecs::prelude::*;

use super::worlds::plain::*;
use crate::peers::Peer::Gecs;
use crate::subject::Workload;
use crate::workloads::plain::{self, N1, N2, N3, N4, N5, N6, N7, N8, STEP, digest};

pub(super) fn one(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Gecs,
        "ecs_iter!",
        move || {
            let mut world = PlainWorld::default();
            for number in 0..rows {
                world.create::<One>((plain::one(number),));
            }
            world
        },
        |world| {
            ecs_iter!(world, |a: &mut N1| {
                a.0 += STEP;
            });
        },
        |world| digest(world.one.borrow_slice::<N1>().iter().map(|a| [a.0])),
    );
}

/// Adds a loop over pairs of components.
macro_rules! add_pairs {
    ($workload:ident, $row:expr, $archetype:ident, $($write:ident: $Write:ident, $read:ident: $Read:ident;)*) => {
        let rows = $workload.elements();
        $workload.add(
            Gecs,
            "ecs_iter!",
            move || {
                let mut world = PlainWorld::default();
                for number in 0..rows {
                    world.create::<$archetype>($row(number));
                }
                world
            },
            |world| {
                ecs_iter!(world, |$( $write: &mut $Write, $read: &$Read ),*| {
                    $( $write.0 += $read.0; )*
                });
            },
            |world| {
                let mut rows = Vec::new();
                ecs_iter!(world, |$( $write: &$Write ),*| {
                    rows.push([$( $write.0 ),*]);
                });
                digest(rows)
            },
        );
    };
}

pub(super) fn two(workload: &mut Workload) {
    add_pairs!(workload, plain::two, Two, a: N1, b: N2;);
}

pub(super) fn four(workload: &mut Workload) {
    add_pairs!(workload, plain::four, Four, a: N1, b: N2; c: N3, d: N4;);
}

pub(super) fn eight(workload: &mut Workload) {
    add_pairs!(workload, plain::eight, Eight, a: N1, b: N2; c: N3, d: N4; e: N5, f: N6; g: N7, h: N8;);
}
