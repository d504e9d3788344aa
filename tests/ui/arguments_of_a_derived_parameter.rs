//! A wrong number of arguments of a derived parameter is one error.

use ecs_core::prelude::*;

#[derive(Resource)]
pub struct Score(u32);

#[derive(SystemParam)]
struct Board<'w> {
    score: Res<'w, Score>,
}

#[system]
fn one_too_many(board: Board<'_, u8>) -> u32 {
    board.score.0
}

#[system] fn on_a_line_of_the_attribute(board: Board<'_, u8>) -> u32 { board.score.0 }

#[system]
fn two_too_many(board: Board<'_, u8, Score>) -> u32 {
    board.score.0
}

fn main() {}
//~ one_too_many(board: Board<'_, u8>)
//~ on_a_line_of_the_attribute(board: Board<'_, u8>)
//~ Board<'_, u8, Score>
