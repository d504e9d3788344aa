//! The program: does the work that its arguments request.

use core::fmt;
use std::ffi::OsString;
use std::path::Path;

use ecs_core::prelude::*;
use ecs_core::record::Recorder;
use ecs_core::schedule::ScheduleError;

use super::components::{Health, Hero};
use super::{
    Game, Headless, InputError, Key, Options, Outcome, Prefabs, Request, Tally, USAGE, UsageError,
    built_in_dungeon, list_slots, picture, read_dungeon, read_script,
};

/// The reason why the program ends early.
#[derive(Debug)]
pub enum Failure {
    /// The arguments are invalid.
    Usage(UsageError),
    /// A file cannot be used.
    Input(InputError),
    /// The game should run in a terminal, but there is none.
    NoTerminal,
    /// The terminal failed.
    Terminal(std::io::Error),
    /// A turn failed.
    Turn(ScheduleError),
    /// A recording cannot be played again, or the game does something else.
    Replay(String),
}

impl Failure {
    /// Returns the exit code: 2 if the caller can fix the cause, else 1.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Input(_) | Self::NoTerminal => 2,
            Self::Terminal(_) | Self::Turn(_) | Self::Replay(_) => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(error) => error.fmt(f),
            Self::Input(error) => error.fmt(f),
            Self::NoTerminal => f.write_str(
                "not a terminal; run the game in a terminal, or with --headless for the automatic player",
            ),
            Self::Terminal(error) => write!(f, "the terminal failed: {error}"),
            Self::Turn(error) => error.fmt(f),
            Self::Replay(error) => f.write_str(error),
        }
    }
}

impl core::error::Error for Failure {}

impl From<UsageError> for Failure {
    fn from(error: UsageError) -> Self {
        Self::Usage(error)
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Terminal(error)
    }
}

impl From<ScheduleError> for Failure {
    fn from(error: ScheduleError) -> Self {
        Self::Turn(error)
    }
}

/// Does the work that `arguments` request and returns the output; passes a game that is not headless to `play`.
///
/// # Errors
/// If the arguments or a file are invalid, or `play` fails.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    play: impl FnOnce(Game) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let options = match Request::parse(arguments)? {
        Request::Help => return Ok(USAGE.to_owned()),
        Request::Play(options) => options,
    };
    let Options {
        map,
        prefabs,
        seed,
        load,
        save,
        saves,
        slot,
        load_slot,
        list,
        record,
        hash_every,
        each_step,
        replay,
        headless,
    } = options;
    if let Some(folder) = saves.as_ref().filter(|_| list) {
        return Ok(list_slots(folder)?);
    }
    let levels = match map {
        Some(path) => read_dungeon(&path)?,
        None => built_in_dungeon()?,
    };
    let prefabs = match prefabs {
        Some(folder) => Prefabs::read(&folder)?,
        None => Prefabs::built_in()?,
    };
    let mut game = Game::with_prefabs(levels, seed, prefabs);
    if let Some(file) = replay {
        let replayed = crate::replay(&file, || game.into_program());
        return replayed
            .map(|line| line + "\n")
            .map_err(|error| Failure::Replay(error.to_string()));
    }
    if let Some(file) = &save {
        game.set_file(file.clone());
    }
    if let Some(file) = load {
        game.load(&file)?;
    }
    if let Some(folder) = saves {
        if let Some(number) = load_slot {
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            game.load_slot(&folder, number)?;
        }
        game.set_slot(folder, slot);
    }
    if let Some(file) = record {
        let recorder = Recorder::new(file).hash_every(hash_every);
        game.record(match each_step {
            true => recorder.each_step(),
            false => recorder,
        });
    }
    match headless {
        Some(headless) => play_headless(game, &headless, save.as_deref()),
        None => play(game).map(|()| String::new()),
    }
}

/// Plays without a terminal, and saves the game at the end; returns the last picture and a summary.
fn play_headless(
    mut game: Game,
    headless: &Headless,
    save: Option<&Path>,
) -> Result<String, Failure> {
    let script = match &headless.script {
        Some(path) => Some(read_script(path)?),
        None => None,
    };
    for frame in 0..headless.frames {
        if game.outcome() != Outcome::Playing {
            break;
        }
        let key = match &script {
            Some(keys) => keys.get(frame).copied().unwrap_or(Key::Quit),
            None => game.advice(),
        };
        if key == Key::Quit {
            break;
        }
        game.press(key)?;
    }
    if let Some(file) = save {
        game.save(file)?;
    }
    game.save_to_slot();
    game.finish_saves()?;
    Ok(format!("{}\n{}", picture(game.world()), summary(&game)))
}

/// Summarizes the game, one fact a line.
fn summary(game: &Game) -> String {
    let world = game.world();
    let tally = world.resource::<Tally>();
    let outcome = match game.outcome() {
        Outcome::Playing => "still on the way",
        Outcome::Won => "won",
        Outcome::Died => "died",
    };
    let health = world
        .query_filtered::<&Health, With<Hero>>()
        .iter()
        .map(|health| health.now)
        .sum::<i32>();
    format!(
        "outcome:  {outcome}\nturns:    {}\nhealth:   {health}\ngold:     {}\nslain:    {}\nentities: {}\n",
        tally.turns,
        tally.gold,
        tally.slain,
        world.len()
    )
}
