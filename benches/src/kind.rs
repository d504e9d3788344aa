//! The list of workloads: their names, sizes and descriptions.

use crate::workloads::frag;
use crate::workloads::game::FRAMES;
use crate::workloads::tree::Shape;

/// A workload, which each peer implements in its own forms.
///
/// Each peer matches on all kinds (see `peers`), so a peer that misses a new one does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `p += v` over all rows.
    Iter,
    /// The natural loop over one component.
    For1,
    /// The natural loop over two components.
    For2,
    /// The natural loop over four components.
    For4,
    /// The natural loop over eight components.
    For8,
    /// The natural loop over a component and an optional one.
    ForOption,
    /// `data *= 2` over 26 kinds of entities with 20 of each.
    FragIter,
    /// `p += v` over that many kinds of entities.
    FragDeep(u32),
    /// A rare component among many tables.
    RareJoin,
    /// A new world, all entities spawned in one call.
    SpawnBatch,
    /// A new world, one call per entity.
    SpawnOne,
    /// A new world, all entities queued as commands and spawned afterwards.
    Commands,
    /// A component is inserted into all entities, then removed.
    AddRemove,
    /// The same where entities have eight more components.
    AddRemoveWide,
    /// The same as `AddRemove`, by bulk methods over whole tables.
    AddRemoveAll,
    /// The same as `AddRemoveWide`, by bulk methods over whole tables.
    AddRemoveWideAll,
    /// Entities are despawned and spawned, one by one.
    Churn,
    /// The same, and two observers see a component of each come and go.
    ChurnObserved,
    /// The same where entities have twenty components.
    ChurnWide,
    /// Entities are despawned and spawned, all at once.
    ChurnBatch,
    /// The same, by a bulk method over whole tables.
    ChurnAll,
    /// Some of the entities, chosen at random, are despawned and as many spawned, one by one.
    Waves,
    /// The same, all of a wave at once.
    WavesBatch,
    /// Entities are spawned and despawned in a world that knows this number of components that they do not have.
    Kinds(u32),
    /// A component in sparse storage is inserted into all entities, then removed.
    SparseOne,
    /// A join of two components in sparse storage.
    SparseJoin2,
    /// A join of three components in sparse storage.
    SparseJoin3,
    /// Look-ups by id in random order.
    GetRandom,
    /// Look-ups by id in random order, each by the world alone.
    WorldGet,
    /// Each entity reads its ancestors, by ids stored in components.
    Links,
    /// Rows are sorted by a key.
    SortRows,
    /// Each agent of a grid reads the agents in the cells around it.
    Neighbours,
    /// A tree is spawned and despawned.
    TreeBuild(Shape),
    /// Each node of a tree computes its place from its parent's place.
    TreeWalk(Shape),
    /// Each node of a tree reads its parent.
    TreeUp,
    /// A few values change, and the entities with some values are looked up.
    IndexLookup,
    /// All points move, and those near some places are looked up.
    GridWithin,
    /// A loop inserts a component into a few entities by commands, on all threads.
    CommandsPar,
    /// A few values change, and exactly these are visited.
    ChangedSparse,
    /// Each entity against all others.
    OneAndRest,
    /// A loop with heavy computation per row, on one thread.
    Heavy,
    /// The same loop on all threads.
    HeavyPar,
    /// Light work per row, by the parallel loop.
    ParLight,
    /// Rows of about a microsecond, by the parallel loop without hints.
    ParRows,
    /// A world is written.
    Save,
    /// A world is read.
    Load,
    /// Entities are cloned.
    CloneEntities,
    /// A new world, equal entities that are copies of one.
    Prefab,
    /// The same entities, spawned in one call from values.
    PrefabBatch,
    /// A copy of a world is taken, and the world returns to it.
    Snapshot,
    /// A copy of a world is taken, written as bytes, and read from them.
    SnapshotBytes,
    /// A world is hashed.
    WorldHash,
    /// One value in a hundred changes, and a copy of the world receives the changes.
    Replicate,
    /// Entities leave a world for another one, and come back.
    Travel,
    /// All copies of entities that live elsewhere are replaced.
    Ghosts,
    /// A world returns to a snapshot, and runs some frames again with one snapshot each.
    Rollback,
    /// Three systems over four kinds of entities, run by the library's scheduler.
    Schedule,
    /// Two hundred tiny systems, all of them with the same component.
    SchedSeq,
    /// Tiny systems over twenty components of one entity.
    Systems,
    /// Two hundred tiny systems in thirty chains, run by the library's parallel scheduler.
    SchedPar,
    /// Thirty chains of systems with some computation, run by the library's parallel scheduler.
    Chains,
    /// The same with systems that wait, on this number of threads: as many cores are not necessary for that.
    Waits(u32),
    /// A schedule of two hundred systems is built and run once.
    SchedBuild,
    /// A flock of boids.
    GameBoids,
    /// Missiles follow ships.
    GameMissiles,
    /// Turns of a roguelike.
    GameRogue,
    /// The memory of a million entities.
    Bytes,
    /// `p += v` over entities in this number of tables; only to see how cost grows.
    Tables(u32),
    /// A component of a few entities in a world with this number of tables; only to see how cost grows.
    RareTables(u32),
    /// The systems of `Systems` are added to a new schedule, which is run once; only to see how cost grows.
    SystemsBuild,
}

