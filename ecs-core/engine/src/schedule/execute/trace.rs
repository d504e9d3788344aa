//! What happened in a run, and when.

use core::time::Duration;

use super::failure::Phase;
use super::instrument::{Notes, Span};
use crate::schedule::plan::Plan;
use crate::sort::sort_short;

/// A run of a schedule: what was done when, on which thread. Made by
/// [`Schedule::trace_next_run`](crate::Schedule::trace_next_run); `ecs_core::inspect` writes it as a file for Perfetto.
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
    /// In the order in which they started.
    spans: Vec<TraceSpan>,
    threads: Vec<String>,
}

/// Something that was done in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSpan {
    kind: TraceKind,
    name: String,
    step: usize,
    thread: usize,
    start: Duration,
    end: Duration,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceKind {
    /// A system ran.
    System,
    /// A condition was asked.
    Condition,
    /// What systems had put off was done.
    Commands,
}

impl Trace {
    pub(crate) fn new(notes: Notes, plan: &Plan) -> Self {
        let mut spans = Vec::with_capacity(notes.spans.len());
        for span in &notes.spans {
            spans.push(TraceSpan::new(span, plan));
        }
        // They come in the order in which they ended, which is nearly the same.
        sort_short(&mut spans, |span| span.start);
        let mut threads = Vec::with_capacity(notes.threads.len());
        for (_, name) in notes.threads {
            threads.push(match (name, threads.len()) {
                (Some(name), _) => name,
                (None, 0) => String::from("calling thread"),
                (None, n) => format!("thread {n}"),
            });
        }
        Self { spans, threads }
    }

    /// What was done, in the order in which it started.
    #[must_use]
    pub fn spans(&self) -> &[TraceSpan] {
        &self.spans
    }

    /// The names of the threads that took part; the first one called the run.
    #[must_use]
    pub fn threads(&self) -> &[String] {
        &self.threads
    }
}

impl TraceSpan {
    fn new(span: &Span, plan: &Plan) -> Self {
        let step = plan.step(span.step);
        let (kind, name) = match span.doing {
            Phase::Running => (TraceKind::System, step.name().to_owned()),
            Phase::Asking(index) => {
                let name = &plan.conditions[index].name;
                (TraceKind::Condition, name.clone().into_owned())
            }
            Phase::Applying => (TraceKind::Commands, format!("commands of {}", step.name())),
        };
        Self {
            kind,
            name,
            step: span.step,
            thread: span.thread,
            start: span.start,
            end: span.end,
        }
    }

    /// What was done.
    #[must_use]
    pub fn kind(&self) -> TraceKind {
        self.kind
    }

    /// The name of the system or condition; `commands of ..` where these were done.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the [step](crate::schedule::Step::number).
    #[must_use]
    pub fn step(&self) -> usize {
        self.step
    }

    /// Which of the [threads](Trace::threads).
    #[must_use]
    pub fn thread(&self) -> usize {
        self.thread
    }

    /// When it started, counted from the start of the run.
    #[must_use]
    pub fn start(&self) -> Duration {
        self.start
    }

    /// When it ended, counted from the start of the run.
    #[must_use]
    pub fn end(&self) -> Duration {
        self.end
    }
}
