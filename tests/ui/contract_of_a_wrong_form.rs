//! A contract is a list of rules.

use ecs_core::prelude::*;

contract! { crate owns Score }

fn main() {}

//~ contract! { crate owns Score }
