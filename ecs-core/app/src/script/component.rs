//! The component of a script.

use std::any::type_name;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ecs_engine::component::{Component, IdSlot, SparseComponent, StorageKind, Untracked};
use ecs_engine::meta::ConstTypeIdOf;

use super::context::ScriptContext;
use super::state::{NextTurn, ScriptClock, SharedScript};

/// The rest of a script.
pub(super) type ScriptFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A script, which [`run_scripts`](super::run_scripts) runs: a component of the entity that it belongs to. See the
/// [module](super).
pub struct Script {
    pub(super) shared: Arc<SharedScript>,
    /// `None` in its turn and after its end. The lock is never taken: it makes the component `Sync`.
    future: Mutex<Option<ScriptFuture>>,
    /// `None` before its start, in its turn and after its end.
    clock: Option<ScriptClock>,
    next_turn: NextTurn,
    /// Its number in the order of the starts; 0 if it has none yet.
    pub(super) started: u64,
    pub(super) despawns: bool,
}

impl Script {
    /// Makes a script of an `async` function, or of a closure that returns a future. It is called when the script starts, in
    /// the next run of [`run_scripts`](super::run_scripts).
    ///
    /// ```
    /// use ecs_core::app::script::{Script, ScriptContext, run_scripts};
    /// use ecs_core::prelude::*;
    ///
    /// async fn guard(script: ScriptContext) {
    ///     script.frames(1).await;
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Time::new());
    /// let mut enemy = |script: Script| world.spawn(script);
    /// let by_name = enemy(Script::new(guard));
    /// let by_closure = enemy(Script::new(|script: ScriptContext| async move { script.frames(2).await }));
    /// let with_captured = {
    ///     let frames = 3;
    ///     enemy(Script::new(async move |script: ScriptContext| script.frames(frames).await))
    /// };
    ///
    /// let all = [by_name, by_closure, with_captured];
    /// world.run(run_scripts); // they start
    /// for ended in 1..=3 {
    ///     world.run(run_scripts);
    ///     assert!(all[..ended].iter().all(|&enemy| !world.has::<Script>(enemy)));
    ///     assert!(all[ended..].iter().all(|&enemy| world.has::<Script>(enemy)));
    /// }
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new<F, R>(function: F) -> Self
    where
        F: FnOnce(ScriptContext) -> R + Send + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let shared = Arc::new(SharedScript::new(type_name::<F>(), Location::caller()));
        let context = ScriptContext::new(&shared);
        let future: ScriptFuture = Box::pin(async move { function(context).await });
        Self {
            shared,
            future: Mutex::new(Some(future)),
            clock: None,
            next_turn: NextTurn::NOW,
            started: 0,
            despawns: false,
        }
    }

    /// Despawns the entity when the script ends, by itself or by a panic. Without it, the entity only loses the script.
    ///
    /// ```
    /// use ecs_core::app::script::{Script, ScriptContext, run_scripts};
    /// use ecs_core::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Time::new());
    /// world.spawn(Script::new(async |script: ScriptContext| script.frames(1).await).then_despawn());
    /// world.run(run_scripts);
    /// assert_eq!(world.len(), 1);
    /// world.run(run_scripts);
    /// assert_eq!(world.len(), 0);
    /// ```
    #[must_use]
    pub fn then_despawn(self) -> Self {
        Self {
            despawns: true,
            ..self
        }
    }

    /// Begins a turn, in which no run counts; returns `None` if the script is in one, or over.
    pub(super) fn take_turn(&mut self) -> Option<(ScriptFuture, ScriptClock)> {
        let future = self.future().take()?;
        Some((future, self.clock.take().unwrap_or_default()))
    }

    /// Ends a turn.
    pub(super) fn end_turn(&mut self, future: ScriptFuture, clock: ScriptClock) {
        *self.future() = Some(future);
        self.clock = Some(clock);
        self.next_turn = self.shared.next_turn();
    }

    fn future(&mut self) -> &mut Option<ScriptFuture> {
        let future = self.future.get_mut();
        future.unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a run; returns true if a wait may be over.
    #[inline]
    pub(super) fn advance(&mut self, delta: Duration) -> bool {
        let Some(clock) = &mut self.clock else {
            return true;
        };
        clock.advance(delta);
        self.next_turn.has_come(clock)
    }
}

#[diagnostic::do_not_recommend]
impl Component for Script {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core::app::script::Script", "Script");
    const STORAGE: StorageKind = StorageKind::Sparse;
    const COPY_HELP: Option<&'static str> = Some(
        "write a script that has to be copied as a component with an `enum` of its states and a `Timer`, and a system",
    );
    type Tracking = Untracked;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<Script> = IdSlot::new();
        Some(&SLOT)
    }
}

#[diagnostic::do_not_recommend]
impl SparseComponent for Script {}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Script");
        debug.field("name", &self.shared.name);
        debug.field("at", &format_args!("{}", self.shared.at));
        debug.finish_non_exhaustive()
    }
}
