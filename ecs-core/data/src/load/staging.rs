//! Decoded values, before they are in a world.

use std::any::Any;

use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::staging::{EdgeTarget, ErasedColumn, Staged, StagedEdge, StagedEdges, StagedRows};
use ecs_engine::{Entity, World};

use super::outside::LoadOutside;
use super::{LoadError, Loaded, Loader, Unknown, kept};
use crate::Value;
use crate::closest::closest;
use crate::codec::{Decoder, Form};
use crate::column::{self, Moving, ReadFailure};
use crate::file::{ChecksumCheck, FileColumn, FileParts};
use crate::kept::{KeptBytes, KeptFile, KeptValues};
use crate::saved::{DataCodec, ValueReader};
use crate::types::DataTypes;

/// Decoded values, before they are in a world.
pub(super) struct Staging {
    /// The ids that the entities get.
    pub(super) entities: Vec<Entity>,
    /// The ids that come next, of indices that no entity has.
    pub(super) unplaced: Vec<Entity>,
    pub(super) staged: Staged,
    /// The edges, each relation once.
    pub(super) edges: Vec<StagedEdges>,
    /// The types of the resources.
    resources: Vec<&'static DataType>,
    pub(super) moved: Vec<SingleInserts>,
    /// Values of unknown names, which the world keeps.
    pub(super) kept: Vec<KeptFile<Entity>>,
    /// The number of the root of a prefab.
    pub(super) root: Option<u32>,
    /// The dead ids that values of the save name.
    pub(super) dead: Vec<Entity>,
    names: UnknownNames,
}

/// Components that are inserted one by one: those that were sparse when they were saved, and are in tables now, and those that
/// another program has kept.
pub(super) struct SingleInserts {
    /// The numbers of the entities; higher ones if an entity no longer exists.
    pub(super) numbers: Vec<u32>,
    pub(super) values: ErasedColumn,
    /// True if an entity that already has the component keeps it.
    pub(super) is_kept: bool,
}

/// Names that the loader does not know.
#[derive(Default)]
pub(super) struct UnknownNames {
    pub(super) skipped: Vec<String>,
    pub(super) kept: Vec<String>,
}

/// A type of the file that the loader knows.
#[derive(Clone, Copy)]
pub(crate) struct FileType {
    pub(crate) data: &'static DataType,
    pub(crate) reader: ValueReader,
}

impl Staging {
    /// Decodes a file.
    pub(super) fn of_file(
        loader: &Loader,
        types: &DataTypes,
        world: &mut World,
        bytes: &[u8],
    ) -> Result<Self, LoadError> {
        let (file, mut check) = FileParts::read(bytes, loader.max_entities)?;
        let staging = Self::decode(loader, types, world, &file, &mut check);
        // A damaged file reports the damage, whatever errors it causes in its values.
        check.finish()?;
        staging
    }

