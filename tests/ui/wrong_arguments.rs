//! A wrong number of arguments is one error, which names the right ones: in systems, and in fields of derived structs.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Velocity;

#[system]
fn one_member(all: Query<Any<&Position>>) {
    println!("{}", all.iter().count());
}

#[system]
fn no_tuple(all: Query<(Entity, Any<&mut Position, &Velocity>)>) {
    println!("{}", all.iter().count());
}

#[derive(SystemParam)]
struct Near<'w, 's> {
    all: Query<'w, 's, &'static Position>,
    frames: Local<'s, u32>,
}

#[derive(SystemParam)]
struct Orders<'w, 's> {
    commands: Commands<'w, 's>,
}

#[derive(SystemParam)]
struct Pairs<'w> {
    all: Query<'w, &'static Position, &'static Velocity>,
}

// The result of the call is not one more error.
#[system]
fn with_an_argument(by: u32, position: Res<Position>) {
    let _ = (by, &position);
}

fn main() {}

//~ &Position>>) {
//~ &Velocity>)>) {
//~ Query<'w, 's, &'static Position>
//~ Commands<'w, 's>,
//~ &'static Velocity>
//~ Position>) {
