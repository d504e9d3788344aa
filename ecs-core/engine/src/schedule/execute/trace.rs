//! Traces: the events of a run with their times.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use std::thread::ThreadId;

use super::failure::StepPhase;
use super::recorder::{Span, StepRecording};
use crate::clock::Instant;
use crate::schedule::declare::join_path;
use crate::schedule::plan::{SchedulePlan, Step};
use crate::sort::sort_by_number;

/// A recorded run of a schedule: the systems that ran, with their times and threads.
/// [`Schedule::trace_next_run`](crate::Schedule::trace_next_run) makes it; `ecs_core::inspect` writes it as a file for
/// Perfetto.
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
/// frame.trace_next_run();
/// frame.run(&mut world)?;
/// let trace = frame.take_trace().unwrap();
/// assert!(trace.spans()[0].name().ends_with("think"));
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trace {
    /// In the order of their starts.
    spans: Vec<TraceSpan>,
    threads: Vec<String>,
    start: Instant,
    /// The threads; true for the ones with a name of their own.
    thread_ids: Vec<(ThreadId, bool)>,
}

/// A system, condition or application of commands in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSpan {
    kind: TraceKind,
    path: String,
    name: String,
    step: usize,
    thread: usize,
    start: Duration,
    end: Duration,
}

/// The kind of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceKind {
    /// A system ran.
    System,
    /// A condition was evaluated.
    Condition,
    /// Deferred commands were applied.
    Commands,
}

impl Trace {
    /// Makes the trace of a run. `inside` are the traces of the schedules that were run by hand.
    pub(crate) fn new(recording: StepRecording, plan: &SchedulePlan, inside: Vec<Self>) -> Self {
        let mut spans = Vec::with_capacity(recording.spans.len());
        let steps = plan.all_steps();
        for span in &recording.spans {
            let (path, step) = &steps[span.step];
            spans.push(TraceSpan::new(span, path, *step));
        }
        let mut trace = Self {
            spans,
            threads: Vec::new(),
            start: recording.start,
            thread_ids: Vec::new(),
        };
        for (id, name) in recording.threads {
            trace.add_thread(id, name);
        }
        for inner in inside {
            trace.add(inner);
        }
        // Recorded in the order of their ends, so nearly sorted.
        sort_by_number(&mut trace.spans, |span| span.start.as_nanos() as u64);
        trace
    }

    fn add_thread(&mut self, id: ThreadId, name: Option<String>) {
        self.thread_ids.push((id, name.is_some()));
        self.threads.push(match (name, self.threads.len()) {
            (Some(name), _) => name,
            (None, 0) => String::from("calling thread"),
            (None, n) => format!("thread {n}"),
        });
    }

    /// Adds the spans of a run inside this one.
    fn add(&mut self, inner: Self) {
        let offset = inner.start.saturating_duration_since(self.start);
        let mut threads = Vec::with_capacity(inner.threads.len());
        for ((id, is_named), name) in inner.thread_ids.into_iter().zip(inner.threads) {
            let known = self.thread_ids.iter().position(|known| known.0 == id);
            threads.push(known.unwrap_or_else(|| {
                self.add_thread(id, is_named.then_some(name));
                self.threads.len() - 1
            }));
        }
        for mut span in inner.spans {
            span.thread = threads[span.thread];
            span.start += offset;
            span.end += offset;
            self.spans.push(span);
        }
    }

    /// Moves all spans into a schedule.
    #[inline]
    pub(crate) fn put_inside(&mut self, schedule: &str) {
        for span in &mut self.spans {
            span.path = join_path(schedule, &span.path);
        }
    }

    /// Returns the spans in the order of their starts.
    #[must_use]
    pub fn spans(&self) -> &[TraceSpan] {
        &self.spans
    }

    /// Returns the names of the threads that took part. The first one called the run.
    #[must_use]
    pub fn threads(&self) -> &[String] {
        &self.threads
    }
}

impl TraceSpan {
    fn new(span: &Span, path: &str, step: Step<'_>) -> Self {
        let (kind, name) = match span.phase {
            StepPhase::Running => (TraceKind::System, step.name().to_owned()),
            StepPhase::Evaluating(index) => {
                let name = &step.plan.conditions[index].name;
                (TraceKind::Condition, name.clone().into_owned())
            }
            StepPhase::Applying | StepPhase::Watching => {
                (TraceKind::Commands, format!("commands of {}", step.name()))
            }
        };
        Self {
            kind,
            path: path.to_owned(),
            name,
            step: step.number(),
            thread: span.thread,
            start: span.start,
            end: span.end,
        }
    }

    /// Returns the kind of the span.
    #[must_use]
    pub fn kind(&self) -> TraceKind {
        self.kind
    }

    /// Returns the name of the system or condition, or `commands of ..` for applied commands.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the steps around the span, the outermost first: `frame > physics`. Empty if it is directly in
    /// the schedule that was traced.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the number of the [step](crate::schedule::Step::number) in its plan.
    #[must_use]
    pub fn step(&self) -> usize {
        self.step
    }

    /// Returns the index of the [thread](Trace::threads).
    #[must_use]
    pub fn thread(&self) -> usize {
        self.thread
    }

    /// Returns the start, counted from the start of the run.
    #[must_use]
    pub fn start(&self) -> Duration {
        self.start
    }

    /// Returns the end, counted from the start of the run.
    #[must_use]
    pub fn end(&self) -> Duration {
        self.end
    }
}
