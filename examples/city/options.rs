//! The options of the command line.

use std::error::Error;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

/// The arguments that the program understands.
const USAGE: &str =
    "--agents N, --ticks N, --shards N, --processes N, --kill-one or --picture FILE";

const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// The options of the command line.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub agents: u64,
    pub ticks: u64,
    /// The number of threads with a shard each.
    pub shards: NonZeroUsize,
    /// The number of processes with a shard each, instead of threads.
    pub processes: Option<NonZeroUsize>,
    /// Kills a process in the middle.
    pub kills_one: bool,
    pub picture: Option<PathBuf>,
    /// This process is one of several.
    pub is_process: bool,
    /// The folder of checkpoints.
    pub checkpoints: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            agents: 100_000,
            ticks: 100,
            shards: TWO,
            processes: None,
            kills_one: false,
            picture: None,
            is_process: false,
            checkpoints: None,
        }
    }
}

impl Options {
    /// Reads the arguments of the process.
    pub(crate) fn from_env() -> Result<Self, Box<dyn Error>> {
        let mut options = Self::default();
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--agents" => options.agents = number(&argument, &value()?)?,
                "--ticks" => options.ticks = number(&argument, &value()?)?,
                "--shards" => options.shards = number(&argument, &value()?)?,
                "--processes" => options.processes = Some(number(&argument, &value()?)?),
                "--kill-one" => options.kills_one = true,
                "--picture" => options.picture = Some(value()?.into()),
                "--checkpoints" => options.checkpoints = Some(value()?.into()),
                "--one-process" => options.is_process = true,
                _ => {
                    return Err(format!("unknown argument {argument}; expected {USAGE}").into());
                }
            }
        }
        if options.kills_one && options.processes.is_none() {
            options.processes = Some(TWO);
        }
        Ok(options)
    }
}

fn number<T: FromStr<Err: Display>>(argument: &str, text: &str) -> Result<T, String> {
    let number = text.parse();
    number.map_err(|error| format!("{argument} needs a number, and `{text}` is none: {error}"))
}
