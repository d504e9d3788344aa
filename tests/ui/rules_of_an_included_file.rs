//! Systems see only rules that the file of the root names.

use ecs_core::prelude::*;

#[derive(Resource)]
pub struct Score;

mod rules {}

include!("rules/score.rs");

#[system]
fn reset(mut score: ResMut<Score>) {
    *score = Score;
}

fn main() {}
//~ include!("rules/score.rs");
