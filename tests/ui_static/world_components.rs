use ecs_core::prelude::*;
use ecs_core::statics::{component, spawn, system};

struct Position(f32);
#[derive(Component, Clone)]
struct Velocity(f32);

fn main() {
    let mut world = World::new();
    spawn!(world; Velocity(1.0), Position(1.0));
    system!(world, |position: &mut Position, velocity: &Velocity| position.0 += velocity.0);
    system!(world, |old: Velocity, position: &Position| -> Velocity { old });
    let _ = component!(world, Position);
}

//~ spawn!(world; Velocity(1.0), Position(1.0));
//~ position: &mut Position
//~ position: &Position
//~ let _ = component!(world, Position);
