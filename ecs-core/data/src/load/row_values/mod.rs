//! Values that are read row by row, and put into columns.

mod finish;

use std::collections::HashMap;

use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::staging::ErasedColumn;
use ecs_engine::{Entity, World};

use super::nested::{NestedCopy, NestedKeys};
use super::readers::{find, reader_of};
use super::saved_ids::check_highest;
use super::{LoadError, Loader, Unknown};
use crate::Value;
use crate::column::{ReadFailure, read_tree};
use crate::edit::NewRows;
use crate::kept::{KeptColumn, KeptValues, is_too_deep};
use crate::saved::{DataCodec, ValueReader};
use crate::types::DataTypes;

/// The values of all rows so far.
pub(super) struct RowValues<'a> {
    pub(super) loader: &'a Loader,
    pub(super) types: &'a DataTypes,
    /// The versions of types; `None` until they are read.
    versions: Option<HashMap<String, u32>>,
    /// The ids of the saved entities.
    pub(super) saved_ids: Option<Vec<Entity>>,
    /// The ids that the next entities would have got after the save.
    pub(super) next_ids: Vec<Entity>,
    /// The keys of entities outside of the save, and these entities.
    pub(super) outside: Vec<Value>,
    /// The numbers and ids of entities outside of the save that have no key, so no load can find them again.
    pub(super) dead: Vec<(u32, Entity)>,
    others: Vec<Entity>,
    /// The number of the root of a prefab.
    pub(super) root: Option<u32>,
    /// By relation: targets, and their sources in order.
    pub(super) orders: HashMap<String, Vec<(u32, Vec<u32>)>>,
    /// The values that the saving program did not know and kept.
    pub(super) kept: Value,
    /// Positions in `known`; `None` for names that the loader does not know.
    names: HashMap<String, Option<usize>>,
    known: Vec<KnownType>,
    /// The values of the entities, by the position of their type in `known`.
    pub(super) values: NewRows,
    /// The last name that was read; the next one reuses its memory.
    pub(super) name: String,
    /// The position in `known` of the name that comes next in an ordinary row.
    expected: usize,
    /// The ids of the entities so far, and perhaps of some more; none until they are known.
    ids: Vec<Entity>,
    /// Values that have to wait for the ids of later entities or for the version of their type: the entity, the position
    /// in `known`, and the value.
    later: Vec<(u32, usize, Value)>,
    resources: Vec<(String, &'static DataType, Value)>,
    /// Values of unknown names, which the world keeps.
    unknown: Vec<KeptColumn>,
    /// By name, the positions in `unknown`.
    unknown_at: HashMap<String, usize>,
    skipped: Vec<String>,
    /// The components of the last row.
    pub(super) given: Vec<ComponentId>,
    /// The keys of the last row that describe a prefab.
    pub(super) nested_keys: NestedKeys,
    /// The copies of prefabs, in the order of their roots.
    pub(super) nested: Vec<NestedCopy>,
    /// The number of entities of all copies, without their roots. They come after the entities of the list.
    pub(super) nested_entities: u32,
    /// The number of entities of the list, once it was read.
    pub(super) listed: u32,
}

/// A type of the save.
struct KnownType {
    name: String,
    data: &'static DataType,
    /// The reader for the save's version; `None` until that is known.
    reader: Option<ValueReader>,
    /// The last value that was read; the next one reuses its memory.
    tree: Value,
}

impl<'a> RowValues<'a> {
    pub(super) fn new(loader: &'a Loader, types: &'a DataTypes) -> Self {
        Self {
            loader,
            types,
            versions: None,
            saved_ids: None,
            next_ids: Vec::new(),
            outside: Vec::new(),
            dead: Vec::new(),
            others: Vec::new(),
            root: None,
            orders: HashMap::new(),
            kept: Value::Null,
            names: HashMap::new(),
            known: Vec::new(),
            name: String::new(),
            expected: 0,
            values: NewRows::default(),
            ids: Vec::new(),
            later: Vec::new(),
            resources: Vec::new(),
            unknown: Vec::new(),
            unknown_at: HashMap::new(),
            skipped: Vec::new(),
            given: Vec::new(),
            nested_keys: NestedKeys::default(),
            nested: Vec::new(),
            nested_entities: 0,
            listed: u32::MAX,
        }
    }

