use ecs_core::prelude::*;

#[derive(Component)]
#[component(disables, storage = "sparse")]
struct Asleep;

fn main() {}

//~ disables
