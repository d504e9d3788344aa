//! Reads values that another program has kept, if their names are known here, and keeps them otherwise.

use std::collections::HashSet;

use ecs_engine::Entity;
use ecs_engine::entity::session::{IdForm, Session, dead};
use ecs_engine::staging::{EdgeTarget, ErasedColumn, StagedEdge, StagedEdges};

use super::readers::{FileType, boxed_resource, check_shape, read_resource, resolve};
use super::staging::{SingleInserts, Staging};
use super::written_edges::{WrittenEdge, edges_of, order_of};
use super::{LoadError, Loader, Unknown};
use crate::codec::Form;
use crate::column::{self, Moving, ReadFailure};
use crate::file;
use crate::kept::{KeptBytes, KeptColumn, KeptFile, KeptValues};
use crate::types::DataTypes;

/// Adds kept values to a staging, which has its entities and all other values; `others` are the entities outside of the save. If
/// both have a value, the kept one is dropped.
pub(super) fn stage(
    loader: &Loader,
    types: &DataTypes,
    parts: Vec<KeptFile<u32>>,
    others: &[Entity],
    staging: &mut Staging,
) -> Result<(), LoadError> {
    let saved = staging.entities.len() as u32;
    for KeptFile { entities, columns } in parts {
        let of_number = |&number: &u32| {
            let saved = staging.entities.iter();
            saved.chain(others).nth(number as usize).copied()
        };
        let ids = entities
            .iter()
            .map(|number| of_number(number).unwrap_or_else(|| dead(*number)));
        let ids: Vec<Entity> = ids.collect();
        let mut unknown = Vec::new();
        for column in columns {
            match resolve(loader, types, &column.name, column.version)? {
                None if loader.unknown == Unknown::Keep => {
                    staging.note_kept(&column.name);
                    unknown.push(column);
                }
                None => staging.note_skipped(&column.name),
                Some(ty) => {
                    let reading = KeptReading {
                        name: &column.name,
                        version: column.version,
                        ty,
                        numbers: &entities,
                        saved,
                        session: Session::new(IdForm::Read {
                            entities: &ids,
                            others: &[],
                        }),
                    };
                    reading.values(&column, staging)?;
                }
            }
        }
        if !unknown.is_empty() {
            staging.kept.push(KeptFile {
                entities: ids,
                columns: unknown,
            });
        }
    }
    Ok(())
}

/// A column that is being read.
struct KeptReading<'a> {
    name: &'a str,
    version: u32,
    ty: FileType,
    /// The numbers in the file, by the numbers in the part.
    numbers: &'a [u32],
    /// The number of entities of the file; higher numbers belong to others.
    saved: u32,
    session: Session<'a>,
}

