//! Running a schedule.

use alloc::vec::Vec;

use super::FrameTime;
#[cfg(doc)]
use super::IntoConfigs;
use super::Schedule;
use super::declare::SystemError;
#[cfg(feature = "parallel")]
use super::execute::Pool;
#[cfg(feature = "std")]
use super::execute::Timing;
use super::execute::{Executor, KnownRun, OuterRun, RunMode, Runs, ScheduleError, Trace, Watch};
use super::plan::{SchedulePlan, Step};
use crate::world::World;

impl Schedule {
    /// Runs every system once, with the same result as in the planned order.
    ///
    /// Uses the threads of the current rayon pool (the global one, if the caller is in none) if that is faster. The second
    /// run times each system. If threads would make it faster, the third run uses them. If all runs so far took less time
    /// than finding out costs, a later run does: starting threads takes some 100 microseconds, and comparing systems takes 7
    /// nanoseconds per pair. So two systems of 50 microseconds, or 300 systems of 0.7, use threads from the third or fourth
    /// run on.
    ///
    /// It notices changes: it times every run of 10 microseconds or more, and one in 16 of the shorter ones. If a run takes
    /// half as long again, the next one times the systems, and the one after that uses threads if they are faster. One run
    /// in 16 does the same, because other systems may now be the long ones. If three runs with threads took longer than
    /// without, a run without threads shows whether there was more to do. If not, threads are tried again after 16 runs,
    /// then after 32, and so on, at most after 1024.
    ///
    /// Without the feature `parallel` this is the same as [`run_seq`](Self::run_seq).
    ///
    /// The first run calls the [setup functions](Self::setup), prepares the parameters of all systems before any of
    /// them runs, and binds the schedule to `world`.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// let mut frame = Schedule::new();
    /// frame.add(|mut frames: ResMut<u32>| *frames += 1);
    /// for _ in 0..3 {
    ///     frame.run(&mut world).unwrap();
    /// }
    /// assert_eq!(*world.resource::<u32>(), 3);
    /// ```
    ///
    /// # Errors
    /// * [`ScheduleError::Plan`] if the systems cannot be ordered, [`ScheduleError::OtherWorld`] if an earlier run was with
    ///   another world: no system ran.
    /// * [`ScheduleError::Systems`] with the errors that systems returned, in the order of the plan, followed by the errors
    ///   of schedules that were [run inside](World::run_schedule); all systems ran.
    ///
    /// # Panics
    /// If a system, a condition or a command panics. The panic's message then starts with the name of the system. The
    /// deferred commands of the system that panicked are discarded, except that the ids that it reserved remain as empty
    /// entities; later systems do not run.
    ///
    /// With several threads, systems that are already running finish, and all earlier ones still run. Later systems that do
    /// not wait for the one that panicked may have run too; their deferred commands are discarded. If several systems panic,
    /// the first panic in the order of the plan is raised.
    pub fn run(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        self.run_as(world, RunMode::Choose)
    }

    /// Runs every system once, one after the other, on this thread.
    ///
    /// # Errors
    /// See [`run`](Self::run).
    ///
    /// # Panics
    /// See [`run`](Self::run).
    pub fn run_seq(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        self.run_as(world, RunMode::Sequential)
    }

    /// Runs every system once, on the threads of `pool`.
    ///
    /// The calling thread runs exclusive systems, systems with a `&World`, and systems with values that stay on their
    /// thread. It also applies deferred commands.
    ///
    /// # Errors
    /// See [`run`](Self::run).
    ///
    /// # Panics
    /// See [`run`](Self::run).
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

    /// Runs every system once, with a custom executor; see [`Executor`].
    ///
    /// # Errors
    /// See [`run`](Self::run).
    ///
    /// # Panics
    /// See [`run`](Self::run); also if the executor panics or does not run all tasks.
    pub fn run_with(
        &mut self,
        world: &mut World,
        executor: &mut dyn Executor,
    ) -> Result<(), ScheduleError> {
        self.run_as(world, RunMode::By(executor))
    }

