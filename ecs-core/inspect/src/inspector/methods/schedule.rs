//! Schedules: plans, reasons to wait, times.

use std::sync::Arc;
use std::time::Duration;

use ecs_data::Value;
use ecs_engine::schedule::{SchedulePlan, Step, Timing, Trace};

use crate::inspector::call::{
    CallContext,
    Effect::{Reads, Writes},
    LateWork, Progress, RpcMethod, in_pieces, method,
};
use crate::inspector::error::RpcError;
use crate::inspector::hidden::HiddenNames;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::{Plans, to_chrome_json, to_dot, to_mermaid, to_svg};

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
        method(
            "schedule.list",
            Reads,
            "",
            "The schedules of the app.",
            list,
        ),
        method(
            "schedule.plan",
            Reads,
            "schedule",
            "The steps of a schedule, and the steps that they wait for.",
            plan,
        ),
        method(
            "schedule.graph",
            Reads,
            "schedule, picture",
            "The steps of a schedule and their dependencies, or a picture of them: \"svg\", \"dot\" or \"mermaid\".",
            graph,
        ),
        method(
            "schedule.why",
            Reads,
            "a, b",
            "The reason why two systems cannot run at the same time.",
            why,
        ),
        method(
            "schedule.timings",
            Reads,
            "",
            "The times of systems since they are measured; the first call begins.",
            timings,
        ),
        method(
            "schedule.trace_next",
            Writes,
            "",
            "Traces the next frame.",
            trace_next,
        ),
        method(
            "schedule.traces",
            Reads,
            "above_ms",
            "The slow frames whose traces are kept, while a client asks.",
            traces,
        ),
        method(
            "schedule.trace",
            Reads,
            "frame",
            "The trace of a slow frame, or of the one that was asked for, for Perfetto.",
            trace,
        ),
    ]
}

pub(super) fn plans<R>(
    context: &mut CallContext<'_>,
    read: impl FnOnce(Vec<(String, &SchedulePlan)>) -> R,
) -> Result<R, RpcError> {
    if context.app.is_in_frame() {
        return Err(RpcError::new(
            RpcError::TIME,
            "the app is in the middle of a frame; help: end it by `app.step`",
        ));
    }
    let plan = context.app.build();
    let plan = plan.map_err(|error| RpcError::new(RpcError::TIME, error))?;
    Ok(read(plan.plans()))
}

fn list(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    let count = plans(context, |plans| plans.len())?;
    let each = |context: &mut CallContext<'_>, at: usize| {
        plans(context, |plans| {
            let (name, plan) = plans.get(at)?;
            Some(object([
                ("name", name.as_str().into()),
                ("steps", (plan.steps().len() as u64).into()),
                ("notes", plan.notes().iter().map(String::as_str).collect()),
            ]))
        })
    };
    Ok(in_pieces((0..count).collect(), each))
}

/// Calls a function with all steps of a plan that have no plans inside, with their paths.
pub(super) fn walk<'a>(plan: &'a SchedulePlan, path: &str, each: &mut dyn FnMut(&str, Step<'a>)) {
    for step in plan.steps() {
        if step.inner().len() == 0 {
            each(path, step);
        }
        for (name, inner) in step.inner() {
            walk(inner, &path_of(&[path, name]), each);
        }
    }
}

/// Returns the path of a plan inside of others.
fn path_of(parts: &[&str]) -> String {
    let parts = parts.iter().copied().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("/")
}

/// A walk over the steps of plans, some in each frame, that gathers something.
pub(super) struct StepWalk<S> {
    empty: S,
    pub(super) found: S,
    seen: usize,
    total: usize,
}

impl<S: Clone> StepWalk<S> {
    pub(super) fn new(empty: S) -> Self {
        Self {
            found: empty.clone(),
            empty,
            seen: 0,
            total: 0,
        }
    }

