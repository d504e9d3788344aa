//! A contract is about components and resources.

use ecs_core::prelude::*;

struct Opaque;

contract! { only crate writes Opaque }

fn main() {}

//~ contract! { only crate writes Opaque }
