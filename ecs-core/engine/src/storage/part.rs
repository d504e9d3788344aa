//! Some of the entities of a storage, decided table by table.

use alloc::vec::Vec;
use core::ops::Range;

use super::{EdgeList, SparseSet, Storage};
use crate::bits::Bits;
use crate::entity::{Entity, TableId};

/// Returns true if the entities of a table are part of a copy.
pub(crate) type IsPart = fn(&Storage, TableId) -> bool;

/// Some of the entities of a storage.
pub(crate) struct StoragePart {
    /// The tables of these entities.
    pub(super) tables: Bits,
    /// The indices of these entities.
    pub(super) members: Bits,
}

impl StoragePart {
    #[inline]
    pub(super) fn has_table(&self, table: TableId) -> bool {
        self.tables.contains(table as usize)
    }

    /// Returns true if an entity, which is alive, is one of them.
    #[inline]
    pub(crate) fn has(&self, entity: Entity) -> bool {
        self.members.contains(entity.index() as usize)
    }

    /// Returns the positions of a set that are copied. For sources of targets: the positions of targets that have any source
    /// in the part.
    pub(super) fn runs(&self, set: &SparseSet, is_sources: bool) -> Vec<Range<usize>> {
        let first = set.data().as_ptr().cast::<EdgeList>();
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (position, &entity) in set.entities().iter().enumerate() {
            if !self.has(entity) {
                continue;
            }
            if is_sources {
                // SAFETY: the set has a value at the position. It is an `EdgeList`: the caller says that it is one of sources.
                let list = unsafe { first.add(position) };
                // SAFETY: as above, and the set is borrowed.
                let list = unsafe { &*list };
                if !list.iter().any(|source| self.has(source)) {
                    continue;
                }
            }
            match runs.last_mut() {
                Some(last) if last.end == position => last.end += 1,
                _ => runs.push(position..position + 1),
            }
        }
        runs
    }

    /// Removes all other entities from a list. The remaining ones keep their slots.
    pub(super) fn take_out_others(&self, list: &mut EdgeList) {
        let others = list.edges().filter(|(_, entity)| !self.has(*entity));
        let slots: Vec<usize> = others.map(|(slot, _)| slot).collect();
        for slot in slots {
            list.take_out(slot);
        }
    }
}

impl Storage {
    /// Finds the entities in tables that one of the functions accepts. O(tables and these entities).
    pub(crate) fn part_of(&self, filters: &[IsPart]) -> StoragePart {
        let (mut tables, mut members) = (Bits::default(), Bits::default());
        for (index, table) in self.tables.iter().enumerate() {
            if !filters
                .iter()
                .any(|is_part| is_part(self, index as TableId))
            {
                continue;
            }
            tables.insert(index);
            for entity in table.entities() {
                members.insert(entity.index() as usize);
            }
        }
        StoragePart { tables, members }
    }
}
