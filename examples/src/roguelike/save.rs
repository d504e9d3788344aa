//! Games in files.

use std::path::Path;

use ecs_core::data::{Dangling, Loader};
use ecs_core::prelude::*;

#[cfg(not(target_family = "wasm"))]
use super::error::read_text;
use super::error::{InputError, Problem};
use super::prefabs::read_ron;
use super::{Depth, Game, Log, Map, Outcome, Rng, Sight, Tally};

impl Game {
    /// Writes the game to a file, which is replaced as a whole or stays. In a page it is the one text that the browser keeps.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), InputError> {
        // Monsters may hunt entities that are gone.
        let save = self.world().save().with_ids().dangling(Dangling::Dead);
        let text = ron::to_string(&save).map_err(|error| error.to_string());
        let written = text.and_then(|text| write(path, &text));
        written.map_err(|reason| InputError {
            file: path.display().to_string(),
            place: None,
            problem: Problem::Unwritable(reason),
        })
    }

    /// Continues the game in a file. If it cannot be read, this game stays as it is.
    ///
    /// # Errors
    /// If the file cannot be read or has a mistake; the error then gives the line and the column.
    pub fn load(&mut self, path: &Path) -> Result<(), InputError> {
        let text = read(path)?;
        let mut loaded = self.without_entities();
        let loader = Loader::new().types_of(self.world()).same_ids();
        read_ron(&path.display().to_string(), &text, |ron| {
            loader.deserialize(loaded.world_mut(), ron)
        })?;
        check_whole(loaded.world(), &path.display().to_string())?;
        self.go_on_with(loaded);
        Ok(())
    }
}

#[cfg(not(target_family = "wasm"))]
use read_text as read;

#[cfg(not(target_family = "wasm"))]
fn write(path: &Path, text: &str) -> Result<(), String> {
    let written = ecs_core::data::write_file(path, |out| out.write_all(text.as_bytes()));
    written.map_err(|error| error.to_string())
}

#[cfg(target_family = "wasm")]
fn read(path: &Path) -> Result<String, InputError> {
    crate::page_store::kept().ok_or_else(|| InputError {
        file: path.display().to_string(),
        place: None,
        problem: Problem::Unreadable("no game is saved".to_owned()),
    })
}

#[cfg(target_family = "wasm")]
fn write(_: &Path, text: &str) -> Result<(), String> {
    match crate::page_store::keep(text) {
        true => Ok(()),
        false => Err("the browser keeps nothing".to_owned()),
    }
}

/// Checks that a world which was loaded from a file has the resources of a game.
pub(super) fn check_whole(world: &World, file: &str) -> Result<(), InputError> {
    match missing_in(world) {
        None => Ok(()),
        Some(name) => Err(InputError {
            file: file.to_owned(),
            place: None,
            problem: Problem::Data(format!("the saved game has no `{name}`")),
        }),
    }
}

/// Returns the name of a resource that each game has and this world does not.
fn missing_in(world: &World) -> Option<&'static str> {
    let all = [
        ("depth", world.contains_resource::<Depth>()),
        ("log", world.contains_resource::<Log>()),
        ("map", world.contains_resource::<Map>()),
        ("outcome", world.contains_resource::<Outcome>()),
        ("rng", world.contains_resource::<Rng>()),
        ("sight", world.contains_resource::<Sight>()),
        ("tally", world.contains_resource::<Tally>()),
    ];
    let missing = all.iter().find(|(_, is_there)| !is_there);
    missing.map(|(name, _)| *name)
}
