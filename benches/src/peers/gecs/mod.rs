//! gecs: tables that are declared at compile time; entities cannot change their components.

mod access;
mod change;
mod iterate;
mod loops;
mod plain;
mod schedule;
mod systems;
mod waves;
mod worlds;

use crate::kind::Kind;
use crate::peers::Peer;
use crate::subject::Workload;

/// Adds the forms of a workload.
pub(super) fn add(workload: &mut Workload) {
    match workload.kind() {
        Kind::Iter => iterate::iter(workload),
        Kind::FragIter => iterate::frag_iter(workload),
        Kind::FragDeep(_) => iterate::frag_deep(workload),
        Kind::RareJoin => iterate::rare_join(workload),
        Kind::SpawnBatch => change::spawn_batch(workload),
        Kind::SpawnOne => change::spawn_one(workload),
        Kind::Commands => change::commands(workload),
        Kind::AddRemove => change::add_remove(workload),
        Kind::AddRemoveWide => change::add_remove_wide(workload),
        Kind::Churn => change::churn(workload),
        Kind::ChurnObserved => workload.lacks(Peer::Gecs, "has no observers that run at once"),
        Kind::ChurnWide => workload.lacks(Peer::Gecs, "its entities of 20 components are not measured"),
        Kind::ChurnBatch => change::churn_batch(workload),
        Kind::AddRemoveAll | Kind::AddRemoveWideAll | Kind::ChurnAll => {
            workload.lacks(Peer::Gecs, "its bulk changes are not measured");
        }
        Kind::GetRandom | Kind::WorldGet => access::get_random(workload),
        Kind::Links => access::links(workload),
        Kind::SortRows | Kind::Neighbours => {
            workload.lacks(Peer::Gecs, "its order of rows is not measured");
        }
        Kind::TreeBuild(_) | Kind::TreeWalk(_) | Kind::TreeUp => {
            workload.lacks(Peer::Gecs, "has no relations");
        }
        Kind::IndexLookup | Kind::GridWithin | Kind::CommandsPar => {
            workload.lacks(Peer::Gecs, "its indexes and commands in loops are not measured");
        }
        Kind::ChangedSparse => workload.lacks(Peer::Gecs, "does not track changes"),
        Kind::OneAndRest => loops::one_and_rest(workload),
        Kind::Heavy => loops::heavy(workload),
        Kind::HeavyPar => workload.lacks(Peer::Gecs, "has no parallel loops"),
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
        | Kind::Rollback => {
            workload.lacks(Peer::Gecs, "its saves and copies are not measured");
        }
        Kind::Schedule => schedule::three(workload),
        Kind::SchedSeq => schedule::tiny(workload),
        Kind::SchedPar | Kind::Chains | Kind::Waits(_) | Kind::SchedBuild => {
            workload.lacks(Peer::Gecs, "has no scheduler");
        }
        Kind::Waves => waves::one_by_one(workload),
        Kind::WavesBatch => waves::batch(workload),
        Kind::For1 => plain::one(workload),
        Kind::For2 => plain::two(workload),
        Kind::For4 => plain::four(workload),
        Kind::For8 => plain::eight(workload),
        Kind::Systems => systems::run(workload),
        Kind::Kinds(_) => {
            workload.lacks(Peer::Gecs, "components are listed in the source");
        }
        Kind::SparseOne | Kind::SparseJoin2 | Kind::SparseJoin3 => {
            workload.lacks(Peer::Gecs, "has no sparse components");
        }
        Kind::ForOption => {
            workload.lacks(Peer::Gecs, "a loop has no optional components");
        }
        Kind::ParLight | Kind::ParRows => {
            workload.lacks(Peer::Gecs, "has no parallel loops");
        }
        Kind::Tables(_) | Kind::RareTables(_) | Kind::SystemsBuild => {
            workload.lacks(Peer::Gecs, "is not in the growth table");
        }
        Kind::GameBoids | Kind::GameMissiles | Kind::GameRogue => {
            workload.lacks(Peer::Gecs, "games are ported to bevy_ecs, hecs and flecs alone");
        }
        Kind::Bytes => iterate::bytes(workload),
    }
}
