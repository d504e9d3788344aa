//! Running a schedule.

#[cfg(feature = "parallel")]
use std::time::Instant;

use super::Schedule;
use super::execute::{
    Built, Executor, NoInstrument, Recorder, Run, ScheduleError, SystemError, Timing, Trace,
};
#[cfg(feature = "parallel")]
use super::execute::{Mode, Pool};
use super::plan::Plan;
use crate::world::World;

impl Schedule {
    /// Runs every system once, in an order that looks like the planned one.
    ///
    /// Uses the threads of the current rayon pool (the global one, if the caller is in none) where that pays: some
    /// runs are timed (the second, fourth and eighth, and one out of 16), and threads are used only as long as a run is
    /// faster with them. A schedule that takes some hundred microseconds or more uses them from its fourth run on, if its
    /// systems let it. Without the feature `parallel` it is [`run_seq`](Self::run_seq).
    ///
    /// The first run [sets the world up](Self::setup), prepares the parameters of all systems, before any of them runs, and
    /// ties the schedule to `world`.
    ///
    /// # Errors
    /// * [`ScheduleError::Plan`] if the systems cannot be ordered, [`ScheduleError::OtherWorld`] if an earlier run was
    ///   with another world: no system was run.
    /// * [`ScheduleError::Systems`] with the errors that systems returned, in the order of the plan; all systems were run.
    ///
    /// # Panics
    /// If a system, a condition or a command panics. The panic's message then starts with the name of the system. What
    /// the system that panicked had put off with `Commands` is discarded, only ids that it had reserved stay behind as
    /// empty entities; later systems do not run.
    ///
    /// With several threads, systems that run by then come to their end, and all earlier ones are run. Later ones that
    /// need not wait for the system that panicked may have run, too; what they put off is discarded. If several systems
    /// panic, it is with the panic of the first one.
    pub fn run(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        #[cfg(feature = "parallel")]
        return match self.pace.next() {
            Mode::Sequential => self.run_seq(world),
            Mode::Whole => {
                let start = Instant::now();
                let result = self.run_seq(world);
                self.pace.was_whole(start.elapsed(), self.len());
                result
            }
            Mode::Steps => {
                let mut times = Vec::with_capacity(self.len());
                let result = self.sequential(world, Some(&mut times));
                if let Some(plan) = &self.plan {
                    self.pace.was_sequential(plan, &times);
                }
                result
            }
            Mode::Parallel { timed } => {
                let start = timed.then(Instant::now);
                let result = self.run_with(world, &mut Pool(None));
                if let Some(start) = start {
                    self.pace.was_parallel(start.elapsed());
                }
                result
            }
        };
        #[cfg(not(feature = "parallel"))]
        self.run_seq(world)
    }

    /// Runs every system once, one after the other, on this thread.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn run_seq(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        self.sequential(world, None)
    }

    /// Runs every system once, on the threads of `pool`.
    ///
    /// Exclusive systems, those with a `&World`, those with values that stay on their thread, and what `Commands` put off
    /// are run by the calling thread.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// As [`run`](Self::run).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn walk(mut steps: ResMut<u32>) { *steps += 1 }
    /// #[system]
    /// fn sing(mut song: ResMut<String>) { song.push_str("la") }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// world.insert_resource(String::new());
    /// let mut day = Schedule::new();
    /// day.add((walk, sing));
    /// # use rayon_core as rayon;
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// day.run_par(&mut world, &pool)?;
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[cfg(feature = "parallel")]
    pub fn run_par(
        &mut self,
        world: &mut World,
        pool: &rayon_core::ThreadPool,
    ) -> Result<(), ScheduleError> {
        self.run_with(world, &mut Pool(Some(pool)))
    }

    /// Runs every system once, by an executor of your own; see [`Executor`].
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Panics
    /// As [`run`](Self::run), and if the executor panics or does not run all tasks.
    pub fn run_with(
        &mut self,
        world: &mut World,
        executor: &mut dyn Executor,
    ) -> Result<(), ScheduleError> {
        let recorder = self.records.recorder();
        let (plan, built) = self.prepare(world)?;
        let mut run = Run::new(plan, built, world, recorder.as_ref());
        executor.run(&mut run);
        let errors = run.end();
        self.keep(recorder);
        report(errors)
    }

    fn sequential(
        &mut self,
        world: &mut World,
        times: Option<&mut Vec<f32>>,
    ) -> Result<(), ScheduleError> {
        let recorder = self.records.recorder();
        let (plan, built) = self.prepare(world)?;
        let errors = match &recorder {
            None => built.run(plan, world, times, &NoInstrument),
            some => built.run(plan, world, times, &some.as_ref()),
        };
        self.keep(recorder);
        report(errors)
    }

    /// Keeps what was noted in a run.
    #[inline]
    fn keep(&mut self, recorder: Option<Recorder>) {
        if let (Some(recorder), Some(plan)) = (recorder, &self.plan) {
            self.records.keep(recorder.finish(), plan);
        }
    }

    /// Plans and builds what was added since the last run.
    pub(super) fn prepare(
        &mut self,
        world: &mut World,
    ) -> Result<(&Plan, &mut Built), ScheduleError> {
        let (found, expected) = (world.id(), self.world.unwrap_or(world.id()));
        if found != expected {
            return Err(ScheduleError::OtherWorld { expected, found });
        }
        self.plan()?;
        let plan = self.plan.as_ref().expect("made above");
        self.world = Some(found);
        self.setups.run(world);
        let unbuilt = |system| ScheduleError::Unbuilt { system };
        self.built.build(&mut self.list, world).map_err(unbuilt)?;
        Ok((plan, &mut self.built))
    }

    /// Switches on or off that runs measure what each system takes; off at first. Switching it on or off forgets what was
    /// measured.
    ///
    /// While it is off, runs pay nothing for it. While it is on, a step costs two looks at the clock and a lock.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn think(mut thoughts: ResMut<u32>) { *thoughts += 1 }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// let mut frame = Schedule::new();
    /// frame.add(think);
    /// frame.record_timings(true);
    /// for _ in 0..3 {
    ///     frame.run(&mut world)?;
    /// }
    /// for timing in frame.timings() {
    ///     println!("{}: {:?} on average", timing.system(), timing.mean());
    /// #   assert_eq!(timing.count(), 3);
    /// }
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    pub fn record_timings(&mut self, on: bool) {
        self.records.record_timings(on);
    }

    /// What systems have taken since [`record_timings`](Self::record_timings) was switched on, in list order. Empty
    /// while it is off, and before the first run.
    #[must_use]
    pub fn timings(&self) -> &[Timing] {
        self.records.timings()
    }

    /// Makes the next run note when and on which thread each system ran; [`take_trace`](Self::take_trace) gets it.
    ///
    /// Notes nothing of a run that panics: the one after it is traced then.
    pub fn trace_next_run(&mut self) {
        self.records.trace_next_run();
    }

    /// What the last run that was [traced](Self::trace_next_run) has noted; `None` if there was none since the last call.
    pub fn take_trace(&mut self) -> Option<Trace> {
        self.records.take_trace()
    }
}

fn report(errors: Vec<SystemError>) -> Result<(), ScheduleError> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(ScheduleError::Systems(errors))
    }
}
