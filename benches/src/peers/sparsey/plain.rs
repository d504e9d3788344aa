//! The natural loop: `for` over a query, with a group.

use sparsey::World;

use crate::peers::Peer::Sparsey;
use crate::subject::Workload;
use crate::workloads::plain::{self, N1, N2, N3, N4, N5, N6, N7, N8, STEP, digest};

fn first_digest(world: &mut World) -> u64 {
    digest(world.borrow::<N1>().as_slice().iter().map(|a| [a.0]))
}

pub(super) fn one(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Sparsey,
        "for",
        move || {
            let mut world = World::builder().register::<N1>().build();
            world.extend((0..rows).map(|number| (plain::one(number),)));
            world
        },
        |world| {
            for a in world.query_all::<&mut N1>().iter() {
                a.0 += STEP;
            }
        },
        first_digest,
    );
}

/// Adds a loop over pairs of components.
macro_rules! add_pairs {
    ($workload:ident, $row:expr, $($write:ident: $Write:ident, $read:ident: $Read:ident;)*) => {
        let rows = $workload.elements();
        $workload.add(
            Sparsey,
            "group for",
            move || {
                let mut world = World::builder().add_group::<($( $Write, $Read, )*)>().build();
                world.extend((0..rows).map($row));
                world
            },
            |world| {
                for ($( $write, $read, )*) in world.query_all::<($( &mut $Write, &$Read, )*)>().iter() {
                    $( $write.0 += $read.0; )*
                }
            },
            |world| {
                let mut query = world.query_all::<($( &$Write, )*)>();
                digest(query.iter().map(|($( $write, )*)| [$( $write.0 ),*]))
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
        Sparsey,
        "for",
        move || {
            let mut world = World::builder().register::<N1>().register::<N2>().build();
            world.extend((0..rows / 2).map(plain::two));
            world.extend((rows / 2..rows).map(|number| (plain::one(number),)));
            world
        },
        |world| {
            for (a, b) in world.query_all::<(&mut N1, Option<&N2>)>().iter() {
                a.0 += b.map_or(STEP, |b| b.0);
            }
        },
        first_digest,
    );
}
