//! Writes a save to a format of serde: in rows if it is readable, in bytes if it is binary.
//!
//! ```text
//! {
//!   "format": 1,
//!   "versions": { "game.health": 2 },              those that are not 1
//!   "ids": ["0v1", "4v2"],                         of the entities, if they are saved
//!   "next_ids": ["1v3"],                           those that come next, of indices that no entity has, if ids are saved
//!   "entities": [
//!     { "game.position": [1.0, 2.0], "game.target": 1 },
//!     { "game.health": { "now": 3 } }
//!   ],
//!   "orders": { "game.child_of": [[0, [2, 1]]] },   targets, and their sources if these are not in the order of the list
//!   "resources": { "game.score": 7 },
//!   "outside": ["player 7"],                       the keys of entities that are not saved, and have the numbers that follow
//!   "dead": [[2, "3v1"]],                          numbers that follow, and ids, of entities saved as dead ids
//!   "root": 1,                                     of a prefab, if it is not the first entity that is below no other one
//!   "kept": []                                     see `kept`
//! }
//! ```
//! When they are read, the parts come in any order, and all but `entities` may be missing.

use std::cell::Cell;
use std::collections::HashMap;

use ecs_engine::Entity;
use ecs_engine::component::StorageKind;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::Session;
use serde_core::ser::{Error, SerializeMap, SerializeSeq};
use serde_core::{Serialize, Serializer};

use super::contents::{Contents, SavedComponent, SavedTable};
use super::outside::{LEFT_OUT, session};
use super::{Dangling, Save, SaveError, SavedEdges, SavedResource};
use crate::Value;
use crate::codec::{EncodeError, Readable};
use crate::kept;
use crate::numbers::EntityNumbers;
use crate::saved::DataCodec;

/// Written in rows to a readable format, such as JSON or RON, and as the bytes of columns to a binary one.
///
/// # Errors
/// If a value cannot be written, or a component is borrowed for writing.
impl Serialize for Save<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(&self.to_vec().map_err(S::Error::custom)?);
        }
        let contents = self.contents().map_err(S::Error::custom)?;
        let outside = self.outside(&contents);
        let edges = self.edges(&contents, &outside);
        let edges = edges.map_err(S::Error::custom)?;
        let number = |entity| outside.number(entity);
        let session = session(&contents.numbers, &number);
        let resources = self.resources().map_err(S::Error::custom)?;
        let by_source: Vec<_> = edges.iter().map(BySource::of).collect();
        let rows = SavedRows {
            contents: &contents,
            edges: &by_source,
            session: &session,
        };
        let types = Save::types(&contents, &edges, &resources);
        let types = types.map_err(S::Error::custom)?;
        let mut map = serializer.serialize_map(None)?;
        let kept = self.kept(&outside);
        let root = self.root(&contents);
        // The oldest form that can hold the contents: in rows, forms 3 and 4 equal form 2. A program that does not know
        // form 6 refuses its only part, `dead`, by that name.
        let format: u32 = if self.options.with_ids || self.mapper.is_some() || root.is_some() {
            5
        } else if kept.is_empty() {
            1
        } else {
            2
        };
        map.serialize_entry("format", &format)?;
        map.serialize_entry("versions", &Versions(types))?;
        if self.options.with_ids {
            map.serialize_entry("ids", &IdTexts(&contents.numbers.entities))?;
            let next = self.unplaced_ids();
            if !next.is_empty() {
                map.serialize_entry("next_ids", &IdTexts(&next))?;
            }
        }
        map.serialize_entry("entities", &rows)?;
        map.serialize_entry("orders", &SavedOrders(&edges))?;
        map.serialize_entry("resources", &SavedResources(&resources, &session))?;
        let keys = outside.keys();
        if !keys.is_empty() {
            map.serialize_entry("outside", &keys)?;
        }
        let dead = self.dead_ids(&outside);
        if !dead.is_empty() {
            let texts = dead.iter().map(|&(number, id)| (number, IdText(id)));
            map.serialize_entry("dead", &texts.collect::<Vec<_>>())?;
        }
        if let Some(root) = root {
            map.serialize_entry("root", &root)?;
        }
        if !kept.is_empty() {
            map.serialize_entry("kept", &kept::to_value(kept, true))?;
        }
        map.end()
    }
}

