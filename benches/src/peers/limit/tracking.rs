//! Change tracking: writers add to a list, or set a bit; the reader clears them.

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::tracking::{ENTITIES, Seen, State, values};

/// Values, and a list of those that changed.
struct Values {
    values: Vec<f32>,
    /// `true` for each value that is on the list, so that it is added once.
    is_listed: Vec<bool>,
    list: Vec<u32>,
}

/// Values, and a bit for each.
struct Marked {
    values: Vec<f32>,
    changed: Vec<u64>,
}

pub(super) fn changed_sparse(workload: &mut Workload) {
    let changes = workload.elements() as usize;
    workload.add(
        Limit,
        "list",
        || {
            let world = Values {
                values: values().collect(),
                is_listed: vec![false; ENTITIES as usize],
                list: Vec::new(),
            };
            State::new(world, (0..ENTITIES).collect())
        },
        move |state| {
            let (world, ids, seen) = state.turn(changes);
            for &id in ids {
                world.values[id as usize] += 1.0;
                if !std::mem::replace(&mut world.is_listed[id as usize], true) {
                    world.list.push(id);
                }
            }
            for id in world.list.drain(..) {
                world.is_listed[id as usize] = false;
                seen.visit(world.values[id as usize]);
            }
        },
        |state| state.seen.digest(state.world.values.iter().copied()),
    );
    workload.mark_as_plain();
    workload.add(
        Limit,
        "bits",
        || {
            let world = Marked {
                values: values().collect(),
                changed: vec![0; (ENTITIES as usize).div_ceil(64)],
            };
            State::new(world, (0..ENTITIES).collect())
        },
        move |state| {
            let (world, ids, seen) = state.turn(changes);
            for &id in ids {
                world.values[id as usize] += 1.0;
                world.changed[id as usize / 64] |= 1 << (id % 64);
            }
            visit(world, seen);
        },
        |state| state.seen.digest(state.world.values.iter().copied()),
    );
}

fn visit(world: &mut Marked, seen: &mut Seen) {
    for (word, first) in world.changed.iter_mut().zip((0..).step_by(64)) {
        let mut bits = std::mem::take(word);
        while bits != 0 {
            seen.visit(world.values[first + bits.trailing_zeros() as usize]);
            bits &= bits - 1;
        }
    }
}
