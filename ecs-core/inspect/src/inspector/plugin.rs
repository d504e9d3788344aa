//! The plugin.

use std::borrow::Cow;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ecs_app::{App, Plugin};
use ecs_data::Value;
use ecs_engine::tree::Name;
use ecs_engine::{Disabled, World};

use super::core::{Budget, Effect, InspectState, MethodRun, RpcMethod};
use super::desk::Desk;
use super::error::RpcError;
use super::json::object;
use super::methods;
use super::params::Params;
use super::rpc::{Core, OpenRequest, RequestStep};
use crate::page::PAGE;
use crate::server::{Server, ServerOptions};

/// The inspector as a plugin, with its settings. Needs the feature `inspector`.
///
/// # Requests
/// A request is a call of JSON-RPC 2.0, or a list of at most 32, nested at most 64 levels deep. Parameters have names. A call
/// without `id` has no answer. `rpc.discover` returns this table from the running program, with the methods of your own:
///
/// | methods | parameters | result |
/// |---|---|---|
/// | `rpc.discover` | | `{info, writes, methods: [{name, writes, params, help}]}` |
/// | `registry.schema` | `names?` | `[{name, kind, data, schema, default}]`; a schema is `{kind, fields \| variants \| items \| item \| some \| key, value}` |
/// | `entities.find` | `query, after?, from?, limit?, columns?, count?` | `{frame, count: {exact, at_least}, columns, next, moved, rows: [{entity, components, errors?}]}` |
/// | `entity.get` | `entity` | `{frame, entity, components: [{name, value, error, bytes, storage, relation}]}` |
/// | `entities.children` | `of, relation?, after?, limit?` | `{relations: [{relation, count, rows: [{entity, has_children}], next}]}` |
/// | `world.query` | `data: {components, option, has}, filter: {with, without}` | `[{entity, components, errors?, has?}]`, at most 10,000 |
/// | `world.get_components` | `entity, components, strict?` | `{components, errors}`; with `strict` the components |
/// | `world.list_components` | `entity?` | names |
/// | `world.get_components+watch` | `entity, components, strict?` | a stream of `{components, removed, errors}` |
/// | `world.list_components+watch` | `entity` | a stream of `{added, removed}` |
/// | `world.insert_components` | `entity, components: {name: value}` | null |
/// | `world.mutate_components` | `entity, component, path, value` | null |
/// | `world.remove_components` | `entity, components` | null |
/// | `world.spawn_entity` | `components` | `{entity}` |
/// | `world.despawn_entity` | `entity` | null |
/// | `world.reparent_entities` | `entities, parent?, relation?` | null |
/// | `entity.clone` | `entity` | `{entity}` |
/// | `edit.undo` | | `{entity, name}`: the value of the last edit is as before |
/// | `world.list_resources` | | names |
/// | `world.get_resources` | `resource` | `{value}` |
/// | `world.insert_resources` | `resource, value` | null |
/// | `world.mutate_resources` | `resource, path, value` | null |
/// | `world.remove_resources` | `resource` | null |
/// | `app.status` | `since?` | `{frame, paused, in_frame, ended, elapsed, entities, writes, measured, times, back, why_not_back, edits}`; `times` are milliseconds of the frames after `since`, which is an earlier `measured` |
/// | `app.pause`, `app.resume` | | null |
/// | `app.step` | `frames?` | `{frame, frames, ended}` |
/// | `app.step_system` | | `{system, frame}`; the system is null at the end of a frame |
/// | `app.step_back` | `frames?` | `{frame, frames, ended}` |
/// | `app.run_until` | `query, frames?` | `{reached: {frame, frames, ended}, found}` |
/// | `schedule.list` | | `[{name, steps, notes}]` |
/// | `schedule.plan` | `schedule?` | `[{system, path, number, commands, waits_for: [{system, reason}]}]` |
/// | `schedule.why` | `a, b` | `{may_overlap, text}` |
/// | `schedule.timings` | | `[{system, path, count, last_us, mean_us, max_us}]` |
/// | `schedule.trace_next`, `schedule.trace` | | null; the text of a trace for Perfetto, or null |
/// | `tables.memory` | | `{entities, used, reserved, tables: [{table, rows, capacity, components: [{name, values, used, reserved}]}], sparse}` |
/// | `events.list` | | `[{name, kept, unread}]` |
///
/// * An entity is a text such as `"12v1"`. Inside of a component it is the object `{"entity":"12v1"}`, which tells it from a text.
/// * `query` is a [`TextQuery`](ecs_data::TextQuery). `next` is the `after` of the next page, and null at the end. `from` passes over
///   rows. A page has at most 200 rows. `moved` says that rows moved since the last page, so that some may be missing or come twice.
/// * A stream is the answer to a single call: as bevy's, lines of server-sent events, `data: ` and an answer each. The first one has
///   everything, later ones what has changed since the last, at most one a frame. A client that reads slowly gets fewer, and the
///   newest values. At most 4 streams are open.
/// * `path` is the path of [`Value::get`](ecs_data::Value::get), such as `items[3].count`; a leading dot is ignored.
/// * Writes are ordinary changes of the world, with hooks, observers and ticks. A value that its type refuses changes nothing.
///
/// # Errors
/// `{code, message, data?}`. The numbers of JSON-RPC: -32700 not JSON, -32600 not a call, -32601 no such method, -32602
/// parameters, -32603 a panic. The numbers of the Bevy Remote Protocol: -23401 no such entity, -23402 a component is unknown or does not
/// fit, -23403 the entity lacks it, -23404 its own parent, -23501 a resource is unknown or does not fit, -23502 there is none.
/// Of this inspector: -23601 a query, with `data: {message, column, help}`; -23602 it is read-only; -23603 there are too many
/// streams; -23604 it is not possible now.
///
/// ```
/// use ecs_core::inspect::Inspect;
/// use ecs_core::prelude::*;
///
/// let mut app = App::new();
/// let inspector = Inspect::new(7747).history(600).attach(&mut app);
/// let answer = inspector.answer(&mut app, r#"{"jsonrpc": "2.0", "id": 1, "method": "app.pause"}"#);
/// assert_eq!(answer, r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
/// assert!(app.is_paused());
/// ```
pub struct Inspect {
    port: u16,
    history: usize,
    budget: Duration,
    announce: Box<dyn FnOnce(&str)>,
    core: Core,
}

