//! The command line of `ecs-bench`.

use std::path::PathBuf;
use std::time::Duration;

use crate::child::Task;
use crate::peers::Peer;

/// The text that `--help` prints.
pub const HELP: &str = "\
Compares ecs-core with hand-written code and with the libraries that this program was built with.

Options:
  --filter NAME    only workloads whose name contains NAME
  --peers A,B      only these (hand-written code, `limit`, always takes part)
  --growth         the workloads of several sizes instead of the standard ones, by
                   ours, bevy, hecs and sparsey unless --peers says otherwise
  --rounds N       rounds in which each entry is timed once (default 24; 6 with --growth)
  --quick          1 round of short batches: a test that it works, not a measurement
  --details        also a table per workload with all forms
  --markdown       tables as Markdown
  --csv FILE       also writes all figures to FILE
  --svg FILE       also draws the ratios to FILE
  --list           prints the workloads and exits
  --help           prints this";

/// The libraries that `--growth` measures unless `--peers` says otherwise.
pub const GROWTH_PEERS: &[Peer] = &[Peer::Ours, Peer::Bevy, Peer::Hecs, Peer::Sparsey];

/// The rounds of `--growth` unless `--rounds` says otherwise.
const GROWTH_ROUNDS: u32 = 6;

/// The options of a measurement.
#[derive(Debug, PartialEq)]
pub struct Options {
    /// Measure only workloads whose names contain this.
    pub filter: Option<String>,
    /// Measure only these peers; all if empty.
    pub peers: Vec<Peer>,
    /// Measure the workloads of several sizes.
    pub growth: bool,
    /// The number of samples of each entry; at least 1.
    pub rounds: u32,
    /// The minimal time of each batch.
    pub batch: Duration,
    /// Print a table per workload.
    pub details: bool,
    /// Print tables as Markdown.
    pub markdown: bool,
    /// The file for the figures as comma-separated values.
    pub csv: Option<PathBuf>,
    /// The file for the picture of the ratios.
    pub svg: Option<PathBuf>,
    /// Print the workloads and exit.
    pub list: bool,
    /// Print the help and exit.
    pub help: bool,
    /// Measure one sample and print it.
    pub child: Option<Task>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            filter: None,
            peers: Vec::new(),
            growth: false,
            rounds: 24,
            batch: Duration::from_millis(5),
            details: false,
            markdown: false,
            csv: None,
            svg: None,
            list: false,
            help: false,
            child: None,
        }
    }
}

impl Options {
    /// Parses the arguments after the program's name.
    ///
    /// # Errors
    /// A message about the first argument that is unknown, or whose value is missing or invalid.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut rounds_given = None;
        while let Some(argument) = arguments.next() {
            if argument == "--child" {
                let rest: Vec<String> = arguments.by_ref().collect();
                options.child = Some(Task::parse(&rest)?);
                continue;
            }
            let mut value = || {
                let missing = || format!("`{argument}` needs a value");
                arguments.next().ok_or_else(missing)
            };
            match argument.as_str() {
                "--filter" => options.filter = Some(value()?),
                "--peers" => options.peers = peers(&value()?)?,
                "--growth" => options.growth = true,
                "--rounds" => rounds_given = Some(rounds(&value()?)?),
                "--quick" => {
                    rounds_given = Some(1);
                    options.batch = Duration::from_millis(1);
                }
                "--details" => options.details = true,
                "--markdown" => options.markdown = true,
                "--csv" => options.csv = Some(value()?.into()),
                "--svg" => options.svg = Some(value()?.into()),
                "--list" => options.list = true,
                "--help" | "-h" => options.help = true,
                other => {
                    return Err(format!(
                        "unknown argument `{other}`; help: `--help` lists all arguments"
                    ));
                }
            }
        }
        if options.growth {
            options.rounds = GROWTH_ROUNDS;
            if options.peers.is_empty() {
                options.peers = GROWTH_PEERS.to_vec();
            }
        }
        options.rounds = rounds_given.unwrap_or(options.rounds);
        Ok(options)
    }

    /// Returns whether the filter accepts a workload with this name.
    #[must_use]
    pub fn wants(&self, workload: &str) -> bool {
        self.filter
            .as_ref()
            .is_none_or(|filter| workload.contains(filter.as_str()))
    }

    /// Returns whether a peer is selected.
    #[must_use]
    pub fn wants_peer(&self, peer: Peer) -> bool {
        peer == Peer::Limit || self.peers.is_empty() || self.peers.contains(&peer)
    }
}

fn peers(value: &str) -> Result<Vec<Peer>, String> {
    let find = |name: &str| match Peer::find(name) {
        Some(peer) if peer.is_built() => Ok(peer),
        Some(_) => Err(format!(
            "`--peers {value}`: built without the feature `{name}`"
        )),
        None => Err(format!("`--peers {value}`: unknown peer `{name}`")),
    };
    value.split(',').map(find).collect()
}

fn rounds(value: &str) -> Result<u32, String> {
    match value.parse() {
        Ok(rounds) if rounds > 0 => Ok(rounds),
        _ => Err(format!(
            "`--rounds {value}`: expected a number of at least 1"
        )),
    }
}
