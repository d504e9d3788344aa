//! Names, and the components and resources that they stand for.

use ecs_engine::World;
use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::staging::RelationInfo;
use ecs_engine::world::NamedData;

use super::ByNameError;
use crate::closest::closest;
use crate::event_functions::EventFunctions;
use crate::saved::DataCodec;
use crate::types::SameName;

/// A component that was found by its name, or the component of the sources of a relation.
#[derive(Clone, Copy)]
pub(crate) struct FoundComponent {
    pub(crate) component: ComponentId,
    pub(crate) kind: ValueKind,
}

/// The way to read and write the values.
#[derive(Clone, Copy)]
pub(crate) enum ValueKind {
    /// By the functions of the component's data type.
    Data(&'static DataType, DataCodec),
    /// A relation that is data, and is saved.
    Relation(RelationInfo, &'static DataType),
    /// Not at all.
    Opaque,
}

impl FoundComponent {
    pub(crate) fn of(component: ComponentId) -> Self {
        let data = component.data().filter(|data| !data.is_relation());
        let kind = if let Some(data) = data {
            DataCodec::of(data).map(|codec| ValueKind::Data(data, codec))
        } else {
            // An end of a relation is not data itself.
            let relation = RelationInfo::of(component);
            let edges = relation.and_then(|relation| Some((relation, relation.data()?)));
            let edges = edges.filter(|(_, data)| DataCodec::of(data).is_some());
            edges.map(|(relation, data)| ValueKind::Relation(relation, data))
        };
        Self {
            component,
            kind: kind.unwrap_or(ValueKind::Opaque),
        }
    }

    /// Returns the name under which values are read and written; `None` if they are not.
    pub(crate) fn name(&self) -> Option<&'static str> {
        match self.kind {
            ValueKind::Data(..) => Some(self.component.name()),
            ValueKind::Relation(_, data) => Some(data.name()),
            ValueKind::Opaque => None,
        }
    }
}

/// Returns the component, or the relation, of a name. O(log types) for one that is data, and otherwise O(component types).
pub(crate) fn component(world: &World, name: &str) -> Result<FoundComponent, ByNameError> {
    let data = named(world, name, false)?;
    if let Some(component) = data.and_then(DataType::component_id) {
        return Ok(FoundComponent::of(component));
    }
    let registered = world.registered_components();
    // Known to the process, and possibly not used in this world so far.
    let mut all = ComponentId::named(name);
    all.extend(ComponentId::of_relation_named(name));
    if all.len() > 1 {
        all.retain(|component| registered.contains(component));
    }
    match all[..] {
        [component] => Ok(FoundComponent::of(component)),
        [] => {
            let data = world.data_types().into_iter();
            let data = data.filter(|data| !data.is_resource());
            let names = registered.iter().map(|component| component.name());
            let names = names.chain(data.map(DataType::name));
            Err(unknown("component", name, names))
        }
        [one, other, ..] => Err(SameName {
            name: one.name(),
            types: [one, other].map(ComponentId::rust_name),
        }
        .into()),
    }
}

/// Returns the resource of a name, and its functions. O(log types).
pub(crate) fn resource(
    world: &World,
    name: &str,
) -> Result<(&'static DataType, DataCodec), ByNameError> {
    let data = named(world, name, true)?;
    let found = data.and_then(|data| Some((data, DataCodec::of(data)?)));
    found.ok_or_else(|| {
        let mut others = world.resources().types().into_iter();
        if others.any(|(_, other)| other == name) {
            return no_values("resource", name);
        }
        let data = world.data_types().into_iter();
        let data = data.filter(|data| data.is_resource());
        unknown("resource", name, data.map(DataType::name))
    })
}

/// Returns the functions for the events of a name. O(log types).
pub(super) fn events(world: &World, name: &str) -> Result<&'static EventFunctions, ByNameError> {
    let codec = named(world, name, true)?.and_then(DataCodec::of);
    if let Some(DataCodec::Typed(saved)) = codec
        && let Some(events) = saved.events()
    {
        return Ok(events);
    }
    let mut others = world.event_queues().into_iter();
    if others.any(|queue| queue.name == name) {
        return Err(no_values("event", name));
    }
    let data = world.data_types().into_iter();
    let data = data.filter(|data| data.is_events());
    Err(unknown("event", name, data.map(DataType::name)))
}

/// Returns the data type of a name.
fn named(
    world: &World,
    name: &str,
    is_resource: bool,
) -> Result<Option<&'static DataType>, SameName> {
    match world.data_type_named(name, is_resource) {
        Some(NamedData {
            data,
            name,
            other: Some(other),
        }) => Err(SameName::of(name, [data, other])),
        Some(named) => Ok(Some(named.data)),
        None => Ok(None),
    }
}

fn no_values(kind: &'static str, name: &str) -> ByNameError {
    let name = name.to_owned();
    ByNameError::NoValues { kind, name }
}

fn unknown(
    kind: &'static str,
    name: &str,
    names: impl Iterator<Item = &'static str>,
) -> ByNameError {
    ByNameError::Unknown {
        kind,
        name: name.to_owned(),
        closest: closest(name, names).map(str::to_owned),
    }
}
