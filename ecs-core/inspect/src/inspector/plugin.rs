//! The plugin.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ecs_app::{App, Plugin};
use ecs_data::{Prefab, Value};
use ecs_engine::__private::Instant;
use ecs_engine::tree::Name;
use ecs_engine::{Disabled, World};

use super::budget::Budget;
use super::call::{Effect, InspectState, MethodRun, RpcMethod};
use super::desk::Desk;
use super::error::RpcError;
use super::history::HistorySize;
use super::json::object;
use super::methods;
use super::params::Params;
use super::rpc::{InspectCore, OpenRequest, RequestStep};
use crate::page::PAGE;
use crate::server::{Server, ServerOptions};

/// The inspector as a plugin, with its settings. Needs the feature `inspector`.
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
///
#[doc = include_str!("../../methods.md")]
pub struct Inspect {
    address: SocketAddr,
    history: HistorySize,
    budget: Duration,
    announce: Box<dyn FnOnce(&str)>,
    core: InspectCore,
}

impl Inspect {
    /// Makes an inspector at a port of this machine, for loopback addresses alone.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// // Port 0 is one that is free; the address is printed.
    /// app.add_plugin(Inspect::new(0));
    /// # app.update();
    /// ```
    #[must_use]
    pub fn new(port: u16) -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            history: HistorySize::default(),
            budget: Duration::from_micros(320),
            announce: Box::new(|address| println!("inspector: {address}")),
            core: InspectCore {
                methods: methods::all(),
                state: InspectState {
                    here: format!("{:016x}", RandomState::new().hash_one(Instant::now())),
                    name: program(),
                    ..InspectState::default()
                },
                streams: 0,
            },
        }
    }

    /// Listens at another address of this machine: `0.0.0.0` for all of them, so that other machines can reach the inspector of
    /// a headless server, say. Everything needs the token there, reads and the page too.
    ///
    /// Nothing is encrypted: anyone who sees the traffic sees the token. In a network that others use, leave the address, and forward
    /// the port: `ssh -L 7747:localhost:7747 machine`.
    ///
    /// ```no_run
    /// use std::net::Ipv4Addr;
    ///
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// App::new().add_plugin(Inspect::new(7747).address(Ipv4Addr::UNSPECIFIED)).run();
    /// ```
    #[must_use]
    pub fn address(mut self, address: impl Into<IpAddr>) -> Self {
        self.address.set_ip(address.into());
        self
    }

    /// Sets the name of the program, which pages show; the name of its file without it.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// let inspector = Inspect::new(7747).name("chess").attach(&mut app);
    /// let answer = inspector.answer(&mut app, r#"{"jsonrpc": "2.0", "id": 1, "method": "app.status"}"#);
    /// assert!(answer.contains(r#""name":"chess""#));
    /// ```
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.core.state.name = name.into();
        self
    }

    /// Refuses all methods that change something.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// let inspector = Inspect::new(7747).read_only().attach(&mut app);
    /// let answer = inspector.answer(&mut app, r#"{"jsonrpc": "2.0", "id": 1, "method": "app.pause"}"#);
    /// assert!(answer.contains("error") && !app.is_paused());
    /// ```
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.core.state.read_only = true;
        self
    }

    /// Keeps snapshots of the last frames, so that the app can step back. Each takes the memory of the world, and the time to
    /// copy it; [`history_bytes`](Self::history_bytes) bounds their sum. Without this the app cannot step back.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// let inspector = Inspect::new(7747).history(60).attach(&mut app);
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    /// let answer = inspector.answer(&mut app, r#"{"jsonrpc": "2.0", "id": 1, "method": "app.step_back"}"#);
    /// assert!(!answer.contains("error"), "{answer}");
    /// ```
    #[must_use]
    pub fn history(mut self, frames: usize) -> Self {
        self.history.frames = frames;
        self
    }

    /// Sets the most memory of all snapshots of the [history](Self::history): 1 GiB without it. A world that is too large for as many
    /// frames has fewer, but one. The memory that values own elsewhere, such as texts, is not counted.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// let inspector = Inspect::new(7747).history(60).history_bytes(0).attach(&mut app);
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    /// let back = r#"{"jsonrpc": "2.0", "id": 1, "method": "app.step_back", "params": {"frames": 2}}"#;
    /// assert!(inspector.answer(&mut app, back).contains("only the last 1 frames are kept"));
    /// ```
    #[must_use]
    pub fn history_bytes(mut self, bytes: usize) -> Self {
        self.history.bytes = bytes;
        self
    }

    /// Sets the time that answers may take in a frame; 320 microseconds without it. Longer calls are cut, and continued in the next
    /// frame.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// app.add_plugin(Inspect::new(0).budget(Duration::from_millis(1)));
    /// # app.update();
    /// ```
    #[must_use]
    pub fn budget(mut self, time: Duration) -> Self {
        self.budget = time;
        self
    }

    /// Calls a function with the address, which contains the token that allows writes, instead of printing it.
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let (send, addresses) = channel();
    /// let mut app = App::new();
    /// app.add_plugin(Inspect::new(0).announce(move |address| send.send(address.to_owned()).unwrap()));
    /// assert!(addresses.recv()?.starts_with("http://127.0.0.1:"));
    /// # Ok::<(), std::sync::mpsc::RecvError>(())
    /// ```
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
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Gold(u64);
    ///
    /// let mut app = App::new();
    /// app.insert_resource(Gold(5));
    /// let inspect = Inspect::new(7747);
    /// let inspect = inspect.read_method("game.gold", |world, _| Ok(Value::from(world.resource::<Gold>().0)));
    /// let inspector = inspect.attach(&mut app);
    /// let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "game.gold"}"#;
    /// assert_eq!(inspector.answer_reading(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":5}"#);
    /// ```
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

    /// Adds a method that does not change the world, and needs the token nevertheless: it shows more than a guest should see, or
    /// writes files, say. It replaces a method of the same name.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// let inspect = Inspect::new(7747);
    /// let inspect = inspect.owner_method("game.seed", |_, _| Ok(Value::from(4_u64)));
    /// let inspector = inspect.attach(&mut app);
    /// let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "game.seed"}"#;
    /// assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":4}"#);
    /// assert!(inspector.answer_reading(&mut app, call).contains("error"));
    /// ```
    #[must_use]
    pub fn owner_method(
        self,
        name: impl Into<Cow<'static, str>>,
        run: impl FnMut(&World, Params) -> Result<Value, RpcError> + Send + 'static,
    ) -> Self {
        self.with(
            name.into(),
            Effect::Owner,
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

    /// Adds a prefab that the inspector can spawn. It replaces one of the same name.
    ///
    /// ```
    /// use ecs_core::data::Prefab;
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    /// use ecs_core::tree::{ChildOf, Name};
    ///
    /// let mut workshop = World::new();
    /// let goblin = workshop.spawn(Name::new("goblin"));
    /// let goblin = Prefab::from_tree::<ChildOf>(&workshop, goblin)?;
    ///
    /// let mut app = App::new();
    /// let inspector = Inspect::new(7747).prefab("goblin", goblin).attach(&mut app);
    /// let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "prefabs.spawn", "params": {"prefab": "goblin"}}"#;
    /// assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":{"entities":["0v1"]}}"#);
    /// # Ok::<(), ecs_core::data::CloneError>(())
    /// ```
    #[must_use]
    pub fn prefab(mut self, name: impl Into<String>, prefab: Prefab) -> Self {
        self.core.state.prefabs.insert(name.into(), prefab);
        self
    }

    /// Hides a component, relation, resource or event type: no method shows, finds or changes it.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    /// use ecs_core::tree::Name;
    ///
    /// let mut app = App::new();
    /// let inspector = Inspect::new(7747).hide::<Name>().attach(&mut app);
    /// let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "world.list_components"}"#;
    /// assert!(!inspector.answer(&mut app, call).contains("ecs.name"));
    /// ```
    #[must_use]
    pub fn hide<T: 'static>(mut self) -> Self {
        self.core.state.hidden.add::<T>();
        self
    }

    /// Hides the component, relation, resource or events of a name, like [`hide`](Self::hide): for those that are defined at run
    /// time, or whose type is private.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// let inspector = Inspect::new(7747).hide_named("ecs.name").attach(&mut app);
    /// let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "world.list_components"}"#;
    /// assert!(!inspector.answer(&mut app, call).contains("ecs.name"));
    /// ```
    #[must_use]
    pub fn hide_named(mut self, name: impl Into<String>) -> Self {
        self.core.state.hidden.add_name(name.into());
        self
    }

    /// Adds the inspector to an app without a server: for tests, and for transports of your own.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// let inspector = Inspect::new(7747).attach(&mut app);
    /// let answer = inspector.answer(&mut app, r#"{"jsonrpc": "2.0", "id": 1, "method": "app.step"}"#);
    /// assert!(!answer.contains("error"), "{answer}");
    /// ```
    pub fn attach(mut self, app: &mut App) -> Inspector {
        // Any entity can be named and disabled, also in an app that has not done so before.
        let world = app.world_mut();
        world.register::<Name>();
        world.register::<Disabled>();
        let state = &mut self.core.state;
        state.methods = self.core.methods.iter().map(described).collect();
        let readers = self
            .core
            .methods
            .iter()
            .filter_map(|method| match method.run {
                MethodRun::BuiltIn(run) if method.effect == Effect::Reads => {
                    Some((method.name.clone(), run))
                }
                _ => None,
            });
        state.readers = readers.collect();
        state.history.keep(app, self.history);
        Inspector {
            core: Arc::new(Mutex::new(self.core)),
        }
    }
}

