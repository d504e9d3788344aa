//! A module below the root.

use ecs_tests_inherited::prelude::*;

/// A component.
#[derive(Component)]
pub struct Position(pub f32);

/// A system.
#[system]
pub fn advance(by: f32, mut positions: CompMut<Position>) {
    for position in &mut positions {
        position.0 += by;
    }
}
