//! The entities outside of a save that it names.

use std::collections::HashSet;

use ecs_engine::{Entity, World};

use super::{LoadError, Loader};
use crate::Value;

/// The entities outside of a save.
#[derive(Default)]
pub(super) struct LoadOutside {
    /// By the number, minus the number of entities in the save.
    pub(super) entities: Vec<Entity>,
    /// The ones among them that are not entities, in ascending order.
    pub(super) dead: Vec<Entity>,
}

impl LoadOutside {
    /// Finds the entities of keys, and gives a dead id to each entity without a key. These ids have the order of the old
    /// ones, so that data sorted by ids stays so, in every format. At the same ids they have their old ones, unless one of them
    /// is in use here. The numbers follow the given number of `entities`.
    pub(super) fn of(
        loader: &Loader,
        world: &World,
        entities: u32,
        keys: &[Value],
        dead: &[(u32, Entity)],
    ) -> Result<Self, LoadError> {
        let mut old: Vec<Entity> = dead.iter().map(|&(_, id)| id).collect();
        old.sort_unstable();
        old.dedup();
        let new: Vec<Entity> = if loader.same_ids && old.iter().all(|&id| world.is_dead_id_free(id))
        {
            old.clone()
        } else {
            world.next_dead_ids(old.len()).collect()
        };
        let most = keys.len() + dead.len();
        let mut places: Vec<Option<Entity>> = vec![None; keys.len()];
        for &(number, id) in dead {
            let place = number.checked_sub(entities).map(|place| place as usize);
            let place = place.filter(|&place| place < most);
            let place = place.ok_or_else(|| wrong(number, "is not one that follows the others"))?;
            if places.len() <= place {
                places.resize(place + 1, None);
            }
            let rank = old.binary_search(&id).expect("it is in the list");
            if places[place].replace(new[rank]).is_some() {
                return Err(wrong(number, "occurs twice"));
            }
        }
        let despawned = match keys.is_empty() {
            true => HashSet::new(),
            false => loader.despawned(world),
        };
        let find = |(place, dead): (usize, Option<Entity>)| match (dead, keys.get(place)) {
            (Some(dead), _) => Ok(dead),
            (None, Some(key)) => {
                let found = loader.resolve(world, key)?;
                match despawned.contains(&found) {
                    true => Err(LoadError::Replaced { key: key.clone() }),
                    false => Ok(found),
                }
            }
            (None, None) => Err(wrong(entities + place as u32, "is left out")),
        };
        let found = places.into_iter().enumerate().map(find);
        Ok(Self {
            entities: found.collect::<Result<_, LoadError>>()?,
            dead: new,
        })
    }
}

fn wrong(number: u32, problem: &str) -> LoadError {
    LoadError::Value {
        entity: None,
        name: "dead".to_owned(),
        message: format!("the number {number} {problem}"),
        byte: None,
    }
}
