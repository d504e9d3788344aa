//! The natural loop: `for` over a join of views, and over a query.

use std::hint::black_box;

use ecs_core::prelude::*;

use crate::components::Vec3;
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::plain::{self, N1, N2, N3, N4, N5, N6, N7, N8, STEP, digest};

/// The same as [`N1`], with change tracking.
#[derive(Component)]
#[component(track)]
struct Tracked(Vec3);

fn first_digest(world: &mut World) -> u64 {
    digest(world.view::<N1>().iter().map(|a| [a.0]))
}

pub(super) fn one(workload: &mut Workload) {
    let rows = workload.elements();
    let world = move || {
        let mut world = World::new();
        world.spawn_batch((0..rows).map(plain::one));
        world
    };
    workload.add(
        Ours,
        "for",
        world,
        |world| {
            for a in world.view_mut::<N1>().iter_mut() {
                a.0 += STEP;
            }
        },
        first_digest,
    );
    workload.add(
        Ours,
        "query for",
        world,
        |world| {
            for a in &mut world.query::<&mut N1>() {
                a.0 += STEP;
            }
        },
        first_digest,
    );
}

/// Adds both loops over pairs of components.
macro_rules! add_pairs {
    ($workload:ident, $row:expr, $($write:ident: $Write:ident, $read:ident: $Read:ident;)*) => {
        let rows = $workload.elements();
        let world = move || {
            let mut world = World::new();
            world.spawn_batch((0..rows).map($row));
            world
        };
        let checksum = |world: &mut World| {
            let views = ($( world.view::<$Write>(), )*);
            let ($( $write, )*) = &views;
            digest(($( $write, )*).iter().map(|($( $write, )*)| [$( $write.0 ),*]))
        };
        $workload.add(
            Ours,
            "for",
            world,
            |world| {
                let views = ($( world.view_mut::<$Write>(), world.view::<$Read>(), )*);
                let ($( mut $write, $read, )*) = views;
                for ($( $write, $read, )*) in ($( &mut $write, &$read, )*).iter() {
                    $( $write.0 += $read.0; )*
                }
            },
            checksum,
        );
        $workload.add(
            Ours,
            "query for",
            world,
            |world| {
                for ($( $write, $read, )*) in &mut world.query::<($( &mut $Write, &$Read, )*)>() {
                    $( $write.0 += $read.0; )*
                }
            },
            checksum,
        );
    };
}

pub(super) fn two(workload: &mut Workload) {
    add_pairs!(workload, plain::two, a: N1, b: N2;);
    let rows = workload.elements();
    workload.add(
        Ours,
        "Entity, query for",
        move || {
            let mut world = World::new();
            world.spawn_batch((0..rows).map(plain::two));
            world
        },
        |world| {
            let mut last = None;
            for (entity, a, b) in &mut world.query::<(Entity, &mut N1, &N2)>() {
                a.0 += b.0;
                last = Some(entity);
            }
            black_box(last);
        },
        first_digest,
    );
    workload.add(
        Ours,
        "tracked, for",
        move || {
            let mut world = World::new();
            world.spawn_batch((0..rows).map(|number| {
                let (a, b) = plain::two(number);
                (Tracked(a.0), b)
            }));
            world
        },
        |world| {
            let (mut a, b) = (world.view_mut::<Tracked>(), world.view::<N2>());
            for (mut a, b) in (&mut a, &b).iter() {
                a.0 += b.0;
            }
        },
        |world| digest(world.view::<Tracked>().iter().map(|a| [a.0])),
    );
}

pub(super) fn four(workload: &mut Workload) {
    add_pairs!(workload, plain::four, a: N1, b: N2; c: N3, d: N4;);
}

pub(super) fn eight(workload: &mut Workload) {
    add_pairs!(workload, plain::eight, a: N1, b: N2; c: N3, d: N4; e: N5, f: N6; g: N7, h: N8;);
}

pub(super) fn option(workload: &mut Workload) {
    let rows = workload.elements();
    let world = move || {
        let mut world = World::new();
        world.spawn_batch((0..rows / 2).map(plain::two));
        world.spawn_batch((rows / 2..rows).map(plain::one));
        world
    };
    workload.add(
        Ours,
        "for",
        world,
        |world| {
            let (mut a, b) = (world.view_mut::<N1>(), world.view::<N2>());
            for (a, b) in (&mut a, Some(&b)).iter() {
                a.0 += b.map_or(STEP, |b| b.0);
            }
        },
        first_digest,
    );
    workload.add(
        Ours,
        "query for",
        world,
        |world| {
            for (a, b) in &mut world.query::<(&mut N1, Option<&N2>)>() {
                a.0 += b.map_or(STEP, |b| b.0);
            }
        },
        first_digest,
    );
}
