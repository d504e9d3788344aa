//! Work on exact snapshots that `ir_guard` counts: taken, written as bytes and read, of plain components, of nested ones and of
//! ones with options and enums.

use std::hint::black_box;

use ecs_core::prelude::*;
use ecs_core::snapshot::{Snapshot, Snapshotter};
use serde::{Deserialize, Serialize};

use crate::data_shapes::{ENTITIES, flat};
use crate::peers::Peer::Ours;
use crate::subject::Workload;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Point {
    x: f32,
    y: f32,
    z: f32,
}

/// A component as most games have one: numbers in structs and arrays.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.transform")]
struct Transform {
    at: Point,
    scale: Point,
    turn: [f32; 4],
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.box")]
struct Bounds {
    low: [f32; 3],
    high: [f32; 3],
    weight: f32,
    bounce: f32,
    layer: u32,
    mask: u32,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Order {
    Wait,
    Walk { x: f32, y: f32 },
    Follow(Entity),
}

/// A component whose values have parts of several lengths.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.mind")]
struct Mind {
    order: Order,
    target: Option<Entity>,
    cooldown: Option<f32>,
    is_awake: bool,
}

/// A world of two components of 40 bytes with parts.
fn transforms() -> World {
    let mut world = World::new();
    for number in 0..ENTITIES {
        let x = number as f32;
        let point = Point { x, y: 1.0, z: 2.0 };
        let transform = Transform {
            at: point,
            scale: point,
            turn: [x; 4],
        };
        let bounds = Bounds {
            low: [x; 3],
            high: [1.0, x, 2.0],
            weight: x,
            bounce: 0.5,
            layer: number,
            mask: 7,
        };
        world.spawn((transform, bounds));
    }
    world
}

/// A world of a component with ids, options and enums.
pub(crate) fn minds() -> World {
    let mut world = World::new();
    let leader = world.spawn(());
    for number in 1..ENTITIES {
        let x = number as f32;
        let order = match number % 3 {
            0 => Order::Wait,
            1 => Order::Walk { x, y: 1.0 },
            _ => Order::Follow(leader),
        };
        world.spawn(Mind {
            order,
            target: number.is_multiple_of(2).then_some(leader),
            cooldown: number.is_multiple_of(5).then_some(x),
            is_awake: number.is_multiple_of(7),
        });
    }
    world
}

/// Adds our forms of a shape; does nothing for other names.
pub(crate) fn add(name: &str, workload: &mut Workload) {
    let world: fn() -> World = match name {
        "snapshot_plain" => flat,
        "snapshot_transform" => transforms,
        "snapshot_mind" => minds,
        _ => return,
    };
    let taken = move || {
        let (mut world, snapshotter) = (world(), Snapshotter::new());
        let snapshot = snapshotter
            .take(&mut world)
            .expect("all components are data");
        let bytes = snapshot.to_bytes().expect("all components are data");
        (world, snapshotter, snapshot, bytes)
    };
    type Taken = (World, Snapshotter, Snapshot, Vec<u8>);
    let digest = |(_, _, _, bytes): &mut Taken| bytes.iter().map(|byte| u64::from(*byte)).sum();
    workload.add(
        Ours,
        "take",
        taken,
        |(world, snapshotter, ..)| {
            black_box(snapshotter.take(world).expect("all components are data"));
        },
        digest,
    );
    workload.add(
        Ours,
        "to_bytes",
        taken,
        |(_, _, snapshot, bytes)| *bytes = snapshot.to_bytes().expect("all components are data"),
        digest,
    );
    workload.add(
        Ours,
        "read_bytes",
        taken,
        |(world, snapshotter, _, bytes)| {
            let read = snapshotter.read_bytes(world, bytes);
            black_box(read.expect("they were written here"));
        },
        digest,
    );
}
