//! Compares worlds.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::ptr;
use std::slice;

use ecs_engine::component::{Component, ComponentId};
use ecs_engine::data_type::DataType;
use ecs_engine::resource::ResourceError;
use ecs_engine::staging::RelationInfo;
use ecs_engine::view::{ErasedChunk, ErasedRef, ErasedView};
use ecs_engine::{Entity, World};

use super::{Diff, DiffError, EntityChange, OrderChange, ValueChange};
use crate::by_name::{self, ByNameError, FoundComponent, ValueKind};
use crate::hash::{HashWriter, OfType};
use crate::saved::DataCodec;
use crate::template::LeftOut;
use crate::types::{DataTypes, SameName};

/// Finds the differences between worlds, like [`WorldData::diff`](crate::WorldData::diff), with options to leave out
/// parts.
///
/// ```
/// use ecs_core::data::Differ;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.name")]
/// struct Name(String);
///
/// #[derive(Component)]
/// struct Sprite;
///
/// let (mut one, mut other) = (World::new(), World::new());
/// one.spawn(Name("Ada".into()));
/// other.spawn((Name("Bob".into()), Sprite));
/// assert!(one.diff(&other).is_err(), "`Sprite` is not data");
/// let diff = Differ::new().only_data().between(&one, &other)?;
/// assert_eq!(diff.to_string(), "0v1 game.name: \"Ada\" -> \"Bob\"\n");
/// # Ok::<(), ecs_core::data::DiffError>(())
/// ```
///
/// It compares the entities, by their ids; their components; the edges of relations with their values, and the order of a
/// source's targets and of a target's sources; the resources that are data and that a scheduled system of one of the worlds
/// names; and pending and delayed events that are [data](crate::WorldData::register_data_event), unless they are [left
/// out](Self::without_events). Values are compared in the form that [`WorldHasher`](crate::WorldHasher) hashes; those of a
/// struct of numbers without padding are equal if they are the same bytes, and are not written then. Reserved
/// entities, other resources and events, and values of unknown names that are kept for the next save, are not part of a
/// difference.
#[derive(Clone)]
pub struct Differ {
    pub(crate) left_out: LeftOut,
    no_events: bool,
    limit: usize,
}

impl Default for Differ {
    fn default() -> Self {
        Self {
            left_out: LeftOut::default(),
            no_events: false,
            limit: usize::MAX,
        }
    }
}

impl fmt::Debug for Differ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let without = self.left_out.components.iter().map(|id| id.name());
        f.debug_struct("Differ")
            .field("without", &without.collect::<Vec<_>>())
            .field("only_data", &self.left_out.not_data)
            .field("without_events", &self.no_events)
            .field("limit", &self.limit)
            .finish()
    }
}

impl Differ {
    /// Finds all differences, and refuses components that are not data.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out a component, or a relation by one of its ends.
    ///
    /// When the difference is applied, entities that stay keep theirs. A spawned entity gets none, unless another component of it
    /// [requires](ecs_engine::component::Required) one: then it gets the required value.
    #[must_use]
    pub fn without<T: Component>(mut self) -> Self {
        self.left_out.components.push(ComponentId::of::<T>());
        self
    }

    /// Leaves out the components and relations that are not data.
    #[must_use]
    pub fn only_data(mut self) -> Self {
        self.left_out.not_data = true;
        self
    }

    /// Leaves out events: they are messages on their way, and by the time a step is undone, its events have been read.
    #[must_use]
    pub fn without_events(mut self) -> Self {
        self.no_events = true;
        self
    }

    /// Refuses worlds with more differences in values, entities and positions of sources than this, which also limits the memory
    /// of a difference.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Returns the difference from one world to another. O(values of both).
    ///
    /// # Errors
    /// See [`DiffError`].
    pub fn between(&self, old: &World, new: &World) -> Result<Diff, DiffError> {
        let mut comparison = self.comparison(old, new)?;
        comparison.compare()?;
        Ok(comparison.finish())
    }

