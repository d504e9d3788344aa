//! The one check that refuses cycles in trees, and its message.
//!
//! The edges in a world form no cycle, so each new one has an edge of the edit that closes it. It is enough to follow the edges
//! that the entities have *after* the edit, starting from each entity that gets another target. A cycle that exists only halfway,
//! because edges change one after the other, is not an error.
//!
//! A single insertion asks [`Storage::closes_cycle`]. Staged entities, differences and packets change many edges at once; they
//! call [`find_cycle`] with their own lists.

use core::fmt;

use super::super::Storage;
use crate::component::ComponentId;
use crate::entity::Entity;

/// Follows the edges of a tree from each of the starts, and returns an entity of the first cycle that a walk gets into.
///
/// `parent_of` returns an entity's target after the edit. `visit` gets an entity and the number of the walk, from 1 on. It returns
/// the number of the walk that visited the entity before, or 0 if there was none, and remembers this one. No entity is left twice:
/// O(entities visited).
#[inline]
pub fn find_cycle<N: Copy>(
    starts: impl IntoIterator<Item = N>,
    parent_of: impl Fn(N) -> Option<N>,
    mut visit: impl FnMut(N, u32) -> u32,
) -> Option<N> {
    for (walk, start) in (1..).zip(starts) {
        let mut next = Some(start);
        while let Some(at) = next {
            match visit(at, walk) {
                0 => next = parent_of(at),
                first if first == walk => return Some(at),
                _ => next = None,
            }
        }
    }
    None
}

/// Writes that an edge would close a cycle in a tree. `kind` says what the source is.
#[inline]
pub(crate) fn fmt_cycle(
    f: &mut fmt::Formatter<'_>,
    kind: &str,
    [source, target]: [&dyn fmt::Display; 2],
    relation: &str,
) -> fmt::Result {
    write!(
        f,
        "{kind} {source} cannot be related to {target} by `{relation}`, which is a tree: {target} is a descendant of {source}"
    )
}

impl Storage {
    /// Returns true if an edge from `source` to `target` closes a cycle in a tree; `sources` is the component of the tree's inner
    /// nodes.
    ///
    /// O(depth of the target), and O(1) if the source is not an inner node.
    pub(crate) fn closes_cycle(
        &self,
        sources: ComponentId,
        source: Entity,
        target: Entity,
    ) -> bool {
        let Some(store) = self.component(sources) else {
            return false;
        };
        if !store.frozen_shared().set().contains(source) {
            return false;
        }
        let targets = self.other(sources);
        let parent_of = |entity| Some(self.target_link(targets, entity)?.target);
        // The walk begins behind the source, so each entity but that one is new.
        let visit = |entity, walk| if entity == source { walk } else { 0 };
        find_cycle([target], parent_of, visit).is_some()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Finds a cycle among edges from each number to another one.
    fn cycle_of(parents: &[Option<usize>], starts: &[usize]) -> Option<usize> {
        let mut met = vec![0; parents.len()];
        let visit = |at: usize, walk| core::mem::replace(&mut met[at], walk);
        find_cycle(starts.iter().copied(), |at| parents[at], visit)
    }

    #[test]
    fn a_cycle_is_found_from_each_entity_that_leads_into_it() {
        let parents = [Some(1), Some(2), Some(1), None, Some(3), Some(5)];
        assert_eq!(
            cycle_of(&parents, &[0]),
            Some(1),
            "the walk enters the cycle at 1"
        );
        assert_eq!(cycle_of(&parents, &[4, 3, 2]), Some(2));
        assert_eq!(
            cycle_of(&parents, &[5]),
            Some(5),
            "an edge to itself is a cycle"
        );
        assert_eq!(cycle_of(&parents, &[3, 4, 4]), None);
    }

    #[test]
    fn each_entity_is_left_once() {
        let parents: Vec<Option<usize>> = (0..1000_usize).map(|at| at.checked_sub(1)).collect();
        let (mut met, left) = (vec![0; 1000], core::cell::Cell::new(0));
        let visit = |at: usize, walk| core::mem::replace(&mut met[at], walk);
        let parent_of = |at: usize| {
            left.set(left.get() + 1);
            parents[at]
        };
        assert_eq!(find_cycle(0..1000, parent_of, visit), None);
        assert_eq!(left.get(), 1000);
    }
}
