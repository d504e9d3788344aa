//! The game: a world, and the schedule of a turn.

use std::error::Error;
use std::path::PathBuf;

use ecs_core::prelude::*;
use ecs_core::record::{Recorder, ScheduleProgram, ScheduleRecorder};
use ecs_core::schedule::{PlanError, ScheduleError};
use ecs_core::snapshot::Snapshotter;

use super::components::{Hero, Monster};
use super::slots::GameSlot;
use super::spawn::enter_level;
use super::systems::*;
use super::{Attack, Depth, Input, Key, Level, Log, Outcome, Prefabs, Rng, Tally};

/// Everything changes in a turn except for the prefabs. Each turn reads all attacks.
fn snapshotter() -> Snapshotter {
    Snapshotter::new()
        .without_resource::<Prefabs>()
        .without_resource::<Events<Attack>>()
}

/// A game in progress.
pub struct Game {
    world: World,
    turn: Schedule,
    recorder: Option<ScheduleRecorder>,
    /// The file of [`Key::Save`] and [`Key::Load`].
    file: PathBuf,
    /// The slot that the game is saved in while it goes on.
    pub(super) slot: Option<GameSlot>,
}

impl Game {
    /// Starts a game on the first of `levels`, with dice that depend on `seed`.
    ///
    /// # Panics
    /// If `levels` is empty; no map file results in that.
    #[must_use]
    pub fn new(levels: Vec<Level>, seed: u64) -> Self {
        let prefabs =
            Prefabs::built_in().expect("the prefabs that come with the game have no mistake");
        Self::with_prefabs(levels, seed, prefabs)
    }

    /// Starts a game with the given monsters and items.
    ///
    /// # Panics
    /// If `levels` is empty.
    #[must_use]
    pub fn with_prefabs(levels: Vec<Level>, seed: u64, prefabs: Prefabs) -> Self {
        let mut depth = Depth::new(levels);
        let first = depth.descend().expect("a dungeon has at least one level");

        let mut game = Self::empty(prefabs.clone());
        let world = &mut game.world;
        world.insert_resource(Rng::new(seed));
        world.insert_resource(depth);
        world.insert_resource(Outcome::Playing);
        world.insert_resource(Tally::default());
        world.insert_resource(Log::default());
        let hero = prefabs.spawn_hero(world);
        enter_level(world, hero, first);
        look(world);
        game
    }

    /// A game without entities, to be filled.
    fn empty(prefabs: Prefabs) -> Self {
        let mut world = World::new();
        world.insert_resource(prefabs);
        world.insert_resource(Events::<Attack>::default());
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
        // From now on the world knows the types that are saved.
        turn.prepare(&mut world)
            .expect("the systems of a turn have an order");
        let file = PathBuf::from("roguelike.save.ron");
        Self {
            world,
            turn,
            recorder: None,
            file,
            slot: None,
        }
    }

    /// Returns a game with the same prefabs and file, and without entities.
    pub(super) fn without_entities(&self) -> Self {
        let file = self.file.clone();
        let prefabs = Prefabs::clone(&self.world.resource());
        Self {
            file,
            ..Self::empty(prefabs)
        }
    }

    /// Sets the file of [`Key::Save`] and [`Key::Load`].
    pub fn set_file(&mut self, file: PathBuf) {
        self.file = file;
    }

    /// Records all turns from now on.
    pub fn record(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder.by_hand().snapshotter(snapshotter()));
    }

    /// Returns the game for the replay of a recording.
    #[must_use]
    pub fn into_program(self) -> ScheduleProgram {
        ScheduleProgram::new(self.world, self.turn).snapshotter(snapshotter())
    }

    /// Goes on with another game. A recording has the rest of it.
    pub(super) fn go_on_with(&mut self, game: Self) {
        let recorder = self.recorder.take();
        let slot = self.slot.take();
        *self = Self {
            recorder,
            slot,
            ..game
        };
    }

    /// Saves the game to its file, or loads it from there, and reports that in the log.
    fn save_or_load(&mut self, key: Key) {
        let file = self.file.clone();
        let (result, done) = match key {
            // Monsters act in the order of rows, and a load makes the rows anew. So this game also continues from the file,
            // and has the same future as any game that is loaded from it.
            Key::Save => (
                self.save(&file).and_then(|()| self.load(&file)),
                "The game is saved.",
            ),
            _ => (self.load(&file), "The game is loaded."),
        };
        let mut log = self.world.resource_mut::<Log>();
        log.say(match result {
            Ok(()) => done.to_owned(),
            Err(error) => error.to_string(),
        });
    }

    /// Returns what the systems of a turn touch, as text.
    ///
    /// # Errors
    /// If the systems have no order.
    pub fn access_text(&mut self) -> Result<String, PlanError> {
        self.turn.access_text()
    }

    /// Plays the turn of one key; nothing happens for [`Key::Help`] and [`Key::Quit`]. After the end of the game, only
    /// loading another one has an effect.
    ///
    /// # Errors
    /// If a system failed.
    pub fn press(&mut self, key: Key) -> Result<(), ScheduleError> {
        if matches!(key, Key::Save | Key::Load) {
            self.save_or_load(key);
            return Ok(());
        }
        if matches!(key, Key::Help | Key::Quit) || self.outcome() != Outcome::Playing {
            return Ok(());
        }
        self.world.insert_resource(Input(key));
        match &mut self.recorder {
            Some(recorder) => recorder.run(&mut self.world, &mut self.turn),
            None => self.turn.run(&mut self.world),
        }?;
        self.autosave();
        Ok(())
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

    /// Returns the game as bytes from which it [continues](Self::continue_from) exactly, down to the order in which monsters act;
    /// a file of [`save`](Self::save) has the order anew.
    ///
    /// # Errors
    /// If a value cannot be written.
    pub fn to_bytes(&mut self) -> Result<Vec<u8>, Box<dyn Error>> {
        let Self { world, turn, .. } = self;
        let snapshot = snapshotter().take_with(world, &mut [turn])?;
        Ok(snapshot.to_bytes()?)
    }

    /// Continues the game of some [bytes](Self::to_bytes), in any process. If they cannot be read, this game stays as it is.
    ///
    /// # Errors
    /// If they are damaged, or another program has written them.
    pub fn continue_from(&mut self, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
        let Self { world, turn, .. } = self;
        let snapshotter = snapshotter();
        let mut snapshot = snapshotter.read_bytes(world, bytes)?;
        Ok(snapshotter.restore_with(world, &mut [turn], &mut snapshot)?)
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
