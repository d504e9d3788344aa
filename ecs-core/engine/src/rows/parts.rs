//! The parts of rows, for the package `ecs-data`, which writes them as bytes and reads them.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::{OutsideEntity, Rows};
use crate::entity::Entity;
use crate::staging::{
    ColumnAges, EdgeTarget, ErasedColumn, Staged, StagedEdges, StagedPlace, StagedRows,
};

/// The values of a component in rows, with their ages if it is tracked.
pub type AgedColumn = (ErasedColumn, Option<ColumnAges>);

/// Everything that rows have, with numbers for entities: those that move come first, then those outside.
#[derive(Debug, Default)]
pub struct RowsParts {
    /// The keys of the entities that move.
    pub keys: Vec<u64>,
    /// The keys of those that they name; none for entities that did not exist.
    pub outside: Vec<Option<u64>>,
    /// The components in tables. Each entity is in one of these, if it has any.
    pub tables: Vec<(StagedRows, Vec<AgedColumn>)>,
    /// The sparse components.
    pub sets: Vec<(Vec<u32>, AgedColumn)>,
    /// The edges; all targets are [new](EdgeTarget::New), by their numbers.
    pub edges: Vec<StagedEdges>,
    /// The columns whose values name entities, by their [ids](Rows::id_of).
    pub with_ids: Vec<PartPlace>,
}

/// The place of a column among the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartPlace {
    /// The numbers of the table, and of the column there.
    Table(usize, usize),
    /// The number of the set.
    Set(usize),
    /// The number of the list of edges.
    Edges(usize),
}

#[doc(hidden)]
impl Rows {
    /// Returns the id that stands for an entity in values of rows that are made of parts.
    #[inline]
    #[must_use]
    pub fn id_of(number: u32) -> Entity {
        Entity::new(number, NonZeroU32::MAX)
    }

    /// Makes rows of their parts.
    ///
    /// # Errors
    /// If there are more or fewer ages than values, a key occurs twice, or there is no entity of a number.
    #[inline]
    pub fn of_parts(parts: RowsParts) -> Result<Self, &'static str> {
        let inside = parts.keys.iter().copied();
        let mut keys: Vec<u64> = inside
            .chain(parts.outside.iter().copied().flatten())
            .collect();
        keys.sort_unstable();
        if keys.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("a key occurs twice");
        }
        let count = parts.keys.len();
        let end = u32::try_from(count + parts.outside.len()).ok();
        let end = end.filter(|&end| end < u32::MAX);
        let end = end.ok_or("there are too many entities")?;
        let mut staged = Staged::new(count as u32);
        staged.make_only(false, Vec::new());
        for (rows, columns) in parts.tables {
            let (columns, ages): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
            for (column, ages) in columns.iter().zip(&ages) {
                check_ages(column, ages.as_ref())?;
            }
            staged.add_aged_table(rows, columns, ages);
        }
        for (numbers, (column, ages)) in parts.sets {
            check_ages(&column, ages.as_ref())?;
            staged.add_aged_set(numbers, column, ages);
        }
        for mut list in parts.edges {
            for edge in &mut list.edges {
                edge.target = match edge.target {
                    EdgeTarget::New(number) if (number as usize) < count => continue,
                    EdgeTarget::New(number) if number < end => {
                        EdgeTarget::Living(Self::id_of(number))
                    }
                    _ => return Err("there is no entity of this number"),
                };
            }
            staged.add_edges(list);
        }
        let with_ids = parts.with_ids.into_iter().map(|place| match place {
            PartPlace::Table(table, column) => StagedPlace::Table(table, column),
            PartPlace::Set(set) => StagedPlace::Set(set),
            PartPlace::Edges(list) => StagedPlace::Edges(list),
        });
        let with_ids: Vec<StagedPlace> = with_ids.collect();
        if !with_ids.iter().all(|&place| staged.has_place(place)) {
            return Err("there is no such column");
        }
        let ids = (0..).map(Self::id_of);
        let outside = parts.outside.into_iter().zip(count as u32..);
        Ok(Self {
            staged,
            entities: ids.zip(parts.keys).collect(),
            outside: outside
                .map(|(key, number)| OutsideEntity {
                    id: Self::id_of(number),
                    key,
                })
                .collect(),
            with_ids,
        })
    }

    /// Iterates over the ids by which values name entities, with their keys: those that move, and then those outside. There is no
    /// key for an entity that did not exist.
    #[inline]
    pub fn named(&self) -> impl Iterator<Item = (Entity, Option<u64>)> + '_ {
        let inside = self.entities.iter().map(|&(id, key)| (id, Some(key)));
        inside.chain(self.outside.iter().map(|outside| (outside.id, outside.key)))
    }

    /// Iterates over the tables.
    #[inline]
    pub fn tables(
        &self,
    ) -> impl ExactSizeIterator<Item = (&StagedRows, &[ErasedColumn], &[Option<ColumnAges>])> {
        self.staged.aged_tables()
    }

    /// Iterates over the sparse components.
    #[inline]
    pub fn sets(
        &self,
    ) -> impl ExactSizeIterator<Item = (&[u32], &ErasedColumn, Option<&ColumnAges>)> {
        self.staged.aged_sets()
    }

    /// Returns the edges. Targets outside are [living](EdgeTarget::Living), by their [ids](Self::named).
    #[inline]
    #[must_use]
    pub fn edges(&self) -> &[StagedEdges] {
        self.staged.edge_lists()
    }
}

/// Checks that there is an age for each value if the component is tracked, or no ages at all.
fn check_ages(column: &ErasedColumn, ages: Option<&ColumnAges>) -> Result<(), &'static str> {
    let Some(ages) = ages else {
        return Ok(());
    };
    let is_right = column.component().is_tracked()
        && [ages.added.len(), ages.changed.len()] == [column.len(); 2];
    match is_right {
        true => Ok(()),
        false => Err("there are more or fewer ages than values"),
    }
}
