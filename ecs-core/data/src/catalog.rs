//! The types that a world knows, by name.

use std::any::TypeId;
use std::collections::HashSet;

use ecs_engine::World;
use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::staging::RelationInfo;

use crate::saved::DataCodec;
use crate::{Schema, Value};

/// A type that a world knows; see [`WorldData::data_catalog`](crate::WorldData::data_catalog).
#[derive(Clone, Copy, Debug)]
pub struct CatalogType {
    kind: CatalogKind,
    name: &'static str,
    component: Option<ComponentId>,
    data: Option<&'static DataType>,
}

/// The use of a type in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CatalogKind {
    /// A component.
    Component,
    /// A relation between entities; its values belong to the edges.
    Relation,
    /// A resource. The states of an app are resources, too.
    Resource,
    /// Events; values are single ones.
    Events,
}

impl CatalogType {
    /// Returns the use of the type.
    #[must_use]
    pub fn kind(&self) -> CatalogKind {
        self.kind
    }

    /// Returns the name: of `data = ".."` or `name = ".."`, or the path of the type.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the earlier names that files may use.
    #[must_use]
    pub fn aliases(&self) -> &'static [&'static str] {
        self.data.map_or(&[], DataType::aliases)
    }

    /// Returns the component; for a relation, the one of its sources.
    #[must_use]
    pub fn component(&self) -> Option<ComponentId> {
        self.component
    }

    /// Returns true if it is a relation whose sources may have several targets.
    #[must_use]
    pub fn is_many(&self) -> bool {
        self.relation().is_some_and(|relation| relation.is_many())
    }

    /// Returns true if it is a relation without cycles, such as [`ChildOf`](ecs_engine::tree::ChildOf).
    #[must_use]
    pub fn is_tree(&self) -> bool {
        self.relation().is_some_and(|relation| relation.is_tree())
    }

    /// Returns true if it is a relation whose sources are despawned with their target, such as
    /// [`ChildOf`](ecs_engine::tree::ChildOf); the edges of others end.
    #[must_use]
    pub fn despawns_sources(&self) -> bool {
        let relation = self.relation();
        relation.is_some_and(|relation| relation.despawns_sources())
    }

    /// Returns the name of the resource that requests another value, if the type is a
    /// [state](crate::WorldData::register_data_state) that is data. The catalog has that resource too.
    #[must_use]
    pub fn next_state(&self) -> Option<&'static str> {
        let next = crate::states::next_of(self.data?.type_id())?;
        Some(next.name())
    }

    fn relation(&self) -> Option<RelationInfo> {
        RelationInfo::of(self.component?).filter(|_| self.kind == CatalogKind::Relation)
    }

    /// Returns true if its values are saved, and read and written by name.
    #[must_use]
    pub fn is_data(&self) -> bool {
        self.codec().is_some()
    }

    /// Returns the parts of its values; `None` if they are not known: it is not data, it needs names to be read (`tag`, `flatten`),
    /// its names for reading and writing differ, or its `Deserialize` refuses made-up values. A part that looks at what it gets,
    /// such as an `untagged` enum or a [`Value`], is [unknown](crate::SchemaKind::Unknown), and the parts beside it are known.
    ///
    /// They are found out once per process, and confirmed by values of each variant, which are read and written again. That takes
    /// some microseconds.
    #[must_use]
    pub fn schema(&self) -> Option<Schema> {
        let schema = self.codec()?.schema()?;
        match self.kind {
            CatalogKind::Events => schema.of_events(),
            _ => Some(schema),
        }
    }

    /// Returns the value that the type reads from empty input: of types whose fields all have a `#[serde(default)]`, and of components
    /// that are defined at run time. `None` for other types, and for events and relations.
    #[must_use]
    pub fn default_value(&self) -> Option<Value> {
        match self.kind {
            CatalogKind::Component | CatalogKind::Resource => self.codec()?.default_value(),
            CatalogKind::Relation | CatalogKind::Events => None,
        }
    }

    fn codec(&self) -> Option<DataCodec> {
        self.data.and_then(DataCodec::of)
    }

    /// The type that data describes.
    fn of_data(data: &'static DataType) -> Self {
        let kind = match data {
            data if data.is_relation() => CatalogKind::Relation,
            data if data.is_events() => CatalogKind::Events,
            data if data.is_resource() => CatalogKind::Resource,
            _ => CatalogKind::Component,
        };
        Self {
            kind,
            name: data.name(),
            component: data.component_id(),
            data: Some(data),
        }
    }

    /// A registered component, or the relation that it has the sources of; `None` for the other end of a relation.
    fn of_component(component: ComponentId, ends: &HashSet<ComponentId>) -> Option<Self> {
        let (kind, name, data) = match component.relation_of_sources() {
            Some(name) => (CatalogKind::Relation, name, component.relation()),
            None if ends.contains(&component) => return None,
            None => (CatalogKind::Component, component.name(), component.data()),
        };
        Some(Self {
            kind,
            name,
            component: Some(component),
            data,
        })
    }
}

/// Returns all types: components and relations, then the other data types, then resources that are not data.
pub(crate) fn of(world: &World) -> Vec<CatalogType> {
    let ends = world
        .relations()
        .iter()
        .map(RelationInfo::incoming)
        .collect();
    let components = world.registered_components().into_iter();
    let components = components.filter_map(|id| CatalogType::of_component(id, &ends));
    let mut all: Vec<CatalogType> = components.collect();
    let known = all.iter().filter_map(|known| known.data);
    let mut known: HashSet<_> = known.map(DataType::identity).collect();
    for data in world.data_types() {
        if known.insert(data.identity()) {
            all.push(CatalogType::of_data(data));
        }
    }
    let data = all.iter().filter_map(|known| known.data);
    let named: HashSet<TypeId> = data.map(DataType::type_id).collect();
    let resources = world.resources().types().into_iter();
    all.extend(
        resources
            .filter(|(id, _)| !named.contains(id))
            .map(|(_, name)| CatalogType {
                kind: if name.starts_with("Events<") {
                    CatalogKind::Events
                } else {
                    CatalogKind::Resource
                },
                name,
                component: None,
                data: None,
            }),
    );
    all
}
