use ecs_core::prelude::*;
use std::error::Error;

#[derive(Component)]
struct Position(f32);

#[system]
fn not_send(_all: Comp<Position>) -> Result<(), Box<dyn Error>> {
    Ok(())
}

#[system]
fn by_value(_position: Position, _entities: Entities) {}

fn main() {
    let mut frame = Schedule::new();
    frame.add(not_send);
    frame.add(by_value);
}

//~ frame.add(not_send);
//~ frame.add(by_value);
