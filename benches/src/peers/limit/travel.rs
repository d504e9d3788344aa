//! Rows that move from one list of columns to another.

use super::saves::{Columns, columns};
use crate::digest::Digest;
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::saves::row;
use crate::workloads::travel::{MOVING, STAYING, moving};

/// Moves a row to the end of other columns, and fills its place with the last one.
fn take(from: &mut Columns, row: usize, to: &mut Columns) {
    to.0.push(from.0.swap_remove(row));
    to.1.push(from.1.swap_remove(row));
    to.2.push(from.2.swap_remove(row));
}

pub(super) fn travel(workload: &mut Workload) {
    workload.add(
        Limit,
        "swap_remove and push, no ids",
        || (columns(STAYING + MOVING), Columns::default(), moving()),
        |(here, there, moving)| {
            for &row in &*moving {
                let row = row as usize % here.0.len();
                take(here, row, there);
            }
            while !there.0.is_empty() {
                take(there, 0, here);
            }
        },
        |(here, ..)| sum(here),
    );
    workload.mark_as_plain();
}

fn sum((places, turns, speeds): &Columns) -> u64 {
    let rows = places.iter().zip(turns).zip(speeds);
    Digest::of(rows.map(|((place, turn), speed)| [place.0, turn.0, speed.0].concat()))
}

pub(super) fn ghosts(workload: &mut Workload) {
    workload.add(
        Limit,
        "columns, overwritten",
        || columns(MOVING),
        |ghosts| {
            let rows = ghosts.0.iter_mut().zip(&mut ghosts.1).zip(&mut ghosts.2);
            for (number, ((place, turn), speed)) in (0..).zip(rows) {
                (*place, *turn, *speed) = row(number);
            }
        },
        |ghosts| sum(ghosts),
    );
    workload.mark_as_plain();
}
