//! Values that are read row by row, and put into columns.

use std::collections::HashMap;

use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::staging::{EdgeTarget, ErasedColumn, Staged, StagedEdge, StagedEdges, StagedRows};
use ecs_engine::{Entity, World};

use super::nested::{NestedCopy, NestedError, NestedKeys};
use super::outside::LoadOutside;
use super::staging::{
    FileType, Staging, UnknownNames, check_highest, find, no_ids, read_resource, reader_of,
};
use super::{LoadError, Loader, Unknown, kept};
use crate::Value;
use crate::column::{Moving, ReadFailure, read_tree};
use crate::kept::{KeptColumn, KeptFile, KeptValues, is_too_deep};
use crate::saved::{DataCodec, ValueReader};
use crate::types::DataTypes;
use crate::value::NULL;

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
    /// The last name that was read; the next one reuses its memory.
    pub(super) name: String,
    /// The position in `known` of the name that comes next in an ordinary row.
    expected: usize,
    /// By entity: its table components, with positions in `known` and rows in the columns there.
    pub(super) rows: Vec<Vec<(usize, usize)>>,
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
    values: ErasedColumn,
    place: ValuePlace,
    /// The last value that was read; the next one reuses its memory.
    tree: Value,
}

/// The place where the values of a type belong.
enum ValuePlace {
    Table,
    /// In a set, for these entities.
    Set(Vec<u32>),
    /// On these edges.
    Edges(Vec<StagedEdge>),
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
            rows: Vec::new(),
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
        self.rows.push(Vec::new());
        self.expected = 0;
        let rows = self.rows.len();
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
        (self.rows.len() - 1) as u32
    }

    /// Removes the last row, which has no entity.
    pub(super) fn drop_row(&mut self) {
        self.rows.pop();
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
        let (values, place) = if data.is_relation() {
            let values = ErasedColumn::of_edges(component);
            (
                values.ok_or_else(|| kind("a relation"))?,
                ValuePlace::Edges(Vec::new()),
            )
        } else if component.storage() == StorageKind::Table {
            (ErasedColumn::new(component), ValuePlace::Table)
        } else {
            (ErasedColumn::new(component), ValuePlace::Set(Vec::new()))
        };
        self.known.push(KnownType {
            name: name.to_owned(),
            data,
            reader,
            values,
            place,
            tree: Value::Null,
        });
        Ok(self.known.len() - 1)
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
        self.known[known].values.component()
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
        let KnownType { place, reader, .. } = &self.known[known];
        if matches!(place, ValuePlace::Edges(_)) || reader.is_none() {
            self.later.push((entity, known, tree));
            return Ok(());
        }
        let ids = core::mem::take(&mut self.ids);
        let so_far = ids.len().min(self.rows.len());
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
        let KnownType { values, place, .. } = &mut self.known[known];
        let row = values.len();
        if matches!(place, ValuePlace::Table)
            && self.rows[entity as usize]
                .iter()
                .any(|&(other, _)| other == known)
        {
            return Err(ReadFailure {
                message: "the entity has it twice".to_owned(),
                ..ReadFailure::default()
            });
        }
        // SAFETY: the reader belongs to the data type that has named the component, or the relation of the edges.
        unsafe { read_tree(values, reader, tree, &session) }?;
        match place {
            ValuePlace::Table => self.rows[entity as usize].push((known, row)),
            ValuePlace::Set(entities) => entities.push(entity),
            ValuePlace::Edges(_) => {}
        }
        Ok(())
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
                    "it is there twice"
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

    /// Returns the ids that this many entities get.
    fn final_ids(&self, world: &mut World, entities: usize) -> Result<Vec<Entity>, LoadError> {
        if !self.loader.same_ids {
            return world.next_ids(entities).map_err(LoadError::of_stage);
        }
        let ids = self.saved_ids.as_ref().ok_or_else(no_ids)?;
        if ids.len() != entities {
            return Err(LoadError::Ids {
                message: format!(
                    "the save has {} ids, and {entities} entities; help: list the id of each entity in the part `ids`, in the order of their numbers",
                    ids.len()
                ),
            });
        }
        check_highest(self.loader, self.next_ids.iter())?;
        Ok(ids.clone())
    }

    /// Reads the values that had to wait for all entities, and puts all values into columns.
    pub(super) fn finish(mut self, world: &mut World) -> Result<Staging, LoadError> {
        self.settle_versions()?;
        self.listed = self.rows.len() as u32;
        let entities = self.rows.len() + self.nested_entities as usize;
        self.rows.resize_with(entities, Vec::new);
        let ids = self.final_ids(world, entities)?;
        self.ids.clone_from(&ids);
        let outside = LoadOutside::of(
            self.loader,
            world,
            entities as u32,
            &self.outside,
            &self.dead,
        )?;
        self.others = outside.entities;
        if let Some(root) = self.root.filter(|&root| root as usize >= entities) {
            let error = NestedError::Form {
                message: "the root of the prefab is no entity of the save".to_owned(),
            };
            return Err(LoadError::Nested {
                entity: root,
                error,
            });
        }
        self.expand(&ids)?;
        for (entity, known, tree) in core::mem::take(&mut self.later) {
            if matches!(self.known[known].place, ValuePlace::Edges(_)) {
                self.read_edges(known, entity, &tree, &ids)?;
            } else if let Err(failure) = self.read(known, entity, &tree, &ids) {
                return Err(self.failed(known, entity, failure));
            }
        }
        let mut unknown = core::mem::take(&mut self.unknown);
        for column in &mut unknown {
            column.version = self.version(&column.name).unwrap_or(1);
        }
        let names = UnknownNames {
            skipped: core::mem::take(&mut self.skipped),
            kept: unknown.iter().map(|column| column.name.clone()).collect(),
        };
        let mut staging = Staging::new(self.ids.clone(), names);
        staging.root = self.root;
        staging.dead = outside.dead;
        if self.loader.same_ids {
            staging.unplaced = core::mem::take(&mut self.next_ids);
        }
        let session = Session::new(IdForm::Read {
            entities: &self.ids,
            others: &self.others,
        });
        for (name, data, tree) in &self.resources {
            let reader = reader_of(name, data, self.version(name).unwrap_or(1))?;
            let ty = FileType { data, reader };
            let value = read_resource(&ty, tree, &session).map_err(|failure| LoadError::Value {
                entity: None,
                name: name.clone(),
                message: failure.message,
                byte: None,
            })?;
            staging.add_resource(data, value, false);
        }
        self.stage_tables(&mut staging.staged);
        self.stage_others(&mut staging);
        if !unknown.is_empty() {
            let columns = unknown.into_iter().map(|column| self.ordered(column));
            let columns = columns.collect();
            let mut entities = self.ids;
            entities.extend(&self.others);
            staging.kept.push(KeptFile { columns, entities });
        }
        if !self.kept.is_null() {
            let parts = crate::kept::from_value(self.kept, (entities + self.others.len()) as u32);
            let parts = parts.map_err(|message| LoadError::Value {
                entity: None,
                name: "kept".to_owned(),
                message,
                byte: None,
            })?;
            kept::stage(self.loader, self.types, parts, &self.others, &mut staging)?;
        }
        Ok(staging)
    }

    /// If the column belongs to a relation, adds the saved orders of its sources.
    fn ordered(&self, mut column: KeptColumn) -> KeptColumn {
        let is_entity = |number: &u32| (*number as usize) < self.rows.len();
        if let KeptValues::Rows { orders, .. } = &mut column.values
            && let Some(found) = self.orders.get(&column.name)
        {
            let all = found.iter();
            let valid = all.filter(|order| is_entity(&order.0) && order.1.iter().all(is_entity));
            orders.extend(valid.cloned());
        }
        column
    }

    /// Reads the edges of a source.
    fn read_edges(
        &mut self,
        known: usize,
        source: u32,
        tree: &Value,
        ids: &[Entity],
    ) -> Result<(), LoadError> {
        for WrittenEdge {
            written,
            target,
            value,
        } in edges_of(tree)
        {
            let target = target.and_then(|target| {
                let other = (target as usize).checked_sub(self.rows.len());
                match other {
                    Some(other) => self.others.get(other).copied().map(EdgeTarget::Living),
                    None => Some(EdgeTarget::New(target)),
                }
            });
            let Some(target) = target else {
                let failure = ReadFailure {
                    message: format!("expected the number of an entity, found {written}"),
                    ..ReadFailure::default()
                };
                return Err(self.failed(known, source, failure));
            };
            let read = self.read(known, source, value, ids);
            read.map_err(|failure| self.failed(known, source, failure))?;
            self.add_edge(known, source, target);
        }
        Ok(())
    }

    /// Adds an edge whose value was read.
    pub(super) fn add_edge(&mut self, known: usize, source: u32, target: EdgeTarget) {
        if let ValuePlace::Edges(edges) = &mut self.known[known].place {
            edges.push(StagedEdge { source, target });
        }
    }

    /// Groups the entities by their table components, in the order of first use.
    fn stage_tables(&mut self, staged: &mut Staged) {
        let mut groups: Vec<(Vec<usize>, Vec<u32>)> = Vec::new();
        let mut by_components: HashMap<Vec<usize>, usize> = HashMap::new();
        let (mut components, mut last) = (Vec::new(), 0);
        for (entity, row) in self.rows.iter().enumerate() {
            components.clear();
            components.extend(row.iter().map(|&(known, _)| known));
            components.sort_unstable();
            // Entities with the same components usually come one after the other.
            if groups.get(last).is_none_or(|group| group.0 != components) {
                last = match by_components.get(&components) {
                    Some(&group) => group,
                    None => {
                        groups.push((components.clone(), Vec::new()));
                        by_components.insert(components.clone(), groups.len() - 1);
                        groups.len() - 1
                    }
                };
            }
            groups[last].1.push(entity as u32);
        }
        let mut moving: HashMap<usize, Moving> = HashMap::new();
        for (position, known) in self.known.iter_mut().enumerate() {
            if matches!(known.place, ValuePlace::Table) {
                moving.insert(position, Moving::new(&mut known.values));
            }
        }
        for (components, entities) in groups {
            let mut columns = Vec::with_capacity(components.len());
            for known in components {
                let rows = entities.iter().map(|&entity| {
                    let row = &self.rows[entity as usize];
                    let found = row.iter().find(|&&(other, _)| other == known);
                    found.expect("an entity of the group").1
                });
                let rows: Vec<usize> = rows.collect();
                columns.extend(moving.get_mut(&known).map(|moving| moving.take(&rows)));
            }
            staged.add_table(StagedRows::List(entities), columns);
        }
    }

    /// Stages sparse components and edges.
    fn stage_others(&mut self, staging: &mut Staging) {
        for KnownType {
            name,
            mut values,
            place,
            ..
        } in core::mem::take(&mut self.known)
        {
            match place {
                ValuePlace::Table => {}
                ValuePlace::Set(entities) => staging.staged.add_set(entities, values),
                ValuePlace::Edges(edges) => {
                    let sources = self.orders.get(&name);
                    let mut positions: Vec<usize> = (0..edges.len()).collect();
                    // The values of copies of prefabs were added apart from the others.
                    positions.sort_by_key(|&edge| edges[edge].source);
                    let orders = sources.map_or(&[][..], Vec::as_slice);
                    let sorted = order_of(&edges, positions, orders);
                    let outgoing = values.component();
                    let mut moving = Moving::new(&mut values);
                    staging.edges.push(StagedEdges {
                        outgoing,
                        edges: sorted.iter().map(|&edge| edges[edge]).collect(),
                        // The targets of a source have the order of the file.
                        order: sorted.iter().map(|&edge| edge as u32).collect(),
                        values: moving.take(&sorted),
                    });
                }
            }
        }
    }
}

