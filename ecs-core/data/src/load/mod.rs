//! Loading a save: into a new world, or into one with entities.

mod decoding;
mod error;
mod kept;
mod nested;
mod outside;
mod readers;
mod row_values;
mod rows;
mod saved_ids;
mod staging;
mod written_edges;

use std::collections::HashSet;
use std::fmt;
use std::io::Read;
use std::sync::Arc;

use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::dynamic::DynamicType;
use ecs_engine::event::DataEvent;
use ecs_engine::query::{AndDisabled, QueryFilter};
use ecs_engine::staging::RelationInfo;
use ecs_engine::{Component, Entity, Resource, World};
use serde_core::de::{DeserializeSeed, Deserializer, Error};

pub use error::LoadError;
pub use nested::NestedError;
pub(crate) use nested::{NestedPrefab, NestedRow};
pub(crate) use readers::{FileType, read_resource};

use crate::Value;
use crate::prefab_part::PrefabPart;
use crate::types::{self, DataTypes, SameName};
use rows::SaveSeed;
use staging::Staging;

/// Loads saves, with a list of the types that a save can have, and options for everything else.
///
/// A loader knows the data types that its target world knows: the world's components, and everything that its systems,
/// conditions and observers name, before their first run. [`with`](Self::with) adds others, and [`dynamic`](Self::dynamic)
/// adds types that were defined at run time.
///
/// A load that fails leaves the world as it was. A save may come from a stranger: no input makes a load panic, or run long after
/// the input is read. Memory stays in proportion to the length of the input, and to the [prefabs](Self::prefab) that it has
/// copies of, up to [`max_entities`](Self::max_entities). `Deserialize` and the `From` of migrations see values of damaged files
/// too, and must not panic.
///
/// ```
/// use ecs_core::data::{Loader, Unknown};
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.health", version = 2, migrate(1 = HealthV1))]
/// struct Health { now: f32, max: f32 }
///
/// /// Reads what older versions of the game have saved.
/// #[derive(Deserialize)]
/// struct HealthV1(f32);
///
/// impl From<HealthV1> for Health {
///     fn from(old: HealthV1) -> Self { Self { now: old.0, max: 100.0 } }
/// }
///
/// let text = r#"{ "entities": [{ "game.health": 3.5, "game.glow": "red" }] }"#;
/// let mut world = World::new();
/// let loader = Loader::new().with::<Health>().unknown(Unknown::Skip);
/// let loaded = loader.deserialize(&mut world, &mut serde_json::Deserializer::from_str(text))?;
/// assert_eq!(world.get::<Health>(loaded.entities[0]).unwrap().max, 100.0);
/// assert_eq!(loaded.skipped, ["game.glow"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct Loader {
    pub(crate) types: Vec<&'static DataType>,
    /// The named prefabs; if two have the same name, the last one counts.
    pub(crate) prefabs: Vec<Arc<NestedPrefab>>,
    unknown: Unknown,
    max_entities: u32,
    same_ids: bool,
    resolver: Option<Resolver>,
    /// Functions that find the entities that a load replaces.
    replaced: Vec<fn(&World) -> Vec<Entity>>,
    /// True if the systems for entering the loaded states run.
    enters_states: bool,
    /// True if neither hooks nor observers are called.
    is_quiet: bool,
}

/// The function that returns the entity of a key.
type Resolver = Arc<dyn Fn(&World, &Value) -> Option<Entity> + Send + Sync>;

/// The entities of a prefab.
pub(crate) struct PrefabEntities {
    pub(crate) entities: Vec<Entity>,
    /// The number of its root, if the file has it.
    pub(crate) root: Option<u32>,
    /// The paths of the entities behind the list: see [`Staging::nested_paths`].
    pub(crate) nested_paths: Vec<Vec<u32>>,
}

/// The treatment of components, relations and resources that the loader does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    /// The load fails.
    #[default]
    Refuse,
    /// They are left out.
    Skip,
    /// The world keeps them, unseen, and its next save has them again, for a program that knows their names.
    ///
    /// Values kept for an entity are dropped when it is despawned. Its clones do not have them, but [clones of the
    /// world](crate::WorldData::try_clone) and [snapshots](ecs_engine::snapshot) do. Ids inside of kept values follow their
    /// entities through any number of saves. If an entity is despawned or not saved, its id is read as a dead id, whatever
    /// [`Dangling`](crate::Dangling) says. Nothing else is known about kept values: unknown components are not required, and
    /// unknown relations despawn nothing.
    ///
    /// If a program knows the name, the world's own data with this name comes first: a component that the entity has, edges that
    /// the source has, a resource. Values nested more than 112 levels deep cannot be kept, and no [`Prefab`](crate::Prefab) keeps
    /// any: they are errors.
    Keep,
}

