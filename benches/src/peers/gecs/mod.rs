//! gecs: tables that are declared at compile time; entities cannot change their components.

mod access;
mod change;
mod iterate;
mod loops;
mod schedule;
mod worlds;

use crate::kind::Kind;
use crate::peers::Peer;
use crate::subject::Workload;

/// Adds the forms of a workload.
pub(super) fn add(workload: &mut Workload) {
    match workload.kind() {
        Kind::Iter => iterate::iter(workload),
        Kind::FragIter => iterate::frag_iter(workload),
        Kind::FragDeep => iterate::frag_deep(workload),
        Kind::RareJoin => iterate::rare_join(workload),
        Kind::SpawnBatch => change::spawn_batch(workload),
        Kind::SpawnOne => change::spawn_one(workload),
        Kind::Commands => change::commands(workload),
        Kind::AddRemove => change::add_remove(workload),
        Kind::AddRemoveWide => change::add_remove_wide(workload),
        Kind::Churn => change::churn(workload),
        Kind::ChurnBatch => change::churn_batch(workload),
        Kind::AddRemoveAll | Kind::AddRemoveWideAll | Kind::ChurnAll => {
            workload.lacks(Peer::Gecs, "its bulk changes are not measured");
        }
        Kind::GetRandom => access::get_random(workload),
        Kind::Links => access::links(workload),
        Kind::SortRows | Kind::Neighbours => {
            workload.lacks(Peer::Gecs, "its order of rows is not measured");
        }
        Kind::TreeBuild | Kind::TreeWalk => {
            workload.lacks(Peer::Gecs, "has no relations");
        }
        Kind::ChangedSparse => workload.lacks(Peer::Gecs, "does not track changes"),
        Kind::OneAndRest => loops::one_and_rest(workload),
        Kind::Heavy => loops::heavy(workload),
        Kind::HeavyPar => workload.lacks(Peer::Gecs, "has no parallel loops"),
        Kind::Schedule => schedule::three(workload),
        Kind::SchedSeq => schedule::tiny(workload),
        Kind::SchedPar | Kind::Chains | Kind::SchedBuild => {
            workload.lacks(Peer::Gecs, "has no scheduler");
        }
        Kind::Bytes => iterate::bytes(workload),
    }
}
