use ecs_core::prelude::*;
use ecs_core::system::{IntoSystem, SystemOutput};

#[system]
fn answer(number: Res<u32>) -> f32 {
    *number as f32
}

#[system]
fn add(by: u32, mut number: ResMut<u32>) {
    *number += by;
}

fn plain(number: Res<u32>, by: u32) {}

#[system]
fn nothing() {}

fn schedule<M, Out: SystemOutput>(_: impl IntoSystem<M, Out = Out>) {}

fn main() {
    schedule(answer);
    schedule(add);
    schedule(plain);
    _ = nothing.run_if(answer);
    World::new().run(add);
    schedule(add(1, &World::new()));
}

//~ schedule(answer);
//~ schedule(add);
//~ schedule(plain);
//~ run_if(answer);
//~ add(1, &World::new())
