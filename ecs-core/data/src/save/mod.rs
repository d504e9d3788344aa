//! Saving a world, or a part of it, through serde.

mod binary;
mod contents;
mod edges;
mod error;
mod left_out;
mod outside;
mod root;
mod rows;

use std::any::Any;
use std::collections::HashSet;
use std::fmt;
use std::io::Write;
use std::sync::Arc;

use ecs_engine::component::{Component, ComponentId};
use ecs_engine::data_type::DataType;
use ecs_engine::entity::dead::of_number;
use ecs_engine::event::DataEvent;
use ecs_engine::query::{AndDisabled, QueryFilter};
use ecs_engine::relation::ToOne;
use ecs_engine::staging::{ErasedRes, RelationInfo};
use ecs_engine::{Entity, Resource, World};

pub(crate) use contents::Contents;
pub(crate) use edges::SavedEdges;
pub use error::SaveError;
pub(crate) use error::fmt_value;
pub(crate) use outside::LEFT_OUT;
use outside::{Mapper, SaveOutside};
pub(crate) use root::{PrefabRoot, first_root};
pub(crate) use rows::{RowTrees, edge_tree, tree_of};

use crate::Value;
use crate::column::ValueRun;
use crate::kept;
use crate::saved::is_saved;
use crate::types::{DataTypes, SameName};

/// A part of a world to be saved; made by [`WorldData::save`](crate::WorldData::save).
///
/// It is a value that serde writes, in rows to a readable format such as JSON or RON, and in columns to a binary one such as
/// `MessagePack` or `postcard`; [`to_writer`](Self::to_writer) writes the columns without a format.
///
/// It contains all entities, their components that are `data` or were [defined at run time](ecs_engine::dynamic), the relations
/// between them that are `data`, the resources that are `data` and that a scheduled system or [`resource`](Self::resource) names,
/// and pending and delayed events that are `data` (see [`register_data_event`](crate::WorldData::register_data_event)). Everything else, such
/// as handles of textures, is made again after the load. Values that the world [keeps](crate::Unknown::Keep) for these entities
/// are saved too. Reserved entities are part of a save once they have their rows, after the next [`flush`](World::flush).
///
/// ```
/// use ecs_core::data::Loader;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.target")]
/// struct Target(Option<Entity>);
///
/// let mut world = World::new();
/// let goblin = world.spawn(Target(None));
/// world.spawn(Target(Some(goblin)));
///
/// let text = serde_json::to_string(&world.save())?;
/// assert!(text.contains(r#""entities":[{"game.target":null},{"game.target":0}]"#), "{text}");
///
/// let bytes = world.save().to_vec()?;
/// let loaded = Loader::new().types_of(&world).load(&bytes[..])?;
/// let targets: Vec<Option<Entity>> = loaded.query::<&Target>().iter().map(|target| target.0).collect();
/// assert_eq!(targets[0], None);
/// assert!(loaded.contains(targets[1].unwrap()), "the id is that of the new goblin");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The form in columns is as compact as the values, and is written and read about as fast as plain lists of them.
#[must_use = "nothing is saved before it is serialised or written"]
#[derive(Clone)]
pub struct Save<'w> {
    pub(crate) world: &'w World,
    pub(crate) options: SaveOptions,
    mapper: Option<Mapper<'w>>,
}

/// Everything that a [`Save`] has except its world and its function, which may need the world.
#[derive(Clone, Default)]
pub(crate) struct SaveOptions {
    /// The entities that are saved; `None` for all.
    pub(crate) entities: Option<HashSet<Entity>>,
    left_out: Vec<ComponentId>,
    pub(crate) resources: Vec<&'static DataType>,
    no_resources: bool,
    pub(crate) dangling: Dangling,
    pub(crate) with_ids: bool,
}

