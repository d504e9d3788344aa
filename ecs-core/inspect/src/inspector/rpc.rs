//! JSON-RPC 2.0: requests with one call or several, and their answers.

use std::collections::VecDeque;

use ecs_app::App;
use ecs_data::Value;

use super::budget::Budget;
use super::call::{
    Answer, CallContext, Effect, InspectState, Job, LateWork, MethodRun, Progress, RpcMethod,
    WatchJob,
};
use super::error::{RpcError, caught};
use super::json::{self, object};
use super::params::Params;

/// The calls that one request may have.
const MOST_CALLS: usize = 32;

/// The methods, and everything that they remember.
pub(crate) struct InspectCore {
    pub(crate) methods: Vec<RpcMethod>,
    pub(crate) state: InspectState,
    /// The number of streams that were opened.
    pub(crate) streams: u64,
}

/// A request that is being answered.
pub(crate) struct OpenRequest {
    calls: VecDeque<Result<RpcCall, FailedCall>>,
    current: Option<RunningCall>,
    answers: Vec<CallAnswer>,
    /// The parameters of calls that have begun. They may be large, and are dropped by another thread.
    used: Vec<Params>,
    is_batch: bool,
    may_write: bool,
    numbers: bool,
}

/// The state of a request after it went on.
pub(crate) enum RequestStep {
    Open,
    Done,
    /// The only call of the request is answered by a stream.
    Stream(OpenStream),
}

struct CallAnswer {
    id: Value,
    answer: Answer,
    /// The work on a result that is left.
    late: Option<LateWork>,
}

struct RpcCall {
    /// `None` if it wants no answer.
    id: Option<Value>,
    method: String,
    params: Value,
}

/// A call that cannot be read.
struct FailedCall {
    id: Value,
    error: RpcError,
}

/// A piece of a call: its outcome, and the call's id if it has ended.
struct CallStep {
    id: Option<Value>,
    begun: Result<Progress, RpcError>,
    late: Option<LateWork>,
}

struct RunningCall {
    id: Option<Value>,
    effect: Effect,
    job: Job,
}

impl OpenRequest {
    /// Reads a request.
    pub(crate) fn new(text: Vec<u8>, may_write: bool, numbers: bool) -> Self {
        let not_json = |message: String| FailedCall {
            id: Value::Null,
            error: RpcError::new(RpcError::NOT_JSON, message),
        };
        let text = std::str::from_utf8(&text).map_err(|error| error.to_string());
        let read = text.and_then(|text| json::read_request(text, may_write));
        let (calls, is_batch) = match read.map(Value::into_list) {
            Err(message) => (vec![Err(not_json(message))], false),
            Ok(Ok(calls)) if calls.is_empty() || calls.len() > MOST_CALLS => {
                let message = format!("a batch has 1 to {MOST_CALLS} calls, not {}", calls.len());
                (
                    vec![Err(FailedCall::not_a_call(Value::Null, message))],
                    false,
                )
            }
            Ok(Ok(calls)) => (calls.into_iter().map(RpcCall::new).collect(), true),
            Ok(Err(call)) => (vec![RpcCall::new(call)], false),
        };
        Self {
            calls: calls.into(),
            current: None,
            answers: Vec::new(),
            used: Vec::new(),
            is_batch,
            may_write,
            numbers,
        }
    }

    /// Returns true if the request brought the token.
    pub(crate) fn may_write(&self) -> bool {
        self.may_write
    }

    /// Goes on until the budget is spent.
    pub(crate) fn go_on(
        &mut self,
        core: &mut InspectCore,
        app: &mut App,
        budget: Budget,
    ) -> RequestStep {
        while let Some(CallStep { id, begun, late }) = self.step(core, app, budget) {
            match begun {
                Ok(Progress::Done(value)) => self.answer(id, Ok(value), late),
                Err(error) => self.answer(id, Err(error), None),
                Ok(Progress::Later(_)) => {}
                Ok(Progress::Stream(job)) => match (self.is_batch, id) {
                    (false, Some(id)) => {
                        return RequestStep::Stream(OpenStream::new(core, self, id, job));
                    }
                    (_, id) => self.answer(id, Err(alone()), None),
                },
            }
            if budget.is_spent() {
                return RequestStep::Open;
            }
        }
        RequestStep::Done
    }

    /// Begins or continues a call; returns `None` if there is none. A call that goes on is kept.
    fn step(&mut self, core: &mut InspectCore, app: &mut App, budget: Budget) -> Option<CallStep> {
        let mut context = CallContext {
            app,
            budget,
            numbers: self.numbers,
            may_write: self.may_write && !core.state.read_only,
            state: &mut core.state,
            late: None,
        };
        let (id, effect, result) = match self.current.take() {
            Some(RunningCall {
                id,
                effect,
                mut job,
            }) => {
                let answer = guarded(effect, || job(&mut context));
                let later = answer.is_none().then_some(Progress::Later(job));
                let done = answer.map(|answer| answer.map(Progress::Done));
                (id, effect, later.map(Ok).or(done)?)
            }
            None => match self.calls.pop_front()? {
                Err(failed) => {
                    return Some(CallStep {
                        id: Some(failed.id),
                        begun: Err(failed.error),
                        late: None,
                    });
                }
                Ok(call) => {
                    let (effect, begun) = begin(
                        &mut core.methods,
                        &mut context,
                        &call.method,
                        call.params,
                        &mut self.used,
                    );
                    (call.id, effect, begun)
                }
            },
        };
        let late = context.late.take();
        if effect == Effect::Writes {
            // A recorder keeps the edit.
            context.app.note_change();
        }
        Some(match result {
            Ok(Progress::Later(job)) => {
                self.current = Some(RunningCall { id, effect, job });
                CallStep {
                    id: None,
                    begun: Ok(Progress::Done(Value::Null)),
                    late: None,
                }
            }
            begun => {
                let (hidden, world) = (&context.state.hidden, context.app.world());
                let begun = begun.map_err(|error| hidden.redacted(world, error));
                CallStep { id, begun, late }
            }
        })
    }

