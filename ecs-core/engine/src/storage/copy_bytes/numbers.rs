//! The numbers of components in the bytes of a copy.

use alloc::vec::Vec;

use super::{CopyInput, CopyOutput, CopyProblem, put_len, put_u32, take_len, take_u32};
use crate::component::ComponentId;

/// The numbers of the components of a copy.
pub(in crate::storage) struct Numbers {
    /// By component.
    pub(in crate::storage) by_component: Vec<u32>,
}

impl Numbers {
    /// Returns the number of a component of the copy.
    pub(in crate::storage) fn of(&self, component: ComponentId) -> u32 {
        self.by_component[component.index()]
    }

    /// Writes the numbers of components.
    pub(in crate::storage) fn put(&self, out: &mut dyn CopyOutput, components: &[ComponentId]) {
        put_len(out, components.len());
        for &component in components {
            put_u32(out, self.of(component));
        }
    }
}

/// Returns the components of some numbers.
pub(in crate::storage) fn take_components(
    input: &mut dyn CopyInput,
    all: &[ComponentId],
) -> Result<Vec<ComponentId>, CopyProblem> {
    let count = take_len(input, 4)?;
    let mut components = Vec::with_capacity(count);
    for _ in 0..count {
        components.push(take_component(input, all)?);
    }
    Ok(components)
}

pub(in crate::storage) fn take_component(
    input: &mut dyn CopyInput,
    all: &[ComponentId],
) -> Result<ComponentId, CopyProblem> {
    let number = take_u32(input)? as usize;
    let component = all.get(number).copied();
    component.ok_or(CopyProblem::Malformed("there is no such component"))
}