/// The treatment of entities that are not saved, but named by saved ones: by an id inside of a value, or as the target of an
/// edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dangling {
    /// The save fails, with an error that names both entities, and the component or relation.
    #[default]
    Refuse,
    /// An edge ends with the save, and an id is read back as one that no entity ever has, in any world. Different ids stay
    /// different, and equal ones equal in all values of the save, so a map by ids keeps all of its entries.
    ///
    /// They have the order of the ids that they stand for. They are the same in each format, but each load into a world makes new
    /// ones. A save of a whole world [with ids](Save::with_ids), which is [loaded at the same ids](crate::Loader::same_ids), has
    /// them unchanged.
    Dead,
}

impl<'w> Save<'w> {
    pub(crate) fn of(world: &'w World) -> Self {
        Self::with_options(world, SaveOptions::default())
    }

    pub(crate) fn with_options(world: &'w World, options: SaveOptions) -> Self {
        Self {
            world,
            options,
            mapper: None,
        }
    }

    /// Returns everything that the save has except its world; `None` if it has a function, which may need the world.
    pub(crate) fn into_options(self) -> Option<SaveOptions> {
        self.mapper.is_none().then_some(self.options)
    }

    /// Only saves the entities that pass a filter, such as `With<Persistent>`, including [disabled](ecs_engine::Disabled) ones.
    /// Several calls add up.
    ///
    /// # Panics
    /// If the filter reads a component that is borrowed for writing.
    #[track_caller]
    pub fn entities<F: QueryFilter>(self) -> Self {
        let query = self.world.query_filtered::<Entity, (F, AndDisabled)>();
        let found: Vec<Entity> = query.iter().collect();
        drop(query);
        self.only(found)
    }

    /// Only saves an entity and everything below it in a relation, such as a ship and its crew. Several calls add up.
    pub fn tree<R: ToOne>(self, root: Entity) -> Self {
        let below: Vec<Entity> = self.world.descendants::<R>(root).collect();
        self.only(core::iter::once(root).chain(below))
    }

    /// Only saves these entities; those that are not alive are ignored. Several calls add up.
    pub fn only(mut self, entities: impl IntoIterator<Item = Entity>) -> Self {
        let world = self.world;
        let alive = entities
            .into_iter()
            .filter(|&entity| world.contains(entity));
        self.options.entities.get_or_insert_default().extend(alive);
        self
    }

    /// Leaves out a component, or one end of a relation.
    pub fn without<T: Component>(mut self) -> Self {
        self.options.left_out.push(ComponentId::of::<T>());
        self
    }

    /// Leaves out a component by its id, such as one that was [defined at run time](ecs_engine::dynamic).
    pub fn without_erased(mut self, component: ComponentId) -> Self {
        self.options.left_out.push(component);
        self
    }

    /// Saves a resource that no scheduled system names.
    ///
    /// # Panics
    /// If it is not `data`.
    #[track_caller]
    pub fn resource<T: Resource>(mut self) -> Self {
        self.options.resources.push(crate::types::resource::<T>());
        self
    }

    /// Saves the events of a type that are [not known](crate::WorldData::register_data_event) to the world.
    ///
    /// # Panics
    /// If it is an instance of a generic type that is not data.
    #[track_caller]
    pub fn events<E: DataEvent>(mut self) -> Self {
        self.options.resources.push(crate::types::events::<E>());
        self
    }

    /// Leaves out all resources, and events.
    pub fn without_resources(mut self) -> Self {
        self.options.no_resources = true;
        self
    }

    /// Decides how saved values name entities that are not saved, and how edges to such entities end.
    pub fn dangling(mut self, dangling: Dangling) -> Self {
        self.options.dangling = dangling;
        self
    }

