//! Hashes of worlds: equal worlds have equal hashes, whatever their history.

mod cache;
mod error;
mod key;
mod keys;
mod mix;
mod part;
mod steps;
mod writer;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;

use ecs_engine::component::{Component, ComponentId, StorageKind};
use ecs_engine::data_type::DataType;
use ecs_engine::query::{AndDisabled, QueryFilter};
use ecs_engine::staging::RelationInfo;
use ecs_engine::view::ErasedRef;
use ecs_engine::world::WorldId;
use ecs_engine::{Entity, World};

pub use cache::HashCache;
pub use error::HashError;
use key::KeyComponent;
use mix::{mix, mix_bytes};
pub use part::{HashPart, HashTurns};
pub use steps::StepHashes;
pub(crate) use steps::{metas, written};
pub(crate) use writer::{HashWriter, OfType};

use crate::kept::is_kept;
use crate::save::{Contents, LEFT_OUT, SavedEdges};
use crate::saved::DataCodec;
use crate::types;

/// Computes hashes of worlds, to find out whether two are equal: on two machines of a game, before and after a change, in tests.
///
/// [`WorldData::hash`](crate::WorldData::hash) hashes everything. A hasher can leave out components, hash single ones and single
/// entities, and keep its buffers for the next hash.
///
/// The hash is a sum over all values in their saved form, each mixed with the name of its type and the id of its entity. So it
/// does not depend on the order of rows, on tables, on the order of first uses of types, on threads or on the platform, and it
/// stays the same in later versions. It depends on:
///
/// * the entities, by their ids;
/// * components in tables and sparse sets; floats are hashed by their bits, and maps regardless of the order of their
///   entries;
/// * edges of relations with their values, and the order of a source's targets and of a target's sources;
/// * the resources that are data and that a scheduled system names, and events that are data and have not been read by every
///   reader, or are [delayed](ecs_engine::Commands::delay_event): with the rest of the delay, so the hash changes in each frame.
///
/// serde writes a `HashSet` as a list whose order differs between equal sets. A component with such a field is refused, unless
/// serde writes the field by `with` or `serialize_with`: use a `BTreeSet`. A `HashSet` inside of another type is not noticed, and
/// the hash then depends on its order of iteration. The hash does not cover other resources and events, values of unknown names
/// that are kept for the next save, and state that only affects the future, such as the order of rows.
///
/// ```
/// use ecs_core::data::WorldHasher;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.place")]
/// struct Place(f32, f32);
///
/// #[derive(Component)]
/// struct Sprite;
///
/// let (mut one, mut other) = (World::new(), World::new());
/// let entity = one.spawn((Place(1.0, 2.0), Sprite));
/// assert_eq!(other.spawn(Place(1.0, 2.0)), entity);
///
/// let mut hasher = WorldHasher::new().without::<Sprite>();
/// assert_eq!(hasher.world(&one)?, hasher.world(&other)?);
/// other.get_mut::<Place>(entity).unwrap().1 += 0.5;
/// assert_ne!(hasher.world(&one)?, hasher.world(&other)?);
/// assert!(one.hash().is_err(), "`Sprite` is not data");
/// # Ok::<(), ecs_core::data::HashError>(())
/// ```
#[derive(Default)]
pub struct WorldHasher {
    without: Vec<ComponentId>,
    only_data: bool,
    /// Functions that list the entities to hash; without any, all entities are hashed.
    entities: Vec<fn(&World) -> Vec<Entity>>,
    /// The entities that they have listed for the present call.
    members: Option<HashSet<Entity>>,
    /// The component that identifies entities, instead of their ids.
    key: Option<KeyComponent>,
    writer: HashWriter,
    /// The functions of types that were found, by the addresses of their constants.
    types: HashMap<usize, OfType>,
    /// The resources of the last world.
    resources: ListedResources,
    /// The part of the world that the present call hashes.
    part: HashPart,
}

