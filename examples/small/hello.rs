//! This example shows the smallest program: two components, one system, one schedule.

use ecs_core::prelude::*;

#[derive(Component, Debug)]
struct Position(f32);

#[derive(Component)]
struct Velocity(f32);

#[system(for_each)]
fn movement(position: &mut Position, velocity: &Velocity) {
    position.0 += velocity.0;
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let bird = world.spawn((Position(0.0), Velocity(1.5)));
    let tree = world.spawn(Position(4.0));

    let mut frame = Schedule::new();
    frame.add(movement);
    for _ in 0..10 {
        frame.run(&mut world)?;
    }

    println!("bird: {:?}", world.get::<Position>(bird));
    println!("tree: {:?}", world.get::<Position>(tree));
    Ok(())
}