    /// Gives keys to entities that are not saved, but named by saved ones, by an id inside of a value or as the target of an
    /// edge. The save has the keys, and [`Loader::resolve_ids`](crate::Loader::resolve_ids) finds the entities again.
    ///
    /// A key is any [`Value`], such as a name, or a number that the game gives to its players. The function is called once for
    /// each entity that is named, even if it is not alive; if it returns `None`, [`dangling`](Self::dangling) decides.
    ///
    /// ```
    /// use ecs_core::data::Loader;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.owner")]
    /// struct Owner(Entity);
    /// #[derive(Component, Clone, Debug, PartialEq)]
    /// struct Player(u64);
    ///
    /// let mut world = World::new();
    /// let player = world.spawn(Player(7));
    /// let ship = world.spawn(Owner(player));
    /// let save = world.save().only([ship]);
    /// let save = save.map_ids(|entity| Some(world.get::<Player>(entity)?.0));
    /// let bytes = save.to_vec()?;
    ///
    /// // Another server, on which the player is another entity.
    /// let mut other = World::new();
    /// other.spawn(());
    /// let player = other.spawn(Player(7));
    /// let loader = Loader::new().with::<Owner>().resolve_ids(|world, key| {
    ///     let players = world.query::<(Entity, &Player)>();
    ///     players.iter().find(|(_, player)| key.as_int() == Some(player.0.into())).map(|(entity, _)| entity)
    /// });
    /// let loaded = loader.load_into(&mut other, &bytes[..])?;
    /// assert_eq!(other.get::<Owner>(loaded.entities[0]).unwrap().0, player);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map_ids<K: Into<Value>>(
        mut self,
        key: impl Fn(Entity) -> Option<K> + Send + Sync + 'w,
    ) -> Self {
        self.mapper = Some(Arc::new(move |entity| key(entity).map(Into::into)));
        self
    }

    /// Saves the ids of the entities too, so that the save can be [loaded at the same ids](crate::Loader::same_ids).
    ///
    /// In a save of all entities these include the ids that come next: new entities then get the same ids in the loaded world
    /// as in this one.
    pub fn with_ids(mut self) -> Self {
        self.options.with_ids = true;
        self
    }

    /// Writes the save in columns, followed by a checksum.
    ///
    /// # Errors
    /// If a value cannot be written, a component is borrowed for writing, or the writer fails.
    pub fn to_writer(&self, writer: impl Write) -> Result<(), SaveError> {
        binary::write(self, |_| writer).map(drop)
    }

    /// Returns the output of [`to_writer`](Self::to_writer).
    ///
    /// # Errors
    /// Like [`to_writer`](Self::to_writer).
    pub fn to_vec(&self) -> Result<Vec<u8>, SaveError> {
        let mut bytes = binary::write(self, Vec::with_capacity)?;
        if bytes.capacity() / 2 > bytes.len() {
            bytes.shrink_to_fit();
        }
        Ok(bytes)
    }

    /// Returns the next ids for unused indices; none if ids are not saved.
    fn unplaced_ids(&self) -> Vec<Entity> {
        if self.options.with_ids && self.options.entities.is_none() {
            self.world.unplaced_ids()
        } else {
            Vec::new()
        }
    }

    /// Returns the numbers and ids of the entities that are saved as dead ids. With ids in a save of all entities, these are the
    /// ids that a [load at the same ids](crate::Loader::same_ids) gives them. In other saves only the order of the ids counts,
    /// because another entity may get one of them there.
    fn dead_ids(&self, outside: &SaveOutside<'_>) -> Vec<(u32, Entity)> {
        let mut dead = outside.dead_ids();
        if self.options.with_ids && self.options.entities.is_some() {
            dead.sort_unstable_by_key(|&(_, id)| id);
            for (rank, (_, id)) in (0..).zip(&mut dead) {
                *id = of_number(rank);
            }
            dead.sort_unstable();
        }
        dead
    }

    /// Collects the entities and the components that are saved.
    fn contents(&self) -> Result<Contents<'w>, SaveError> {
        let components = self.world.registered_components().into_iter();
        let saved = components.filter(|id| !self.options.left_out.contains(id));
        let saved = saved.filter_map(|id| {
            let data = id.data().filter(|data| is_saved(data))?;
            Some((id, data))
        });
        let saved = saved.collect();
        let Some(entities) = &self.options.entities else {
            DataTypes::of(self.world)?;
            return Ok(Contents::of_world(self.world, saved)?);
        };
        Ok(Contents::of_part(self.world, entities, saved)?)
    }

    /// Returns the types of everything that is saved: components, relations, and resources.
    fn types(
        contents: &Contents<'_>,
        edges: &[SavedEdges],
        resources: &[SavedResource<'_>],
    ) -> Result<Vec<&'static DataType>, SameName> {
        let components = contents.components.iter().map(|component| component.data);
        let relations = edges.iter().map(|edges| edges.data);
        let all = components.chain(relations);
        let all: Vec<_> = all.chain(resources.iter().map(|it| it.data)).collect();
        let mut types = DataTypes::default();
        for data in &all {
            types.add(data)?;
        }
        Ok(all)
    }

    /// Returns the treatment of entities that are not saved.
    fn outside<'a>(&'a self, contents: &'a Contents<'_>) -> SaveOutside<'a> {
        SaveOutside::new(
            self.mapper.as_ref(),
            self.options.dangling,
            &contents.numbers,
        )
    }

    /// Collects the edges that are saved.
    fn edges(
        &self,
        contents: &Contents<'_>,
        outside: &SaveOutside<'_>,
    ) -> Result<Vec<SavedEdges>, SaveError> {
        let is_left_out = |relation: &RelationInfo| {
            [relation.outgoing(), relation.incoming()]
                .iter()
                .any(|end| self.options.left_out.contains(end))
        };
        let mut all = Vec::new();
        for relation in self.world.relations() {
            if !is_left_out(&relation) {
                let edges =
                    SavedEdges::of(self.world, &relation, contents, &|id| outside.target(id))?;
                all.extend(edges);
            }
        }
        Ok(all)
    }

    /// Returns the values of unknown names that are saved.
    fn kept(&self, outside: &SaveOutside<'_>) -> Vec<kept::KeptFile<u32>> {
        let dead = |entity| outside.dead(entity);
        kept::of_save(
            self.world,
            outside.numbers,
            dead,
            !self.options.no_resources,
        )
    }

    /// Borrows the resources that are saved, in the order of their names.
    fn resources(&self) -> Result<Vec<SavedResource<'w>>, SaveError> {
        if self.options.no_resources {
            return Ok(Vec::new());
        }
        let known = self.world.data_types();
        let known = known.into_iter().filter(|data| data.is_resource());
        let mut all: Vec<_> = known
            .chain(self.options.resources.iter().copied())
            .collect();
        all.retain(|data| is_saved(data));
        all.sort_by_key(|data| data.name());
        all.dedup_by_key(|data| data.name());
        let mut resources = Vec::new();
        for data in all {
            let value = self.world.resources().try_borrow_erased(data.type_id())?;
            resources.extend(value.map(|value| SavedResource { data, value }));
        }
        Ok(resources)
    }
}

/// A resource that is saved.
struct SavedResource<'w> {
    data: &'static DataType,
    /// A value of the type.
    value: ErasedRes<'w>,
}

impl SavedResource<'_> {
    /// Returns the value, which can be read while this exists.
    fn run(&self) -> ValueRun {
        let value: &(dyn Any + Send + Sync) = &*self.value;
        ValueRun {
            first: std::ptr::from_ref(value).cast(),
            len: 1,
        }
    }
}

impl fmt::Debug for Save<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entities = self
            .options
            .entities
            .as_ref()
            .map_or(self.world.len(), HashSet::len);
        write!(f, "Save({entities} entities)")
    }
}

ecs_engine::__other_names! { ['w] Save<'w> {
    to_file(path) "write `write_file(path, |file| save.to_writer(file))`";
} }
