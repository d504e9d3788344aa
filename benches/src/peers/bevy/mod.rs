//! bevy_ecs: without reflection; change detection cannot be turned off, only bypassed.

mod access;
mod change;
mod game_boids;
mod game_missiles;
mod game_rogue;
mod iterate;
mod kinds;
mod linked;
mod loops;
mod par_commands;
mod plain;
mod saves;
mod schedule;
mod sparse;
mod systems;
mod tracking;
mod tree;
mod waves;
#[cfg(feature = "bevy_saves")]
mod worlds;

use crate::kind::Kind;
use crate::peers::Peer;
use crate::subject::Workload;
use crate::workloads::frag;

/// Adds the forms of a workload.
pub(super) fn add(workload: &mut Workload) {
    match workload.kind() {
        Kind::Iter => iterate::iter(workload),
        Kind::FragIter => iterate::frag_iter(workload),
        Kind::FragDeep(kinds) => iterate::frag_deep(workload, kinds),
        Kind::RareJoin => iterate::rare_join(workload, frag::RARE_AMONG, frag::MARKED_KINDS),
        Kind::SpawnBatch => change::spawn_batch(workload),
        Kind::SpawnOne => change::spawn_one(workload),
        Kind::Commands => change::commands(workload),
        Kind::AddRemove => change::add_remove(workload),
        Kind::AddRemoveWide => change::add_remove_wide(workload),
        Kind::Churn => change::churn(workload),
        Kind::ChurnObserved => change::churn_observed(workload),
        Kind::ChurnWide => change::churn_wide(workload),
        Kind::ChurnBatch => change::churn_batch(workload),
        Kind::AddRemoveAll | Kind::AddRemoveWideAll | Kind::ChurnAll => {
            workload.lacks(Peer::Bevy, "its bulk changes are not measured");
        }
        Kind::GetRandom => access::get_random(workload),
        Kind::Links => access::links(workload),
        Kind::SortRows | Kind::Neighbours => {
            workload.lacks(Peer::Bevy, "its order of rows is not measured");
        }
        Kind::TreeBuild(shape) => tree::build(workload, shape),
        Kind::TreeWalk(shape) => tree::walk(workload, shape),
        Kind::TreeUp => tree::up(workload),
        Kind::IndexLookup | Kind::GridWithin => {
            workload.lacks(Peer::Bevy, "has no indexes of entities by value");
        }
        Kind::CommandsPar => par_commands::run(workload),
        Kind::ChangedSparse => tracking::changed_sparse(workload),
        Kind::OneAndRest => loops::one_and_rest(workload),
        Kind::Heavy => loops::heavy(workload),
        Kind::HeavyPar => loops::heavy_par(workload),
        #[cfg(feature = "bevy_saves")]
        Kind::Save => worlds::save(workload),
        #[cfg(feature = "bevy_saves")]
        Kind::Load => worlds::load(workload),
        #[cfg(not(feature = "bevy_saves"))]
        Kind::Save | Kind::Load => {
            workload.lacks(Peer::Bevy, "saves by reflection: see the feature `bevy_saves`");
        }
        Kind::CloneEntities => saves::clone_entities(workload),
        Kind::Prefab => saves::prefab(workload),
        Kind::PrefabBatch => saves::prefab_batch(workload),
        Kind::Travel
        | Kind::Ghosts
        | Kind::Snapshot | Kind::SnapshotBytes | Kind::WorldHash | Kind::Replicate | Kind::Rollback => {
            workload.lacks(Peer::Bevy, "has no snapshots, hashes and replication of worlds");
        }
        Kind::Schedule => schedule::three(workload),
        Kind::SchedSeq => schedule::tiny(workload),
        Kind::SchedPar => linked::tiny(workload),
        Kind::Chains => linked::busy(workload),
        Kind::Waits(threads) => linked::waits(workload, threads),
        Kind::SchedBuild => linked::build(workload),
        Kind::Waves => waves::one_by_one(workload),
        Kind::WavesBatch => waves::batch(workload),
        Kind::Kinds(count) => kinds::despawn(workload, count),
        Kind::SparseOne => change::sparse_one(workload),
        Kind::SparseJoin2 => sparse::join2(workload),
        Kind::SparseJoin3 => sparse::join3(workload),
        Kind::WorldGet => access::world_get(workload),
        Kind::For1 => plain::one(workload),
        Kind::For2 => plain::two(workload),
        Kind::For4 => plain::four(workload),
        Kind::For8 => plain::eight(workload),
        Kind::ForOption => plain::option(workload),
        Kind::ParLight => loops::par_light(workload),
        Kind::ParRows => loops::par_rows(workload),
        Kind::Systems => systems::run(workload),
        Kind::Tables(kinds) => iterate::frag_tables(workload, kinds),
        Kind::RareTables(kinds) => iterate::rare_join(workload, frag::RARE_AMONG_TABLES, kinds),
        Kind::SystemsBuild => systems::build(workload),
        Kind::GameBoids => game_boids::run(workload),
        Kind::GameMissiles => game_missiles::run(workload),
        Kind::GameRogue => game_rogue::run(workload),
        Kind::Bytes => iterate::bytes(workload),
    }
}
