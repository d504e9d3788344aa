//! Constraints on systems that are missing from the list, or in it twice.

use ecs_core::prelude::*;

#[system]
fn input() {}
#[system]
fn movement() {}
#[system]
fn each<T: Component>(values: Comp<T>) {
    let _ = values.len();
}

#[derive(Component)]
struct Position;
#[derive(Component)]
struct Velocity;

schedule! {
    static MISSING = [movement.after(input)];
    static TWICE = [input, movement.before(input), input];
    static INSTANCE = [each::<Position>, movement.after(each::<Velocity>)];
    static WAIVED = [movement, unordered(movement, input)];
}

fn main() {}

//~ static MISSING = [movement.after(input)];
//~ static TWICE = [input, movement.before(input), input];
//~ static INSTANCE = [each::<Position>, movement.after(each::<Velocity>)];
//~ static WAIVED = [movement, unordered(movement, input)];
