use ecs_core::prelude::*;

#[derive(SystemParam)]
struct Physics<'w> {
    time: Res<'w, u32>,
    step: f32,
}

fn main() {}

//~ step: f32
