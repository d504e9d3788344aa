use ecs_core::prelude::*;
use ecs_core::relation::related;
use ecs_core::tree::children;

#[derive(Component)]
struct Turret;

struct Plain;

fn main() {
    let mut world = World::new();
    world.spawn(children![Turret, Plain]);
    world.spawn(related![Plain; Turret]);
}

//~ children![Turret, Plain]
//~ related![Plain; Turret]
