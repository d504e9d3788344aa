//! Finds the entities of an old file of a prefab in a new one.

use std::collections::{BTreeMap, HashMap};

use ecs_engine::World;

use crate::Value;
use crate::prefab::{ChangesError, Prefab};
use crate::save::{Dangling, Save};

/// The greatest product of the lengths of two lists whose entities are compared with each other.
const COMPARED: usize = 250_000;

/// The name of the component [`Name`](ecs_engine::tree::Name) in saves.
const NAME: &str = "ecs.name";

/// A version of a prefab, with the values of its entities.
struct FileVersion {
    paths: Vec<Vec<u32>>,
    /// By position, sorted by name.
    values: Vec<Vec<(&'static str, Value)>>,
}

/// The entities of a list that have a number: one that is listed, and the parts of a nested prefab below it.
#[derive(Default)]
struct ListedEntity {
    /// `None` if the game has despawned it.
    head: Option<u32>,
    parts: Vec<u32>,
}

/// Returns the positions in the old prefab of the entities of the new one; `None` for new ones.
///
/// An entity with a name that no other one has keeps it. The others are found by their place, or if there are more or fewer of them, by
/// their order and their values.
pub(super) fn matches(old: &Prefab, new: &Prefab) -> Result<Vec<Option<u32>>, ChangesError> {
    let mut found = vec![None; new.len()];
    if !old.numbers.is_empty() || !new.numbers.is_empty() {
        // Its numbers are of the first prefab.
        let positions = (0..old.len() as u32).map(|position| (old.path_of(position), position));
        let positions: HashMap<Vec<u32>, u32> = positions.skip(1).collect();
        for position in 1..new.len() as u32 {
            found[position as usize] = positions.get(&new.path_of(position)).copied();
        }
        found[0] = Some(0);
        return Ok(found);
    }
    let (old, new) = (FileVersion::of(old)?, FileVersion::of(new)?);
    let all = [&old, &new].map(|version| version.lists(0..version.paths.len() as u32, 0));
    pair_lists((&old, &new), all, 0, &mut found);
    Ok(found)
}

impl FileVersion {
    fn of(prefab: &Prefab) -> Result<Self, ChangesError> {
        let positions: Vec<u32> = (0..prefab.len() as u32).collect();
        let world = prefab.laid_out(&positions, positions.len())?;
        Ok(Self {
            paths: positions.iter().map(|&it| prefab.path_of(it)).collect(),
            values: values_of(&world, positions.len()),
        })
    }

    /// Returns the entities at some positions as a list, by their numbers at some depth of nested prefabs.
    fn lists(
        &self,
        positions: impl Iterator<Item = u32>,
        depth: usize,
    ) -> BTreeMap<u32, ListedEntity> {
        let mut lists = BTreeMap::<u32, ListedEntity>::new();
        for position in positions {
            let path = &self.paths[position as usize];
            let Some(&number) = path.get(depth) else {
                continue;
            };
            let listed = lists.entry(number).or_default();
            match path.len() == depth + 1 {
                true => listed.head = Some(position),
                false => listed.parts.push(position),
            }
        }
        lists
    }

    fn name(&self, listed: &ListedEntity) -> Option<&str> {
        let values = &self.values[listed.head? as usize];
        let name = values.iter().find(|(name, _)| *name == NAME)?;
        name.1.as_str()
    }

    /// Returns the entities with a name that no other entity of the list has.
    fn named<'a>(&'a self, list: &[&ListedEntity]) -> HashMap<&'a str, usize> {
        let mut named = HashMap::new();
        let mut twice = Vec::new();
        for (at, listed) in list.iter().enumerate() {
            if let Some(name) = self.name(listed)
                && named.insert(name, at).is_some()
            {
                twice.push(name);
            }
        }
        named.retain(|name, _| !twice.contains(name));
        named
    }
}

/// Returns the values of the first entities of a world; nothing if they cannot be written.
fn values_of(world: &World, count: usize) -> Vec<Vec<(&'static str, Value)>> {
    let mut values = vec![Vec::new(); count];
    if let Ok(trees) = Save::of(world).dangling(Dangling::Dead).row_trees() {
        for (entity, row) in trees.entities.iter().zip(trees.rows) {
            let mut row: Vec<_> = row
                .into_iter()
                .map(|(data, it)| (data.name(), it))
                .collect();
            row.sort_by_key(|(name, _)| *name);
            if let Some(place) = values.get_mut(entity.index() as usize) {
                *place = row;
            }
        }
    }
    values
}