impl KeptReading<'_> {
    fn values(&self, column: &KeptColumn, staging: &mut Staging) -> Result<(), LoadError> {
        match &column.values {
            KeptValues::Rows { rows, orders } if self.ty.data.is_relation() => {
                let mut values = self.edge_column()?;
                let mut edges = Vec::new();
                for (source, tree) in rows {
                    for WrittenEdge { target, value, .. } in edges_of(tree) {
                        let target = target.filter(|&to| (to as usize) < self.numbers.len());
                        let target = target.ok_or_else(|| {
                            self.failed(*source, "an edge has no number of an entity".to_owned())
                        })?;
                        // SAFETY: the reader belongs to the data type of the relation.
                        let read = unsafe {
                            column::read_tree(&mut values, self.ty.reader, value, &self.session)
                        };
                        read.map_err(|failure| self.failed(*source, failure.message))?;
                        edges.push((*source, target, edges.len() as u32));
                    }
                }
                let list = edges.iter().map(|&(source, target, _)| StagedEdge {
                    source,
                    target: EdgeTarget::New(target),
                });
                let list: Vec<StagedEdge> = list.collect();
                let sorted = order_of(&list, (0..list.len()).collect(), orders);
                let edges: Vec<_> = sorted.iter().map(|&edge| edges[edge]).collect();
                let values = Moving::new(&mut values).take(&sorted);
                self.stage_edges(&edges, values, staging);
            }
            KeptValues::Rows { rows, .. } => {
                let mut values = self.component_column()?;
                for (entity, tree) in rows {
                    // SAFETY: the reader belongs to the data type that has named the component.
                    let read = unsafe {
                        column::read_tree(&mut values, self.ty.reader, tree, &self.session)
                    };
                    read.map_err(|failure| self.failed(*entity, failure.message))?;
                }
                let numbers = rows.iter().map(|row| self.numbers[row.0 as usize]);
                staging.moved.push(SingleInserts {
                    numbers: numbers.collect(),
                    values,
                    is_kept: true,
                });
            }
            KeptValues::Component { owners, bytes } => {
                let values = self.component_column()?;
                let rows = owners.len();
                let values = self.bytes(values, bytes, rows, |row| owners.at(row))?;
                let numbers = (0..rows).map(|row| self.numbers[owners.at(row) as usize]);
                staging.moved.push(SingleInserts {
                    numbers: numbers.collect(),
                    values,
                    is_kept: true,
                });
            }
            KeptValues::Edges { edges, bytes } => {
                let values = self.edge_column()?;
                let values = self.bytes(values, bytes, edges.len(), |row| edges[row].source)?;
                let edges = edges
                    .iter()
                    .map(|edge: &file::FileEdge| (edge.source, edge.target, edge.slot));
                self.stage_edges(&edges.collect::<Vec<_>>(), values, staging);
            }
            KeptValues::Tree(_) | KeptValues::Resource(_) => {
                if !self.ty.data.is_resource() {
                    return Err(self.kind("a resource"));
                }
                let value = match &column.values {
                    KeptValues::Tree(tree) => read_resource(&self.ty, tree, &self.session),
                    KeptValues::Resource(bytes) => {
                        let form = self.form(bytes)?;
                        boxed_resource(&self.ty, form, &bytes.bytes, &self.session)
                    }
                    _ => return Ok(()),
                };
                let value = value.map_err(|failure| self.error(None, failure.message))?;
                staging.add_resource(self.ty.data, value, true);
            }
        }
        Ok(())
    }

    /// Reads the values of a column. `entity` returns the number of the entity that has one of them.
    fn bytes(
        &self,
        mut values: ErasedColumn,
        bytes: &KeptBytes,
        rows: usize,
        entity: impl Fn(usize) -> u32,
    ) -> Result<ErasedColumn, LoadError> {
        let form = self.form(bytes)?;
        let (reader, session) = (self.ty.reader, &self.session);
        // SAFETY: the reader belongs to the data type that has named the component, or the relation of the edges.
        let read = unsafe { column::read(&mut values, reader, form, &bytes.bytes, rows, session) };
        match read {
            Ok(()) => Ok(values),
            Err(ReadFailure { row, message, .. }) => Err(match row {
                Some(row) => self.failed(entity(row), message),
                None => self.error(None, message),
            }),
        }
    }

    /// Adds edges, by the numbers in the part, to the file's own. Sources that have edges there keep them.
    fn stage_edges(
        &self,
        edges: &[(u32, u32, u32)],
        mut values: ErasedColumn,
        staging: &mut Staging,
    ) {
        let outgoing = values.component();
        let mut staged = staging.edges.iter_mut();
        let staged = staged.find(|staged| staged.outgoing == outgoing);
        let sources = staged.iter().flat_map(|staged| &staged.edges);
        let sources: HashSet<u32> = sources.map(|edge| edge.source).collect();
        let (mut taken, mut dropped) = (Vec::new(), Vec::new());
        let mut found = StagedEdges {
            outgoing,
            edges: Vec::new(),
            order: Vec::new(),
            values: ErasedColumn::of_edges(outgoing).expect("the column is one of edges"),
        };
        for (row, &(source, target, order)) in edges.iter().enumerate() {
            let [source, target] = [source, target].map(|end| self.numbers[end as usize]);
            if source >= self.saved || target >= self.saved || sources.contains(&source) {
                dropped.push(row);
                continue;
            }
            taken.push(row);
            found.order.push(order);
            found.edges.push(StagedEdge {
                source,
                target: EdgeTarget::New(target),
            });
        }
        let mut moving = Moving::new(&mut values);
        drop(moving.take(&dropped));
        match staged {
            Some(staged) => {
                staged.edges.append(&mut found.edges);
                staged.order.append(&mut found.order);
                moving.take_into(&taken, &mut staged.values);
            }
            None => {
                moving.take_into(&taken, &mut found.values);
                staging.edges.push(found);
            }
        }
    }

    fn component_column(&self) -> Result<ErasedColumn, LoadError> {
        let data = self.ty.data;
        let component = data.component_id().filter(|_| !data.is_relation());
        let component = component.ok_or_else(|| self.kind("a component"))?;
        Ok(ErasedColumn::new(component))
    }

    fn edge_column(&self) -> Result<ErasedColumn, LoadError> {
        let data = self.ty.data;
        let outgoing = data.component_id().filter(|_| data.is_relation());
        let values = outgoing.and_then(ErasedColumn::of_edges);
        values.ok_or_else(|| self.kind("a relation"))
    }

    fn kind(&self, expected: &'static str) -> LoadError {
        let name = self.name.to_owned();
        LoadError::Kind { name, expected }
    }

    /// Returns the form of values whose shape can be read.
    fn form(&self, KeptBytes { form, shape, bytes }: &KeptBytes) -> Result<Form, LoadError> {
        let no_form = || self.error(None, "there is no such form of values".to_owned());
        let form = Form::of_byte(*form).ok_or_else(no_form)?;
        let (reader, shape) = (self.ty.reader, shape.as_deref());
        check_shape(self.name, self.version, reader, form, shape, bytes)?;
        Ok(form)
    }

    /// Returns the error of a value of an entity, by the number of the part.
    fn failed(&self, entity: u32, message: String) -> LoadError {
        let number = self.numbers.get(entity as usize).copied();
        self.error(number.filter(|&number| number < self.saved), message)
    }

    fn error(&self, entity: Option<u32>, message: String) -> LoadError {
        LoadError::Value {
            entity,
            name: self.name.to_owned(),
            message,
            byte: None,
        }
    }
}
