//! The macros in a crate that reaches `ecs-core` through another crate and declares that crate under this name at its
//! root.

extern crate ecs_tests_inherited as ecs_core;

mod movement;

pub use movement::{Position, advance};

#[cfg(test)]
mod tests {
    use super::*;
    use ecs_tests_inherited::prelude::*;

    #[test]
    fn generated_code_finds_the_crate() {
        let mut world = World::new();
        let entity = world.spawn(Position(1.0));
        advance(2.0, &world);
        assert_eq!(world.get::<Position>(entity).unwrap().0, 3.0);
    }
}
