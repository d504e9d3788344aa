//! The difference between two versions of a prefab.

use std::collections::HashMap;

use ecs_engine::{Entity, World};

use super::matches::matches;
use crate::diff::{Diff, Differ};
use crate::prefab::{ChangesError, Prefab};
use crate::prefab_part::PrefabPart;

/// The difference between two versions of a prefab.
pub(super) struct FileChanges {
    /// The index of an entity is its slot.
    pub(super) diff: Diff,
    /// By slot: the number that an entity has in copies; of the old prefab, unless it is new.
    pub(super) known_as: Vec<u32>,
    /// By slot: the number in the new prefab; `None` if it is no longer there.
    pub(super) numbers: Vec<Option<u32>>,
    /// The slot of an entity that remembers a number.
    pub(super) slots: HashMap<u32, u32>,
    /// The number of slots of the old prefab.
    old_slots: usize,
    /// The version of the new prefab.
    pub(super) version: u32,
}

impl FileChanges {
    pub(super) fn between(old: &Prefab, new: &Prefab) -> Result<Self, ChangesError> {
        let of_old = 0..old.len() as u32;
        let mut known_as: Vec<u32> = of_old.map(|position| old.number_of(position)).collect();
        let old_slots = known_as.len();
        let found = matches(old, new)?.into_iter();
        let new_slots = found.zip(0..).map(|(found, position)| {
            found.unwrap_or_else(|| {
                known_as.push(new.number_of(position));
                known_as.len() as u32 - 1
            })
        });
        let new_slots: Vec<u32> = new_slots.collect();
        let mut numbers = vec![None; known_as.len()];
        for (position, &slot) in new_slots.iter().enumerate() {
            numbers[slot as usize] = Some(new.number_of(position as u32));
        }
        let mut slots = HashMap::new();
        for (&number, slot) in known_as.iter().zip(0..) {
            // A copy that has the number is of the old version, unless it knows its version.
            slots.entry(number).or_insert(slot);
        }
        let old_positions: Vec<u32> = (0..old_slots as u32).collect();
        let before = old.laid_out(&old_positions, known_as.len())?;
        let after = new.laid_out(&new_slots, known_as.len())?;
        let differ = Differ::new().only_data().without::<PrefabPart>();
        let diff = differ.between(&before, &after);
        Ok(Self {
            diff: diff.map_err(ChangesError::Diff)?,
            known_as,
            numbers,
            slots,
            old_slots,
            version: new.version(),
        })
    }

    /// Returns true if there is nothing to do for a copy.
    pub(super) fn is_empty(&self) -> bool {
        let mut numbers = self.known_as.iter().zip(&self.numbers);
        self.diff.is_empty() && numbers.all(|(old, new)| Some(*old) == *new)
    }

    /// Returns true if no copy of the old prefab has the entity.
    pub(super) fn is_new(&self, slot: u32) -> bool {
        slot as usize >= self.old_slots
    }

    /// Returns the slot that an id in the difference means; `None` if it is an id of an entity outside of the prefab.
    pub(super) fn slot_of(&self, id: Entity) -> Option<u32> {
        let is_slot = (id.index() as usize) < self.known_as.len();
        is_slot.then(|| id.index())
    }
}

impl Prefab {
    /// Returns a world that has the prefab's entities at some of the first indices, and calls no hooks.
    pub(in crate::prefab) fn laid_out(
        &self,
        indices: &[u32],
        count: usize,
    ) -> Result<World, ChangesError> {
        let mut world = World::new();
        let all = world.next_ids(count);
        let all = all.map_err(|error| ChangesError::Copy(error.into()))?;
        let ids: Vec<Entity> = indices.iter().map(|&index| all[index as usize]).collect();
        let staged = self.template.clone().stage(1, &ids, Vec::new());
        let staged = staged.map_err(ChangesError::Copy)?;
        let committed = world.commit(staged, &ids);
        committed.map_err(|error| ChangesError::Copy(error.into()))?;
        Ok(world)
    }
}
