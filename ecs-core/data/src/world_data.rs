//! The methods of a world as data.

use ecs_engine::World;

use crate::Save;

/// The methods of a [`World`] as data; they need this trait in scope, as the prelude of `ecs_core` has it.
pub trait WorldData {
    /// Returns the world as a value that serde writes: a save of all that is data; see [`Save`].
    fn save(&self) -> Save<'_>;
}

impl WorldData for World {
    fn save(&self) -> Save<'_> {
        Save::of(self)
    }
}
