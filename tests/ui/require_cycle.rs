use ecs_core::prelude::*;

#[derive(Component, Default)]
#[component(require(Egg))]
struct Hen;

#[derive(Component, Default)]
#[component(require(Hen))]
struct Egg;

fn main() {
    World::new().spawn(Hen);
}

//~ struct Hen
