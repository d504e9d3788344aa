//! JSON-RPC 2.0: requests with one call or several, and their answers.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_app::App;
use ecs_data::Value;

use super::core::{
    Answer, Budget, CallContext, Effect, InspectState, Job, MethodRun, Progress, RpcMethod,
};
use super::error::{RpcError, message_of};
use super::json::{self, object};
use super::params::Params;

/// The calls that one request may have.
const MOST_CALLS: usize = 32;

/// The methods, and everything that they remember.
pub(crate) struct Core {
    pub(crate) methods: Vec<RpcMethod>,
    pub(crate) state: InspectState,
}

/// A request that is being answered.
pub(crate) struct OpenRequest {
    calls: VecDeque<Result<RpcCall, Failed>>,
    current: Option<RunningCall>,
    answers: Vec<String>,
    is_batch: bool,
    may_write: bool,
    numbers: bool,
}

struct RpcCall {
    /// `None` if it wants no answer.
    id: Option<Value>,
    method: String,
    params: Value,
}

/// A call that cannot be read.
struct Failed {
    id: Value,
    error: RpcError,
}

struct RunningCall {
    id: Option<Value>,
    effect: Effect,
    job: Job,
}

impl OpenRequest {
    /// Reads a request.
    pub(crate) fn new(text: &[u8], may_write: bool, numbers: bool) -> Self {
        let not_json = |message: String| Failed {
            id: Value::Null,
            error: RpcError::new(RpcError::NOT_JSON, message),
        };
        let text = std::str::from_utf8(text).map_err(|error| error.to_string());
        let (calls, is_batch) = match text.and_then(json::read).map(Value::into_list) {
            Err(message) => (vec![Err(not_json(message))], false),
            Ok(Ok(calls)) if calls.is_empty() || calls.len() > MOST_CALLS => {
                let message = format!("a batch has 1 to {MOST_CALLS} calls, not {}", calls.len());
                (vec![Err(Failed::not_a_call(Value::Null, message))], false)
            }
            Ok(Ok(calls)) => (calls.into_iter().map(RpcCall::new).collect(), true),
            Ok(Err(call)) => (vec![RpcCall::new(call)], false),
        };
        Self {
            calls: calls.into(),
            current: None,
            answers: Vec::new(),
            is_batch,
            may_write,
            numbers,
        }
    }

    /// Goes on until the budget is spent. Returns the answer at the end, which is empty if none is wanted.
    pub(crate) fn go_on(
        &mut self,
        core: &mut Core,
        app: &mut App,
        budget: Budget,
    ) -> Option<String> {
        loop {
            if !self.step(core, app, budget) {
                return Some(self.finish());
            }
            if budget.is_spent() {
                return None;
            }
        }
    }

    /// Begins or continues a call; returns false if there is none.
    fn step(&mut self, core: &mut Core, app: &mut App, budget: Budget) -> bool {
        let mut context = CallContext {
            app,
            budget,
            numbers: self.numbers,
            may_write: self.may_write && !core.state.read_only,
            state: &mut core.state,
        };
        if let Some(mut current) = self.current.take() {
            let Some(answer) = guarded(current.effect, || (current.job)(&mut context)) else {
                self.current = Some(current);
                return true;
            };
            self.answer(current.id, answer);
            return true;
        }
        match self.calls.pop_front() {
            None => return false,
            Some(Err(failed)) => self.answer(Some(failed.id), Err(failed.error)),
            Some(Ok(call)) => {
                let (effect, begun) = begin(&mut core.methods, &mut context, &call);
                match begun {
                    Ok(Progress::Done(value)) => self.answer(call.id, Ok(value)),
                    Ok(Progress::Later(job)) => {
                        self.current = Some(RunningCall {
                            id: call.id,
                            effect,
                            job,
                        });
                    }
                    Err(error) => self.answer(call.id, Err(error)),
                }
            }
        }
        true
    }

