//! Why a round, or the meeting of processes, has failed.

use core::fmt;
use core::time::Duration;
use std::io;

/// Why a round, or the meeting of processes, has failed.
///
/// Shards are named by their numbers. Every shard reports the first cause: if shard 2 dies, the others all report shard 2, not
/// each other.
///
/// ```
/// use ecs_core::shard::{NetError, run_threads};
/// use std::time::Duration;
///
/// let results = run_threads(2, Duration::from_secs(10), |net| match net.me() {
///     0 => net.round(vec![Vec::new(); 2]).map(drop),
///     _ => Ok(()), // finishes without that round
/// });
/// let error = results[0].as_ref().unwrap().clone().unwrap_err();
/// assert_eq!(error, NetError::Ended { shards: vec![1] });
/// assert!(error.to_string().starts_with("shard 1 finished before this shard"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetError {
    /// These shards died: their process was killed, their code panicked, or their connection broke.
    Lost {
        /// Their numbers, in order.
        shards: Vec<usize>,
    },
    /// Nothing comes from these shards, not even a pulse: their machine or process stands still, or the line to them is cut.
    Silent {
        /// Their numbers, in order.
        shards: Vec<usize>,
        /// The time since their last sign of life.
        waited: Duration,
    },
    /// These shards show signs of life, and did not send their part of a round in time.
    Late {
        /// Their numbers, in order.
        shards: Vec<usize>,
        /// The time that a shard has waited for them.
        waited: Duration,
    },
    /// These shards have finished, and this one does a further round.
    Ended {
        /// Their numbers, in order.
        shards: Vec<usize>,
    },
    /// A shard sent something else than its part of a round.
    Frame {
        /// The number of the shard.
        from: usize,
        /// The fault of its bytes.
        problem: FrameProblem,
    },
    /// This shard wants to send more than the limit. Nothing was sent.
    TooLong {
        /// The number of the receiver.
        to: usize,
        /// The length of the part, in bytes.
        length: usize,
        /// The longest part that may be sent, in bytes.
        limit: usize,
    },
    /// These shards did not come to the meeting.
    Missing {
        /// Their numbers, in order.
        shards: Vec<usize>,
        /// The time that this shard has waited for them.
        waited: Duration,
    },
    /// A shard came to the meeting with another program, or in another run.
    Refused {
        /// The number of the shard.
        shard: usize,
        /// The difference.
        difference: MeetingDifference,
    },
    /// The settings cannot work.
    Settings {
        /// The setting, the reason and the fix.
        problem: String,
    },
    /// The operating system refused something.
    Io {
        /// The attempt.
        action: String,
        /// The class of the error.
        kind: io::ErrorKind,
        /// The text of the error.
        text: String,
    },
}

/// The fault of a shard's bytes. Part of [`NetError::Frame`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameProblem {
    /// The bytes are not a frame.
    Unknown,
    /// The frame names another sender or receiver.
    Address,
    /// The frame is of a round that cannot be.
    Round {
        /// The number in the frame.
        got: u64,
        /// The number of this shard's round.
        expected: u64,
    },
    /// The frame is longer than the limit.
    Length {
        /// The length that the frame claims, in bytes.
        got: u64,
        /// The longest that it may have.
        limit: u64,
    },
    /// The pieces of a frame do not fit together.
    Pieces,
}

/// A difference between two processes that meet. Part of [`NetError::Refused`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeetingDifference {
    /// The programs have different components or declarations, or only one of them resumes.
    Schema {
        /// The hash of this process.
        mine: u64,
        /// The hash of the other one.
        theirs: u64,
    },
    /// The processes belong to different runs.
    Run {
        /// The run of this process.
        mine: u64,
        /// The run of the other one.
        theirs: u64,
    },
    /// The lists of addresses have different lengths.
    Shards {
        /// The number of addresses of this process.
        mine: usize,
        /// The number of addresses of the other one.
        theirs: usize,
    },
    /// Another process has that number, or the address belongs to another shard.
    Number,
}

