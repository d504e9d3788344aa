//! Storage: where the values are. Tables and sparse sets, and the order among them.
//!
//! This room knows nothing of types: it moves bytes and keeps books. The rooms above hand it typed values.

mod column;
mod departure;
mod drop_list;
mod groups;
mod links;
mod shared;
mod sparse_set;
mod stamps;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod watch;

pub(crate) use departure::Departure;
pub(crate) use drop_list::DropList;
pub(crate) use groups::{Groups, Member, Members};
pub use links::ListIter;
pub(crate) use links::{List, Toward, WrongEnd};
pub(crate) use sparse_set::SparseSet;
pub(crate) use stamps::{Part, Stamps};
pub(crate) use store::ComponentStore;
pub(crate) use table::{Table, TableColumn};

use std::sync::{Arc, Mutex, PoisonError};

use crate::component::{ComponentId, Watch};
use crate::entity::{Entities, Entity, Location, TableId};
use crate::log::{Log, Readers};
use crate::tick::Clock;

/// Entities and their components.
///
/// Public in name only: the impls that `#[derive(QueryData)]` writes pass it on.
pub struct Storage {
    pub(crate) entities: Entities,
    pub(crate) clock: Clock,
    /// Invariant 1: table 0 has no components. Tables are never removed.
    /// Invariant 2: row `r` of table `t` holds entity `e` if and only if `e` is placed at `(t, r)`.
    tables: Vec<Table>,
    /// By component id, without gaps.
    components: Vec<ComponentStore>,
    /// The sparse ones among the components.
    sparse: Vec<ComponentId>,
    /// Which of the sparse ones keep the entities that they have in common in front.
    /// Invariant 3: an entity enters and leaves groups with each sparse component that it gets and loses.
    groups: Groups,
    /// Whether anybody wants to be told when one of `sparse` leaves an entity, which can be in any table.
    sparse_watched: bool,
    /// The ends of relations among the components.
    /// Invariant 4: the two ends agree, whenever no verb is writing.
    links: Vec<ComponentId>,
    /// Whether anything was ever related.
    linked: bool,
    /// Who reads the removals of tracked components.
    removal_readers: Mutex<Vec<(ComponentId, Arc<Readers>)>>,
    /// All tables, sorted by their components.
    by_components: Vec<TableId>,
    /// Kept for its memory; empty between verbs.
    pub(crate) drops: DropList,
}

impl Default for Storage {
    fn default() -> Self {
        Self::new(Entities::default())
    }
}

impl Storage {
    /// How many removals of a component are kept at most.
    const REMOVALS: usize = 1 << 20;

    /// The table of entities without table components.
    pub(crate) const EMPTY_TABLE: TableId = 0;

    pub(crate) fn new(entities: Entities) -> Self {
        let mut storage = Self {
            entities,
            clock: Clock::default(),
            tables: Vec::new(),
            components: Vec::new(),
            sparse: Vec::new(),
            groups: Groups::default(),
            sparse_watched: false,
            links: Vec::new(),
            linked: false,
            removal_readers: Mutex::default(),
            by_components: Vec::new(),
            drops: DropList::default(),
        };
        let empty = storage.table_of(&[]);
        debug_assert_eq!(empty, Self::EMPTY_TABLE);
        storage
    }

    #[inline]
    pub(crate) fn tables(&self) -> &[Table] {
        &self.tables
    }

    #[inline]
    pub(crate) fn table(&self, id: TableId) -> &Table {
        &self.tables[id as usize]
    }

    #[inline]
    pub(crate) fn table_mut(&mut self, id: TableId) -> &mut Table {
        &mut self.tables[id as usize]
    }

    /// What the world holds of a component; `None` if it has never seen the component.
    #[inline]
    pub(crate) fn component(&self, id: ComponentId) -> Option<&ComponentStore> {
        self.components.get(id.index())
    }

    /// What the world holds of a component that it knows.
    #[inline]
    pub(crate) fn store(&self, id: ComponentId) -> &ComponentStore {
        &self.components[id.index()]
    }

