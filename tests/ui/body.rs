use ecs_core::prelude::*;

#[derive(Resource)]
struct Time {
    dt: f32,
}

#[system]
fn tick(time: Res<Time>, mut total: ResMut<f32>) -> u8 {
    total += time.delta;
    let unused = 1;
    "no number"
}

fn main() {}

//~ delta
//~ "no number"
