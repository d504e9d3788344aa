//! A contract names modules that exist.

use ecs_core::prelude::*;

#[derive(Resource)]
struct Score;

contract! { only uii writes Score; }

fn main() {}

//~ contract! { only uii writes Score; }
