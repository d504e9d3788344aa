//! Decoded values, before they are in a world.

use std::any::Any;

use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{Ids, Session};
use ecs_engine::staging::{Edge, EdgeTarget, ErasedColumn, Rows, Staged, StagedEdges};
use ecs_engine::{Entity, World};

use super::{LoadError, Loaded, Loader, Unknown, kept};
use crate::Value;
use crate::closest::closest;
use crate::codec::{Decoder, Form};
use crate::column::{self, Failure, Moving};
use crate::file::{Check, Column, File};
use crate::kept::{Bytes, Part, Values};
use crate::saved::{DataCodec, Reader};
use crate::types::Types;

/// Decoded values, before they are in a world.
pub(super) struct Staging {
    /// The ids that the entities get.
    pub(super) entities: Vec<Entity>,
    /// The ids that come next, of indices that no entity has.
    unplaced: Vec<Entity>,
    pub(super) staged: Staged,
    /// The edges, each relation once.
    pub(super) edges: Vec<StagedEdges>,
    /// The types of the resources.
    resources: Vec<&'static DataType>,
    pub(super) moved: Vec<Moved>,
    /// Values of unknown names, which the world keeps.
    pub(super) kept: Vec<Part<Entity>>,
    names: Names,
}

/// Components that are inserted one by one: those that were sparse when they were saved, and are in tables now, and those that
/// another program has kept.
pub(super) struct Moved {
    /// The numbers of the entities; [dead](ecs_engine::entity::session::is_dead) ones for those that there are not any more.
    pub(super) numbers: Vec<u32>,
    pub(super) values: ErasedColumn,
    /// True if the component of an entity that has it stays.
    pub(super) is_kept: bool,
}

/// Names that the loader does not know.
#[derive(Default)]
pub(super) struct Names {
    pub(super) skipped: Vec<String>,
    pub(super) kept: Vec<String>,
}

/// A type of the file that the loader knows.
#[derive(Clone, Copy)]
pub(crate) struct Type {
    pub(crate) data: &'static DataType,
    pub(crate) reader: Reader,
}

impl Staging {
    /// Decodes a file.
    pub(super) fn of_file(
        loader: &Loader,
        types: &Types,
        world: &mut World,
        bytes: &[u8],
    ) -> Result<Self, LoadError> {
        let (file, mut check) = File::read(bytes, loader.max_entities)?;
        let staging = Self::decode(loader, types, world, &file, &mut check);
        // What is damaged is an error of the file, whatever else is wrong with its values.
        check.finish()?;
        staging
    }