/// Pairs the entities of two lists, and those of the nested prefabs below each pair.
fn pair_lists(
    versions: (&FileVersion, &FileVersion),
    [old, new]: [BTreeMap<u32, ListedEntity>; 2],
    depth: usize,
    found: &mut [Option<u32>],
) {
    let (old, new): (Vec<&ListedEntity>, Vec<&ListedEntity>) =
        (old.values().collect(), new.values().collect());
    let mut pairs = Vec::new();
    if depth == 0 {
        let root = |list: &[&ListedEntity]| list.iter().position(|listed| listed.head == Some(0));
        pairs.extend(root(&old).zip(root(&new)));
    }
    let is_paired = |pairs: &[(usize, usize)], old: usize, new: usize| {
        pairs.iter().any(|pair| pair.0 == old || pair.1 == new)
    };
    let named = versions.1.named(&new);
    for (name, at) in versions.0.named(&old) {
        if let Some(&other) = named.get(name)
            && !is_paired(&pairs, at, other)
        {
            pairs.push((at, other));
        }
    }
    let left = |count: usize, paired: Vec<usize>| -> Vec<usize> {
        (0..count).filter(|at| !paired.contains(at)).collect()
    };
    let of_old = left(old.len(), pairs.iter().map(|pair| pair.0).collect());
    let of_new = left(new.len(), pairs.iter().map(|pair| pair.1).collect());
    let is_short = of_old.len().saturating_mul(of_new.len()) <= COMPARED;
    if of_old.len() == of_new.len() || !is_short {
        pairs.extend(of_old.into_iter().zip(of_new));
    } else {
        pairs.extend(aligned(versions, (&old, &of_old), (&new, &of_new)));
    }
    for (old, new) in pairs.into_iter().map(|(a, b)| (old[a], new[b])) {
        if let (Some(old), Some(new)) = (old.head, new.head) {
            found[new as usize] = Some(old);
        }
        let below = [
            versions.0.lists(old.parts.iter().copied(), depth + 1),
            versions.1.lists(new.parts.iter().copied(), depth + 1),
        ];
        if below.iter().all(|list| !list.is_empty()) {
            pair_lists(versions, below, depth + 1, found);
        }
    }
}

/// Pairs entities of two lists in their order, so that they have most in common. Of equal ones the first are paired.
fn aligned(
    (old, new): (&FileVersion, &FileVersion),
    (olds, of_old): (&[&ListedEntity], &[usize]),
    (news, of_new): (&[&ListedEntity], &[usize]),
) -> Vec<(usize, usize)> {
    let in_common = |a: usize, b: usize| {
        let heads = olds[of_old[a]].head.zip(news[of_new[b]].head);
        heads.map_or(1, |(a, b)| {
            1 + similarity(&old.values[a as usize], &new.values[b as usize])
        })
    };
    // By the numbers of entities that are paired already: the most that the rest can have in common.
    let width = of_new.len() + 1;
    let mut best = vec![0_u32; (of_old.len() + 1) * width];
    for a in (0..of_old.len()).rev() {
        for b in (0..of_new.len()).rev() {
            let paired = in_common(a, b) + best[(a + 1) * width + b + 1];
            let skipped = best[(a + 1) * width + b].max(best[a * width + b + 1]);
            best[a * width + b] = paired.max(skipped);
        }
    }
    let mut pairs = Vec::new();
    let (mut a, mut b) = (0, 0);
    while a < of_old.len() && b < of_new.len() {
        let here = best[a * width + b];
        if here == in_common(a, b) + best[(a + 1) * width + b + 1] {
            pairs.push((of_old[a], of_new[b]));
            (a, b) = (a + 1, b + 1);
        } else if here == best[(a + 1) * width + b] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

/// Returns how much two entities have in common: three for an equal value, and two for another one of the same type.
fn similarity(one: &[(&str, Value)], other: &[(&str, Value)]) -> u32 {
    let mut sum = 0;
    for (name, value) in one {
        if let Ok(at) = other.binary_search_by_key(name, |(name, _)| *name) {
            sum += 2 + u32::from(other[at].1 == *value);
        }
    }
    sum
}