    /// Sets the versions of types. They may come after values: then the values of types that may not have version 1 have
    /// waited for them.
    pub(super) fn set_versions(&mut self, versions: HashMap<String, u32>) -> Result<(), LoadError> {
        let was_read = self.known.iter().filter(|known| known.reader.is_some());
        for known in was_read {
            if let Some(&found) = versions.get(&known.name)
                && found != 1
            {
                return Err(LoadError::Version {
                    name: known.name.clone(),
                    found,
                    current: known.data.version(),
                });
            }
        }
        self.versions = Some(versions);
        self.settle_versions()
    }

    /// Finds the readers of all types so far. A type without a version has version 1.
    fn settle_versions(&mut self) -> Result<(), LoadError> {
        let versions = self.versions.get_or_insert_default();
        for known in &mut self.known {
            if known.reader.is_none() {
                let version = versions.get(&known.name).copied().unwrap_or(1);
                known.reader = Some(reader_of(&known.name, known.data, version)?);
            }
        }
        Ok(())
    }

    /// Returns the version of a type, once they are known.
    fn version(&self, name: &str) -> Option<u32> {
        let versions = self.versions.as_ref()?;
        Some(versions.get(name).copied().unwrap_or(1))
    }

    /// Sets the ids of the saved entities. If the entities keep these ids, values that name entities have waited for
    /// them.
    pub(super) fn set_ids(&mut self, ids: Vec<Entity>) -> Result<(), LoadError> {
        if self.loader.same_ids {
            check_highest(self.loader, ids.iter())?;
            self.ids.clone_from(&ids);
        }
        self.saved_ids = Some(ids);
        Ok(())
    }

    /// Begins the row of the next entity.
    pub(super) fn begin_row(&mut self, world: &mut World) -> Result<(), LoadError> {
        let rows = self.values.len() + 1;
        self.values.resize(rows);
        self.expected = 0;
        // A row is also begun at the end of the list, before the reader finds that there is no entity.
        let all = rows as u64 + u64::from(self.nested_entities);
        if all > u64::from(self.loader.max_entities) + 1 {
            return Err(LoadError::too_many(all - 1, self.loader.max_entities));
        }
        if rows > self.ids.len() && !self.loader.same_ids {
            self.ids = world.next_ids(rows * 2).map_err(LoadError::of_stage)?;
        }
        Ok(())
    }

    /// Returns the number of the entity of the last row.
    pub(super) fn last(&self) -> u32 {
        self.values.len() as u32 - 1
    }

    /// Removes the last row, which has no entity.
    pub(super) fn drop_row(&mut self) {
        self.values.resize(self.values.len() - 1);
    }

    /// Returns the position of a component or relation of an entity; `None` if the loader does not know it.
    pub(super) fn known(&mut self, name: &str, entity: u32) -> Result<Option<usize>, LoadError> {
        if let Some(known) = self.known.get(self.expected)
            && known.name == name
        {
            self.expected += 1;
            return Ok(Some(self.expected - 1));
        }
        if let Some(&known) = self.names.get(name) {
            self.expected = known.map_or(self.expected, |known| known + 1);
            return Ok(known);
        }
        let number = self.described(entity).0;
        let data = self.find(name).map_err(|mut error| {
            if let LoadError::UnknownName { entity, .. } = &mut error {
                *entity = Some(number);
            }
            error
        })?;
        let known = match data {
            Some(data) => {
                let reader = self.reader(name, data)?;
                Some(self.add_known(name, data, reader)?)
            }
            None => None,
        };
        self.names.insert(name.to_owned(), known);
        self.expected = self.known.len();
        Ok(known)
    }

