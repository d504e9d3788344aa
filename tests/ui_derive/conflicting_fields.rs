//! Fields that borrow the same data, one of them to write: an error of the struct, and not of the systems that use it.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Velocity(f32);

#[derive(SystemParam)]
struct Physics<'w> {
    old: Comp<'w, Position>,
    new: CompMut<'w, Position>,
}

#[derive(SystemParam)]
struct Pair<'w>((CompMut<'w, Position>, Query<'w, &'static Position>));

#[derive(SystemParam)]
struct Queries<'w, T: Component> {
    moving: Query<'w, &'static mut Position>,
    standing: Query<'w, &'static Position, With<Velocity>>,
    other: Comp<'w, T>,
}

#[derive(QueryData)]
struct Mover<'a> {
    position: &'a mut Position,
    again: Option<&'a Position>,
}

#[derive(QueryData)]
struct Fine<'a> {
    position: &'a mut Position,
    velocity: &'a Velocity,
    id: Entity,
}

#[system]
fn all(physics: Physics<'_>, movers: Query<Mover>) {}

#[system]
fn generic(queries: Queries<'_, Velocity>) {}

#[system]
fn fine(fine: Query<Fine>) {}

fn main() {}

//~ new: CompMut<'w, Position>
//~ (CompMut<'w, Position>, Query<'w, &'static Position>)
//~ standing: Query<'w, &'static Position, With<Velocity>>
//~ again: Option<&'a Position>