/// The measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The time of a run, per element.
    Nanoseconds,
    /// The memory that the set-up allocates, per element.
    Bytes,
}

impl Unit {
    /// Returns the name that the report prints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Bytes => "bytes",
        }
    }
}

impl Kind {
    /// Returns whether several threads work on it. Figures are then medians: the best batch comes from a moment when
    /// both threads happen to share a core.
    #[must_use]
    pub const fn is_parallel(self) -> bool {
        matches!(
            self,
            Self::HeavyPar
                | Self::ParLight
                | Self::ParRows
                | Self::SchedPar
                | Self::Chains
                | Self::Waits(_)
        )
    }
}

/// Name, kind, size and description of a workload.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The name, for `--filter`.
    pub name: &'static str,
    /// The kind of work.
    pub kind: Kind,
    /// The number of elements of one run.
    pub elements: u32,
    /// A description in one line.
    pub about: &'static str,
}

impl Spec {
    /// Returns the measured quantity.
    #[must_use]
    pub const fn unit(&self) -> Unit {
        match self.kind {
            Kind::Bytes => Unit::Bytes,
            _ => Unit::Nanoseconds,
        }
    }
}

const fn spec(name: &'static str, kind: Kind, elements: u32, about: &'static str) -> Spec {
    Spec {
        name,
        kind,
        elements,
        about,
    }
}

const ITER: &str = "position += velocity, three floats each; per row";
const FOR: &str =
    "the natural loop: each odd component += the next one, three floats each; per row";
const SPARSE_JOIN: &str =
    "the first of 2 or 3 components in sparse storage += the others, in no common order; per match";
const WAVES: &str = "10k entities of 3 components (36 bytes): despawn 1000 at random, then spawn 1000; per pair of these";
const KINDS: &str =
    "entities of 2 components spawned and despawned, while the world knows N others; per entity";
const SYSTEMS: &str = "tiny systems, each for one of 20 components of one entity; per system";
const WAITS: &str =
    "30 chains of 10 systems that each wait for 0.1 ms, in parallel on N threads; per system";
const TABLES: &str = "position += velocity over 20480 entities in N tables; per entity";
const RARE_TABLES: &str =
    "8 of 20480 entities in N tables have a rare component and a common one; per match";
const SYSTEMS_BUILD: &str =
    "the systems of sched_tiny are added to a new schedule, which is run once; per system";
const SPAWN_BATCH: &str =
    "a new world, entities of 4 components (100 bytes) in one call; per entity";
const SNAPSHOT: &str =
    "entities of 3 components (36 bytes) are copied, and return to the copy; per entity";
const WORLD_HASH: &str =
    "entities of 3 components (36 bytes), hashed by entity and component; per entity";