    /// Decodes the parts of a file, and tells the check how far it has read.
    fn decode<'f>(
        loader: &Loader,
        types: &Types,
        world: &mut World,
        file: &File<'f>,
        check: &mut Check<'f>,
    ) -> Result<Self, LoadError> {
        let mut names = Names::default();
        let mut known = Vec::with_capacity(file.names.len());
        for &name in &file.names {
            let ty = resolve(loader, types, name.name, name.version)?;
            if ty.is_none() {
                let unknown = match loader.unknown {
                    Unknown::Keep => &mut names.kept,
                    Unknown::Refuse | Unknown::Skip => &mut names.skipped,
                };
                unknown.push(name.name.to_owned());
            }
            known.push(ty);
        }
        let entities = entities(loader, world, file)?;
        let mut staging = Self::of_numbers(file.entities, names);
        if loader.same_ids {
            staging.unplaced.clone_from(&file.unplaced);
        }
        let session = Session::new(Ids::Read {
            entities: &entities,
            others: &[],
        });
        let mut decoding = Decoding {
            file,
            known,
            session,
            check,
        };
        decoding.tables(&mut staging)?;
        decoding.sets(&mut staging)?;
        decoding.relations(&mut staging)?;
        decoding.resources(&mut staging)?;
        let is_keeping = loader.unknown == Unknown::Keep;
        let unknown = is_keeping.then(|| decoding.unknown());
        staging.entities = entities;
        if let Some(columns) = unknown.filter(|columns| !columns.is_empty()) {
            staging.kept.push(Part {
                entities: staging.entities.clone(),
                columns,
            });
        }
        if let Some((byte, bytes)) = file.kept {
            let tree = Decoder::of_bytes(bytes);
            let parts = read_kept(tree, file.entities).map_err(|message| LoadError::Value {
                entity: None,
                name: "kept".to_owned(),
                message,
                byte: Some(byte),
            })?;
            kept::stage(loader, types, parts, &mut staging)?;
        }
        Ok(staging)
    }

    /// Moves everything into the world, and calls hooks and observers.
    pub(super) fn commit(self, world: &mut World) -> Result<Loaded, LoadError> {
        self.commit_and(world, World::announce)
    }

    /// Moves everything into the world.
    pub(super) fn commit_quietly(self, world: &mut World) -> Result<Loaded, LoadError> {
        self.commit_and(world, |_, _| {})
    }

    fn commit_and(
        self,
        world: &mut World,
        announce: impl FnOnce(&mut World, &[Entity]),
    ) -> Result<Loaded, LoadError> {
        let Self {
            entities,
            unplaced,
            mut staged,
            edges,
            resources,
            moved,
            kept,
            names: Names {
                skipped,
                kept: kept_names,
            },
        } = self;
        for edges in edges {
            staged.add_edges(edges);
        }
        world
            .commit(staged, &entities)
            .map_err(LoadError::of_stage)?;
        world.free_given(&unplaced);
        // So that the next save has them, too.
        for data in resources {
            world.make_data_known(data);
        }
        crate::kept::add(world, kept);
        announce(world, &entities);
        for Moved {
            numbers,
            mut values,
            is_kept,
        } in moved
        {
            let component = values.component();
            for (row, number) in numbers.into_iter().enumerate().rev() {
                let entity = entities.get(number as usize).copied();
                let wants = |&entity: &Entity| !(is_kept && has(world, entity, component));
                // A hook's command may have despawned it by now, and then the value stays in the column.
                let inserted = match entity.filter(wants) {
                    Some(entity) => world.insert_erased(entity, &mut values).is_ok(),
                    None => false,
                };
                if !inserted {
                    values.truncate(row);
                }
            }
        }
        Ok(Loaded {
            entities,
            skipped,
            kept: kept_names,
        })
    }

    /// Returns a staging of entities that have nothing yet.
    pub(super) fn new(entities: Vec<Entity>, names: Names) -> Self {
        let mut staging = Self::of_numbers(entities.len() as u32, names);
        staging.entities = entities;
        staging
    }

    /// Returns a staging of so many entities, which have neither ids nor anything else yet.
    fn of_numbers(entities: u32, names: Names) -> Self {
        Self {
            staged: Staged::new(entities),
            entities: Vec::new(),
            unplaced: Vec::new(),
            edges: Vec::new(),
            resources: Vec::new(),
            moved: Vec::new(),
            kept: Vec::new(),
            names,
        }
    }

    /// Adds a resource. One that was kept does not replace another.
    pub(super) fn add_resource(
        &mut self,
        data: &'static DataType,
        value: Box<dyn Any + Send + Sync>,
        is_kept: bool,
    ) {
        let mut known = self.resources.iter();
        let is_new = known.all(|known| known.name() != data.name());
        if is_new {
            self.resources.push(data);
        }
        if is_new || !is_kept {
            self.staged.add_resource(data.name(), value);
        }
    }

    pub(super) fn note_skipped(&mut self, name: &str) {
        note(&mut self.names.skipped, name);
    }

    pub(super) fn note_kept(&mut self, name: &str) {
        note(&mut self.names.kept, name);
    }
}

/// Adds a name to a list that may have it.
fn note(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|other| other == name) {
        names.push(name.to_owned());
    }
}

/// Returns true if an entity is alive and has a component.
fn has(world: &World, entity: Entity, component: ComponentId) -> bool {
    world.contains(entity) && world.has_erased(entity, component)
}

/// Reads the kept values of a file with so many entities.
fn read_kept(mut bytes: Decoder<'_>, entities: u32) -> Result<Vec<Part<u32>>, String> {
    let tree = bytes.tree().map_err(|error| error.message().to_owned())?;
    let end = bytes.finish();
    end.map_err(|error| error.message().to_owned())?;
    crate::kept::from_value(tree, entities)
}

/// Returns the type of a name; `None` if the loader does not refuse it.
pub(super) fn resolve(
    loader: &Loader,
    types: &Types,
    name: &str,
    version: u32,
) -> Result<Option<Type>, LoadError> {
    let found = types.find(name);
    let codec = found.and_then(|data| Some((data, DataCodec::of(data)?)));
    let Some((data, codec)) = codec else {
        return match loader.unknown {
            Unknown::Refuse => Err(LoadError::UnknownName {
                entity: None,
                name: name.to_owned(),
                meant: closest(name, types.names()),
            }),
            Unknown::Skip | Unknown::Keep => Ok(None),
        };
    };
    match codec.reader(data, version) {
        Some(reader) => Ok(Some(Type { data, reader })),
        None => Err(LoadError::Version {
            name: name.to_owned(),
            found: version,
            current: data.version(),
        }),
    }
}

