//! The end of a save in rows: values that had to wait are read, and all are put into columns.

use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::staging::{EdgeTarget, StagedEdge, StagedEdges};
use ecs_engine::{Entity, World};

use super::RowValues;
use crate::Value;
use crate::column::{Moving, ReadFailure};
use crate::kept::{KeptColumn, KeptFile, KeptValues};
use crate::load::nested::NestedError;
use crate::load::outside::LoadOutside;
use crate::load::readers::{FileType, read_resource, reader_of};
use crate::load::saved_ids::{check_highest, no_ids};
use crate::load::staging::{Staging, UnknownNames};
use crate::load::written_edges::{WrittenEdge, edges_of, order_of};
use crate::load::{LoadError, kept};

impl RowValues<'_> {
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
    pub(in crate::load) fn finish(mut self, world: &mut World) -> Result<Staging, LoadError> {
        self.settle_versions()?;
        self.listed = self.values.len() as u32;
        let entities = self.values.len() + self.nested_entities as usize;
        self.values.resize(entities);
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
                message: "the root of the prefab is not an entity of the save".to_owned(),
            };
            return Err(LoadError::Nested {
                entity: root,
                error,
            });
        }
        self.expand(&ids)?;
        for (entity, known, tree) in core::mem::take(&mut self.later) {
            if self.values.is_of_edges(known) {
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
        staging.nested_paths = self.nested_paths();
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
        for (known, edges) in core::mem::take(&mut self.values).stage(&mut staging.staged) {
            let orders = self.orders.get(self.name_of(known));
            staging
                .edges
                .push(in_order(edges, orders.map_or(&[], Vec::as_slice)));
        }
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
        let is_entity = |number: &u32| (*number as usize) < self.ids.len();
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
                let other = (target as usize).checked_sub(self.values.len());
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
            self.values.add_edge(known, StagedEdge { source, target });
        }
        Ok(())
    }
}

/// Sorts edges, so that the sources of each target come in the given order. The targets of a source keep the order of the file.
fn in_order(mut edges: StagedEdges, orders: &[(u32, Vec<u32>)]) -> StagedEdges {
    let list = &edges.edges;
    let mut positions: Vec<usize> = (0..list.len()).collect();
    // The values of copies of prefabs were added apart from the others.
    positions.sort_by_key(|&edge| list[edge].source);
    let sorted = order_of(list, positions, orders);
    StagedEdges {
        outgoing: edges.outgoing,
        edges: sorted.iter().map(|&edge| list[edge]).collect(),
        order: sorted.iter().map(|&edge| edge as u32).collect(),
        values: Moving::new(&mut edges.values).take(&sorted),
    }
}