impl Inspect {
    /// Makes an inspector at a port of this machine, for loopback addresses alone.
    #[must_use]
    pub fn new(port: u16) -> Self {
        Self {
            port,
            history: 0,
            budget: Duration::from_micros(320),
            announce: Box::new(|address| println!("inspector: {address}")),
            core: Core {
                methods: methods::all(),
                state: InspectState::default(),
                streams: 0,
            },
        }
    }

    /// Refuses all methods that change something.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.core.state.read_only = true;
        self
    }

    /// Keeps snapshots of the last frames, so that the app can step back. Each takes the memory of the world, and the time to
    /// copy it. Without this the app cannot step back.
    #[must_use]
    pub fn history(mut self, frames: usize) -> Self {
        self.history = frames;
        self
    }

    /// Sets the time that answers may take in a frame; 320 microseconds without it. Longer calls are cut, and continued in the next
    /// frame.
    #[must_use]
    pub fn budget(mut self, time: Duration) -> Self {
        self.budget = time;
        self
    }

    /// Calls a function with the address, which contains the token that allows writes, instead of printing it.
    #[must_use]
    pub fn announce(mut self, announce: impl FnOnce(&str) + 'static) -> Self {
        self.announce = Box::new(announce);
        self
    }

    /// Adds a method that may change the world. It replaces a method of the same name.
    ///
    /// ```
    /// use ecs_core::inspect::{Inspect, Params, RpcError};
    /// use ecs_core::data::Value;
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Gold(u64);
    ///
    /// fn give(world: &mut World, params: Params) -> Result<Value, RpcError> {
    ///     let mut gold = world.resource_mut::<Gold>();
    ///     gold.0 += params.number_or("gold", 1)?;
    ///     Ok(Value::from(gold.0))
    /// }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(Gold(5));
    /// let inspector = Inspect::new(7747).method("game.give", give).attach(&mut app);
    /// let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "game.give", "params": {"gold": 3}}"#;
    /// assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":8}"#);
    /// ```
    #[must_use]
    pub fn method(
        self,
        name: impl Into<Cow<'static, str>>,
        run: impl FnMut(&mut World, Params) -> Result<Value, RpcError> + Send + 'static,
    ) -> Self {
        self.with(
            name.into(),
            Effect::Writes,
            MethodRun::Writing(Box::new(run)),
        )
    }

    /// Adds a method that only reads, so that it needs no token. It replaces a method of the same name.
    #[must_use]
    pub fn read_method(
        self,
        name: impl Into<Cow<'static, str>>,
        run: impl FnMut(&World, Params) -> Result<Value, RpcError> + Send + 'static,
    ) -> Self {
        self.with(
            name.into(),
            Effect::Reads,
            MethodRun::Reading(Box::new(run)),
        )
    }

    fn with(mut self, name: Cow<'static, str>, effect: Effect, run: MethodRun) -> Self {
        self.core.methods.retain(|method| method.name != name);
        self.core.methods.push(RpcMethod {
            name,
            effect,
            params: "",
            help: Cow::Borrowed("a method of this app"),
            run,
        });
        self
    }

    /// Hides a component, relation, resource or event type: no method shows, finds or changes it.
    #[must_use]
    pub fn hide<T: 'static>(mut self) -> Self {
        self.core.state.hidden.add::<T>();
        self
    }

    /// Adds the inspector to an app without a server: for tests, and for transports of your own.
    pub fn attach(mut self, app: &mut App) -> Inspector {
        // Any entity can be named and disabled, also in an app that has not done so before.
        let world = app.world_mut();
        world.register::<Name>();
        world.register::<Disabled>();
        let state = &mut self.core.state;
        state.methods = self.core.methods.iter().map(described).collect();
        state.history.keep(app, self.history);
        Inspector {
            core: Arc::new(Mutex::new(self.core)),
        }
    }
}

