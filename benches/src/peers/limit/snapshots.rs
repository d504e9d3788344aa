//! Copies and hashes of one `Vec` per component.

use std::hash::{BuildHasher as _, Hasher as _};
use std::hint::black_box;

use super::saves::{Columns, columns, digest};
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::saves::{FRAMES, ROLLED_BACK};

/// Copies columns over others of the same length.
fn copy((places, turns, speeds): &Columns, to: &mut Columns) {
    to.0.copy_from_slice(places);
    to.1.copy_from_slice(turns);
    to.2.copy_from_slice(speeds);
}

pub(super) fn snapshot(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "memcpy there and back",
        move || (columns(entities), columns(entities)),
        |(columns, buffer)| {
            copy(columns, buffer);
            copy(black_box(buffer), columns);
        },
        |(columns, _)| digest(columns),
    );
    workload.mark_as_plain();
}

pub(super) fn snapshot_bytes(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "memcpy to new memory",
        move || columns(entities),
        |columns| drop(black_box(columns.clone())),
        |columns| digest(columns),
    );
    workload.mark_as_plain();
}

/// Returns the sum of the hashes of all values, each with its entity and its component.
fn sum(columns: &Columns, hash: impl Fn(u64, &[u8]) -> u64) -> u64 {
    let bytes = |values: [f32; 3]| {
        let [x, y, z] = values.map(f32::to_le_bytes);
        let mut all = [0; 12];
        all[..4].copy_from_slice(&x);
        all[4..8].copy_from_slice(&y);
        all[8..].copy_from_slice(&z);
        all
    };
    let (places, turns, speeds) = columns;
    let mut sum = 0_u64;
    for (entity, place) in (0..).zip(places) {
        sum = sum.wrapping_add(hash(entity, &bytes(place.0)));
    }
    for (entity, turn) in (1 << 32..).zip(turns) {
        sum = sum.wrapping_add(hash(entity, &bytes(turn.0)));
    }
    for (entity, speed) in (2 << 32..).zip(speeds) {
        sum = sum.wrapping_add(hash(entity, &bytes(speed.0)));
    }
    sum
}

pub(super) fn world_hash(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "foldhash of each row",
        move || columns(entities),
        |columns| {
            let state = foldhash::fast::FixedState::with_seed(7);
            let hash = |seed, bytes: &[u8]| {
                let mut hasher = state.build_hasher();
                hasher.write_u64(seed);
                hasher.write(bytes);
                hasher.finish()
            };
            black_box(sum(columns, hash));
        },
        |columns| digest(columns),
    );
    workload.add(
        Limit,
        "xxh3 of each row",
        move || columns(entities),
        |columns| {
            let hash = |seed, bytes: &[u8]| xxhash_rust::xxh3::xxh3_64_with_seed(bytes, seed);
            black_box(sum(columns, hash));
        },
        |columns| digest(columns),
    );
    workload.mark_as_plain();
}

/// Copies the places: only they are written.
fn copy_places((places, ..): &Columns, to: &mut Columns) {
    to.0.copy_from_slice(places);
}

pub(super) fn rollback(workload: &mut Workload) {
    add_rollback(workload, "memcpy of each frame", copy);
    add_rollback(workload, "memcpy of what is written", copy_places);
    workload.mark_as_plain();
}

fn add_rollback(workload: &mut Workload, form: &'static str, copy: fn(&Columns, &mut Columns)) {
    let step = move |columns: &mut Columns, buffer: &mut Columns| {
        copy(columns, buffer);
        let (places, _, speeds) = columns;
        for (place, speed) in places.iter_mut().zip(speeds) {
            for (place, speed) in place.0.iter_mut().zip(speed.0) {
                *place += speed;
            }
        }
    };
    workload.add(
        Limit,
        form,
        move || {
            let mut now = columns(ROLLED_BACK);
            let mut ring: Vec<Columns> = (0..FRAMES).map(|_| columns(ROLLED_BACK)).collect();
            ring.iter_mut().for_each(|buffer| step(&mut now, buffer));
            (now, ring)
        },
        move |(columns, ring)| {
            copy(&ring[0], columns);
            ring.iter_mut().for_each(|buffer| step(columns, buffer));
        },
        |(columns, _)| digest(columns),
    );
}
