//! Entities that move between worlds, and copies of entities that live elsewhere.

use crate::shuffle::shuffle;

/// The number of entities that stay, and of those that move at once.
pub(crate) const STAYING: u32 = 96_000;
pub(crate) const MOVING: u32 = 4_000;

/// The numbers of the entities that move, at random among all.
pub(crate) fn moving() -> Vec<u32> {
    let mut all: Vec<u32> = (0..STAYING + MOVING).collect();
    shuffle(&mut all);
    all.truncate(MOVING as usize);
    all
}