    fn find(&mut self, name: &str) -> Result<Option<&'static DataType>, LoadError> {
        let data = find(self.loader, self.types, name)?;
        if data.is_none() && !self.keeps() {
            self.skipped.push(name.to_owned());
        }
        Ok(data)
    }

    /// Returns the reader for the save's version; `None` if that is not known yet, and may differ from 1.
    fn reader(
        &self,
        name: &str,
        data: &'static DataType,
    ) -> Result<Option<ValueReader>, LoadError> {
        match self.version(name) {
            Some(version) => reader_of(name, data, version).map(Some),
            None if data.version() == 1 => Ok(Some(current(data))),
            None => Ok(None),
        }
    }

    /// Returns true if values of unknown names are kept.
    pub(super) fn keeps(&self) -> bool {
        self.loader.unknown == Unknown::Keep
    }

    /// Keeps an unknown component of an entity, or its edges. Calls come in the order of the entities.
    pub(super) fn keep(&mut self, name: &str, entity: u32, tree: Value) -> Result<(), LoadError> {
        let (number, place) = self.described(entity);
        let refused = |message: &str| LoadError::Value {
            entity: Some(number),
            name: name.to_owned(),
            message: format!("{place}{message}"),
            byte: None,
        };
        if is_too_deep(&tree) {
            return Err(refused("the value is nested too deep to be kept"));
        }
        let at = match self.unknown_at.get(name) {
            Some(&at) => at,
            None => {
                let (rows, orders) = (Vec::new(), Vec::new());
                self.add_unknown(name, KeptValues::Rows { rows, orders })
            }
        };
        let KeptValues::Rows { rows, .. } = &mut self.unknown[at].values else {
            return Err(refused("it is a resource, too"));
        };
        if rows.last().is_some_and(|&(last, _)| last == entity) {
            return Err(refused("the entity has it twice"));
        }
        rows.push((entity, tree));
        Ok(())
    }

    fn add_unknown(&mut self, name: &str, values: KeptValues) -> usize {
        let at = self.unknown.len();
        self.unknown_at.insert(name.to_owned(), at);
        self.unknown.push(KeptColumn {
            name: name.to_owned(),
            // It may come later.
            version: 1,
            values,
        });
        at
    }

    fn add_known(
        &mut self,
        name: &str,
        data: &'static DataType,
        reader: Option<ValueReader>,
    ) -> Result<usize, LoadError> {
        let kind = |expected| LoadError::Kind {
            name: name.to_owned(),
            expected,
        };
        let component = data.component_id().ok_or_else(|| kind("a component"))?;
        let values = if data.is_relation() {
            ErasedColumn::of_edges(component).ok_or_else(|| kind("a relation"))?
        } else {
            ErasedColumn::new(component)
        };
        let known = self.values.add(values);
        debug_assert_eq!(known, self.known.len());
        self.known.push(KnownType {
            name: name.to_owned(),
            data,
            reader,
            tree: Value::Null,
        });
        Ok(known)
    }

    /// Returns the position of a type, even if the save does not name it.
    pub(super) fn known_type(&mut self, data: &'static DataType) -> Result<usize, LoadError> {
        let of_type = |known: &KnownType| known.data.component_id() == data.component_id();
        if let Some(known) = self.known.iter().position(of_type) {
            return Ok(known);
        }
        self.add_known(data.name(), data, Some(current(data)))
    }

    /// Returns the component, or the source component of the relation.
    pub(super) fn component_of(&self, known: usize) -> ComponentId {
        self.values.component(known)
    }

    pub(super) fn name_of(&self, known: usize) -> &str {
        &self.known[known].name
    }

    /// Returns the last value that was read for a type, to reuse its memory.
    pub(super) fn last_tree(&mut self, known: usize) -> Value {
        core::mem::take(&mut self.known[known].tree)
    }

    /// Adds a component of an entity, or its edges.
    pub(super) fn value(
        &mut self,
        known: usize,
        entity: u32,
        tree: Value,
    ) -> Result<(), LoadError> {
        // Edges are checked once all entities are known.
        if self.values.is_of_edges(known) || self.known[known].reader.is_none() {
            self.later.push((entity, known, tree));
            return Ok(());
        }
        let ids = core::mem::take(&mut self.ids);
        let so_far = ids.len().min(self.values.len());
        let read = self.read(known, entity, &tree, &ids[..so_far]);
        self.ids = ids;
        match read {
            Ok(()) => {
                self.known[known].tree = tree;
                Ok(())
            }
            Err(ReadFailure {
                is_missing_id: true,
                ..
            }) => {
                self.later.push((entity, known, tree));
                Ok(())
            }
            Err(failure) => Err(self.failed(known, entity, failure)),
        }
    }

    pub(super) fn failed(&self, known: usize, entity: u32, failure: ReadFailure) -> LoadError {
        let (entity, place) = self.described(entity);
        LoadError::Value {
            entity: Some(entity),
            name: self.known[known].name.clone(),
            message: place + &failure.message,
            byte: None,
        }
    }

    /// Reads a value in the save's version. Its ids are numbers of entities in the list.
    fn read(
        &mut self,
        known: usize,
        entity: u32,
        tree: &Value,
        ids: &[Entity],
    ) -> Result<(), ReadFailure> {
        let reader = self.known[known].reader;
        let reader = reader.expect("the version is known");
        self.read_by(reader, known, entity, tree, ids)
    }

    /// Reads a value in the current version of its type. Its ids are numbers of entities in the list.
    pub(super) fn read_current(
        &mut self,
        known: usize,
        entity: u32,
        tree: &Value,
        ids: &[Entity],
    ) -> Result<(), ReadFailure> {
        let reader = current(self.known[known].data);
        self.read_by(reader, known, entity, tree, ids)
    }

    /// Reads a value. The reader belongs to the type.
    fn read_by(
        &mut self,
        reader: ValueReader,
        known: usize,
        entity: u32,
        tree: &Value,
        ids: &[Entity],
    ) -> Result<(), ReadFailure> {
        let session = Session::new(IdForm::Read {
            entities: ids,
            others: &self.others,
        });
        if self.values.has(known, entity) {
            return Err(ReadFailure {
                message: "the entity has it twice".to_owned(),
                ..ReadFailure::default()
            });
        }
        self.values.read(known, entity, |values| {
            // SAFETY: the reader belongs to the data type that has named the component, or the relation of the edges.
            unsafe { read_tree(values, reader, tree, &session) }
        })
    }

    /// Adds a resource, which may name entities that come later.
    pub(super) fn resource(&mut self, name: String, tree: Value) -> Result<(), LoadError> {
        match self.find(&name)? {
            Some(data) => {
                // Called only to refuse a version that cannot be read.
                self.reader(&name, data)?;
                self.resources.push((name, data, tree));
            }
            None if self.keeps() => {
                let message = if self.unknown_at.contains_key(&name) {
                    "it occurs twice"
                } else if is_too_deep(&tree) {
                    "the value is nested too deep to be kept"
                } else {
                    self.add_unknown(&name, KeptValues::Tree(tree));
                    return Ok(());
                };
                return Err(LoadError::Value {
                    entity: None,
                    name,
                    message: message.to_owned(),
                    byte: None,
                });
            }
            None => {}
        }
        Ok(())
    }
}

/// Returns the reader for the current version of a type.
fn current(data: &'static DataType) -> ValueReader {
    let codec = DataCodec::of(data).expect("a saved value can be read");
    ValueReader::Current(codec)
}
