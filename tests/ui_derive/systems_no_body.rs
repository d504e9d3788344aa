//! One function of a block is no system; the others are.

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
