//! hecs: no scheduler, systems are functions; no component storage but tables.

mod access;
mod change;
mod game_boids;
mod game_missiles;
mod game_rogue;
mod iterate;
mod loops;
mod plain;
mod saves;
mod schedule;
mod systems;
mod tracking;
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
        Kind::AddRemove => change::add_remove(workload),
        Kind::AddRemoveWide => change::add_remove_wide(workload),
        Kind::Churn => change::churn(workload),
        Kind::ChurnObserved => workload.lacks(Peer::Hecs, "has no observers that run at once"),
        Kind::ChurnWide => workload.lacks(Peer::Hecs, "its entities of 20 components are not measured"),
        Kind::ChurnBatch => change::churn_batch(workload),
        Kind::AddRemoveAll | Kind::AddRemoveWideAll | Kind::ChurnAll => {
            workload.lacks(Peer::Hecs, "its bulk changes are not measured");
        }
        Kind::GetRandom => access::get_random(workload),
        Kind::Links => access::links(workload),
        Kind::SortRows | Kind::Neighbours => {
            workload.lacks(Peer::Hecs, "its order of rows is not measured");
        }
        Kind::TreeBuild(_) | Kind::TreeWalk(_) | Kind::TreeUp => {
            workload.lacks(Peer::Hecs, "has no relations");
        }
        Kind::IndexLookup | Kind::GridWithin | Kind::CommandsPar => {
            workload.lacks(Peer::Hecs, "its indexes and commands in loops are not measured");
        }
        Kind::ChangedSparse => tracking::changed_sparse(workload),
        Kind::OneAndRest => loops::one_and_rest(workload),
        Kind::Heavy => loops::heavy(workload),
        Kind::HeavyPar => loops::heavy_par(workload),
        Kind::Save => saves::save(workload),
        Kind::Load => saves::load(workload),
        Kind::CloneEntities => workload.lacks(Peer::Hecs, "does not clone entities"),
        Kind::Prefab => saves::prefab(workload),
        Kind::PrefabBatch => saves::prefab_batch(workload),
        Kind::Travel
        | Kind::Ghosts
        | Kind::Snapshot | Kind::SnapshotBytes | Kind::WorldHash | Kind::Replicate | Kind::Rollback => {
            workload.lacks(Peer::Hecs, "has no snapshots, hashes and replication of worlds");
        }
        Kind::Schedule => schedule::three(workload),
        Kind::SchedSeq => schedule::tiny(workload),
        Kind::SchedPar | Kind::Chains | Kind::Waits(_) | Kind::SchedBuild => {
            workload.lacks(Peer::Hecs, "has no scheduler");
        }
        Kind::Waves => waves::one_by_one(workload),
        Kind::WavesBatch => waves::batch(workload),
        Kind::WorldGet => access::world_get(workload),
        Kind::For1 => plain::one(workload),
        Kind::For2 => plain::two(workload),
        Kind::For4 => plain::four(workload),
        Kind::For8 => plain::eight(workload),
        Kind::ForOption => plain::option(workload),
        Kind::ParLight => loops::par_light(workload),
        Kind::ParRows => loops::par_rows(workload),
        Kind::Systems => systems::run(workload),
        Kind::Kinds(_) => {
            workload.lacks(Peer::Hecs, "components are not registered");
        }
        Kind::SparseOne | Kind::SparseJoin2 | Kind::SparseJoin3 => {
            workload.lacks(Peer::Hecs, "has no sparse components");
        }
        Kind::SystemsBuild => {
            workload.lacks(Peer::Hecs, "has no scheduler");
        }
        Kind::FragDeep(kinds) | Kind::Tables(kinds) => iterate::frag_deep(workload, kinds),
        Kind::RareTables(kinds) => iterate::rare_join(workload, frag::RARE_AMONG_TABLES, kinds),
        Kind::GameBoids => game_boids::run(workload),
        Kind::GameMissiles => game_missiles::run(workload),
        Kind::GameRogue => game_rogue::run(workload),
        Kind::Bytes => iterate::bytes(workload),
    }
}
