//! The macros in a crate that reaches `ecs-core` through another crate and gives its path once, in the manifest.

use ecs_tests_inherited::ecs;
use ecs_tests_inherited::ecs::prelude::*;

/// A component.
#[derive(Component)]
#[component(storage = "sparse", require(Speed = Speed(2.0)))]
pub struct Position(pub f32);

/// Another one.
#[derive(Component)]
pub struct Speed(pub f32);

/// A resource.
#[derive(Resource)]
pub struct Time(pub f32);

/// A bundle.
#[derive(Bundle)]
pub struct Body(pub Position, pub Speed);

/// A relation.
#[derive(Relation)]
pub struct ChildOf;

/// A parameter.
#[derive(SystemParam)]
pub struct Clock<'w> {
    time: Res<'w, Time>,
}

/// Query data.
#[derive(QueryData)]
pub struct Mover<'a> {
    /// The field that is written.
    pub position: &'a mut Position,
    /// The field that is read.
    pub speed: &'a Speed,
}

/// A filter.
#[derive(QueryFilter)]
pub struct Moving(With<Speed>);

/// A system.
#[system(for_each)]
pub fn advance(by: f32, position: &mut Position) {
    position.0 += by;
}

/// A system with derived parameters.
#[system]
pub fn travel(mut movers: Query<Mover, Moving>, clock: Clock<'_>) {
    for mover in &mut movers {
        mover.position.0 += mover.speed.0 * clock.time.0;
    }
}

#[systems]
impl Time {
    /// A method.
    #[system]
    pub fn pass(&mut self) {
        self.0 += 1.0;
    }
}

ecs::schedule! {
    /// The systems of a frame.
    pub static FRAME = [travel.after(Time::pass), Time::pass];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_code_finds_the_crate() {
        let mut world = World::new();
        world.insert_resource(Time(0.0));
        let parent = world.spawn(Body(Position(1.0), Speed(1.0)));
        let entity = world.spawn((Position(1.0), ChildOf.to(parent)));
        advance(2.0, &world);
        FRAME.run(&mut world).unwrap();
        assert_eq!(world.get::<Position>(entity).unwrap().0, 5.0);
    }
}