const REPLICATE: &str = "positions of 12 bytes, of which 1 % change: found, sent to a copy as bytes, and applied there; per entity";
const GET: &str = "one of 4 components, looked up by id in random order; per look-up";
const HEAVY: &str = "1000 entities: 100 inversions of a 4x4 matrix each, applied to a position";
const ADD_REMOVE: &str = "1 other component: insert into all, remove from all; per pair of these";
const ADD_REMOVE_ALL: &str =
    "as without `all`, by bulk methods over whole tables; per pair of these";

/// The workloads of the standard run.
pub const STANDARD: &[Spec] = &[
    spec("iter_10k", Kind::Iter, 10_000, ITER),
    spec("iter_1m", Kind::Iter, 1_000_000, ITER),
    spec("for_1", Kind::For1, 10_000, FOR),
    spec("for_2", Kind::For2, 10_000, FOR),
    spec("for_4", Kind::For4, 10_000, FOR),
    spec("for_8", Kind::For8, 10_000, FOR),
    spec(
        "for_option",
        Kind::ForOption,
        10_000,
        "the natural loop over two components, of which half of the entities lack the second; per row",
    ),
    spec(
        "frag_iter",
        Kind::FragIter,
        26 * 20,
        "data *= 2, one float, 26 kinds of entities with 20 of each; per entity",
    ),
    spec(
        "frag_deep",
        Kind::FragDeep(frag::MARKED_KINDS),
        65_536,
        "position += velocity, 1024 kinds of entities with 64 of each; per entity",
    ),
    spec(
        "frag_10k",
        Kind::FragDeep(10_000),
        100_000,
        "position += velocity, 10k kinds of entities with 10 of each; per entity",
    ),
    spec(
        "rare_join",
        Kind::RareJoin,
        8,
        "8 of 4096 entities of 1024 kinds have a rare component and a common one; per match",
    ),
    spec("sparse_join2", Kind::SparseJoin2, 10_000, SPARSE_JOIN),
    spec("sparse_join3", Kind::SparseJoin3, 10_000, SPARSE_JOIN),
    spec("spawn_batch", Kind::SpawnBatch, 10_000, SPAWN_BATCH),
    spec(
        "spawn_one",
        Kind::SpawnOne,
        10_000,
        "a new world, 10k entities of 4 components (100 bytes) one by one; per entity",
    ),
    spec(
        "new_world",
        Kind::SpawnOne,
        1,
        "a new world, one entity of 4 components (100 bytes); per world",
    ),
    spec(
        "commands",
        Kind::Commands,
        10_000,
        "a new world, 10k spawns of 4 components queued one by one, then applied; per entity",
    ),
    spec("add_remove", Kind::AddRemove, 10_000, ADD_REMOVE),
    spec(
        "add_remove_wide",
        Kind::AddRemoveWide,
        10_000,
        "9 other components: insert into all, remove from all; per pair of these",
    ),
    spec("add_remove_all", Kind::AddRemoveAll, 10_000, ADD_REMOVE_ALL),
    spec(
        "add_remove_wide_all",
        Kind::AddRemoveWideAll,
        10_000,
        ADD_REMOVE_ALL,
    ),
    spec(
        "sparse_one",
        Kind::SparseOne,
        10_000,
        "as add_remove, in sparse storage only; per pair of these",
    ),
    spec(
        "churn",
        Kind::Churn,
        10_000,
        "10k entities of 4 components (100 bytes): despawn one, spawn one; per pair of these",
    ),
    spec(
        "churn_observed",
        Kind::ChurnObserved,
        10_000,
        "as churn, while two observers see one of the components come and go; per pair of these",
    ),
    spec(
        "churn_wide",
        Kind::ChurnWide,
        10_000,
        "as churn, with 20 components of one float each; per pair of these",
    ),
    spec(
        "churn_batch",
        Kind::ChurnBatch,
        10_000,
        "10k entities of 4 components: despawn all in random order, spawn all; per pair of these",
    ),
    spec(
        "churn_all",
        Kind::ChurnAll,
        10_000,
        "as churn_batch, by bulk methods over whole tables; per pair of these",
    ),
    spec("waves", Kind::Waves, 1_000, WAVES),
    spec("waves_batch", Kind::WavesBatch, 1_000, WAVES),
    spec("kinds_0", Kind::Kinds(0), 1_000, KINDS),
    spec("kinds_10", Kind::Kinds(10), 1_000, KINDS),
    spec("kinds_100", Kind::Kinds(100), 1_000, KINDS),
    spec("kinds_1000", Kind::Kinds(1_000), 1_000, KINDS),
    spec("get_random", Kind::GetRandom, 100_000, GET),
    spec(
        "world_get",
        Kind::WorldGet,
        100_000,
        "as get_random, each look-up by the world alone; per look-up",
    ),
    spec(
        "links",
        Kind::Links,
        10_000,
        "each of 10k entities adds up the values of 4 ancestors, linked by entity; per entity",
    ),
    spec(
        "sort_rows",
        Kind::SortRows,
        10_000,
        "10k entities of 4 components (100 bytes), sorted by a key, another one each time; per entity",
    ),
    spec(
        "neighbours",
        Kind::Neighbours,
        1_000_000,
        "1M agents, one in each cell of a grid: each adds up 9 values, its own and those around it; per agent",
    ),
    spec(
        "tree_build",
        Kind::TreeBuild(Shape::Spread),
        10_000,
        "a new world, 10k nodes one by one, each a child of an earlier one; despawn the root; per node",
    ),
    spec(
        "tree_walk",
        Kind::TreeWalk(Shape::Spread),
        10_000,
        "that tree, depth first: the place of each node is that of its parent plus an offset; per node",
    ),
    spec(
        "deep_build",
        Kind::TreeBuild(Shape::Chains),
        10_000,
        "as tree_build: ten chains of 1000 nodes below a root; per node",
    ),
    spec(
        "deep_walk",
        Kind::TreeWalk(Shape::Chains),
        10_000,
        "as tree_walk: ten chains of 1000 nodes below a root; per node",
    ),
    spec(
        "tree_up",
        Kind::TreeUp,
        10_000,
        "that tree, in the order of rows: the place of each node is the offset of its parent; per node",
    ),
    spec(
        "index_lookup",
        Kind::IndexLookup,
        100_000,
        "100k entities in 1000 teams, of which 1 % go to another team; then the members of 100 teams; per entity",
    ),
    spec(
        "grid_within",
        Kind::GridWithin,
        20_000,
        "20k points, which all move; then those within a radius of 1000 places; per point",
    ),
    spec(
        "commands_par",
        Kind::CommandsPar,
        100_000,
        "100k entities: a loop marks 1 % of them by commands, after the marks of the last run are removed; per entity",
    ),
    spec(
        "changed_sparse",
        Kind::ChangedSparse,
        1_000,
        "1000 of 100k values, chosen at random, are written, then exactly those are visited; per change",
    ),
    spec(
        "one_and_rest",
        Kind::OneAndRest,
        999_000,
        "1000 bodies: each sums the forces of all others; per body and other body",
    ),
    spec("heavy_compute", Kind::Heavy, 1_000, HEAVY),
    spec("heavy_par", Kind::HeavyPar, 1_000, HEAVY),
    spec(
        "par_rows",
        Kind::ParRows,
        1_000,
        "1000 entities of a microsecond each, in parallel without hints; per entity",
    ),
    spec(
        "par_light",
        Kind::ParLight,
        10_000,
        "the work of iter_10k, in parallel without hints; per row",
    ),
    spec(
        "save",
        Kind::Save,
        1_000_000,
        "1M entities of 3 components (36 bytes), written to memory by columns; per entity",
    ),
    spec(
        "load",
        Kind::Load,
        1_000_000,
        "the world that save has written, read into a new world; per entity",
    ),
    spec(
        "clone_1k",
        Kind::CloneEntities,
        1_000,
        "1000 entities of 3 components are cloned, and the copies despawned; per copy",
    ),
    spec(
        "prefab",
        Kind::Prefab,
        10_000,
        "a new world, 10k equal entities of 3 components (36 bytes), copies of one; per entity",
    ),
    spec(
        "prefab_batch",
        Kind::PrefabBatch,
        10_000,
        "the entities of prefab, spawned from values in one call; per entity",
    ),
    spec("snapshot", Kind::Snapshot, 100_000, SNAPSHOT),
    spec(
        "snapshot_bytes",
        Kind::SnapshotBytes,
        500_000,
        "500k entities of 3 components (36 bytes): an exact snapshot is taken, written as bytes, or read from them; per entity",
    ),
    spec("world_hash", Kind::WorldHash, 100_000, WORLD_HASH),
    spec("replicate", Kind::Replicate, 100_000, REPLICATE),
    spec(
        "travel",
        Kind::Travel,
        8_000,
        "4k of 100k entities of 3 components (36 bytes), at random, move to another world and back; per entity and move",
    ),
    spec(
        "ghosts",
        Kind::Ghosts,
        4_000,
        "4k entities of 3 components (36 bytes) are replaced by others beside 100k that stay; per entity",
    ),
    spec(
        "rollback",
        Kind::Rollback,
        8,
        "10k entities of 3 components return 8 frames, which run again with a snapshot each; per frame",
    ),
    spec(
        "schedule",
        Kind::Schedule,
        60_000,
        "ecs_bench_suite: 3 systems swap 2 floats in 40k, 10k and 10k entities; per swap",
    ),
    spec(
        "sched_seq",
        Kind::SchedSeq,
        200,
        "200 systems that add 1 to a component of 4 entities; per system",
    ),
    spec("sched_tiny", Kind::Systems, 200, SYSTEMS),
    spec(
        "sched_par",
        Kind::SchedPar,
        200,
        "200 systems that add 1 to one of 30 components of 4 entities each, in parallel; per system",
    ),
    spec(
        "chains",
        Kind::Chains,
        300,
        "30 chains of 10 systems of 0.7 us each, in parallel; per system",
    ),
    spec("waits_2", Kind::Waits(2), 300, WAITS),
    spec("waits_4", Kind::Waits(4), 300, WAITS),
    spec("waits_8", Kind::Waits(8), 300, WAITS),
    spec(
        "sched_build",
        Kind::SchedBuild,
        200,
        "the systems of sched_par are added to a new schedule, which is run once; per system",
    ),
    spec(
        "game_boids",
        Kind::GameBoids,
        FRAMES,
        "5000 boids steer by those in the cells around them, and fly; per frame",
    ),
    spec(
        "game_missiles",
        Kind::GameMissiles,
        FRAMES,
        "5000 missiles follow 1000 ships, hit, explode, sink ships, and are fired; per frame",
    ),
    spec(
        "game_rogue",
        Kind::GameRogue,
        FRAMES,
        "2000 monsters follow the player, bite, are poisoned, struck, buried and replaced; per turn",
    ),
    spec(
        "bytes",
        Kind::Bytes,
        1_000_000,
        "memory of 1M entities with two components of 12 bytes; per entity",
    ),
];