/// Ids in their printed form.
struct IdTexts<'a>(&'a [Entity]);

impl Serialize for IdTexts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|&id| IdText(id)))
    }
}

/// An id in its printed form.
struct IdText(Entity);

impl Serialize for IdText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// The entities of a save as trees.
pub(crate) struct RowTrees {
    /// The entities, in the order of the save; numbers stand for them in trees.
    pub(crate) entities: Vec<Entity>,
    /// The components of each of them, and edges in the form of saves.
    pub(crate) rows: Vec<Vec<(&'static DataType, Value)>>,
    /// By relation: targets, and their sources in order.
    pub(crate) orders: Vec<(&'static DataType, TargetOrders)>,
    /// The keys of entities that are not saved. Their numbers follow the others.
    pub(crate) keys: Vec<Value>,
    /// The numbers of entities that are saved as dead ids, and these entities.
    pub(crate) dead: Vec<(u32, Entity)>,
}

/// The sources of targets, in order.
type TargetOrders = Vec<(u32, Vec<u32>)>;

impl Save<'_> {
    /// Returns the entities as trees.
    pub(crate) fn row_trees(&self) -> Result<RowTrees, SaveError> {
        self.row_trees_by(None, &[])
    }

    /// Returns the entities as trees. Without `numbers`, ids are written as in a save, and `first` are numbered before other
    /// entities that are not saved; otherwise ids are these `numbers`.
    pub(crate) fn row_trees_by(
        &self,
        numbers: Option<(&EntityNumbers, &HashMap<Entity, u32>)>,
        first: &[Entity],
    ) -> Result<RowTrees, SaveError> {
        let contents = self.contents()?;
        let outside = self.outside(&contents);
        for &dead in first {
            outside.dead(dead);
        }
        let edges = self.edges(&contents, &outside)?;
        let number = |entity| match numbers {
            Some((_, others)) => others.get(&entity).copied().or(Some(LEFT_OUT)),
            None => outside.number(entity),
        };
        let of_saved = numbers.map_or(&contents.numbers, |(of_saved, _)| of_saved);
        let session = session(of_saved, &number);
        let by_source: Vec<_> = edges.iter().map(BySource::of).collect();
        let all = SavedRows {
            contents: &contents,
            edges: &by_source,
            session: &session,
        };
        let mut rows = Vec::with_capacity(contents.numbers.entities.len());
        all.each(|row| {
            let mut entries = Vec::new();
            let failed = |data: &'static DataType, error: &EncodeError| SaveError::Value {
                entity: Some(row.entity),
                name: data.name(),
                message: error.to_string(),
            };
            row.each(failed, |data, tree| {
                entries.push((data, tree));
                Ok(())
            })?;
            rows.push(entries);
            Ok::<(), SaveError>(())
        })?;
        // Resources and kept values may name entities that no component does.
        drop(self.kept(&outside));
        if self.mapper.is_some() || self.options.dangling == Dangling::Dead {
            for resource in &self.resources()? {
                resource.tree(&session)?;
            }
        }
        let orders = edges
            .iter()
            .map(|edges| (edges.data, all_orders(edges).collect()));
        let orders = orders.collect();
        Ok(RowTrees {
            rows,
            orders,
            entities: contents.numbers.entities.clone(),
            keys: outside.keys(),
            dead: outside.dead_ids(),
        })
    }
}

/// The versions of the types whose version is not 1.
struct Versions(Vec<&'static DataType>);

impl Serialize for Versions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let newer = self.0.iter().filter(|data| data.version() != 1);
        serializer.collect_map(newer.map(|data| (data.name(), data.version())))
    }
}

/// All entities.
struct SavedRows<'a> {
    contents: &'a Contents<'a>,
    edges: &'a [BySource<'a>],
    session: &'a Session<'a>,
}

impl SavedRows<'_> {
    /// Calls a function with each row.
    fn each<E>(&self, mut add: impl FnMut(&SavedRow<'_>) -> Result<(), E>) -> Result<(), E> {
        let contents = self.contents;
        let is_sparse = |component: &&SavedComponent<'_>| {
            component.id.storage() == StorageKind::Sparse && !component.view.is_empty()
        };
        let sparse: Vec<_> = contents.components.iter().filter(is_sparse).collect();
        for SavedTable {
            numbers,
            components,
        } in &contents.tables
        {
            let in_table = components
                .iter()
                .map(|&component| &contents.components[component]);
            let components: Vec<_> = in_table.chain(sparse.iter().copied()).collect();
            for number in numbers.clone() {
                add(&SavedRow {
                    number,
                    edges: self.edges,
                    entity: contents.numbers.entities[number as usize],
                    components: &components,
                    session: self.session,
                })?;
            }
        }
        Ok(())
    }
}

