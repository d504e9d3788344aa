//! What cannot be in a list.

use ecs_core::prelude::*;

fn helper() {}

schedule! { static FRAME = [helper] }

fn main() {}
