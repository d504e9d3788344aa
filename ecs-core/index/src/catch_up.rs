//! Catches an index up with its world.

use alloc::sync::Arc;

use ecs_engine::component::TrackedComponent;
use ecs_engine::view::RemovedCursor;
use ecs_engine::{Comp, Join, Tick, World};

use crate::structure::Structure;

/// A structure that a world keeps, and the state of the world that it knows.
pub(crate) struct Follower<T, S> {
    /// Readers share it as long as they borrow the component.
    structure: Arc<S>,
    /// The state that the structure is in; `None` if it is empty, or if one of its methods has panicked.
    seen: Option<SeenState>,
    removals: RemovedCursor<T>,
}

/// A state of a world.
#[derive(Clone, Copy)]
struct SeenState {
    tick: Tick,
    restores: u64,
}

impl<T, S: Default> Default for Follower<T, S> {
    fn default() -> Self {
        Self {
            structure: Arc::default(),
            seen: None,
            removals: RemovedCursor::default(),
        }
    }
}

impl<T: TrackedComponent, S: Structure<T>> Follower<T, S> {
    /// Brings the structure up to date with the values of a world.
    ///
    /// They are borrowed, so they do not change meanwhile, and have not changed while another reader holds the
    /// structure.
    pub(crate) fn catch_up(&mut self, world: &World, values: &Comp<'_, T>) -> Arc<S> {
        let now = SeenState {
            // Later than the borrow, so that later writers have later ticks.
            tick: world.tick(),
            restores: world.restores(),
        };
        let mut removed = world.removed(&mut self.removals);
        let is_complete = removed.missed() == 0;
        // `None` while it changes, and after a panic.
        match self.seen.take() {
            Some(seen) if seen.restores == now.restores && is_complete => {
                let values = values.reborrow().since_in_all(seen.tick);
                // A structure follows all entities. Changes left out by a loop now would never be reported again.
                let changed = values.changed().and_disabled();
                let mut changed = changed.with_entity().iter().peekable();
                if !removed.is_empty() || changed.peek().is_some() {
                    match Arc::get_mut(&mut self.structure) {
                        Some(structure) => {
                            // First: an entity that has lost its value may have a new one.
                            removed.read().for_each(|entity| structure.remove(entity));
                            changed.for_each(|(entity, value)| structure.set(entity, value));
                            structure.finish();
                        }
                        None => self.structure = Arc::new(build(&values)),
                    }
                }
            }
            Some(_) => match Arc::get_mut(&mut self.structure) {
                Some(structure) => {
                    structure.retain(&mut |entity| values.contains(entity));
                    fill(structure, values);
                }
                None => self.structure = Arc::new(build(values)),
            },
            None => self.structure = Arc::new(build(values)),
        }
        removed.clear();
        self.seen = Some(now);
        self.structure.clone()
    }
}

/// Makes a structure of all values.
fn build<T: TrackedComponent, S: Structure<T>>(values: &Comp<'_, T>) -> S {
    let mut structure = S::default();
    fill(&mut structure, values);
    structure
}

fn fill<T: TrackedComponent, S: Structure<T>>(structure: &mut S, values: &Comp<'_, T>) {
    for (entity, value) in values.and_disabled().with_entity().iter() {
        structure.set(entity, value);
    }
    structure.finish();
}