    /// What the world holds of a component that it knows.
    #[inline]
    pub(crate) fn store_mut(&mut self, id: ComponentId) -> &mut ComponentStore {
        &mut self.components[id.index()]
    }

    /// What the world holds of a component, which it knows from now on.
    #[inline]
    pub(crate) fn component_or_new(&mut self, id: ComponentId) -> &mut ComponentStore {
        if id.index() < self.components.len() {
            return &mut self.components[id.index()];
        }
        self.register(id);
        &mut self.components[id.index()]
    }

    /// Who reads the removals of a component, perhaps before the world knows it.
    pub(crate) fn removal_readers(&self, id: ComponentId) -> Arc<Readers> {
        let mut readers = self
            .removal_readers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = readers.iter().find(|(component, _)| *component == id) {
            return known.clone();
        }
        let new = Arc::<Readers>::default();
        readers.push((id, new.clone()));
        new
    }

    /// Makes the world know a component, and all with a lower id.
    #[cold]
    #[inline(never)]
    pub(crate) fn register(&mut self, id: ComponentId) {
        let known = self.links.len();
        while self.components.len() <= id.index() {
            let next = ComponentId::from_index(self.components.len());
            let info = next.info();
            if info.storage.is_sparse() {
                self.sparse.push(next);
            }
            let mut store = ComponentStore::new(info);
            if info.tracked {
                let readers = self.removal_readers(next);
                store.removed = Some(Log::new(Self::REMOVALS, readers));
            }
            let watched = store.watch.has_any(Watch::LEAVING);
            self.components.push(store);
            if watched && info.storage.is_sparse() {
                self.watch_leaving();
            }
            if info.link.is_some() {
                self.links.push(next);
            }
        }
        for index in known..self.links.len() {
            let link = self.components[self.links[index].index()].info.link;
            if let Some(link) = link {
                self.component_or_new((link.other)());
            }
        }
    }

    /// The table for exactly these components, which are sorted, registered and not sparse; made if there is none.
    ///
    /// # Panics
    /// If the world has as many tables as it can have.
    pub(crate) fn table_of(&mut self, components: &[ComponentId]) -> TableId {
        let place = match self.find_table(components) {
            Ok(found) => return self.by_components[found],
            Err(place) => place,
        };
        assert!(
            self.tables.len() < Location::MAX_TABLES,
            "more than {} different sets of components in one world; mark those that come and go as `storage = \"sparse\"`",
            Location::MAX_TABLES
        );
        let id = self.tables.len() as TableId;
        self.tables.push(Table::new(
            components
                .iter()
                .map(|&component| (component, self.components[component.index()].info)),
        ));
        self.by_components.insert(place, id);
        self.watch_leaving_of(id);
        self.sync_columns(id);
        id
    }

    /// Where among [`by_components`](Self::by_components) the table for exactly these is, or would be.
    fn find_table(&self, components: &[ComponentId]) -> Result<usize, usize> {
        self.by_components.binary_search_by(|&table| {
            let those = self.table(table).components();
            those.cmp(components.iter().copied())
        })
    }

    /// Makes room for `more` rows in a table.
    ///
    /// # Panics
    /// If they do not fit; nothing has changed then.
    #[inline]
    pub(crate) fn reserve_rows(&mut self, table: TableId, more: usize) {
        if self.tables[table as usize].reserve(more) {
            self.sync_columns(table);
        }
    }

    /// Tells the components where their columns in `table` are.
    #[cold]
    fn sync_columns(&mut self, table: TableId) {
        for column in self.tables[table as usize].columns() {
            self.components[column.component.index()].set_column(
                table,
                column.part,
                column.column.data(),
            );
        }
    }

    /// Lets the clock's base catch up with it, if it has fallen far behind.
    #[inline]
    pub(crate) fn keep_time(&mut self) {
        if self.clock.is_behind() {
            self.advance_clock();
        }
    }

