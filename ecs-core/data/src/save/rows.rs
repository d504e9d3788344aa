//! Writes a save to a format of serde: in rows to a readable one, as bytes to a binary one.
//!
//! ```text
//! {
//!   "format": 1,
//!   "versions": { "game.health": 2 },              those that are not 1
//!   "entities": [
//!     { "game.position": [1.0, 2.0], "game.target": 1 },
//!     { "game.health": { "now": 3 } }
//!   ],
//!   "resources": { "game.score": 7 }
//! }
//! ```

use std::collections::HashMap;

use ecs_engine::Entity;
use ecs_engine::component::StorageKind;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{Others, Session};
use serde_core::ser::{Error, SerializeMap, SerializeSeq};
use serde_core::{Serialize, Serializer};

use super::contents::{Component, Contents, Table};
use super::{Edges, Save, SaveError, SavedResource};
use crate::Value;
use crate::kept;
use crate::numbers::Numbers;
use crate::saved::DataCodec;

/// Written in rows to a readable format, such as JSON or RON, and in columns, as bytes, to a binary one.
///
/// # Errors
/// If a value cannot be written, or a component is borrowed for writing.
impl Serialize for Save<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(&self.to_vec().map_err(S::Error::custom)?);
        }
        let contents = self.contents().map_err(S::Error::custom)?;
        let session = self.session(&contents);
        let edges = self.edges(&contents);
        let resources = self.resources().map_err(S::Error::custom)?;
        let by_source: Vec<_> = edges.iter().map(BySource::of).collect();
        let rows = Rows {
            contents: &contents,
            edges: &by_source,
            session: &session,
        };
        let components = contents.components.iter().map(|component| component.data);
        let relations = edges.iter().map(|edges| edges.data);
        let types = components.chain(relations);
        let types = types.chain(resources.iter().map(|resource| resource.data));
        let mut map = serializer.serialize_map(None)?;
        let kept = self.kept(&contents);
        // The oldest one that can have what is saved: in rows, the forms 3 and 4 are as form 2.
        let format: u32 = if kept.is_empty() { 1 } else { 2 };
        map.serialize_entry("format", &format)?;
        map.serialize_entry("versions", &Versions(types.collect()))?;
        map.serialize_entry("entities", &rows)?;
        map.serialize_entry("orders", &Orders(&edges))?;
        map.serialize_entry("resources", &Resources(&resources, &session))?;
        if !kept.is_empty() {
            map.serialize_entry("kept", &kept::to_value(kept, true))?;
        }
        map.end()
    }
}

/// The entities of a save as trees.
pub(crate) struct RowTrees {
    /// The entities, in the order of the save, in which numbers stand for them in trees.
    pub(crate) entities: Vec<Entity>,
    /// What each of them has: components, and edges in the form of saves.
    pub(crate) rows: Vec<Vec<(&'static DataType, Value)>>,
    /// By relation: targets, and their sources in order.
    pub(crate) orders: Vec<(&'static DataType, TargetOrders)>,
}

/// The sources of targets, in order.
type TargetOrders = Vec<(u32, Vec<u32>)>;

impl Save<'_> {
    /// Returns the entities as trees.
    pub(crate) fn row_trees(&self) -> Result<RowTrees, SaveError> {
        self.row_trees_by(None)
    }

    /// Returns the entities as trees, in which ids are these numbers, or those of the save.
    pub(crate) fn row_trees_by(&self, numbers: Option<&Numbers>) -> Result<RowTrees, SaveError> {
        let contents = self.contents()?;
        let session = match numbers {
            Some(numbers) => numbers.session(Others::Dead(&numbers.dead)),
            None => self.session(&contents),
        };
        let edges = self.edges(&contents);
        let by_source: Vec<_> = edges.iter().map(BySource::of).collect();
        let all = Rows {
            contents: &contents,
            edges: &by_source,
            session: &session,
        };
        let mut rows = Vec::with_capacity(contents.numbers.entities.len());
        all.each(|row| {
            let mut entries = Vec::new();
            let failed = |data: &'static DataType, message: &str| SaveError::Value {
                entity: Some(row.entity),
                name: data.name(),
                message: message.to_owned(),
            };
            row.each(failed, |data, tree| {
                entries.push((data, tree));
                Ok(())
            })?;
            rows.push(entries);
            Ok::<(), SaveError>(())
        })?;
        let orders = edges
            .iter()
            .map(|edges| (edges.data, all_orders(edges).collect()));
        let orders = orders.collect();
        Ok(RowTrees {
            rows,
            orders,
            entities: contents.numbers.entities.clone(),
        })
    }
}

/// The versions of the types that have another one than 1.
struct Versions(Vec<&'static DataType>);

impl Serialize for Versions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let newer = self.0.iter().filter(|data| data.version() != 1);
        serializer.collect_map(newer.map(|data| (data.name(), data.version())))
    }
}

