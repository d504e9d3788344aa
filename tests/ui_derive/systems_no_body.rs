//! A block with a function that has no body; the others are systems.

use ecs_core::prelude::*;

#[derive(Resource)]
struct Shop(u32);

#[systems]
impl Shop {
    #[system]
    fn later(&self, number: Res<u32>);

    #[system]
    fn stock(&self) -> u32 {
        self.0
    }
}

fn callers(world: &World) -> u32 {
    Shop::stock(world)
}

fn main() {}

//~ fn later(&self, number: Res<u32>);
