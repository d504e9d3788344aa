//! The natural loop: `for` over views.

use shipyard::{IntoIter, View, ViewMut, World};

use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::plain::{self, N1, N2, N3, N4, N5, N6, N7, N8, STEP, digest};

fn first_digest(world: &mut World) -> u64 {
    world.run(|all: View<N1>| digest(all.iter().map(|a| [a.0])))
}

pub(super) fn one(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Shipyard,
        "for",
        move || {
            let mut world = World::new();
            world.bulk_add_entity((0..rows).map(|number| (plain::one(number),)));
            world
        },
        |world| {
            world.run(|mut all: ViewMut<N1>| {
                for a in (&mut all).iter() {
                    a.0 += STEP;
                }
            });
        },
        first_digest,
    );
}

/// Adds a loop over pairs of components.
macro_rules! add_pairs {
    ($workload:ident, $row:expr, $($write:ident: $Write:ident, $read:ident: $Read:ident;)*) => {
        let rows = $workload.elements();
        $workload.add(
            Shipyard,
            "for",
            move || {
                let mut world = World::new();
                world.bulk_add_entity((0..rows).map($row));
                world
            },
            |world| {
                world.run(|views: ($( ViewMut<$Write>, View<$Read>, )*)| {
                    let ($( mut $write, $read, )*) = views;
                    for ($( $write, $read, )*) in ($( &mut $write, &$read, )*).iter() {
                        $( $write.0 += $read.0; )*
                    }
                });
            },
            |world| {
                world.run(|views: ($( View<$Write>, View<$Read>, )*)| {
                    let ($( $write, $read, )*) = &views;
                    let rows = ($( $write, $read, )*).iter();
                    digest(rows.map(|($( $write, $read, )*)| [$( ($write.0, $read).0 ),*]))
                })
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
        Shipyard,
        "for",
        move || {
            let mut world = World::new();
            world.bulk_add_entity((0..rows / 2).map(plain::two));
            world.bulk_add_entity((rows / 2..rows).map(|number| (plain::one(number),)));
            world
        },
        |world| {
            world.run(|mut all: ViewMut<N1>, others: View<N2>| {
                for (a, b) in (&mut all, others.as_optional()).iter() {
                    a.0 += b.map_or(STEP, |b| b.0);
                }
            });
        },
        first_digest,
    );
}
