//! The command line of `ecs-bench`.

use std::path::PathBuf;
use std::time::Duration;

/// What `--help` prints.
pub const HELP: &str = "\
Compares ecs-core with hand-written code and, with the feature `peers`, with hecs and bevy_ecs.

Options:
  --filter NAME   only workloads whose name contains NAME
  --rounds N      rounds in which each entry is timed once (default 40)
  --quick         3 rounds of short batches: to see that it works, not to measure
  --csv FILE      also writes the figures to FILE
  --list          prints the workloads and does nothing
  --help          prints this";

/// How to measure, and what.
#[derive(Debug, PartialEq)]
pub struct Options {
    /// Only workloads whose name contains this.
    pub filter: Option<String>,
    /// How often each entry is timed; at least 1.
    pub rounds: u32,
    /// How long each timing takes at least.
    pub batch: Duration,
    /// Where to write the figures as comma-separated values.
    pub csv: Option<PathBuf>,
    /// Print the workloads, do nothing.
    pub list: bool,
    /// Print the help, do nothing.
    pub help: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            filter: None,
            rounds: 40,
            batch: Duration::from_millis(5),
            csv: None,
            list: false,
            help: false,
        }
    }
}

impl Options {
    /// Reads the arguments after the program's name.
    ///
    /// # Errors
    /// A sentence on the first argument that is unknown, or whose value is missing or wrong.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let mut value = || {
                let missing = || format!("`{argument}` wants a value");
                arguments.next().ok_or_else(missing)
            };
            match argument.as_str() {
                "--filter" => options.filter = Some(value()?),
                "--rounds" => options.rounds = rounds(&value()?)?,
                "--csv" => options.csv = Some(value()?.into()),
                "--quick" => (options.rounds, options.batch) = (3, Duration::from_millis(1)),
                "--list" => options.list = true,
                "--help" | "-h" => options.help = true,
                other => return Err(format!("unknown argument `{other}`; `--help` lists them")),
            }
        }
        Ok(options)
    }

    /// Whether the filter lets a workload of that name through.
    #[must_use]
    pub fn wants(&self, workload: &str) -> bool {
        self.filter
            .as_ref()
            .is_none_or(|filter| workload.contains(filter.as_str()))
    }
}

fn rounds(value: &str) -> Result<u32, String> {
    match value.parse() {
        Ok(rounds) if rounds > 0 => Ok(rounds),
        _ => Err(format!("`--rounds {value}`: wants a number of at least 1")),
    }
}
