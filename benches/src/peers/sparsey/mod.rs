//! sparsey: sparse sets; components that are used together are declared as groups.

mod access;
mod change;
mod iterate;
mod kinds;
mod loops;
mod plain;
mod schedule;
mod sparse;
mod systems;
mod waves;

use crate::kind::Kind;
use crate::peers::Peer;
use crate::subject::Workload;
use crate::workloads::frag;

/// Adds the forms of a workload.
pub(super) fn add(workload: &mut Workload) {
    match workload.kind() {
        Kind::Iter => iterate::iter(workload),
        Kind::FragIter => iterate::frag_iter(workload),
        Kind::RareJoin => iterate::rare_join(workload, frag::RARE_AMONG, frag::MARKED_KINDS),
        Kind::SpawnBatch => change::spawn_batch(workload),
        Kind::SpawnOne => change::spawn_one(workload),
        Kind::Commands => change::commands(workload),
        Kind::AddRemove | Kind::SparseOne => change::add_remove(workload),
        Kind::AddRemoveWide => change::add_remove_wide(workload),
        Kind::Churn => change::churn(workload),
        Kind::ChurnObserved => workload.lacks(Peer::Sparsey, "has no observers that run at once"),
        Kind::ChurnWide => workload.lacks(Peer::Sparsey, "its entities of 20 components are not measured"),
        Kind::ChurnBatch => change::churn_batch(workload),
        Kind::AddRemoveAll | Kind::AddRemoveWideAll | Kind::ChurnAll => {
            workload.lacks(Peer::Sparsey, "its bulk changes are not measured");
        }
        Kind::GetRandom => access::get_random(workload),
        Kind::Links => access::links(workload),
        Kind::SortRows | Kind::Neighbours => {
            workload.lacks(Peer::Sparsey, "its order of rows is not measured");
        }
        Kind::TreeBuild(_) | Kind::TreeWalk(_) | Kind::TreeUp => {
            workload.lacks(Peer::Sparsey, "has no relations");
        }
        Kind::IndexLookup | Kind::GridWithin | Kind::CommandsPar => {
            workload.lacks(Peer::Sparsey, "its indexes and commands in loops are not measured");
        }
        Kind::ChangedSparse => workload.lacks(Peer::Sparsey, "does not track changes"),
        Kind::OneAndRest => loops::one_and_rest(workload),
        Kind::Heavy => loops::heavy(workload),
        Kind::HeavyPar => loops::heavy_par(workload),
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
            workload.lacks(Peer::Sparsey, "its saves and copies are not measured");
        }
        Kind::Schedule => schedule::three(workload),
        Kind::SchedSeq => schedule::tiny(workload),
        Kind::SchedPar | Kind::Chains | Kind::Waits(_) | Kind::SchedBuild => {
            workload.lacks(Peer::Sparsey, "has no scheduler");
        }
        Kind::Waves => waves::one_by_one(workload),
        Kind::WavesBatch => waves::batch(workload),
        Kind::Kinds(count) => kinds::despawn(workload, count),
        Kind::SparseJoin2 => sparse::join2(workload),
        Kind::SparseJoin3 => sparse::join3(workload),
        Kind::For1 => plain::one(workload),
        Kind::For2 => plain::two(workload),
        Kind::For4 => plain::four(workload),
        Kind::For8 => plain::eight(workload),
        Kind::ForOption => plain::option(workload),
        Kind::ParLight => loops::par_light(workload),
        Kind::ParRows => loops::par_rows(workload),
        Kind::Systems => systems::run(workload),
        Kind::WorldGet => {
            workload.lacks(Peer::Sparsey, "components are looked up in views only");
        }
        Kind::SystemsBuild => {
            workload.lacks(Peer::Sparsey, "has no scheduler");
        }
        Kind::FragDeep(kinds) | Kind::Tables(kinds) => iterate::frag_deep(workload, kinds),
        Kind::RareTables(kinds) => iterate::rare_join(workload, frag::RARE_AMONG_TABLES, kinds),
        Kind::GameBoids | Kind::GameMissiles | Kind::GameRogue => {
            workload.lacks(Peer::Sparsey, "games are ported to bevy_ecs, hecs and flecs alone");
        }
        Kind::Bytes => iterate::bytes(workload),
    }
}