/// Returns the reader for the current version of a type.
fn current(data: &'static DataType) -> ValueReader {
    let codec = DataCodec::of(data).expect("a saved value can be read");
    ValueReader::Current(codec)
}

/// An edge in a row.
pub(super) struct WrittenEdge<'a> {
    pub(super) written: &'a Value,
    /// The number of the target; `None` if there is none.
    pub(super) target: Option<u32>,
    pub(super) value: &'a Value,
}

/// Returns the edges of a source: a target; a target with a value, `{ "to": 3, "value": .. }`; or a list of these.
pub(super) fn edges_of(tree: &Value) -> impl Iterator<Item = WrittenEdge<'_>> {
    let edges = tree.as_list().unwrap_or(core::slice::from_ref(tree));
    edges.iter().map(|written| {
        let (to, value) = match written.as_map() {
            Some(_) => (written.get("to"), written.get("value")),
            None => (Some(written), None),
        };
        let to = to.and_then(Value::as_int);
        WrittenEdge {
            written,
            target: to.and_then(|to| u32::try_from(to).ok()),
            value: value.unwrap_or(&NULL),
        }
    })
}

/// Sorts positions of edges so that the sources of each target come in the given order; sources that the order lacks come
/// last, and keep their order.
pub(super) fn order_of(
    edges: &[StagedEdge],
    mut positions: Vec<usize>,
    orders: &[(u32, Vec<u32>)],
) -> Vec<usize> {
    let mut ranks: HashMap<(u32, u32), usize> = HashMap::new();
    for (target, sources) in orders {
        for (rank, &source) in sources.iter().enumerate() {
            ranks.entry((*target, source)).or_insert(rank);
        }
    }
    let rank = |&edge: &usize| {
        let edge = edges[edge];
        let EdgeTarget::New(target) = edge.target else {
            return usize::MAX;
        };
        let rank = ranks.get(&(target, edge.source));
        rank.copied().unwrap_or(usize::MAX)
    };
    if !ranks.is_empty() {
        positions.sort_by_key(rank);
    }
    positions
}
