//! Ways to run a plan.

mod build;
mod error;
mod exclusive;
mod failure;
mod instrument;
#[cfg(feature = "std")]
mod lent;
mod outer_run;
#[cfg(feature = "parallel")]
mod pool;
mod progress;
#[cfg(feature = "std")]
mod recorder;
mod run;
mod runs;
mod sequential;
mod shared_run;
mod skip;
mod stepwise;
mod task;
#[cfg(feature = "parallel")]
mod threading;
#[cfg(feature = "std")]
mod timing;
#[cfg(feature = "std")]
mod trace;
mod turn_cell;
#[cfg(not(feature = "std"))]
mod unrecorded;

#[cfg(feature = "snapshot")]
pub(crate) use build::{Built, BuiltStep};
pub use error::ScheduleError;
pub(crate) use outer_run::{KnownRun, OuterRun};
#[cfg(feature = "parallel")]
pub(crate) use pool::Pool;
#[cfg(feature = "std")]
pub(crate) use recorder::StepRecorder;
pub use run::Run;
pub(crate) use runs::{RunMode, Runs, Watch};
pub(crate) use stepwise::HaltedRun;
pub use task::{LocalTask, Released, Round, Task};
#[cfg(feature = "std")]
pub(crate) use timing::Records;
#[cfg(feature = "std")]
pub use timing::Timing;
#[cfg(feature = "std")]
pub use trace::{Trace, TraceKind, TraceSpan};
#[cfg(not(feature = "std"))]
pub(crate) use unrecorded::{Records, StepRecorder, Trace};

/// Runs the steps of schedules: decides on which thread, and when.
///
/// An executor need not know when steps may run: it receives a [`Task`] once everything that the task waits for is done. So
/// an executor in safe code cannot run a step too early, or twice, or together with a conflicting one. If it leaves a task
/// out, the run reports the task by name at the end.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::{Executor, Run, Task};
/// use std::thread::{Scope, scope};
///
/// /// Uses a new thread for every task.
/// struct Threads;
///
/// impl Executor for Threads {
///     fn run(&mut self, run: &mut Run<'_>) {
///         while let Some(mut round) = run.round() {
///             scope(|threads| {
///                 while let Some(task) = round.next_task() {
///                     spawn(threads, task);
///                 }
///                 while let Some(task) = round.next_local() {
///                     task.run().for_each(|task| spawn(threads, task));
///                 }
///             });
///         }
///     }
/// }
///
/// fn spawn<'s, 'a>(threads: &'s Scope<'s, 'a>, task: Task<'a>) {
///     threads.spawn(move || task.run().for_each(|task| spawn(threads, task)));
/// }
///
/// #[system]
/// fn walk(mut steps: ResMut<u32>) { *steps += 1 }
/// #[system]
/// fn sing(mut song: ResMut<String>) { song.push_str("la") }
/// #[system]
/// fn rest(steps: Res<u32>, mut song: ResMut<String>) { song.truncate(*steps as usize) }
///
/// let mut world = World::new();
/// world.insert_resource(0_u32);
/// world.insert_resource(String::new());
/// let mut day = Schedule::new();
/// day.add((walk, sing, rest));
/// day.run_with(&mut world, &mut Threads)?;
/// assert_eq!(*world.resource::<String>(), "l");
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
pub trait Executor {
    /// Runs all tasks of all [rounds](Run::round).
    ///
    /// The run calls this again after each step that is a schedule: the same executor runs that schedule in between. In a
    /// world that keeps schedules, the run also calls it again after each exclusive system and after deferred commands,
    /// because these may [run one of the schedules](crate::World::run_schedule) by the same executor.
    fn run(&mut self, run: &mut Run<'_>);
}
