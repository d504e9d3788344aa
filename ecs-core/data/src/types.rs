//! Names of data types: everything that a file can name.

use std::collections::HashMap;
use std::fmt;

use ecs_engine::__private::data_name;
use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::event::{DataEvent, data_of};
use ecs_engine::relation::{Sources, Target};
use ecs_engine::schedule::{FixedTime, FixedTimes};
use ecs_engine::tree::{ChildOf, Name};
use ecs_engine::{Component, Disabled, Resource, World};

use crate::prefab_part::PrefabPart;

/// Data types by their names, and by their earlier ones.
#[derive(Clone, Default)]
pub(crate) struct DataTypes {
    by_name: HashMap<&'static str, &'static DataType>,
}

/// Returns the data types of the engine, which every loader knows.
fn engine_types() -> impl Iterator<Item = &'static DataType> {
    let types = [
        Name::IDENTITY.ident(),
        Sources::<ChildOf>::IDENTITY.ident(),
        Disabled::IDENTITY.ident(),
        FixedTime::IDENTITY.ident(),
        FixedTimes::IDENTITY.ident(),
    ];
    types.into_iter().filter_map(|ident| ident.data())
}

/// Lets the process know the engine's components, whose names snapshots may have although this program has not used them yet: an
/// inspector has looked for disabled entities, say.
pub(crate) fn know_engine_components() {
    _ = ComponentId::of::<Name>();
    _ = ComponentId::of::<Target<ChildOf>>();
    _ = ComponentId::of::<Sources<ChildOf>>();
    _ = ComponentId::of::<Disabled>();
    _ = ComponentId::of::<PrefabPart>();
}

/// Two data types with the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SameName {
    /// The name.
    pub name: &'static str,
    /// The paths of the two types.
    pub types: [&'static str; 2],
}

impl SameName {
    pub(crate) fn of(name: &'static str, types: [&DataType; 2]) -> Self {
        Self {
            name,
            types: types.map(DataType::rust_name),
        }
    }
}

impl fmt::Display for SameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "two data types have the name `{}`: `{}` and `{}`; help: give one of them another name, in its `data = \"..\"` or `alias = \"..\"`",
            self.name, self.types[0], self.types[1]
        )
    }
}

impl std::error::Error for SameName {}

impl DataTypes {
    /// Returns the types that a world knows: its components' types, the types that its schedules name, and the
    /// engine's.
    pub(crate) fn of(world: &World) -> Result<Self, SameName> {
        let mut types = Self::default();
        for data in world.data_types().into_iter().chain(engine_types()) {
            types.add(data)?;
        }
        Ok(types)
    }

    /// Adds a type with all its names; it may be known already.
    pub(crate) fn add(&mut self, data: &'static DataType) -> Result<(), SameName> {
        for &name in core::iter::once(&data.name()).chain(data.aliases()) {
            let known = self.by_name.insert(name, data);
            if let Some(other) = known.filter(|known| !known.is_same(data)) {
                return Err(SameName::of(name, [other, data]));
            }
        }
        Ok(())
    }

    /// Returns all names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.by_name.keys().copied()
    }

    /// Returns the type of a name.
    pub(crate) fn find(&self, name: &str) -> Option<&'static DataType> {
        self.by_name.get(name).copied()
    }
}

/// Returns the description of a resource.
///
/// # Panics
/// If it is not data.
#[track_caller]
pub(crate) fn resource<T: Resource>() -> &'static DataType {
    let ident = T::IDENTITY.ident();
    match ident.data() {
        Some(data) => data,
        None => panic!(
            "the resource `{}` is not data; help: add `#[resource(data = \"{}\")]` to it",
            ident.type_name(),
            data_name(ident.type_name())
        ),
    }
}

/// Returns the description of the events of a type.
///
/// # Panics
/// If it is an instance of a generic type that is not data.
#[track_caller]
pub(crate) fn events<E: DataEvent>() -> &'static DataType {
    match data_of::<E>() {
        Some(data) => data,
        None => panic!(
            "the event `{}` is not data; help: add its name to the list in `#[event(data(..))]`",
            std::any::type_name::<E>()
        ),
    }
}

/// Returns the description of a component, or of the relation if it is an end of one.
///
/// # Panics
/// If it is not data.
#[track_caller]
pub(crate) fn component<T: Component>() -> &'static DataType {
    let ident = T::IDENTITY.ident();
    match ident.data() {
        Some(data) => data,
        None => panic!(
            "the component `{}` is not data; help: add `#[component(data = \"{}\")]` to it",
            ident.type_name(),
            data_name(ident.type_name())
        ),
    }
}