/// All entities.
struct Rows<'a> {
    contents: &'a Contents<'a>,
    edges: &'a [BySource<'a>],
    session: &'a Session<'a>,
}

impl Rows<'_> {
    /// Calls a function with each row.
    fn each<E>(&self, mut add: impl FnMut(&Row<'_>) -> Result<(), E>) -> Result<(), E> {
        let contents = self.contents;
        let is_sparse = |component: &&Component<'_>| {
            component.id.storage() == StorageKind::Sparse && !component.view.is_empty()
        };
        let sparse: Vec<_> = contents.components.iter().filter(is_sparse).collect();
        for Table {
            numbers,
            components,
        } in &contents.tables
        {
            let in_table = components
                .iter()
                .map(|&component| &contents.components[component]);
            let components: Vec<_> = in_table.chain(sparse.iter().copied()).collect();
            for number in numbers.clone() {
                add(&Row {
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

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.contents.numbers.entities.len()))?;
        self.each(|row| list.serialize_element(row))?;
        list.end()
    }
}

/// The components and relations of an entity, by name.
struct Row<'a> {
    number: u32,
    edges: &'a [BySource<'a>],
    entity: Entity,
    /// Those that it may have.
    components: &'a [&'a Component<'a>],
    session: &'a Session<'a>,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let failed = |data: &DataType, error: &str| self.failed(data, error);
        self.each(failed, |data, tree| map.serialize_entry(data.name(), &tree))?;
        map.end()
    }
}

impl Row<'_> {
    /// Calls a function with each component, and with the edges of each relation.
    fn each<E>(
        &self,
        failed: impl Fn(&'static DataType, &str) -> E,
        mut add: impl FnMut(&'static DataType, Value) -> Result<(), E>,
    ) -> Result<(), E> {
        for component in self.components {
            let Some(value) = component.view.get(self.entity) else {
                continue;
            };
            // SAFETY: the value is one of the component, and is borrowed by the view.
            let tree = unsafe { tree_of(component.data, value.as_ptr(), self.session) };
            let tree = tree.map_err(|error| failed(component.data, &error))?;
            add(component.data, tree)?;
        }
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

    fn failed<E: Error>(&self, data: &DataType, message: &str) -> E {
        let (entity, name) = (self.entity, data.name());
        E::custom(format_args!("entity {entity}, `{name}`: {message}"))
    }
}

/// Returns a value as a tree.
///
/// # Safety
/// `value` points to a value of the data type, which nothing changes during the call.
pub(crate) unsafe fn tree_of(
    data: &DataType,
    value: *const u8,
    session: &Session<'_>,
) -> Result<Value, String> {
    let codec = DataCodec::of(data).expect("only what has a codec is saved");
    // SAFETY: the codec is that of the data type, and the rest is the contract of this function.
    let tree = session.run(|| unsafe { codec.to_value(value) });
    match (tree, session.take_error()) {
        (Err(error), _) => Err(error.to_string()),
        (Ok(_), Some(error)) => Err(error.to_string()),
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
    edges: &'a Edges,
    /// Positions in the list of edges, in the order of the targets of each source.
    by_source: HashMap<u32, Vec<usize>>,
}

impl<'a> BySource<'a> {
    fn of(edges: &'a Edges) -> Self {
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

/// The orders of sources that are not those of their numbers, by relation: targets, and their sources.
struct Orders<'a>(&'a [Edges]);

impl Serialize for Orders<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self
            .0
            .iter()
            .map(|edges| (edges.data.name(), orders(edges)));
        serializer.collect_map(all.filter(|(_, orders)| !orders.is_empty()))
    }
}

fn orders(edges: &Edges) -> TargetOrders {
    let all = all_orders(edges);
    all.filter(|(_, sources)| !sources.is_sorted()).collect()
}

fn all_orders(edges: &Edges) -> impl Iterator<Item = (u32, Vec<u32>)> {
    let by_target = edges.edges.chunk_by(|a, b| a.target == b.target);
    by_target.map(|edges| {
        let sources = edges.iter().map(|edge| edge.source);
        (edges[0].target, sources.collect::<Vec<u32>>())
    })
}

/// The resources, by name.
struct Resources<'a>(&'a [SavedResource<'a>], &'a Session<'a>);

impl Serialize for Resources<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for resource in self.0 {
            // SAFETY: it is a value of the data type, and is borrowed.
            let tree = unsafe { tree_of(resource.data, resource.run().first, self.1) };
            let name = resource.data.name();
            let failed = |error| S::Error::custom(format_args!("resource `{name}`: {error}"));
            map.serialize_entry(name, &tree.map_err(failed)?)?;
        }
        map.end()
    }
}
