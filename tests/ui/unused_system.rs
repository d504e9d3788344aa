#![deny(warnings)]
use ecs_core::prelude::*;

#[system]
fn never_used(_number: Res<u32>) {}

#[system]
fn unused_parameter(number: Res<u32>, mut other: ResMut<u8>) {
    let unused = 1;
}

#[system]
#[must_use]
fn must_use(number: Res<u32>) -> u32 {
    *number
}

fn main() {
    unused_parameter(&World::new());
    must_use(&World::new());
}

//~ fn unused_parameter(number
//~ mut other
//~ mut other
//~ let unused
//~ must_use(&World::new())
