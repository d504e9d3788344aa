//! `ecs-core`.

mod access;
mod change;
mod finds;
mod game_boids;
mod game_missiles;
mod game_rogue;
mod groups;
mod iterate;
mod kinds;
mod linked;
mod loops;
mod order;
mod plain;
mod replication;
mod saves;
mod schedule;
mod snapshots;
mod sparse;
mod systems;
mod tracking;
mod travel;
mod tree;
mod waves;

use crate::kind::Kind;
use crate::subject::Workload;
use crate::workloads::frag;

/// Adds the forms of a workload.
pub(super) fn add(workload: &mut Workload) {
    match workload.kind() {
        Kind::Iter => {
            iterate::iter(workload);
            groups::iter(workload);
        }
        Kind::FragIter => iterate::frag_iter(workload),
        Kind::FragDeep(kinds) => iterate::frag_deep(workload, kinds),
        Kind::RareJoin => iterate::rare_join(workload, frag::RARE_AMONG, frag::MARKED_KINDS),
        Kind::SpawnBatch => change::spawn_batch(workload),
        Kind::SpawnOne => change::spawn_one(workload),
        Kind::Commands => change::commands(workload),
        Kind::AddRemove => change::add_remove(workload),
        Kind::AddRemoveWide => change::add_remove_wide(workload),
        Kind::AddRemoveAll => change::add_remove_all(workload),
        Kind::AddRemoveWideAll => change::add_remove_wide_all(workload),
        Kind::Churn => change::churn(workload),
        Kind::ChurnObserved => change::churn_observed(workload),
        Kind::ChurnWide => change::churn_wide(workload),
        Kind::ChurnBatch => change::churn_batch(workload),
        Kind::ChurnAll => change::churn_all(workload),
        Kind::GetRandom => access::get_random(workload),
        Kind::Links => access::links(workload),
        Kind::SortRows => order::sort_rows(workload),
        Kind::Neighbours => order::neighbours(workload),
        Kind::TreeBuild(shape) => tree::build(workload, shape),
        Kind::TreeWalk(shape) => tree::walk(workload, shape),
        Kind::TreeUp => tree::up(workload),
        Kind::IndexLookup => finds::index(workload),
        Kind::GridWithin => finds::grid(workload),
        Kind::CommandsPar => finds::commands_par(workload),
        Kind::ChangedSparse => tracking::changed_sparse(workload),
        Kind::OneAndRest => loops::one_and_rest(workload),
        Kind::Heavy => loops::heavy(workload),
        Kind::HeavyPar => loops::heavy_par(workload),
        Kind::Save => saves::save(workload),
        Kind::Load => saves::load_all(workload),
        Kind::CloneEntities => saves::clone_entities(workload),
        Kind::Prefab => saves::prefab(workload),
        Kind::PrefabBatch => saves::prefab_batch(workload),
        Kind::Travel => travel::travel(workload),
        Kind::Ghosts => travel::ghosts(workload),
        Kind::Snapshot => snapshots::snapshot(workload),
        Kind::SnapshotBytes => snapshots::snapshot_bytes(workload),
        Kind::WorldHash => snapshots::world_hash(workload),
        Kind::Replicate => replication::replicate(workload),
        Kind::Rollback => snapshots::rollback(workload),
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
