//! Traces for Chrome's trace viewer.

use std::fmt::Write as _;
use std::time::Duration;

use ecs_engine::schedule::{Trace, TraceKind};

use crate::line;

/// Writes a trace in the JSON format of Chrome's trace viewer, which Perfetto and others read too: a row per thread.
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
/// // For https://ui.perfetto.dev or chrome://tracing.
/// let json = ecs_core::inspect::to_chrome_json(&trace);
/// // std::fs::write("frame.json", &json)?;
/// assert!(json.starts_with('{'));
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[must_use]
pub fn to_chrome_json(trace: &Trace) -> String {
    let mut text = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    for (thread, name) in trace.threads().iter().enumerate() {
        let name = quoted(name);
        line(
            &mut text,
            format_args!(
                r#"{{"name":"thread_name","ph":"M","pid":1,"tid":{thread},"args":{{"name":{name}}}}},"#
            ),
        );
    }
    for span in trace.spans() {
        let (name, category) = (quoted(span.name()), category(span.kind()));
        let (step, thread, path) = (span.step(), span.thread(), quoted(span.path()));
        let (start, took) = (micros(span.start()), micros(span.end() - span.start()));
        line(
            &mut text,
            format_args!(
                r#"{{"name":{name},"cat":"{category}","ph":"X","ts":{start},"dur":{took},"pid":1,"tid":{thread},"args":{{"path":{path},"step":{step}}}}},"#
            ),
        );
    }
    // Last, so that all events before it can end with a comma.
    text.push_str(r#"{"name":"process_name","ph":"M","pid":1,"args":{"name":"schedule"}}"#);
    text.push_str("\n]}\n");
    text
}

fn category(kind: TraceKind) -> &'static str {
    match kind {
        TraceKind::System => "system",
        TraceKind::Condition => "condition",
        TraceKind::Commands => "commands",
        _ => "other",
    }
}

/// Returns microseconds with three decimals.
fn micros(time: Duration) -> String {
    let nanos = time.as_nanos();
    format!("{}.{:03}", nanos / 1000, nanos % 1000)
}

/// Returns a JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control < ' ' => {
                write!(quoted, "\\u{:04x}", u32::from(control))
                    .expect("writing to a string does not fail");
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
