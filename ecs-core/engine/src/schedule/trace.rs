//! What happened in a run, and when.

use core::fmt::Write as _;
use core::time::Duration;

use super::executor::failure::Doing;
use super::executor::watch::{Notes, Span};
use super::plan::Plan;
use crate::sort::sort_short;

/// A run of a schedule: what was done when, on which thread. Made by
/// [`Schedule::trace_next_run`](super::Schedule::trace_next_run).
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
/// // For https://ui.perfetto.dev or chrome://tracing.
/// // std::fs::write("frame.json", trace.to_chrome_json())?;
/// assert!(trace.to_chrome_json().starts_with('{'));
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
    pub(super) fn new(notes: Notes, plan: &Plan) -> Self {
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

    /// The trace in the format of Chrome's trace viewer (JSON), which Perfetto and others read too: a row per thread.
    #[must_use]
    // As are the functions that it calls: compiled where somebody wants it, and by nobody else.
    #[inline]
    pub fn to_chrome_json(&self) -> String {
        let mut text = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
        for (thread, name) in self.threads.iter().enumerate() {
            let name = quoted(name);
            let _ = writeln!(
                text,
                r#"{{"name":"thread_name","ph":"M","pid":1,"tid":{thread},"args":{{"name":{name}}}}},"#
            );
        }
        for span in &self.spans {
            let (name, kind) = (quoted(&span.name), span.kind.word());
            let (step, thread) = (span.step, span.thread);
            let (start, took) = (micros(span.start), micros(span.end - span.start));
            let _ = writeln!(
                text,
                r#"{{"name":{name},"cat":"{kind}","ph":"X","ts":{start},"dur":{took},"pid":1,"tid":{thread},"args":{{"step":{step}}}}},"#
            );
        }
        // The last event names the process, so that all others can end with a comma.
        text.push_str(r#"{"name":"process_name","ph":"M","pid":1,"args":{"name":"schedule"}}"#);
        text.push_str("\n]}\n");
        text
    }
}

impl TraceSpan {
    fn new(span: &Span, plan: &Plan) -> Self {
        let step = plan.step(span.step);
        let (kind, name) = match span.doing {
            Doing::Running => (TraceKind::System, step.name().to_owned()),
            Doing::Asking(index) => {
                let name = &plan.conditions[index].name;
                (TraceKind::Condition, name.clone().into_owned())
            }
            Doing::Applying => (TraceKind::Commands, format!("commands of {}", step.name())),
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

    /// The number of the [step](super::Step::number).
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

impl TraceKind {
    #[inline]
    fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Condition => "condition",
            Self::Commands => "commands",
        }
    }
}

/// In microseconds, with three decimals.
#[inline]
fn micros(time: Duration) -> String {
    let nanos = time.as_nanos();
    format!("{}.{:03}", nanos / 1000, nanos % 1000)
}

/// A string of JSON.
#[inline]
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
