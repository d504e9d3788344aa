//! The methods of a world as data.

use ecs_engine::event::DataEvent;
use ecs_engine::relation::ToOne;
use ecs_engine::{Entity, Resource, World};

use crate::by_name::{self, ByNameError};
use crate::states::SavedState;
use crate::template;
use crate::{
    CatalogType, CloneError, Cloner, Diff, DiffError, Differ, EventValues, HashError, Save,
    SchemaHash, Value, WorldHasher, catalog, event_values, states, types,
};

/// The methods of a [`World`] as data; they need this trait in scope, and the prelude of `ecs_core` has it.
///
/// # By name
/// Editors, consoles and scripts know components and resources by their names, and values as trees ([`Value`]):
///
/// ```
/// use ecs_core::data::Value;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.health")]
/// struct Health {
///     now: u32,
///     last_hit_by: Option<Entity>,
/// }
///
/// let mut world = World::new();
/// let goblin = world.spawn(());
/// let hero = world.spawn(Health { now: 7, last_hit_by: Some(goblin) });
///
/// let mut health = world.get_by_name(hero, "game.health")?.unwrap();
/// assert_eq!(health.to_string(), r#"{"now": 7, "last_hit_by": "0v1"}"#);
/// *health.get_mut("now").unwrap() = 10.into();
/// world.insert_by_name(hero, "game.health", &health)?;
/// assert_eq!(world.get::<Health>(hero).unwrap().now, 10);
///
/// let health: Value = serde_json::from_str(r#"{ "now": -1 }"#)?;
/// let error = world.insert_by_name(goblin, "game.health", &health).unwrap_err();
/// assert_eq!(error.to_string(), "`game.health`: -1 is out of range for a u32, at `now`");
/// let error = world.get_by_name(hero, "game.helth").unwrap_err();
/// assert_eq!(error.to_string(), "no component `game.helth` in this world; help: there is `game.health`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// * A name comes from `data = ".."` or `alias = ".."`, or, if no value is needed, from `name = ".."` or the path of the type.
///   Components that are [defined at run time](ecs_engine::dynamic) have names, too; their values are maps of their fields.
/// * A component is known when the program has used it in any world. A resource is known when a system that is scheduled for
///   this world names it, or after [`register_data_resource`](Self::register_data_resource).
/// * An entity inside of a value is its id as text, such as `"7v1"`. It is read as that id even if it is not alive, because
///   a component may keep ids of entities that are gone.
/// * A field has no name of its own: get the value, use [`Value::get`] or [`Value::get_mut`], and insert it again.
/// * Text becomes a `Value` by any format: `serde_json::from_str::<Value>(text)`, `ron::from_str::<Value>(text)`.
///
/// Each call looks at all names: O(component types).
pub trait WorldData {
    /// Returns the world as a value that serde writes: a save of everything that is data; see [`Save`].
    fn save(&self) -> Save<'_>;

    /// Clones an entity with all of its components, and returns the copy. The copy has the same targets, such as its
    /// parent, and no sources; if the original's values contain its own id, the copy's contain the copy's.
    ///
    /// [`Cloner`] clones parts of it, several entities, and into other worlds.
    ///
    /// # Errors
    /// If the entity is not alive, has a component that is not data, or one that cannot be cloned. The world is
    /// unchanged in that case.
    fn clone_entity(&mut self, entity: Entity) -> Result<Entity, CloneError>;

    /// Clones an entity and everything below it in a relation, and returns the copy of the entity. Ids of cloned entities in
    /// values become the ids of the copies; others stay.
    ///
    /// [`Cloner::tree`] returns all copies.
    ///
    /// # Errors
    /// As for [`clone_entity`](Self::clone_entity).
    ///
    /// # Panics
    /// If a guard that writes the relation was leaked.
    fn clone_tree<R: ToOne>(&mut self, root: Entity) -> Result<Entity, CloneError>;

    /// Clones the world: all entities with their ids, and the resources that are data; see [`Cloner::world`].
    ///
    /// # Errors
    /// If a component or relation is not data, cannot be cloned, or is borrowed for writing.
    fn try_clone(&self) -> Result<World, CloneError>;