    /// O(rows of tracked components); once in 2^30 ticks.
    #[cold]
    #[inline(never)]
    fn advance_clock(&mut self) {
        let shift = self.clock.advance();
        for table in &mut self.tables {
            table.shift(shift);
        }
        for &component in &self.sparse {
            self.components[component.index()].sparse.shift(shift);
        }
    }

    /// Puts an entity that was given out into the empty table.
    pub(crate) fn place_empty(&mut self, entity: Entity) {
        self.reserve_rows(Self::EMPTY_TABLE, 1);
        // SAFETY: room was made, and the table has no columns (invariant 1).
        let row = unsafe { self.tables[0].push(entity) };
        let at = Location {
            table: Self::EMPTY_TABLE,
            row: row as u32,
        };
        self.entities.place(entity, at);
    }

    /// Gives out an id for each of `count` rows that were written behind the last one of a table.
    ///
    /// # Safety
    /// The rows fit, and are initialised in every column.
    pub(crate) unsafe fn place_rows(&mut self, table: TableId, count: usize) {
        // SAFETY: one id is added per row, in order; the caller vouches for the rows.
        let rows = unsafe { self.tables[table as usize].entities_mut() };
        self.entities
            .alloc_rows(table, rows.len() as u32, count as u32, rows);
    }

    /// Gives every reserved id that has no row yet one in the empty table.
    #[inline]
    pub(crate) fn place_reserved(&mut self) {
        if self.entities.has_reserved() {
            self.place_all_reserved();
        }
    }

    #[cold]
    #[inline(never)]
    fn place_all_reserved(&mut self) {
        for entity in self.entities.take_reserved() {
            self.place_empty(entity);
        }
    }

    /// The row of a living entity, which is given one if it was only reserved.
    #[inline]
    pub(crate) fn locate(&mut self, entity: Entity) -> Option<Location> {
        let mut at = self.entities.get(entity);
        if at.is_none() && self.entities.has_reserved() {
            // Returns nothing, so that the location is in registers on either way.
            self.place_all_reserved();
            at = self.entities.get(entity);
        }
        at
    }

