//! The contract is in another file, which a comment says.

use ecs_core::prelude::*;

#[derive(Resource)]
pub struct Score;

mod rules {}

// contract!
include!("rules/score.rs");

#[system]
fn reset(mut score: ResMut<Score>) {
    *score = Score;
}

fn main() {}
//~ ResMut<Score>