    /// Remembers the answer to a call that wants one.
    fn answer(&mut self, id: Option<Value>, answer: Answer, late: Option<LateWork>) {
        let answer = id.map(|id| CallAnswer { id, answer, late });
        self.answers.extend(answer);
    }

    /// Answers a call with an error instead of its stream.
    pub(crate) fn refuse_stream(&mut self, stream: OpenStream, most: usize) {
        let message = format!("{most} streams are open, and there are no more; help: close one");
        let error = RpcError::new(RpcError::BUSY, message);
        self.answer(Some(stream.id), Err(error), None);
    }

    /// Returns the text of all answers, which is empty if none is wanted.
    pub(crate) fn into_text(self) -> String {
        let texts = self.answers.into_iter();
        let texts: Vec<String> = texts.map(|answer| answer.into_text(self.numbers)).collect();
        match (self.is_batch, texts.len()) {
            (_, 0) => String::new(),
            (true, _) => format!("[{}]", texts.join(",")),
            (false, _) => texts.concat(),
        }
    }
}

impl CallAnswer {
    fn into_text(self, numbers: bool) -> String {
        let Self { id, answer, late } = self;
        let write = |key, value| {
            let version = ("jsonrpc", Value::from("2.0"));
            json::write(
                &object([version, ("id", id.clone()), (key, value)]),
                numbers,
            )
        };
        let answer = match (answer, late) {
            (Ok(value), Some(late)) => caught(|| Some(late(value))).expect("it has ended"),
            (answer, _) => answer,
        };
        let written = match answer {
            Ok(value) => write("result", value),
            Err(error) => write("error", error.to_value()),
        };
        let internal = |message| RpcError::new(RpcError::INTERNAL, message).to_value();
        written
            .or_else(|message| write("error", internal(message)))
            .unwrap_or_default()
    }
}

/// A call that is answered by a stream.
pub(crate) struct OpenStream {
    id: Value,
    job: WatchJob,
    may_write: bool,
    numbers: bool,
    number: u64,
    has_ended: bool,
}

impl OpenStream {
    fn new(core: &mut InspectCore, request: &OpenRequest, id: Value, job: WatchJob) -> Self {
        core.streams += 1;
        Self {
            id,
            job,
            may_write: request.may_write,
            numbers: request.numbers,
            number: core.streams,
            has_ended: false,
        }
    }

    pub(crate) fn may_write(&self) -> bool {
        self.may_write
    }

    /// Returns a number that is greater for later streams.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns true after an error, which is the end.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Returns a function that makes the next text, if something has changed.
    pub(crate) fn next(
        &mut self,
        core: &mut InspectCore,
        app: &mut App,
    ) -> Option<impl FnOnce() -> String + Send + 'static> {
        let mut context = CallContext {
            app,
            budget: Budget::ALL,
            numbers: self.numbers,
            may_write: self.may_write && !core.state.read_only,
            state: &mut core.state,
            late: None,
        };
        let answer = guarded(Effect::Reads, || (self.job)(&mut context))?;
        self.has_ended = answer.is_err();
        let (id, numbers) = (self.id.clone(), self.numbers);
        let late = None;
        Some(move || CallAnswer { id, answer, late }.into_text(numbers))
    }
}

fn alone() -> RpcError {
    RpcError::new(
        RpcError::NOT_A_CALL,
        "a call that is answered by a stream has an `id`, and is not part of a batch",
    )
}

impl FailedCall {
    fn not_a_call(id: Value, message: impl std::fmt::Display) -> Self {
        Self {
            id,
            error: RpcError::new(RpcError::NOT_A_CALL, message),
        }
    }
}

impl RpcCall {
    fn new(call: Value) -> Result<Self, FailedCall> {
        let Ok(entries) = call.into_map() else {
            return Err(FailedCall::not_a_call(Value::Null, "a call is an object"));
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
            return Err(FailedCall::not_a_call(
                Value::Null,
                "`id` is a number or a text",
            ));
        }
        let known = || id.clone().unwrap_or_default();
        if version.as_ref().and_then(Value::as_str) != Some("2.0") {
            return Err(FailedCall::not_a_call(known(), "`jsonrpc` is \"2.0\""));
        }
        let Some(Ok(method)) = method.map(Value::into_string) else {
            return Err(FailedCall::not_a_call(known(), "`method` is a text"));
        };
        Ok(Self { id, method, params })
    }
}

/// Begins a call.
fn begin(
    methods: &mut [RpcMethod],
    context: &mut CallContext<'_>,
    name: &str,
    params: Value,
    used: &mut Vec<Params>,
) -> (Effect, Result<Progress, RpcError>) {
    let mut all = methods.iter_mut();
    let Some(method) = all.find(|method| method.name == name) else {
        let message =
            format!("there is no method `{name}`; help: choose one that `rpc.discover` lists");
        return (
            Effect::Reads,
            Err(RpcError::new(RpcError::NO_METHOD, message)),
        );
    };
    let effect = method.effect;
    if effect != Effect::Reads && !context.may_write {
        return (effect, Err(read_only(context.state.read_only)));
    }
    let params = match Params::new(params) {
        Ok(params) => params,
        Err(error) => return (effect, Err(error)),
    };
    let run = || {
        Some(match &mut method.run {
            MethodRun::BuiltIn(run) => {
                used.push(params);
                run(context, &used[used.len() - 1])
            }
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
            false => "this client may only read; help: open the address with its token",
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
    caught(call)
}