impl Serialize for SavedRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.contents.numbers.entities.len()))?;
        self.each(|row| list.serialize_element(row))?;
        list.end()
    }
}

/// The components and relations of an entity, by name.
struct SavedRow<'a> {
    number: u32,
    edges: &'a [BySource<'a>],
    entity: Entity,
    /// The ones that it may have.
    components: &'a [&'a SavedComponent<'a>],
    session: &'a Session<'a>,
}

impl Serialize for SavedRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let failed = |data: &DataType, error: &EncodeError| self.failed(data, error);
        self.each_value(|data, value| {
            // SAFETY: the value has the data type, and is borrowed as long as the row.
            let written = unsafe { WrittenValue::of(data, value, self.session) };
            if let Some(written) = written {
                let result = map.serialize_entry(data.name(), &written);
                if result.is_ok() && !written.has_failed.get() {
                    return Ok(());
                }
                // The error comes from the value, or from the format. SAFETY: as above.
                unsafe { tree_of(data, value, self.session) }
                    .map_err(|error| failed(data, &error))?;
                return result;
            }
            // SAFETY: as above.
            let tree = unsafe { tree_of(data, value, self.session) };
            map.serialize_entry(data.name(), &tree.map_err(|error| failed(data, &error))?)
        })?;
        self.each_edges(failed, |data, tree| map.serialize_entry(data.name(), &tree))?;
        map.end()
    }
}

/// A value that is written in a session.
struct WrittenValue<'a> {
    value: Readable<'a>,
    session: &'a Session<'a>,
    /// An id could not be written, which the value may have hidden.
    has_failed: Cell<bool>,
}

impl<'a> WrittenValue<'a> {
    /// Returns a value to write; `None` for a component that is defined at run time.
    ///
    /// # Safety
    /// `value` points to a value of the data type, and nothing changes it while the result lives.
    unsafe fn of(data: &DataType, value: *const u8, session: &'a Session<'a>) -> Option<Self> {
        let codec = DataCodec::of(data).expect("only types with a codec are saved");
        // SAFETY: the codec belongs to the data type, and the rest is the contract of this function.
        let value = unsafe { codec.readable(value) }?;
        Some(Self {
            value,
            session,
            has_failed: Cell::new(false),
        })
    }
}

impl Serialize for WrittenValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = self.session.run(|| self.value.serialize(serializer));
        self.has_failed.set(self.session.take_error().is_some());
        written
    }
}

