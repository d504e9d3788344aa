//! The memory of the storage, and the parts of it that can be given back.

use alloc::vec::Vec;

use super::{ComponentStore, DropList, Storage, Table, TableColumn};
use crate::bytes::Bytes;
use crate::component::ComponentId;
use crate::entity::TableId;
use crate::sort::sort_by_number;

/// A part of the storage whose unused memory is given back at once.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemoryPart {
    /// The list of entities and all columns of a table.
    Table(TableId),
    /// The sparse set of a component.
    Set(ComponentId),
    /// The removals of a component that are kept for readers.
    Removals(ComponentId),
    /// The sparse components that each entity may have.
    Presence,
    /// Slots of entities, and free indices.
    Ids,
}

impl Storage {
    /// Counts the removals that are kept for readers.
    #[inline]
    pub(crate) fn removal_bytes(&self) -> Bytes {
        let logs = self.components.iter().flat_map(|store| &store.removed);
        logs.map(|log| log.bytes()).sum()
    }

    /// Counts the descriptions of tables, and the indices that find columns and tables.
    #[inline]
    pub(crate) fn index_bytes(&self) -> Bytes {
        let tables = self.tables.iter().map(|table| {
            let columns = size_of_val::<[TableColumn]>(table.columns());
            Bytes {
                used: columns,
                reserved: columns,
            }
        });
        let stores = self.components.iter().map(ComponentStore::list_bytes);
        Bytes::of_list::<Table>(&self.tables)
            + Bytes::of_list::<ComponentStore>(&self.components)
            + Bytes::of_list(&self.by_components)
            + Bytes::of_list(&self.sparse)
            + self.presence.bytes()
            + tables.sum()
            + stores.sum()
    }

    /// Returns the parts that have unused memory, starting with the part that has most. O(tables and components), and the
    /// highest index of an entity for each sparse component.
    #[inline]
    pub(crate) fn spare_parts(&mut self) -> Vec<MemoryPart> {
        // Empty (invariant 5), and has at most as many entries as the largest structural change.
        self.drops = DropList::default();
        let mut parts = vec![
            (self.entities.bytes().unused(), MemoryPart::Ids),
            (self.presence.spare_bytes(), MemoryPart::Presence),
        ];
        for (id, table) in (0..).zip(&self.tables) {
            parts.push((table.row_bytes().unused(), MemoryPart::Table(id)));
        }
        for &id in &self.sparse {
            let set = self.components[id.index()].set_mut();
            parts.push((set.spare_bytes(), MemoryPart::Set(id)));
        }
        for (index, store) in self.components.iter().enumerate() {
            if let Some(log) = &store.removed {
                let id = ComponentId::from_index(index);
                parts.push((log.bytes().unused(), MemoryPart::Removals(id)));
            }
        }
        parts.retain(|&(bytes, _)| bytes > 0);
        sort_by_number(&mut parts, |&(bytes, _)| u64::MAX - bytes as u64);
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// Returns the bytes that a part has reserved.
    #[inline]
    fn reserved_bytes(&mut self, part: MemoryPart) -> usize {
        let bytes = match part {
            MemoryPart::Table(id) => self.tables[id as usize].row_bytes(),
            MemoryPart::Set(id) => self.components[id.index()].set_mut().bytes(),
            MemoryPart::Removals(id) => {
                let log = self.components[id.index()].removed.as_ref();
                log.map_or(Bytes::default(), |log| log.bytes())
            }
            MemoryPart::Presence => self.presence.bytes(),
            MemoryPart::Ids => self.entities.bytes(),
        };
        bytes.reserved
    }

    /// Gives back the unused memory of a part, and returns by how many bytes it shrank. That can be 0: a hash map keeps more
    /// memory than its entries need.
    #[inline]
    pub(crate) fn shrink(&mut self, part: MemoryPart) -> usize {
        let before = self.reserved_bytes(part);
        match part {
            MemoryPart::Table(id) => {
                self.tables[id as usize].shrink();
                self.sync_columns(id);
            }
            MemoryPart::Set(id) => self.components[id.index()].set_mut().shrink(),
            MemoryPart::Removals(id) => {
                if let Some(log) = &mut self.components[id.index()].removed {
                    log.shrink();
                }
            }
            MemoryPart::Presence => self.presence.shrink(),
            MemoryPart::Ids => self.entities.shrink(),
        }
        before - self.reserved_bytes(part)
    }
}
