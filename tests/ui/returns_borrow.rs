//! Systems that return a borrow from the world.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Names(String);

#[system]
fn named<'w>(names: Res<'w, Names>) -> &'w str {
    &names.0
}

#[system]
fn shared<'a>(or: &'a str, names: Res<'a, Names>) -> &'a str {
    or
}

#[system(for_each)]
fn item<'a>(position: &'a Position) -> Result<(), &'a f32> {
    Err(&position.0)
}

#[systems]
impl Names {
    #[system]
    fn of_self<'a>(&'a self) -> &'a str {
        &self.0
    }
}

/// None of these is an error.
fn callers(world: &World) {
    named(world);
    shared("", world);
    Names::of_self(world);
}

fn main() {}

//~ &'w str
//~ fn shared<'a>(or: &'a str, names: Res<'a, Names>) -> &'a str {
//~ Result<(), &'a f32>
//~ fn of_self<'a>(&'a self) -> &'a str {
