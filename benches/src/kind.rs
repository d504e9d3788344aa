//! The list of workloads: what each is called, how large it is, what it does.

/// A piece of work that everybody does in their own ways.
///
/// Each peer answers all kinds in one `match` (see `peers`), so the compiler finds whoever forgot a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `p += v` over all rows.
    Iter,
    /// `data *= 2` over 26 kinds of entities with 20 of each.
    FragIter,
    /// `p += v` over 1024 kinds of entities with 64 of each.
    FragDeep,
    /// A component of a handful of entities among many tables.
    RareJoin,
    /// A fresh world, all entities made in one call.
    SpawnBatch,
    /// A fresh world, one call per entity.
    SpawnOne,
    /// A fresh world, all entities recorded as commands and made afterwards.
    Commands,
    /// A component comes to all entities, then goes.
    AddRemove,
    /// The same where entities have eight more components.
    AddRemoveWide,
    /// The same as `AddRemove`, by verbs that name no entity.
    AddRemoveAll,
    /// The same as `AddRemoveWide`, by verbs that name no entity.
    AddRemoveWideAll,
    /// Entities die and are born, one by one.
    Churn,
    /// Entities die and are born, all at once.
    ChurnBatch,
    /// The same, by a verb that names no entity.
    ChurnAll,
    /// Look-ups by id in random order.
    GetRandom,
    /// Each entity reads its ancestors, through entities kept in components.
    Links,
    /// A tree is made and despawned.
    TreeBuild,
    /// Each node of a tree finds its place from that of its parent.
    TreeWalk,
    /// A few values change, and exactly these are visited.
    ChangedSparse,
    /// Each entity against all others.
    OneAndRest,
    /// A loop with much to do per row, on one thread.
    Heavy,
    /// The same loop on all threads.
    HeavyPar,
    /// Three systems over four kinds of entities, run by the library's scheduler.
    Schedule,
    /// Two hundred systems that do next to nothing, all of them with the same component.
    SchedSeq,
    /// Two hundred systems that do next to nothing in thirty chains, run by the library's parallel scheduler.
    SchedPar,
    /// Thirty chains of systems with something to do, run by the library's parallel scheduler.
    Chains,
    /// A schedule of two hundred systems is made and run once.
    SchedBuild,
    /// What a million entities take in memory.
    Bytes,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The time of a run, per element.
    Nanoseconds,
    /// The memory that the set-up takes, per element.
    Bytes,
}

impl Unit {
    /// What the report prints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Bytes => "bytes",
        }
    }
}

impl Kind {
    /// Whether several threads work on it. Then figures are medians: the best batch comes from a moment when both threads
    /// happened to share a core.
    #[must_use]
    pub const fn is_parallel(self) -> bool {
        matches!(self, Self::HeavyPar | Self::SchedPar | Self::Chains)
    }
}

/// Name, kind and size of a workload, and a line on what it does.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// What is done.
    pub kind: Kind,
    /// By how many elements one run is divided.
    pub elements: u32,
    /// One line on what is done.
    pub about: &'static str,
}

