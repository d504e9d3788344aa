//! Values of new entities, which are read one by one and staged as whole columns.

use std::collections::HashMap;

use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::staging::{ErasedColumn, Staged, StagedEdge, StagedEdges, StagedRows};

use super::position_near;
use crate::column::Moving;

/// The values of new entities, which are known by their numbers: a column for each component.
#[derive(Default)]
pub(crate) struct NewRows {
    columns: Vec<NewColumn>,
    /// By entity: its components in tables, as a column, and the row in it.
    rows: Vec<Vec<(usize, usize)>>,
    /// The column that was used last.
    last: usize,
}

/// The values of a component, or of the edges of a relation.
struct NewColumn {
    values: ErasedColumn,
    place: ColumnPlace,
}

/// The place where the values of a column belong.
enum ColumnPlace {
    Table,
    /// In a set, for these entities.
    Set(Vec<u32>),
    /// On these edges.
    Edges(Vec<StagedEdge>),
}

impl NewRows {
    /// Returns this many entities without values.
    pub(crate) fn new(entities: usize) -> Self {
        let mut rows = Self::default();
        rows.resize(entities);
        rows
    }

    /// The number of entities.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds entities at the end, or removes the last ones, which have no values.
    pub(crate) fn resize(&mut self, entities: usize) {
        self.rows.resize_with(entities, Vec::new);
    }

    /// Adds a column, which is empty, and returns its number.
    pub(crate) fn add(&mut self, values: ErasedColumn) -> usize {
        let place = if values.is_of_edges() {
            ColumnPlace::Edges(Vec::new())
        } else if values.component().storage() == StorageKind::Table {
            ColumnPlace::Table
        } else {
            ColumnPlace::Set(Vec::new())
        };
        self.columns.push(NewColumn { values, place });
        self.columns.len() - 1
    }

    /// Returns the number of a component's column, which is added if there is none.
    pub(super) fn of(&mut self, component: ComponentId) -> usize {
        let is_of = |column: &NewColumn| {
            column.values.component() == component && !column.values.is_of_edges()
        };
        let found = position_near(&self.columns, self.last, is_of);
        self.last = found.unwrap_or_else(|| self.add(ErasedColumn::new(component)));
        self.last
    }

    /// Returns the number of the column for the edges of a relation, known by its component of sources. It is added if there is
    /// none.
    pub(crate) fn of_edges(&mut self, outgoing: ComponentId) -> usize {
        let is_of = |column: &NewColumn| {
            column.values.component() == outgoing && column.values.is_of_edges()
        };
        self.columns.iter().position(is_of).unwrap_or_else(|| {
            self.add(ErasedColumn::of_edges(outgoing).expect("it belongs to sources"))
        })
    }

    /// The component of a column.
    pub(crate) fn component(&self, column: usize) -> ComponentId {
        self.columns[column].values.component()
    }

    /// Returns true if a column has the values of edges.
    pub(crate) fn is_of_edges(&self, column: usize) -> bool {
        matches!(self.columns[column].place, ColumnPlace::Edges(_))
    }

    /// Returns true if an entity has a component, which is in tables.
    pub(crate) fn has(&self, column: usize, entity: u32) -> bool {
        let mut row = self.rows[entity as usize].iter();
        row.any(|&(other, _)| other == column)
    }

    /// Adds a value, which a function appends to the column: one of the entity, or of an edge that is
    /// [added](Self::add_edge) next.
    ///
    /// # Errors
    /// The error of the function. The entity does not have the value in that case.
    pub(crate) fn read<E>(
        &mut self,
        column: usize,
        entity: u32,
        read: impl FnOnce(&mut ErasedColumn) -> Result<(), E>,
    ) -> Result<(), E> {
        let NewColumn { values, place } = &mut self.columns[column];
        let row = values.len();
        read(values)?;
        match place {
            ColumnPlace::Table => self.rows[entity as usize].push((column, row)),
            ColumnPlace::Set(entities) => entities.push(entity),
            ColumnPlace::Edges(_) => {}
        }
        Ok(())
    }

    /// Adds an edge whose value was read.
    pub(crate) fn add_edge(&mut self, column: usize, edge: StagedEdge) {
        if let ColumnPlace::Edges(edges) = &mut self.columns[column].place {
            edges.push(edge);
        }
    }

    /// Adds edges of a relation, with their values.
    pub(crate) fn add_edges(
        &mut self,
        mut values: ErasedColumn,
        edges: impl Iterator<Item = StagedEdge>,
    ) {
        let column = self.of_edges(values.component());
        let rows: Vec<usize> = (0..values.len()).collect();
        Moving::new(&mut values).take_into(&rows, &mut self.columns[column].values);
        edges.for_each(|edge| self.add_edge(column, edge));
    }

    /// Stages the components: the entities with the same components become one table, in the order of the first ones. Returns
    /// the edges, with the numbers of their columns.
    pub(crate) fn stage(mut self, staged: &mut Staged) -> Vec<(usize, StagedEdges)> {
        self.stage_tables(staged);
        let mut edges = Vec::new();
        for (column, NewColumn { values, place }) in self.columns.into_iter().enumerate() {
            match place {
                ColumnPlace::Table => {}
                ColumnPlace::Set(entities) => staged.add_set(entities, values),
                ColumnPlace::Edges(list) => {
                    let list = StagedEdges {
                        outgoing: values.component(),
                        edges: list,
                        order: Vec::new(),
                        values,
                    };
                    edges.push((column, list));
                }
            }
        }
        edges
    }

    /// Groups the entities by their table components, in the order of first use.
    fn stage_tables(&mut self, staged: &mut Staged) {
        let mut groups: Vec<(Vec<usize>, Vec<u32>)> = Vec::new();
        let mut by_components: HashMap<Vec<usize>, usize> = HashMap::new();
        let (mut components, mut last) = (Vec::new(), 0);
        for (entity, row) in self.rows.iter().enumerate() {
            components.clear();
            components.extend(row.iter().map(|&(column, _)| column));
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
        let mut moving: Vec<Option<Moving>> = Vec::with_capacity(self.columns.len());
        for NewColumn { values, place } in &mut self.columns {
            let is_of_tables = matches!(place, ColumnPlace::Table);
            moving.push(is_of_tables.then(|| Moving::new(values)));
        }
        for (components, entities) in groups {
            let mut columns = Vec::with_capacity(components.len());
            for (place, &column) in components.iter().enumerate() {
                // A component that an entity has twice is refused by the commit.
                let before = components[..place].iter().rev();
                let nth = before.take_while(|&&before| before == column).count();
                let rows = entities.iter().map(|&entity| {
                    let row = self.rows[entity as usize].iter();
                    let mut found = row.filter(|&&(other, _)| other == column);
                    found.nth(nth).expect("an entity of the group").1
                });
                let rows: Vec<usize> = rows.collect();
                columns.extend(moving[column].as_mut().map(|moving| moving.take(&rows)));
            }
            staged.add_table(StagedRows::List(entities), columns);
        }
    }
}
