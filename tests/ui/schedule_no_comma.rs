//! Two systems with nothing between them.

use ecs_core::prelude::*;

#[system]
fn one() {}

schedule! { static FRAME = [one one, one] }

fn main() {}