impl Spec {
    /// What is measured.
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
const SPAWN_BATCH: &str =
    "a fresh world, entities of 4 components (100 bytes) in one call; per entity";
const GET: &str = "one of 4 components, looked up by id in random order; per look-up";
const HEAVY: &str = "1000 entities: 100 inversions of a 4x4 matrix each, applied to a position";
const ADD_REMOVE: &str = "1 other component: insert in all, remove from all; per pair of these";
const ADD_REMOVE_ALL: &str = "as without `all`, by verbs over whole tables; per pair of these";

/// The workloads of the standard run.
pub const STANDARD: &[Spec] = &[
    spec("iter_10k", Kind::Iter, 10_000, ITER),
    spec("iter_1m", Kind::Iter, 1_000_000, ITER),
    spec(
        "frag_iter",
        Kind::FragIter,
        26 * 20,
        "data *= 2, one float, 26 kinds of entities with 20 of each; per entity",
    ),
    spec(
        "frag_deep",
        Kind::FragDeep,
        65_536,
        "position += velocity, 1024 kinds of entities with 64 of each; per entity",
    ),
    spec(
        "rare_join",
        Kind::RareJoin,
        8,
        "8 of 4096 entities of 1024 kinds have a rare component and a common one; per match",
    ),
    spec("spawn_batch", Kind::SpawnBatch, 10_000, SPAWN_BATCH),
    spec(
        "spawn_one",
        Kind::SpawnOne,
        10_000,
        "a fresh world, 10k entities of 4 components (100 bytes) one by one; per entity",
    ),
    spec(
        "commands",
        Kind::Commands,
        10_000,
        "a fresh world, 10k spawns of 4 components recorded one by one, then done; per entity",
    ),
    spec("add_remove", Kind::AddRemove, 10_000, ADD_REMOVE),
    spec(
        "add_remove_wide",
        Kind::AddRemoveWide,
        10_000,
        "9 other components: insert in all, remove from all; per pair of these",
    ),
    spec("add_remove_all", Kind::AddRemoveAll, 10_000, ADD_REMOVE_ALL),
    spec(
        "add_remove_wide_all",
        Kind::AddRemoveWideAll,
        10_000,
        ADD_REMOVE_ALL,
    ),
    spec(
        "churn",
        Kind::Churn,
        10_000,
        "10k entities of 4 components (100 bytes): despawn one, spawn one; per pair of these",
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
        "as churn_batch, by verbs over whole tables; per pair of these",
    ),
    spec("get_random", Kind::GetRandom, 100_000, GET),
    spec(
        "links",
        Kind::Links,
        10_000,
        "each of 10k entities adds up the values of 4 ancestors, linked by entity; per entity",
    ),
    spec(
        "tree_build",
        Kind::TreeBuild,
        10_000,
        "a fresh world, 10k nodes one by one, each a child of one before it; despawn the root; per node",
    ),
    spec(
        "tree_walk",
        Kind::TreeWalk,
        10_000,
        "that tree, depth first: the place of each node is that of its parent and an offset; per node",
    ),
    spec(
        "changed_sparse",
        Kind::ChangedSparse,
        1_000,
        "1000 of 100k values, chosen at random, are written, then exactly these are visited; per change",
    ),
    spec(
        "one_and_rest",
        Kind::OneAndRest,
        999_000,
        "1000 bodies: each adds up what all others do to it; per body and other body",
    ),
    spec("heavy_compute", Kind::Heavy, 1_000, HEAVY),
    spec("heavy_par", Kind::HeavyPar, 1_000, HEAVY),
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
    spec(
        "sched_build",
        Kind::SchedBuild,
        200,
        "the systems of sched_par are put into a new schedule, which is run once; per system",
    ),
    spec(
        "bytes",
        Kind::Bytes,
        1_000_000,
        "memory of 1M entities with two components of 12 bytes; per entity",
    ),
];

/// The same work at several sizes: the time per element must stay flat but for the caches.
pub const GROWTH: &[Spec] = &[
    spec("iter@1k", Kind::Iter, 1_000, ITER),
    spec("iter@10k", Kind::Iter, 10_000, ITER),
    spec("iter@100k", Kind::Iter, 100_000, ITER),
    spec("iter@1m", Kind::Iter, 1_000_000, ITER),
    spec("iter@10m", Kind::Iter, 10_000_000, ITER),
    spec("spawn_batch@1k", Kind::SpawnBatch, 1_000, SPAWN_BATCH),
    spec("spawn_batch@10k", Kind::SpawnBatch, 10_000, SPAWN_BATCH),
    spec("spawn_batch@100k", Kind::SpawnBatch, 100_000, SPAWN_BATCH),
    spec("spawn_batch@1m", Kind::SpawnBatch, 1_000_000, SPAWN_BATCH),
    spec("get_random@1k", Kind::GetRandom, 1_000, GET),
    spec("get_random@10k", Kind::GetRandom, 10_000, GET),
    spec("get_random@100k", Kind::GetRandom, 100_000, GET),
    spec("get_random@1m", Kind::GetRandom, 1_000_000, GET),
    spec("add_remove@1k", Kind::AddRemove, 1_000, ADD_REMOVE),
    spec("add_remove@10k", Kind::AddRemove, 10_000, ADD_REMOVE),
    spec("add_remove@100k", Kind::AddRemove, 100_000, ADD_REMOVE),
    spec("add_remove@1m", Kind::AddRemove, 1_000_000, ADD_REMOVE),
];

/// The spec of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Spec> {
    STANDARD.iter().chain(GROWTH).find(|spec| spec.name == name)
}
