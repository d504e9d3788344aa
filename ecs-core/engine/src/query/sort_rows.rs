//! Sorts the rows of tables.
//!
//! # Sort rows
//! `query/sort_rows.rs` computes the keys of a table's rows and sorts the numbers of the rows. All user code has run, and
//! the keys are dropped, before `Storage::reorder_rows` writes: it gathers each column into a buffer and copies it back
//! (`storage/table/reorder.rs`), and then updates the slots. That takes 58 instructions for a row of five columns.

use alloc::vec::Vec;

use super::handle::Item;
use super::{QueryData, ReadOnlyQueryData};
use crate::entity::{Location, TableId};
use crate::join::Fetch;
use crate::storage::{RowOrder, Storage};
use crate::tick::Window;
use crate::world::World;

/// The progress of [`World::sort_some_rows_by_key`] through the tables of a world.
///
/// A new one begins with the first row of the first table. It is a position and nothing else: the world and the keys may
/// change between calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SortProgress {
    table: TableId,
    /// The first row of the next window.
    row: usize,
    /// True if this pass has moved rows of a part of a table.
    moved: bool,
}

impl World {
    /// Sorts the rows of each table by a key of the data `D`, so that entities that are used together lie side by side
    /// in memory.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)] struct Cell(u32);
    /// #[derive(Component)] struct Agent(char);
    ///
    /// let mut world = World::new();
    /// let a = world.spawn((Cell(2), Agent('a')));
    /// let b = world.spawn((Cell(1), Agent('b')));
    /// let c = world.spawn((Cell(2), Agent('c')));
    /// let d = world.spawn((Cell(1), Agent('d')));
    ///
    /// world.sort_rows_by_key::<&Cell, _>(|cell| cell.0);
    /// let order: String = world.view::<Agent>().iter().map(|agent| agent.0).collect();
    /// assert_eq!(order, "bdac");
    /// assert_eq!(world.get::<Agent>(c).unwrap().0, 'c');
    /// # let _ = (a, b, d);
    /// ```
    ///
    /// Loops visit the rows of a table in this order until rows are added or removed: new entities come last, and if one
    /// leaves the table, the last one takes its place. A system that follows ids from row to row (neighbours in a grid,
    /// parents in a tree) then finds their data in the cache.
    ///
    /// The sort is stable: rows with equal keys keep their order. Rows of entities that do not match `D` come last, and keep
    /// their order too. `D` may name several components, sparse ones, `Option`s and [`Entity`](crate::Entity), all of them
    /// for reading.
    ///
    /// Nothing else changes: ids stay valid, no hook or observer is called, nothing counts as added or changed, and each
    /// value keeps its ticks. Values in sparse sets stay where they are, and so do [groups](crate::world::Group): a loop
    /// over sparse components alone does not visit entities in the order of rows. The order of tables does not change
    /// either.
    ///
    /// O(n log n) in the rows of the matching tables, and O(n) if they are sorted already. Takes memory for the keys and for
    /// a copy of the largest column of a table. To spread the work over several frames, see
    /// [`sort_some_rows_by_key`](Self::sort_some_rows_by_key).
    ///
    /// # Panics
    /// If `key`, or the comparison or `Drop` of a key panics. Then the current table, and tables that were created later,
    /// are unchanged. Keys whose comparison contradicts itself can make it panic too, or leave the rows in any order.
    pub fn sort_rows_by_key<D, K>(&mut self, mut key: impl for<'a> FnMut(Item<'a, D>) -> K)
    where
        D: ReadOnlyQueryData,
        K: Ord,
    {
        for table in 0..self.storage.tables().len() as TableId {
            let rows = self.storage.table(table).len();
            if rows == 0 {
                continue;
            }
            sort_window::<D, K>(&mut self.storage, table, 0, rows, &mut key);
        }
    }

    /// Sorts rows like [`sort_rows_by_key`](Self::sort_rows_by_key), about `rows` of them in each call, and returns true at
    /// the end of a pass that leaves all rows sorted.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::query::SortProgress;
    /// # #[derive(Component)] struct Cell(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..1000).rev().map(Cell));
    ///
    /// let mut progress = SortProgress::default();
    /// let mut frames = 1;
    /// while !world.sort_some_rows_by_key::<&Cell, _>(&mut progress, 500, |cell| cell.0) {
    ///     frames += 1;
    /// }
    /// assert!(world.view::<Cell>().iter().is_sorted_by_key(|cell| cell.0));
    /// assert!(frames < 16);
    /// ```
    ///
    /// A call sorts the next `rows` rows: several whole tables, or a window of a larger one. The next call begins in the
    /// middle of that window, so that rows move on. After the last table a new pass begins. Keys are computed when a window
    /// is sorted, so this follows keys that change from frame to frame.
    ///
    /// It is meant to *keep* rows sorted, with one call per frame, where keys change little by little. One pass of 2n /
    /// `rows` calls is then enough. From an arbitrary order it takes up to 2n / `rows` passes for a table of n rows: sort
    /// such rows immediately when they are loaded.
    ///
    /// A call takes O(`rows` log `rows` + tables that it passes), and memory in proportion to `rows`, which is at least 2.
    ///
    /// # Panics
    /// As for [`sort_rows_by_key`](Self::sort_rows_by_key); the next call continues with the same window.
    pub fn sort_some_rows_by_key<D, K>(
        &mut self,
        progress: &mut SortProgress,
        rows: usize,
        mut key: impl for<'a> FnMut(Item<'a, D>) -> K,
    ) -> bool
    where
        D: ReadOnlyQueryData,
        K: Ord,
    {
        let storage = &mut self.storage;
        let window = rows.max(2);
        let mut left = window;
        while let Some(table) = storage.tables().get(progress.table as usize) {
            let (len, first) = (table.len(), progress.row);
            if len == 0 {
                (progress.table, progress.row) = (progress.table + 1, 0);
                continue;
            }
            // Rows may have left the table since the last call.
            let rest = len.saturating_sub(first);
            if rest > left && left < window {
                // The next call has a whole window left for it.
                return false;
            }
            let end = first + rest.min(window);
            let moved = sort_window::<D, K>(storage, progress.table, first, end, &mut key);
            // A window that covers the whole table is sorted now.
            progress.moved |= moved == Some(true) && end - first < len;
            if rest > left && moved.is_some() {
                progress.row += window / 2;
                return false;
            }
            if moved.is_some() {
                left -= rest.min(left);
            }
            progress.table += 1;
            progress.row = 0;
        }
        let is_sorted = !progress.moved;
        *progress = SortProgress::default();
        is_sorted
    }
}

