//! Errors of `cargo build`, which `cargo check` does not report.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Tag;

#[derive(Bundle)]
struct Tagged<B: Bundle> {
    tag: Tag,
    rest: B,
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn((Position(0.0), Tag, Position(1.0)));
    let _ = world.insert(entity, Tagged { tag: Tag, rest: (Position(0.0), Tag) });
    world.run(commands);
}

#[system]
fn commands(mut commands: Commands) {
    commands.spawn((Tag, (Tag, Position(0.0))));
}

//~ world.spawn((Position(0.0), Tag, Position(1.0)))
//~ world.insert(entity, Tagged { tag: Tag, rest: (Position(0.0), Tag) })
//~ commands.spawn((Tag, (Tag, Position(0.0))))