impl SavedRow<'_> {
    /// Calls a function with each component, and with the edges of each relation.
    fn each<E>(
        &self,
        failed: impl Fn(&'static DataType, &EncodeError) -> E,
        mut add: impl FnMut(&'static DataType, Value) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_value(|data, value| {
            // SAFETY: the value has the data type, and is borrowed as long as the row.
            let tree = unsafe { tree_of(data, value, self.session) };
            add(data, tree.map_err(|error| failed(data, &error))?)
        })?;
        self.each_edges(failed, add)
    }

    /// Calls a function with the value of each component, which is borrowed as long as the row.
    fn each_value<E>(
        &self,
        mut add: impl FnMut(&'static DataType, *const u8) -> Result<(), E>,
    ) -> Result<(), E> {
        for component in self.components {
            if let Some(value) = component.view.get(self.entity) {
                add(component.data, value.as_ptr())?;
            }
        }
        Ok(())
    }

    /// Calls a function with the edges of each relation.
    fn each_edges<E>(
        &self,
        failed: impl Fn(&'static DataType, &EncodeError) -> E,
        mut add: impl FnMut(&'static DataType, Value) -> Result<(), E>,
    ) -> Result<(), E> {
        for relation in self.edges {
            let Some(edges) = relation.by_source.get(&self.number) else {
                continue;
            };
            let data = relation.edges.data;
            let mut trees = Vec::with_capacity(edges.len());
            for &edge in edges {
                let value = relation.edges.values[edge].first;
                // SAFETY: edges are listed with their values, which do not change while the world is borrowed.
                let tree = unsafe { tree_of(data, value, self.session) };
                let tree = tree.map_err(|error| failed(data, &error))?;
                trees.push(edge_tree(relation.edges.edges[edge].target, tree));
            }
            let tree = match relation.edges.is_many {
                true => Value::List(trees),
                false => trees.pop().unwrap_or_default(),
            };
            add(data, tree)?;
        }
        Ok(())
    }

    fn failed<E: Error>(&self, data: &DataType, error: &EncodeError) -> E {
        let (entity, name) = (self.entity, data.name());
        E::custom(format_args!("entity {entity}, `{name}`: {error}"))
    }
}

/// Returns a value as a tree.
///
/// # Safety
/// `value` points to a value of the data type, and nothing changes it during the call.
pub(crate) unsafe fn tree_of(
    data: &DataType,
    value: *const u8,
    session: &Session<'_>,
) -> Result<Value, EncodeError> {
    let codec = DataCodec::of(data).expect("only types with a codec are saved");
    // SAFETY: the codec belongs to the data type, and the rest is the contract of this function.
    let tree = session.run(|| unsafe { codec.to_value(value) });
    match (tree, session.take_error()) {
        (Err(error), _) => Err(error),
        (Ok(_), Some(error)) => Err(serde_core::ser::Error::custom(error)),
        (Ok(tree), None) => Ok(tree),
    }
}

/// Returns an edge: the number of the target, or its id, with the value if there is any.
pub(crate) fn edge_tree(target: impl Into<Value>, value: Value) -> Value {
    let target = target.into();
    if value.is_null() {
        return target;
    }
    Value::Map(vec![("to".into(), target), ("value".into(), value)])
}

/// The edges of a relation by their sources.
struct BySource<'a> {
    edges: &'a SavedEdges,
    /// Positions in the list of edges, in the order of the targets of each source.
    by_source: HashMap<u32, Vec<usize>>,
}

impl<'a> BySource<'a> {
    fn of(edges: &'a SavedEdges) -> Self {
        let mut by_source: HashMap<u32, Vec<usize>> = HashMap::new();
        for (position, edge) in edges.edges.iter().enumerate() {
            by_source.entry(edge.source).or_default().push(position);
        }
        for list in by_source.values_mut() {
            list.sort_unstable_by_key(|&position| edges.edges[position].slot);
        }
        Self { edges, by_source }
    }
}

/// The orders of sources that differ from the order of their numbers, by relation: targets, and their sources.
struct SavedOrders<'a>(&'a [SavedEdges]);

impl Serialize for SavedOrders<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self
            .0
            .iter()
            .map(|edges| (edges.data.name(), orders(edges)));
        serializer.collect_map(all.filter(|(_, orders)| !orders.is_empty()))
    }
}

fn orders(edges: &SavedEdges) -> TargetOrders {
    let all = all_orders(edges);
    all.filter(|(_, sources)| !sources.is_sorted()).collect()
}

/// Returns the sources of all targets that are saved.
fn all_orders(edges: &SavedEdges) -> impl Iterator<Item = (u32, Vec<u32>)> {
    let inside = &edges.edges[..edges.inside];
    let by_target = inside.chunk_by(|a, b| a.target == b.target);
    by_target.map(|edges| {
        let sources = edges.iter().map(|edge| edge.source);
        (edges[0].target, sources.collect::<Vec<u32>>())
    })
}

/// The resources, by name.
struct SavedResources<'a>(&'a [SavedResource<'a>], &'a Session<'a>);

impl Serialize for SavedResources<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for resource in self.0 {
            let tree = resource.tree(self.1).map_err(S::Error::custom)?;
            map.serialize_entry(resource.data.name(), &tree)?;
        }
        map.end()
    }
}

impl SavedResource<'_> {
    fn tree(&self, session: &Session<'_>) -> Result<Value, SaveError> {
        // SAFETY: the value has the data type, and is borrowed.
        let tree = unsafe { tree_of(self.data, self.run().first, session) };
        tree.map_err(|error| SaveError::Value {
            entity: None,
            name: self.data.name(),
            message: error.to_string(),
        })
    }
}
