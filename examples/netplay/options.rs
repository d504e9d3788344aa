//! The arguments of the program.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::Result;

pub(crate) const USAGE: &str = "\
netplay: a ball game for two over UDP, with rollback

  --headless            two bots play, without a terminal
  --processes           with --headless: each bot in a process of its own
  --frames N            frames that they play (600)
  --frame-ms N          the length of a frame (16, headless 4)
  --player 0|1 --port N --peer ADDRESS
                        play with another player, whose program has the other number; with --headless a bot does
  --latency MS          delay of messages on the way (40, headless 10)
  --jitter MS           up to this much more (20, headless 6)
  --loss PERCENT        messages that are lost (5)
  --reorder PERCENT     messages that are overtaken (5)
  --input-delay N       frames until an input counts (2)
  --prediction N        frames that may run ahead of the inputs of the other player (12)
  --record FILE         record the match: FILE.0.rec of player 0, FILE.1.rec of player 1
  --replay FILE         run the frames of a recording again
  --seed N              the seed of the bots, the ball and the faults of the link (1)
";

/// The arguments of the program.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) mode: Mode,
    pub(crate) frames: u64,
    pub(crate) frame: Duration,
    pub(crate) faults: Faults,
    pub(crate) input_delay: u32,
    pub(crate) prediction: u32,
    pub(crate) seed: u64,
    pub(crate) record: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub(crate) enum Mode {
    /// Two bots.
    Headless,
    /// Two bots in two processes.
    Processes,
    /// The replay of a recording.
    Replay(PathBuf),
    /// A player and a bot.
    Bot,
    /// A player, and another one elsewhere.
    Remote {
        player: usize,
        port: u16,
        peer: SocketAddr,
        is_bot: bool,
    },
}

/// Faults that a link adds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faults {
    pub(crate) latency: Duration,
    pub(crate) jitter: Duration,
    /// In percent.
    pub(crate) loss: u64,
    /// In percent.
    pub(crate) reorder: u64,
}

impl Options {
    /// Reads the arguments of the process; `None` if the user asks for help.
    pub(crate) fn from_env() -> Result<Option<Self>> {
        Self::parse(std::env::args().skip(1))
    }

    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>> {
        let (mut is_headless, mut is_split) = (false, false);
        let (mut player, mut port, mut peer) = (None, None, None);
        let (mut frame, mut latency, mut jitter) = (None, None, None);
        let (mut loss, mut reorder) = (5, 5);
        let (mut frames, mut seed) = (600, 1);
        let (mut input_delay, mut prediction) = (2, 12);
        let (mut record, mut replay) = (None, None);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--help" => return Ok(None),
                "--headless" => is_headless = true,
                "--processes" => is_split = true,
                "--frames" => frames = value(&argument, &mut arguments)?,
                "--frame-ms" => frame = Some(value(&argument, &mut arguments)?),
                "--player" => player = Some(value(&argument, &mut arguments)?),
                "--port" => port = Some(value(&argument, &mut arguments)?),
                "--peer" => peer = Some(value(&argument, &mut arguments)?),
                "--latency" => latency = Some(value(&argument, &mut arguments)?),
                "--jitter" => jitter = Some(value(&argument, &mut arguments)?),
                "--loss" => loss = value(&argument, &mut arguments)?,
                "--reorder" => reorder = value(&argument, &mut arguments)?,
                "--input-delay" => input_delay = value(&argument, &mut arguments)?,
                "--prediction" => prediction = value(&argument, &mut arguments)?,
                "--record" => record = Some(value(&argument, &mut arguments)?),
                "--replay" => replay = Some(value(&argument, &mut arguments)?),
                "--seed" => seed = value(&argument, &mut arguments)?,
                _ => return Err(format!("unknown argument {argument}\n\n{USAGE}").into()),
            }
        }
        let mode = match (replay, is_headless, player, port, peer) {
            (Some(file), ..) => Mode::Replay(file),
            (None, true, None, None, None) if is_split => Mode::Processes,
            _ if is_split => return Err(format!("--processes needs --headless\n\n{USAGE}").into()),
            (None, true, None, None, None) => Mode::Headless,
            (None, false, None, None, None) => Mode::Bot,
            (None, is_bot, Some(player @ (0 | 1)), Some(port), Some(peer)) => Mode::Remote {
                player,
                port,
                peer,
                is_bot,
            },
            _ => return Err(format!("these arguments do not fit together\n\n{USAGE}").into()),
        };
        // A real link has faults of its own.
        let [ms, late, uneven] = match &mode {
            Mode::Headless | Mode::Processes | Mode::Replay(_) => [4, 10, 6],
            Mode::Bot => [16, 40, 20],
            Mode::Remote { .. } => [16, 0, 0],
        };
        let millis = |given: Option<u64>, default| Duration::from_millis(given.unwrap_or(default));
        Ok(Some(Self {
            mode,
            frames,
            frame: millis(frame, ms),
            faults: Faults {
                latency: millis(latency, late),
                jitter: millis(jitter, uneven),
                loss,
                reorder,
            },
            input_delay,
            prediction,
            seed,
            record,
        }))
    }
}

impl Options {
    /// Returns the arguments of a bot that plays by these options against another process.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let Faults {
            latency,
            jitter,
            loss,
            reorder,
        } = self.faults;
        let numbers = [
            ("--frames", self.frames),
            ("--frame-ms", self.frame.as_millis() as u64),
            ("--latency", latency.as_millis() as u64),
            ("--jitter", jitter.as_millis() as u64),
            ("--loss", loss),
            ("--reorder", reorder),
            ("--input-delay", self.input_delay.into()),
            ("--prediction", self.prediction.into()),
            ("--seed", self.seed),
        ];
        let mut arguments = vec!["--headless".to_owned()];
        arguments.extend(
            numbers
                .iter()
                .flat_map(|(name, value)| [(*name).to_owned(), value.to_string()]),
        );
        if let Some(file) = &self.record {
            arguments.extend(["--record".to_owned(), file.display().to_string()]);
        }
        arguments
    }
}

/// Reads the value of an argument.
fn value<T: FromStr>(name: &str, arguments: &mut impl Iterator<Item = String>) -> Result<T> {
    let value = arguments.next().ok_or(format!("{name} needs a value"))?;
    let read = value.parse();
    read.map_err(|_| format!("{name} cannot be `{value}`").into())
}
