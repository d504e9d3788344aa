//! Slots of saved games: written in the background while the game goes on, listed, and loaded by number.

use core::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ecs_core::data::{
    Dangling, Loader, SaveCopy, SaveFinished, SaveSlots, SaveWriter, SlotError, SlotInfo,
};
use ecs_core::prelude::*;

use super::error::{InputError, Problem};
use super::save::check_whole;
use super::{Depth, Game, Log, Tally};

/// The number of turns from one save to the next.
const TURNS_BETWEEN: u32 = 20;

/// The slot that a game is saved in.
pub(super) struct GameSlot {
    /// Writes waiting saves when it is dropped, so leaving the game loses nothing.
    writer: SaveWriter,
    name: String,
    /// The turn and the level of the latest save.
    saved: (u32, u32),
}

impl Game {
    /// Saves the game from now on, in the background: on each new level, after 20 turns, and by [`save_to_slot`](Self::save_to_slot).
    pub fn set_slot(&mut self, folder: PathBuf, name: String) {
        let saved = self.progress();
        self.slot = Some(GameSlot {
            writer: SaveWriter::new(SaveSlots::new(folder)),
            name,
            saved,
        });
    }

    fn progress(&self) -> (u32, u32) {
        let world = self.world();
        let turns = world.resource::<Tally>().turns;
        (turns, world.resource::<Depth>().number)
    }

    /// Saves the game if it is time, and reports saves that have failed.
    pub(super) fn autosave(&mut self) {
        let (turn, level) = self.progress();
        let Some(slot) = &self.slot else {
            return;
        };
        report(slot.writer.finished(), self.world());
        let (last, last_level) = slot.saved;
        if level != last_level || turn >= last + TURNS_BETWEEN {
            self.save_to_slot();
        }
    }

    /// Saves the game to its slot, if it has one. The turn only pays for a copy of the world.
    pub fn save_to_slot(&mut self) {
        let saved = self.progress();
        let note = {
            let depth = self.world().resource::<Depth>();
            format!("{}, turn {}", depth.name, saved.0)
        };
        // It is put back below.
        let Some(mut slot) = self.slot.take() else {
            return;
        };
        slot.saved = saved;
        // Monsters may hunt entities that are gone.
        let copy = SaveCopy::take(self.world_mut(), |world| {
            world.save().with_ids().dangling(Dangling::Dead)
        });
        match copy {
            Ok(copy) => slot
                .writer
                .save(&*slot.name, SlotInfo::new().note(note), copy),
            Err(error) => {
                let failed = SaveFinished::new(&*slot.name, Err(SlotError::Copy(error)));
                report(vec![failed], self.world());
            }
        }
        self.slot = Some(slot);
    }

    /// Waits for the saves that are being written, and returns the first that has failed.
    ///
    /// # Errors
    /// If a save was not written.
    pub fn finish_saves(&self) -> Result<(), InputError> {
        let Some(slot) = &self.slot else {
            return Ok(());
        };
        slot.writer.wait();
        let finished = slot.writer.finished().into_iter();
        match finished.filter_map(|saved| saved.result.err()).next() {
            None => Ok(()),
            Some(error) => Err(InputError {
                file: slot.name.clone(),
                place: None,
                problem: Problem::Unwritable(error.to_string()),
            }),
        }
    }

    /// Continues the game in a slot, by its number in the [list](list_slots), from 1 on. If it cannot be read, this game stays as
    /// it is.
    ///
    /// # Errors
    /// If there is no such slot, or its file has a mistake.
    pub fn load_slot(&mut self, folder: &Path, number: usize) -> Result<(), InputError> {
        let failed = |problem: String| InputError {
            file: folder.display().to_string(),
            place: None,
            problem: Problem::Data(problem),
        };
        let slots = SaveSlots::new(folder);
        let list = slots.list().map_err(|error| failed(error.to_string()))?;
        let found = number.checked_sub(1).and_then(|at| list.get(at));
        let found = found.ok_or_else(|| failed(format!("there is no slot {number}")))?;
        let mut loaded = self.without_entities();
        let loader = Loader::new().types_of(self.world()).same_ids();
        let result = slots.load(found.name(), &loader, loaded.world_mut());
        result.map_err(|error| failed(error.to_string()))?;
        check_whole(loaded.world(), found.name())?;
        self.go_on_with(loaded);
        Ok(())
    }
}

fn report(finished: Vec<SaveFinished>, world: &World) {
    for saved in finished {
        if let Err(error) = saved.result {
            let mut log = world.resource_mut::<Log>();
            log.say(format!("The game was not saved: {error}"));
        }
    }
}

/// Returns the slots of a folder as text, the newest first: a line with number, name, age and place in the game.
///
/// # Errors
/// If the folder cannot be read.
pub fn list_slots(folder: &Path) -> Result<String, InputError> {
    let slots = SaveSlots::new(folder).list().map_err(|error| InputError {
        file: folder.display().to_string(),
        place: None,
        problem: Problem::Unreadable(error.to_string()),
    })?;
    let mut text = String::new();
    for (number, slot) in (1..).zip(&slots) {
        let age = SystemTime::now().duration_since(slot.time());
        let age = age_text(age.unwrap_or_default());
        let what = match slot.damage() {
            Some(damage) => damage.to_string(),
            None => slot.note().to_owned(),
        };
        writeln!(text, "{number:>3}  {:<12}  {age:>15}  {what}", slot.name())
            .expect("a `String` takes any text");
    }
    Ok(text)
}

fn age_text(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    match minutes {
        0 => "just now".to_owned(),
        1 => "1 minute ago".to_owned(),
        2..=119 => format!("{minutes} minutes ago"),
        120..=2879 => format!("{} hours ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        let ages = [0, 59, 60, 7_199, 7_200, 172_799, 172_800];
        let texts = ages.map(|seconds| age_text(Duration::from_secs(seconds)));
        let expected = [
            "just now",
            "just now",
            "1 minute ago",
            "119 minutes ago",
            "2 hours ago",
            "47 hours ago",
            "2 days ago",
        ];
        assert_eq!(texts, expected);
    }
}
