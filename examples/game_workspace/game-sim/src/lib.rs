//! The server: a world, a schedule, and one tick after the other.
#![forbid(unsafe_code)]

use ecs::prelude::*;
use ecs::schedule::ScheduleError;
use game_model::{Ant, Field, Food, Nest, Position, Stores};

/// A running game.
pub struct Server {
    world: World,
    tick: Schedule,
}

/// Ticks so far; a resource of the server alone.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Ticks(pub u32);

#[system]
fn count(mut ticks: ResMut<Ticks>) {
    ticks.0 += 1;
}

/// Spawns a heap of food now and then.
#[system]
fn feed(ticks: Res<Ticks>, field: Res<Field>, mut commands: Commands) {
    if ticks.0.is_multiple_of(50) {
        let n = ticks.0 as i32 / 50;
        let at = Position {
            x: (n * 17) % field.width,
            y: (n * 7) % field.height,
        };
        commands.spawn((Food { left: 10 }, at));
    }
}

impl Server {
    /// Makes a new game with some ants.
    #[must_use]
    pub fn new(field: Field, ants: u32) -> Self {
        let mut world = World::new();
        let home = Position {
            x: field.width / 2,
            y: field.height / 2,
        };
        world.spawn((Nest, home));
        world.spawn_batch((0..ants).map(|_| (Ant::default(), home)));
        world.spawn((Food { left: 20 }, Position { x: 1, y: 1 }));
        world.insert_resource(field);
        world.insert_resource(Stores::default());
        world.insert_resource(Ticks::default());
        let mut tick = Schedule::new();
        tick.add(count);
        game_model::rules(&mut tick);
        tick.add(feed);
        Self { world, tick }
    }

    /// Runs one tick.
    ///
    /// # Errors
    /// Those of the schedule.
    pub fn step(&mut self) -> Result<(), ScheduleError> {
        self.tick.run(&mut self.world)
    }

    /// Borrows the world, for clients to draw.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_piece_of_food_is_lost() {
        let mut server = Server::new(
            Field {
                width: 40,
                height: 12,
            },
            5,
        );
        for tick in 1..=500_u32 {
            server.step().unwrap();
            let world = server.world();
            let lying: u32 = world.view::<Food>().iter().map(|food| food.left).sum();
            let carried = world.view::<Ant>().iter().filter(|ant| ant.carries).count() as u32;
            let stored = world.resource::<Stores>().0;
            assert_eq!(lying + carried + stored, 20 + tick / 50 * 10);
        }
        assert!(server.world().resource::<Stores>().0 > 20);
    }
}
