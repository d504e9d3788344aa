use ecs_core::prelude::*;

#[system]
fn f(number: Res<u32>, #[arg] by: u32) {}

#[system]
fn g(number: Res<u32>, by: u32) {}

fn main() {}

//~ #[arg] by: u32
//~ fn g(number: Res<u32>, by: u32) {}
