use ecs_core::prelude::*;

struct Health(f32);
struct Time;

#[system]
fn heal(health: CompMut<Health>) {}

#[system]
fn tick(time: Res<Time>) {}

#[system]
fn visit(all: Query<(&Health, Entity)>) {}

fn main() {
    let mut world = World::new();
    world.spawn(Health(1.0));
}

//~ CompMut<Health>
//~ Res<Time>
//~ Query<(&Health, Entity)>
//~ Health(1.0)
