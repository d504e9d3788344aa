//! Several calls at once, without the answers that are known already.

use std::hash::{DefaultHasher, Hasher};

use ecs_data::Value;

use crate::inspector::call::{
    Answer, BuiltIn, CallContext, Effect::Reads, Job, LateWork, Progress, RpcMethod, method,
};
use crate::inspector::error::{RpcError, caught};
use crate::inspector::json::{self, object};
use crate::inspector::params::Params;

/// The calls of one watch.
const MOST_CALLS: usize = 8;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![method(
        "watch",
        Reads,
        "set: [{method, params}], since",
        "Calls several methods that read, and returns the results that have changed.",
        watch,
    )]
}

/// A call of a watch.
struct WatchedCall {
    run: BuiltIn,
    params: Params,
    /// The mark of the result that the client has.
    known: Option<String>,
}

fn watch(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let set = params.value("set")?.as_list().unwrap_or_default();
    if set.is_empty() || set.len() > MOST_CALLS {
        return Err(RpcError::params(format!(
            "`set` is a list of 1 to {MOST_CALLS} calls"
        )));
    }
    let known = params.texts("since")?;
    let mut calls = Vec::new();
    for (place, call) in set.iter().enumerate() {
        let call = Params::new(call.clone())
            .map_err(|_| RpcError::params("`set` is a list of objects `{method, params}`"))?;
        let name = call.text("method")?;
        let Some(run) = context.state.readers.get(name).filter(|_| name != "watch") else {
            return Err(RpcError::params(format!(
                "`{name}` cannot be watched; help: use methods of the inspector that only read"
            )));
        };
        calls.push(WatchedCall {
            run: *run,
            params: call.inner("params")?,
            known: known.get(place).map(|mark| (*mark).to_owned()),
        });
    }
    let mut calls = calls.into_iter();
    let (mut current, mut results) = (None, Vec::new());
    Ok(Progress::Later(Box::new(move |context| {
        loop {
            let (job, known): (&mut Job, &Option<String>) = match &mut current {
                Some((job, known)) => (job, known),
                None => {
                    let Some(call) = calls.next() else {
                        let results = std::mem::take(&mut results);
                        context.late = Some(Box::new(move |_| Ok(without_known(results))));
                        return Some(Ok(Value::Null));
                    };
                    let job = begun(context, &call);
                    let (job, known) = current.insert((job, call.known));
                    (job, known)
                }
            };
            if let Some(answer) = caught(|| job(context)) {
                let hidden = &context.state.hidden;
                let answer = answer.map_err(|error| hidden.redacted(context.app.world(), error));
                results.push(WatchedResult {
                    answer,
                    late: context.late.take(),
                    known: known.clone(),
                });
                current = None;
            }
            if context.budget.is_spent() {
                return None;
            }
        }
    })))
}

/// The result of a call.
struct WatchedResult {
    answer: Answer,
    late: Option<LateWork>,
    /// The mark of the result that the client has.
    known: Option<String>,
}

/// Leaves out the results that the client has. Marks take a while, and need no world.
fn without_known(all: Vec<WatchedResult>) -> Value {
    let (mut marks, mut results) = (Vec::new(), Vec::new());
    for WatchedResult {
        answer,
        late,
        known,
    } in all
    {
        let answer = match (answer, late) {
            (Ok(value), Some(late)) => late(value),
            (answer, _) => answer,
        };
        let mut result = part(answer);
        let mark = mark(&mut result);
        results.push(if known.as_ref() == Some(&mark) {
            Value::Null
        } else {
            result
        });
        marks.push(Value::from(mark));
    }
    object([
        ("since", Value::List(marks)),
        ("results", Value::List(results)),
    ])
}

/// Begins a call. Its job has at least one turn.
fn begun(context: &mut CallContext<'_>, call: &WatchedCall) -> Job {
    let begun = caught(|| Some((call.run)(context, &call.params)));
    let mut answer = match begun.unwrap_or_else(|| Err(RpcError::params("it has no answer"))) {
        Ok(Progress::Later(job)) => return job,
        Ok(Progress::Done(value)) => Some(Ok(value)),
        Ok(Progress::Stream(_)) => Some(Err(RpcError::params("a stream cannot be watched"))),
        Err(error) => Some(Err(error)),
    };
    Box::new(move |_| answer.take())
}

fn part(answer: Answer) -> Value {
    match answer {
        Ok(value) => object([("result", value)]),
        Err(error) => object([("error", error.to_value())]),
    }
}

/// Returns a text that stands for an answer, whatever the number of the frame.
fn mark(answer: &mut Value) -> String {
    let mut frame = None;
    if let Some(Value::Map(entries)) = answer.get_mut("result") {
        let place = entries
            .iter()
            .position(|(key, _)| key.as_str() == Some("frame"));
        frame = place.map(|place| (place, entries.remove(place)));
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(json::write(answer, false).unwrap_or_default().as_bytes());
    if let (Some(Value::Map(entries)), Some((place, entry))) = (answer.get_mut("result"), frame) {
        entries.insert(place, entry);
    }
    format!("{:016x}", hasher.finish())
}
