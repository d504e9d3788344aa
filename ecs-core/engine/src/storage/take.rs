//! Takes the values of entities out of a storage, without dropping them.

use alloc::vec::Vec;

use super::column::Column;
use super::compact_ticks::{ColumnKind, CompactTicks};
use super::table::Table;
use super::{ColumnAges, ErasedColumn, Storage};
use crate::component::{ComponentId, EdgeValues};
use crate::entity::{Entity, Location, TableId};
use crate::tick::TickClock;

/// The values of a component that were taken, with their ages if it is tracked.
pub(crate) type TakenColumn = (ErasedColumn, Option<ColumnAges>);

impl Storage {
    /// Moves the values of a sparse component, which is not an end of a relation, out of the entities, which all have it.
    pub(crate) fn take_of_set(
        &mut self,
        component: ComponentId,
        entities: impl Iterator<Item = Entity>,
    ) -> TakenColumn {
        let mut column = ErasedColumn::new(component);
        let mut ages = self.store(component).info.tracked.then(ColumnAges::default);
        let member = self.store(component).member;
        for entity in entities {
            if member.is_grouped() {
                self.groups.leave(&mut self.components, member, entity);
            }
            let clock = &self.clock;
            let set = self.components[component.index()].set_mut();
            if let Some(ages) = &mut ages
                && let Some(ticks) = set.ticks_of(entity)
            {
                // SAFETY: the ticks belong to a value of the set, and the storage is borrowed exclusively.
                unsafe { push_age(clock, ages, ticks) };
            }
            let value = set.remove(entity).expect("the entity has the component");
            // SAFETY: the value was removed from the set, and is not used there any more.
            unsafe { column.push_bytes(value) };
        }
        (column, ages)
    }

    /// Removes the component of sources from an entity that has it, without dropping the values of the edges.
    ///
    /// # Safety
    /// The values of its edges were moved elsewhere.
    pub(crate) unsafe fn take_source(
        &mut self,
        component: ComponentId,
        edge: &'static EdgeValues,
        entity: Entity,
    ) {
        let mut drops = self.take_drops();
        self.unlink(&[component], entity, &mut drops);
        debug_assert!(drops.is_empty(), "only values of sources leave with edges");
        self.run(drops);
        if let Some(value) = self.take_sparse_off(component, entity) {
            // SAFETY: the function is for values of the component (invariant 1 of `EdgeValues`). The value was removed from
            // the set, and the values of its edges were moved out by the caller's contract.
            unsafe { (edge.release)(value) };
        }
    }

    /// Moves entities of a table, all different, out of it with all their values in tables. The columns have the order of the
    /// list. Unless `stay` is true, the entities are gone; their sparse values were taken before. Otherwise they have rows
    /// without components, for which there is capacity.
    pub(crate) fn take_of_table(
        &mut self,
        table: TableId,
        entities: &[Entity],
        stay: bool,
    ) -> Vec<TakenColumn> {
        if stay && table == Self::EMPTY_TABLE {
            return Vec::new();
        }
        let from = &mut self.tables[table as usize];
        let mut rows = Vec::with_capacity(entities.len());
        for &entity in entities {
            let at = self.entities.get(entity).expect("the entity has a row");
            let vacated = from.vacate(at.row as usize);
            if let Some(filler) = vacated.filled_by {
                self.entities.relocate(filler, at);
            }
            rows.push(at.row);
            if !stay {
                self.entities.free(entity);
                self.presence.take(entity);
            }
        }
        // SAFETY: `rows` were vacated in this order.
        let taken = unsafe { from.take_rows(&rows, &self.clock) };
        self.note_rows_removed(table);
        if stay {
            for &entity in entities {
                // SAFETY: there is capacity by the caller's contract, and the table has no columns.
                let row = unsafe { self.tables[Self::EMPTY_TABLE as usize].push(entity) } as u32;
                let table = Self::EMPTY_TABLE;
                self.entities.relocate(entity, Location { table, row });
            }
        }
        taken
    }

    /// Takes an entity without components in tables out of its row. It is placed again next.
    pub(crate) fn unplace(&mut self, entity: Entity) {
        let at = self.entities.get(entity).expect("the entity has a row");
        debug_assert_eq!(at.table, Self::EMPTY_TABLE);
        let vacated = self.tables[at.table as usize].vacate(at.row as usize);
        if let Some(filler) = vacated.filled_by {
            self.entities.relocate(filler, at);
        }
        self.note_rows_removed(at.table);
        self.entities.unplace(entity);
    }

    /// Notes that rows of a table will be added, for which there is capacity.
    pub(crate) fn note_rows_added(&mut self, table: TableId) {
        self.occupied.insert(table);
    }
}

impl Table {
    /// Moves the values of `rows`, which were [vacated](Self::vacate), out of the columns, and fills the gaps.
    ///
    /// # Safety
    /// `rows` were vacated in this order, and nothing else has happened to the columns since.
    pub(super) unsafe fn take_rows(&mut self, rows: &[u32], clock: &TickClock) -> Vec<TakenColumn> {
        let last = self.len() + rows.len();
        let mut taken: Vec<TakenColumn> = Vec::new();
        for (component, kind, column) in self.columns_mut() {
            if kind == ColumnKind::Value {
                let mut values = ErasedColumn::new(component);
                // SAFETY: `rows` were vacated in this order, and there were `last` before, by the caller's contract. Both
                // columns are of the component.
                unsafe { values.take_rows(column, rows, last) };
                taken.push((values, None));
                continue;
            }
            // SAFETY: it is a column of ticks; the rest is the contract of this function.
            let ages = unsafe { take_ages(column, rows, last, clock) };
            if let Some((_, all)) = taken.last_mut() {
                let all = all.get_or_insert_default();
                match kind {
                    ColumnKind::Added => all.added = ages,
                    _ => all.changed = ages,
                }
            }
        }
        taken
    }
}

/// # Safety
/// It is a column of ticks with `last` rows, and `rows` were vacated in this order.
unsafe fn take_ages(column: &mut Column, rows: &[u32], last: usize, clock: &TickClock) -> Vec<u32> {
    let mut ticks = Column::of_ticks();
    if rows.is_empty() {
        return Vec::new();
    }
    // SAFETY: the column has no memory so far.
    unsafe { ticks.grow(0, rows.len()) };
    // SAFETY: `rows` were vacated in this order, by the caller's contract. The target has memory for as many ticks.
    unsafe { column.move_rows(rows, last, &ticks, 0) };
    // SAFETY: a tick was moved there for each row.
    let moved = unsafe { ticks.ticks_mut(rows.len()) };
    let ages = moved.iter().map(|&tick| clock.age(tick)).collect();
    // SAFETY: it has memory for as many ticks, which need no drop.
    unsafe { ticks.release(rows.len()) };
    ages
}

/// # Safety
/// The pointers are valid for the ticks of a value, which no other code writes now.
unsafe fn push_age(clock: &TickClock, ages: &mut ColumnAges, ticks: CompactTicks) {
    // SAFETY: valid and not written by the caller's contract.
    ages.added.push(clock.age(unsafe { ticks.added.read() }));
    // SAFETY: valid and not written by the caller's contract.
    ages.changed
        .push(clock.age(unsafe { ticks.changed.read() }));
}
