//! Copies of entities, of trees of them, and of whole worlds.

use std::collections::HashSet;

use ecs_engine::component::{Component, ComponentId};
use ecs_engine::data_type::DataType;
use ecs_engine::event::DataEvent;
use ecs_engine::relation::ToOne;
use ecs_engine::{Entity, Resource, World};

use crate::save::Dangling;
use crate::template::{self, CloneError, LeftOut, OutsidePolicy, TakeSource, Template};
use crate::types;

/// Clones entities, with options for the components and ids to copy.
///
/// A copy has exactly the components of the original, and its edges. An edge between two cloned entities leads from
/// copy to copy, with its value and in its place in the order. A source that is not cloned stays related to the
/// original.
///
/// Ids of cloned entities inside of values become the ids of the copies. To do so, values with ids are written and read by
/// serde, so a field that serde skips gets its default. Ids in such a field, or in a type that is `no_serde`, stay as they
/// are.
///
/// Ids of other entities, and edges to them, depend on the destination:
///
/// * In the same world they stay the same. So the copy of a child is a child of the same parent, after its other
///   children.
/// * In another world the edges are dropped, and the ids are an error, or become [dead ids](Self::dangling). Each call issues
///   new dead ids, in the order of the originals.
/// * In a copy of a [whole world](Self::world) they are the same.
///
/// All components have to be `data`, unless they are [left out](Self::without). If a copied component
/// [requires](ecs_engine::component::Required) one that is left out, the copy gets a newly constructed value. Hooks and
/// observers are called once all copies exist. After an error, or if a `Clone` panics, the world is as it was.
///
/// ```
/// use ecs_core::data::Cloner;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
/// #[relation(data = "game.child_of", tree)]
/// struct ChildOf;
///
/// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "game.aims_at")]
/// struct AimsAt(Entity);
///
/// #[derive(Component)]
/// struct Sound;
///
/// let mut world = World::new();
/// let tank = world.spawn(Sound);
/// let gun = world.spawn((ChildOf.to(tank), AimsAt(tank)));
///
/// let cloned = Cloner::new().without::<Sound>().tree::<ChildOf>(&mut world, tank)?;
/// let copy = cloned.copy_of(gun).unwrap();
/// assert_eq!(*world.get::<AimsAt>(copy).unwrap(), AimsAt(cloned.root()));
/// assert!(!world.has::<Sound>(cloned.root()));
/// # Ok::<(), ecs_core::data::CloneError>(())
/// ```
#[derive(Clone, Default)]
#[must_use = "nothing is cloned yet"]
pub struct Cloner {
    pub(crate) left_out: LeftOut,
    resources: Vec<&'static DataType>,
    pub(crate) dangling: Dangling,
}

/// The result of cloning: each original with its copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cloned {
    /// The originals and the copies, in the order given; a tree begins with its root.
    pub pairs: Vec<(Entity, Entity)>,
}

impl Cloned {
    /// Returns the first copy: the root, if a tree was cloned.
    ///
    /// # Panics
    /// If nothing was cloned, because the list was empty.
    #[must_use]
    pub fn root(&self) -> Entity {
        self.pairs.first().expect("something was cloned").1
    }

    /// Returns the copy of an entity; `None` if it was not cloned. O(number of copies).
    #[must_use]
    pub fn copy_of(&self, original: Entity) -> Option<Entity> {
        let pair = self.pairs.iter().find(|pair| pair.0 == original)?;
        Some(pair.1)
    }
}

impl Cloner {
    /// Returns a cloner of all components.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out a component, or a relation by one of its ends.
    pub fn without<T: Component>(mut self) -> Self {
        self.left_out.components.push(ComponentId::of::<T>());
        self
    }

    /// Leaves out a component by its id, such as one that was [defined at run time](ecs_engine::dynamic).
    pub fn without_erased(mut self, component: ComponentId) -> Self {
        self.left_out.components.push(component);
        self
    }

    /// Leaves out the components and relations that are not `data`, which are an error otherwise.
    pub fn only_data(mut self) -> Self {
        self.left_out.not_data = true;
        self
    }

    /// Decides how ids of entities that are not cloned appear in copies in another world or a prefab.
    pub fn dangling(mut self, dangling: Dangling) -> Self {
        self.dangling = dangling;
        self
    }

    /// Clones a resource along with a [world](Self::world) even if no scheduled system names it.
    ///
    /// # Panics
    /// If it is not `data`.
    #[track_caller]
    pub fn resource<T: Resource>(mut self) -> Self {
        self.resources.push(types::resource::<T>());
        self
    }

    /// Clones the events of a type along with a [world](Self::world) even if the type is [not
    /// registered](crate::WorldData::register_data_event) with it.
    ///
    /// # Panics
    /// If it is an instance of a generic type that is not data.
    #[track_caller]
    pub fn events<E: DataEvent>(mut self) -> Self {
        self.resources.push(types::events::<E>());
        self
    }

    /// Clones entities, inside of their world. An entity that occurs twice is cloned once.
    ///
    /// # Errors
    /// See [`CloneError`]. The world is unchanged in that case.
    pub fn entities(
        &self,
        world: &mut World,
        entities: impl IntoIterator<Item = Entity>,
    ) -> Result<Cloned, CloneError> {
        let list = distinct(entities);
        let source = TakeSource::List(&list);
        let (template, _) = Template::take(world, &source, &self.left_out, OutsidePolicy::Same)?;
        spawned(list, template, &self.left_out, world)
    }

