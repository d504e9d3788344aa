//! The memory that a world uses.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::{World, borrow};
use crate::bytes::{Bytes, Human};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::storage::{Frozen, Table};

/// The memory of a [`World`], table by table and component by component; returned by [`World::memory_usage`].
///
/// `Display` prints it as a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// The number of living entities, including reserved ones.
    pub entities: usize,
    /// The slots of all entity indices that were ever used, the free indices, the list of reserved entities, and a buffer
    /// for the ids that a batch has returned.
    pub ids: Bytes,
    /// The tables in the order of creation, also tables without rows.
    pub tables: Vec<TableMemory>,
    /// The sparse components in the order of registration: their values, ticks and indices.
    pub sparse_sets: Vec<ComponentMemory>,
    /// The removals of tracked components that are kept for readers.
    pub removals: Bytes,
    /// The descriptions of tables, and the indices that find tables, columns, and the sparse components of an entity.
    pub index: Bytes,
    /// The number of resources, whose memory is not counted.
    pub resources: usize,
}

/// The memory of a table: all entities with the same set of table components.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableMemory {
    /// The number of entities.
    pub rows: usize,
    /// The number of entities that the reserved memory can hold.
    pub capacity: usize,
    /// The list of the entities.
    pub ids: Bytes,
    /// The components in the order of registration: their values and ticks.
    pub components: Vec<ComponentMemory>,
}

/// The memory of a component in a table or in its sparse set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComponentMemory {
    /// The component.
    pub component: ComponentId,
    /// The component's name in messages.
    pub name: &'static str,
    /// The number of values.
    pub values: usize,
    /// The memory of the values and their ticks, without the memory that values own elsewhere.
    pub bytes: Bytes,
}

impl TableMemory {
    /// Returns the sum of the list of entities and all components.
    #[must_use]
    #[inline]
    pub fn total(&self) -> Bytes {
        self.ids + sum(&self.components)
    }

    #[inline]
    fn of(table: &Table) -> Self {
        let mut components: Vec<ComponentMemory> = Vec::new();
        for (index, column) in table.columns().iter().enumerate() {
            let bytes = table.column_bytes(index);
            match components.last_mut() {
                // The ticks of a component follow its values.
                Some(last) if last.component == column.component => last.bytes += bytes,
                _ => components.push(ComponentMemory {
                    component: column.component,
                    name: column.component.name(),
                    values: table.len(),
                    bytes,
                }),
            }
        }
        Self {
            rows: table.len(),
            capacity: table.capacity(),
            ids: table.id_bytes(),
            components,
        }
    }
}

impl MemoryUsage {
    /// Returns the sum of all parts.
    #[must_use]
    #[inline]
    pub fn total(&self) -> Bytes {
        let tables: Bytes = self.tables.iter().map(TableMemory::total).sum();
        self.ids + tables + sum(&self.sparse_sets) + self.removals + self.index
    }
}

#[inline]
fn sum(components: &[ComponentMemory]) -> Bytes {
    components.iter().map(|component| component.bytes).sum()
}

impl World {
    /// Returns how much memory each table and component uses.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)] struct Position([f32; 3]);
    /// #[derive(Component)] #[component(storage = "sparse")] struct Stunned(u8);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..1000).map(|_| Position([0.0; 3])));
    /// world.spawn(Stunned(3));
    ///
    /// let usage = world.memory_usage();
    /// let table = usage.tables.iter().find(|table| table.rows == 1000).unwrap();
    /// assert_eq!(table.components[0].bytes.used, 12_000);
    /// assert_eq!(usage.sparse_sets[0].values, 1);
    /// assert!(usage.total().reserved >= usage.total().used);
    /// println!("{usage}");
    /// ```
    ///
    /// prints a tree that begins like this; tables without memory are counted in one line:
    ///
    /// ```text
    ///                               count       used   reserved
    /// world                          1001   36.8 KiB   44.3 KiB
    /// ├─ ids                         1001    7.8 KiB   15.6 KiB
    /// ├─ table 0                        1        8 B       64 B
    /// │  └─ ids                         1        8 B       64 B
    /// ├─ table 1                     1000   19.5 KiB   19.5 KiB
    /// │  ├─ game::Position           1000   11.7 KiB   11.7 KiB
    /// │  └─ ids                      1000    7.8 KiB    7.8 KiB
    /// ```
    ///
    /// This counts the bytes of values where they are stored, and all memory of the engine that grows with the number of
    /// entities, tables or components. It does not count memory that values own themselves (the text of a `String`),
    /// resources and with them events, queued commands, observers, the data that the world keeps for each type of bundle and
    /// system, or the overhead of the allocator per block. [`shrink`](Self::shrink) gives back memory that is reserved but
    /// unused.
    ///
    /// O(tables and their components), and the highest index of an entity for each sparse component.
    ///
    /// # Panics
    /// If an [immediate](crate::ImmediateComponent) component is borrowed for writing.
    #[inline]
    #[track_caller]
    #[must_use]
    pub fn memory_usage(&self) -> MemoryUsage {
        let mut usage = self.memory_outline();
        let tables = 0..self.storage.tables().len();
        usage.tables = tables.filter_map(|at| self.table_memory(at)).collect();
        let sets = 0..self.storage.sparse().len();
        usage.sparse_sets = sets.filter_map(|at| self.sparse_set_memory(at)).collect();
        usage
    }