    /// Returns the hash of the world. Worlds with the same entities, components, relations and known resources have equal hashes,
    /// whatever their history. [`WorldHasher`] can also leave out components. O(values).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.health")]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let hero = world.spawn(Health(7));
    /// let before = world.hash()?;
    /// world.get_mut::<Health>(hero).unwrap().0 = 6;
    /// assert_ne!(world.hash()?, before);
    /// world.insert(hero, Health(7))?;
    /// assert_eq!(world.hash()?, before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If an entity has a component that is not data, one is borrowed for writing, or the `Serialize` of a value fails.
    fn hash(&self) -> Result<u64, HashError>;

    /// Returns the difference from this world to another one: a value that can be printed, written, reversed and applied; see
    /// [`Diff`], and [`Differ`], which leaves out components. O(values of both).
    ///
    /// # Errors
    /// If an entity has a component that is not data, one is borrowed for writing, or the `Serialize` of a value fails.
    fn diff(&self, new: &World) -> Result<Diff, DiffError>;

    /// Returns the types that the world knows, with their names, kinds and [schemas](CatalogType::schema): components and relations in
    /// the order of registration, the data that schedules name and that was registered by
    /// [`register_data_resource`](Self::register_data_resource), and resources that are not data. O(types).
    ///
    /// ```
    /// use ecs_core::data::CatalogKind;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.health")]
    /// struct Health {
    ///     #[serde(default)]
    ///     now: u32,
    /// }
    ///
    /// let mut world = World::new();
    /// world.register::<Health>();
    /// let types = world.data_catalog();
    /// let health = types.iter().find(|known| known.name() == "game.health").unwrap();
    /// assert_eq!(health.kind(), CatalogKind::Component);
    /// assert_eq!(health.schema().unwrap().to_string(), "{now:u32}");
    /// assert_eq!(health.default_value().unwrap().to_string(), r#"{"now": 0}"#);
    /// ```
    fn data_catalog(&self) -> Vec<CatalogType>;

    /// Returns a number for all data types that the world knows; see [`SchemaHash`]. O(types).
    ///
    /// A world knows more types once its systems are prepared, and when an entity gets a component that no system names. So
    /// take the number where that is done: of an app, after `App::build`; and name the components that only commands insert
    /// in [`Commands<(A, B)>`](ecs_engine::Commands#declared-components), or register them. The number then stays the same while
    /// the program runs.
    fn schema_hash(&self) -> u64;

    /// Returns an entity's value of a component; `None` if it has none.
    ///
    /// For a relation that is data it returns the same value as a save: the target as text, or a map with the target
    /// (`to`) and the `value` of the edge if that is not a unit. If there can be several targets, it is a list of these.
    ///
    /// # Errors
    /// If there is no such entity or component, the component is not data or is borrowed for writing, or the `Serialize` of
    /// the value fails.
    fn get_by_name(&self, entity: Entity, name: &str) -> Result<Option<Value>, ByNameError>;

    /// Inserts a component, and replaces the value that the entity has. It has all effects of [`World::insert`].
    ///
    /// If the map lacks fields of a component that is defined at run time, they are zero, false, empty or nothing.
    ///
    /// With the name of a relation, it replaces the edges of the entity by edges in the form that
    /// [`get_by_name`](Self::get_by_name) returns: `"7v1"`, `{"to": "7v1", "value": 3}`, or a list of these. An empty list
    /// removes all. Targets have to be alive and distinct. The entity itself is an error, and so is a descendant in a tree.
    ///
    /// # Errors
    /// If there is no such entity or component, the component is not data, or the value does not fit its type. Nothing has
    /// changed in that case.
    ///
    /// # Panics
    /// Like [`World::insert`].
    fn insert_by_name(
        &mut self,
        entity: Entity,
        name: &str,
        value: &Value,
    ) -> Result<(), ByNameError>;