    /// Returns the first difference from one world to another as a line of text, as a [`Diff`] prints it, or `None` if there is
    /// none. The [limit](Self::limit) does not count. It compares ids of entities first, then components by their names, relations
    /// and resources, and stops at the second difference. At most O(values of both).
    ///
    /// ```
    /// use ecs_core::data::Differ;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.place")]
    /// struct Place(u32);
    ///
    /// let [mut one, mut other] = [World::new(), World::new()];
    /// one.spawn_batch((0..1000).map(Place));
    /// other.spawn_batch((0..1000).map(|number| Place(2 * number)));
    /// let first = Differ::new().first(&one, &other)?;
    /// assert_eq!(first.unwrap(), "1v1 game.place: 1 -> 2");
    /// assert_eq!(Differ::new().first(&one, &one)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`DiffError`], for the values up to the second difference.
    pub fn first(&self, old: &World, new: &World) -> Result<Option<String>, DiffError> {
        let mut comparison = self.comparison(old, new)?;
        comparison.stops = true;
        match comparison.compare() {
            Err(DiffError::TooMany { .. }) | Ok(()) => {}
            Err(error) => return Err(error),
        }
        let lines = comparison.finish().to_string();
        Ok(lines.lines().next().map(str::to_owned))
    }

    fn comparison<'a>(
        &'a self,
        old: &'a World,
        new: &'a World,
    ) -> Result<WorldComparison<'a>, DiffError> {
        DataTypes::of(old)?;
        DataTypes::of(new)?;
        Ok(WorldComparison {
            differ: self,
            worlds: [old, new],
            writers: [HashWriter::default(), HashWriter::default()],
            same_tables: HashMap::new(),
            entities: BTreeMap::new(),
            orders: Vec::new(),
            resources: Vec::new(),
            count: 0,
            stops: false,
        })
    }
}

/// The number of values that are compared at once: few, because all are compared again if one differs.
const BLOCK: usize = 64;

