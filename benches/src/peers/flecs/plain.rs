//! The natural loop: `each` on a cached query.

use flecs_ecs::prelude::*;

use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::plain::{self, N1, N2, N3, N4, N5, N6, N7, N8, STEP, digest};

fn first_digest(world: &World) -> u64 {
    let mut rows = Vec::new();
    world.new_query::<&N1>().each(|a| rows.push([a.0]));
    digest(rows)
}

pub(super) fn one(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Flecs,
        "each",
        move || -> (Query<&'static mut N1>, World) {
            let world = World::new();
            for number in 0..rows {
                world.entity().set(plain::one(number));
            }
            (world.new_query(), world)
        },
        |(query, _)| query.each(|a| a.0 += STEP),
        |(_, world)| first_digest(world),
    );
}

/// Adds a loop over pairs of components.
macro_rules! add_pairs {
    ($workload:ident, $row:expr, $($write:ident: $Write:ident, $read:ident: $Read:ident;)*) => {
        let rows = $workload.elements();
        $workload.add(
            Flecs,
            "each",
            move || -> (Query<($( &'static mut $Write, &'static $Read, )*)>, World) {
                let world = World::new();
                for number in 0..rows {
                    let ($( $write, $read, )*) = $row(number);
                    world.entity()$( .set($write).set($read) )*;
                }
                (world.new_query(), world)
            },
            |(query, _)| {
                query.each(|($( $write, $read, )*)| {
                    $( $write.0 += $read.0; )*
                });
            },
            |(_, world)| {
                let mut rows = Vec::new();
                let query = world.new_query::<($( &$Write, )*)>();
                query.each(|($( $write, )*)| rows.push([$( $write.0 ),*]));
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
        Flecs,
        "each",
        move || -> (Query<(&'static mut N1, Option<&'static N2>)>, World) {
            let world = World::new();
            for number in 0..rows {
                let (a, b) = plain::two(number);
                let entity = world.entity().set(a);
                if number < rows / 2 {
                    entity.set(b);
                }
            }
            (world.new_query(), world)
        },
        |(query, _)| query.each(|(a, b)| a.0 += b.map_or(STEP, |b| b.0)),
        |(_, world)| first_digest(world),
    );
}