    /// Spawns an entity with the components of a list of names and values, each in the form of
    /// [`insert_by_name`](Self::insert_by_name): a bundle whose types are known at run time.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(data = "game.health")]
    /// struct Health { now: u32 }
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(data = "game.armour")]
    /// struct Armour(u8);
    ///
    /// let mut world = World::new();
    /// world.register::<Health>();
    /// world.register::<Armour>();
    /// let health: Value = serde_json::from_str(r#"{ "now": 7 }"#)?;
    /// let knight = world.spawn_by_name([("game.health", &health), ("game.armour", &3.into())])?;
    /// assert_eq!(*world.get::<Health>(knight).unwrap(), Health { now: 7 });
    ///
    /// // All of it or nothing.
    /// let error = world.spawn_by_name([("game.health", &health), ("game.armour", &300.into())]).unwrap_err();
    /// assert_eq!(error.to_string(), "`game.armour`: 300 is out of range for a u8");
    /// assert_eq!(world.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The same as spawning a [`BundleBuilder`](ecs_engine::bundle::BundleBuilder) of the values. To spawn many alike, make a
    /// [`Prefab`](crate::Prefab).
    ///
    /// # Errors
    /// If there is no such component or it is listed twice, if it is not data, or a value does not fit its type. No entity was
    /// spawned and no hook was called in that case.
    ///
    /// # Panics
    /// Like [`World::spawn`].
    fn spawn_by_name<'v>(
        &mut self,
        values: impl IntoIterator<Item = (&'v str, &'v Value)>,
    ) -> Result<Entity, ByNameError>;

    /// Removes a component, or all edges from an entity in a relation, and drops the values; returns true if there were any.
    ///
    /// The component need not be data.
    ///
    /// # Errors
    /// If there is no such entity or component.
    ///
    /// # Panics
    /// Like [`World::remove`].
    fn remove_by_name(&mut self, entity: Entity, name: &str) -> Result<bool, ByNameError>;

    /// Returns the entities that have a component, or are sources of a relation, in the order of storage.
    ///
    /// The component need not be data.
    ///
    /// # Errors
    /// If there is no such component, or it is borrowed for writing.
    fn entities_with(&self, name: &str) -> Result<Vec<Entity>, ByNameError>;

    /// Returns all components of an entity that are data or defined at run time, and the edges that begin there, by name.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.position")]
    /// struct Position(f32, f32);
    /// #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
    /// #[relation(data = "game.child_of")]
    /// struct ChildOf;
    ///
    /// let mut world = World::new();
    /// let ship = world.spawn(());
    /// let sailor = world.spawn((Position(1.0, 2.5), ChildOf.to(ship)));
    /// let value = world.entity_to_value(sailor)?;
    /// assert_eq!(value.to_string(), r#"{"game.position": [1.0, 2.5], "game.child_of": "0v1"}"#);
    /// assert_eq!(world.entities_with("game.child_of")?, [sailor]);
    /// # Ok::<(), ecs_core::data::ByNameError>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such entity, a component is borrowed for writing, or the `Serialize` of a value fails.
    fn entity_to_value(&self, entity: Entity) -> Result<Value, ByNameError>;

    /// Makes a resource known to the world, for saves and by its name; not needed if a scheduled system names it.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    /// #[resource(data = "game.score")]
    /// struct Score(u32);
    ///
    /// let mut world = World::new();
    /// world.register_data_resource::<Score>();
    /// assert_eq!(world.resource_by_name("game.score")?, None);
    /// world.insert_resource_by_name("game.score", &Value::from(7))?;
    /// assert_eq!(world.resource::<Score>().0, 7);
    /// assert!(world.remove_resource_by_name("game.score")?);
    /// # Ok::<(), ecs_core::data::ByNameError>(())
    /// ```
    ///
    /// # Panics
    /// If it is not `data`.
    #[track_caller]
    fn register_data_resource<T: Resource>(&mut self);

    /// Makes the events of a type known to the world, for saves, clones, snapshots and hashes, and
    /// [adds](World::add_event) them.
    ///
    /// A save contains the events that a registered reader has not read, or all that are kept if there is no reader. Readers do
    /// not have names, so they begin with the oldest of these after a load: a reader that was ahead of others reads some again. A
    /// load replaces the events of a world, just like resources.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Event, Clone, Debug, Serialize, Deserialize)]
    /// #[event(data = "game.hit")]
    /// struct Hit { target: Entity, damage: u32 }
    ///
    /// let mut world = World::new();
    /// world.register_data_event::<Hit>();
    /// let target = world.spawn(());
    /// world.send_event(Hit { target, damage: 3 });
    /// let text = serde_json::to_string(&world.save())?;
    /// assert!(text.contains(r#""unread":[{"target":0,"damage":3}]"#), "{text}");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Panics
    /// If it is an instance of a generic type that is not data.
    #[track_caller]
    fn register_data_event<E: DataEvent>(&mut self);

    /// Sends an event of a type that is known by its name; see [`World::send_event`].
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Event, Clone, Debug, Serialize, Deserialize)]
    /// #[event(data = "game.hit")]
    /// struct Hit(u32);
    ///
    /// let mut world = World::new();
    /// world.register_data_event::<Hit>();
    /// let mut hits = world.event_values("game.hit")?;
    /// world.send_event_by_name("game.hit", &Value::from(3))?;
    /// world.send_event(Hit(4));
    /// let mut seen = Vec::new();
    /// hits.read(&world, 100, &mut |hit| seen.push((hit.number, hit.value)));
    /// assert_eq!(seen, [(0, Ok(Value::from(3))), (1, Ok(Value::from(4)))]);
    /// # Ok::<(), ecs_core::data::ByNameError>(())
    /// ```
    ///
    /// # Errors
    /// If the world knows no events of that name, or the value does not fit their type. Nothing has changed in that case.
    fn send_event_by_name(&mut self, name: &str, event: &Value) -> Result<(), ByNameError>;

    /// Calls the observers of an event that is known by its name, on an entity or on none; see [`World::trigger`] and
    /// [`World::trigger_on`]. It has to be the name of events, so the type is a data event that was
    /// [registered](Self::register_data_event) or that a scheduled system reads or sends.
    ///
    /// # Errors
    /// If the world knows no events of that name, there is no such entity, or the value does not fit the type. Nothing has changed
    /// in that case.
    fn trigger_by_name(
        &mut self,
        name: &str,
        entity: Option<Entity>,
        event: &Value,
    ) -> Result<(), ByNameError>;

    /// Returns a reader of events that are known by their name, which returns them as values: for tools.
    ///
    /// # Errors
    /// If the world knows no events of that name.
    fn event_values(&self, name: &str) -> Result<EventValues, ByNameError>;

    /// Makes the states of a type data, with a name in files. Then saves have the current value (`name`) and the request for
    /// another one (`name.next`), and entities their [`DespawnOnExit`](ecs_engine::schedule::DespawnOnExit)
    /// (`name.despawn_on_exit`). [`Loader::enter_states`](crate::Loader::enter_states) documents what a load does.
    ///
    /// Computed states need not be data: they follow from others. The name counts in all worlds of the program.
    ///
    /// ```
    /// use ecs_core::data::Loader;
    /// use ecs_core::prelude::*;
    /// use ecs_core::schedule::{DespawnOnExit, State};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    /// enum Screen { Menu, Game }
    ///
    /// let mut world = World::new();
    /// world.register_data_state::<Screen>("game.screen");
    /// world.add_state(Screen::Game);
    /// world.spawn(DespawnOnExit(Screen::Game));
    /// let save = world.save().to_vec()?;
    ///
    /// let mut other = World::new();
    /// other.register_data_state::<Screen>("game.screen");
    /// other.add_state(Screen::Menu);
    /// let loaded = Loader::new().load_bytes(&mut other, &save)?;
    /// assert_eq!(*other.resource::<State<Screen>>(), Screen::Game);
    /// assert_eq!(other.get::<DespawnOnExit<Screen>>(loaded.entities[0]).unwrap().0, Screen::Game);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the type has another name already, or the name is empty or has whitespace, control characters or backticks.
    #[track_caller]
    fn register_data_state<S: SavedState>(&mut self, name: &'static str);

    /// Returns the value of a resource; `None` if there is none.
    ///
    /// # Errors
    /// If the world does not know the name, the resource is borrowed for writing, or its `Serialize` fails.
    fn resource_by_name(&self, name: &str) -> Result<Option<Value>, ByNameError>;

    /// Inserts a resource, and replaces an existing value.
    ///
    /// # Errors
    /// If the world does not know the name, or the value does not fit its type. Nothing has changed in that case.
    fn insert_resource_by_name(&mut self, name: &str, value: &Value) -> Result<(), ByNameError>;

    /// Removes a resource, and drops it; returns true if there was one.
    ///
    /// # Errors
    /// If the world does not know the name.
    fn remove_resource_by_name(&mut self, name: &str) -> Result<bool, ByNameError>;
}

