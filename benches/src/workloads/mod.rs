//! The workloads, one per file.
//!
//! Each file has one function per library that adds the library's ways to the workload. All ways start from equal data
//! and do the same to it; the harness compares what they leave.

mod add_remove;
mod churn;
mod frag_iter;
mod get_random;
mod iter;
mod spawn_batch;
mod spawn_one;

use crate::subject::Workload;

/// All workloads.
#[must_use]
pub fn all() -> Vec<Workload> {
    vec![
        iter::workload("iter_10k", 10_000),
        iter::workload("iter_1m", 1_000_000),
        frag_iter::workload(),
        spawn_batch::workload(),
        spawn_one::workload(),
        add_remove::workload(),
        churn::workload(),
        get_random::workload(),
    ]
}

/// The workload of that name.
#[must_use]
pub fn find(name: &str) -> Option<Workload> {
    all().into_iter().find(|workload| workload.name == name)
}