    fn answer(&mut self, id: Option<Value>, answer: Answer) {
        let Some(id) = id else {
            return;
        };
        let written = |answer: &Answer| {
            let (key, value) = match answer {
                Ok(value) => ("result", value.clone()),
                Err(error) => ("error", error.to_value()),
            };
            let version = ("jsonrpc", Value::from("2.0"));
            let answer = object([version, ("id", id.clone()), (key, value)]);
            json::write(&answer, self.numbers)
        };
        let text = written(&answer)
            .or_else(|message| written(&Err(RpcError::new(RpcError::INTERNAL, message))));
        self.answers.push(text.unwrap_or_default());
    }

    fn finish(&mut self) -> String {
        match (self.is_batch, self.answers.len()) {
            (_, 0) => String::new(),
            (true, _) => format!("[{}]", self.answers.join(",")),
            (false, _) => self.answers.concat(),
        }
    }
}

impl Failed {
    fn not_a_call(id: Value, message: impl std::fmt::Display) -> Self {
        Self {
            id,
            error: RpcError::new(RpcError::NOT_A_CALL, message),
        }
    }
}

impl RpcCall {
    fn new(call: Value) -> Result<Self, Failed> {
        let Ok(entries) = call.into_map() else {
            return Err(Failed::not_a_call(Value::Null, "a call is an object"));
        };
        let (mut id, mut method, mut params, mut version) = (None, None, Value::Null, None);
        for (key, value) in entries {
            match key.as_str() {
                Some("id") => id = Some(value),
                Some("method") => method = Some(value),
                Some("params") => params = value,
                Some("jsonrpc") => version = Some(value),
                _ => {}
            }
        }
        if !matches!(
            id,
            None | Some(Value::Null | Value::Int(_) | Value::Float(_) | Value::String(_))
        ) {
            return Err(Failed::not_a_call(
                Value::Null,
                "`id` is a number or a text",
            ));
        }
        let known = || id.clone().unwrap_or_default();
        if version.as_ref().and_then(Value::as_str) != Some("2.0") {
            return Err(Failed::not_a_call(known(), "`jsonrpc` is \"2.0\""));
        }
        let Some(Ok(method)) = method.map(Value::into_string) else {
            return Err(Failed::not_a_call(known(), "`method` is a text"));
        };
        Ok(Self { id, method, params })
    }
}

/// Begins a call.
fn begin(
    methods: &mut [RpcMethod],
    context: &mut CallContext<'_>,
    call: &RpcCall,
) -> (Effect, Result<Progress, RpcError>) {
    let mut all = methods.iter_mut();
    let Some(method) = all.find(|method| method.name == call.method) else {
        let message = format!(
            "there is no method `{}`; help: `rpc.discover` lists them",
            call.method
        );
        return (
            Effect::Reads,
            Err(RpcError::new(RpcError::NO_METHOD, message)),
        );
    };
    let effect = method.effect;
    if effect != Effect::Reads && !context.may_write {
        return (effect, Err(read_only(context.state.read_only)));
    }
    let params = match Params::new(call.params.clone()) {
        Ok(params) => params,
        Err(error) => return (effect, Err(error)),
    };
    let run = || {
        Some(match &mut method.run {
            MethodRun::BuiltIn(run) => run(context, &params),
            MethodRun::Reading(run) => run(context.app.world(), params).map(Progress::Done),
            MethodRun::Writing(run) => run(context.app.world_mut(), params).map(Progress::Done),
        })
    };
    (effect, guarded(effect, run).expect("it has ended"))
}

fn read_only(always: bool) -> RpcError {
    RpcError::new(
        RpcError::READ_ONLY,
        match always {
            true => "this inspector only reads",
            false => "this inspector is read-only: open the address with its token",
        },
    )
}

/// Calls a function. A panic in it is an error, except in methods that run the app.
fn guarded<T>(
    effect: Effect,
    call: impl FnOnce() -> Option<Result<T, RpcError>>,
) -> Option<Result<T, RpcError>> {
    if effect == Effect::Runs {
        return call();
    }
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result,
        Err(payload) => {
            let message = format!("the method panicked: {}", message_of(&*payload));
            // A payload may panic when it is dropped.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(payload))).map_err(std::mem::forget);
            Some(Err(RpcError::new(RpcError::INTERNAL, message)))
        }
    }
}
