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
#[path = "cycle_tests.rs"]
mod tests;
