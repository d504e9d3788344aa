// Options and attributes that are repeated, or have no effect.
#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Dead;

#[system(for_each, for_each)]
fn twice(position: &Position) {}

#[system(crate = ecs_core, crate = ecs_core)]
fn crate_twice(positions: Comp<Position>) {}

#[system(par_for_each = true)]
fn with_a_value(position: &Position) {}

#[system(par_for_each(64))]
fn with_arguments(position: &Position) {}

// An unknown option does not hide the others.
#[system(wiht(Dead), for_each)]
fn misspelt(position: &Position) {}

#[system(for_each, with())]
fn empty(position: &Position) {}

#[system(for_each, with = Dead)]
fn no_parentheses(position: &Position) {}

#[system(for_each, With<Dead>)]
fn a_type(position: &Position) {}

#[system(for_each, with(Dead), with(Dead))]
fn filter_twice(position: &Position) {}

#[system(for_each, with(Dead), without(Dead))]
fn never(position: &Position) {}

#[system(for_each, without(Position))]
fn without_its_item(position: &Position) {}

#[system]
fn decided_twice(#[arg] #[param] positions: Comp<Position>) {}

#[system]
fn decided_with_a_value(#[param(read)] positions: Comp<Position>) {}

#[system]
#[system(for_each)]
fn system_twice(position: &Position) {}

struct Shop;

#[systems(crate = ecs_core)]
impl Shop {
    // The same option of the block is not a mistake.
    #[system(crate = ecs_core)]
    fn open(positions: Comp<Position>) {}

    #[system]
    #[system]
    fn close(positions: Comp<Position>) {}
}

fn main() {}

//~ #[system(for_each, for_each)]
//~ #[system(crate = ecs_core, crate = ecs_core)]
//~ = true
//~ (64)
//~ wiht
//~ #[system(for_each, with())]
//~ #[system(for_each, with = Dead)]
//~ With
//~ #[system(for_each, with(Dead), with(Dead))]
//~ #[system(for_each, with(Dead), without(Dead))]
//~ #[system(for_each, without(Position))]
//~ #[param]
//~ param(read)
//~ #[system(for_each)]
//~ #[system] fn close(positions: Comp<Position>) {}