    /// Runs every system once, one after the other on this thread. After each step that was not skipped, calls a function
    /// with the step and the world.
    ///
    /// The commands of the step are applied before, unless they [wait](IntoConfigs::flush_later). The function sees the
    /// steps of schedules inside a step before the step around them, and a system that [runs a
    /// schedule](World::run_schedule) by hand as one step. The results are the same as with threads; loops inside systems
    /// still use several.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn earn(mut gold: ResMut<u32>) { *gold += 5 }
    /// #[system]
    /// fn spend(mut gold: ResMut<u32>) { *gold -= 2 }
    ///
    /// let mut day = Schedule::new();
    /// day.add((earn, spend));
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// let mut gold = Vec::new();
    /// day.run_watched(&mut world, |step, world| {
    ///     gold.push((step.name(), *world.resource::<u32>()));
    /// })?;
    /// assert!(gold[0].0.ends_with("earn"));
    /// assert_eq!([gold[0].1, gold[1].1], [5, 3]);
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    ///
    /// # Errors
    /// See [`run`](Self::run).
    ///
    /// # Panics
    /// See [`run`](Self::run). A panic of the function ends the run too, and the step before it has run.
    #[inline]
    pub fn run_watched(
        &mut self,
        world: &mut World,
        mut watch: impl FnMut(Step<'_>, &World),
    ) -> Result<(), ScheduleError> {
        let watch: &mut Watch<'_> = &mut watch;
        self.run_as(world, RunMode::Watched(watch))
    }

    #[inline]
    fn run_as(&mut self, world: &mut World, how: RunMode<'_>) -> Result<(), ScheduleError> {
        if world.has_delays() {
            return self.run_known(world, how, false).0;
        }
        let recorder = self.records.recorder();
        let (plan, runs) = self.prepared(world)?;
        let errors = runs.run(plan, world, how, recorder.as_ref());
        if let (Some(recorder), Some(plan)) = (recorder, &self.plan) {
            self.records.add(recorder, plan, Vec::new(), None);
        }
        report(errors)
    }

    /// Counts a run for what is delayed, unless it is a part of another one.
    pub(super) fn count_for_delays(&self, world: &mut World) {
        if world.has_delays() && !self.is_uncounted && OuterRun::of(world).is_none() {
            let frame = world.get_resource::<FrameTime>().map(|time| time.delta);
            world.count_run(frame);
        }
    }

    /// Runs every system once in a world that keeps schedules, which systems may run inside. Also returns a trace, if one is
    /// `wanted`.
    #[inline(never)]
    pub(super) fn run_known(
        &mut self,
        world: &mut World,
        how: RunMode<'_>,
        wanted: bool,
    ) -> (Result<(), ScheduleError>, Option<Trace>) {
        self.count_for_delays(world);
        let is_traced = wanted || self.records.is_tracing();
        let recorder = self.records.recorder_if(wanted);
        let (plan, runs) = match self.prepared(world) {
            Ok(prepared) => prepared,
            Err(error) => return (Err(error), None),
        };
        let run = KnownRun::new(world, &how, is_traced);
        let mut errors = runs.run(plan, run.world, how, recorder.as_ref());
        let inside = run.end();
        errors.extend(inside.errors);
        let mut trace = None;
        if let (Some(recorder), Some(plan)) = (recorder, &self.plan) {
            let wanted = wanted.then_some(&mut trace);
            self.records.add(recorder, plan, inside.traces, wanted);
        }
        (report(errors), trace)
    }

    /// Prepares the next run, so that the run itself need not: plans the changes since the last one, calls the [setup
    /// functions](Self::setup), and creates the parameters of all systems, at all depths.
    ///
    /// From then on, readers of events and removals see everything. A program with several schedules should prepare all of
    /// them before the first one runs.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run), without the errors of systems.
    ///
    /// # Panics
    /// If a setup function or the initialisation of a [`Local`](crate::Local) panics.
    pub fn prepare(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        self.prepared(world)?;
        Ok(())
    }

    /// Tells the world which data the systems name, before they are prepared. Starts at these positions, and returns the
    /// positions after the last ones.
    #[doc(hidden)]
    pub fn make_known(&self, world: &mut World, from: (usize, usize)) -> (usize, usize) {
        self.list.make_known(world, from)
    }

    #[inline]
    pub(super) fn prepared(
        &mut self,
        world: &mut World,
    ) -> Result<(&SchedulePlan, &mut Runs), ScheduleError> {
        if !self.is_prepared || self.world != Some(world.id()) {
            self.prepare_anew(world)?;
        }
        let plan = self.plan.as_ref().expect("planned when prepared");
        Ok((plan, &mut self.runs))
    }

    #[cold]
    fn prepare_anew(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        let (found, expected) = (world.id(), self.world.unwrap_or(world.id()));
        if found != expected {
            return Err(ScheduleError::OtherWorld { expected, found });
        }
        self.refuse_halted()?;
        self.plan()?;
        self.world = Some(found);
        self.setups.run(world);
        self.list.set_up(world);
        let unbuilt = |system| ScheduleError::Unbuilt { system };
        let built = self.runs.built.build(&mut self.list, world);
        built.map_err(unbuilt)?;
        if let Some(plan) = &self.plan {
            plan.make_known(world);
        }
        self.is_prepared = true;
        Ok(())
    }
}

/// Measurements.
#[cfg(feature = "std")]
impl Schedule {
    /// Enables or disables measuring how long each system takes; it starts disabled. Either call clears the measurements.
    ///
    /// While disabled, it costs nothing. While enabled, a step costs two readings of the clock and a lock.
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

    /// Returns the time that each system has taken since [`record_timings`](Self::record_timings) was enabled, in list
    /// order. Empty while measuring is disabled, and before the first run.
    #[must_use]
    pub fn timings(&self) -> &[Timing] {
        self.records.timings()
    }

    /// Makes the next run record when and on which thread each system ran; [`take_trace`](Self::take_trace) returns it.
    ///
    /// A run that panics is not recorded: the one after it is traced instead.
    pub fn trace_next_run(&mut self) {
        self.records.trace_next_run();
    }

    /// Takes the trace of the last [traced](Self::trace_next_run) run. `None` if there was none since the last call.
    pub fn take_trace(&mut self) -> Option<Trace> {
        self.records.take_trace()
    }
}

pub(super) fn report(errors: Vec<SystemError>) -> Result<(), ScheduleError> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(ScheduleError::Systems(errors))
    }
}
