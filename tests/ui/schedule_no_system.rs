//! Entries that are not systems.

use ecs_core::prelude::*;

fn helper() {}

schedule! { static FRAME = [helper] }

fn score(_: Res<u32>) {}

schedule! { static LATER = [score] }

fn main() {}

//~ static FRAME = [helper
//~ static LATER = [score
