#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);

#[system]
fn same_parameter<T: Component, U: Component>(_all: CompMut<T>, _again: Comp<U>) {}

#[system]
fn other_parameter<T: Component>(_all: Query<&mut T>, _positions: Comp<Position>) {}

fn main() {
    let world = World::new();
    same_parameter::<Velocity, Position>(&world);
    same_parameter::<Velocity, Velocity>(&world);
    other_parameter::<Velocity>(&world);
    other_parameter::<Position>(&world);
}

//~ Comp<U>
//~ Comp<Position>
