//! Monsters, items and the hero, described in files.

use core::fmt;
use std::path::Path;
use std::sync::Arc;

use ecs_core::data::{Loader, Prefab};
use ecs_core::prelude::*;

use super::components::{Glyph, Health, Hero, Item, Monster, Name, SideEffect, Step, Strength};
use super::error::{InputError, Place, Problem, read_text};
use super::{Position, Rng, Thing};

/// The contents of levels, stored as entities outside of any world; spawning a level copies them.
#[derive(Resource, Clone)]
pub struct Prefabs {
    hero: Arc<Prefab>,
    /// By the number of the thing.
    things: Arc<[Prefab]>,
}

/// The names of all files with the texts that come with the game; the hero first, then in the order of [`Thing`].
const BUILT_IN: [(&str, &str); 7] = [
    ("hero.ron", include_str!("../../assets/prefabs/hero.ron")),
    ("rat.ron", include_str!("../../assets/prefabs/rat.ron")),
    ("snake.ron", include_str!("../../assets/prefabs/snake.ron")),
    ("ogre.ron", include_str!("../../assets/prefabs/ogre.ron")),
    (
        "potion.ron",
        include_str!("../../assets/prefabs/potion.ron"),
    ),
    ("sword.ron", include_str!("../../assets/prefabs/sword.ron")),
    ("gold.ron", include_str!("../../assets/prefabs/gold.ron")),
];

impl Prefabs {
    /// Reads the prefabs that come with the game.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read); a test ensures that none occurs.
    pub fn built_in() -> Result<Self, InputError> {
        let texts =
            BUILT_IN.map(|(file, text)| (format!("assets/prefabs/{file}"), text.to_owned()));
        Self::parse(texts)
    }

    /// Reads the files of a folder, which have the same names as the files that come with the game: `rat.ron`.
    ///
    /// # Errors
    /// If a file is missing or has a mistake; the error then gives the line, the column and the component.
    pub fn read(folder: &Path) -> Result<Self, InputError> {
        let mut texts = Vec::new();
        for (file, _) in BUILT_IN {
            let path = folder.join(file);
            texts.push((path.display().to_string(), read_text(&path)?));
        }
        Self::parse(texts)
    }

    fn parse(texts: impl IntoIterator<Item = (String, String)>) -> Result<Self, InputError> {
        let mut prefabs = Vec::new();
        for (file, text) in texts {
            prefabs.push(parse_prefab(&file, &text)?);
        }
        let things = prefabs.split_off(1);
        Ok(Self {
            hero: Arc::new(prefabs.remove(0)),
            things: things.into(),
        })
    }

    /// Spawns the hero, without a position.
    pub(super) fn spawn_hero(&self, world: &mut World) -> Entity {
        self.hero.spawn(world).expect("the values can be cloned")
    }

    /// Spawns a thing. Gold gets its number of coins.
    pub(super) fn spawn(&self, world: &mut World, at: Position, thing: Thing) {
        let mut copy = self.things[thing as usize].copies(1).with(|_| at);
        if thing == Thing::Gold {
            let coins = world.resource_mut::<Rng>().roll(5..=20);
            copy = copy.with(|_| Item::Gold(coins));
        }
        copy.spawn(world).expect("the values can be cloned");
    }
}

impl fmt::Debug for Prefabs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prefabs").finish_non_exhaustive()
    }
}

/// Reads a prefab from `text`, the content of `file`.
///
/// # Errors
/// If the text has a mistake.
pub fn parse_prefab(file: &str, text: &str) -> Result<Prefab, InputError> {
    let loader = Loader::new()
        .with::<Hero>()
        .with::<Monster>()
        .with::<Name>()
        .with::<Glyph>()
        .with::<Health>()
        .with::<Strength>()
        .with::<SideEffect>()
        .with::<Step>()
        .with::<Item>();
    read_ron(file, text, |ron| Prefab::deserialize(&loader, ron))
}

/// Reads a file of RON. Errors give the place that the reader had reached.
pub(super) fn read_ron<'a, T>(
    file: &str,
    text: &'a str,
    read: impl FnOnce(&mut ron::Deserializer<'a>) -> Result<T, ron::Error>,
) -> Result<T, InputError> {
    let read = ron::Deserializer::from_str(text).and_then(|mut ron| {
        let value = read(&mut ron).and_then(|value| ron.end().map(|()| value));
        value.map_err(|error| ron.span_error(error))
    });
    read.map_err(|error| InputError {
        file: file.to_owned(),
        place: Some(Place {
            line: error.span.end.line,
            column: error.span.end.col,
        }),
        problem: Problem::Data(error.code.to_string()),
    })
}
