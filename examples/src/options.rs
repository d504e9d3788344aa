//! The options of the games on the command line.

use std::path::PathBuf;

use ecs_core::prelude::*;
use ecs_core::record::Recorder;

use crate::frames_of_page;

/// The options of a game: `--frames N`, `--seed N`, `--headless`, `--script`, `--record FILE`, `--replay FILE`.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of frames, if it is limited.
    pub frames: Option<u32>,
    /// The seed of the dice.
    pub seed: u64,
    /// True if no window is opened.
    pub headless: bool,
    /// True if a script plays, in equal frames, and the hash of the world is printed at the end.
    pub script: bool,
    /// The file that records the game.
    pub record: Option<PathBuf>,
    /// The recording that is replayed, without a window.
    pub replay: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments of the process.
    ///
    /// # Errors
    /// If an argument is unknown, or a number is missing or invalid.
    pub fn from_env() -> Result<Self, Box<dyn std::error::Error>> {
        let mut options = Self {
            frames: None,
            seed: 1,
            headless: cfg!(not(feature = "window")),
            script: false,
            record: None,
            replay: None,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--frames" => options.frames = Some(value()?.parse()?),
                "--seed" => options.seed = value()?.parse()?,
                "--headless" => options.headless = true,
                "--script" => options.script = true,
                "--record" => options.record = Some(value()?.into()),
                "--replay" => options.replay = Some(value()?.into()),
                _ => {
                    return Err(format!(
                        "unknown argument {argument}; expected --frames N, --seed N, --headless, --script, --record FILE or --replay FILE"
                    )
                    .into());
                }
            }
        }
        if let Some(frames) = frames_of_page() {
            options.frames = Some(frames);
            options.script = true;
        }
        Ok(options)
    }

    /// Records an app if the options ask for it.
    pub fn record(&self, app: &mut App) {
        if let Some(path) = &self.record {
            app.add_plugin(Recorder::new(path).hash_every(1));
        }
    }
}
