//! Differences between worlds, as values.

mod apply;
mod check;
mod compare;
mod error;
mod fields;
mod form;
mod same;
mod then;

use ecs_engine::Entity;

pub use compare::Differ;
pub use error::{ApplyError, DiffError, ThenError};
pub use fields::FieldChange;
pub(crate) use fields::fields_of;
pub(crate) use same::is_same_tree;
use same::is_same_value;

use crate::Value;
use crate::by_name::FoundComponent;

/// The difference between two worlds, or two states of one: the changes of entities, components, relations and resources.
///
/// [`WorldData::diff`](crate::WorldData::diff) and [`Differ`] make one. It is a value, which needs neither of the worlds:
///
/// * [`apply`](Self::apply) turns the first state into the second, in any world that is in it, and refuses other worlds;
/// * [`reversed`](Self::reversed) is the way back, and [`then`](Self::then) joins two;
/// * serde writes and reads it; so do [`to_vec`](Self::to_vec) and [`from_slice`](Self::from_slice), without a format;
/// * printed, it has a line for each field.
///
/// ```
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.health")]
/// struct Health {
///     now: u32,
///     max: u32,
/// }
///
/// let mut world = World::new();
/// let hero = world.spawn(Health { now: 3, max: 9 });
/// let before = world.try_clone()?;
/// world.get_mut::<Health>(hero).unwrap().now = 5;
/// let goblin = world.spawn(Health { now: 2, max: 2 });
///
/// let diff = before.diff(&world)?;
/// assert_eq!(diff.to_string(), "\
/// 0v1 game.health.now: 3 -> 5
/// 1v1 spawned
/// 1v1 game.health: none -> {\"now\": 2, \"max\": 2}
/// ");
/// diff.reversed().apply(&mut world)?;
/// assert_eq!(world.hash()?, before.hash()?);
/// assert!(diff.reversed().apply(&mut world).is_err(), "it is not in that state any more");
/// diff.apply(&mut world)?;
/// assert!(world.contains(goblin), "with the same id");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Entities are compared by their ids, so the worlds have to have the same ones: one is a [clone](crate::Cloner::world) of the
/// other, was loaded at the [same ids](crate::Loader::same_ids), or they have made the same calls. Values are trees, just like
/// [by name](crate::WorldData); ids in them are texts.
///
/// An entity that a diff brings back has its old id. That id is not new, but it never belongs to another entity: it is refused
/// if the index has another one by now, and each other id is still issued once.
///
/// Two are equal if they say the same. This holds even if one of them was written as text, where keys and large numbers are
/// texts, and read again.
#[derive(Clone, Debug, Default)]
pub struct Diff {
    /// By their ids. Each existed before or exists after, and something about it differs.
    entities: Vec<EntityChange>,
    /// By relation and target.
    orders: Vec<OrderChange>,
    /// By name.
    resources: Vec<ValueChange>,
    left_out: DiffOmissions,
    /// True if values were read from a text, so that equal values may have other trees elsewhere.
    is_from_text: bool,
}

impl PartialEq for Diff {
    fn eq(&self, other: &Self) -> bool {
        self.entities == other.entities
            && self.orders == other.orders
            && self.resources == other.resources
            && self.left_out == other.left_out
    }
}

impl Eq for Diff {}

/// The components and relations that are data, but unknown to a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
enum DiffOmissions {
    /// The ones with these names, which are sorted.
    Names(Vec<String>),
    /// Any except those that it names: it does not list them, because it was written by an older version.
    Others,
}

impl Default for DiffOmissions {
    fn default() -> Self {
        Self::Names(Vec::new())
    }
}

impl DiffOmissions {
    /// Returns true if the difference may know nothing of a component.
    fn has(&self, component: &FoundComponent) -> bool {
        match (self, component.name()) {
            (_, None) => true,
            (Self::Others, Some(_)) => true,
            (Self::Names(names), Some(name)) => {
                names.binary_search_by(|other| (**other).cmp(name)).is_ok()
            }
        }
    }
}

/// A change of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityChange {
    entity: Entity,
    was_alive: bool,
    is_alive: bool,
    /// By name. There are no earlier values if it was not alive, and no later ones if it no longer is.
    values: Vec<ValueChange>,
}

