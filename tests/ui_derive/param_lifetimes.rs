use ecs_core::prelude::*;

#[derive(SystemParam)]
struct Physics {
    time: Res<u32>,
}

fn main() {}

//~ time: Res<u32>
