//! The time of the app: pause, steps, and steps back.

use ecs_app::Time;
use ecs_data::Value;

use crate::inspector::call::{
    CallContext,
    Effect::{Reads, Runs, Writes},
    MOST_FRAMES, Progress, RpcMethod, method,
};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values::{frame, reached};

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
        method(
            "app.status",
            Reads,
            "since",
            "The frame, its time, and the times of the frames after `since`.",
            status,
        ),
        method("app.pause", Writes, "", "Pauses the app.", pause),
        method("app.resume", Writes, "", "Ends a pause.", resume),
        method("app.step", Runs, "frames", "Pauses, and runs frames.", step),
        method(
            "app.step_system",
            Runs,
            "",
            "Pauses, and runs the next system.",
            step_system,
        ),
        method(
            "app.step_back",
            Writes,
            "frames",
            "Pauses, and returns to an earlier frame.",
            step_back,
        ),
    ]
}

fn status(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let since = params.number_or("since", 0)?;
    let state = &mut *context.state;
    state.watch.measure(context.app);
    let app = &*context.app;
    let back = state.history.lock().back();
    let watch = state.watch.lock();
    let times = watch.times_since(since);
    let times = times
        .map(|time| Value::from(time.as_secs_f64() * 1e3))
        .collect();
    let elapsed = app
        .world()
        .get_resource::<Time>()
        .map(|time| time.elapsed().as_secs_f64());
    Ok(object([
        ("name", state.name.as_str().into()),
        ("frame", frame(app.world()).into()),
        ("paused", app.is_paused().into()),
        ("in_frame", app.is_in_frame().into()),
        ("ended", app.exit().is_some().into()),
        ("elapsed", elapsed.into()),
        ("entities", (app.world().entities().len() as u64).into()),
        ("writes", context.may_write.into()),
        ("measured", watch.measured().into()),
        ("times", times),
        ("back", (back.as_ref().copied().unwrap_or(0) as u64).into()),
        ("why_not_back", back.err().into()),
        ("edits", (state.edits.len() as u64).into()),
    ])
    .into())
}

fn pause(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    context.app.pause();
    Ok(Value::Null.into())
}

fn resume(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    context.app.resume();
    Ok(Value::Null.into())
}

fn step(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let frames = params.number_or("frames", 1)?.min(MOST_FRAMES);
    context.app.pause();
    let mut run = 0;
    Ok(Progress::Later(Box::new(move |context| {
        while run < frames && context.app.exit().is_none() {
            context.app.step();
            run += 1;
            if context.budget.is_spent() && run < frames {
                return None;
            }
        }
        Some(Ok(reached(context.app, run)))
    })))
}

fn step_system(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    let system = context.app.step_system();
    let world = context.app.world();
    Ok(object([("system", system.into()), ("frame", frame(world).into())]).into())
}

fn step_back(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let frames = params.number_or("frames", 1)?.clamp(1, MOST_FRAMES);
    let history = context.state.history.clone();
    let back = history.lock().step_back(context.app, frames as usize);
    back.map_err(|why| RpcError::new(RpcError::TIME, format!("the app cannot step back: {why}")))?;
    context.app.pause();
    Ok(reached(context.app, frames).into())
}
