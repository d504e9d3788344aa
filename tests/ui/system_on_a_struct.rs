use ecs_core::prelude::*;

#[system]
struct Position(f32);

#[system]
impl Position {}

fn main() {
    let _ = Position(0.0);
}

//~ struct
//~ impl
