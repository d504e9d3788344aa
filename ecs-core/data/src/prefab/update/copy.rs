//! The copies of a prefab in a world.

use std::collections::{BTreeMap, HashMap, HashSet};

use ecs_engine::query::AndDisabled;
use ecs_engine::{Entity, World};

use super::files::FileChanges;
use crate::prefab_part::PrefabPart;

/// A copy, and the fate of its entities.
pub(super) struct UpdatedCopy {
    pub(super) root: Entity,
    /// By slot: the entity that the copy has now.
    pub(super) parts: Vec<Option<Entity>>,
    /// The slots of these entities.
    pub(super) slots: HashMap<Entity, u32>,
    /// By slot, whether the entity is despawned.
    pub(super) is_removed: Vec<bool>,
    /// By slot: the entity that is spawned.
    pub(super) spawned: Vec<Option<Entity>>,
}

impl UpdatedCopy {
    /// Returns the entity that has a slot afterwards.
    pub(super) fn later(&self, slot: u32) -> Option<Entity> {
        let slot = slot as usize;
        let stays = self.parts[slot].filter(|_| !self.is_removed[slot]);
        stays.or(self.spawned[slot])
    }

    /// Returns true if an entity of the copy is despawned.
    pub(super) fn removes(&self, entity: Entity) -> bool {
        let slot = self.slots.get(&entity);
        slot.is_some_and(|&slot| self.is_removed[slot as usize])
    }
}

/// Finds the copies that remember a name, in the order of their roots, and the number of those that have the new version already.
pub(super) fn find(world: &World, name: &str, files: &FileChanges) -> (Vec<UpdatedCopy>, usize) {
    let count = files.known_as.len();
    let mut current = HashSet::new();
    let mut copies: BTreeMap<Entity, UpdatedCopy> = BTreeMap::new();
    for (entity, part) in &world.query_filtered::<(Entity, &PrefabPart), AndDisabled>() {
        if part.prefab() != name {
            continue;
        }
        if part.version() == files.version && files.version != 0 {
            current.insert(part.root());
            continue;
        }
        let Some(&slot) = files.slots.get(&part.number()) else {
            continue;
        };
        let copy = copies.entry(part.root()).or_insert_with(|| UpdatedCopy {
            root: part.root(),
            parts: vec![None; count],
            slots: HashMap::new(),
            is_removed: vec![false; count],
            spawned: vec![None; count],
        });
        let place = &mut copy.parts[slot as usize];
        // If a part was cloned, the oldest clone counts.
        *place = Some(place.map_or(entity, |other| other.min(entity)));
    }
    copies.retain(|root, _| !current.contains(root));
    let mut copies: Vec<UpdatedCopy> = copies.into_values().collect();
    for copy in &mut copies {
        let parts = copy.parts.iter().zip(0..);
        copy.slots = parts
            .filter_map(|(part, slot)| Some(((*part)?, slot)))
            .collect();
    }
    (copies, current.len())
}
