use ecs_core::prelude::*;

struct Time(f32);

#[derive(SystemParam)]
struct Clock<'w> {
    number: Res<'w, u32>,
    time: Res<'w, Time>,
}

fn main() {}

//~ time: Res<'w, Time>
