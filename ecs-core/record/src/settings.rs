//! The settings of a recorder.

use std::path::PathBuf;

/// The settings of a [`Recorder`](crate::Recorder).
#[derive(Clone, Debug)]
pub(crate) struct RecorderSettings {
    pub(crate) path: PathBuf,
    pub(crate) keep: Option<u64>,
    pub(crate) snapshot_every: u64,
    pub(crate) hashes: HashCadence,
    pub(crate) steps: bool,
}

/// When the world is hashed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HashCadence {
    /// Often enough to take this part of the time, in percent.
    Percent(u32),
    /// After each frame whose number this divides.
    Every(u64),
    Never,
}
