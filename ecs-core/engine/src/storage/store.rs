//! The store of one component in a world.

use alloc::vec::Vec;
use core::ptr::NonNull;

use super::Storage;
use super::compact_ticks::{ColumnKind, CompactTicks};
use super::group_member::Member;
use super::presence::{NumberSet, Presence};
use super::shared::{BorrowGuardedCell, Frozen};
use super::sparse_set::SparseSet;
use super::table_set::TableList;
use crate::borrow::BorrowFlag;
use crate::bytes::Bytes;
use crate::component::{ComponentId, ComponentInfo, LifecycleSet, StorageKind};
use crate::entity::{Entity, Location, TableId};
use crate::log::Log;
use crate::tick::CompactTick;

/// The values of one component: pointers to its column in each table, or its sparse set.
///
/// This is the transposed view of the tables: joins iterate over the list of tables that have the component, and
/// lookups index the pointers, without looking at the tables themselves.
pub(crate) struct ComponentStore {
    pub(crate) info: ComponentInfo,
    /// The component at the other end, if this is a registered end of a relation. Cached, because looking it up runs
    /// user code.
    pub(super) other: Option<ComponentId>,
    /// The observed lifecycle events; only [`LifecycleSet::UNREGISTERED`] until the component is registered.
    /// Invariant 2: includes the events of the component's hooks. Tables and bundles keep copies, which are updated after
    /// it.
    pub(crate) observed: LifecycleSet,
    /// The number of components that were registered before this one.
    rank: u32,
    /// By table: the first value of the column, or null if the table lacks the component. Ends with the last table that has
    /// it.
    /// Invariant 1: equals the data pointer of the table's column. Written only by [`set_column`](Self::set_column),
    /// which [`Storage`] calls when a table is created or its memory moves.
    columns: Vec<*mut u8>,
    /// By table, like `columns`: the first ticks, or dangling pointers if the table lacks the component. Empty unless it is
    /// tracked.
    ticks: Vec<CompactTicks>,
    /// The tables that have the component.
    tables: TableList,
    /// Empty unless the component is sparse.
    /// Invariant 4: its pointer is used only by views of an immediate component under the exclusive run-time borrow,
    /// and by [`Frozen`].
    pub(super) sparse: BorrowGuardedCell<SparseSet>,
    /// The groups that the sparse set is in.
    pub(crate) member: Member,
    /// The log of entities that lost the component, if it is tracked.
    pub(crate) removed: Option<Log<Entity>>,
    /// The flag of run-time borrows of the values through a shared world.
    /// Invariant 3: until the component is registered, through `&mut World`, there are no values: no table has the
    /// component, and the sparse set is empty and not changed. Until then nothing relies on the flag.
    pub(crate) flag: BorrowFlag,
}

// SAFETY: the pointers lead into columns of the same storage, whose values are `Send + Sync`; values are accessed
// through them only under the rules of `Fetch` or under exclusive access to the storage.
unsafe impl Send for ComponentStore {}
// SAFETY: a shared store returns addresses, and the values there are accessed only under the rules of `Fetch`. The set
// is changed through a shared reference only by one thread, which holds the exclusive run-time borrow (invariant 4),
// and is read only while no thread does (invariant 1 of `Frozen`).
unsafe impl Sync for ComponentStore {}

