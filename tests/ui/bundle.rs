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
#[repr(C, packed)]
struct Packed(Position);

#[derive(Bundle)]
struct Dropped(Position);

impl Drop for Dropped {
    fn drop(&mut self) {}
}

fn main() {}
