//! The library through a prelude of another crate.

/// A prelude of a game.
pub mod prelude {
    pub use ::ecs_core as engine;
    pub use ::ecs_core::prelude::*;
}

use self::prelude::*;

/// A component.
#[derive(Component, Debug)]
#[ecs(crate = self::prelude::engine)]
pub struct Position(pub f32);

/// A resource.
#[derive(Resource, Debug)]
#[resource(crate = self::prelude::engine)]
pub struct Step(pub f32);

/// A parameter.
#[derive(SystemParam)]
#[system_param(crate = self::prelude::engine)]
pub struct Steps<'w> {
    /// The length of a step.
    pub step: Res<'w, Step>,
}

/// Data.
#[derive(QueryData, Debug)]
#[query_data(crate = self::prelude::engine)]
pub struct Mover<'a> {
    /// The position.
    pub position: &'a mut Position,
}

/// A filter.
#[derive(QueryFilter)]
#[query_filter(crate = self::prelude::engine)]
pub struct Positioned(pub With<Position>);

/// A system.
#[system(crate = self::prelude::engine)]
pub fn advance(mut movers: Query<Mover, Positioned>, steps: Steps<'_>) {
    movers.for_each(|mover| mover.position.0 += steps.step.0);
}

#[systems(crate = self::prelude::engine)]
impl Step {
    /// A method.
    #[system]
    pub fn double(&mut self) {
        self.0 *= 2.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_macros_work_through_a_prelude_of_ones_own() {
        let mut world = World::new();
        world.insert_resource(Step(1.0));
        let entity = world.spawn(Position(0.0));
        advance(&world);
        Step::double(&world);
        advance(&world);
        let moved = world.get::<Position>(entity).unwrap().0;
        ::std::assert!((moved - 3.0).abs() < f32::EPSILON);
    }
}