/// Returns the name of the program's file.
fn program() -> String {
    let file = std::env::current_exe().ok();
    let name = file.and_then(|file| Some(file.file_stem()?.to_string_lossy().into_owned()));
    name.unwrap_or_default()
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
        let budget = self.budget;
        let options = ServerOptions {
            address: self.address,
            files: &PAGE,
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
        let (mut desk, bell) = (Desk::default(), server.bell());
        let mut has_rung = false;
        // A frame without requests costs a look at the bell.
        app.between_frames_when(server.bell(), move |app| {
            if server.pending() || !desk.is_empty() {
                inspector.serve(app, &server, &mut desk, budget);
            }
            match (has_rung, !desk.is_empty()) {
                (false, true) => _ = bell.fetch_add(1, Ordering::Relaxed),
                (true, false) => _ = bell.fetch_sub(1, Ordering::Relaxed),
                _ => {}
            }
            has_rung = !desk.is_empty();
        });
    }
}

/// Returns the inspector with its usual settings, at a port of this machine.
///
/// ```no_run
/// use ecs_core::inspect;
/// use ecs_core::prelude::*;
///
/// App::new().add_plugin(inspect::plugin(7747)).run();
/// ```
#[must_use]
pub fn plugin(port: u16) -> Inspect {
    Inspect::new(port)
}