/// A change of a component of an entity, of its edges in a relation, or of a resource.
///
/// Two are equal if their values are. Values that were read from text count, too, and the order of entries in maps does not,
/// because it differs between equal `HashMap`s.
#[derive(Clone, Debug)]
pub struct ValueChange {
    name: String,
    old: Option<Value>,
    new: Option<Value>,
}

/// A change of the sources of a target, which have an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrderChange {
    pub(crate) relation: String,
    pub(crate) target: Entity,
    pub(crate) old: Vec<Entity>,
    pub(crate) new: Vec<Entity>,
}

impl Diff {
    /// Returns a difference that knows all data.
    pub(crate) fn of_changes(
        mut entities: Vec<EntityChange>,
        mut orders: Vec<OrderChange>,
    ) -> Self {
        entities.sort_unstable_by_key(|change| change.entity);
        for change in &mut entities {
            change.values.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        }
        orders.sort_by(|a, b| (&a.relation, a.target).cmp(&(&b.relation, b.target)));
        Self {
            entities,
            orders,
            ..Self::default()
        }
    }

    /// Returns the changes of the orders of sources.
    pub(crate) fn orders(&self) -> &[OrderChange] {
        &self.orders
    }

    /// Returns true if nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty() && self.orders.is_empty() && self.resources.is_empty()
    }

    /// Returns the entities that differ, in the order of their ids.
    #[must_use]
    pub fn entities(&self) -> &[EntityChange] {
        &self.entities
    }

    /// Returns the resources that differ, in the order of their names.
    #[must_use]
    pub fn resources(&self) -> &[ValueChange] {
        &self.resources
    }

    /// Returns the difference in the other direction.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut diff = self.clone();
        for change in &mut diff.entities {
            std::mem::swap(&mut change.was_alive, &mut change.is_alive);
            change.values.iter_mut().for_each(ValueChange::reverse);
        }
        diff.resources.iter_mut().for_each(ValueChange::reverse);
        for order in &mut diff.orders {
            std::mem::swap(&mut order.old, &mut order.new);
        }
        diff
    }
}

impl EntityChange {
    /// Returns a change without values.
    pub(crate) fn of(entity: Entity, was_alive: bool, is_alive: bool) -> Self {
        Self {
            entity,
            was_alive,
            is_alive,
            values: Vec::new(),
        }
    }

    /// Adds the change of a value that it does not have yet.
    pub(crate) fn set(&mut self, name: &str, old: Option<Value>, new: Option<Value>) {
        let name = name.to_owned();
        self.values.push(ValueChange { name, old, new });
    }

    /// Removes the change of a value.
    pub(crate) fn leave(&mut self, name: &str) {
        self.values.retain(|value| value.name != name);
    }

    /// Returns true if something differs.
    pub(crate) fn is_any(&self) -> bool {
        !self.values.is_empty() || self.was_alive != self.is_alive
    }

    /// Returns the entity.
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.entity
    }

    /// Returns true if the entity did not exist before.
    #[must_use]
    pub fn is_spawned(&self) -> bool {
        !self.was_alive
    }

    /// Returns true if the entity no longer exists after.
    #[must_use]
    pub fn is_despawned(&self) -> bool {
        !self.is_alive
    }

    /// Returns the components and relations that differ, in the order of their names: all of them if the entity was
    /// spawned or despawned.
    #[must_use]
    pub fn values(&self) -> &[ValueChange] {
        &self.values
    }
}

impl PartialEq for ValueChange {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && is_same_value(self.old(), other.old())
            && is_same_value(self.new_value(), other.new_value())
    }
}

impl Eq for ValueChange {}

impl ValueChange {
    /// Returns the name of the component, relation or resource.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value before; `None` if there was none.
    #[must_use]
    pub fn old(&self) -> Option<&Value> {
        self.old.as_ref()
    }

    /// Returns the value after; `None` if there is none.
    #[must_use]
    pub fn new_value(&self) -> Option<&Value> {
        self.new.as_ref()
    }

    fn reverse(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
    }
}
