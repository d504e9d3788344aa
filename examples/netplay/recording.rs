//! The recording of a match.

use std::path::{Path, PathBuf};

use ecs_core::data::Rollback;
use ecs_core::prelude::*;
use ecs_core::record::{Recorder, ScheduleProgram, ScheduleRecorder, first_difference};

use crate::Result;
use crate::game::{self, Input, Inputs};

/// A second world, which runs each frame once, when the inputs of both players are known. It is recorded. So the recording has
/// no frame that was predicted wrong, and the ones of both machines are the same.
pub(crate) struct RecordedMatch {
    world: World,
    sim: Schedule,
    recorder: ScheduleRecorder,
    frame: u64,
}

impl RecordedMatch {
    /// Records the match of a player in a file.
    pub(crate) fn new(file: &Path, seed: u64) -> Self {
        let mut world = World::new();
        game::set_up(&mut world, seed);
        Self {
            world,
            sim: game::schedule(),
            recorder: Recorder::new(file).hash_every(1).by_hand(),
            frame: 0,
        }
    }

    /// Runs the frames whose inputs are all known.
    pub(crate) fn catch_up(&mut self, rollback: &Rollback<Input>) -> Result<()> {
        while self.frame < rollback.confirmed() {
            let input = |player| {
                let mut inputs = rollback.inputs_from(player, self.frame);
                inputs
                    .next()
                    .map_or_else(Input::default, |(_, input)| *input)
            };
            self.world.resource_mut::<Inputs>().0 = [input(0), input(1)];
            self.recorder.run(&mut self.world, &mut self.sim)?;
            self.frame += 1;
        }
        Ok(())
    }
}

/// Returns the file of a player.
pub(crate) fn file_of(player: usize, file: &Path) -> PathBuf {
    file.with_extension(format!("{player}.rec"))
}

/// Returns the simulation, for a replay.
pub(crate) fn simulation(seed: u64) -> ScheduleProgram {
    let mut world = World::new();
    game::set_up(&mut world, seed);
    ScheduleProgram::new(world, game::schedule())
}

/// Compares the recordings of both players.
pub(crate) fn compare(file: &Path, seed: u64) -> Result<()> {
    let [one, other] = [0, 1].map(|player| (file_of(player, file), simulation(seed)));
    match first_difference(one, other).map_err(|error| error.to_string())? {
        None => Ok(()),
        Some(difference) => Err(difference.to_string().into()),
    }
}

#[test]
fn the_recorded_match_is_still_the_same() {
    use crate::game::{Dice, advice};

    let record = |path: &Path| {
        let (mut world, mut sim) = simulation(5).into_parts();
        let mut recorder = Recorder::new(path).hash_every(4).by_hand();
        let mut dice = Dice::new(1);
        for _ in 0..600 {
            let inputs = [0, 1].map(|player| advice(&world, player, &mut dice));
            world.resource_mut::<Inputs>().0 = inputs;
            recorder.run(&mut world, &mut sim).unwrap();
        }
    };
    ecs_examples::assert_same_as_recorded("netplay", record, || simulation(5));
}
