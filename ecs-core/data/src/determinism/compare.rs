//! The hashes of the first run, and the differences to another run.

use ecs_engine::World;
use ecs_engine::data_type::DataType;
use ecs_engine::schedule::{SchedulePlan, Step};

use super::DeterminismError;
use super::play::{After, PlayMoment};
use crate::diff::{Diff, ValueChange};
use crate::hash::WorldHasher;

/// The hashes of the first run.
#[derive(Default)]
pub(super) struct HashLog {
    frames: Vec<Vec<LogEntry>>,
}

/// A moment of the first run.
pub(super) struct LogEntry {
    /// The number of the moment in the frame.
    pub(super) index: usize,
    /// The system that has ended; `None` at the end of a frame.
    pub(super) name: Option<&'static str>,
    hash: u64,
}

impl HashLog {
    pub(super) fn add(
        &mut self,
        moment: &PlayMoment<'_>,
        hasher: &mut WorldHasher,
        world: &World,
    ) -> Result<(), DeterminismError> {
        if moment.index == 0 {
            self.frames.push(Vec::new());
        }
        let entry = LogEntry {
            index: moment.index,
            name: moment.name(),
            hash: hash(moment, hasher, world)?,
        };
        self.frames[moment.frame as usize].push(entry);
        Ok(())
    }

    /// Returns the moment of the first run that a moment of another run is compared with.
    pub(super) fn at(&self, moment: &PlayMoment<'_>) -> &LogEntry {
        let entries = &self.frames[moment.frame as usize];
        let found = entries.get(moment.index).or(entries.last());
        found.expect("each frame has an end")
    }
}

impl LogEntry {
    pub(super) fn is_same(
        &self,
        moment: &PlayMoment<'_>,
        hasher: &mut WorldHasher,
        world: &World,
    ) -> Result<bool, DeterminismError> {
        Ok(self.name == moment.name() && self.hash == hash(moment, hasher, world)?)
    }
}

/// Returns the hash of everything that can have changed since the moment before.
fn hash(
    moment: &PlayMoment<'_>,
    hasher: &mut WorldHasher,
    world: &World,
) -> Result<u64, DeterminismError> {
    let hash = match moment.after {
        After::Step(step) if step.is_plain() => hasher.of_types(world, &written(step)),
        After::Step(_) | After::Frame(_) => hasher.world(world),
    };
    hash.map_err(DeterminismError::Hash)
}

/// Returns the types of data that a system can write by itself.
fn written(step: Step<'_>) -> Vec<&'static DataType> {
    let meta = step.meta();
    let writes = meta.access().filter(|access| access.kind.writes());
    let mut types: Vec<&'static DataType> =
        writes.filter_map(|access| access.ident.data()).collect();
    // Components that are defined at run time differ only in their names.
    types.sort_unstable_by_key(|data| (data.type_id(), data.name()));
    types.dedup_by(|data, other| data.is_same(other));
    types
}

/// Adds the names of the systems of a plan that can have made a difference, if the moment is the end of a frame whose systems
/// were not watched.
pub(super) fn writers(moment: &PlayMoment<'_>, found: &Diff, names: &mut Vec<&'static str>) {
    let first = match (found.entities().first(), found.resources().first()) {
        (Some(entity), _) if entity.is_spawned() || entity.is_despawned() => None,
        (Some(entity), _) => entity.values().first(),
        (None, resource) => resource,
    };
    if let After::Frame(Some(plan)) = moment.after {
        add_writers(plan, first.map(ValueChange::name), names);
    }
}

/// Adds the names of the systems that can have written the data with this name, or have spawned or despawned entities.
fn add_writers(plan: &SchedulePlan, name: Option<&str>, names: &mut Vec<&'static str>) {
    for step in plan.steps() {
        let mut inner = step.inner().peekable();
        if inner.peek().is_some() {
            inner.for_each(|(_, plan)| add_writers(plan, name, names));
            continue;
        }
        let writes = |name: &str| written(step).iter().any(|data| data.name() == name);
        if step.defers() || name.is_some_and(writes) {
            names.push(step.name());
        }
    }
}
