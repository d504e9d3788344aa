//! Hand-written code on plain `Vec`s, without a library.

mod access;
mod change;
mod iterate;
mod linked;
mod loops;
mod order;
mod schedule;
mod sparse_set;
mod tracking;
mod tree;

use crate::components::{Position, Velocity, moving};
use crate::kind::Kind;
use crate::subject::Workload;

/// Adds the forms of a workload.
pub(super) fn add(workload: &mut Workload) {
    match workload.kind() {
        Kind::Iter | Kind::FragDeep => iterate::iter(workload),
        Kind::FragIter => iterate::frag(workload),
        Kind::RareJoin => iterate::rare_join(workload),
        Kind::SpawnBatch => change::spawn_batch(workload),
        Kind::SpawnOne => change::spawn_one(workload),
        Kind::Commands => change::commands(workload),
        Kind::AddRemove
        | Kind::AddRemoveWide
        | Kind::AddRemoveAll
        | Kind::AddRemoveWideAll => sparse_set::add_remove(workload),
        Kind::Churn => change::churn(workload),
        Kind::ChurnBatch => change::churn_batch(workload),
        Kind::ChurnAll => change::churn_all(workload),
        Kind::GetRandom => access::get_random(workload),
        Kind::Links => access::links(workload),
        Kind::SortRows => order::sort_rows(workload),
        Kind::Neighbours => order::neighbours(workload),
        Kind::TreeBuild => tree::build(workload),
        Kind::TreeWalk => tree::walk(workload),
        Kind::ChangedSparse => tracking::changed_sparse(workload),
        Kind::OneAndRest => loops::one_and_rest(workload),
        Kind::Heavy => loops::heavy(workload),
        Kind::HeavyPar => loops::heavy_par(workload),
        Kind::Schedule => schedule::three(workload),
        Kind::SchedSeq => schedule::tiny(workload),
        Kind::SchedPar => linked::tiny(workload),
        Kind::Chains => linked::busy(workload),
        Kind::SchedBuild => linked::build(workload),
        Kind::Bytes => iterate::bytes(workload),
    }
}

/// One `Vec` per component.
type Moving = (Vec<Position>, Vec<Velocity>);

fn moving_columns(rows: u32) -> Moving {
    let mut columns = (
        Vec::with_capacity(rows as usize),
        Vec::with_capacity(rows as usize),
    );
    columns.extend((0..rows).map(moving));
    columns
}