impl ComponentStore {
    /// Creates the store of a component that is not registered.
    #[inline]
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        Self {
            columns: Vec::new(),
            ticks: Vec::new(),
            tables: TableList::default(),
            sparse: BorrowGuardedCell::new(SparseSet::new(info)),
            member: Member::default(),
            removed: None,
            flag: BorrowFlag::default(),
            observed: LifecycleSet::UNREGISTERED,
            rank: u32::MAX,
            other: None,
            info: *info,
        }
    }

    /// Returns true if the component is [registered](super::Storage::register).
    #[inline]
    pub(crate) fn is_registered(&self) -> bool {
        !self.observed.has_any(LifecycleSet::UNREGISTERED)
    }

    /// Marks the component as registered. `number` is the number of a sparse component. The flag is relied on from now on,
    /// so it is replaced by a new one without borrows.
    pub(super) fn set_registered(&mut self, rank: u32, number: NumberSet) {
        self.rank = rank;
        self.set_mut().set_number(number);
        self.observed = self.info.observed();
        self.flag = BorrowFlag::default();
    }

    /// The number of components that were registered before this one, which must be registered.
    #[inline]
    pub(super) fn rank(&self) -> u32 {
        debug_assert!(self.is_registered());
        self.rank
    }

    /// Records that an entity has lost the component.
    #[inline]
    pub(crate) fn note_removed(&mut self, entity: Entity) {
        if let Some(removed) = &mut self.removed {
            removed.push_if_read(entity);
        }
    }

    /// Records that all entities have lost the component, which is sparse.
    pub(crate) fn note_all_removed(&mut self) {
        if let Some(removed) = &mut self.removed {
            let entities = self.sparse.get_mut().entities().iter();
            entities.for_each(|&entity| removed.push_if_read(entity));
        }
    }

    /// Returns the first value of the column in `table`; null if the table lacks the component.
    #[inline]
    pub(crate) fn column(&self, table: TableId) -> *mut u8 {
        self.columns
            .get(table as usize)
            .copied()
            .unwrap_or(core::ptr::null_mut())
    }

    /// Returns the first ticks in `table`. The component must be tracked, and the table must have it.
    #[inline]
    pub(crate) fn ticks(&self, table: TableId) -> CompactTicks {
        self.ticks[table as usize]
    }

    /// The tables that have the component.
    #[inline]
    pub(crate) fn tables(&self) -> &TableList {
        &self.tables
    }

    /// Forgets the tables from `first` on.
    pub(super) fn forget_tables(&mut self, first: TableId) {
        self.columns.truncate(first as usize);
        self.ticks.truncate(first as usize);
        self.tables.truncate(first);
    }

    /// Returns a pointer to the value in a row, for a component that is stored in tables; `None` if the table lacks it.
    #[inline]
    pub(crate) fn row(&self, at: Location) -> Option<*mut u8> {
        let column = self.column(at.table);
        // SAFETY: the column starts at this pointer (invariant 1), and the row of a placed entity is inside it.
        (!column.is_null())
            .then(|| unsafe { column.add(at.row as usize * self.info.layout.size()) })
    }

    /// Counts the lists of columns, ticks and tables.
    pub(super) fn list_bytes(&self) -> Bytes {
        let columns = Bytes::of_list(&self.columns) + Bytes::of_list(&self.ticks);
        columns + self.tables.bytes()
    }

    /// The sparse set; empty unless the component is sparse.
    #[inline]
    pub(crate) fn set_mut(&mut self) -> &mut SparseSet {
        self.sparse.get_mut()
    }

    /// A pointer to the sparse set of an immediate component, to be changed only under its exclusive run-time borrow.
    #[inline]
    pub(crate) fn set_ptr(&self) -> *mut SparseSet {
        self.sparse.as_ptr()
    }

    /// Freezes a store that is borrowed exclusively.
    #[inline]
    pub(crate) fn frozen(&mut self) -> FrozenStore<'_> {
        Frozen::of(self)
    }

    /// Freezes the store of a component that is not immediate.
    ///
    /// # Panics
    /// If the component is immediate.
    #[inline]
    pub(crate) fn frozen_shared(&self) -> FrozenStore<'_> {
        assert!(
            !self.info.immediate,
            "views may insert and remove the component `{}`",
            self.info.name
        );
        // SAFETY: only views of immediate components change a set through its pointer.
        unsafe { Frozen::new(self) }
    }

    /// Records that a column in `table` starts at `data`.
    pub(super) fn set_column(&mut self, table: TableId, kind: ColumnKind, data: NonNull<u8>) {
        match kind {
            ColumnKind::Value => self.set_values(table, data.as_ptr()),
            ColumnKind::Added => self.ticks_mut(table).added = data.cast(),
            ColumnKind::Changed => self.ticks_mut(table).changed = data.cast(),
        }
    }

    fn ticks_mut(&mut self, table: TableId) -> &mut CompactTicks {
        let index = table as usize;
        if index >= self.ticks.len() {
            self.ticks.resize(index + 1, CompactTicks::NONE);
        }
        &mut self.ticks[index]
    }

    fn set_values(&mut self, table: TableId, data: *mut u8) {
        let index = table as usize;
        if index >= self.columns.len() {
            self.columns.resize(index + 1, core::ptr::null_mut());
        }
        if self.columns[index].is_null() {
            self.tables.push(table);
        }
        self.columns[index] = data;
    }
}

