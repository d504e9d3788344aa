// A lifetime that is not declared is one error, and a missing bound is suggested where it belongs.
#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Resource)]
struct Shop;

#[system]
fn in_a_parameter(all: Query<'a, &Position>) {}

#[system]
fn in_an_argument(name: &'a str, all: Comp<Position>) -> &'a str {
    name
}

#[system(for_each)]
fn in_an_item(position: &'a mut Position) {}

#[systems]
impl Shop {
    #[system]
    fn in_a_method(&'a self, all: Comp<'a, Position>) {}
}

#[system]
fn no_bound<T>(all: Query<&T>) {}

#[system]
fn no_bound_among_others<T: Send>(all: Comp<T>)
where
    T: Sync,
{
}

// Binders declare lifetimes too.
#[system]
fn bound(f: for<'a> fn(&'a Position) -> &'a f32, all: Comp<Position>) {}

#[system]
fn forever(all: Comp<'static, Position>) {}

// The data is borrowed anew for each item.
#[system]
fn in_data<'w>(all: Query<'w, (Entity, &'w mut Position)>) {}

fn main() {}

//~ all: Query<'a
//~ name: &'a
//~ position: &'a
//~ fn in_a_method(&'a self, all: Comp<'a, Position>) {}
//~ Query<&T>
//~ Comp<T>
//~ 'static
//~ (Entity, &'w mut Position)
