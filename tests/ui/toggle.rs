use ecs_core::prelude::*;
use ecs_core::toggle::TurnedOn;

#[derive(Component)]
#[component(storage = "sparse", immediate, toggle)]
struct Lit;

#[derive(Component)]
#[component(toggle = true)]
struct Shield;

#[derive(Component)]
struct Plain;

#[system]
fn asks(_plain: Query<&Plain, TurnedOn<Plain>>) {}

fn main() {}

//~ toggle)]
//~ toggle = true
//~ Query<&Plain, TurnedOn<Plain>>
