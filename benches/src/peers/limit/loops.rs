//! Loops with heavy computation per row, and loops of each against all others.

use rayon::prelude::*;

use crate::components::{Position, Transform};
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::bodies::{BODIES, Body, body};
use crate::workloads::{bodies, heavy};

type Heavy = (Vec<Transform>, Vec<Position>);

fn heavy_columns(rows: u32) -> Heavy {
    let rows = (0..rows).map(heavy::row);
    rows.map(|(transform, position, ..)| (transform, position))
        .unzip()
}

fn heavy_digest((transforms, positions): &mut Heavy) -> u64 {
    heavy::digest(transforms.iter().zip(positions.iter()))
}

pub(super) fn heavy(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "zip",
        move || heavy_columns(rows),
        |(transforms, positions)| {
            for (transform, position) in transforms.iter_mut().zip(positions) {
                heavy::work(transform, position);
            }
        },
        heavy_digest,
    );
    workload.mark_as_plain();
}

pub(super) fn heavy_par(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "rayon",
        move || heavy_columns(rows),
        |(transforms, positions)| {
            let rows = transforms.par_iter_mut().zip(positions);
            rows.for_each(|(transform, position)| heavy::work(transform, position));
        },
        heavy_digest,
    );
    workload.mark_as_plain();
    workload.add(
        Limit,
        "rayon, pieces of 64",
        move || heavy_columns(rows),
        |(transforms, positions)| {
            let rows = transforms.par_iter_mut().zip(positions);
            let rows = rows.with_min_len(heavy::PIECE as usize);
            rows.for_each(|(transform, position)| heavy::work(transform, position));
        },
        heavy_digest,
    );
}

pub(super) fn par_rows(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "rayon",
        move || heavy_columns(rows),
        |(transforms, positions)| {
            let rows = transforms.par_iter_mut().zip(positions);
            rows.for_each(|(transform, position)| heavy::short_work(transform, position));
        },
        heavy_digest,
    );
    workload.mark_as_plain();
}

pub(super) fn one_and_rest(workload: &mut Workload) {
    let bodies = || -> Vec<Body> { (0..BODIES).map(body).collect() };
    let digest = |bodies: &mut Vec<Body>| bodies::digest(bodies.iter());
    workload.add(
        Limit,
        "index loops",
        bodies,
        |bodies| {
            for one in 0..bodies.len() {
                bodies[one].release();
                for other in 0..bodies.len() {
                    if other != one {
                        let other = bodies[other];
                        bodies[one].pull(&other);
                    }
                }
            }
        },
        digest,
    );
    workload.mark_as_plain();
    workload.add(
        Limit,
        "before and behind",
        bodies,
        |bodies| {
            for place in 0..bodies.len() {
                let (before, from) = bodies.split_at_mut(place);
                let (one, behind) = from.split_first_mut().expect("one more");
                one.release();
                before.iter().for_each(|other| one.pull(other));
                behind.iter().for_each(|other| one.pull(other));
            }
        },
        digest,
    );
    workload.add(
        Limit,
        "pairs",
        bodies,
        |bodies| bodies::pairs(bodies),
        digest,
    );
}
