//! The command line.

use core::fmt;
use std::ffi::OsString;
use std::path::PathBuf;

/// The text that `--help` prints.
pub const USAGE: &str = "\
A small roguelike: walk `@` through the dungeon, down the stairs and out.

Usage: roguelike [--map FILE] [--prefabs DIR] [--seed S] [--load FILE] [--save FILE]
                 [--saves DIR [--slot NAME] [--load-slot N]]
                 [--record FILE [--hash-every N] [--each-step]]
                 [--headless [--frames N] [--script FILE]]
       roguelike --replay FILE
       roguelike --saves DIR --list

  --map FILE     play the levels of another text file
  --prefabs DIR  take monsters and items from the files of a folder, such as rat.ron
  --seed S       throw other dice (a whole number; default 1)
  --load FILE    go on with a saved game
  --save FILE    the file of the keys S and L (default roguelike.save.ron); with --headless the
                 game is saved there in the end
  --saves DIR    save the game in a slot of a folder, in the background: on each level, after 20 turns
                 and at the end
  --slot NAME    with --saves: the slot (default autosave)
  --load-slot N  with --saves: go on with the game in the slot with this number
  --list         with --saves: list the slots, the newest first
  --record FILE  record all turns
  --hash-every N with --record: hash the world after every N-th turn (default 1; 0 for never)
  --each-step    with --record: hash what each system can write after it, too
  --replay FILE  play a recording again, and compare the world after each turn
  --headless     play without a terminal, then print the last picture and a summary
  --frames N     with --headless: stop after N keys (default 1000)
  --script FILE  with --headless: press the keys of a text file instead of the automatic player's
  --help         print this text

Keys: arrows or h j k l walk and attack, . waits, g picks up, d drinks a potion,
      S saves, L loads, ? shows help, q quits
";

/// The options of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The map file, if not the built-in map.
    pub map: Option<PathBuf>,
    /// The folder of prefabs, if not the built-in ones.
    pub prefabs: Option<PathBuf>,
    /// The seed of the dice.
    pub seed: u64,
    /// The saved game to continue.
    pub load: Option<PathBuf>,
    /// The file to save the game in.
    pub save: Option<PathBuf>,
    /// The folder of slots to save the game in while it goes on.
    pub saves: Option<PathBuf>,
    /// The name of the slot.
    pub slot: String,
    /// The number of the slot to continue.
    pub load_slot: Option<u64>,
    /// List the slots, and do not play.
    pub list: bool,
    /// The file to record the turns in.
    pub record: Option<PathBuf>,
    /// Hash the world after every so many recorded turns; 0 for never.
    pub hash_every: u64,
    /// Hash the world after each system of a recorded turn.
    pub each_step: bool,
    /// The recording to play again.
    pub replay: Option<PathBuf>,
    /// Options for a run without a terminal; `None` to play in one.
    pub headless: Option<Headless>,
}

/// The options of a run without a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headless {
    /// The number of keys after which to stop.
    pub frames: usize,
    /// The file of keys, if the automatic player does not play.
    pub script: Option<PathBuf>,
}

/// A request on the command line.
#[expect(clippy::large_enum_variant, reason = "a program has one of them")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Print [`USAGE`].
    Help,
    /// Play.
    Play(Options),
}

/// An error on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsageError {
    /// An argument that is not in [`USAGE`].
    Unknown(String),
    /// A flag without its value.
    NoValue(&'static str),
    /// A value that is not a whole number.
    NotANumber {
        /// The flag.
        flag: &'static str,
        /// The value.
        value: String,
    },
    /// A flag that requires `--saves`.
    NeedsSaves(&'static str),
    /// A flag that requires `--headless`.
    NeedsHeadless(&'static str),
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(argument) => write!(f, "unknown argument {argument:?}")?,
            Self::NoValue(flag) => write!(f, "{flag} requires a value")?,
            Self::NotANumber { flag, value } => {
                write!(
                    f,
                    "{flag} requires a whole number of at least 0, not {value:?}"
                )?;
            }
            Self::NeedsSaves(flag) => write!(f, "{flag} requires --saves")?,
            Self::NeedsHeadless(flag) => write!(f, "{flag} requires --headless")?,
        }
        f.write_str("; see --help")
    }
}

impl core::error::Error for UsageError {}

impl Request {
    /// Parses the arguments after the program's name.
    ///
    /// # Errors
    /// If an argument does not match [`USAGE`].
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, UsageError> {
        let mut arguments = arguments.into_iter();
        let (mut map, mut seed, mut headless) = (None, 1, false);
        let (mut frames, mut script) = (None, None);
        let (mut prefabs, mut load, mut save) = (None, None, None);
        let (mut record, mut replay, mut each_step) = (None, None, false);
        let (mut saves, mut slot, mut load_slot, mut list) = (None, None, None, false);
        let mut hash_every = 1;
        while let Some(argument) = arguments.next() {
            let mut value_of = |flag| arguments.next().ok_or(UsageError::NoValue(flag));
            match argument.to_str() {
                Some("--help" | "-h") => return Ok(Self::Help),
                Some("--headless") => headless = true,
                Some("--map") => map = Some(value_of("--map")?.into()),
                Some("--prefabs") => prefabs = Some(value_of("--prefabs")?.into()),
                Some("--load") => load = Some(value_of("--load")?.into()),
                Some("--save") => save = Some(value_of("--save")?.into()),
                Some("--saves") => saves = Some(value_of("--saves")?.into()),
                Some("--slot") => slot = Some(value_of("--slot")?.display().to_string()),
                Some("--load-slot") => {
                    load_slot = Some(number("--load-slot", &value_of("--load-slot")?)?);
                }
                Some("--list") => list = true,
                Some("--record") => record = Some(value_of("--record")?.into()),
                Some("--each-step") => each_step = true,
                Some("--hash-every") => {
                    hash_every = number("--hash-every", &value_of("--hash-every")?)?;
                }
                Some("--replay") => replay = Some(value_of("--replay")?.into()),
                Some("--script") => script = Some(value_of("--script")?.into()),
                Some("--seed") => seed = number("--seed", &value_of("--seed")?)?,
                Some("--frames") => frames = Some(number("--frames", &value_of("--frames")?)?),
                _ => return Err(UsageError::Unknown(argument.display().to_string())),
            }
        }
        let headless = match (headless, frames, script) {
            (true, frames, script) => Some(Headless {
                frames: frames.unwrap_or(1000),
                script,
            }),
            (false, Some(_), _) => return Err(UsageError::NeedsHeadless("--frames")),
            (false, _, Some(_)) => return Err(UsageError::NeedsHeadless("--script")),
            (false, None, None) => None,
        };
        let of_saves = [
            (slot.is_some(), "--slot"),
            (load_slot.is_some(), "--load-slot"),
            (list, "--list"),
        ];
        if let Some((_, flag)) = of_saves.iter().find(|(is_given, _)| *is_given)
            && saves.is_none()
        {
            return Err(UsageError::NeedsSaves(flag));
        }
        Ok(Self::Play(Options {
            map,
            prefabs,
            seed,
            load,
            save,
            saves,
            slot: slot.unwrap_or_else(|| "autosave".to_owned()),
            load_slot,
            list,
            record,
            hash_every,
            each_step,
            replay,
            headless,
        }))
    }
}

fn number<N: core::str::FromStr>(flag: &'static str, value: &OsString) -> Result<N, UsageError> {
    value
        .to_str()
        .and_then(|value| value.parse().ok())
        .ok_or_else(|| UsageError::NotANumber {
            flag,
            value: value.display().to_string(),
        })
}