impl NetError {
    pub(super) fn io(action: impl Into<String>, error: &io::Error) -> NetError {
        NetError::Io {
            action: action.into(),
            kind: error.kind(),
            text: error.to_string(),
        }
    }
}

/// "shard 3", or "shards 1, 2 and 3".
struct ShardList<'a>(&'a [usize]);

impl fmt::Display for ShardList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((last, others)) = self.0.split_last() else {
            return f.write_str("no shard");
        };
        if others.is_empty() {
            return write!(f, "shard {last}");
        }
        f.write_str("shards ")?;
        for (i, number) in others.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{number}")?;
        }
        write!(f, " and {last}")
    }
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetError::Lost { shards } => write!(
                f,
                "{} died; help: its own output says why; start all shards again, from a checkpoint",
                ShardList(shards),
            ),
            NetError::Late { shards, waited } => write!(
                f,
                "{} sent no part of a round for {waited:.1?}; help: see whether it hangs; if a round may take so long, set a longer \
                 `patience`",
                ShardList(shards),
            ),
            NetError::Silent { shards, waited } => write!(
                f,
                "{} sent no sign of life for {waited:.1?}; help: see whether its machine runs and the network is whole, and start all \
                 shards again, from a checkpoint; if a process may stand still so long, set a longer `silence`",
                ShardList(shards),
            ),
            NetError::Ended { shards } => write!(
                f,
                "{} finished before this shard, which does a further round; help: let all shards do the same number of rounds",
                ShardList(shards),
            ),
            NetError::Frame { from, problem } => {
                write!(
                    f,
                    "shard {from} sent bytes that are not its part of this round: {problem}"
                )
            }
            NetError::TooLong { to, length, limit } => write!(
                f,
                "the part for shard {to} has {length} bytes, more than the limit of {limit}; help: set a higher `max_frame` in all \
                 processes",
            ),
            NetError::Missing { shards, waited } => write!(
                f,
                "{} did not come within {waited:.1?}; help: see whether it runs, whether its address is right, and whether all \
                 processes have the same token",
                ShardList(shards),
            ),
            NetError::Refused { shard, difference } => {
                write!(f, "shard {shard} does not fit: {difference}")
            }
            NetError::Settings { problem } => f.write_str(problem),
            NetError::Io { action, text, .. } => write!(f, "could not {action}: {text}"),
        }
    }
}

impl core::error::Error for NetError {}

impl fmt::Display for FrameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameProblem::Unknown => f.write_str("they are not a frame"),
            FrameProblem::Address => f.write_str("the frame names another sender or receiver"),
            FrameProblem::Round { got, expected } => {
                write!(
                    f,
                    "the frame is of round {got}, and this shard is in round {expected}"
                )
            }
            FrameProblem::Length { got, limit } => {
                write!(
                    f,
                    "the frame claims {got} bytes, more than the limit of {limit}; help: set the same `max_frame` in all processes"
                )
            }
            FrameProblem::Pieces => f.write_str("the pieces of the frame do not fit together"),
        }
    }
}

impl fmt::Display for MeetingDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeetingDifference::Schema { mine, theirs } => write!(
                f,
                "its components and declaration have the hash {theirs:016x}, and those of this process {mine:016x}; help: start the \
                 same program everywhere, with the same settings, and resume all processes or none",
            ),
            MeetingDifference::Run { mine, theirs } => write!(
                f,
                "it is in run {theirs}, and this process in run {mine}; help: end the processes of the old run",
            ),
            MeetingDifference::Shards { mine, theirs } => {
                write!(f, "it knows {theirs} addresses, and this process {mine}; help: give all processes the same list")
            }
            MeetingDifference::Number => f.write_str(
                "it expects another process there; help: give each process a number of its own, and the list in the same order",
            ),
        }
    }
}
