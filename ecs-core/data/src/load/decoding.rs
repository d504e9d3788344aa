//! Reads a save in columns.

use ecs_engine::Entity;
use ecs_engine::World;
use ecs_engine::component::StorageKind;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::staging::{EdgeTarget, ErasedColumn, StagedEdge, StagedEdges, StagedRows};

use super::outside::LoadOutside;
use super::readers::{FileType, boxed_resource, check_shape, resolve};
use super::saved_ids::entities;
use super::staging::{SingleInserts, Staging, UnknownNames};
use super::{LoadError, Loader, Unknown, kept};
use crate::Value;
use crate::codec::{Decoder, Form};
use crate::column::{self, Moving, ReadFailure};
use crate::file::{ChecksumCheck, FileColumn, FileParts};
use crate::kept::{KeptBytes, KeptFile, KeptValues};
use crate::types::DataTypes;

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
}

/// Reads the kept values of a file with this many entities.
fn read_kept(mut bytes: Decoder<'_>, entities: u32) -> Result<Vec<KeptFile<u32>>, String> {
    let tree = bytes.tree().map_err(|error| error.message().to_owned())?;
    let end = bytes.finish();
    end.map_err(|error| error.message().to_owned())?;
    crate::kept::from_value(tree, entities)
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
