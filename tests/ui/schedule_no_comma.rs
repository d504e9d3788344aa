//! A missing comma between two systems.

use ecs_core::prelude::*;

#[system]
fn one() {}

schedule! { static FRAME = [one one, one] }

fn main() {}

//~ static FRAME = [one one
