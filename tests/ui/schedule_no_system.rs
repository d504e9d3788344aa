//! Entries that are not systems.

use ecs_core::prelude::*;

fn helper() {}

schedule! { static FRAME = [helper] }

fn main() {}

//~ static FRAME = [helper