    /// Clones an entity and everything below it in a relation, inside of their world.
    ///
    /// # Errors
    /// See [`CloneError`]. The world is unchanged in that case.
    ///
    /// # Panics
    /// If a guard that writes the relation was leaked.
    pub fn tree<R: ToOne>(&self, world: &mut World, root: Entity) -> Result<Cloned, CloneError> {
        let list = tree::<R>(world, root)?;
        self.entities(world, list)
    }

    /// Clones entities of a world into another one.
    ///
    /// # Errors
    /// See [`CloneError`]. The worlds are unchanged in that case.
    pub fn entities_into(
        &self,
        from: &World,
        entities: impl IntoIterator<Item = Entity>,
        to: &mut World,
    ) -> Result<Cloned, CloneError> {
        let list = distinct(entities);
        let source = TakeSource::List(&list);
        let (mut template, _) = Template::take(from, &source, &self.left_out, self.outside())?;
        template.bury_others(to);
        spawned(list, template, &self.left_out, to)
    }

    /// Clones an entity and everything below it in a relation into another world.
    ///
    /// # Errors
    /// See [`CloneError`]. The worlds are unchanged in that case.
    ///
    /// # Panics
    /// If the relation is borrowed for writing.
    pub fn tree_into<R: ToOne>(
        &self,
        from: &World,
        root: Entity,
        to: &mut World,
    ) -> Result<Cloned, CloneError> {
        let list = tree::<R>(from, root)?;
        self.entities_into(from, list, to)
    }

    /// Clones a world: all entities with their ids; the resources that are `data` and named by a scheduled system or by
    /// [`resource`](Self::resource); and the events that are [data](crate::WorldData::register_data_event) and have not
    /// been read by every reader. Readers of the copy begin with the oldest of these events.
    ///
    /// Ids in values stay the same, so values are cloned by `Clone`; only a value without `Clone` is written and read
    /// by serde.
    ///
    /// The copy is like a loaded world: no hook and no observer is called, and systems, schedules, groups and observers are not
    /// cloned. New entities get the ids that they would get in the original, and entities that are reserved there are reserved in
    /// the copy. Even the ids of despawned entities inside of values are the same: neither world issues them again. So the copy
    /// has the same [hash](crate::WorldData::hash), and their [difference](crate::WorldData::diff) is empty.
    ///
    /// # Errors
    /// See [`CloneError`].
    pub fn world(&self, world: &World) -> Result<World, CloneError> {
        copy_of(world, &self.left_out, &self.resources)
    }

    pub(crate) fn outside(&self) -> OutsidePolicy {
        match self.dangling {
            Dangling::Refuse => OutsidePolicy::Refused,
            Dangling::Dead => OutsidePolicy::Dead,
        }
    }
}

/// Copies a world: all entities with their ids, and the known resources.
pub(crate) fn copy_of(
    world: &World,
    left_out: &LeftOut,
    resources: &[&'static DataType],
) -> Result<World, CloneError> {
    let (template, ids) = Template::take(world, &TakeSource::All, left_out, OutsidePolicy::Same)?;
    let mut known = world.data_types();
    known.extend(resources);
    known.retain(|data| data.is_resource());
    known.sort_by_key(|data| data.name());
    known.dedup_by_key(|data| data.type_id());
    let resources = template::resources(world, &known, &ids)?;
    let mut staged = template.stage(1, &ids, Vec::new())?;
    left_out.make_missing(&mut staged);
    for (name, value) in resources {
        staged.add_resource(name, value);
    }
    let mut copy = World::new();
    for component in world.registered_components() {
        copy.register_erased(component);
    }
    for data in &known {
        copy.make_data_known(data);
    }
    copy.commit(staged, &ids)?;
    copy.settle_delays();
    let is_same = copy.take_ids_of(world);
    debug_assert!(is_same, "the copy has the same entities");
    Ok(copy)
}

impl std::fmt::Debug for Cloner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let left_out = self.left_out.components.iter().map(|id| id.name());
        f.debug_struct("Cloner")
            .field("without", &left_out.collect::<Vec<_>>())
            .field("only_data", &self.left_out.not_data)
            .field("dangling", &self.dangling)
            .finish_non_exhaustive()
    }
}

/// Returns an entity and everything below it.
pub(crate) fn tree<R: ToOne>(world: &World, root: Entity) -> Result<Vec<Entity>, CloneError> {
    if !world.contains(root) {
        return Err(CloneError::NoEntity { entity: root });
    }
    let below = world.descendants::<R>(root);
    Ok(distinct(core::iter::once(root).chain(below)))
}

fn distinct(entities: impl IntoIterator<Item = Entity>) -> Vec<Entity> {
    let mut list: Vec<Entity> = entities.into_iter().collect();
    // Usually the entities are already in order, which shows that no two are the same.
    if !list.is_sorted_by(|a, b| a < b) {
        let mut seen = HashSet::with_capacity(list.len());
        list.retain(|&entity| seen.insert(entity));
    }
    list
}

fn spawned(
    list: Vec<Entity>,
    template: Template,
    left_out: &LeftOut,
    world: &mut World,
) -> Result<Cloned, CloneError> {
    let copies = template.spawn(world, 1, Vec::new(), Some(left_out))?;
    let pairs = list.into_iter().zip(copies).collect();
    Ok(Cloned { pairs })
}
