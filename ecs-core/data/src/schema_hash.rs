//! A number for the types of a program, to compare programs before they exchange data.

use std::fmt;

use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::event::DataEvent;
use ecs_engine::staging::RelationInfo;
use ecs_engine::{Component, Relation, Resource, World};

use crate::file::Checksum;
use crate::saved::DataCodec;
use crate::types;

/// A number for a set of data types: equal in two programs whose types have the same names, versions and parts.
///
/// For a handshake: two programs that exchange [rows](crate::RowsBytes), or their own messages, compare it first.
/// [`WorldData::schema_hash`](crate::WorldData::schema_hash) is the number for all types that a world knows, and
/// [`Protocol::id`](crate::Protocol::id) for those of a replicator, which also depends on their order.
///
/// ```
/// use ecs_core::data::SchemaHash;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.place")]
/// struct Place(f32, f32);
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.health")]
/// struct Health {
///     now: u32,
/// }
///
/// let both = SchemaHash::new().with::<Place>().with::<Health>();
/// assert_eq!(both.id(), SchemaHash::new().with::<Health>().with::<Place>().id());
/// assert_ne!(both.id(), SchemaHash::new().with::<Place>().id());
/// assert!(both.names().eq(["game.health", "game.place"]));
/// ```
///
/// The number does not depend on the order in which types are added, on the machine or on the run. It changes with the name,
/// type or order of a field or variant, with `data = ".."` and `version = ..`. The fields of a type that needs names to be read
/// (`tag`, `untagged`, `flatten`) do not count, because only values would reveal them: raise its version.
#[derive(Clone, Default)]
#[must_use]
pub struct SchemaHash {
    /// Sorted, and each once. A component and a resource may have the same name.
    types: Vec<HashedType>,
}

/// The name of a type, and the number for all of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HashedType {
    name: &'static str,
    hash: u64,
}

impl SchemaHash {
    /// Returns the number of no types.
    pub const fn new() -> Self {
        Self { types: Vec::new() }
    }

    /// Returns the number of all types that a world knows: components and relations that are registered, and resources and
    /// events that are data and named by a schedule, or registered.
    pub fn of(world: &World) -> Self {
        let mut all = Self::new();
        for data in world.data_types() {
            all.add(data);
        }
        all
    }

    /// Adds a component, or a relation by one of its ends.
    ///
    /// # Panics
    /// If it is not data.
    #[track_caller]
    pub fn with<T: Component>(mut self) -> Self {
        self.add(types::component::<T>());
        self
    }

    /// Adds a relation.
    ///
    /// # Panics
    /// If it is not data.
    #[track_caller]
    pub fn with_relation<R: Relation>(mut self) -> Self {
        let component = ComponentId::of::<R::Outgoing>();
        let info = RelationInfo::of(component).expect("it is the component of sources");
        let Some(data) = info.data() else {
            panic!(
                "the relation `{}` is not data; help: add `#[relation(data = \"game.child_of\")]` to it",
                info.name()
            )
        };
        self.add(data);
        self
    }

    /// Adds a resource.
    ///
    /// # Panics
    /// If it is not data.
    #[track_caller]
    pub fn with_resource<T: Resource>(mut self) -> Self {
        self.add(types::resource::<T>());
        self
    }

    /// Adds the events of a type.
    ///
    /// # Panics
    /// If it is an instance of a generic type that is not data.
    #[track_caller]
    pub fn with_events<E: DataEvent>(mut self) -> Self {
        self.add(types::events::<E>());
        self
    }

    fn add(&mut self, data: &'static DataType) {
        let Some(codec) = DataCodec::of(data) else {
            return;
        };
        let mut sum = Checksum::new();
        add_type(&mut sum, data, codec);
        let kind = u8::from(data.is_relation()) + 2 * u8::from(data.is_resource());
        sum.add(&[kind]);
        let new = HashedType {
            name: data.name(),
            hash: sum.finish(),
        };
        if let Err(place) = self.types.binary_search(&new) {
            self.types.insert(place, new);
        }
    }

    /// Returns the number.
    #[must_use]
    pub fn id(&self) -> u64 {
        let mut sum = Checksum::new();
        for ty in &self.types {
            sum.add(&ty.hash.to_le_bytes());
        }
        sum.finish()
    }

    /// Iterates over the names of the types, sorted. A component and a resource may have the same.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.types.iter().map(|ty| ty.name)
    }

    /// Iterates over the names of the types, sorted, each with a number that is the same for the same type: to find out which types
    /// of two programs differ.
    pub fn types(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.types.iter().map(|ty| (ty.name, ty.hash))
    }
}

impl fmt::Debug for SchemaHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Adds the name of a type, its version and its parts.
pub(crate) fn add_type(sum: &mut Checksum, data: &DataType, codec: DataCodec) {
    let name = data.name();
    sum.add(&(name.len() as u64).to_le_bytes());
    sum.add(name.as_bytes());
    sum.add(&data.version().to_le_bytes());
    let shape = codec.shape();
    sum.add(&(shape.len() as u64).to_le_bytes());
    sum.add(shape.as_bytes());
    for (name, kind) in codec.field_kinds().into_iter().flatten() {
        sum.add(&(name.len() as u64).to_le_bytes());
        sum.add(name.as_bytes());
        sum.add(kind.as_bytes());
    }
}
