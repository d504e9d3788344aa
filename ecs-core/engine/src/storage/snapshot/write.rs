//! Writes copies of storages.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::component::ComponentId;
use crate::storage::StorageCopy;
use crate::storage::copy_bytes::{
    CopyOutput, Numbers, put_ids, put_len, put_text, put_u32, put_u32s, put_u64,
};

impl StorageCopy {
    /// Returns the components whose values a function does not accept, in order of registration.
    pub(crate) fn unwritten(&self, is_written: &dyn Fn(ComponentId) -> bool) -> Vec<ComponentId> {
        let mut found = Vec::new();
        for &(component, _) in &self.registered {
            let in_tables = || {
                self.tables
                    .iter()
                    .any(|table| table.has_values_of(component))
            };
            let mut sets = self.sets[..self.used].iter();
            let is_used = in_tables() || sets.any(|set| set.component() == component);
            if is_used && !is_written(component) {
                found.push(component);
            }
        }
        found
    }

    /// Returns the first name that two registered components have, and the paths of their types.
    pub(crate) fn same_name(&self) -> Option<(&'static str, [&'static str; 2])> {
        let mut known = BTreeMap::new();
        self.registered.iter().find_map(|&(component, _)| {
            let other: ComponentId = known.insert(component.name(), component)?;
            let types = [other, component].map(ComponentId::rust_name);
            Some((component.name(), types))
        })
    }

    /// The memory of the values and ids of rows, in bytes.
    pub(crate) fn size(&self) -> usize {
        let tables = self.tables.iter();
        let tables = tables.map(|table| table.entities().len() * size_of_row(table.components()));
        let sets = self.sets[..self.used].iter();
        let sets = sets.map(|set| set.entities().len() * size_of_row(&[set.component()]));
        tables.chain(sets).sum()
    }

    /// Writes a copy of a whole storage, whose values can all be [written](Self::unwritten). Returns false if that is not
    /// possible nevertheless.
    #[must_use]
    pub(crate) fn write(&self, out: &mut dyn CopyOutput) -> bool {
        debug_assert!(self.part.is_none());
        let ids = self.registered.iter().map(|(id, _)| id.index());
        let mut numbers = Numbers {
            by_component: vec![u32::MAX; ids.max().map_or(0, |last| last + 1)],
        };
        put_len(out, self.registered.len());
        for (number, (component, _)) in (0..).zip(&self.registered) {
            numbers.by_component[component.index()] = number;
            put_text(out, component.name());
        }
        let without = self.without.iter().copied();
        let is_registered = |id: &ComponentId| self.registered.iter().any(|(of, _)| of == id);
        let without: Vec<ComponentId> = without.filter(is_registered).collect();
        numbers.put(out, &without);
        put_u64(out, self.base);
        put_u64(out, self.now);
        self.write_ids(out);
        put_len(out, self.tables.len());
        if !self.tables.iter().all(|table| table.write(out, &numbers)) {
            return false;
        }
        let sets = &self.sets[..self.used];
        put_len(out, sets.len());
        if !sets.iter().all(|set| set.write(out, &numbers)) {
            return false;
        }
        put_len(out, self.groups.len());
        for (members, _) in &self.groups {
            numbers.put(out, members);
        }
        put_len(out, self.removed.len());
        for (component, log) in &self.removed {
            put_u32(out, numbers.of(*component));
            let (first, bound, kept) = log.parts();
            put_u64(out, first);
            put_len(out, bound);
            let (kept, rest) = kept.as_slices();
            put_ids(out, kept);
            put_ids(out, rest);
        }
        self.disablings.write(out);
        true
    }

    fn write_ids(&self, out: &mut dyn CopyOutput) {
        let ids = self.entities.facts();
        put_u32s(out, &ids.unplaced);
        put_len(out, ids.revived.len());
        for &(index, kept) in &ids.revived {
            put_u32(out, index);
            put_u32(out, kept);
        }
        put_u64(out, ids.dead[0]);
        put_u64(out, ids.dead[1]);
        put_u32(out, ids.local.start);
        put_u32(out, ids.local.end);
        out.put(&[u8::from(ids.is_local)]);
    }
}

/// The size of the id, the values and the ticks of a row.
fn size_of_row(components: &[ComponentId]) -> usize {
    let sizes = components.iter().map(|component| {
        let ticks = if component.is_tracked() { 8 } else { 0 };
        component.layout().size() + ticks
    });
    8 + sizes.sum::<usize>()
}
