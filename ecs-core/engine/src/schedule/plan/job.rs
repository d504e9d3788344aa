//! A unit of work for an executor.

/// The threads on which a job can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadPlacement {
    /// On any thread, at the same time as all jobs that neither wait for it nor make it wait.
    Anywhere,
    /// On the thread that runs the schedule, together with other jobs: it takes values that stay on their thread.
    CallingThread,
    /// On the thread that runs the schedule, while no other job runs: it takes `&mut World` or `&World`.
    Alone,
}

/// A unit of work for an executor.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    pub(crate) step: usize,
    /// Evaluates the step's conditions; otherwise it runs the system.
    pub(crate) evaluates_conditions: bool,
    pub(crate) place: ThreadPlacement,
    /// May defer structural changes.
    pub(crate) defers: bool,
}
