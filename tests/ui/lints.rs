//! Lints about code of the user's in systems: the compiler reports each once, where the user wrote it.

#![deny(
    unused,
    nonstandard_style,
    single_use_lifetimes,
    trivial_casts,
    unused_qualifications,
    unused_results,
    unreachable_code
)]

use ecs_core::prelude::*;
use std::collections::HashMap;

#[derive(Component)]
struct Position;

#[derive(Resource)]
struct Names(Vec<String>);

#[system]
fn unused_variable(positions: Comp<Position>) {
    let count = positions.iter().count();
}

#[system]
fn unused_parameter(positions: Comp<Position>, names: Res<Names>) -> usize {
    names.0.len()
}

#[system]
fn unused_mut(mut names: Res<Names>) -> usize {
    names.0.len()
}

#[system(for_each)]
fn unused_item(position: &Position, names: Res<Names>) {
    let _ = names.0.len();
}

#[system]
fn unused_argument<T: Component>(by: usize, parts: Comp<T>) -> usize {
    parts.iter().count()
}

#[system]
fn BadName(names: Res<Names>) -> usize {
    names.0.len()
}

#[system]
fn bad_parameter(Count: Res<Names>) -> usize {
    Count.0.len()
}

#[system]
fn unused_result(mut names: ResMut<Names>) {
    names.0.pop();
}

#[system]
fn cast(names: Res<Names>) -> usize {
    (&names.0 as &Vec<String>).len()
}

#[system]
fn qualified(names: Res<Names>) -> usize {
    std::vec::Vec::<u8>::new().len() + names.0.len()
}

#[system]
fn unreachable(names: Res<Names>) -> usize {
    return names.0.len();
    names.0.len()
}

#[system]
fn braces(names: Res<Names>) -> usize {
    let count = (names.0.len());
    count
}

#[system]
fn unused_by_all(_names: Res<Names>) {}

#[systems]
impl Names {
    #[system]
    fn method(&self, positions: Comp<Position>) -> usize {
        self.0.len()
    }

    #[system]
    fn local(&mut self) {
        let mut count = self.0.len();
    }
}

fn main() {
    let mut frame = Schedule::new();
    let _ = frame.add((unused_variable, unused_item, unused_result, Names::local));
    let world = World::new();
    let sum = unused_parameter(&world) + unused_mut(&world) + unused_argument::<Position>(1, &world) + BadName(&world);
    let rest = bad_parameter(&world) + cast(&world) + qualified(&world) + unreachable(&world) + braces(&world);
    println!("{}", sum + rest + Names::method(&world));
}

//~ HashMap
//~ let count = positions
//~ (positions: Comp<Position>, names
//~ mut names: Res<Names>) -> usize
//~ position: &Position
//~ by: usize
//~ BadName(names
//~ Count: Res
//~ names.0.pop();
//~ &names.0 as &Vec<String>
//~ std::vec::Vec::<u8>::new
//~ return names.0.len(); names.0.len()
//~ count = (names.0.len())
//~ unused_by_all
//~ (&self, positions: Comp<Position>)
//~ mut count
//~ mut count
