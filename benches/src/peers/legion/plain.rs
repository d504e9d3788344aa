//! The natural loop: `for` over a prepared query.

use legion::World;
use legion::query::IntoQuery;

use crate::peers::Peer::Legion;
use crate::subject::Workload;
use crate::workloads::plain::{self, N1, N2, N3, N4, N5, N6, N7, N8, STEP, digest};

pub(super) fn one(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Legion,
        "for",
        move || {
            let mut world = World::default();
            world.extend((0..rows).map(|number| (plain::one(number),)));
            (world, <&mut N1>::query())
        },
        |(world, query)| {
            for a in query.iter_mut(world) {
                a.0 += STEP;
            }
        },
        |(world, _)| digest(<&N1>::query().iter(world).map(|a| [a.0])),
    );
}

/// Adds a loop over pairs of components.
macro_rules! add_pairs {
    ($workload:ident, $row:expr, $($write:ident: $Write:ident, $read:ident: $Read:ident;)*) => {
        let rows = $workload.elements();
        $workload.add(
            Legion,
            "for",
            move || {
                let mut world = World::default();
                world.extend((0..rows).map($row));
                (world, <($( &mut $Write, &$Read, )*)>::query())
            },
            |(world, query)| {
                for ($( $write, $read, )*) in query.iter_mut(world) {
                    $( $write.0 += $read.0; )*
                }
            },
            |(world, _)| {
                let mut query = <($( &$Write, )*)>::query();
                digest(query.iter(world).map(|($( $write, )*)| [$( $write.0 ),*]))
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
        Legion,
        "for",
        move || {
            let mut world = World::default();
            world.extend((0..rows / 2).map(plain::two));
            world.extend((rows / 2..rows).map(|number| (plain::one(number),)));
            (world, <(&mut N1, Option<&N2>)>::query())
        },
        |(world, query)| {
            for (a, b) in query.iter_mut(world) {
                a.0 += b.map_or(STEP, |b| b.0);
            }
        },
        |(world, _)| digest(<&N1>::query().iter(world).map(|a| [a.0])),
    );
}
