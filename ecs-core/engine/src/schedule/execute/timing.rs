//! Measured times of systems.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use super::failure::StepPhase;
use super::recorder::StepRecorder;
use super::trace::Trace;
use crate::clock::Instant;
use crate::schedule::declare::join_path;
use crate::schedule::plan::SchedulePlan;

/// The times of a system since [`Schedule::record_timings`](crate::Schedule::record_timings) was enabled: the system
/// alone, without its conditions and deferred commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    path: String,
    system: &'static str,
    count: u64,
    last: Duration,
    max: Duration,
    /// The start of the longest run.
    max_at: Option<Instant>,
    total: Duration,
    /// The last runs, in nanoseconds, as a ring.
    recent: Vec<u32>,
}

impl Timing {
    /// The runs that [`p99`](Self::p99) looks at.
    const RECENT: usize = 256;

    fn new(path: String, system: &'static str) -> Self {
        Self {
            path,
            system,
            count: 0,
            last: Duration::ZERO,
            max: Duration::ZERO,
            max_at: None,
            total: Duration::ZERO,
            recent: Vec::new(),
        }
    }

    /// Returns it as the timing of a system inside a schedule.
    #[inline]
    pub(crate) fn inside(&self, schedule: &str) -> Self {
        let path = join_path(schedule, &self.path);
        Self {
            path,
            ..self.clone()
        }
    }

    fn add(&mut self, at: Instant, took: Duration) {
        let nanos = u32::try_from(took.as_nanos()).unwrap_or(u32::MAX);
        match self.recent.get_mut(self.count as usize % Self::RECENT) {
            Some(oldest) => *oldest = nanos,
            None => self.recent.push(nanos),
        }
        self.count += 1;
        self.last = took;
        if self.max_at.is_none() || took > self.max {
            (self.max, self.max_at) = (took, Some(at));
        }
        self.total += took;
    }

    /// Returns the name of the system.
    #[must_use]
    #[inline]
    pub fn system(&self) -> &'static str {
        self.system
    }

    /// Returns the names of the steps around the system, the outermost first: `frame > physics`. Empty if the system is
    /// directly in the schedule.
    #[must_use]
    #[inline]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the number of runs; runs that panicked do not count.
    #[must_use]
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the time of the last run; zero if there was none.
    #[must_use]
    #[inline]
    pub fn last(&self) -> Duration {
        self.last
    }

    /// Returns the time of the longest run; zero if there was none.
    #[must_use]
    #[inline]
    pub fn max(&self) -> Duration {
        self.max
    }

    /// Returns the time when the longest run started; the first one of equally long ones. `None` if there was none.
    #[must_use]
    #[inline]
    pub fn max_at(&self) -> Option<Instant> {
        self.max_at
    }

    /// Returns the time that 99 of 100 runs did not exceed, of the last 256 runs; zero if there was none. Runs of more than 4 s
    /// count as 4 s.
    #[must_use]
    #[inline]
    pub fn p99(&self) -> Duration {
        // The longest of up to 100 runs, the second of up to 200, the third of all 256.
        let mut longest = [0_u32; 3];
        for &nanos in &self.recent {
            if let Some(place) = longest.iter().position(|&other| nanos > other) {
                longest[place..].rotate_right(1);
                longest[place] = nanos;
            }
        }
        let rank = self.recent.len().saturating_sub(1) / 100;
        Duration::from_nanos(longest[rank].into())
    }

    /// Returns the total time of all runs.
    #[must_use]
    #[inline]
    pub fn total(&self) -> Duration {
        self.total
    }

    /// Returns the average time of a run; zero if there was none.
    #[must_use]
    #[inline]
    pub fn mean(&self) -> Duration {
        let nanos = self.total.as_nanos() / u128::from(self.count.max(1));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// The measurements of a schedule.
#[derive(Default)]
pub(crate) struct Records {
    /// In list order, indexed as by [`SchedulePlan::id_of`].
    timings: Option<Vec<Timing>>,
    trace_next: bool,
    trace: Option<Trace>,
}

impl Records {
    /// Returns a recorder for the run that starts now, if recording is on.
    #[inline]
    pub(crate) fn recorder(&self) -> Option<StepRecorder> {
        (self.trace_next || self.timings.is_some()).then(StepRecorder::new)
    }

    /// Returns a recorder if a trace is `wanted` or recording is on.
    #[inline]
    pub(crate) fn recorder_if(&self, wanted: bool) -> Option<StepRecorder> {
        self.recorder().or_else(|| wanted.then(StepRecorder::new))
    }

    /// Returns true if the next run is traced.
    #[inline]
    pub(crate) fn is_tracing(&self) -> bool {
        self.trace_next
    }

    /// Clears the measurements, and enables or disables measuring.
    #[inline]
    pub(crate) fn record_timings(&mut self, on: bool) {
        self.timings = on.then(Vec::new);
    }

    #[inline]
    pub(crate) fn timings(&self) -> &[Timing] {
        self.timings.as_deref().unwrap_or_default()
    }

    #[inline]
    pub(crate) fn trace_next_run(&mut self) {
        self.trace_next = true;
    }

    #[inline]
    pub(crate) fn take_trace(&mut self) -> Option<Trace> {
        self.trace.take()
    }

    /// Removes the measurements of a step and of the steps inside it: `len` of them, from the number `id` on.
    #[inline]
    pub(crate) fn remove(&mut self, id: usize, len: usize) {
        if let Some(timings) = &mut self.timings {
            let end = timings.len();
            timings.drain(id.min(end)..(id + len).min(end));
        }
    }

    /// Makes room for steps that were added before others. `names` are their paths and names, and `id` is the number of the
    /// first one.
    pub(crate) fn insert(&mut self, id: usize, names: Vec<(String, &'static str)>) {
        if let Some(timings) = &mut self.timings
            && id < timings.len()
        {
            let new = names
                .into_iter()
                .map(|(path, name)| Timing::new(path, name));
            timings.splice(id..id, new);
        }
    }

    /// Starts the measurements of a step anew, because another system has replaced it.
    #[inline]
    pub(crate) fn replace(&mut self, id: usize, system: &'static str) {
        if let Some(timing) = self.timings.as_mut().and_then(|all| all.get_mut(id)) {
            *timing = Timing::new(String::new(), system);
        }
    }

    /// Stores the measurements of a finished run. `inside` are traces of the schedules that were run by hand, and `wanted`
    /// receives the trace of the run.
    pub(crate) fn add(
        &mut self,
        recorder: StepRecorder,
        plan: &SchedulePlan,
        inside: Vec<Trace>,
        wanted: Option<&mut Option<Trace>>,
    ) {
        let recording = recorder.finish();
        if let Some(timings) = &mut self.timings {
            if timings.len() < plan.size {
                let new = plan.all_steps().into_iter().skip(timings.len());
                timings.extend(new.map(|(path, step)| Timing::new(path, step.name())));
            }
            for span in &recording.spans {
                if let StepPhase::Running = span.phase {
                    timings[span.step].add(recording.start + span.start, span.end - span.start);
                }
            }
        }
        let is_next = core::mem::take(&mut self.trace_next);
        if !is_next && wanted.is_none() {
            return;
        }
        let trace = Some(Trace::new(recording, plan, inside));
        if let Some(wanted) = wanted {
            wanted.clone_from(&trace);
        }
        if is_next {
            self.trace = trace;
        }
    }
}

#[cfg(test)]
#[path = "timing_tests.rs"]
mod tests;