impl WorldData for World {
    fn save(&self) -> Save<'_> {
        Save::of(self)
    }

    fn clone_entity(&mut self, entity: Entity) -> Result<Entity, CloneError> {
        match template::clone_row(self, entity) {
            Some(copy) => Ok(copy),
            None => Ok(Cloner::new().entities(self, [entity])?.root()),
        }
    }

    fn clone_tree<R: ToOne>(&mut self, root: Entity) -> Result<Entity, CloneError> {
        let cloned = Cloner::new().tree::<R>(self, root)?;
        Ok(cloned.root())
    }

    fn try_clone(&self) -> Result<World, CloneError> {
        Cloner::new().world(self)
    }

    fn hash(&self) -> Result<u64, HashError> {
        WorldHasher::new().world(self)
    }

    fn diff(&self, new: &World) -> Result<Diff, DiffError> {
        Differ::new().between(self, new)
    }

    fn schema_hash(&self) -> u64 {
        SchemaHash::of(self).id()
    }

    fn data_catalog(&self) -> Vec<CatalogType> {
        catalog::of(self)
    }

    fn get_by_name(&self, entity: Entity, name: &str) -> Result<Option<Value>, ByNameError> {
        by_name::get(self, entity, name)
    }

    fn insert_by_name(
        &mut self,
        entity: Entity,
        name: &str,
        value: &Value,
    ) -> Result<(), ByNameError> {
        by_name::insert(self, entity, name, value)
    }

    fn spawn_by_name<'v>(
        &mut self,
        values: impl IntoIterator<Item = (&'v str, &'v Value)>,
    ) -> Result<Entity, ByNameError> {
        by_name::spawn(self, values)
    }

    fn remove_by_name(&mut self, entity: Entity, name: &str) -> Result<bool, ByNameError> {
        by_name::remove(self, entity, name)
    }

    fn entities_with(&self, name: &str) -> Result<Vec<Entity>, ByNameError> {
        by_name::entities_with(self, name)
    }

    fn entity_to_value(&self, entity: Entity) -> Result<Value, ByNameError> {
        by_name::entity_to_value(self, entity)
    }

    fn send_event_by_name(&mut self, name: &str, event: &Value) -> Result<(), ByNameError> {
        event_values::send(self, name, event)
    }

    fn trigger_by_name(
        &mut self,
        name: &str,
        entity: Option<Entity>,
        event: &Value,
    ) -> Result<(), ByNameError> {
        event_values::trigger(self, name, entity, event)
    }

    fn event_values(&self, name: &str) -> Result<EventValues, ByNameError> {
        event_values::reader_of(self, name)
    }

    fn register_data_resource<T: Resource>(&mut self) {
        self.make_data_known(types::resource::<T>());
    }

    fn register_data_event<E: DataEvent>(&mut self) {
        self.make_data_known(types::events::<E>());
        self.add_event::<E>();
    }

    #[track_caller]
    fn register_data_state<S: SavedState>(&mut self, name: &'static str) {
        let types = states::name::<S>(name);
        for data in types.saved {
            self.make_data_known(data);
        }
        self.make_copied_known(types.memory);
    }

    fn resource_by_name(&self, name: &str) -> Result<Option<Value>, ByNameError> {
        by_name::resource(self, name)
    }

    fn insert_resource_by_name(&mut self, name: &str, value: &Value) -> Result<(), ByNameError> {
        by_name::insert_resource(self, name, value)
    }

    fn remove_resource_by_name(&mut self, name: &str) -> Result<bool, ByNameError> {
        by_name::remove_resource(self, name)
    }
}