    /// Decodes the parts of a file, and tells the check how far it has read.
    fn decode<'f>(
        loader: &Loader,
        types: &DataTypes,
        world: &mut World,
        file: &FileParts<'f>,
        check: &mut ChecksumCheck<'f>,
    ) -> Result<Self, LoadError> {
        let mut names = UnknownNames::default();
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
        let LoadOutside {
            entities: others,
            dead,
        } = outside(loader, world, file)?;
        staging.root = file.root;
        staging.dead = dead;
        let session = Session::new(IdForm::Read {
            entities: &entities,
            others: &others,
        });
        let mut decoding = Decoding {
            file,
            is_checked: vec![false; known.len()],
            known,
            others: &others,
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
            let all = staging.entities.iter().chain(&others);
            staging.kept.push(KeptFile {
                entities: all.copied().collect(),
                columns,
            });
        }
        if let Some((byte, bytes)) = file.kept {
            let tree = Decoder::of_bytes(bytes);
            let parts =
                read_kept(tree, file.entities + others.len() as u32).map_err(|message| {
                    LoadError::Value {
                        entity: None,
                        name: "kept".to_owned(),
                        message,
                        byte: Some(byte),
                    }
                })?;
            kept::stage(loader, types, parts, &others, &mut staging)?;
        }
        Ok(staging)
    }

    /// Moves everything into the world, and calls hooks and observers unless the loader is [quiet](Loader::quietly).
    pub(super) fn commit(self, loader: &Loader, world: &mut World) -> Result<Loaded, LoadError> {
        if loader.is_quiet {
            return self.commit_quietly(world);
        }
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
            root: _,
            dead,
            names:
                UnknownNames {
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
        world.take_dead_ids(&dead);
        // So that the next save has them, too.
        for data in resources {
            world.make_data_known(data);
        }
        crate::kept::add(world, kept);
        announce(world, &entities);
        for SingleInserts {
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
    pub(super) fn new(entities: Vec<Entity>, names: UnknownNames) -> Self {
        let mut staging = Self::of_numbers(entities.len() as u32, names);
        staging.entities = entities;
        staging
    }

    /// Returns a staging of this many entities, which have neither ids nor anything else yet.
    fn of_numbers(entities: u32, names: UnknownNames) -> Self {
        Self {
            staged: Staged::new(entities),
            entities: Vec::new(),
            unplaced: Vec::new(),
            edges: Vec::new(),
            resources: Vec::new(),
            moved: Vec::new(),
            kept: Vec::new(),
            root: None,
            dead: Vec::new(),
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

/// Reads the kept values of a file with this many entities.
fn read_kept(mut bytes: Decoder<'_>, entities: u32) -> Result<Vec<KeptFile<u32>>, String> {
    let tree = bytes.tree().map_err(|error| error.message().to_owned())?;
    let end = bytes.finish();
    end.map_err(|error| error.message().to_owned())?;
    crate::kept::from_value(tree, entities)
}

/// Returns the type of a name, and the reader of a version of it; `None` if the loader knows no type, and does not refuse it.
pub(super) fn resolve(
    loader: &Loader,
    types: &DataTypes,
    name: &str,
    version: u32,
) -> Result<Option<FileType>, LoadError> {
    let Some(data) = find(loader, types, name)? else {
        return Ok(None);
    };
    let reader = reader_of(name, data, version)?;
    Ok(Some(FileType { data, reader }))
}

/// Returns the type of a name; `None` if the loader knows none, and does not refuse it.
pub(super) fn find(
    loader: &Loader,
    types: &DataTypes,
    name: &str,
) -> Result<Option<&'static DataType>, LoadError> {
    let found = types.find(name);
    let found = found.filter(|data| DataCodec::of(data).is_some());
    match (found, loader.unknown) {
        (None, Unknown::Refuse) => Err(LoadError::UnknownName {
            entity: None,
            name: name.to_owned(),
            meant: closest(name, types.names()),
        }),
        (found, _) => Ok(found),
    }
}

/// Returns the reader of a version of a type.
pub(super) fn reader_of(
    name: &str,
    data: &'static DataType,
    version: u32,
) -> Result<ValueReader, LoadError> {
    let codec = DataCodec::of(data);
    let reader = codec.and_then(|codec| codec.reader(data, version));
    reader.ok_or_else(|| LoadError::Version {
        name: name.to_owned(),
        found: version,
        current: data.version(),
    })
}

/// Refuses values in plain bytes whose shape differs from the reader's, and trees that would lose a part.
pub(super) fn check_shape(
    name: &str,
    version: u32,
    reader: ValueReader,
    form: Form,
    shape: Option<&str>,
    bytes: &[u8],
) -> Result<(), LoadError> {
    let other = match form {
        Form::Plain => shape.and_then(|found| {
            let current = reader.misread(found, bytes)?;
            Some((found.to_owned(), (*current).to_owned()))
        }),
        Form::Tree => reader.lost(bytes).map(|lost| (lost.found, lost.current)),
    };
    match other {
        None => Ok(()),
        Some((found, current)) => Err(LoadError::Shape {
            name: name.to_owned(),
            version,
            found,
            current,
        }),
    }
}

/// Reads a tree as a resource.
pub(crate) fn read_resource(
    ty: &FileType,
    tree: &Value,
    session: &Session<'_>,
) -> Result<Box<dyn Any + Send + Sync>, ReadFailure> {
    let mut read = |place: *mut u8, written: &mut usize| {
        // SAFETY: the place is for a value of the type, and the reader belongs to the type.
        unsafe { column::read_tree_to(ty.reader, tree, place, session, written) }
    };
    // SAFETY: the reader counts the value of the type that it has written.
    unsafe { column::boxed(ty.data, &mut read) }
}

/// Reads bytes as a resource.
pub(super) fn boxed_resource(
    ty: &FileType,
    form: Form,
    bytes: &[u8],
    session: &Session<'_>,
) -> Result<Box<dyn Any + Send + Sync>, ReadFailure> {
    let mut read = |place: *mut u8, written: &mut usize| {
        // SAFETY: the place is for a value of the type, and the reader belongs to the type.
        unsafe { column::read_one(ty.reader, form, bytes, place, session, written) }
    };
    // SAFETY: the reader counts the value of the type that it has written.
    unsafe { column::boxed(ty.data, &mut read) }
}

/// A file that is being decoded.
struct Decoding<'a, 'f> {
    file: &'a FileParts<'f>,
    /// The types by the number of the name; `None` for types that the loader does not know.
    known: Vec<Option<FileType>>,
    /// By the number of the name, whether the shape was compared.
    is_checked: Vec<bool>,
    /// The entities outside of the save, whose numbers follow the numbers of the saved entities.
    others: &'a [Entity],
    session: Session<'a>,
    check: &'a mut ChecksumCheck<'f>,
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
            staging
                .staged
                .add_table(StagedRows::Range(numbers), columns);
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
                staging.moved.push(SingleInserts {
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
            let edges = relation.edges.iter().map(|edge| StagedEdge {
                source: edge.source,
                target: match edge.target.checked_sub(file.entities) {
                    Some(other) => EdgeTarget::Living(self.others[other as usize]),
                    None => EdgeTarget::New(edge.target),
                },
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

    fn resources(&mut self, staging: &mut Staging) -> Result<(), LoadError> {
        let file = self.file;
        for column in &file.resources {
            let Some(ty) = self.known[column.name] else {
                continue;
            };
            if !ty.data.is_resource() {
                return Err(self.kind(column, "a resource"));
            }
            let form = self.form(ty, column)?;
            let value = boxed_resource(&ty, form, column.bytes, &self.session);
            let value = value.map_err(|failure| self.failed(column, None, failure))?;
            staging.add_resource(ty.data, value, false);
        }
        Ok(())
    }

    /// Returns the columns of names that the loader does not know, unchanged.
    fn unknown(&self) -> Vec<crate::kept::KeptColumn> {
        let mut columns = Vec::new();
        let mut add = |column: &FileColumn<'_>, values: &dyn Fn(KeptBytes) -> KeptValues| {
            if self.known[column.name].is_some() {
                return;
            }
            let name = self.file.names[column.name];
            columns.push(crate::kept::KeptColumn {
                name: name.name.to_owned(),
                version: name.version,
                values: values(KeptBytes {
                    form: column.form,
                    shape: name.shape.map(str::to_owned),
                    bytes: column.bytes.to_vec(),
                }),
            });
        };
        for table in &self.file.tables {
            for column in &table.columns {
                add(column, &|bytes| KeptValues::Component {
                    owners: StagedRows::Range(table.first..table.first + table.rows),
                    bytes,
                });
            }
        }
        for set in &self.file.sets {
            add(&set.column, &|bytes| KeptValues::Component {
                owners: StagedRows::List(set.entities.clone()),
                bytes,
            });
        }
        for relation in &self.file.relations {
            add(&relation.column, &|bytes| KeptValues::Edges {
                edges: relation.edges.clone(),
                bytes,
            });
        }
        for resource in &self.file.resources {
            add(resource, &KeptValues::Resource);
        }
        columns
    }

    /// Decodes the values of a component; returns `None` if it is skipped. `entity` returns the number of the entity that has
    /// one of them.
    fn component(
        &mut self,
        column: &FileColumn<'_>,
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
        ty: FileType,
        mut values: ErasedColumn,
        column: &FileColumn<'_>,
        rows: usize,
        entity: &dyn Fn(usize) -> u32,
    ) -> Result<ErasedColumn, LoadError> {
        let form = self.form(ty, column)?;
        let (check, session) = (&mut *self.check, &self.session);
        let mut note = |read| check.pass(column.at + read);
        // SAFETY: the reader belongs to the data type that has named the component, or the relation of the edges.
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

    /// Returns the form of a column, whose values have a shape that can be read.
    fn form(&mut self, ty: FileType, column: &FileColumn<'_>) -> Result<Form, LoadError> {
        let Some(form) = Form::of_byte(column.form) else {
            return Err(self.failed(
                column,
                None,
                ReadFailure {
                    message: "there is no such form of values".to_owned(),
                    ..ReadFailure::default()
                },
            ));
        };
        // All plain columns of a type have one shape, and each tree has names of its own.
        let is_checked = core::mem::replace(&mut self.is_checked[column.name], true);
        if form == Form::Tree || !is_checked {
            let name = &self.file.names[column.name];
            let (reader, bytes) = (ty.reader, column.bytes);
            check_shape(name.name, name.version, reader, form, name.shape, bytes)?;
        }
        Ok(form)
    }

    fn name(&self, column: &FileColumn<'_>) -> String {
        self.file.names[column.name].name.to_owned()
    }

    fn kind(&self, column: &FileColumn<'_>, expected: &'static str) -> LoadError {
        let name = self.name(column);
        LoadError::Kind { name, expected }
    }

    fn failed(
        &self,
        column: &FileColumn<'_>,
        entity: Option<u32>,
        failure: ReadFailure,
    ) -> LoadError {
        LoadError::Value {
            entity,
            name: self.name(column),
            message: failure.message,
            byte: failure.byte.map(|byte| column.at + byte),
        }
    }
}

/// Returns the ids that the entities get.
fn entities(
    loader: &Loader,
    world: &mut World,
    file: &FileParts<'_>,
) -> Result<Vec<Entity>, LoadError> {
    if !loader.same_ids {
        let ids = world.next_ids(file.entities as usize);
        return ids.map_err(LoadError::of_stage);
    }
    let ids = file.ids.as_ref().ok_or_else(no_ids)?;
    check_highest(loader, ids.iter().chain(&file.unplaced))?;
    Ok(ids.clone())
}

/// Refuses ids whose indices are higher than the loader allows: the memory of a world grows with its highest index.
pub(super) fn check_highest<'a>(
    loader: &Loader,
    ids: impl Iterator<Item = &'a Entity>,
) -> Result<(), LoadError> {
    let highest = ids.map(|entity| entity.index()).max().unwrap_or(0);
    if highest < loader.max_entities {
        return Ok(());
    }
    Err(LoadError::Ids {
        message: format!(
            "the save has an entity with the index {highest}, and the loader allows {} entities; help: raise the limit by `Loader::max_entities`",
            loader.max_entities
        ),
    })
}

/// Returns the error of a save without ids.
pub(super) fn no_ids() -> LoadError {
    LoadError::Ids {
        message: "the save has no ids; help: write it with `Save::with_ids`, or load it without `Loader::same_ids`".to_owned(),
    }
}

/// Returns the entities outside of a file.
fn outside(loader: &Loader, world: &World, file: &FileParts<'_>) -> Result<LoadOutside, LoadError> {
    let outside = file.outside;
    let find = |keys: &[Value]| LoadOutside::of(loader, world, file.entities, keys, &file.dead);
    if outside.bytes.is_empty() && outside.count == 0 {
        return find(&[]);
    }
    let failed = |message: &str| LoadError::Value {
        entity: None,
        name: "outside".to_owned(),
        message: message.to_owned(),
        byte: Some(outside.at),
    };
    let mut tree = Decoder::of_bytes(outside.bytes);
    let keys = tree.tree().map_err(|error| failed(error.message()))?;
    tree.finish().map_err(|error| failed(error.message()))?;
    let keys = keys.as_list();
    let keys = keys.filter(|keys| keys.len() == outside.count as usize);
    let keys = keys.ok_or_else(|| failed("there are more or fewer keys than it says"))?;
    find(keys)
}