    /// Returns the memory, without tables and sparse components. O(tables), some instructions each.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn memory_outline(&self) -> MemoryUsage {
        let storage = &self.storage;
        let spawned = Bytes {
            used: 0,
            reserved: Bytes::of_list(&self.spawned).reserved,
        };
        MemoryUsage {
            entities: self.len(),
            ids: storage.entities.bytes() + spawned,
            tables: Vec::new(),
            sparse_sets: Vec::new(),
            removals: storage.removal_bytes(),
            index: storage.index_bytes(),
            resources: self.resources.len(),
        }
    }

    /// Returns the memory of the table that was created at some place.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn table_memory(&self, at: usize) -> Option<TableMemory> {
        self.storage.tables().get(at).map(TableMemory::of)
    }

    /// Returns the entities of the table that was created at some place, in the order of its rows.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn table_entities(&self, at: usize) -> Option<&[Entity]> {
        self.storage.tables().get(at).map(Table::entities)
    }

    /// Returns the memory of the sparse component that was registered at some place.
    ///
    /// # Panics
    /// If it is [immediate](crate::ImmediateComponent), and borrowed for writing.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    #[must_use]
    pub fn sparse_set_memory(&self, at: usize) -> Option<ComponentMemory> {
        let &component = self.storage.sparse().get(at)?;
        let store = self.storage.store(component);
        // Views change the sets of immediate components only.
        let borrowed = store.info.immediate.then(|| borrow(store));
        let _borrow = borrowed.map(|it| it.unwrap_or_else(|error| panic!("{error}")));
        // SAFETY: only views of an immediate component change a set through its pointer, and its run-time borrow for
        // reading is held while the code looks at the set.
        let set = unsafe { Frozen::new(store) }.set();
        Some(ComponentMemory {
            component,
            name: store.info.name,
            values: set.len(),
            bytes: set.bytes(),
        })
    }
}

/// A line of the tree.
struct Line {
    label: String,
    count: Option<usize>,
    bytes: Option<Bytes>,
}

impl Line {
    fn new(label: impl Into<String>, count: usize, bytes: Bytes) -> Self {
        Self {
            label: label.into(),
            count: Some(count),
            bytes: Some(bytes),
        }
    }
}

/// Appends the lines of a node's children. Each is a line with its own children.
#[inline]
fn push_children(lines: &mut Vec<Line>, children: Vec<(Line, Vec<Line>)>) {
    let count = children.len();
    for (index, (mut child, grandchildren)) in children.into_iter().enumerate() {
        let is_last = index + 1 == count;
        let (branch, stem) = if is_last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        child.label.insert_str(0, branch);
        lines.push(child);
        let inner = grandchildren.len();
        for (index, mut grandchild) in grandchildren.into_iter().enumerate() {
            let branch = if index + 1 == inner {
                "└─ "
            } else {
                "├─ "
            };
            grandchild.label = format!("{stem}{branch}{}", grandchild.label);
            lines.push(grandchild);
        }
    }
}

impl MemoryUsage {
    #[inline]
    fn lines(&self) -> Vec<Line> {
        let of_component = |it: &ComponentMemory| Line::new(it.name, it.values, it.bytes);
        let mut children = vec![(Line::new("ids", self.entities, self.ids), Vec::new())];
        let mut empty = 0;
        for (id, table) in self.tables.iter().enumerate() {
            if table.rows == 0 && table.total().reserved == 0 {
                empty += 1;
                continue;
            }
            let mut parts: Vec<Line> = table.components.iter().map(of_component).collect();
            parts.push(Line::new("ids", table.rows, table.ids));
            let line = Line::new(format!("table {id}"), table.rows, table.total());
            children.push((line, parts));
        }
        if empty > 0 {
            let line = Line::new("tables without memory", empty, Bytes::default());
            children.push((line, Vec::new()));
        }
        if !self.sparse_sets.is_empty() {
            let line = Line {
                label: "sparse sets".to_owned(),
                count: None,
                bytes: Some(sum(&self.sparse_sets)),
            };
            let sets = self.sparse_sets.iter().map(of_component).collect();
            children.push((line, sets));
        }
        for (label, bytes) in [("removals", self.removals), ("index", self.index)] {
            let line = Line {
                label: label.to_owned(),
                count: None,
                bytes: Some(bytes),
            };
            children.push((line, Vec::new()));
        }
        let resources = Line {
            label: "resources, not counted".to_owned(),
            count: Some(self.resources),
            bytes: None,
        };
        children.push((resources, Vec::new()));
        let mut lines = vec![Line::new("world", self.entities, self.total())];
        push_children(&mut lines, children);
        lines
    }
}

impl fmt::Display for MemoryUsage {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        let widths = lines.iter().map(|line| line.label.chars().count());
        let width = widths.max().unwrap_or(0);
        write!(
            f,
            "{:width$} {:>10} {:>10} {:>10}",
            "", "count", "used", "reserved"
        )?;
        for Line {
            label,
            count,
            bytes,
        } in lines
        {
            let text = |number: Option<String>| number.unwrap_or_default();
            let count = text(count.map(|count| count.to_string()));
            let used = text(bytes.map(|bytes| Human(bytes.used).to_string()));
            let reserved = text(bytes.map(|bytes| Human(bytes.reserved).to_string()));
            let line = format!("{label:width$} {count:>10} {used:>10} {reserved:>10}");
            write!(f, "\n{}", line.trim_end())?;
        }
        Ok(())
    }
}