fn described(method: &RpcMethod) -> Value {
    object([
        ("name", Value::from(&*method.name)),
        ("writes", Value::from(method.effect != Effect::Reads)),
        ("params", Value::from(method.params)),
        ("help", Value::from(&*method.help)),
    ])
}

/// Starts the server, prints its address, and answers between frames, also while the app is paused. Without a free port it prints
/// the reason, and the app runs without an inspector.
impl Plugin for Inspect {
    fn build(self, app: &mut App) {
        let (port, budget) = (self.port, self.budget);
        let options = ServerOptions {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            files: PAGE,
            read: OpenRequest::new,
        };
        let server = match Server::start(options) {
            Ok(server) => server,
            Err(error) => {
                eprintln!("inspector: {error}");
                return;
            }
        };
        let mut inspect = self;
        let announce = std::mem::replace(&mut inspect.announce, Box::new(|_| ()));
        announce(&server.url());
        let inspector = inspect.attach(app);
        let mut desk = Desk::default();
        app.between_frames(move |app| {
            if server.pending() || !desk.is_empty() {
                inspector.serve(app, &server, &mut desk, budget);
            }
        });
    }
}

/// Returns the inspector with its usual settings, at a port of this machine.
#[must_use]
pub fn plugin(port: u16) -> Inspect {
    Inspect::new(port)
}

/// An inspector of an app, without its server; see [`Inspect::attach`].
#[derive(Clone)]
pub struct Inspector {
    core: Arc<Mutex<Core>>,
}

impl Inspector {
    /// Answers a JSON-RPC request, with the right to write. The answer is empty if the request wants none. It takes as long as it
    /// takes: the budget counts for the server. Of a stream it is the first text.
    ///
    /// # Panics
    /// If a system panics in a frame that the request runs.
    #[must_use]
    pub fn answer(&self, app: &mut App, request: &str) -> String {
        self.answer_as(app, request, true)
    }

    /// Like [`answer`](Self::answer), without the right to write.
    ///
    /// # Panics
    /// As for [`answer`](Self::answer).
    #[must_use]
    pub fn answer_reading(&self, app: &mut App, request: &str) -> String {
        self.answer_as(app, request, false)
    }

    /// Answers the waiting requests, within a budget.
    #[cold]
    fn serve(
        &self,
        app: &mut App,
        server: &Server<OpenRequest>,
        desk: &mut Desk,
        budget: Duration,
    ) {
        while !desk.is_full()
            && let Some(request) = server.take()
        {
            desk.add(request);
        }
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        desk.work(&mut core, app, budget);
    }

    fn answer_as(&self, app: &mut App, request: &str, may_write: bool) -> String {
        let mut request = OpenRequest::new(request.as_bytes().to_vec(), may_write, false);
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match request.go_on(&mut core, app, Budget::ALL) {
                RequestStep::Open => {}
                RequestStep::Done => return request.into_text(),
                RequestStep::Stream(mut stream) => {
                    let first = stream.next(&mut core, app);
                    return first.map_or_else(String::new, |text| text());
                }
            }
        }
    }
}
