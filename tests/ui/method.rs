use ecs_core::prelude::*;

#[derive(Resource)]
struct Shop;

#[derive(Resource)]
struct Time;

impl Shop {
    #[system]
    fn restock(&mut self, time: Res<Time>) {}
}

fn main() {}

//~ &mut self
