//! The game: a world, and the schedule of a turn.

use ecs_core::prelude::*;
use ecs_core::schedule::ScheduleError;

use super::components::{Hero, Monster};
use super::spawn::{enter_level, spawn_hero};
use super::systems::*;
use super::{Attack, Depth, Input, Key, Level, Log, Outcome, Rng, Tally};

/// A game in progress.
pub struct Game {
    world: World,
    turn: Schedule,
}

impl Game {
    /// Starts a game on the first of `levels`, with dice that depend on `seed`.
    ///
    /// # Panics
    /// If `levels` is empty; no map file results in that.
    #[must_use]
    pub fn new(levels: Vec<Level>, seed: u64) -> Self {
        let mut depth = Depth::new(levels);
        let first = depth.descend().expect("a dungeon has at least one level");

        let mut world = World::new();
        world.insert_resource(Rng::new(seed));
        world.insert_resource(depth);
        world.insert_resource(Outcome::Playing);
        world.insert_resource(Tally::default());
        world.insert_resource(Log::default());
        world.insert_resource(Events::<Attack>::default());
        let hero = spawn_hero(&mut world);
        enter_level(&mut world, hero, first);
        look(&world);

        let mut turn = Schedule::new();
        turn.add((
            count_turn,
            // The hero.
            obey,
            pick_up.run_if(wants_to_pick_up),
            drink.run_if(wants_to_drink),
            walk::<Hero>,
            // The monsters.
            (notice, give_up, chase, wander),
            walk::<Monster>,
            // The consequences.
            (recover, suffer, fight, bury),
            take_stairs.run_if(on_stairs),
            look,
        ));
        Self { world, turn }
    }

    /// Plays the turn of one key; nothing happens for [`Key::Help`] and [`Key::Quit`], nor after the end of the game.
    ///
    /// # Errors
    /// If a system failed.
    pub fn press(&mut self, key: Key) -> Result<(), ScheduleError> {
        if matches!(key, Key::Help | Key::Quit) || self.outcome() != Outcome::Playing {
            return Ok(());
        }
        self.world.insert_resource(Input(key));
        self.turn.run(&mut self.world)
    }

    /// Returns the key that the automatic player would press now.
    #[must_use]
    pub fn advice(&self) -> Key {
        autopilot(&self.world)
    }

    /// Returns the state of the game.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        *self.world.resource::<Outcome>()
    }

    /// Borrows the world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Borrows the world mutably.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }
}
