//! A crate can keep the contract of another one.

use ecs_core::prelude::*;
use ecs_tests::owned::Kept;

mod ui {
    use super::Kept;
    use ecs_core::prelude::*;

    #[system]
    pub fn drag(_kept: CompMut<Kept>) {}
    #[system]
    pub fn label(_kept: Comp<Kept>) {}
}

contract! {
    like ecs_tests
}

fn main() {}

//~ CompMut<Kept>
