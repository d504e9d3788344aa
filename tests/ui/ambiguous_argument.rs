use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

type Clock<'a> = Res<'a, u32>;

#[system]
fn alias(clock: Clock, _number: Res<u32>) {
    let _ = *clock;
}

#[system]
fn reference(position: &mut Position, _number: Res<u32>) {
    position.0 = 0.0;
}

fn main() {}

//~ clock: Clock
//~ position: &mut Position
