//! Hashes of everything that a step of a schedule can have written.

use std::collections::HashMap;
use std::iter;

use ecs_engine::World;
use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::meta::SystemMeta;
use ecs_engine::schedule::Step;
use ecs_engine::world::WorldId;

use super::{HashError, WorldHasher};

/// Hashes after the steps of schedules in one world. It finds out once what each step can write.
#[derive(Debug, Default)]
pub struct StepHashes {
    /// The components and data types of the world for which the steps were looked at.
    known: Option<(WorldId, u64, u32, usize)>,
    /// By the address of the name, and the number in the plan.
    steps: HashMap<(usize, usize), StepWrites>,
}

/// Everything that a step and its conditions can write.
#[derive(Debug)]
struct StepWrites {
    /// The step's list of parameters and its conditions', by their addresses and lengths: steps of different plans may have the
    /// same number.
    params: Vec<(usize, usize)>,
    /// `None` if the metadata does not say.
    writes: Option<Vec<StepWrite>>,
}

#[derive(Clone, Copy, Debug)]
enum StepWrite {
    Resource(&'static DataType),
    Component(ComponentId),
    /// All edges of all relations.
    Relations,
}

impl StepHashes {
    /// Returns the hash of everything that a step and its conditions can have written: of the whole world if its metadata does
    /// not say, or if deferred changes were applied after it. O(values of these types), and for a relation O(values of all
    /// relations).
    ///
    /// Declared commands make no difference: a despawn removes values of any type, and the hooks and observers that a change calls
    /// are in no metadata.
    ///
    /// # Errors
    /// See [`HashError`].
    pub fn after(
        &mut self,
        step: Step<'_>,
        has_deferred: bool,
        hasher: &mut WorldHasher,
        world: &World,
    ) -> Result<u64, HashError> {
        if has_deferred {
            return hasher.world(world);
        }
        match self.writes(step, world) {
            None => hasher.world(world),
            Some([]) => Ok(0),
            Some(writes) => hasher.written(world, writes),
        }
    }

    fn writes(&mut self, step: Step<'_>, world: &World) -> Option<&[StepWrite]> {
        let known = Some(world.data_types_known());
        if self.known != known {
            self.known = known;
            self.steps.clear();
        }
        let place_of = |meta: SystemMeta| (meta.params.as_ptr().addr(), meta.params.len());
        let params = || metas(step).map(place_of);
        let place = (step.name().as_ptr().addr(), step.number());
        let entry = self.steps.entry(place).or_insert_with(|| StepWrites {
            params: Vec::new(),
            writes: None,
        });
        if !params().eq(entry.params.iter().copied()) {
            entry.params = params().collect();
            entry.writes = names_writes(step).then(|| writes_of(step, world));
        }
        entry.writes.as_deref()
    }
}

/// Returns the metadata of a system and of its conditions.
pub(crate) fn metas(step: Step<'_>) -> impl Iterator<Item = SystemMeta> {
    let conditions = step.conditions().flat_map(|condition| &condition.parts);
    iter::once(step.meta()).chain(conditions.copied())
}

/// Returns true if the metadata of a step names all data that it can write, apart from deferred changes.
fn names_writes(step: Step<'_>) -> bool {
    !metas(step).any(|meta| meta.borrows_unnamed())
}

/// Returns the types of data that a system and its conditions can write by themselves.
pub(crate) fn written(step: Step<'_>) -> Vec<&'static DataType> {
    let access = metas(step).flat_map(|meta| meta.access());
    let writes = access.filter(|access| access.kind.writes());
    let mut types: Vec<&'static DataType> =
        writes.filter_map(|access| access.ident.data()).collect();
    // Components that are defined at run time differ only in their names.
    types.sort_unstable_by_key(|data| (data.type_id(), data.name()));
    types.dedup_by(|data, other| data.is_same(other));
    types
}

/// Returns the data of a world that a system and its conditions can write by themselves.
fn writes_of(step: Step<'_>, world: &World) -> Vec<StepWrite> {
    let registered = world.registered_components();
    let mut writes = Vec::new();
    let mut has_relation = false;
    for data in written(step) {
        if data.is_resource() {
            writes.push(StepWrite::Resource(data));
            continue;
        }
        let is_it = |other: &DataType| other.is_same(data);
        has_relation |= registered.iter().any(|id| id.relation().is_some_and(is_it));
        let mut components = registered.iter();
        let found = components.find(|id| id.data().is_some_and(is_it));
        writes.extend(found.map(|&component| StepWrite::Component(component)));
    }
    if has_relation {
        writes.push(StepWrite::Relations);
    }
    writes
}

impl WorldHasher {
    /// Returns the sum that some data adds to the hash of the world.
    fn written(&mut self, world: &World, writes: &[StepWrite]) -> Result<u64, HashError> {
        self.select(world)?;
        let mut sum = 0_u64;
        for write in writes {
            let hash = match *write {
                StepWrite::Resource(data) => self.resource(world, data),
                StepWrite::Component(component) if self.without.contains(&component) => Ok(0),
                StepWrite::Component(component) => self.of_component(world, component),
                StepWrite::Relations => self.relations(world),
            };
            sum = sum.wrapping_add(self.explained(hash)?);
        }
        Ok(sum)
    }
}
