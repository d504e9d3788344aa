//! `CheckpointWriter`: writes a file while the simulation goes on.

use std::thread::JoinHandle;

use crate::error::ShardError;

/// Writes checkpoints in the background.
#[derive(Default)]
pub(crate) struct CheckpointWriter {
    running: Option<(u64, JoinHandle<Result<(), ShardError>>)>,
    /// The tick of the last one that is on the disk.
    pub(crate) durable: u64,
    pub(crate) error: Option<ShardError>,
}

impl CheckpointWriter {
    /// Returns the tick of the last checkpoint that is on the disk.
    pub(crate) fn durable(&mut self) -> u64 {
        if self
            .running
            .as_ref()
            .is_some_and(|(_, thread)| thread.is_finished())
        {
            self.wait();
        }
        self.durable
    }

    /// Waits for the checkpoint that is being written.
    pub(crate) fn wait(&mut self) {
        let Some((tick, thread)) = self.running.take() else {
            return;
        };
        match thread.join() {
            Ok(Ok(())) => self.durable = tick,
            Ok(Err(error)) => self.error = Some(error),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    pub(crate) fn begin(
        &mut self,
        tick: u64,
        write: impl FnOnce() -> Result<(), ShardError> + Send + 'static,
    ) -> Result<(), ShardError> {
        self.wait();
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        self.running = Some((tick, std::thread::spawn(write)));
        Ok(())
    }
}

impl Drop for CheckpointWriter {
    fn drop(&mut self) {
        if let Some((_, thread)) = self.running.take() {
            _ = thread.join();
        }
    }
}
