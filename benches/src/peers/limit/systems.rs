//! Many tiny systems over twenty components: "systems" are functions.

use std::hint::black_box;

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::systems;

/// One `Vec` per component.
type Columns = [Vec<f32>; 20];

fn columns() -> Columns {
    std::array::from_fn(|_| vec![0.0])
}

fn digest(columns: &mut Columns) -> u64 {
    systems::digest(columns.iter().flatten().copied().collect())
}

/// Runs a system. Not inlined, because the calls are measured.
#[inline(never)]
fn add_one(column: &mut [f32]) {
    for value in column {
        *value += 1.0;
    }
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements() as usize;
    workload.add(
        Limit,
        "calls",
        columns,
        move |columns| {
            let mut left = systems;
            while left > 0 {
                for column in columns.iter_mut().take(left) {
                    add_one(black_box(column));
                }
                left = left.saturating_sub(columns.len());
            }
        },
        digest,
    );
    workload.mark_as_plain();
}

/// The minimal schedule: a list of boxed functions.
pub(super) fn build(workload: &mut Workload) {
    type System = Box<dyn Fn(&mut Columns)>;

    let systems = workload.elements() as usize;
    workload.add(
        Limit,
        "boxed calls",
        columns,
        move |columns| {
            let mut schedule: Vec<System> = Vec::new();
            for number in 0..systems {
                let column = black_box(number % columns.len());
                schedule.push(Box::new(move |columns| add_one(&mut columns[column])));
            }
            for system in &schedule {
                system(columns);
            }
        },
        digest,
    );
    workload.mark_as_plain();
}