/// A comparison of two worlds.
struct WorldComparison<'a> {
    differ: &'a Differ,
    worlds: [&'a World; 2],
    writers: [HashWriter; 2],
    /// Tables whose entities are the same in both worlds, row by row, by the first of them.
    same_tables: HashMap<Entity, [&'a [Entity]; 2]>,
    entities: BTreeMap<Entity, EntityChange>,
    orders: Vec<OrderChange>,
    resources: Vec<ValueChange>,
    /// The number of differences.
    count: usize,
    /// True if the second difference is an error, and the first one never.
    stops: bool,
}

impl WorldComparison<'_> {
    fn compare(&mut self) -> Result<(), DiffError> {
        self.entities()?;
        self.components()?;
        self.relations()?;
        self.resources()
    }

    fn count(&mut self, more: usize) -> Result<(), DiffError> {
        let limit = match self.stops {
            true if self.count == 0 => usize::MAX,
            true => 0,
            false => self.differ.limit,
        };
        self.count += more;
        match self.count > limit {
            true => Err(DiffError::TooMany { limit }),
            false => Ok(()),
        }
    }

    fn entities(&mut self) -> Result<(), DiffError> {
        let [old, new] = self.worlds.map(large_tables);
        let old: HashMap<Entity, &[Entity]> = old.collect();
        let pairs = new.filter_map(|(first, new)| Some((first, [*old.get(&first)?, new])));
        self.same_tables = pairs
            .filter(|(_, [old, new])| is_same_ids(old, new))
            .collect();
        for (was_alive, is_alive) in [(true, false), (false, true)] {
            let [there, elsewhere] = match was_alive {
                true => self.worlds,
                false => [self.worlds[1], self.worlds[0]],
            };
            for (entities, _) in there.tables_with_rows() {
                if self.same_tables.contains_key(&entities[0]) {
                    continue;
                }
                for &entity in entities {
                    if elsewhere.entity(entity).is_err() {
                        self.count(1)?;
                        let change = self.of(entity);
                        (change.was_alive, change.is_alive) = (was_alive, is_alive);
                    }
                }
            }
        }
        Ok(())
    }

    fn of(&mut self, entity: Entity) -> &mut EntityChange {
        let change = || EntityChange {
            entity,
            was_alive: true,
            is_alive: true,
            values: Vec::new(),
        };
        self.entities.entry(entity).or_insert_with(change)
    }

    fn is_left_out(&self, component: ComponentId) -> bool {
        self.differ.left_out.components.contains(&component)
    }

    fn components(&mut self) -> Result<(), DiffError> {
        let mut components = self.worlds[0].registered_components();
        components.extend(self.worlds[1].registered_components());
        components.sort_by_key(|component| component.name());
        let mut seen = HashSet::new();
        components.retain(|&component| seen.insert(component));
        let mut names = BTreeMap::new();
        for component in components {
            if component.is_end() || self.is_left_out(component) {
                continue;
            }
            let found = FoundComponent::of(component);
            let name = component.name();
            if !matches!(found.kind, ValueKind::Opaque)
                && let Some(other) = names.insert(name, component)
            {
                let types = [other, component].map(ComponentId::rust_name);
                return Err(SameName { name, types }.into());
            }
            self.component(&found, name)?;
        }
        Ok(())
    }

    fn component(&mut self, found: &FoundComponent, name: &'static str) -> Result<(), DiffError> {
        let [old, new] = self.worlds;
        let old_view = old.try_view_erased(found.component)?;
        let new_view = new.try_view_erased(found.component)?;
        let kind = match &found.kind {
            ValueKind::Data(data, codec) => Some(OfType::new(data, *codec)),
            _ => None,
        };
        // The number of entities that have a value in both worlds.
        let mut common = 0;
        for chunk in old_view.chunks() {
            let all = 0..chunk.len();
            if let Some(of_type) = &kind
                && of_type.codec().is_plain()
                && let Some(new) = self.rows_of(chunk, all.clone(), &new_view)
                // SAFETY: both views are of the component, whose data type is given.
                && unsafe { is_same_memory(of_type, (chunk, all), new) }
            {
                common += chunk.len();
                continue;
            }
            for start in (0..chunk.len()).step_by(BLOCK) {
                let rows = start..chunk.len().min(start + BLOCK);
                if let Some(of_type) = &kind
                    && self.is_same_block(of_type, chunk, rows.clone(), &new_view)
                {
                    common += rows.len();
                    continue;
                }
                for (&entity, row) in chunk.entities()[rows.clone()].iter().zip(rows) {
                    let value = chunk.get(row).expect("a row of the chunk");
                    if let Some(other) = new_view.get(entity) {
                        common += 1;
                        if self.is_same(entity, kind.as_ref(), value, other, found, name)? {
                            continue;
                        }
                    }
                    self.value(entity, found, name)?;
                }
            }
        }
        if common == new_view.len() {
            return Ok(());
        }
        for chunk in new_view.chunks() {
            for &entity in chunk.entities() {
                if old_view.get(entity).is_none() {
                    self.value(entity, found, name)?;
                }
            }
        }
        Ok(())
    }

    /// Returns true if an entity has equal values of a component in both worlds.
    fn is_same(
        &mut self,
        entity: Entity,
        of_type: Option<&OfType>,
        old: ErasedRef<'_>,
        new: ErasedRef<'_>,
        found: &FoundComponent,
        name: &str,
    ) -> Result<bool, DiffError> {
        let Some(of_type) = of_type else {
            if matches!(found.kind, ValueKind::Opaque) {
                return match self.differ.left_out.not_data {
                    true => Ok(true),
                    false => Err(not_data(Some(entity), found.component.name())),
                };
            }
            let trees = self
                .worlds
                .map(|world| by_name::value(world, entity, found, name));
            let [old, new] = trees;
            let failed = |error| value_error(Some(entity), error);
            return Ok(old.map_err(failed)? == new.map_err(failed)?);
        };
        // SAFETY: both values belong to the component, whose data type is given, and the views keep them borrowed.
        unsafe { self.is_same_bytes(Some(entity), of_type, old.as_ptr(), new.as_ptr()) }
    }

    /// Returns the values of some rows in the new world, at least one, and the row of the first, if they lie one after the other.
    fn rows_of<'v>(
        &self,
        chunk: ErasedChunk<'_>,
        rows: Range<usize>,
        new_view: &'v ErasedView<'_>,
    ) -> Option<(ErasedChunk<'v>, usize)> {
        let all = chunk.entities();
        let entities = &all[rows];
        let first = entities.first()?;
        let (new_chunk, row) = new_view.chunk_and_row(*first)?;
        let is_whole = |[old, new]: &[&[Entity]; 2]| {
            ptr::eq(*old, entities) && ptr::eq(*new, new_chunk.entities())
        };
        let others = new_chunk.entities()[row..].get(..entities.len())?;
        let is_known = self.same_tables.get(first).is_some_and(is_whole);
        (is_known || is_same_ids(entities, others)).then_some((new_chunk, row))
    }

    /// Returns true if the rows lie one after the other in the new world as well, and are the same there. Then none has to be
    /// compared alone, which takes several times as long; false says nothing.
    fn is_same_block(
        &mut self,
        of_type: &OfType,
        chunk: ErasedChunk<'_>,
        rows: Range<usize>,
        new_view: &ErasedView<'_>,
    ) -> bool {
        let Some((new_chunk, first)) = self.rows_of(chunk, rows.clone(), new_view) else {
            return false;
        };
        // SAFETY: the chunks have values of the component, whose data type is given.
        if unsafe { is_same_memory(of_type, (chunk, rows.clone()), (new_chunk, first)) } {
            return true;
        }
        let size = chunk.layout().size();
        let old = chunk.as_ptr().wrapping_add(rows.start * size);
        let new = new_chunk.as_ptr().wrapping_add(first * size);
        let [old_writer, new_writer] = &mut self.writers;
        // SAFETY: the values belong to the component, whose data type is given, and the chunk keeps them borrowed.
        let old = unsafe { old_writer.write_rows(of_type, old, rows.len()) };
        // SAFETY: the new chunk has values for the same entities from this row on, and the view keeps them borrowed.
        let new = unsafe { new_writer.write_rows(of_type, new, rows.len()) };
        old.is_some() && old == new
    }

    /// Returns true if two values are written as the same bytes.
    ///
    /// # Safety
    /// They are values of the type, and nothing changes them during the call.
    unsafe fn is_same_bytes(
        &mut self,
        entity: Option<Entity>,
        of_type: &OfType,
        old: *const u8,
        new: *const u8,
    ) -> Result<bool, DiffError> {
        let [old_writer, new_writer] = &mut self.writers;
        // SAFETY: it is a value of the type: the caller.
        let old = unsafe { old_writer.write(of_type, old) };
        // SAFETY: as above.
        let new = unsafe { new_writer.write(of_type, new) };
        let failed = |error: crate::EncodeError| DiffError::Value {
            entity,
            message: format!("`{}`: {error}", of_type.name()),
        };
        Ok(old.map_err(failed)? == new.map_err(failed)?)
    }

    /// Notes the values of an entity that differ, or its edges.
    fn value(
        &mut self,
        entity: Entity,
        found: &FoundComponent,
        name: &'static str,
    ) -> Result<(), DiffError> {
        if matches!(found.kind, ValueKind::Opaque) {
            return match self.differ.left_out.not_data {
                true => Ok(()),
                false => Err(not_data(Some(entity), name)),
            };
        }
        let trees = self.worlds.map(|world| match world.entity(entity) {
            Ok(_) => by_name::value(world, entity, found, name),
            Err(_) => Ok(None),
        });
        let [old, new] = trees;
        let failed = |error| value_error(Some(entity), error);
        let (old, new) = (old.map_err(failed)?, new.map_err(failed)?);
        self.count(1)?;
        let name = name.to_owned();
        let change = ValueChange { name, old, new };
        self.of(entity).values.push(change);
        Ok(())
    }

    fn relations(&mut self) -> Result<(), DiffError> {
        let mut relations = self.worlds[0].relations();
        relations.extend(self.worlds[1].relations());
        relations.sort_by_key(RelationInfo::name);
        let mut seen = HashSet::new();
        relations.retain(|relation| seen.insert(relation.outgoing()));
        for relation in relations {
            let ends = [relation.outgoing(), relation.incoming()];
            if ends.into_iter().any(|end| self.is_left_out(end)) {
                continue;
            }
            self.relation(&relation)?;
        }
        Ok(())
    }

    fn relation(&mut self, relation: &RelationInfo) -> Result<(), DiffError> {
        let [old, new] = self.worlds;
        let found = FoundComponent::of(relation.outgoing());
        let name = relation.name();
        let codec = relation.data().and_then(DataCodec::of);
        let (Some(codec), ValueKind::Relation(_, data)) = (codec, &found.kind) else {
            let sources = self.worlds.map(|world| world.sources_of_relation(relation));
            let first = sources.into_iter().flatten().next();
            return match first {
                Some(&source) if !self.differ.left_out.not_data => {
                    Err(not_data(Some(source), name))
                }
                _ => Ok(()),
            };
        };
        let of_type = OfType::new(data, codec);
        for &source in old.sources_of_relation(relation) {
            let [mut before, mut after] = self
                .worlds
                .map(|world| world.targets_erased(relation, source));
            loop {
                let is_same = match (before.next(), after.next()) {
                    (None, None) => break,
                    (Some((one, value)), Some((other, other_value))) if one == other => {
                        // SAFETY: the values belong to edges, whose data type is given, and the worlds are borrowed.
                        unsafe { self.is_same_bytes(Some(source), &of_type, value, other_value) }?
                    }
                    _ => false,
                };
                if !is_same {
                    self.value(source, &found, name)?;
                    break;
                }
            }
        }
        for &source in new.sources_of_relation(relation) {
            if old.targets_erased(relation, source).next().is_none() {
                self.value(source, &found, name)?;
            }
        }
        let mut targets = old.targets_of_relation(relation).to_vec();
        targets.extend(new.targets_of_relation(relation));
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            let [before, after] = self
                .worlds
                .map(|world| world.sources_erased(relation, target));
            if before.eq(after) {
                continue;
            }
            let sources = self
                .worlds
                .map(|world| world.sources_erased(relation, target));
            let [old, new] = sources.map(Iterator::collect::<Vec<_>>);
            self.count(old.len() + new.len())?;
            self.orders.push(OrderChange {
                relation: name.to_owned(),
                target,
                old,
                new,
            });
        }
        Ok(())
    }

    fn resources(&mut self) -> Result<(), DiffError> {
        let mut known = self.worlds[0].data_types();
        known.extend(self.worlds[1].data_types());
        known.retain(|data| data.is_resource() && !(self.differ.no_events && data.is_events()));
        known.sort_by_key(|data| data.name());
        known.dedup_by_key(|data| data.type_id());
        for data in known {
            self.resource(data)?;
        }
        Ok(())
    }

    fn resource(&mut self, data: &'static DataType) -> Result<(), DiffError> {
        let [old, new] = self
            .worlds
            .map(|world| world.resources().try_borrow_erased(data.type_id()));
        let (old, new) = (old?, new?);
        if old.is_none() && new.is_none() {
            return Ok(());
        }
        let name = data.name();
        let Some(codec) = DataCodec::of(data) else {
            return match self.differ.left_out.not_data {
                true => Ok(()),
                false => Err(not_data(None, name)),
            };
        };
        if let (Some(old), Some(new)) = (&old, &new) {
            let of_type = OfType::new(data, codec);
            let [old, new] = [old, new].map(|value| {
                let value: *const (dyn std::any::Any + Send + Sync) = &raw const **value;
                value.cast::<u8>()
            });
            // SAFETY: the worlds have the values under the type that `data` describes, and they are borrowed.
            if unsafe { self.is_same_bytes(None, &of_type, old, new) }? {
                return Ok(());
            }
        }
        let trees = [&old, &new].map(|value| match value {
            Some(value) => by_name::resource_tree(data, value).map(Some),
            None => Ok(None),
        });
        let [old, new] = trees;
        let failed = |error| value_error(None, error);
        let (old, new) = (old.map_err(failed)?, new.map_err(failed)?);
        self.count(1)?;
        let name = name.to_owned();
        self.resources.push(ValueChange { name, old, new });
        Ok(())
    }

    fn finish(self) -> Diff {
        let mut entities: Vec<EntityChange> = self.entities.into_values().collect();
        for change in &mut entities {
            change.values.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        }
        let left_out = self.differ.left_out.components.iter();
        let left_out = left_out.filter_map(|&component| FoundComponent::of(component).name());
        let mut left_out: Vec<String> = left_out.map(str::to_owned).collect();
        left_out.sort_unstable();
        left_out.dedup();
        let mut diff = Diff {
            entities,
            orders: self.orders,
            resources: self.resources,
            left_out: super::DiffOmissions::Names(left_out),
            is_from_text: false,
        };
        diff.orders
            .sort_by(|a, b| (&a.relation, a.target).cmp(&(&b.relation, b.target)));
        diff
    }
}

