//! Running a schedule one system at a time.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Schedule;
use super::declare::SystemError;
use super::execute::{HaltedRun, KnownRun, RunMode, ScheduleError, Watch};
use super::plan::Step;
use super::run::report;
use crate::world::World;

/// A run in the middle.
pub(super) struct Halted {
    run: HaltedRun,
    /// Errors of schedules that systems have run by hand.
    by_hand: Vec<SystemError>,
    /// The name of the system that ran last.
    after: &'static str,
}

impl Schedule {
    /// Runs the next system, on this thread, and returns its step; `None` at the end of the run, and the next call begins
    /// another one.
    ///
    /// Systems that a condition skips do not count, and neither do steps with schedules inside: the systems inside run one
    /// by one. In between the world can be looked at and changed, but not the schedule. All systems together have the same
    /// effect as one [`run_seq`](Self::run_seq). They are not in [timings](Self::timings) and traces.
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
    /// while let Some(step) = day.run_step(&mut world)? {
    ///     println!("{} -> {}", step.name(), *world.resource::<u32>());
    /// }
    /// assert_eq!(*world.resource::<u32>(), 3);
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`run`](Self::run), in place of `None`: if systems fail, the others run first. The other methods that
    /// run or prepare the schedule fail in the middle of a run, with [`ScheduleError::Halted`].
    ///
    /// # Panics
    /// If a system, a condition or a command panics, which ends the run.
    #[inline]
    pub fn run_step(&mut self, world: &mut World) -> Result<Option<Step<'_>>, ScheduleError> {
        self.run_step_watched(world, &mut |_, _| {})
    }

    /// Runs the systems that are left of a run that [`run_step`](Self::run_step) began; otherwise nothing.
    ///
    /// # Errors
    /// See [`run_step`](Self::run_step).
    ///
    /// # Panics
    /// See [`run_step`](Self::run_step).
    #[inline]
    pub fn finish_run(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        while self.is_halted() {
            self.run_step(world)?;
        }
        Ok(())
    }

    /// Returns true in the middle of a run that [`run_step`](Self::run_step) began.
    #[must_use]
    #[inline]
    pub fn is_halted(&self) -> bool {
        self.halted.is_some()
    }

    /// Like [`run_step`](Self::run_step), with a function that sees the world after each step, as in
    /// [`run_watched`](Self::run_watched): also after steps with schedules inside.
    #[doc(hidden)]
    #[inline]
    pub fn run_step_watched(
        &mut self,
        world: &mut World,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Step<'_>>, ScheduleError> {
        let halted = match &self.halted {
            Some(_) if self.world == Some(world.id()) => self.halted.take(),
            Some(_) => {
                return Err(ScheduleError::OtherWorld {
                    expected: self.world.unwrap_or(world.id()),
                    found: world.id(),
                });
            }
            None => {
                self.prepared(world)?;
                self.count_for_delays(world);
                None
            }
        };
        // After a panic the run has ended.
        self.is_prepared = true;
        let plan = self.plan.as_ref().expect("planned when prepared");
        let known = KnownRun::new(world, &RunMode::Sequential, false);
        let built = &mut self.runs.built;
        let mut halted = halted.unwrap_or_else(|| {
            Box::new(Halted {
                run: HaltedRun::new(built, known.world),
                by_hand: Vec::new(),
                after: "",
            })
        });
        let ran = built.run_next(plan, known.world, &mut halted.run, watch);
        halted.by_hand.extend(known.end().errors);
        if let Some(step) = ran {
            halted.after = step.name();
            self.halted = Some(halted);
            self.is_prepared = false;
            return Ok(ran);
        }
        let Halted { run, by_hand, .. } = *halted;
        let mut errors = run.into_errors();
        errors.extend(by_hand);
        report(errors).map(|()| None)
    }

    /// Drops the rest of a run that [`run_step`](Self::run_step) began: the commands that wait are not applied.
    #[doc(hidden)]
    #[inline]
    pub fn abandon_run(&mut self) {
        if let Some(halted) = self.halted.take() {
            self.is_prepared = true;
            halted.run.abandon(&mut self.runs.built);
        }
    }

    /// Fails in the middle of a run.
    pub(super) fn refuse_halted(&self) -> Result<(), ScheduleError> {
        match &self.halted {
            Some(halted) => Err(ScheduleError::Halted {
                after: halted.after,
            }),
            None => Ok(()),
        }
    }

    /// # Panics
    /// In the middle of a run.
    pub(super) fn assert_not_halted(&self) {
        if let Some(halted) = &self.halted {
            let after = halted.after;
            panic!(
                "the schedule cannot change in the middle of a run, after system `{after}`; help: complete the run with `Schedule::finish_run` before"
            );
        }
    }
}
