//! Staged entities that come from another world: with the ages of their values, and with ids of some that exist already.

use alloc::vec::Vec;

use super::staged::{Staged, StagedRows, StagedSet, StagedTable};
use super::{EdgeTarget, ErasedColumn, StagedEdges};
use crate::component::ComponentId;
use crate::storage::ColumnAges;

impl Staged {
    /// Adds a table like [`add_table`](Self::add_table), with the ages of the values of tracked components.
    #[inline]
    pub(crate) fn add_aged_table(
        &mut self,
        rows: StagedRows,
        columns: Vec<ErasedColumn>,
        ages: Vec<Option<ColumnAges>>,
    ) {
        self.tables.push(StagedTable {
            rows,
            columns,
            ages,
            copies: 1,
        });
    }

    /// Adds a set like [`add_set`](Self::add_set), with the ages of the values if the component is tracked.
    #[inline]
    pub(crate) fn add_aged_set(
        &mut self,
        numbers: Vec<u32>,
        column: ErasedColumn,
        ages: Option<ColumnAges>,
    ) {
        self.sets.push(StagedSet {
            numbers,
            column,
            ages,
        });
    }

    /// Lets all values count as new.
    #[inline]
    pub(crate) fn forget_ages(&mut self) {
        self.tables.iter_mut().for_each(|table| table.ages.clear());
        self.sets.iter_mut().for_each(|set| set.ages = None);
    }

    /// Returns true if there are values of tracked components.
    #[inline]
    pub(crate) fn has_ages(&self) -> bool {
        let mut tables = self.tables.iter().flat_map(|table| &table.ages);
        tables.any(Option::is_some) || self.sets.iter().any(|set| set.ages.is_some())
    }

    /// Returns the components, each once, and those of the sources of relations.
    #[inline]
    pub(crate) fn components(&self) -> Vec<ComponentId> {
        let columns = self.tables.iter().flat_map(|table| &table.columns);
        let sets = self.sets.iter().map(|set| &set.column);
        let columns = columns.chain(sets).map(ErasedColumn::component);
        let edges = self.edges.iter().map(|edges| edges.outgoing);
        let mut all: Vec<ComponentId> = Vec::new();
        for component in columns.chain(edges) {
            if !all.contains(&component) {
                all.push(component);
            }
        }
        all
    }

    /// Replaces the targets of edges for which a function returns others. Returns the former targets.
    #[inline]
    pub(crate) fn exchange_targets(
        &mut self,
        new: &dyn Fn(EdgeTarget) -> Option<EdgeTarget>,
    ) -> Vec<Vec<EdgeTarget>> {
        let lists = self.edges.iter_mut().map(|list| {
            let edges = list.edges.iter_mut().map(|edge| {
                let target = new(edge.target).unwrap_or(edge.target);
                core::mem::replace(&mut edge.target, target)
            });
            edges.collect()
        });
        lists.collect()
    }

    /// Sets the targets of all edges.
    #[inline]
    pub(crate) fn set_targets(&mut self, targets: Vec<Vec<EdgeTarget>>) {
        for (list, targets) in self.edges.iter_mut().zip(targets) {
            for (edge, target) in list.edges.iter_mut().zip(targets) {
                edge.target = target;
            }
        }
    }

    /// Adds entities without components, up to a number of them, and says which entities are in the world already: each has
    /// neither components nor observers when the commit is finished, and may be the target of relations. Returns the numbers of
    /// tables and sets.
    #[inline]
    pub(crate) fn begin_put(&mut self, entities: u32, fills: &[u32]) -> (usize, usize) {
        self.entities = entities;
        self.fills = fills.to_vec();
        (self.tables.len(), self.sets.len())
    }

    /// Undoes [`begin_put`](Self::begin_put), given the former numbers.
    #[inline]
    pub(crate) fn end_put(&mut self, entities: u32, (tables, sets): (usize, usize)) {
        self.entities = entities;
        self.fills.clear();
        self.tables.truncate(tables);
        self.sets.truncate(sets);
    }
}

/// The place of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StagedPlace {
    /// The numbers of the table, and of the column there.
    Table(usize, usize),
    /// The number of the set.
    Set(usize),
    /// The number of the list of edges.
    Edges(usize),
}

impl Staged {
    /// Returns a column.
    #[inline]
    pub(crate) fn column_at(&self, place: StagedPlace) -> &ErasedColumn {
        match place {
            StagedPlace::Table(table, column) => &self.tables[table].columns[column],
            StagedPlace::Set(set) => &self.sets[set].column,
            StagedPlace::Edges(list) => &self.edges[list].values,
        }
    }

    /// Returns true if there is such a column.
    #[inline]
    pub(crate) fn has_place(&self, place: StagedPlace) -> bool {
        match place {
            StagedPlace::Table(table, column) => {
                let table = self.tables.get(table);
                table.is_some_and(|table| column < table.columns.len())
            }
            StagedPlace::Set(set) => set < self.sets.len(),
            StagedPlace::Edges(list) => list < self.edges.len(),
        }
    }

    /// Iterates over the tables.
    #[inline]
    pub(crate) fn aged_tables(
        &self,
    ) -> impl ExactSizeIterator<Item = (&StagedRows, &[ErasedColumn], &[Option<ColumnAges>])> {
        let tables = self.tables.iter();
        tables.map(|table| (&table.rows, &*table.columns, &*table.ages))
    }

    /// Iterates over the sets.
    #[inline]
    pub(crate) fn aged_sets(
        &self,
    ) -> impl ExactSizeIterator<Item = (&[u32], &ErasedColumn, Option<&ColumnAges>)> {
        let sets = self.sets.iter();
        sets.map(|set| (&*set.numbers, &set.column, set.ages.as_ref()))
    }

    /// Returns the lists of edges.
    #[inline]
    pub(crate) fn edge_lists(&self) -> &[StagedEdges] {
        &self.edges
    }

    /// Returns a column, to be replaced by one of the same component and length.
    #[inline]
    pub(crate) fn column_at_mut(&mut self, place: StagedPlace) -> &mut ErasedColumn {
        match place {
            StagedPlace::Table(table, column) => &mut self.tables[table].columns[column],
            StagedPlace::Set(set) => &mut self.sets[set].column,
            StagedPlace::Edges(list) => &mut self.edges[list].values,
        }
    }

    /// Returns the number of the entity that has a value; of the source, if it is the value of an edge.
    #[inline]
    pub(crate) fn number_at(&self, place: StagedPlace, row: usize) -> Option<u32> {
        match place {
            StagedPlace::Table(table, _) => {
                let rows = &self.tables[table].rows;
                (row < rows.len()).then(|| rows.at(row))
            }
            StagedPlace::Set(set) => self.sets[set].numbers.get(row).copied(),
            StagedPlace::Edges(list) => Some(self.edges[list].edges.get(row)?.source),
        }
    }
}