/// Reads a tree as a resource.
pub(crate) fn read_resource(
    ty: &Type,
    tree: &Value,
    session: &Session<'_>,
) -> Result<Box<dyn Any + Send + Sync>, Failure> {
    let mut read = |place: *mut u8, written: &mut usize| {
        // SAFETY: the place is one for a value of the type, which is that of its reader.
        unsafe { column::read_tree_to(ty.reader, tree, place, session, written) }
    };
    // SAFETY: the reader counts the value of the type that it has written.
    unsafe { column::boxed(ty.data, &mut read) }
}

/// Reads bytes as a resource.
pub(super) fn boxed_resource(
    ty: &Type,
    form: Form,
    bytes: &[u8],
    session: &Session<'_>,
) -> Result<Box<dyn Any + Send + Sync>, Failure> {
    let mut read = |place: *mut u8, written: &mut usize| {
        // SAFETY: the place is one for a value of the type, which is that of its reader.
        unsafe { column::read_one(ty.reader, form, bytes, place, session, written) }
    };
    // SAFETY: the reader counts the value of the type that it has written.
    unsafe { column::boxed(ty.data, &mut read) }
}

/// A file that is being decoded.
struct Decoding<'a, 'f> {
    file: &'a File<'f>,
    /// The types by the number of the name; `None` for those that the loader does not know.
    known: Vec<Option<Type>>,
    session: Session<'a>,
    check: &'a mut Check<'f>,
}

impl Decoding<'_, '_> {
    fn tables(&mut self, staging: &mut Staging) -> Result<(), LoadError> {
        // Components that were in tables when they were saved, and are sparse now: one set of all of these tables.
        let mut sets: Vec<(Vec<u32>, ErasedColumn)> = Vec::new();
        let file = self.file;
        for table in &file.tables {
            let mut columns = Vec::with_capacity(table.columns.len());
            let numbers = table.first..table.first + table.rows;
            for column in &table.columns {
                let entity = |row: usize| table.first + row as u32;
                let Some(mut values) = self.component(column, table.rows as usize, &entity)? else {
                    continue;
                };
                let component = values.component();
                if component.storage() == StorageKind::Table {
                    columns.push(values);
                    continue;
                }
                let set = sets.iter_mut().find(|set| set.1.component() == component);
                if let Some((entities, before)) = set {
                    entities.extend(numbers.clone());
                    let rows: Vec<usize> = (0..values.len()).collect();
                    Moving::new(&mut values).take_into(&rows, before);
                } else {
                    sets.push((numbers.clone().collect(), values));
                }
            }
            staging.staged.add_table(Rows::Range(numbers), columns);
        }
        for (entities, values) in sets {
            staging.staged.add_set(entities, values);
        }
        Ok(())
    }

    fn sets(&mut self, staging: &mut Staging) -> Result<(), LoadError> {
        let file = self.file;
        for set in &file.sets {
            let entity = |row: usize| set.entities[row];
            let values = self.component(&set.column, set.entities.len(), &entity)?;
            let Some(values) = values else { continue };
            let numbers = set.entities.clone();
            if values.component().storage() == StorageKind::Table {
                staging.moved.push(Moved {
                    numbers,
                    values,
                    is_kept: false,
                });
            } else {
                staging.staged.add_set(numbers, values);
            }
        }
        Ok(())
    }

    fn relations(&mut self, staging: &mut Staging) -> Result<(), LoadError> {
        let file = self.file;
        for relation in &file.relations {
            let Some(ty) = self.known[relation.column.name] else {
                continue;
            };
            let outgoing = ty.data.component_id().filter(|_| ty.data.is_relation());
            let values = outgoing.and_then(ErasedColumn::of_edges);
            let values = values.ok_or_else(|| self.kind(&relation.column, "a relation"))?;
            let entity = |row: usize| relation.edges[row].source;
            let rows = relation.edges.len();
            let values = self.values(ty, values, &relation.column, rows, &entity)?;
            let edges = relation.edges.iter().map(|edge| Edge {
                source: edge.source,
                target: EdgeTarget::New(edge.target),
            });
            staging.edges.push(StagedEdges {
                outgoing: values.component(),
                edges: edges.collect(),
                order: relation.edges.iter().map(|edge| edge.slot).collect(),
                values,
            });
        }
        Ok(())
    }

    fn resources(&self, staging: &mut Staging) -> Result<(), LoadError> {
        for column in &self.file.resources {
            let Some(ty) = self.known[column.name] else {
                continue;
            };
            if !ty.data.is_resource() {
                return Err(self.kind(column, "a resource"));
            }
            let form = self.form(column)?;
            let value = boxed_resource(&ty, form, column.bytes, &self.session);
            let value = value.map_err(|failure| self.failed(column, None, failure))?;
            staging.add_resource(ty.data, value, false);
        }
        Ok(())
    }

