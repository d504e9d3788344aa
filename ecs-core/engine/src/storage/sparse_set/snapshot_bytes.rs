//! Copies of sparse sets as bytes.

use super::SetCopy;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::storage::ErasedColumn;
use crate::storage::column_copy::{Copiers, read_values};
use crate::storage::copy_bytes::{
    CopyInput, CopyOutput, CopyProblem, Numbers, ReadEnds, put_ids, put_ticks, put_u32, read_ends,
    take_component, take_ids, take_ticks, write_ends,
};

/// A copy that was read.
pub(in crate::storage) struct ReadSet {
    /// Without values if it is an end of a relation.
    pub(in crate::storage) copy: SetCopy,
    /// The values of an end of a relation.
    pub(in crate::storage) linked: Option<ReadEnds>,
}

impl SetCopy {
    /// The entities of the values.
    pub(in crate::storage) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Sets the values of an end of a relation: one for each entity.
    pub(in crate::storage) fn set_values(&mut self, values: ErasedColumn) {
        debug_assert!(values.len() == self.entities.len());
        *self.values.values_mut() = values;
    }

    /// Writes the copy. Returns false if that is not possible.
    pub(in crate::storage) fn write(&self, out: &mut dyn CopyOutput, numbers: &Numbers) -> bool {
        put_u32(out, numbers.of(self.component));
        put_ids(out, &self.entities);
        let is_written = match self.component.info().link {
            None => self.values.write(out),
            Some(_) => write_ends(out, self.values.values()),
        };
        if is_written && self.component.is_tracked() {
            self.ticks.iter().for_each(|ticks| put_ticks(out, ticks));
        }
        is_written
    }

    /// Reads a copy.
    pub(in crate::storage) fn read(
        input: &mut dyn CopyInput,
        all: &[ComponentId],
        copiers: &Copiers,
    ) -> Result<ReadSet, CopyProblem> {
        let component = take_component(input, all)?;
        if !component.storage().is_by_entity() {
            return Err(CopyProblem::Malformed("a component is not sparse"));
        }
        let Some(copier) = copiers.get(component) else {
            return Err(CopyProblem::Uncopied(component.name()));
        };
        let mut copy = Self::new(component, copier);
        copy.entities = take_ids(input)?;
        let rows = copy.entities.len();
        let mut linked = None;
        match component.info().link {
            None => copy.values = read_values(input, component, copiers, rows)?,
            Some(link) => linked = Some(read_ends(input, component, link.end, rows)?),
        }
        if component.is_tracked() {
            copy.ticks = [take_ticks(input, rows)?, take_ticks(input, rows)?];
        }
        Ok(ReadSet { copy, linked })
    }
}
