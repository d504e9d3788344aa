//! The reasons why a check of a schedule failed.

use std::fmt;

use ecs_engine::schedule::ScheduleError;
use ecs_engine::snapshot::{RestoreError, SnapshotError};

use super::Variation;
use crate::{Diff, DiffError, HashError, LoadError, SaveError};

/// The reason why a [`DeterminismCheck`](super::DeterminismCheck) failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum DeterminismError {
    /// A run had a different result than the first one.
    Desync(Box<Desync>),
    /// The world has something that has no hash.
    Hash(HashError),
    /// The worlds cannot be compared.
    Diff(DiffError),
    /// The schedule or its systems failed.
    Run {
        /// The number of the frame, from 0 on.
        frame: u32,
        /// The error.
        error: ScheduleError,
    },
    /// No snapshot can be taken, for [`Variation::Restored`].
    Snapshot(SnapshotError),
    /// The world cannot return to a snapshot.
    Restore(RestoreError),
    /// The world cannot be saved, for [`Variation::Loaded`].
    Save(SaveError),
    /// The save cannot be loaded.
    Load(LoadError),
    /// Threads cannot be started, for the reason in the text.
    Threads(String),
}

/// The first difference between two runs of a schedule.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Desync {
    /// The circumstance that leads to another result.
    pub variation: Variation,
    /// The number of threads that [`Variation::Threads`] has.
    pub threads: usize,
    /// The number of the frame, from 0 on.
    pub frame: u32,
    /// The system after which the worlds differ. If the whole schedule ran on several threads, all systems that can have made the
    /// difference. Empty if something outside of the schedule did, such as an input.
    pub systems: Vec<&'static str>,
    /// The systems among these that are only listed because they have commands that are not
    /// [declared](ecs_engine::Commands#declared-components), which can do anything.
    pub undeclared: Vec<&'static str>,
    /// If the other run did not run the system: the system that it ran in its place, or `None` inside if its frame was over.
    pub instead: Option<Option<&'static str>>,
    /// All differences at that moment, from the first run to the other one. Empty if the first run differs each time.
    pub differences: Diff,
}

impl fmt::Display for DeterminismError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Desync(desync) => desync.fmt(f),
            Self::Hash(error) => error.fmt(f),
            Self::Diff(error) => error.fmt(f),
            Self::Run { frame, error } => write!(f, "frame {frame}: {error}"),
            Self::Snapshot(error) => {
                write!(f, "{error}, or leave out `Variation::Restored`")?;
                f.write_str(
                    "\nhelp: set the way to take snapshots by `DeterminismCheck::snapshots`",
                )
            }
            Self::Restore(error) => error.fmt(f),
            Self::Save(error) => {
                write!(f, "{error}\nhelp: leave out `Variation::Loaded` otherwise")
            }
            Self::Load(error) => {
                write!(f, "{error}\nhelp: leave out `Variation::Loaded` otherwise")
            }
            Self::Threads(message) => write!(f, "cannot start threads: {message}"),
        }
    }
}

impl std::error::Error for DeterminismError {}

impl fmt::Display for Desync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frame = self.frame;
        match (&self.instead, self.systems.as_slice()) {
            (Some(Some(instead)), [system]) => {
                write!(f, "frame {frame}: `{instead}` ran in place of `{system}`")?;
            }
            (Some(Some(instead)), _) => {
                write!(f, "frame {frame}: `{instead}` ran at the end of the frame")?;
            }
            (Some(None), systems) => {
                write!(f, "frame {frame}: `{}` did not run", systems.join("`, `"))?;
            }
            (None, []) => write!(f, "frame {frame}: after the inputs and all systems")?,
            (None, [system]) => write!(f, "frame {frame}: after `{system}`")?,
            (None, systems) => {
                write!(f, "frame {frame}: after one of `{}`", systems.join("`, `"))?;
            }
        }
        let lines = self.differences.to_string();
        let mut lines = lines.lines();
        match lines.next() {
            Some(first) => {
                write!(f, ": {first}")?;
                let more = lines.count();
                if more > 0 {
                    write!(f, " (and {more} more)")?;
                }
            }
            None if self.instead.is_none() => f.write_str(": the world is another one")?,
            None => {}
        }
        if !self.undeclared.is_empty() {
            let systems = self.undeclared.join("`, `");
            write!(
                f,
                "\n`{systems}` may have done it by undeclared commands; `Commands<(A, B)>` says what they insert and remove"
            )?;
        }
        let (when, help) = match self.variation {
            Variation::Repeated => (
                "in a second run with the same beginning",
                "use nothing from outside of the world: the time, random seeds, addresses, the order of a `HashMap` of the standard library, statics",
            ),
            Variation::OtherTables => (
                "with tables in another order",
                "let nothing depend on the order of rows: sort entities, and sum floats in a fixed order",
            ),
            Variation::Restored => (
                "after a return to a snapshot",
                "keep the memory of systems in the world or in a `Local`, not in statics or captured values",
            ),
            Variation::Loaded => (
                "in a world that was saved and loaded",
                "keep the memory of systems in data components, resources and events, not in a `Local` or ticks of changes",
            ),
            Variation::Threads => {
                write!(f, "\nwith {} threads", self.threads)?;
                (
                    "",
                    "let nothing depend on which thread comes first: the order in which a lock is taken, a number from an atomic, sums of floats",
                )
            }
        };
        if !when.is_empty() {
            write!(f, "\n{when}")?;
        }
        write!(f, "\nhelp: {help}")
    }
}