/// The places of new values. `kind` is a constant where the type of the component is known.
impl ComponentStore {
    /// Returns the place for a value of the entity, and true if it holds one already. The entity was at `from` and is
    /// at `at` now.
    ///
    /// # Safety
    /// `kind` is the kind of the component. The entity is alive or about to be, and `at` is, or will be, its row, inside the
    /// memory of its table. The table has the component, or values are found by entity and there is
    /// [memory](SparseSet::reserve_values) for one. The caller initialises the value, and its ticks if there are any, before
    /// anything else happens.
    #[inline]
    pub(super) unsafe fn place(
        &mut self,
        presence: &mut Presence,
        kind: StorageKind,
        entity: Entity,
        from: Location,
        at: Location,
    ) -> (*mut u8, bool) {
        if kind.is_by_entity() {
            let set = self.set_mut();
            return match set.get(entity) {
                Some(place) => (place, true),
                // SAFETY: `get` found that the entity is not in the set. It has a row, there is memory for the value,
                // and the value is initialised immediately, by the caller's contract.
                None => (unsafe { set.push(presence, entity) }, false),
            };
        }
        let place = self.row(at).expect("the table has the component");
        (place, !self.column(from.table).is_null())
    }

    /// Returns the place for the value of an entity that has none, and writes its ticks.
    ///
    /// # Safety
    /// As for [`place`](Self::place), and the entity has no value. `now` is `Some` if the component is tracked.
    #[inline]
    pub(super) unsafe fn place_new(
        &mut self,
        presence: &mut Presence,
        kind: StorageKind,
        entity: Entity,
        at: Location,
        now: Option<CompactTick>,
    ) -> *mut u8 {
        let place = if kind.is_by_entity() {
            let set = self.set_mut();
            // SAFETY: the entity has a row and is not in the set, there is memory for the value, and the value is
            // initialised immediately, by the caller's contract.
            unsafe { set.push(presence, entity) }
        } else {
            self.row(at).expect("the table has the component")
        };
        if let Some(now) = now
            && let Some(ticks) = self.frozen().ticks_of(entity, at)
        {
            // SAFETY: the ticks belong to a tracked value, and the store is borrowed exclusively.
            unsafe { ticks.add(now) };
        }
        place
    }
}

/// A [`Frozen`] reference to the store of a component.
pub(crate) type FrozenStore<'a> = Frozen<'a, ComponentStore>;

impl<'a> FrozenStore<'a> {
    /// The sparse set, which is empty unless the component is sparse.
    #[inline]
    pub(crate) fn set(self) -> &'a SparseSet {
        // SAFETY: the set is not changed through the pointer (invariant 1 of `Frozen`), nor through a `&mut` because the
        // store is borrowed.
        unsafe { &*self.get().sparse.as_ptr() }
    }
}

