//! The natural loop: `for` over a join.

use specs::{Builder, Join, LendJoin as _, World, WorldExt};

use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::plain::{self, N1, N2, N3, N4, N5, N6, N7, N8, STEP, digest};

fn first_digest(world: &mut World) -> u64 {
    let all = world.read_storage::<N1>();
    digest((&all).join().map(|a| [a.0]))
}

pub(super) fn one(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Specs,
        "for",
        move || {
            let mut world = World::new();
            world.register::<N1>();
            for number in 0..rows {
                world.create_entity().with(plain::one(number)).build();
            }
            world
        },
        |world| {
            for a in (&mut world.write_storage::<N1>()).join() {
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
            Specs,
            "for",
            move || {
                let mut world = World::new();
                $( world.register::<$Write>(); world.register::<$Read>(); )*
                for number in 0..rows {
                    let ($( $write, $read, )*) = $row(number);
                    world.create_entity()$( .with($write).with($read) )*.build();
                }
                world
            },
            |world| {
                $( let (mut $write, $read) = (world.write_storage::<$Write>(), world.read_storage::<$Read>()); )*
                for ($( $write, $read, )*) in ($( &mut $write, &$read, )*).join() {
                    $( $write.0 += $read.0; )*
                }
            },
            |world| {
                $( let $write = world.read_storage::<$Write>(); )*
                digest(($( &$write, )*).join().map(|($( $write, )*)| [$( $write.0 ),*]))
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
        Specs,
        "for",
        move || {
            let mut world = World::new();
            world.register::<N1>();
            world.register::<N2>();
            for number in 0..rows {
                let (a, b) = plain::two(number);
                let entity = world.create_entity().with(a);
                let entity = if number < rows / 2 { entity.with(b) } else { entity };
                entity.build();
            }
            world
        },
        |world| {
            let (mut a, b) = (world.write_storage::<N1>(), world.read_storage::<N2>());
            for (a, b) in (&mut a, (&b).maybe()).join() {
                a.0 += b.map_or(STEP, |b| b.0);
            }
        },
        first_digest,
    );
}
