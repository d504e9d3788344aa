//! The closed worlds of `ecs-core`: all components are known at compile time, as in gecs and freecs.

mod access;
mod change;
mod iterate;
mod systems;

use crate::kind::Kind;
use crate::peers::Peer;
use crate::subject::Workload;

/// Adds the forms of a workload.
pub(super) fn add(workload: &mut Workload) {
    match workload.kind() {
        Kind::Iter => iterate::iter(workload),
        Kind::For1 => iterate::one(workload),
        Kind::For2 => iterate::two(workload),
        Kind::For4 => iterate::four(workload),
        Kind::For8 => iterate::eight(workload),
        Kind::ForOption => iterate::option(workload),
        Kind::FragIter => iterate::frag_iter(workload),
        Kind::FragDeep(kinds) => iterate::frag_deep(workload, kinds),
        Kind::RareJoin => iterate::rare_join(workload),
        Kind::OneAndRest => iterate::one_and_rest(workload),
        Kind::Heavy => iterate::heavy(workload),
        Kind::Bytes => iterate::bytes(workload),
        Kind::SpawnBatch | Kind::SpawnOne => change::spawn(workload),
        Kind::AddRemove => change::add_remove(workload),
        Kind::Churn => change::churn(workload),
        Kind::ChurnBatch => change::churn_batch(workload),
        Kind::Waves | Kind::WavesBatch => change::waves(workload),
        Kind::GetRandom | Kind::WorldGet => access::get_random(workload),
        Kind::Links => access::links(workload),
        Kind::Schedule => systems::three(workload),
        Kind::SchedSeq => systems::tiny(workload),
        Kind::Systems => systems::linked(workload),
        Kind::AddRemoveWide | Kind::ChurnWide => {
            workload.lacks(Peer::Closed, "its wide entities are not measured");
        }
        Kind::AddRemoveAll | Kind::AddRemoveWideAll | Kind::ChurnAll => {
            workload.lacks(Peer::Closed, "has no bulk changes");
        }
        Kind::Commands | Kind::CommandsPar => workload.lacks(Peer::Closed, "has no commands"),
        Kind::ChurnObserved => workload.lacks(Peer::Closed, "has no observers"),
        Kind::SparseOne | Kind::SparseJoin2 | Kind::SparseJoin3 => {
            workload.lacks(Peer::Closed, "has one kind of storage");
        }
        Kind::SortRows | Kind::Neighbours => {
            workload.lacks(Peer::Closed, "has the order of ids");
        }
        Kind::TreeBuild(_) | Kind::TreeWalk(_) | Kind::TreeUp => {
            workload.lacks(Peer::Closed, "has no relations");
        }
        Kind::IndexLookup | Kind::GridWithin => workload.lacks(Peer::Closed, "has no indexes"),
        Kind::ChangedSparse => workload.lacks(Peer::Closed, "does not track changes"),
        Kind::HeavyPar | Kind::ParLight | Kind::ParRows => {
            workload.lacks(Peer::Closed, "has no parallel loops");
        }
        Kind::Save
        | Kind::Load
        | Kind::CloneEntities
        | Kind::Prefab
        | Kind::PrefabBatch
        | Kind::Snapshot
        | Kind::SnapshotBytes
        | Kind::Travel
        | Kind::Ghosts
        | Kind::WorldHash
        | Kind::Replicate
        | Kind::Rollback => workload.lacks(Peer::Closed, "is not data"),
        Kind::SchedPar | Kind::Chains | Kind::Waits(_) | Kind::SchedBuild => {
            workload.lacks(Peer::Closed, "has no scheduler");
        }
        Kind::Kinds(_) => workload.lacks(Peer::Closed, "components are listed in the source"),
        Kind::GameBoids | Kind::GameMissiles | Kind::GameRogue => {
            workload.lacks(Peer::Closed, "has no commands and events for the games");
        }
        Kind::Tables(_) | Kind::RareTables(_) | Kind::SystemsBuild => {
            workload.lacks(Peer::Closed, "is not in the growth table");
        }
    }
}
