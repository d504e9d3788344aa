//! Replication: the entities of one world, kept up to date in the worlds of others.

// First, so that the documentation of `Replicator` begins with its own methods.
mod replicator;

mod budget;
mod client;
mod delta_ids;
mod error;
mod found;
mod order;
mod packet;
mod packets;
mod replica;
mod update;

use std::fmt;

use ecs_engine::__private::data_name;
use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::staging::{ErasedColumn, RelationInfo};
use ecs_engine::{Component, Entity, Relation, World};

pub use error::{NoSuchClient, ReplicaError, ReplicateError};
pub use replica::{Applied, Replica};
pub use replicator::{ClientId, Replicator};

use crate::codec::Form;
use crate::file::Checksum;
use crate::saved::DataCodec;
use crate::schema_hash::add_type;
use crate::types;

/// The components and relations that a server sends to its clients: a list that both have.
///
/// A packet has the names and versions of the list as a number, and the names of the fields and variants, so programs whose
/// lists or types differ refuse each other's packets.
///
/// ```
/// use ecs_core::data::Protocol;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.place")]
/// struct Place(f32, f32);
///
/// #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
/// #[relation(data = "game.child_of")]
/// struct ChildOf;
///
/// let protocol = Protocol::new().with::<Place>().with_relation::<ChildOf>();
/// assert_ne!(protocol.id(), Protocol::new().with::<Place>().id());
/// ```
#[derive(Clone, Default)]
pub struct Protocol {
    kinds: Vec<ReplicatedKind>,
    only: Option<ComponentId>,
}

/// A component or relation of a protocol.
#[derive(Clone)]
struct ReplicatedKind {
    /// The component; for a relation, its source component.
    component: ComponentId,
    edges: Option<ReplicatedEdges>,
    /// Invariant 1: describes the values of the component, or of the relation's edges.
    data: &'static DataType,
    /// Invariant 2: the codec of `data`.
    codec: DataCodec,
    form: Form,
}

/// A relation.
#[derive(Clone, Copy)]
struct ReplicatedEdges {
    info: RelationInfo,
    unrelate: fn(&mut World, Entity, Entity),
}

impl Protocol {
    /// Returns a list without components.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            kinds: Vec::new(),
            only: None,
        }
    }

    /// Adds a component. One that is in the list already is not added again.
    ///
    /// # Panics
    /// If it is not `data`, or an end of a relation, or there are 65,535 already.
    #[track_caller]
    #[must_use]
    pub fn with<T: Component>(mut self) -> Self {
        let data = types::component::<T>();
        assert!(
            !data.is_relation(),
            "`{}` is a relation; help: add it by `Protocol::with_relation`",
            data.name()
        );
        self.add(data, ComponentId::of::<T>(), None);
        self
    }

    /// Adds a relation. One that is in the list already is not added again.
    ///
    /// # Panics
    /// If it is not `data`, or there are 65,535 already.
    #[track_caller]
    #[must_use]
    pub fn with_relation<R: Relation>(mut self) -> Self {
        let component = ComponentId::of::<R::Outgoing>();
        let info = RelationInfo::of(component).expect("it is the component of sources");
        let Some(data) = info.data() else {
            panic!(
                "the relation `{}` is not data; help: add `#[relation(data = \"{}\")]` to it",
                info.name(),
                data_name(info.name())
            )
        };
        let unrelate = |world: &mut World, source, target| {
            _ = world.unrelate::<R>(source, target);
        };
        self.add(data, component, Some(ReplicatedEdges { info, unrelate }));
        self
    }

    #[track_caller]
    fn add(
        &mut self,
        data: &'static DataType,
        component: ComponentId,
        edges: Option<ReplicatedEdges>,
    ) {
        if self.position(component).is_some() {
            return;
        }
        let Some(codec) = DataCodec::of(data) else {
            panic!(
                "`{}` has no saved form; help: add `Serialize` and `Deserialize` to it",
                data.name()
            )
        };
        assert!(
            self.kinds.len() < usize::from(u16::MAX),
            "a protocol has at most 65,535 components"
        );
        self.kinds.push(ReplicatedKind {
            component,
            edges,
            data,
            codec,
            form: codec.form(),
        });
    }

    /// Only sends entities that have this component, which need not be `data`. Without it, sends all entities that have a
    /// component of the list.
    #[must_use]
    pub fn only<T: Component>(mut self) -> Self {
        self.only = Some(ComponentId::of::<T>());
        self
    }

    /// Returns a number that is the same for lists with the same names and versions, in the same order, of types with the same
    /// fields and variants, and for the same form of packets.
    ///
    /// The fields of types that need names to be read (`tag`, `untagged`, `flatten`), and of types around them, are not part of
    /// it, because only values would reveal them. Raise the `version` of such a type when a field of it gets another name.
    #[must_use]
    pub fn id(&self) -> u64 {
        let mut sum = Checksum::new();
        sum.add(&packet::FORMAT.to_le_bytes());
        for kind in &self.kinds {
            add_type(&mut sum, kind.data, kind.codec);
            sum.add(&[kind.edges.is_some().into()]);
        }
        sum.finish()
    }

    /// Returns true if an entity of a world is sent to clients that see it.
    #[must_use]
    pub fn sends(&self, world: &World, entity: Entity) -> bool {
        let has = |component| world.has_erased(entity, component);
        match self.only {
            Some(only) => has(only),
            None => self.kinds.iter().any(|kind| has(kind.component)),
        }
    }

    /// Returns true if values of the component are sent.
    #[doc(hidden)]
    #[must_use]
    pub fn includes(&self, component: ComponentId) -> bool {
        self.position(component).is_some()
    }

    fn position(&self, component: ComponentId) -> Option<usize> {
        let mut kinds = self.kinds.iter();
        kinds.position(|kind| kind.component == component)
    }
}

impl ReplicatedKind {
    /// Returns true if it is a relation that forbids cycles.
    fn is_tree(&self) -> bool {
        self.edges.is_some_and(|edges| edges.info.is_tree())
    }

    /// Returns a column for values.
    fn column(&self) -> ErasedColumn {
        match self.edges {
            Some(_) => ErasedColumn::of_edges(self.component).expect("it belongs to sources"),
            None => ErasedColumn::new(self.component),
        }
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.kinds.iter().map(|kind| kind.data.name());
        f.debug_list().entries(names).finish()
    }
}
