//! Changes of components that are not tracked.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system]
fn changed(_: Query<&Position, Changed<Position>>) {}

#[system]
fn added(_: Query<Entity, (With<Position>, Or<(Added<Position>, With<Position>)>)>) {}

#[system]
fn removed(_: Removed<Position>) {}

fn view(positions: &Comp<Position>) {
    let _ = positions.changed();
}

fn main() {}

//~ Query<&Position, Changed<Position>>
//~ Query<Entity, (With<Position>, Or<(Added<Position>, With<Position>)>)>
//~ Removed<Position>
//~ let _ = positions.changed
