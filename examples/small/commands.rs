//! This example shows commands: systems that spawn and despawn entities while they look at others.
//!
//! A system cannot spawn or despawn entities while it iterates over them. It queues commands instead, which are applied
//! right after it: the next system of the schedule sees the result.

use ecs_core::prelude::*;

#[derive(Component)]
struct Rocket {
    fuse: u32,
}

#[derive(Component)]
struct Spark {
    from: Entity,
    glow: u32,
}

/// Burns fuses; a rocket whose fuse is burnt bursts into sparks.
#[system]
fn burn(mut rockets: CompMut<Rocket>, mut commands: Commands) {
    for (id, rocket) in (&mut rockets).with_entity().iter() {
        rocket.fuse -= 1;
        if rocket.fuse == 0 {
            commands.despawn(id);
            for glow in 1..=3 {
                // The id of the new entity is valid immediately, although the entity has no row yet.
                let spark = commands.spawn(Spark { from: id, glow }).id();
                println!("  rocket {id} bursts into spark {spark}");
            }
        }
    }
}

/// Fades sparks, and despawns them when they are dark.
#[system]
fn fade(mut sparks: CompMut<Spark>, entities: Entities, mut commands: Commands) {
    for (id, spark) in (&mut sparks).with_entity().iter() {
        // A stored id does not keep its entity alive: the rocket is gone.
        assert!(!entities.contains(spark.from));
        spark.glow -= 1;
        if spark.glow == 0 {
            commands.despawn(id);
        }
    }
}

#[system]
fn report(rockets: Comp<Rocket>, sparks: Comp<Spark>) {
    println!("{} rockets, {} sparks", rockets.len(), sparks.len());
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    for fuse in [1, 3] {
        world.spawn(Rocket { fuse });
    }
    let mut frame = Schedule::new();
    frame.add((burn, fade, report));
    while !world.is_empty() {
        frame.run(&mut world)?;
    }
    Ok(())
}
