//! A piece of work for an executor.

/// Where a job can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On any thread, beside all that it does not depend on.
    Anywhere,
    /// On the thread that runs the schedule, beside others: it takes values that stay on their thread.
    CallingThread,
    /// On the thread that runs the schedule, when nothing else runs: it takes `&mut World` or `&World`.
    Alone,
}

/// A piece of work for an executor.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    pub(crate) step: usize,
    /// Asks the step's conditions; else it runs the system.
    pub(crate) asks: bool,
    pub(crate) place: Place,
    /// Can put off changes of the world.
    pub(crate) defers: bool,
}
