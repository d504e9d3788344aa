//! Storage: where the values are. Tables and sparse sets, and the order among them.
//!
//! This room knows nothing of types: it moves bytes and keeps books. The rooms above hand it typed values.

mod batch_move;
mod column;
mod compact_ticks;
mod despawn;
mod drop_list;
mod groups;
mod links;
mod registry;
mod rows;
mod shared;
mod sparse;
mod sparse_set;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod tracking;
mod watch;

pub(crate) use batch_move::BatchMove;
pub(crate) use compact_ticks::{ColumnKind, CompactTicks};
pub(crate) use drop_list::DropList;
pub(crate) use groups::{Groups, Member, Members};
pub use links::ListIter;
pub(crate) use links::{List, TargetLink, WrongEnd};
pub(crate) use shared::{Frozen, FrozenStore};
pub(crate) use sparse::Unwatched;
pub(crate) use sparse_set::SparseSet;
pub(crate) use store::ComponentStore;
pub(crate) use table::{Table, TableColumn};

use crate::component::ComponentId;
#[cfg(feature = "validate")]
use crate::entity::Location;
use crate::entity::{Entities, TableId};
use crate::log::ReadersOf;
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
    /// By component id, without gaps: registered components, and others with a lower id than one of these.
    components: Vec<ComponentStore>,
    /// The number of registered components.
    registered: u32,
    /// The registered sparse components, in that order.
    sparse: Vec<ComponentId>,
    /// Which of the sparse ones keep the entities that they have in common in front.
    /// Invariant 3: an entity enters and leaves groups with each sparse component that it gets and loses.
    groups: Groups,
    /// Whether anybody wants to be told when one of `sparse` leaves an entity, which can be in any table.
    sparse_watched: bool,
    /// The registered components that are ends of relations, in that order.
    /// Invariant 4: the two ends agree, whenever no verb is writing.
    links: Vec<ComponentId>,
    /// Whether anything was ever related.
    linked: bool,
    /// Who reads the removals of tracked components.
    removal_readers: ReadersOf<ComponentId>,
    /// All tables, sorted by their components.
    by_components: Vec<TableId>,
    /// Kept for its memory. Invariant 5: empty. A list to note values in is [taken](Self::take_drops) from here.
    drops: DropList,
}

impl Default for Storage {
    fn default() -> Self {
        Self::new(Entities::default())
    }
}

impl Storage {
    /// The table of entities without table components.
    pub(crate) const EMPTY_TABLE: TableId = 0;

    pub(crate) fn new(entities: Entities) -> Self {
        let mut storage = Self {
            entities,
            clock: Clock::default(),
            tables: Vec::new(),
            components: Vec::new(),
            registered: 0,
            sparse: Vec::new(),
            groups: Groups::default(),
            sparse_watched: false,
            links: Vec::new(),
            linked: false,
            removal_readers: ReadersOf::default(),
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

    /// The store of a component; `None` only if the component is not registered.
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

    /// An empty list to note values in that leave the storage; to be handed to [`run`](Self::run).
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
                table.columns().is_sorted_by_key(|column| column.place),
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
            // SAFETY: it is borrowed for reading.
            let store = unsafe { Frozen::new(store) };
            let id = ComponentId::from_index(index);
            let is_sparse = store.is_registered() && store.info.storage.is_sparse();
            assert_eq!(
                self.sparse.contains(&id),
                is_sparse,
                "registered sparse components are listed"
            );
            store.check(id, &self.tables);
            for &entity in store.set().entities() {
                assert!(
                    self.entities.get(entity).is_some(),
                    "{entity} in the set of {} lives",
                    store.info.name
                );
            }
        }
        self.groups.check(&self.components);
        self.check_links();
        assert!(self.drops.is_empty(), "no value waits to be dropped");
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.drop_values();
    }
}