/// Accessors that depend on which entities have the component.
impl FrozenStore<'_> {
    /// Returns the start of the column that holds the entity's value, and its row there; `at` is the entity's row. `kind` is
    /// the kind of the component, a constant where its type is known.
    #[inline]
    pub(crate) fn find(
        self,
        kind: StorageKind,
        entity: Entity,
        at: Location,
    ) -> Option<(NonNull<u8>, usize)> {
        if kind.is_by_entity() {
            let position = self.set().position(entity)?;
            return Some((self.set().data(), position));
        }
        let column = NonNull::new(self.column(at.table))?;
        Some((column, at.row as usize))
    }

    /// Returns the first tick of each kind in the column that [`find`](Self::find) returned for a row of `table`;
    /// dangling unless `tracked`.
    #[inline]
    pub(crate) fn first_ticks(
        self,
        kind: StorageKind,
        tracked: bool,
        table: TableId,
    ) -> CompactTicks {
        if !tracked {
            CompactTicks::NONE
        } else if kind.is_by_entity() {
            self.set().ticks().unwrap_or(CompactTicks::NONE)
        } else {
            self.ticks(table)
        }
    }

    /// Returns pointers to the ticks of the entity's value; `at` is the entity's row. `None` if it has no value or the
    /// component is not tracked.
    #[inline]
    pub(crate) fn ticks_of(self, entity: Entity, at: Location) -> Option<CompactTicks> {
        if self.info.storage.is_by_entity() {
            return self.set().ticks_of(entity);
        }
        if self.column(at.table).is_null() {
            return None;
        }
        let first = *self.ticks.get(at.table as usize)?;
        // SAFETY: the columns of ticks have memory for each row of the table.
        Some(unsafe { first.row(at.row as usize) })
    }

    /// Returns a pointer to the entity's value; `at` is the entity's row.
    #[inline]
    pub(crate) fn value(self, entity: Entity, at: Location) -> Option<*mut u8> {
        if self.info.storage.is_by_entity() {
            self.set().get(entity)
        } else {
            self.row(at)
        }
    }

    /// Returns true if the entity, whose row is `at`, has the component.
    #[inline]
    pub(crate) fn has(self, entity: Entity, at: Location) -> bool {
        if self.info.storage.is_by_entity() {
            self.set().contains(entity)
        } else {
            !self.column(at.table).is_null()
        }
    }

    /// The number of entities that have the component. O(tables that have it and rows).
    pub(crate) fn count(self, storage: &Storage) -> usize {
        if self.info.storage.is_by_entity() {
            self.set().len()
        } else {
            let tables = storage.occupied(self.tables.blocks());
            tables.map(|table| storage.table(table).len()).sum()
        }
    }

    /// Checks invariants 1 and 3 for the tables, and the sparse set.
    #[cfg(feature = "validate")]
    pub(crate) fn check(self, id: ComponentId, storage: &Storage) {
        let mut found = 0;
        for (index, table) in storage.tables().iter().enumerate() {
            let expected = match table.position(id) {
                Some(position) => table.columns()[position].column.data().as_ptr(),
                None => core::ptr::null_mut(),
            };
            assert_eq!(
                self.column(index as TableId),
                expected,
                "{} knows its column in table {index}",
                self.info.name
            );
            if !expected.is_null() {
                if self.info.tracked {
                    let position = table.position(id).expect("the table has the component");
                    let columns = &table.columns()[position + 1..=position + 2];
                    let ticks = self.ticks(index as TableId);
                    let expected = [ticks.added, ticks.changed].map(NonNull::cast);
                    assert_eq!(
                        [columns[0].column.data(), columns[1].column.data()],
                        expected,
                        "{} knows its ticks in table {index}",
                        self.info.name
                    );
                }
                assert!(
                    self.tables.contains(index as TableId),
                    "{} lists table {index}",
                    self.info.name
                );
                found += 1;
            }
        }
        assert_eq!(
            found,
            self.tables.len(),
            "{} lists each table once",
            self.info.name
        );
        let is_empty = self.tables.len() == 0 && self.set().len() == 0;
        assert!(
            self.is_registered() || is_empty,
            "{} is registered before it has values",
            self.info.name
        );
        self.set().check(&storage.presence);
    }
}
