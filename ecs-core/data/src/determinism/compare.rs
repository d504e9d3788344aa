//! The hashes of the first run, and the differences to another run.

use ecs_engine::World;
use ecs_engine::data_type::DataType;
use ecs_engine::meta::{ConstTypeId, Kind, SystemMeta};
use ecs_engine::schedule::{SchedulePlan, Step};

use super::play::{After, PlayMoment};
use super::{Desync, DeterminismError};
use crate::hash::{StepHashes, WorldHasher, metas, written};

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
        hasher: &mut MomentHasher,
        world: &World,
    ) -> Result<(), DeterminismError> {
        if moment.index == 0 {
            self.frames.push(Vec::new());
        }
        let entry = LogEntry {
            index: moment.index,
            name: moment.name(),
            hash: hasher.hash(moment, world)?,
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
        hasher: &mut MomentHasher,
        world: &World,
    ) -> Result<bool, DeterminismError> {
        Ok(self.name == moment.name() && self.hash == hasher.hash(moment, world)?)
    }
}

/// Hashes the moments of a run.
pub(super) struct MomentHasher {
    world: WorldHasher,
    steps: StepHashes,
}

impl MomentHasher {
    pub(super) fn new(world: WorldHasher) -> Self {
        let steps = StepHashes::default();
        Self { world, steps }
    }

    /// Returns the hash of everything that can have changed since the moment before.
    fn hash(&mut self, moment: &PlayMoment<'_>, world: &World) -> Result<u64, DeterminismError> {
        let hash = match moment.after {
            After::Step(step) => {
                let defers = step.defers();
                self.steps.after(step, defers, &mut self.world, world)
            }
            After::Frame(_) => self.world.world(world),
        };
        hash.map_err(DeterminismError::Hash)
    }
}

/// Adds the names of the systems of a plan that can have made a difference, if the moment is the end of a frame whose systems
/// were not watched.
pub(super) fn add_writers(moment: &PlayMoment<'_>, desync: &mut Desync) {
    let found = &desync.differences;
    let first = match (found.entities().first(), found.resources().first()) {
        (Some(entity), _) if entity.is_spawned() || entity.is_despawned() => None,
        (Some(entity), _) => entity.values().first(),
        (None, resource) => resource,
    };
    let name = first.map(|change| change.name().to_owned());
    if let After::Frame(Some(plan)) = moment.after {
        add_writers_of(plan, name.as_deref(), desync);
    }
}

/// Adds the names of the systems that can have written the data with this name, or have spawned or despawned entities.
fn add_writers_of(plan: &SchedulePlan, name: Option<&str>, desync: &mut Desync) {
    for step in plan.steps() {
        let mut inner = step.inner().peekable();
        if inner.peek().is_some() {
            inner.for_each(|(_, plan)| add_writers_of(plan, name, desync));
            continue;
        }
        let is_known = match name {
            Some(name) => writes(step, name),
            None => step.defers(),
        };
        let is_undeclared = metas(step).any(|meta| meta.undeclared_commands().is_some());
        if is_known || is_undeclared {
            desync.systems.push(step.name());
        }
        if is_undeclared && !is_known {
            desync.undeclared.push(step.name());
        }
    }
}

/// Returns true if a system writes the data with this name, or declares that its commands do.
fn writes(step: Step<'_>, name: &str) -> bool {
    let is_it = |data: &'static DataType| data.name() == name;
    let by_commands = |meta: SystemMeta| {
        let declared = meta.commands();
        let is_declared = declared.iter().filter_map(ConstTypeId::data).any(is_it);
        is_declared || meta.borrows_unnamed() || meta.world().is_some_and(Kind::writes)
    };
    written(step).into_iter().any(is_it) || metas(step).any(by_commands)
}
