//! Repeated hashes of one world: each only hashes values that have changed.

use std::fmt;
use std::iter;
use std::ops::Range;

use ecs_engine::component::ComponentId;
use ecs_engine::entity::session::dead;
use ecs_engine::view::ErasedChunk;
use ecs_engine::{Entity, Tick, World};

use super::{HashError, WorldHasher};
use crate::moment::WorldMoment;

/// Computes the hash of a world again and again: for tracked components, it only hashes values that have changed since the last
/// time.
///
/// The result is the same as for [`WorldHasher::world`]. It is worth it for a world that is hashed every frame, if most values of
/// tracked components (`#[component(track)]`) stay as they are: these cost a look at their ticks, and 16 bytes of memory each.
/// All other components, relations and resources are hashed each time. After a [return](ecs_engine::snapshot) to a snapshot, and
/// for another world, everything is hashed once.
///
/// If a value is written past its tick, by [`Mut::bypass`](ecs_engine::Mut::bypass) or through interior mutability, it keeps its
/// old hash, because it counts as unchanged.
///
/// ```
/// use ecs_core::data::HashCache;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.place", track)]
/// struct Place(f32, f32);
///
/// let mut world = World::new();
/// let entities = world.spawn_batch((0..100).map(|n| Place(n as f32, 0.0))).to_vec();
/// let mut cache = HashCache::new();
/// assert_eq!(cache.world(&world)?, world.hash()?);
/// world.get_mut::<Place>(entities[7]).unwrap().1 = 1.0;
/// assert_eq!(cache.world(&world)?, world.hash()?, "one value was hashed");
/// # Ok::<(), ecs_core::data::HashError>(())
/// ```
#[derive(Default)]
pub struct HashCache {
    hasher: WorldHasher,
    /// The state of the world that was hashed last; none if that has failed.
    last: Option<WorldMoment>,
    columns: Vec<HashColumn>,
}

/// The hashes of the values of one component.
struct HashColumn {
    component: ComponentId,
    /// In the order of rows, by chunk.
    chunks: Vec<Vec<(Entity, u64)>>,
}

impl HashCache {
    /// Hashes everything in a world, and refuses components that are not data.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Hashes the same data as a hasher.
    #[must_use]
    pub fn of(hasher: WorldHasher) -> Self {
        Self {
            hasher,
            ..Self::default()
        }
    }

    /// Returns the hash of a world, like [`WorldHasher::world`]. O(values); tracked values that have not changed cost little.
    ///
    /// # Errors
    /// See [`HashError`]. The next call then hashes everything.
    pub fn world(&mut self, world: &World) -> Result<u64, HashError> {
        let now = WorldMoment::of(world);
        let since = self.last.take().and_then(|last| last.tick_until(now));
        if since.is_none() {
            self.columns.clear();
        }
        let columns = &mut self.columns;
        let hash = self.hasher.world_by(world, |hasher, component| {
            hasher.of_tracked(world, component, since, columns)
        })?;
        self.last = Some(now);
        Ok(hash)
    }
}

impl WorldHasher {
    /// Returns the hash of all values of a component, and reuses the hashes from before `since`.
    fn of_tracked(
        &mut self,
        world: &World,
        component: ComponentId,
        since: Option<Tick>,
        columns: &mut Vec<HashColumn>,
    ) -> Result<u64, HashError> {
        let view = world.try_view_erased(component)?;
        let first = view.chunks().find_map(|chunk| chunk.iter().next());
        let Some((_, first)) = first else {
            return Ok(0);
        };
        if first.changed().is_none() || self.members.is_some() || self.key.is_some() {
            return self.of_component(world, component);
        }
        let Some(of_type) = self.data(component.data(), component.name())? else {
            return Ok(0);
        };
        let mut known = columns.iter();
        let known = known.position(|column| column.component == component);
        let known = known.unwrap_or_else(|| {
            columns.push(HashColumn {
                component,
                chunks: Vec::new(),
            });
            columns.len() - 1
        });
        let hashes = &mut columns[known].chunks;
        let mut sum = 0_u64;
        let mut count = 0;
        for chunk in view.chunks() {
            let entities = chunk.entities();
            if hashes.len() == count {
                hashes.push(Vec::new());
            }
            let hashes = &mut hashes[count];
            count += 1;
            let runs = stale_runs(chunk, since, hashes);
            hashes.resize(entities.len(), (dead(u32::MAX), 0));
            for Range { start, end } in runs {
                let value = chunk.get(start).expect("a row of the chunk").as_ptr();
                let mut row = start;
                let keep = |hash| {
                    hashes[row] = (entities[row], hash);
                    row += 1;
                };
                // SAFETY: from that one on the values belong to the component, whose data `of_type` is, one after the other
                // in a column, and the view keeps them borrowed.
                unsafe {
                    self.writer
                        .each(&of_type, &entities[start..end], value, keep)
                }?;
            }
            let all = hashes.iter().map(|(_, hash)| *hash);
            sum = all.fold(sum, u64::wrapping_add);
        }
        hashes.truncate(count);
        Ok(sum)
    }
}

/// Returns the rows of a chunk whose hashes are not known: their values changed after `since`, or their entities were not there.
fn stale_runs(
    chunk: ErasedChunk<'_>,
    since: Option<Tick>,
    hashes: &[(Entity, u64)],
) -> Vec<Range<usize>> {
    /// So few that one entity that has moved costs little.
    const BLOCK: usize = 32;
    let (entities, mut rows) = (chunk.entities(), Vec::new());
    let is_tracked = since.is_some_and(|since| chunk.push_changed(since, &mut rows));
    let known = if is_tracked { hashes.len() } else { 0 };
    let known = known.min(entities.len());
    rows.truncate(rows.partition_point(|&row| row < known));
    let changed = rows.len();
    let blocks = entities[..known]
        .chunks(BLOCK)
        .zip(hashes[..known].chunks(BLOCK));
    for (block, (entities, hashes)) in blocks.enumerate() {
        let pairs = entities.iter().zip(hashes);
        let differs = |(now, (then, _)): (&Entity, &(Entity, u64))| now.to_bits() ^ then.to_bits();
        // Without an early end, so that LLVM compares several at once.
        if pairs.clone().fold(0, |any, pair| any | differs(pair)) != 0 {
            let moved = pairs.enumerate().filter(|(_, pair)| differs(*pair) != 0);
            rows.extend(moved.map(|(row, _)| block * BLOCK + row));
        }
    }
    if rows.len() > changed {
        rows.sort_unstable();
        rows.dedup();
    }
    let mut runs: Vec<Range<usize>> = Vec::new();
    let rows = rows.into_iter().map(|row| row..row + 1);
    for run in rows.chain(iter::once(known..entities.len())) {
        match runs.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            _ if run.is_empty() => {}
            _ => runs.push(run),
        }
    }
    runs
}

impl fmt::Debug for HashCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HashCache")
            .field("hasher", &self.hasher)
            .finish_non_exhaustive()
    }
}