/// The result of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The entities, in the order of the save, followed by the entities in [copies of prefabs](Loader::prefab).
    pub entities: Vec<Entity>,
    /// The names that were skipped.
    pub skipped: Vec<String>,
    /// The names that are kept.
    pub kept: Vec<String>,
}

impl Default for Loader {
    fn default() -> Self {
        Self::new()
    }
}

impl Loader {
    /// Returns a loader that refuses unknown names.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            types: Vec::new(),
            prefabs: Vec::new(),
            unknown: Unknown::Refuse,
            max_entities: 1 << 24,
            same_ids: false,
            resolver: None,
            replaced: Vec::new(),
            enters_states: false,
            is_quiet: false,
        }
    }

    /// Adds a component, or its relation if it is an end of one, and the components that it requires, directly or not, if they
    /// are data.
    ///
    /// # Panics
    /// If it is not `data`.
    #[track_caller]
    #[must_use]
    pub fn with<T: Component>(mut self) -> Self {
        self.types.push(types::component::<T>());
        T::IDENT.for_each_data(&mut |data| self.types.push(data));
        self
    }

    /// Adds a component or relation that was [defined at run time](ecs_engine::dynamic). One that the world has registered is known.
    ///
    /// # Panics
    /// If it is a component that was not defined by its fields.
    #[track_caller]
    #[must_use]
    pub fn dynamic(mut self, component: ComponentId) -> Self {
        let data = component.data().or(component.relation());
        let is_dynamic =
            |data: &&DataType| data.is_dynamic_relation() || DynamicType::of_data(data).is_some();
        let data = data.filter(is_dynamic);
        let Some(data) = data else {
            panic!(
                "the component `{}` was not defined by its fields; help: add a Rust type by `Loader::with`; a raw component has no saved form",
                component.name()
            )
        };
        self.types.push(data);
        self
    }

    /// Adds a resource.
    ///
    /// # Panics
    /// If it is not `data`.
    #[track_caller]
    #[must_use]
    pub fn with_resource<T: Resource>(mut self) -> Self {
        self.types.push(types::resource::<T>());
        self
    }

    /// Adds the events of a type.
    ///
    /// # Panics
    /// If it is an instance of a generic type that is not data.
    #[track_caller]
    #[must_use]
    pub fn with_events<E: DataEvent>(mut self) -> Self {
        self.types.push(types::events::<E>());
        self
    }

    /// Adds all types that a world knows, to load into another one.
    #[must_use]
    pub fn types_of(mut self, world: &World) -> Self {
        self.types.extend(world.data_types());
        self
    }

    /// Makes the types of this loader known to a world, so that other loaders know them there.
    pub fn register(&self, world: &mut World) {
        for data in &self.types {
            world.make_data_known(data);
        }
    }

    /// Decides how to treat components, relations and resources that the loader does not know.
    #[must_use]
    pub const fn unknown(mut self, unknown: Unknown) -> Self {
        self.unknown = unknown;
        self
    }

    /// Refuses saves with more entities; 2^24 without this. With [`same_ids`](Self::same_ids) this also limits their
    /// indices, because the memory of a world grows with them.
    #[must_use]
    pub const fn max_entities(mut self, limit: u32) -> Self {
        self.max_entities = limit;
        self
    }

    /// Gives entities their old ids. A save that does [not have them](crate::Save::with_ids) is refused, with
    /// [`LoadError::Ids`]; in a hand-written file they are the part `ids`, such as `["0v1", "4v2"]`.
    ///
    /// No id is issued twice, so this is only possible in a world that has not issued them, such as a new one: otherwise the load
    /// is refused with [`LoadError::Stage`], which names the id.
    ///
    /// Ids of entities that do [not exist](crate::Dangling::Dead) stay as they are too, if the save is of a whole world, and the
    /// target world uses none of them; otherwise they get new ones, as in other loads.
    #[must_use]
    pub const fn same_ids(mut self) -> Self {
        self.same_ids = true;
        self
    }

    /// Makes the next transition of states run the systems for [entering](ecs_engine::schedule::Transitions::on_enter) the
    /// states that a save has set, parents first. Without this, states are set and no such systems run.
    ///
    /// A save has the entities and resources that these systems once made, so they would make them again; use this for a
    /// program whose systems make what no save has, such as sounds. In both cases:
    ///
    /// * No systems for leaving the old states run. To run them, change to a state of its own before the load.
    /// * Entities that existed before the load and belong to a state that the load changes
    ///   ([`DespawnOnExit`](ecs_engine::schedule::DespawnOnExit)) are despawned.
    /// * The next transition brings sub states and computed states in line with their parents.
    #[must_use]
    pub const fn enter_states(mut self) -> Self {
        self.enters_states = true;
        self
    }

    /// Replaces the world's entities that pass a filter, such as `With<Persistent>`, including [disabled](ecs_engine::Disabled) ones:
    /// they are despawned when the load has succeeded, and all others stay. Several calls add up.
    ///
    /// It is the counterpart of [`Save::entities`](crate::Save::entities). If the component of the filter is data, loaded entities
    /// have it, and the next load replaces them too. Others that [depend
    /// on](ecs_engine::relation#when-the-target-is-despawned) a replaced entity go with it. Hooks and observers of loaded entities
    /// are called after that. Waiting commands are applied before the load, even if it fails.
    ///
    /// The save cannot name one of these entities by a [key](Self::resolve_ids): that is [`LoadError::Replaced`].
    ///
    /// ```
    /// use ecs_core::data::Loader;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.hero")]
    /// struct Hero(u32);
    /// #[derive(Component)]
    /// struct Camera;
    ///
    /// let mut world = World::new();
    /// let camera = world.spawn(Camera);
    /// let hero = world.spawn(Hero(1));
    /// let bytes = world.save().entities::<With<Hero>>().to_vec()?;
    /// world.get_mut::<Hero>(hero).unwrap().0 = 9;
    ///
    /// Loader::new().replacing::<With<Hero>>().load_bytes(&mut world, &bytes)?;
    /// let levels: Vec<u32> = world.query::<&Hero>().iter().map(|hero| hero.0).collect();
    /// assert_eq!(levels, [1]);
    /// assert!(world.contains(camera) && !world.contains(hero));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn replacing<F: QueryFilter>(mut self) -> Self {
        self.replaced.push(|world| {
            let query = world.query_filtered::<Entity, (F, AndDisabled)>();
            query.iter().collect()
        });
        self
    }

    /// Applies waiting commands if entities are replaced, which they may spawn.
    fn flush_replaced(&self, world: &mut World) {
        if !self.replaced.is_empty() {
            world.flush();
        }
    }

    /// Returns the entities that a load despawns: those that it replaces, and others that depend on them.
    fn despawned(&self, world: &World) -> HashSet<Entity> {
        let mut waiting = self.replaced(world);
        if waiting.is_empty() {
            return HashSet::new();
        }
        let mut relations = world.relations();
        relations.retain(RelationInfo::despawns_sources);
        let mut despawned = HashSet::new();
        while let Some(entity) = waiting.pop() {
            if despawned.insert(entity) {
                let sources = relations.iter();
                waiting.extend(sources.flat_map(|it| world.sources_erased(it, entity)));
            }
        }
        despawned
    }

    /// Returns the entities that a load replaces.
    fn replaced(&self, world: &World) -> Vec<Entity> {
        self.replaced.iter().flat_map(|find| find(world)).collect()
    }

    /// Finds the entities outside of a save that have a [key](crate::Save::map_ids) there. The function is called once for each
    /// key, with the world before the load, and may return any entity of it; the load is refused, with [`LoadError::Outside`], if
    /// it returns `None`. No prefab names entities outside of it.
    #[must_use]
    pub fn resolve_ids(
        mut self,
        find: impl Fn(&World, &Value) -> Option<Entity> + Send + Sync + 'static,
    ) -> Self {
        self.resolver = Some(Arc::new(find));
        self
    }

    /// Loads a save in columns into a new world.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn load(&self, reader: impl Read) -> Result<World, LoadError> {
        let mut world = World::new();
        self.load_into(&mut world, reader)?;
        Ok(world)
    }

    /// Loads a save in columns into a world that may have entities already. Resources of the save replace the world's
    /// own.
    ///
    /// Ids inside of values become the new ids of their entities. Hooks and observers are called once all entities exist.
    ///
    /// The whole save is read into memory first. If it is already in memory, [`load_bytes`](Self::load_bytes) loads it
    /// without a copy.
    ///
    /// # Errors
    /// See [`LoadError`]. The world is unchanged in that case.
    pub fn load_into(&self, world: &mut World, mut reader: impl Read) -> Result<Loaded, LoadError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        self.load_bytes(world, &bytes)
    }

    /// Loads a save in columns from memory; see [`load_into`](Self::load_into).
    ///
    /// # Errors
    /// See [`LoadError`]. The world is unchanged in that case.
    pub fn load_bytes(&self, world: &mut World, bytes: &[u8]) -> Result<Loaded, LoadError> {
        self.flush_replaced(world);
        let types = self.types(world)?;
        Staging::of_file(self, &types, world, bytes)?.commit(self, world)
    }

    /// Loads a save that serde has written into a world, from any format; otherwise like
    /// [`load_into`](Self::load_into).
    ///
    /// Errors of readable formats name the line and the column if the format does.
    ///
    /// # Errors
    /// The errors of the format, which contain the text of a [`LoadError`]. The world is unchanged in that case.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        &self,
        world: &mut World,
        deserializer: D,
    ) -> Result<Loaded, D::Error> {
        self.flush_replaced(world);
        let types = self.types(world).map_err(D::Error::custom)?;
        let seed = SaveSeed {
            loader: self,
            types: &types,
            world,
        };
        let staging = seed.deserialize(deserializer)?;
        staging.commit(self, world).map_err(D::Error::custom)
    }

    /// Does not call hooks and observers for loaded data.
    pub(crate) fn quietly(mut self) -> Self {
        self.is_quiet = true;
        self
    }

    /// Loads a save in columns, without calling hooks and observers for its data.
    pub(crate) fn load_bytes_quietly(
        &self,
        world: &mut World,
        bytes: &[u8],
    ) -> Result<PrefabEntities, LoadError> {
        let types = self.types(world)?;
        let staging = Staging::of_file(&self.of_prefab(), &types, world, bytes)?;
        staging.commit_prefab(world)
    }

    /// Loads a save that serde has written, without calling hooks and observers for its data.
    pub(crate) fn deserialize_quietly<'de, D: Deserializer<'de>>(
        &self,
        world: &mut World,
        deserializer: D,
    ) -> Result<PrefabEntities, D::Error> {
        let types = self.types(world).map_err(D::Error::custom)?;
        let seed = SaveSeed {
            loader: &self.of_prefab(),
            types: &types,
            world,
        };
        let staging = seed.deserialize(deserializer)?;
        staging.commit_prefab(world).map_err(D::Error::custom)
    }

    /// Returns the loader for a prefab, which cannot keep unknown values, and names no entities outside of it.
    fn of_prefab(&self) -> Self {
        let mut loader = self.clone();
        loader.resolver = None;
        match self.unknown {
            Unknown::Keep => loader.unknown(Unknown::Refuse),
            Unknown::Refuse | Unknown::Skip => loader,
        }
    }

    /// Returns the entity that has a key.
    fn resolve(&self, world: &World, key: &Value) -> Result<Entity, LoadError> {
        let found = self.resolver.as_ref().and_then(|find| find(world, key));
        found.ok_or_else(|| LoadError::Outside {
            key: key.clone(),
            is_resolved: self.resolver.is_some(),
        })
    }

    /// The types that a save can name.
    fn types(&self, world: &World) -> Result<DataTypes, SameName> {
        let mut types = DataTypes::of(world)?;
        PrefabPart::IDENT
            .data()
            .map_or(Ok(()), |data| types.add(data))?;
        for data in &self.types {
            types.add(data)?;
        }
        Ok(types)
    }
}

impl fmt::Debug for Loader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.types.iter().map(|data| data.name());
        let prefabs = self.prefabs.iter().map(|prefab| &prefab.name);
        f.debug_struct("Loader")
            .field("types", &names.collect::<Vec<_>>())
            .field("prefabs", &prefabs.collect::<Vec<_>>())
            .field("unknown", &self.unknown)
            .field("max_entities", &self.max_entities)
            .field("same_ids", &self.same_ids)
            .finish_non_exhaustive()
    }
}
