//! The macros in a crate that inherits `ecs-core` from its workspace under another name.

pub use engine as ecs;
use engine::prelude::*;

/// A component.
#[derive(Component)]
pub struct Position(pub f32);

/// A system.
#[system(for_each)]
pub fn advance(by: f32, position: &mut Position) {
    position.0 += by;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_code_finds_the_crate() {
        let mut world = World::new();
        let entity = world.spawn(Position(1.0));
        advance(2.0, &world);
        assert_eq!(world.get::<Position>(entity).unwrap().0, 3.0);
    }
}