    /// Notes which tracked components an entity loses with a move.
    #[inline]
    pub(crate) fn note_left(&mut self, entity: Entity, from: TableId, to: TableId) {
        if self.tables[from as usize].is_tracked() {
            self.note_ticks_left(entity, from, to);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_ticks_left(&mut self, entity: Entity, from: TableId, to: TableId) {
        for component in self.tables[from as usize].tracked() {
            let store = &mut self.components[component.index()];
            if store.column(to).is_null() {
                store.note_removed(entity);
            }
        }
    }

    /// Notes which tracked components all entities of a table lose with a move.
    pub(crate) fn note_all_left(&mut self, from: TableId, to: TableId) {
        let table = &self.tables[from as usize];
        for component in table.tracked() {
            let store = &mut self.components[component.index()];
            if store.column(to).is_null() {
                let entities = table.entities().iter();
                entities.for_each(|&entity| store.note_removed(entity));
            }
        }
    }

    /// Moves the entity at `at` to another table; returns its new row, and the row behind the last one of the old table,
    /// where values wait that the new table has no column for: two numbers, which come in registers.
    ///
    /// # Safety
    /// The tables differ, the target has room for a row, and the caller initialises its new columns, and takes or drops
    /// the leftovers, before anything else happens.
    pub(crate) unsafe fn move_entity(
        &mut self,
        entity: Entity,
        at: Location,
        target: TableId,
    ) -> (usize, usize) {
        let pair = self
            .tables
            .get_disjoint_mut([at.table as usize, target as usize]);
        let [from, to] = pair.expect("two different tables");
        // SAFETY: the caller's promises are those that `move_row` asks for.
        let (vacated, row) = unsafe { from.move_row(at.row as usize, to) };
        if let Some(filler) = vacated.filled_by {
            self.entities.relocate(filler, at);
        }
        let now = Location {
            table: target,
            row: row as u32,
        };
        self.entities.relocate(entity, now);
        (row, vacated.leftovers)
    }

    /// Moves all entities of a table to another one, behind those that it has; returns their number, which is also that
    /// of the values that wait in each column of the old table for which the new one has none.
    ///
    /// # Safety
    /// The tables differ, the target has room, its new columns are initialised in the rows behind its last one, and the
    /// caller takes or drops the leftovers before anything else happens.
    pub(crate) unsafe fn move_table(&mut self, from: TableId, target: TableId) -> usize {
        let first = self.table(target).len();
        let rows = self.table(from).len();
        let pair = self
            .tables
            .get_disjoint_mut([from as usize, target as usize]);
        let [source, into] = pair.expect("two different tables");
        // SAFETY: the caller's promises are those that `move_all` asks for.
        unsafe { source.move_all(into) };
        self.sync_columns(from);
        self.sync_columns(target);
        let moved = &self.tables[target as usize].entities()[first..];
        for (row, &entity) in (first..).zip(moved) {
            let at = Location {
                table: target,
                row: row as u32,
            };
            self.entities.relocate(entity, at);
        }
        rows
    }

    /// Ends all entities of a table.
    pub(crate) fn despawn_table(&mut self, table: TableId) {
        self.note_all_left(table, Self::EMPTY_TABLE);
        for &entity in self.tables[table as usize].entities() {
            for &component in &self.sparse {
                let (groups, components) = (&mut self.groups, &mut self.components);
                remove_sparse(groups, components, component, entity, &mut self.drops);
            }
            self.entities.free(entity);
        }
        self.tables[table as usize].clear(&mut self.drops);
        self.run_drops();
    }

    /// Ends an entity that has a row, and notes which tracked components it loses.
    pub(crate) fn despawn_noted(&mut self, entity: Entity) {
        self.end(entity);
        self.run_drops();
    }

    /// As [`despawn_noted`](Self::despawn_noted), with the values noted to be dropped.
    pub(crate) fn end(&mut self, entity: Entity) {
        if self.linked {
            self.unlink_all(entity);
        }
        let at = self.entities.get(entity).expect("the entity has a row");
        self.note_left(entity, at.table, Self::EMPTY_TABLE);
        let mut drops = core::mem::take(&mut self.drops);
        self.take_away(entity, at, &mut drops);
        self.drops = drops;
    }

    /// Ends the entity at `at`, whose table is not tracked: its id, its row, and all its values.
    pub(crate) fn despawn(&mut self, entity: Entity, at: Location) {
        let mut drops = core::mem::take(&mut self.drops);
        self.take_away(entity, at, &mut drops);
        self.run(drops);
    }

    #[inline(always)]
    fn take_away(&mut self, entity: Entity, at: Location, drops: &mut DropList) {
        let table = &mut self.tables[at.table as usize];
        let vacated = table.vacate_and_drop(at.row as usize, drops);
        if let Some(filler) = vacated.filled_by {
            self.entities.relocate(filler, at);
        }
        for &component in &self.sparse {
            let (groups, components) = (&mut self.groups, &mut self.components);
            remove_sparse(groups, components, component, entity, drops);
        }
        self.entities.free(entity);
    }

    /// Whether despawning the entities of the table drops nothing and nobody wants to be told.
    pub(crate) fn is_left_silently(&self, table: TableId) -> bool {
        let sparse = self.sparse.iter();
        let mut sparse = sparse.map(|&component| &self.components[component.index()]);
        let table = &self.tables[table as usize];
        !table.is_watched()
            && !table.needs_drop()
            && sparse.all(|store| store.info.drop.is_none() || store.sparse.len() == 0)
    }

    /// Ends an entity whose row was taken out, and of which nothing has to be dropped: its id and its sparse values.
    pub(crate) fn forget(&mut self, entity: Entity, table: TableId) {
        for component in self.tables[table as usize].tracked() {
            self.components[component.index()].note_removed(entity);
        }
        for &component in &self.sparse {
            let (groups, components) = (&mut self.groups, &mut self.components);
            remove_sparse(groups, components, component, entity, &mut self.drops);
        }
        self.entities.free(entity);
    }

    /// Ends all entities that have a row.
    pub(crate) fn clear(&mut self) {
        for id in 0..self.tables.len() {
            self.note_all_left(id as TableId, Self::EMPTY_TABLE);
            for &entity in self.tables[id].entities() {
                self.entities.free(entity);
            }
        }
        for &component in &self.sparse {
            self.components[component.index()].note_all_removed();
        }
        self.drop_values();
    }

    /// Empties all tables and sets, and drops what was in them.
    fn drop_values(&mut self) {
        let mut drops = core::mem::take(&mut self.drops);
        self.groups.clear();
        for table in &mut self.tables {
            table.clear(&mut drops);
        }
        for &component in &self.sparse {
            self.components[component.index()].sparse.clear(&mut drops);
        }
        self.run(drops);
    }

    /// Notes that a sparse tracked component was just added to an entity.
    #[inline]
    pub(crate) fn stamp_sparse(&mut self, component: ComponentId, entity: Entity) {
        let stamps = self.components[component.index()].sparse.stamps_of(entity);
        if let Some(stamps) = stamps {
            // SAFETY: the places are those of a value, and the storage is borrowed exclusively.
            unsafe { stamps.add(self.clock.between()) };
        }
    }

    /// Takes a sparse component off an entity, if it has it, and notes the value to be dropped.
    #[inline]
    pub(crate) fn remove_sparse(&mut self, component: ComponentId, entity: Entity) {
        if self.components[component.index()].info.link.is_some() {
            self.unlink(&[component], entity);
        }
        let (groups, components) = (&mut self.groups, &mut self.components);
        remove_sparse(groups, components, component, entity, &mut self.drops);
    }

    /// Takes a sparse component off an entity, if it has it, and returns the place of the value.
    ///
    /// The caller takes or drops it before anything else happens to the component; otherwise it leaks.
    #[inline]
    pub(crate) fn take_sparse(
        &mut self,
        component: ComponentId,
        entity: Entity,
    ) -> Option<*mut u8> {
        if self.components[component.index()].info.link.is_some() {
            self.unlink(&[component], entity);
        }
        self.take_sparse_off(component, entity)
    }

    /// As [`take_sparse`](Self::take_sparse), where nothing is left to be [unlinked](Self::unlink).
    #[inline]
    fn take_sparse_off(&mut self, component: ComponentId, entity: Entity) -> Option<*mut u8> {
        let member = self.components[component.index()].member;
        if member.is_grouped() {
            self.groups.leave(&mut self.components, member, entity);
        }
        let store = &mut self.components[component.index()];
        let value = store.sparse.remove(entity)?;
        store.note_removed(entity);
        Some(value)
    }

    /// Moves an entity to the groups that it belongs to with a sparse component that it did not have before, of which the
    /// value is in place.
    #[inline]
    pub(crate) fn enter_groups(&mut self, component: ComponentId, entity: Entity) {
        let member = self.components[component.index()].member;
        if member.is_grouped() {
            self.enter(member, entity);
        }
    }

    /// As [`enter_groups`](Self::enter_groups), with a component that is known to be in groups.
    #[cold]
    #[inline(never)]
    pub(crate) fn enter(&mut self, member: Member, entity: Entity) {
        self.groups.enter(&mut self.components, member, entity);
    }

    /// The groups of sparse components.
    #[inline]
    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Replaces the groups: each set has at least two sparse components and at most [`Groups::MAX_MEMBERS`], and two sets
    /// are nested but not the same, or have nothing in common. O(values of their components).
    #[inline]
    pub(crate) fn set_groups(&mut self, sets: Vec<Vec<ComponentId>>) {
        for set in &sets {
            for &component in set {
                self.component_or_new(component);
            }
        }
        self.groups.set(&mut self.components, sets);
    }

    /// As [`remove_sparse`](Self::remove_sparse), but does nothing and returns `false` if anybody wants to be told.
    ///
    /// `tracked` says whether the component is: a constant where the type is known.
    #[inline]
    pub(crate) fn remove_unwatched(
        &mut self,
        component: ComponentId,
        entity: Entity,
        tracked: bool,
    ) -> bool {
        let Some(store) = self.components.get(component.index()) else {
            return true;
        };
        debug_assert_eq!(store.info.tracked, tracked);
        if !store.watch.is_nothing() {
            return false;
        }
        let (groups, components) = (&mut self.groups, &mut self.components);
        let drops = &mut self.drops;
        if take_off(groups, components, component, entity, drops) && tracked {
            components[component.index()].note_removed(entity);
        }
        true
    }

    /// Drops what was noted in [`drops`](Self::drops), when all books are in order.
    #[inline]
    pub(crate) fn run_drops(&mut self) {
        self.drops.run();
    }

    /// A list to note values in that leave the storage; to be handed to [`run`](Self::run).
    #[inline]
    pub(crate) fn take_drops(&mut self) -> DropList {
        core::mem::take(&mut self.drops)
    }

    /// Drops what was noted, when all books are in order, and keeps the list's memory.
    #[inline]
    pub(crate) fn run(&mut self, mut drops: DropList) {
        drops.run();
        self.drops = drops;
    }

    /// Checks all invariants of the storage.
    #[cfg(feature = "validate")]
    pub(crate) fn check(&self) {
        let mut rows = 0;
        for (index, table) in self.tables.iter().enumerate() {
            assert!(
                table.len() <= table.capacity(),
                "capacity covers the rows of table {index}"
            );
            assert!(
                table.components().is_sorted(),
                "the columns of table {index} are sorted"
            );
            let key: Box<[ComponentId]> = table.components().collect();
            let found = self.find_table(&key).map(|found| self.by_components[found]);
            assert_eq!(found, Ok(index as TableId), "table {index} is found");
            for (row, &entity) in table.entities().iter().enumerate() {
                let expected = Location {
                    table: index as TableId,
                    row: row as u32,
                };
                assert_eq!(
                    self.entities.get(entity),
                    Some(expected),
                    "{entity} is found in its row"
                );
                rows += 1;
            }
        }
        self.entities.check(rows);
        self.check_watch();
        for (index, store) in self.components.iter().enumerate() {
            // A view that writes may change the set of an immediate component now.
            let Some(_borrow) = store.flag.try_shared() else {
                continue;
            };
            store.check(ComponentId::from_index(index), &self.tables);
            for &entity in store.sparse.entities() {
                assert!(
                    self.entities.get(entity).is_some(),
                    "{entity} in the set of {} lives",
                    store.info.name
                );
            }
        }
        self.groups.check(&self.components);
        self.check_links();
    }
}

/// Takes a sparse component off an entity, if it has it, and notes the value to be dropped.
///
/// Always inline: out of line the five arguments cost more than the work on a component without groups.
#[inline(always)]
fn remove_sparse(
    groups: &mut Groups,
    components: &mut [ComponentStore],
    component: ComponentId,
    entity: Entity,
    drops: &mut DropList,
) {
    if take_off(groups, components, component, entity, drops) {
        components[component.index()].note_removed(entity);
    }
}

/// As [`remove_sparse`], for a caller who notes that the component was removed: says whether it was.
#[inline(always)]
fn take_off(
    groups: &mut Groups,
    components: &mut [ComponentStore],
    component: ComponentId,
    entity: Entity,
    drops: &mut DropList,
) -> bool {
    let member = components[component.index()].member;
    if member.is_grouped() {
        groups.leave(components, member, entity);
    }
    let store = &mut components[component.index()];
    store.sparse.remove_and_drop(entity, drops)
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.drop_values();
    }
}