/// An inspector of an app, without its server; see [`Inspect::attach`].
///
/// ```
/// use ecs_core::inspect::Inspect;
/// use ecs_core::prelude::*;
///
/// let mut app = App::new();
/// let inspector = Inspect::new(7747).attach(&mut app);
/// let pause = r#"{"jsonrpc": "2.0", "id": 1, "method": "app.pause"}"#;
/// assert!(inspector.answer_reading(&mut app, pause).contains("this client may only read"));
/// assert!(!app.is_paused());
/// assert_eq!(inspector.answer(&mut app, pause), r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
/// assert!(app.is_paused());
/// ```
#[derive(Clone)]
pub struct Inspector {
    core: Arc<Mutex<InspectCore>>,
}

impl Inspector {
    /// Answers a JSON-RPC request, with the right to write. The answer is empty if the request wants none. It takes as long as it
    /// takes: the budget counts for the server. Of a stream it is the first text.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// let inspector = Inspect::new(7747).attach(&mut app);
    /// let answer = inspector.answer(&mut app, r#"{"jsonrpc": "2.0", "id": 1, "method": "app.pause"}"#);
    /// assert_eq!(answer, r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
    /// ```
    ///
    /// # Panics
    /// If a system panics in a frame that the request runs.
    #[must_use]
    pub fn answer(&self, app: &mut App, request: &str) -> String {
        self.answer_as(app, request, true)
    }

    /// Like [`answer`](Self::answer), without the right to write.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    ///
    /// let mut app = App::new();
    /// let inspector = Inspect::new(7747).attach(&mut app);
    /// let answer = inspector.answer_reading(&mut app, r#"{"jsonrpc": "2.0", "id": 1, "method": "app.pause"}"#);
    /// assert!(answer.contains("this client may only read"));
    /// ```
    ///
    /// # Panics
    /// As for [`answer`](Self::answer).
    #[must_use]
    pub fn answer_reading(&self, app: &mut App, request: &str) -> String {
        self.answer_as(app, request, false)
    }

    /// Answers like the server of an app that has no time: a piece in each frame, and a call of a function after it. A stream has
    /// one piece.
    #[doc(hidden)]
    #[must_use]
    pub fn answer_in_pieces(
        &self,
        app: &mut App,
        request: &str,
        may_write: bool,
        after_piece: &mut dyn FnMut(),
    ) -> String {
        let mut request = OpenRequest::new(request.as_bytes().to_vec(), may_write, false);
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let mut step = request.go_on(&mut core, app, Budget::from_now(Duration::ZERO));
            let first = match &mut step {
                RequestStep::Stream(stream) => Some(stream.next(&mut core, app)),
                RequestStep::Open | RequestStep::Done => None,
            };
            after_piece();
            match (step, first) {
                (RequestStep::Open, _) => {}
                (_, Some(text)) => return text.map_or_else(String::new, |text| text()),
                (_, None) => return request.into_text(),
            }
        }
    }

    /// Does the part of an answer that needs the app, and returns the rest, which the server leaves to other threads.
    #[doc(hidden)]
    pub fn answer_apart(&self, app: &mut App, request: &str) -> impl FnOnce() -> String + Send {
        let mut request = OpenRequest::new(request.as_bytes().to_vec(), true, false);
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        while let RequestStep::Open = request.go_on(&mut core, app, Budget::ALL) {}
        move || request.into_text()
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
