//! What systems take.

use core::time::Duration;

use super::Schedule;
use super::executor::failure::Doing;
use super::executor::watch::{Notes, Recorder};
use super::plan::Plan;
use super::trace::Trace;

/// What a system has taken since [`Schedule::record_timings`] was switched on: the system alone, without its conditions
/// and without what it put off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    system: &'static str,
    count: u64,
    last: Duration,
    max: Duration,
    total: Duration,
}

impl Timing {
    fn new(system: &'static str) -> Self {
        Self {
            system,
            count: 0,
            last: Duration::ZERO,
            max: Duration::ZERO,
            total: Duration::ZERO,
        }
    }

    fn add(&mut self, took: Duration) {
        self.count += 1;
        self.last = took;
        self.max = self.max.max(took);
        self.total += took;
    }

    /// The name of the system.
    #[must_use]
    pub fn system(&self) -> &'static str {
        self.system
    }

    /// How often it ran; runs that panicked do not count.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What the last run took; zero if there was none.
    #[must_use]
    pub fn last(&self) -> Duration {
        self.last
    }

    /// What the longest run took; zero if there was none.
    #[must_use]
    pub fn max(&self) -> Duration {
        self.max
    }

    /// What all runs took together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.total
    }

    /// What a run took on average; zero if there was none.
    #[must_use]
    pub fn mean(&self) -> Duration {
        let nanos = self.total.as_nanos() / u128::from(self.count.max(1));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// What a schedule notes of its runs.
#[derive(Default)]
pub(super) struct Records {
    /// In list order.
    timings: Option<Vec<Timing>>,
    trace_next: bool,
    trace: Option<Trace>,
}

impl Records {
    /// For the run that starts now, if there is something to note.
    #[inline]
    pub(super) fn recorder(&self) -> Option<Recorder> {
        (self.trace_next || self.timings.is_some()).then(Recorder::new)
    }

    /// Keeps what was noted in a run that has come to its end.
    pub(super) fn keep(&mut self, notes: Notes, plan: &Plan) {
        if let Some(timings) = &mut self.timings {
            while timings.len() < plan.steps.len() {
                timings.push(Timing::new(""));
            }
            for step in plan.steps() {
                timings[step.listed()].system = step.name();
            }
            for span in &notes.spans {
                if let Doing::Running = span.doing {
                    timings[plan.step(span.step).listed()].add(span.end - span.start);
                }
            }
        }
        if core::mem::take(&mut self.trace_next) {
            self.trace = Some(Trace::new(notes, plan));
        }
    }
}

impl Schedule {
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
        self.records.timings = on.then(Vec::new);
    }

    /// What systems have taken since [`record_timings`](Self::record_timings) was switched on, in list order. Empty
    /// while it is off, and before the first run.
    #[must_use]
    pub fn timings(&self) -> &[Timing] {
        self.records.timings.as_deref().unwrap_or_default()
    }

    /// Makes the next run note when and on which thread each system ran; [`take_trace`](Self::take_trace) gets it.
    ///
    /// Notes nothing of a run that panics: the one after it is traced then.
    pub fn trace_next_run(&mut self) {
        self.records.trace_next = true;
    }

    /// What the last run that was [traced](Self::trace_next_run) has noted; `None` if there was none since the last call.
    pub fn take_trace(&mut self) -> Option<Trace> {
        self.records.trace.take()
    }
}