/// The same work at several sizes: entities, tables, systems, and kinds of components. The time per element must stay
/// constant except for cache effects.
///
/// Names are `axis.work@size`.
pub const GROWTH: &[Spec] = &[
    spec("entities.iter@1k", Kind::Iter, 1_000, ITER),
    spec("entities.iter@10k", Kind::Iter, 10_000, ITER),
    spec("entities.iter@100k", Kind::Iter, 100_000, ITER),
    spec("entities.iter@1m", Kind::Iter, 1_000_000, ITER),
    spec("entities.iter@10m", Kind::Iter, 10_000_000, ITER),
    spec(
        "entities.spawn_batch@1k",
        Kind::SpawnBatch,
        1_000,
        SPAWN_BATCH,
    ),
    spec(
        "entities.spawn_batch@10k",
        Kind::SpawnBatch,
        10_000,
        SPAWN_BATCH,
    ),
    spec(
        "entities.spawn_batch@100k",
        Kind::SpawnBatch,
        100_000,
        SPAWN_BATCH,
    ),
    spec(
        "entities.spawn_batch@1m",
        Kind::SpawnBatch,
        1_000_000,
        SPAWN_BATCH,
    ),
    spec("entities.get_random@1k", Kind::GetRandom, 1_000, GET),
    spec("entities.get_random@10k", Kind::GetRandom, 10_000, GET),
    spec("entities.get_random@100k", Kind::GetRandom, 100_000, GET),
    spec("entities.get_random@1m", Kind::GetRandom, 1_000_000, GET),
    spec("entities.add_remove@1k", Kind::AddRemove, 1_000, ADD_REMOVE),
    spec(
        "entities.add_remove@10k",
        Kind::AddRemove,
        10_000,
        ADD_REMOVE,
    ),
    spec(
        "entities.add_remove@100k",
        Kind::AddRemove,
        100_000,
        ADD_REMOVE,
    ),
    spec(
        "entities.add_remove@1m",
        Kind::AddRemove,
        1_000_000,
        ADD_REMOVE,
    ),
    spec("entities.snapshot@1k", Kind::Snapshot, 1_000, SNAPSHOT),
    spec("entities.snapshot@10k", Kind::Snapshot, 10_000, SNAPSHOT),
    spec("entities.snapshot@100k", Kind::Snapshot, 100_000, SNAPSHOT),
    spec("entities.snapshot@1m", Kind::Snapshot, 1_000_000, SNAPSHOT),
    spec("entities.world_hash@1k", Kind::WorldHash, 1_000, WORLD_HASH),
    spec(
        "entities.world_hash@10k",
        Kind::WorldHash,
        10_000,
        WORLD_HASH,
    ),
    spec(
        "entities.world_hash@100k",
        Kind::WorldHash,
        100_000,
        WORLD_HASH,
    ),
    spec(
        "entities.world_hash@1m",
        Kind::WorldHash,
        1_000_000,
        WORLD_HASH,
    ),
    spec("entities.replicate@1k", Kind::Replicate, 1_000, REPLICATE),
    spec("entities.replicate@10k", Kind::Replicate, 10_000, REPLICATE),
    spec(
        "entities.replicate@100k",
        Kind::Replicate,
        100_000,
        REPLICATE,
    ),
    spec(
        "entities.replicate@1m",
        Kind::Replicate,
        1_000_000,
        REPLICATE,
    ),
    spec("tables.iter@1", Kind::Tables(1), 20_480, TABLES),
    spec("tables.iter@10", Kind::Tables(10), 20_480, TABLES),
    spec("tables.iter@100", Kind::Tables(100), 20_480, TABLES),
    spec("tables.iter@1k", Kind::Tables(1_000), 20_480, TABLES),
    spec("tables.iter@10k", Kind::Tables(10_000), 20_480, TABLES),
    spec("tables.rare@1", Kind::RareTables(1), 8, RARE_TABLES),
    spec("tables.rare@10", Kind::RareTables(10), 8, RARE_TABLES),
    spec("tables.rare@100", Kind::RareTables(100), 8, RARE_TABLES),
    spec("tables.rare@1k", Kind::RareTables(1_000), 8, RARE_TABLES),
    spec("tables.rare@10k", Kind::RareTables(10_000), 8, RARE_TABLES),
    spec("systems.run@1", Kind::Systems, 1, SYSTEMS),
    spec("systems.run@10", Kind::Systems, 10, SYSTEMS),
    spec("systems.run@100", Kind::Systems, 100, SYSTEMS),
    spec("systems.run@1k", Kind::Systems, 1_000, SYSTEMS),
    spec("systems.build@1", Kind::SystemsBuild, 1, SYSTEMS_BUILD),
    spec("systems.build@10", Kind::SystemsBuild, 10, SYSTEMS_BUILD),
    spec("systems.build@100", Kind::SystemsBuild, 100, SYSTEMS_BUILD),
    spec("systems.build@1k", Kind::SystemsBuild, 1_000, SYSTEMS_BUILD),
    spec("kinds.despawn@1", Kind::Kinds(1), 1_000, KINDS),
    spec("kinds.despawn@10", Kind::Kinds(10), 1_000, KINDS),
    spec("kinds.despawn@100", Kind::Kinds(100), 1_000, KINDS),
    spec("kinds.despawn@1k", Kind::Kinds(1_000), 1_000, KINDS),
];

/// Returns the spec with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Spec> {
    STANDARD.iter().chain(GROWTH).find(|spec| spec.name == name)
}
