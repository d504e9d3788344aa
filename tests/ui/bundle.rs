use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

struct Velocity(f32);

#[derive(Bundle)]
struct Body {
    position: Position,
    velocity: Velocity,
}

#[derive(Bundle)]
enum Shape {
    Round(Position),
}

#[derive(Bundle)]
struct Dropped(Position);

impl Drop for Dropped {
    fn drop(&mut self) {}
}

#[derive(Component)]
struct Mass(f32);

type Weight = Mass;

#[derive(Bundle)]
struct Twice {
    mass: Mass,
    position: Position,
    weight: Weight,
}

#[derive(Bundle)]
struct Nested {
    body: (Position, (Mass, Weight)),
    again: Placed,
}

#[derive(Bundle)]
struct Placed(Position, Mass);

#[derive(Bundle)]
struct Maybe {
    position: Position,
    speed: Option<Velocity>,
}

fn main() {
    World::new().spawn((Position(1.0), Some(1.0_f32)));
}

//~ velocity: Velocity
//~ enum
//~ #[derive(Bundle)] struct Dropped(Position);
//~ weight: Weight
//~ (Position, (Mass, Weight))
//~ Option<Velocity>
//~ (Position(1.0), Some(1.0_f32))