    /// Calls a function with more steps, until the budget is spent; returns true at the end.
    pub(super) fn go_on(
        &mut self,
        context: &mut CallContext<'_>,
        each: fn(&mut S, &str, Step<'_>),
    ) -> Result<bool, RpcError> {
        let budget = context.budget;
        plans(context, |plans| {
            let mut total = 0;
            for (name, plan) in &plans {
                walk(plan, name, &mut |_, _| total += 1);
            }
            if total != self.total {
                // The first piece, or systems were added since the last.
                (self.found, self.seen, self.total) = (self.empty.clone(), 0, total);
            }
            let (mut number, done, mut is_spent) = (0, self.seen, false);
            for (name, plan) in &plans {
                walk(plan, name, &mut |path, step| {
                    if number >= done && !is_spent {
                        each(&mut self.found, path, step);
                        self.seen += 1;
                        is_spent = budget.is_spent();
                    }
                    number += 1;
                });
            }
            self.seen == total
        })
    }
}

/// Returns a copy of the plans with their names, for work that needs no world: the reasons to wait of thousands of systems take far
/// longer than a frame has.
fn copied_plans(
    context: &mut CallContext<'_>,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<(String, SchedulePlan)>, RpcError> {
    plans(context, |plans| {
        let wanted = plans.into_iter().filter(|(name, _)| is_wanted(name));
        wanted.map(|(name, plan)| (name, plan.clone())).collect()
    })
}

/// Returns copies of the plans that the parameter `schedule` names; without it, of the frame.
fn wanted_plans(
    context: &mut CallContext<'_>,
    params: &Params,
) -> Result<Vec<(String, SchedulePlan)>, RpcError> {
    let wanted = params
        .get("schedule")
        .map_or(Ok(""), |_| params.text("schedule"))?;
    let plans = copied_plans(context, |name| name == wanted)?;
    match plans.is_empty() {
        true => Err(RpcError::params(format!(
            "there is no schedule `{wanted}`; help: choose one that `schedule.list` lists"
        ))),
        false => Ok(plans),
    }
}

/// Draws plans.
type DrawPlans = fn(Plans<'_>) -> String;

/// The functions that draw plans, by the names of the pictures.
const PICTURES: [(&str, DrawPlans); 3] = [
    ("svg", |plans| to_svg(plans)),
    ("dot", |plans| to_dot(plans)),
    ("mermaid", |plans| to_mermaid(plans)),
];

fn graph(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let draw = match params.get("picture") {
        None => None,
        Some(_) => {
            let wanted = params.text("picture")?;
            let found = PICTURES.iter().find(|(name, _)| *name == wanted);
            let (_, draw) = found.ok_or_else(|| {
                RpcError::params(format!(
                    "there is no picture `{wanted}`; help: write \"svg\", \"dot\" or \"mermaid\""
                ))
            })?;
            Some(*draw)
        }
    };
    let plans = wanted_plans(context, params)?;
    let hidden = context.state.hidden.names(context.world());
    context.late = Some(Box::new(move |_| {
        if let Some(draw) = draw {
            let plans = plans.iter().map(|(name, plan)| (name.clone(), plan));
            let picture = hidden.redact(draw(plans.collect::<Vec<_>>().into()));
            return Ok(object([("picture", picture.into())]));
        }
        let (mut systems, mut waits) = (Vec::new(), Vec::new());
        for (name, plan) in &plans {
            add_graph(plan, name, &hidden, &mut systems, &mut waits);
        }
        Ok(object([
            ("systems", Value::List(systems)),
            ("waits", Value::List(waits)),
        ]))
    }));
    Ok(Value::Null.into())
}

/// Adds the steps of a plan and the plans inside of them, and their dependencies without those that follow from others. A step is named by
/// its place in the list.
fn add_graph(
    plan: &SchedulePlan,
    path: &str,
    hidden: &HiddenNames,
    systems: &mut Vec<Value>,
    waits: &mut Vec<Value>,
) {
    let first = systems.len();
    let place = |step: Step<'_>| Value::from((first + step.number()) as u64);
    for step in plan.steps() {
        systems.push(object([
            ("system", step.name().into()),
            ("path", path.into()),
            ("commands", step.defers().into()),
        ]));
        waits.extend(step.waits_for().map(|earlier| {
            let reason = reason(step, earlier, hidden);
            object([
                ("system", place(step)),
                ("on", place(earlier)),
                ("reason", reason),
            ])
        }));
    }
    for step in plan.steps() {
        for (name, inner) in step.inner() {
            let path = path_of(&[path, step.name(), name]);
            add_graph(inner, &path, hidden, systems, waits);
        }
    }
}

fn plan(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let plans = wanted_plans(context, params)?;
    let hidden = context.state.hidden.names(context.world());
    context.late = Some(Box::new(move |_| {
        let mut steps = Vec::new();
        for (name, plan) in &plans {
            walk(plan, name, &mut |path, step| {
                steps.push(described(path, step, &hidden));
            });
        }
        Ok(Value::List(steps))
    }));
    Ok(Value::Null.into())
}

/// Returns the reason why a step waits for an earlier one.
fn reason(step: Step<'_>, earlier: Step<'_>, hidden: &HiddenNames) -> Value {
    let reason = step.reason(earlier);
    reason
        .map(|reason| hidden.redact(reason.to_string()))
        .into()
}

fn described(path: &str, step: Step<'_>, hidden: &HiddenNames) -> Value {
    let waits = step.waits_for().map(|earlier| {
        object([
            ("system", earlier.name().into()),
            ("reason", reason(step, earlier, hidden)),
        ])
    });
    object([
        ("system", step.name().into()),
        ("path", path.into()),
        ("number", (step.number() as u64).into()),
        ("commands", step.defers().into()),
        ("waits_for", Value::List(waits.collect())),
    ])
}

fn why(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let names = [params.text("a")?.to_owned(), params.text("b")?.to_owned()];
    let plans = copied_plans(context, |_| true)?;
    let hidden = context.state.hidden.names(context.world());
    context.late = Some(Box::new(move |_| {
        let (mut all, mut missing) = (Vec::new(), 0);
        for (_, plan) in &plans {
            with_inner(plan, &mut all);
        }
        for plan in all {
            let found = names.each_ref().map(|name| {
                let mut steps = plan.steps();
                steps.find(|step| is_named(step.name(), name))
            });
            match found {
                [Some(a), Some(b)] => {
                    let why = plan.why(a, b);
                    return Ok(object([
                        ("may_overlap", why.may_overlap().into()),
                        ("text", hidden.redact(why.to_string()).into()),
                    ]));
                }
                [Some(_), None] => missing = 1,
                _ => {}
            }
        }
        Err(RpcError::params(format!(
            "no schedule has both systems; `{}` was not found beside the other one",
            names[missing]
        )))
    }));
    Ok(Value::Null.into())
}

/// Adds a plan, and the plans inside of its steps.
fn with_inner<'a>(plan: &'a SchedulePlan, all: &mut Vec<&'a SchedulePlan>) {
    all.push(plan);
    for step in plan.steps() {
        for (_, inner) in step.inner() {
            with_inner(inner, all);
        }
    }
}

/// Returns true if a system has a name, with or without its module.
pub(super) fn is_named(system: &str, wanted: &str) -> bool {
    let module = system.strip_suffix(wanted);
    module.is_some_and(|module| module.is_empty() || module.ends_with("::"))
}

fn timings(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    context.state.watch.measure_systems(context.app);
    let mut timings = context.app.timings().into_iter();
    let mut rows = Vec::with_capacity(timings.len());
    Ok(Progress::Later(Box::new(move |context| {
        let mut watch = context.state.watch.lock();
        loop {
            for timing in timings.by_ref().take(32) {
                rows.push(timing_row(&timing, watch.longest(&timing)));
            }
            if timings.len() == 0 {
                return Some(Ok(Value::List(std::mem::take(&mut rows))));
            }
            if context.budget.is_spent() {
                return None;
            }
        }
    })))
}

fn timing_row(timing: &Timing, longest: Option<u64>) -> Value {
    let micros = |time: Duration| Value::from(time.as_secs_f64() * 1e6);
    object([
        ("system", timing.system().into()),
        ("path", timing.path().into()),
        ("count", timing.count().into()),
        ("last_us", micros(timing.last())),
        ("mean_us", micros(timing.mean())),
        ("p99_us", micros(timing.p99())),
        ("max_us", micros(timing.max())),
        ("max_frame", longest.into()),
    ])
}

fn trace_next(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    // An app is built before its first frame, which could not be traced otherwise.
    let built = context.app.is_in_frame() || context.app.build().is_ok();
    if built {
        context.state.watch.trace_next(context.app);
    }
    Ok(Value::Null.into())
}

fn traces(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let above = params.get("above_ms").map(|above| {
        let above = above.as_f64().or(above.as_int().map(|above| above as f64));
        let above = above.and_then(|ms| Duration::try_from_secs_f64(ms / 1e3).ok());
        above.ok_or_else(|| RpcError::params("`above_ms` is a number of milliseconds"))
    });
    context
        .state
        .watch
        .trace_slow(context.app, above.transpose()?);
    let watch = context.state.watch.lock();
    let frames = watch.slow_frames().map(|slow| {
        object([
            ("frame", slow.frame.into()),
            ("ms", (slow.took.as_secs_f64() * 1e3).into()),
        ])
    });
    Ok(object([
        ("above_ms", (watch.slow().as_secs_f64() * 1e3).into()),
        ("frames", Value::List(frames.collect())),
    ])
    .into())
}

fn trace(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let wanted = params
        .get("frame")
        .map(|_| params.number_or("frame", 0))
        .transpose()?;
    let mut watch = context.state.watch.lock();
    let Some(frame) = wanted else {
        let last = watch.take_last();
        context.late = last.map(text_of);
        return Ok(Value::Null.into());
    };
    let mut kept = watch.slow_frames().rev();
    match kept.find(|slow| slow.frame == frame) {
        Some(slow) => {
            context.late = Some(text_of(Arc::clone(&slow.trace)));
            Ok(Value::Null.into())
        }
        None => Err(RpcError::new(
            RpcError::TIME,
            format!(
                "frame {frame} was not traced; help: trace slow frames from now on by `schedule.traces`"
            ),
        )),
    }
}

/// Returns the work to write a trace, which needs no world.
fn text_of(trace: Arc<Trace>) -> LateWork {
    Box::new(move |_| Ok(to_chrome_json(&trace).into()))
}