/// Returns the entities of tables with so many that comparing them at once is a gain, by the first of them.
fn large_tables(world: &World) -> impl Iterator<Item = (Entity, &[Entity])> {
    let tables = world.tables_with_rows().map(|(entities, _)| entities);
    let large = tables.filter(|entities| entities.len() >= BLOCK);
    large.map(|entities| (entities[0], entities))
}

fn is_same_ids(one: &[Entity], other: &[Entity]) -> bool {
    // Without an early end, so that LLVM compares several at once.
    let differs =
        |differs, (one, other): (&Entity, &Entity)| differs | one.to_bits() ^ other.to_bits();
    one.len() == other.len() && one.iter().zip(other).fold(0, differs) == 0
}

/// Returns true if values of a type without padding are the same bytes in some rows of a chunk and in as many of another, which
/// begin at a row. Then they are written as the same bytes too. False says nothing: the type may have padding, or two forms of
/// one value, such as `0.0` and `-0.0`.
///
/// # Safety
/// The values of both chunks are of the type.
unsafe fn is_same_memory(
    of_type: &OfType,
    (old, rows): (ErasedChunk<'_>, Range<usize>),
    (new, first): (ErasedChunk<'_>, usize),
) -> bool {
    if !of_type.codec().is_plain() {
        return false;
    }
    let size = of_type.codec().size();
    let bytes = |chunk: ErasedChunk<'_>, rows: Range<usize>| {
        assert!(rows.end <= chunk.len(), "these are rows of the chunk");
        let first = chunk.as_ptr().wrapping_add(rows.start * size);
        // SAFETY: the chunk has values of the type in these rows, by the caller's contract, and all their bytes are initialised
        // (`is_plain`); the chunk is borrowed, so they do not change.
        unsafe { slice::from_raw_parts(first, rows.len() * size) }
    };
    let len = rows.len();
    bytes(old, rows) == bytes(new, first..first + len)
}

fn not_data(entity: Option<Entity>, name: &'static str) -> DiffError {
    DiffError::NotData { entity, name }
}

fn value_error(entity: Option<Entity>, error: ByNameError) -> DiffError {
    match error {
        ByNameError::Borrowed(error) => error.into(),
        ByNameError::ResourceBorrowed(error) => DiffError::Resource(ResourceError::clone(&error)),
        error => DiffError::Value {
            entity,
            message: error.to_string(),
        },
    }
}
