//! The results of tasks that were passed on: a recorder notes them, and a replay passes on the same.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use super::Deliver;

/// A result that was passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedResult {
    /// The number of the [`World::flush_tasks`](crate::World::flush_tasks) since the last frame.
    pub flush: u32,
    /// The position of the task among those whose results were not passed on yet, in the order of their start.
    pub position: u32,
    /// The value.
    pub value: PassedValue,
}

/// The value of a [`PassedResult`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassedValue {
    /// It was not written: the work makes it again.
    Again,
    /// There was none, because the work has ended without it.
    Abandoned,
    /// Its bytes.
    Bytes(Vec<u8>),
}

/// Writes and reads the results of a task.
#[derive(Debug)]
pub struct ResultCodec<T> {
    /// Returns the bytes of a value; `None` if they cannot be read back.
    pub write: fn(&T) -> Option<Vec<u8>>,
    /// Returns the value of bytes, or a message.
    pub read: fn(&[u8]) -> Result<T, String>,
}

impl<T> Clone for ResultCodec<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ResultCodec<T> {}

/// Makes a result of the bytes of a value; of none, a result without a value.
pub(super) type Repeat = Box<dyn FnOnce(Option<&[u8]>) -> Result<Deliver, String> + Send + Sync>;

/// The use that other code makes of results that are passed on.
#[derive(Default)]
pub(super) enum TaskWatch {
    #[default]
    Nothing,
    /// It notes them.
    Log {
        flushes: u32,
        passed: Vec<PassedResult>,
    },
    /// It says which are passed on.
    Script {
        flushes: u32,
        next: VecDeque<PassedResult>,
        error: Option<String>,
    },
}

impl TaskWatch {
    /// Notes that results are about to be passed on.
    #[inline]
    pub(super) fn begin_flush(&mut self) {
        match self {
            Self::Nothing => {}
            Self::Log { flushes, .. } | Self::Script { flushes, .. } => *flushes += 1,
        }
    }
}