/// Sorts the rows `first..end` of a table; returns true if any has moved, and `None` if no entity of the table can match.
fn sort_window<D: ReadOnlyQueryData, K: Ord>(
    storage: &mut Storage,
    table: TableId,
    first: usize,
    end: usize,
    key: &mut impl for<'a> FnMut(Item<'a, D>) -> K,
) -> Option<bool> {
    let rows = order_of::<D, K>(storage, table, first, end, key)?;
    // SAFETY: `order_of` has listed each of these rows once.
    let Some(order) = (unsafe { RowOrder::new(first, &rows) }) else {
        return Some(false);
    };
    // SAFETY: the order names rows before `end`, which are rows of the table.
    unsafe { storage.reorder_rows(table, &order) };
    Some(true)
}

/// Returns the rows `first..end` of a table, each once, in the order of their keys; `None` if no entity of the table can
/// match. All user code runs here, before the first write.
fn order_of<D: ReadOnlyQueryData, K: Ord>(
    storage: &mut Storage,
    table: TableId,
    first: usize,
    end: usize,
    key: &mut impl for<'a> FnMut(Item<'a, D>) -> K,
) -> Option<Vec<u32>> {
    let storage = &*storage;
    // SAFETY: the storage is borrowed exclusively, so no view exists; the data is read-only, and so is all that happens
    // here.
    let fetch = unsafe { <D as QueryData>::fetch(storage, Window::NONE) };
    let column = fetch.column(storage, table);
    if column.is_none() && !D::Fetch::BY_ENTITY {
        return None;
    }
    let entities = storage.table(table).entities();
    let mut keys: Vec<(K, u32)> = Vec::with_capacity(end - first);
    let mut without_key: Vec<u32> = Vec::new();
    for (row, &entity) in entities.iter().enumerate().take(end).skip(first) {
        let item = match column {
            // SAFETY: the column belongs to the table, which has the row, and no item that writes is ever made.
            Some(column) if !D::Fetch::BY_ENTITY => Some(unsafe { D::Fetch::at(column, row) }),
            _ => {
                let at = Location {
                    table,
                    row: row as u32,
                };
                // SAFETY: this is the row of the entity, and no item that writes is ever made.
                unsafe { fetch.get(storage, entity, at) }
            }
        };
        match item {
            Some(item) => keys.push((key(item), row as u32)),
            None => without_key.push(row as u32),
        }
    }
    // A sort returns the elements that it was given, whatever the comparison does.
    keys.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut rows: Vec<u32> = keys.iter().map(|&(_, row)| row).collect();
    // Dropping may panic. At the end of the function a panic would leak the rows, which have replaced the result by then.
    drop(keys);
    rows.append(&mut without_key);
    Some(rows)
}
