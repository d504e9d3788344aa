#![allow(unused)]

use ecs_core::prelude::*;
use ecs_core::{Or, With, Without};

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
#[derive(Component)]
struct Player;
#[derive(Component)]
struct Dead;

#[system]
fn same_filter(a: Query<&mut Position, With<Player>>, b: Query<(&Velocity, &Position), With<Player>>) {}

#[system]
fn both_without(a: Query<&mut Position, Without<Player>>, b: Query<&Position, Without<Player>>) {}

#[system]
fn option_is_no_requirement(
    a: Query<(&mut Position, Option<&Player>)>,
    b: Query<&Position, Without<Player>>,
) {
}

#[system]
fn or_is_no_proof(
    a: Query<&mut Position, Or<(Without<Player>, With<Dead>)>>,
    b: Query<&mut Position, With<Player>>,
) {
}

#[system]
fn optional_write(a: Query<Option<&mut Position>>, b: Query<&Position>) {}

#[system]
fn deep(a: Query<(Entity, ((&Velocity, (&mut Position, &Dead)), &Player))>, b: Query<((&Position,),)>) {}

#[system]
fn view_has_no_filter(a: CompMut<Position>, b: Query<&Position, Without<Player>>) {}

#[system]
fn view_after(a: Query<(Entity, &Position)>, b: CompMut<Position>) {}

#[system]
fn itself(a: Query<(&mut Position, &Position)>) {}

#[system]
fn itself_optionally(a: Query<(Option<&Position>, (Entity, &mut Position)), With<Player>>) {}

#[system]
fn one_of_three(
    a: Query<&mut Position, With<Player>>,
    b: Query<&Position, Without<Player>>,
    c: Query<&Position, With<Dead>>,
) {
}

fn main() {}

//~ Query<(&Velocity, &Position), With<Player>>
//~ fn both_without(a: Query<&mut Position, Without<Player>>, b: Query<&Position, Without<Player>>) {}
//~ b: Query<&Position, Without<Player>>, ) {
//~ b: Query<&mut Position, With<Player>>
//~ Query<&Position>
//~ Query<((&Position,),)>
//~ fn view_has_no_filter(a: CompMut<Position>, b: Query<&Position, Without<Player>>) {}
//~ b: CompMut<Position>
//~ Query<(&mut Position, &Position)>
//~ Query<(Option<&Position>, (Entity, &mut Position)), With<Player>>
//~ Query<&Position, With<Dead>>
