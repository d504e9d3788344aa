//! Ids that no entity of any world ever has, for values that name entities that do not exist.
//!
//! A world gives each of them once, in ascending order, like the ids of entities. So the ids of two loads stay apart, and
//! ids that are given in the order of the originals keep that order.

#[cfg(feature = "snapshot")]
mod given;

use core::num::NonZeroU32;

use super::Entity;

/// The bit of generations that no world allocates: a slot has only 22 bits for a generation.
pub(super) const NEVER: u32 = 1 << 31;

/// The index of the first of these ids. Each index has one id for every generation with the bit [`NEVER`].
const FIRST: u32 = 0xF000_0000;

/// The number of the first id that is given with local ids of entities. As many numbers come before it.
const LOCAL: u64 = 1 << 57;

/// The number of indices of the ids that are given.
const GIVEN_INDICES: u32 = ((2 * LOCAL) >> 31) as u32;

/// The ids that no entity has.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeadIds {
    /// The number of the next id.
    shared: u64,
    /// The number of the next id while [local ids](super::local) are given. Entities that are not simulated then change no
    /// id of the simulation.
    local: u64,
}

impl Default for DeadIds {
    fn default() -> Self {
        Self {
            shared: 0,
            local: LOCAL,
        }
    }
}

impl DeadIds {
    /// The numbers of the next ids.
    pub(super) fn numbers(&self) -> [u64; 2] {
        [self.shared, self.local]
    }

    /// Returns the ids after some numbers; `None` if there are no such numbers.
    pub(super) fn of_numbers([shared, local]: [u64; 2]) -> Option<Self> {
        let are_numbers = shared <= LOCAL && (LOCAL..=2 * LOCAL).contains(&local);
        are_numbers.then_some(Self { shared, local })
    }

    /// Returns to a copy, apart from the local ones.
    pub(super) fn return_shared(&mut self, copy: &Self) {
        self.shared = copy.shared;
    }
}

/// Returns the id with a number, counted from 0: the ids that a new world gives.
#[must_use]
pub const fn of_number(number: u64) -> Entity {
    let index = FIRST + (number >> 31) as u32;
    let generation = NonZeroU32::new(number as u32 | NEVER);
    Entity::new(index, generation.expect("a bit is set"))
}

/// Returns an id that no entity ever has, in any world, for an id of another world. It is the same each time, and no world
/// gives it. Different ids of entities get different ones, in the same order.
#[inline]
#[must_use]
pub const fn dead_like(entity: Entity) -> Entity {
    let is_given = entity.index() >= FIRST && entity.index() < FIRST + GIVEN_INDICES;
    let index = entity.index() + if is_given { GIVEN_INDICES } else { 0 };
    let generation = NonZeroU32::new(entity.generation() | NEVER);
    Entity::new(index, generation.expect("a bit is set"))
}