/// The data types of a world's resources, sorted by name.
#[derive(Default)]
struct ListedResources {
    known: Option<(WorldId, u64, u32, usize)>,
    types: Vec<&'static DataType>,
}

/// Kinds of contents of a world, to tell apart values with the same name and bytes.
mod kind {
    pub(super) const ENTITY: u64 = 1;
    pub(super) const COMPONENT: u64 = 2;
    pub(super) const EDGE: u64 = 3;
    pub(super) const SOURCE: u64 = 4;
    pub(super) const RESOURCE: u64 = 5;
}

impl WorldHasher {
    /// Returns a hasher of everything in a world, which refuses components that are not data.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn of_parts(without: Vec<ComponentId>, only_data: bool) -> Self {
        Self {
            without,
            only_data,
            ..Self::default()
        }
    }

    /// Leaves out a component, or a relation by one of its ends.
    #[must_use]
    pub fn without<T: Component>(mut self) -> Self {
        self.without.push(ComponentId::of::<T>());
        self
    }

    /// Leaves out a component by its id, such as one that was [defined at run time](ecs_engine::dynamic).
    #[must_use]
    pub fn without_erased(mut self, component: ComponentId) -> Self {
        self.without.push(component);
        self
    }

    /// Only hashes the entities that pass a filter, such as `With<Simulated>`, including [disabled](ecs_engine::Disabled) ones,
    /// and the edges between them. So two machines of a game agree even if only one has sparks and sprites. Several calls add up.
    /// The components of other entities do not have to be data. With a [key](Self::by), edges to other entities count too.
    ///
    /// ```
    /// use ecs_core::data::WorldHasher;
    /// use ecs_core::prelude::*;
    /// use ecs_core::tree::ChildOf;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.health")]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// struct Spark;
    ///
    /// let (mut one, mut other) = (World::new(), World::new());
    /// let player = one.spawn(Health(7));
    /// let spark = one.spawn(Spark);
    /// one.relate(spark, ChildOf, player).expect("both are alive");
    /// other.spawn(Health(7));
    /// let mut hasher = WorldHasher::new().entities::<With<Health>>();
    /// assert_eq!(hasher.world(&one)?, hasher.world(&other)?);
    /// # Ok::<(), ecs_core::data::HashError>(())
    /// ```
    ///
    /// With this, a [`HashCache`] hashes all values each time. A filter by changes counts all as changed. The call that hashes
    /// panics if the filter reads a component that is borrowed for writing.
    #[must_use]
    pub fn entities<F: QueryFilter>(mut self) -> Self {
        self.entities.push(|world| {
            let query = world.query_filtered::<Entity, (F, AndDisabled)>();
            query.iter().collect()
        });
        self
    }

    /// Finds the entities to hash.
    fn select(&mut self, world: &World) -> Result<(), HashError> {
        let lists = self.entities.iter().flat_map(|list| list(world));
        self.members = (!self.entities.is_empty()).then(|| lists.collect());
        self.find_keys(world)
    }

    /// Returns true if an entity is hashed.
    fn has(&self, entity: Entity) -> bool {
        let members = self.members.as_ref();
        members.is_none_or(|members| members.contains(&entity))
    }

    /// Returns the entities of a list that are hashed.
    fn those<'a>(&self, entities: &'a [Entity]) -> Cow<'a, [Entity]> {
        if self.members.is_none() {
            return Cow::Borrowed(entities);
        }
        let those = entities.iter().copied();
        those.filter(|&entity| self.has(entity)).collect()
    }

    /// Leaves out the components and relations that are not data, or have [no order](HashError::Unordered).
    #[must_use]
    pub fn only_data(mut self) -> Self {
        self.only_data = true;
        self
    }

    /// Returns the hash of a world. O(values).
    ///
    /// # Errors
    /// See [`HashError`].
    pub fn world(&mut self, world: &World) -> Result<u64, HashError> {
        self.world_by(world, |hasher, component| {
            hasher.of_component(world, component)
        })
    }

    /// Returns the hash of a world, with a function for the values of a component.
    fn world_by(
        &mut self,
        world: &World,
        mut values: impl FnMut(&mut Self, ComponentId) -> Result<u64, HashError>,
    ) -> Result<u64, HashError> {
        self.select(world)?;
        let rows = self.selected(world, &mut values);
        let hash = rows.and_then(|rows| Ok(rows.wrapping_add(self.resources(world)?)));
        self.explained(hash)
    }

    /// Returns the hash of all entities, without the resources. O(values).
    ///
    /// # Errors
    /// See [`HashError`].
    #[doc(hidden)]
    pub fn rows(&mut self, world: &World) -> Result<u64, HashError> {
        self.select(world)?;
        let rows = self.selected(world, &mut |hasher, component| {
            hasher.of_component(world, component)
        });
        self.explained(rows)
    }

    /// Returns the hash of the entities that were [selected](Self::select).
    fn selected(
        &mut self,
        world: &World,
        values: &mut dyn FnMut(&mut Self, ComponentId) -> Result<u64, HashError>,
    ) -> Result<u64, HashError> {
        let mut sum = 0_u64;
        for (entities, _) in world.tables_with_rows() {
            let entities = &entities[self.part.rows(entities.len())];
            let entities = entities.iter().copied();
            let of_id = |sum: u64, id| sum.wrapping_add(mix(kind::ENTITY, id));
            sum = match self.members.is_none() && self.writer.keys.is_none() {
                true => entities.map(Entity::to_bits).fold(sum, of_id),
                false => {
                    let entities = entities.filter(|&entity| self.has(entity));
                    let ids = entities.map(|entity| self.writer.id_of(entity));
                    ids.fold(sum, of_id)
                }
            };
        }
        for component in world.registered_components() {
            if !component.is_end() && !self.without.contains(&component) {
                sum = sum.wrapping_add(values(self, component)?);
            }
        }
        let edges = match self.part.is_whole() {
            true => self.relations(world)?,
            false => self.edges_of_part(world)?,
        };
        Ok(sum.wrapping_add(edges))
    }

    /// Returns the hash of all resources, which [`world`](Self::world) adds to the hash of the [entities](Self::rows).
    ///
    /// # Errors
    /// See [`HashError`].
    #[doc(hidden)]
    pub fn resources(&mut self, world: &World) -> Result<u64, HashError> {
        let known = world.data_types_known();
        if self.resources.known != Some(known) {
            let mut types = world.data_types();
            types.retain(|data| data.is_resource());
            types.sort_unstable_by_key(|data| data.name());
            types.dedup_by_key(|data| data.type_id());
            let known = Some(known);
            self.resources = ListedResources { known, types };
        }
        let mut sum = 0_u64;
        for at in 0..self.resources.types.len() {
            if !self.part.has(at) {
                continue;
            }
            let data = self.resources.types[at];
            sum = sum.wrapping_add(self.resource(world, data)?);
        }
        Ok(sum)
    }

    /// Returns a hash that also depends on state that only affects the future of the world: the order of tables (including empty
    /// ones), of rows in them and in sparse sets, and the ids that come next. O(values).
    ///
    /// Two worlds with the same exact hash that are treated alike stay alike: in the order of loops, and so in sums of floats,
    /// and in the ids of new entities. It is equal if two programs have made the same calls from the beginning, and after a
    /// [return](ecs_engine::snapshot) to a snapshot; a world that was loaded or cloned has a different exact hash.
    ///
    /// A component that is [left out](Self::without) affects the exact hash by the tables that have it, but not by its
    /// sparse set. If only [some entities](Self::entities) are hashed, the order among them counts, no matter which
    /// others exist or have existed.
    ///
    /// ```
    /// use ecs_core::data::WorldHasher;
    /// use ecs_core::prelude::*;
    ///
    /// let (mut one, mut other) = (World::new(), World::new());
    /// let gone = one.spawn(());
    /// one.despawn(gone)?;
    /// let mut hasher = WorldHasher::new();
    /// assert_eq!(hasher.world(&one)?, hasher.world(&other)?);
    /// assert_ne!(hasher.exact(&mut one)?, hasher.exact(&mut other)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`HashError`].
    pub fn exact(&mut self, world: &mut World) -> Result<u64, HashError> {
        if self.key.is_some() {
            return Err(HashError::ExactByKey);
        }
        let mut hash = self.world(world)?;
        for (entities, mut components) in world.all_tables() {
            let entities = self.those(entities);
            if entities.is_empty() && self.members.is_some() {
                continue;
            }
            self.arrange(&mut components);
            for component in components {
                hash = mix_bytes(hash, component.name().as_bytes());
            }
            hash = mix_all(hash, &entities);
        }
        let mut sets = world.registered_components();
        sets.retain(|component| component.storage() == StorageKind::Sparse);
        self.arrange(&mut sets);
        for relation in world.relations() {
            if self.leaves_out(&relation) {
                let ends = [relation.outgoing(), relation.incoming()];
                sets.retain(|component| !ends.contains(component));
            }
        }
        sets.retain(|component| !self.without.contains(component));
        for component in sets {
            let view = world.try_view_erased(component)?;
            for chunk in view.chunks() {
                let mut entities = self.those(chunk.entities());
                if component.is_end() && self.members.is_some() {
                    // Edges to others are not hashed, nor is their existence.
                    let is_hashed =
                        |end: ErasedRef<'_>| end.related().iter().any(|&end| self.has(end));
                    let ends = chunk
                        .iter()
                        .filter(|&(entity, end)| self.has(entity) && is_hashed(end));
                    entities = ends.map(|(entity, _)| entity).collect();
                }
                if entities.is_empty() && self.members.is_some() {
                    continue;
                }
                hash = mix_bytes(hash, component.name().as_bytes());
                hash = mix_all(hash, &entities);
            }
        }
        let (freed, fresh) = world.freed_ids();
        let hash = freed.fold(hash, |hash, entity| mix(hash, entity.to_bits()));
        Ok(mix(hash, fresh.into()))
    }

    /// Sorts components of a world by name if it has others that are not hashed: these may have been the first to use them.
    fn arrange(&self, components: &mut [ComponentId]) {
        if self.members.is_some() {
            components.sort_by_key(|component| component.name());
        }
    }

    /// Returns the hash of all values of a component, with the entities that have them. O(values).
    ///
    /// # Errors
    /// See [`HashError`].
    ///
    /// # Panics
    /// If the component is an end of a relation.
    #[track_caller]
    pub fn component<T: Component>(&mut self, world: &World) -> Result<u64, HashError> {
        let component = ComponentId::of::<T>();
        assert!(
            !component.is_end(),
            "`{}` is an end of a relation, which has no hash of its own; help: hash the relation itself, by `WorldHasher::world`",
            component.name()
        );
        types::component::<T>();
        self.select(world)?;
        let hash = self.of_component(world, component);
        self.explained(hash)
    }

    /// Returns the hash of the components of an entity, without its edges. O(components that the world has).
    ///
    /// # Errors
    /// See [`HashError`].
    pub fn entity(&mut self, world: &World, entity: Entity) -> Result<u64, HashError> {
        let no_entity = |_| HashError::NoEntity { entity };
        let handle = world.entity(entity).map_err(no_entity)?;
        self.find_keys(world)?;
        let mut sum = mix(kind::ENTITY, self.writer.id_of(entity));
        for component in handle.components() {
            let value = self.value(world, entity, component.id());
            sum = sum.wrapping_add(self.explained(value)?.unwrap_or(0));
        }
        Ok(sum)
    }

    /// Returns the hash of an entity's value of a component; `None` if there is none, or it is left out.
    pub(crate) fn value(
        &mut self,
        world: &World,
        entity: Entity,
        component: ComponentId,
    ) -> Result<Option<u64>, HashError> {
        if component.is_end() || self.without.contains(&component) {
            return Ok(None);
        }
        let view = world.try_view_erased(component)?;
        let Some(value) = view.get(entity) else {
            return Ok(None);
        };
        let Some(of_type) = self.data(component.data(), component.name())? else {
            return Ok(None);
        };
        let value = value.as_ptr();
        // SAFETY: the value belongs to the component, whose data `of_type` is, and the view keeps it borrowed.
        unsafe { self.writer.sum(&of_type, &[entity], value) }.map(Some)
    }

    /// Returns the functions of a type; `None` if it is left out.
    fn data(
        &mut self,
        data: Option<&'static DataType>,
        name: &'static str,
    ) -> Result<Option<OfType>, HashError> {
        if let Some(data) = data
            && data.is_unordered()
        {
            return match self.only_data {
                true => Ok(None),
                false => Err(HashError::Unordered { name: data.name() }),
            };
        }
        let address = data.map(|data| std::ptr::from_ref(data).addr());
        if let Some(known) = address.and_then(|address| self.types.get(&address)) {
            return Ok(Some(*known));
        }
        let found = data.and_then(|data| Some((data, DataCodec::of(data)?)));
        match found {
            Some((data, codec)) => {
                let of_type = OfType::new(data, codec);
                self.types.extend(address.map(|address| (address, of_type)));
                Ok(Some(of_type))
            }
            None if self.only_data => Ok(None),
            None => Err(HashError::NotData { name }),
        }
    }

    fn of_component(&mut self, world: &World, component: ComponentId) -> Result<u64, HashError> {
        let view = world.try_view_erased(component)?;
        let mut sum = 0_u64;
        let mut of_type = None;
        for chunk in view.chunks() {
            let (all, some);
            let runs: &[Range<usize>] = match &self.members {
                None => {
                    all = self.part.rows(chunk.entities().len());
                    std::slice::from_ref(&all)
                }
                Some(members) => {
                    some = runs(members, chunk.entities());
                    &some
                }
            };
            let Some((_, first)) = chunk.iter().next().filter(|_| !runs.is_empty()) else {
                continue;
            };
            if of_type.is_none() {
                let Some(found) = self.data(component.data(), component.name())? else {
                    return Ok(0);
                };
                of_type = Some(found);
            }
            let of_type = of_type.as_ref().expect("found above");
            for run in runs.iter().cloned() {
                // SAFETY: the chunk has a value for each entity, one after the other, and the run is of its rows.
                let first = unsafe { first.as_ptr().add(run.start * of_type.codec.size()) };
                let entities = &chunk.entities()[run];
                // SAFETY: the values belong to the component, whose data `of_type` is, one after the other in a column, and
                // the view keeps them borrowed.
                sum = sum.wrapping_add(unsafe { self.writer.sum(of_type, entities, first) }?);
            }
        }
        Ok(sum)
    }

    /// Returns true if one of the ends of a relation is left out.
    fn leaves_out(&self, relation: &RelationInfo) -> bool {
        let ends = [relation.outgoing(), relation.incoming()];
        ends.iter().any(|end| self.without.contains(end))
    }

    fn relations(&mut self, world: &World) -> Result<u64, HashError> {
        let mut relations = world.relations();
        relations.retain(|relation| {
            let sources = world.sources_of_relation(relation);
            !self.leaves_out(relation) && sources.iter().any(|&source| self.has(source))
        });
        if relations.is_empty() {
            return Ok(0);
        }
        let contents = match &self.members {
            None => Contents::of_world(world, Vec::new())?,
            Some(members) => Contents::of_part(world, members, Vec::new())?,
        };
        let entities = &contents.numbers.entities;
        let mut sum = 0_u64;
        for relation in relations {
            let Some(of_type) = self.data(relation.data(), relation.outgoing().name())? else {
                continue;
            };
            // The entities that edges lead to, beside those that are hashed.
            let (others, keyless) = (RefCell::new(Vec::new()), Cell::new(None));
            let outside = |target| match self.is_named(target, of_type.name()) {
                Ok(true) => {
                    let mut others = others.borrow_mut();
                    others.push(target);
                    Some((entities.len() + others.len() - 1) as u32)
                }
                Ok(false) => Some(LEFT_OUT),
                Err(error) => {
                    keyless.set(Some(error));
                    None
                }
            };
            let edges = SavedEdges::of(world, &relation, &contents, &outside);
            let edges = match (edges, keyless.take()) {
                (Ok(edges), _) => edges,
                (Err(_), Some(error)) => return Err(error),
                (Err(error), None) => unreachable!("no edge is refused: {error}"),
            };
            let Some(edges) = edges else {
                continue;
            };
            let others = others.into_inner();
            let entity = |number: u32| match entities.get(number as usize) {
                Some(&entity) => entity,
                None => others[number as usize - entities.len()],
            };
            let (mut last, mut place) = (None, 0);
            for (edge, value) in edges.edges.iter().zip(&edges.values) {
                let [source, target] = [edge.source, edge.target].map(entity);
                place = if last == Some(target) { place + 1 } else { 0 };
                last = Some(target);
                // SAFETY: it is the value of an edge, whose data `of_type` is, and the world is borrowed.
                let hash = unsafe { self.edge(&of_type, [source, target], edge.slot, value.first) };
                sum = sum.wrapping_add(hash?);
                if self.key.is_none() {
                    let [from, to] = [source, target].map(|end| self.writer.id_of(end));
                    let seed = mix(mix(of_type.seed, kind::SOURCE), to);
                    sum = sum.wrapping_add(mix(mix(seed, from), place));
                }
            }
        }
        Ok(sum)
    }

    /// Returns the hash of an edge from a source to a target, which has a position among the targets of the source.
    ///
    /// # Safety
    /// It is a value of the type, and nothing changes it during the call.
    unsafe fn edge(
        &mut self,
        of_type: &OfType,
        [source, target]: [Entity; 2],
        position: u32,
        value: *const u8,
    ) -> Result<u64, HashError> {
        let [from, to] = [source, target].map(|end| self.writer.id_of(end));
        let seed = mix(mix(mix(of_type.seed, kind::EDGE), from), to);
        // SAFETY: as the caller guarantees.
        let written = unsafe { self.writer.write(of_type, value) };
        let bytes = written.map_err(|error| of_type.failed(Some(source), &error))?;
        Ok(mix_bytes(mix(seed, position.into()), bytes))
    }

    fn resource(&mut self, world: &World, data: &'static DataType) -> Result<u64, HashError> {
        if is_kept(data) {
            return Ok(0);
        }
        let Some(value) = world.resources().try_borrow_erased(data.type_id())? else {
            return Ok(0);
        };
        let Some(of_type) = self.data(Some(data), data.name())? else {
            return Ok(0);
        };
        let value: *const (dyn std::any::Any + Send + Sync) = &raw const *value;
        // SAFETY: the world has the value under the type that `data` describes, and it is borrowed.
        let written = unsafe { self.writer.write(&of_type, value.cast()) };
        let bytes = written.map_err(|error| of_type.failed(None, &error))?;
        Ok(mix_bytes(mix(of_type.seed, kind::RESOURCE), bytes))
    }
}

/// Returns the runs of rows whose entities are members.
fn runs(members: &HashSet<Entity>, entities: &[Entity]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (row, entity) in entities.iter().enumerate() {
        match runs.last_mut() {
            _ if !members.contains(entity) => {}
            Some(last) if last.end == row => last.end += 1,
            _ => runs.push(row..row + 1),
        }
    }
    runs
}

/// Mixes entities and their number into a hash.
fn mix_all(hash: u64, entities: &[Entity]) -> u64 {
    let all = entities.iter().map(|entity| entity.to_bits());
    mix(all.fold(hash, mix), entities.len() as u64)
}

impl fmt::Debug for WorldHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let without = self.without.iter().map(|id| id.name());
        f.debug_struct("WorldHasher")
            .field("without", &without.collect::<Vec<_>>())
            .field("only_data", &self.only_data)
            .finish_non_exhaustive()
    }
}
