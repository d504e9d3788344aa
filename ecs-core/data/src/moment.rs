//! The moment when a world was read, for code that later reads only the changes since then.

use ecs_engine::world::WorldId;
use ecs_engine::{Tick, World};

/// A state of a world: tracked values with this tick or an earlier one have not changed since then, unless it has returned to a
/// snapshot. The moment took the tick, so no later change has it.
#[derive(Clone, Copy)]
pub(crate) struct WorldMoment {
    world: WorldId,
    restores: u64,
    tick: Tick,
}

impl WorldMoment {
    /// The state of a world before anything else changes.
    pub(crate) fn of(world: &World) -> Self {
        Self {
            world: world.id(),
            restores: world.restores(),
            tick: world.tick(),
        }
    }

    /// True if `other` is a moment of the same world.
    pub(crate) fn is_of_world(self, other: Self) -> bool {
        self.world == other.world
    }

    /// Returns the tick since which values may have changed until `now`; `None` if all may have.
    pub(crate) fn tick_until(self, now: Self) -> Option<Tick> {
        (self.world == now.world && self.restores == now.restores).then_some(self.tick)
    }
}
