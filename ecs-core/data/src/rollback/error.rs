//! The reasons why an input is refused, or a frame cannot run.

use std::fmt;

use ecs_engine::schedule::ScheduleError;
use ecs_engine::snapshot::{RestoreError, SnapshotError};
use ecs_engine::system::BoxError;

use crate::hash::HashError;

/// The reason why an input is refused. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputError {
    /// There is no such player.
    NoPlayer {
        /// The number of the player.
        player: usize,
        /// The number of players.
        count: usize,
    },
    /// The input of an earlier frame is missing.
    Gap {
        /// The number of the player.
        player: usize,
        /// The frame of the input.
        frame: u64,
        /// The frame whose input comes next.
        expected: u64,
    },
    /// Another input is known for the frame.
    Conflict {
        /// The number of the player.
        player: usize,
        /// The frame of the input.
        frame: u64,
    },
    /// The frame is more than 1,024 ahead of the next one.
    TooEarly {
        /// The number of the player.
        player: usize,
        /// The frame of the input.
        frame: u64,
    },
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPlayer { player, count } => {
                write!(
                    f,
                    "there is no player {player} among {count}, who are numbered from 0 on"
                )
            }
            Self::Gap {
                player,
                frame,
                expected,
            } => write!(
                f,
                "the input of player {player} for frame {frame} has come, but the one for frame {expected} is missing; help: send all inputs from the other machine's `Rollback::next_input` on"
            ),
            Self::Conflict { player, frame } => write!(
                f,
                "player {player} has made another input for frame {frame} before"
            ),
            Self::TooEarly { player, frame } => {
                write!(
                    f,
                    "the input of player {player} for frame {frame} is too far ahead"
                )
            }
        }
    }
}

impl std::error::Error for InputError {}

/// The reason why a frame cannot run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RollbackError {
    /// The schedule cannot run.
    Schedule(ScheduleError),
    /// The app cannot be built.
    App(BoxError),
    /// The world or the schedule has something that cannot be copied.
    Snapshot(SnapshotError),
    /// The world cannot return to an earlier frame, because it or the schedule is a different one.
    Restore(RestoreError),
    /// The world has something that has no hash.
    Hash(HashError),
}

impl fmt::Display for RollbackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schedule(error) => error.fmt(f),
            Self::App(error) => error.fmt(f),
            Self::Snapshot(error) => error.fmt(f),
            Self::Restore(error) => error.fmt(f),
            Self::Hash(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RollbackError {}
