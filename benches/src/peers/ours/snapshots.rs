//! Snapshots, hashes and rollback.

use std::hint::black_box;

use ecs_core::data::WorldHasher;
use ecs_core::prelude::*;
use ecs_core::snapshot::{Ring, Snapshot, Snapshotter};

use super::saves::{digest, world};
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::saves::{FRAMES, Place, ROLLED_BACK, Speed};

pub(super) fn snapshot(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "Snapshotter",
        move || (world(entities).0, Snapshotter::new(), Snapshot::new()),
        |(world, snapshotter, snapshot)| {
            let taken = snapshotter.take_into(world, snapshot);
            taken.expect("all components are data");
            let restored = snapshotter.restore(world, snapshot);
            restored.expect("it is of this world");
        },
        |(world, ..)| digest(world),
    );
}

pub(super) fn snapshot_bytes(workload: &mut Workload) {
    let entities = workload.elements();
    let taken = move || {
        let (mut world, snapshotter) = (world(entities).0, Snapshotter::new());
        let snapshot = snapshotter.take(&mut world);
        let snapshot = snapshot.expect("all components are data");
        let bytes = snapshot.to_bytes().expect("all components are data");
        (world, snapshotter, snapshot, bytes)
    };
    type Taken = (World, Snapshotter, Snapshot, Vec<u8>);
    type Form = (&'static str, fn(&mut Taken));
    let forms: [Form; 5] = [
        ("take", |(world, snapshotter, ..)| {
            let taken = snapshotter.take(world);
            black_box(taken.expect("all components are data"));
        }),
        ("take_into", |(world, snapshotter, snapshot, _)| {
            let taken = snapshotter.take_into(world, snapshot);
            taken.expect("all components are data");
        }),
        ("to_bytes", |(_, _, snapshot, _)| {
            black_box(snapshot.to_bytes().expect("all components are data"));
        }),
        ("to_bytes_into", |(_, _, snapshot, bytes)| {
            let written = snapshot.to_bytes_into(bytes);
            written.expect("all components are data");
        }),
        ("read_bytes", |(world, snapshotter, _, bytes)| {
            let read = snapshotter.read_bytes(world, bytes);
            black_box(read.expect("they were written here"));
        }),
    ];
    for (form, run) in forms {
        let checksum = |(world, ..): &mut Taken| digest(world);
        workload.add(Ours, form, taken, run, checksum);
    }
}

pub(super) fn world_hash(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "WorldHasher",
        move || (world(entities).0, WorldHasher::new()),
        |(world, hasher)| {
            black_box(hasher.world(world).expect("all components are data"));
        },
        |(world, _)| digest(world),
    );
}

#[system(for_each)]
fn movement(place: &mut Place, speed: &Speed) {
    for (place, speed) in place.0.iter_mut().zip(speed.0) {
        *place += speed;
    }
}

pub(super) fn rollback(workload: &mut Workload) {
    add_rollback(workload, "Ring", |snapshotter, _| snapshotter);
    add_rollback(workload, "Ring, only_written_by", |snapshotter, sim| {
        snapshotter.only_written_by(sim.plan().expect("it is one system"))
    });
}

fn add_rollback(
    workload: &mut Workload,
    form: &'static str,
    of: fn(Snapshotter, &mut Schedule) -> Snapshotter,
) {
    workload.add(
        Ours,
        form,
        move || {
            let mut world = world(ROLLED_BACK).0;
            let mut sim = Schedule::new();
            sim.add(movement);
            sim.prepare(&mut world).expect("it is one system");
            let snapshotter = of(Snapshotter::new(), &mut sim);
            let mut ring = Ring::new(snapshotter, FRAMES as usize);
            for frame in 0..FRAMES {
                step(frame, &mut ring, &mut world, &mut sim);
            }
            (world, sim, ring)
        },
        |(world, sim, ring)| {
            let restored = ring.restore_with(0, world, &mut [sim]);
            restored.expect("it is one of the last frames");
            for frame in 0..FRAMES {
                step(frame, ring, world, sim);
            }
        },
        |(world, ..)| digest(world),
    );
}

fn step(frame: u64, ring: &mut Ring, world: &mut World, sim: &mut Schedule) {
    let taken = ring.take_with(frame, world, &mut [sim]);
    taken.expect("all components are data");
    sim.run_seq(world).expect("its system returns nothing");
}
