//! Loops.

use std::hint::black_box;

use super::{Moving, moving_columns};
use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::frag::{self, Data, KINDS, Rare};

/// One dense pair of `Vec`s, independent of the number of kinds of entities.
pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    let setup = move || moving_columns(rows);
    let checksum = |columns: &mut Moving| digest_positions(&columns.0);
    workload.add(
        Limit,
        "plain loop",
        setup,
        |(positions, velocities)| {
            for (position, velocity) in positions.iter_mut().zip(&*velocities) {
                position.0 += velocity.0;
            }
        },
        checksum,
    );
    workload.mark_as_plain();
    workload.add(
        Limit,
        "blocks of 8",
        setup,
        |(positions, velocities)| {
            let (position_blocks, position_rest) = positions.as_chunks_mut();
            let (velocity_blocks, velocity_rest) = velocities.as_chunks();
            let add = |position: &mut Position, velocity: &Velocity| position.0 += velocity.0;
            for (positions, velocities) in position_blocks.iter_mut().zip(velocity_blocks) {
                block(positions, velocities, add);
            }
            for (position, velocity) in position_rest.iter_mut().zip(velocity_rest) {
                add(position, velocity);
            }
        },
        checksum,
    );
}

/// Applies `f` to the rows of two blocks.
///
/// The blocks are parameters of a function, because only parameters tell the optimiser that they do not overlap; it then
/// packs the three floats of several rows into full vector registers. The function is generic, because the compiler would
/// otherwise inline it too early and lose the aliasing information of the parameters.
#[inline]
fn block<A, B>(a: &mut [A; 8], b: &[B; 8], f: impl Fn(&mut A, &B)) {
    for (a, b) in a.iter_mut().zip(b) {
        f(a, b);
    }
}

pub(super) fn frag(workload: &mut Workload) {
    workload.add(
        Limit,
        "one Vec per kind",
        || -> Vec<Vec<Data>> {
            let kind = |_| frag::start().map(Data).collect();
            (0..KINDS).map(kind).collect()
        },
        |kinds| {
            for kind in kinds {
                for data in kind {
                    data.0 *= 2.0;
                }
            }
        },
        |kinds| frag::digest(kinds.iter().flatten().map(|data| data.0)),
    );
    workload.mark_as_plain();
    workload.add(
        Limit,
        "one Vec",
        || -> Vec<Data> {
            (0..KINDS)
                .flat_map(|_| frag::start().map(Data))
                .collect()
        },
        |all| {
            for data in all {
                data.0 *= 2.0;
            }
        },
        |all| frag::digest(all.iter().map(|data| data.0)),
    );
}

/// The rare component in a list with the index of its entity, the common one in an array by index.
pub(super) fn rare_join(workload: &mut Workload, among: u32) {
    type State = (Vec<(u32, Rare)>, Vec<Position>);
    workload.add(
        Limit,
        "list of indices",
        move || -> State {
            let rare = (0..among).filter(move |&number| frag::is_rare(number, among));
            (
                rare.map(|number| (number, Rare(0.0))).collect(),
                (0..among).map(|number| moving(number).0).collect(),
            )
        },
        |(rare, positions)| {
            for (index, rare) in &mut *rare {
                rare.0 += positions[*index as usize].0.x;
            }
            black_box(rare);
        },
        |(rare, _)| frag::digest(rare.iter().map(|(_, rare)| rare.0)),
    );
    workload.mark_as_plain();
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Limit,
        "two Vecs",
        move || moving_columns(rows),
        |_| {},
        |columns| digest_positions(&columns.0),
    );
    workload.mark_as_plain();
}