    /// Returns the columns of names that the loader does not know, as they are.
    fn unknown(&self) -> Vec<crate::kept::Column> {
        let mut columns = Vec::new();
        let mut add = |column: &Column<'_>, values: &dyn Fn(Bytes) -> Values| {
            if self.known[column.name].is_some() {
                return;
            }
            let name = self.file.names[column.name];
            columns.push(crate::kept::Column {
                name: name.name.to_owned(),
                version: name.version,
                values: values(Bytes {
                    form: column.form,
                    bytes: column.bytes.to_vec(),
                }),
            });
        };
        for table in &self.file.tables {
            for column in &table.columns {
                add(column, &|bytes| Values::Component {
                    owners: Rows::Range(table.first..table.first + table.rows),
                    bytes,
                });
            }
        }
        for set in &self.file.sets {
            add(&set.column, &|bytes| Values::Component {
                owners: Rows::List(set.entities.clone()),
                bytes,
            });
        }
        for relation in &self.file.relations {
            add(&relation.column, &|bytes| Values::Edges {
                edges: relation.edges.clone(),
                bytes,
            });
        }
        for resource in &self.file.resources {
            add(resource, &Values::Resource);
        }
        columns
    }

    /// Decodes the values of a component; returns `None` if it is skipped. `entity` returns the number of the entity that has
    /// one of them.
    fn component(
        &mut self,
        column: &Column<'_>,
        rows: usize,
        entity: &dyn Fn(usize) -> u32,
    ) -> Result<Option<ErasedColumn>, LoadError> {
        let Some(ty) = self.known[column.name] else {
            return Ok(None);
        };
        let component = ty.data.component_id().filter(|_| !ty.data.is_relation());
        let component = component.ok_or_else(|| self.kind(column, "a component"))?;
        let values = ErasedColumn::new(component);
        Ok(Some(self.values(ty, values, column, rows, entity)?))
    }

    /// Decodes values into a column, which is one of the type.
    fn values(
        &mut self,
        ty: Type,
        mut values: ErasedColumn,
        column: &Column<'_>,
        rows: usize,
        entity: &dyn Fn(usize) -> u32,
    ) -> Result<ErasedColumn, LoadError> {
        let form = self.form(column)?;
        let (check, session) = (&mut *self.check, &self.session);
        let mut note = |read| check.pass(column.at + read);
        // SAFETY: the reader is that of the data type, which has named the component, or the relation of the edges.
        let read = unsafe {
            column::read_and(
                &mut values,
                ty.reader,
                form,
                column.bytes,
                rows,
                session,
                &mut note,
            )
        };
        match read {
            Ok(()) => Ok(values),
            Err(failure) => {
                let entity = failure.row.map(entity);
                Err(self.failed(column, entity, failure))
            }
        }
    }

    fn form(&self, column: &Column<'_>) -> Result<Form, LoadError> {
        match Form::of_byte(column.form) {
            Some(form) => Ok(form),
            None => Err(self.failed(
                column,
                None,
                Failure {
                    message: "there is no such form of values".to_owned(),
                    ..Failure::default()
                },
            )),
        }
    }

    fn name(&self, column: &Column<'_>) -> String {
        self.file.names[column.name].name.to_owned()
    }

    fn kind(&self, column: &Column<'_>, expected: &'static str) -> LoadError {
        let name = self.name(column);
        LoadError::Kind { name, expected }
    }

    fn failed(&self, column: &Column<'_>, entity: Option<u32>, failure: Failure) -> LoadError {
        LoadError::Value {
            entity,
            name: self.name(column),
            message: failure.message,
            byte: failure.byte.map(|byte| column.at + byte),
        }
    }
}

/// Returns the ids that the entities get.
fn entities(loader: &Loader, world: &mut World, file: &File<'_>) -> Result<Vec<Entity>, LoadError> {
    if !loader.same_ids {
        let ids = world.next_ids(file.entities as usize);
        return ids.map_err(LoadError::of_stage);
    }
    let Some(ids) = &file.ids else {
        return Err(LoadError::Ids {
            message: "the save has no ids\nhelp: write it with `Save::with_ids`".to_owned(),
        });
    };
    // The memory of a world grows with its highest index.
    let all = ids.iter().chain(&file.unplaced);
    let highest = all.map(|entity| entity.index()).max().unwrap_or(0);
    if highest >= loader.max_entities {
        return Err(LoadError::Ids {
            message: format!(
                "the save has an entity with the index {highest}, and the loader allows {} entities\nhelp: `Loader::max_entities`",
                loader.max_entities
            ),
        });
    }
    Ok(ids.clone())
}
