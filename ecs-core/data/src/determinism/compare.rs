//! The hashes of the first run, and what differs where another run has others.

use std::collections::BTreeSet;

use ecs_engine::data_type::DataType;
use ecs_engine::schedule::{Plan, Step};
use ecs_engine::{Entity, World};

use super::play::{After, Moment};
use super::{DeterminismError, Difference};
use crate::hash::WorldHasher;
use crate::value::Value;
use crate::world_data::WorldData;

/// The hashes of the first run.
#[derive(Default)]
pub(super) struct Log {
    frames: Vec<Vec<Entry>>,
}

/// A moment of the first run.
pub(super) struct Entry {
    /// Its number in the frame.
    pub(super) index: usize,
    /// The system that has ended; `None` at the end of a frame.
    pub(super) name: Option<&'static str>,
    hash: u64,
}

impl Log {
    pub(super) fn add(
        &mut self,
        moment: &Moment<'_>,
        hasher: &mut WorldHasher,
        world: &World,
    ) -> Result<(), DeterminismError> {
        if moment.index == 0 {
            self.frames.push(Vec::new());
        }
        let entry = Entry {
            index: moment.index,
            name: moment.name(),
            hash: hash(moment, hasher, world)?,
        };
        self.frames[moment.frame as usize].push(entry);
        Ok(())
    }

    /// Returns the moment of the first run that a moment of another run is compared with.
    pub(super) fn at(&self, moment: &Moment<'_>) -> &Entry {
        let entries = &self.frames[moment.frame as usize];
        let found = entries.get(moment.index).or(entries.last());
        found.expect("each frame has an end")
    }
}

impl Entry {
    pub(super) fn is_same(
        &self,
        moment: &Moment<'_>,
        hasher: &mut WorldHasher,
        world: &World,
    ) -> Result<bool, DeterminismError> {
        Ok(self.name == moment.name() && self.hash == hash(moment, hasher, world)?)
    }
}

/// Returns the hash of all that can have changed since the moment before.
fn hash(
    moment: &Moment<'_>,
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
    // Those of components of run time differ in their names alone.
    types.sort_unstable_by_key(|data| (data.type_id(), data.name()));
    types.dedup_by(|data, other| data.is_same(other));
    types
}

/// Returns the first difference between two worlds: of the lowest entity, and of resources after those.
pub(super) fn first_difference(
    hasher: &mut WorldHasher,
    first: &World,
    other: &World,
) -> Result<Option<Difference>, DeterminismError> {
    let mut entities = BTreeSet::new();
    for world in [first, other] {
        for (of_table, _) in world.tables_with_rows() {
            entities.extend(of_table);
        }
    }
    for &entity in &entities {
        let [one, two] = [first, other].map(|world| world.contains(entity));
        if !(one && two) {
            return Ok(Some(Difference {
                entity: Some(entity),
                name: None,
                values: [one, two].map(|is_alive| is_alive.then_some(Value::Null)),
            }));
        }
        let difference = of_entity(hasher, first, other, entity)?;
        if difference.is_some() {
            return Ok(difference);
        }
    }
    let mut resources = first.data_types();
    resources.extend(other.data_types());
    resources.retain(|data| data.is_resource());
    resources.sort_unstable_by_key(|data| data.name());
    resources.dedup_by_key(|data| data.type_id());
    for data in resources {
        let [one, two] = [first, other].map(|world| hasher.of_types(world, &[data]));
        if one.map_err(DeterminismError::Hash)? != two.map_err(DeterminismError::Hash)? {
            let values = [first, other].map(|world| world.resource_by_name(data.name()).ok()?);
            return Ok(Some(Difference {
                entity: None,
                name: Some(data.name().to_owned()),
                values,
            }));
        }
    }
    Ok(None)
}

/// Returns the first component of an entity, or edges from it, that differ.
fn of_entity(
    hasher: &mut WorldHasher,
    first: &World,
    other: &World,
    entity: Entity,
) -> Result<Option<Difference>, DeterminismError> {
    let differs = |name: &str| {
        let values = [first, other].map(|world| world.get_by_name(entity, name).ok()?);
        Some(Difference {
            entity: Some(entity),
            name: Some(name.to_owned()),
            values,
        })
    };
    let mut components = first.registered_components();
    components.extend(other.registered_components());
    components.sort_unstable_by_key(|component| component.name());
    components.dedup();
    for &component in &components {
        let Some(data) = component.data() else {
            continue;
        };
        let [one, two] = [first, other].map(|world| {
            let is_known = world.registered_components().contains(&component);
            let hash = is_known.then(|| hasher.value(world, entity, component));
            hash.transpose().map(Option::flatten)
        });
        if one.map_err(DeterminismError::Hash)? != two.map_err(DeterminismError::Hash)? {
            return Ok(differs(data.name()));
        }
    }
    components.retain(|&component| !hasher.leaves_out(component));
    for data in components
        .iter()
        .filter_map(|component| component.relation())
    {
        let found = differs(data.name());
        if found
            .as_ref()
            .is_some_and(|found| found.values[0] != found.values[1])
        {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Adds the names of the systems of a plan that can have made a difference, if the moment is the end of a frame whose systems
/// were not watched.
pub(super) fn writers(moment: &Moment<'_>, found: &Difference, names: &mut Vec<&'static str>) {
    if let After::Frame(Some(plan)) = moment.after {
        add_writers(plan, found, names);
    }
}

fn add_writers(plan: &Plan, found: &Difference, names: &mut Vec<&'static str>) {
    for step in plan.steps() {
        let mut inner = step.inner().peekable();
        if inner.peek().is_some() {
            inner.for_each(|(_, plan)| add_writers(plan, found, names));
            continue;
        }
        let writes = |name: &str| written(step).iter().any(|data| data.name() == name);
        if step.defers() || found.name.as_deref().is_some_and(writes) {
            names.push(step.name());
        }
    }
}
