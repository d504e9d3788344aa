//! The door of an app: functions that it calls between frames, before and after them, after steps and on a panic.
//!
//! # The cost of hooks
//! All hooks, and the pause, are behind one pointer (`App::door`), which is empty without them: an app without
//! either pays one load a frame. With a door, `App::advance` takes a slow path, which is the same frame with calls around it
//! (`App::frame_by_door`). Hooks are taken out of the door while they are called, so they get the whole app.

use std::any::{Any, type_name_of_val};
use std::mem::{forget, replace, take};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use ecs_engine::World;
use ecs_engine::schedule::Step;

use crate::app::App;
use crate::exit::AppExit;
use crate::frame_panic::FramePanic;
use crate::hooks::{Calls, Door, FrameMoment, Hook, HookList, HookResult, PanicHook};

/// Hooks.
impl App {
    /// Calls a function at the beginning of each [`update`](Self::update), between two frames, with the whole app.
    ///
    /// It is called while the app is [paused](Self::pause) too, so it is the place for a server that answers questions, or
    /// for keys of a debugger. It may pause and resume the app, [step](Self::step) it, change the world, and add plugins,
    /// systems and hooks. As in all hooks, an app that ends by `Exit` completes the next frame first, unless it is paused.
    ///
    /// Every kind of loop calls it, because all of them update the app: [`run`](Self::run), a window, a page, a test.
    ///
    /// Hooks are called in the order they were added. A hook that returns [`ControlFlow::Break`](std::ops::ControlFlow::Break) is removed. A hook that
    /// another one adds is called from the next time on.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use std::sync::mpsc;
    ///
    /// /// A debugger, which other threads talk to.
    /// fn debugger(app: &mut App, orders: mpsc::Receiver<&'static str>) {
    ///     app.between_frames(move |app| {
    ///         for order in orders.try_iter() {
    ///             match order {
    ///                 "pause" => _ = app.pause(),
    ///                 "step" => _ = app.step(),
    ///                 _ => _ = app.resume(),
    ///             }
    ///         }
    ///     });
    /// }
    ///
    /// #[system]
    /// fn count(mut frames: ResMut<u32>) { *frames += 1 }
    ///
    /// let (send, orders) = mpsc::channel();
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).add_systems(Update, count);
    /// debugger(&mut app, orders);
    /// send.send("pause")?;
    /// app.update();
    /// send.send("step")?;
    /// app.update();
    /// assert_eq!(*app.world().resource::<u32>(), 1);
    /// # Ok::<(), mpsc::SendError<&str>>(())
    /// ```
    ///
    /// # Panics
    /// `update` and `run` panic inside a hook: it would wait for itself. In this kind of hook, [`step`](Self::step),
    /// [`step_system`](Self::step_system) and [`run_until`](Self::run_until) run frames.
    #[doc(alias = "on_update")]
    pub fn between_frames<R: HookResult>(
        &mut self,
        mut hook: impl FnMut(&mut Self) -> R + Send + 'static,
    ) -> &mut Self {
        let name = type_name_of_val(&hook);
        let hook = move |app: &mut Self| hook(app).stays();
        self.door().between.push(name, Box::new(hook));
        self
    }

    /// Calls a function before each frame that runs, with the whole app.
    ///
    /// The frame follows in any case, so each call is followed by one of the [hooks after](Self::after_frame) it, or by a
    /// panic. A pause takes effect after the frame. Before the first frame it is called before the app is built and
    /// `Startup` runs; see [`between_frames`](Self::between_frames) for everything else.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Resource, Default)]
    /// struct Keys(Vec<char>);
    /// #[derive(Resource, Default)]
    /// struct Typed(String);
    ///
    /// #[system]
    /// fn write(keys: Res<Keys>, mut typed: ResMut<Typed>) { typed.0.extend(&keys.0) }
    ///
    /// /// Plays back what was typed in each frame.
    /// fn replay(mut frames: std::vec::IntoIter<Vec<char>>) -> impl FnMut(&mut App) {
    ///     move |app| app.world_mut().resource_mut::<Keys>().0 = frames.next().unwrap_or_default()
    /// }
    ///
    /// let mut app = App::new();
    /// app.init_resource::<Keys>().init_resource::<Typed>().add_systems(Update, write);
    /// app.before_frame(replay(vec![vec!['h'], vec![], vec!['i', '!']].into_iter()));
    /// for _ in 0..3 {
    ///     app.update();
    /// }
    /// assert_eq!(app.world().resource::<Typed>().0, "hi!");
    /// ```
    ///
    /// # Panics
    /// The methods that run frames panic inside the hook.
    pub fn before_frame<R: HookResult>(
        &mut self,
        mut hook: impl FnMut(&mut Self) -> R + Send + 'static,
    ) -> &mut Self {
        let name = type_name_of_val(&hook);
        let hook = move |app: &mut Self| hook(app).stays();
        self.door().before.push(name, Box::new(hook));
        self
    }

    /// Calls a function after each frame that has run, with the whole app; not after a [panic](Self::on_panic).
    ///
    /// If it asks for the end, through `Exit`, this was the last frame. See [`between_frames`](Self::between_frames) for
    /// everything else.
    ///
    /// # Panics
    /// The methods that run frames panic inside the hook.
    pub fn after_frame<R: HookResult>(
        &mut self,
        mut hook: impl FnMut(&mut Self) -> R + Send + 'static,
    ) -> &mut Self {
        let name = type_name_of_val(&hook);
        let hook = move |app: &mut Self| hook(app).stays();
        self.door().after.push(name, Box::new(hook));
        self
    }

    /// Calls a function at the beginning of each frame, after all hooks [before](Self::before_frame) it, and at its end, before
    /// all hooks [after](Self::after_frame) it.
    ///
    /// Between the two calls only systems and the clock change the world. This is the place for code that tells their work from
    /// everything else: a recorder, or a profiler. See [`between_frames`](Self::between_frames) for everything else.
    ///
    /// ```
    /// use ecs_core::app::FrameMoment;
    /// use ecs_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// let mut app = App::new();
    /// app.init_resource::<Vec<Duration>>();
    /// app.around_frame(|app, moment| {
    ///     if let FrameMoment::Begin { delta, .. } = moment {
    ///         app.world_mut().resource_mut::<Vec<Duration>>().push(delta);
    ///     }
    /// });
    /// let frame = Duration::from_millis(10);
    /// app.update_times(3, frame);
    /// assert_eq!(*app.world().resource::<Vec<Duration>>(), [frame; 3]);
    /// ```
    ///
    /// # Panics
    /// The methods that run frames panic inside the hook.
    pub fn around_frame<R: HookResult>(
        &mut self,
        mut hook: impl FnMut(&mut Self, FrameMoment) -> R + Send + 'static,
    ) -> &mut Self {
        let name = type_name_of_val(&hook);
        let hook = move |app: &mut Self, moment: &FrameMoment| hook(app, *moment).stays();
        self.door().around.push(name, Box::new(hook));
        self
    }

    /// Calls a function after each system of a frame and of `Startup`, with its step and the world.
    ///
    /// The order is the planned one, and the commands of the system are applied before, as in
    /// [`Schedule::run_watched`](ecs_engine::Schedule::run_watched), which has the details. As long as there is such a hook,
    /// systems run one after the other on the thread that runs the app, because between two of them nothing else may run.
    /// The results are the same as with threads; loops inside systems still use several.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use std::ops::ControlFlow;
    ///
    /// #[system]
    /// fn double(mut n: ResMut<u32>) { *n *= 2 }
    /// #[system]
    /// fn add(mut n: ResMut<u32>) { *n += 1 }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(1_u32).add_systems(Update, (double, add));
    /// app.after_step(|step, world| {
    ///     println!("{}: {}", step.name(), *world.resource::<u32>());
    ///     // Once is enough.
    ///     if step.name().ends_with("add") { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// });
    /// app.update();
    /// assert_eq!(*app.world().resource::<u32>(), 3);
    /// ```
    pub fn after_step<R: HookResult>(
        &mut self,
        mut hook: impl FnMut(Step<'_>, &World) -> R + Send + 'static,
    ) -> &mut Self {
        let name = type_name_of_val(&hook);
        let hook = move |step: Step<'_>, world: &World| hook(step, world).stays();
        self.door().steps.push(name, Box::new(hook));
        self
    }

    /// Calls a function when a frame panics, before the panic goes on: the place to write a report, or the last inputs.
    ///
    /// All systems have ended. The world is as the panic has left it, so values that several systems keep consistent may
    /// not be. A panic of the function itself is ignored, since the first one goes on.
    ///
    /// It is also called for panics of hooks: before, after and between frames, and after steps. [`FramePanic::hook`] names
    /// the one that panicked.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use std::sync::{Arc, Mutex};
    ///
    /// #[system]
    /// fn divide(by: Res<u32>) { assert_ne!(*by, 0, "division by zero") }
    ///
    /// let report = Arc::new(Mutex::new(String::new()));
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).add_systems(FixedUpdate, divide);
    /// let written = report.clone();
    /// app.on_panic(move |panic, app| {
    ///     let frame = app.world().resource::<Time>().frame();
    ///     *written.lock().unwrap() = format!("frame {frame}, system {:?} in {}", panic.system(), panic.path());
    /// });
    /// let frame = std::panic::AssertUnwindSafe(|| app.update_by(App::DEFAULT_FIXED_STEP));
    /// assert!(std::panic::catch_unwind(frame).is_err());
    /// assert!(report.lock().unwrap().contains("divide\") in FixedUpdate"));
    /// ```
    ///
    /// # Panics
    /// The methods that run frames panic inside the hook, which is ignored too.
    pub fn on_panic<R: HookResult>(
        &mut self,
        mut hook: impl FnMut(&FramePanic<'_>, &mut Self) -> R + Send + 'static,
    ) -> &mut Self {
        let name = type_name_of_val(&hook);
        let hook = move |panic: &FramePanic<'_>, app: &mut Self| hook(panic, app).stays();
        self.door().panics.push(name, Box::new(hook));
        self
    }
}

impl App {
    /// Says that code between two frames has changed entities, as an editor or a load does; not needed after changes of
    /// resources and events. O(1).
    ///
    /// A recorder begins the next frame with a snapshot then. Without it, the recorder notices such a change by the hashes around
    /// it, if it has taken them. Without a recorder this does nothing.
    pub fn note_change(&mut self) {
        if let Some(door) = &mut self.door {
            door.changes += 1;
        }
    }

    /// Returns how often [`note_change`](Self::note_change) was called since the app has hooks.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn noted_changes(&self) -> u64 {
        self.door.as_ref().map_or(0, |door| door.changes)
    }

    /// Returns the door, which may be changed, so that it does not sleep.
    #[inline]
    pub(crate) fn door(&mut self) -> &mut Door<Self> {
        let door = self.door.get_or_insert_default();
        door.asleep = None;
        door
    }

    /// Keeps the door from sleeping, which it only does without hooks of frames.
    #[inline]
    fn wake_door(&mut self) {
        if let Some(door) = &mut self.door
            && door.asleep.is_some()
        {
            door.asleep = None;
        }
    }

    /// Removes a door that does nothing, or lets it sleep.
    #[inline]
    pub(crate) fn close_door(&mut self) {
        let stays_open = |door: &Door<Self>| door.has_hooks_of_frames();
        if !self.door.as_deref().is_some_and(stays_open) {
            self.close_idle_door();
        }
    }

    fn close_idle_door(&mut self) {
        if self.is_in_frame() {
            return;
        }
        self.door.take_if(|door| door.is_unused());
        if let Some(door) = &mut self.door {
            door.fall_asleep();
        }
    }

    /// Like [`between_frames`](Self::between_frames), for a hook that has nothing to do while the bell is zero. If it is the only hook
    /// of the app, such frames are as fast as without it.
    #[doc(hidden)]
    pub fn between_frames_when(
        &mut self,
        bell: Arc<AtomicUsize>,
        hook: impl FnMut(&mut Self) + Send + 'static,
    ) {
        let is_first = self.door().between.is_empty();
        self.between_frames(hook);
        self.door().bell = Some(bell).filter(|_| is_first);
    }

    /// # Panics
    /// In a hook that must not run frames by `method`: one of a kind above `most`.
    #[inline]
    pub(crate) fn refuse_in_hook(&self, most: Calls, method: &str) {
        let calls = self.door.as_ref().map_or(Calls::Nothing, |door| door.calls);
        if calls > most {
            refuse(calls, method);
        }
    }

    /// Advances an app that has a door.
    #[inline(never)]
    pub(crate) fn advance_by_door(
        &mut self,
        delta: Duration,
        mut real: Duration,
    ) -> Option<AppExit> {
        self.refuse_in_hook(Calls::Nothing, "update");
        if self.exit.is_none() {
            self.wake_door();
            self.reporting(|app| app.call_hooks(Calls::Between, |door| &mut door.between));
        }
        if self.exit.is_none() {
            if self.is_paused() {
                self.pass_over(real);
            } else {
                self.complete_frame();
                if let Some(door) = &mut self.door
                    && !door.skipped.is_zero()
                {
                    real = real.saturating_add(take(&mut door.skipped));
                }
                if self.exit.is_none() {
                    self.frame_by_door(delta, real);
                }
            }
        }
        self.close_door();
        self.exit
    }

    /// Returns the time that has passed outside of the game since the app was paused.
    #[cfg(feature = "data")]
    pub(crate) fn skipped(&self) -> Duration {
        self.door
            .as_ref()
            .map_or(Duration::ZERO, |door| door.skipped)
    }

    /// Skips a frame, because the app is paused.
    fn pass_over(&mut self, real: Duration) {
        let door = self.door();
        door.skipped = door.skipped.saturating_add(real);
        if let Some(exit) = self.asked() {
            if self.is_in_frame() {
                self.complete_frame();
            } else {
                self.exit = Some(exit);
            }
        }
    }

    /// Runs a frame again that a hook [around](Self::around_frame) it has seen, with its lengths, whether or not the app is paused.
    ///
    /// # Panics
    /// In a hook.
    #[doc(hidden)]
    pub fn repeat_frame(&mut self, delta: Duration, real: Duration) -> Option<AppExit> {
        self.refuse_in_hook(Calls::Nothing, "repeat_frame");
        self.complete_frame();
        if self.exit.is_none() {
            self.frame_by_door(delta, real);
        }
        self.close_door();
        self.exit
    }

    /// Runs a frame, with the hooks around it. `real` is the time that has passed outside of the game.
    pub(crate) fn frame_by_door(&mut self, delta: Duration, real: Duration) {
        self.reporting(|app| app.call_and_run(delta, real));
    }

    #[inline]
    fn call_and_run(&mut self, delta: Duration, real: Duration) {
        self.call_hooks(Calls::OfFrame, |door| &mut door.before);
        // Taken out once, for both moments of the frame. Nothing between them runs frames either.
        let mut around = Called::new(self, Calls::OfFrame, |door| &mut door.around);
        let moment = FrameMoment::Begin { delta, real };
        around.call(|hook, app| hook(app, &moment));
        around.app.run_frame(delta, real);
        let moment = FrameMoment::End;
        around.call(|hook, app| hook(app, &moment));
        around.end();
        self.call_last();
    }

    #[inline(never)]
    fn run_frame(&mut self, delta: Duration, real: Duration) {
        if self.begin(delta, real) {
            let result = self.run_schedule(|built| &mut built.frame);
            self.end(result);
        }
    }

    #[inline]
    pub(crate) fn call_before(&mut self, delta: Duration, real: Duration) {
        self.call_hooks(Calls::OfFrame, |door| &mut door.before);
        self.call_around(&FrameMoment::Begin { delta, real });
    }

    fn call_around(&mut self, moment: &FrameMoment) {
        self.call_each(
            Calls::OfFrame,
            |door| &mut door.around,
            |hook, app| hook(app, moment),
        );
    }

    /// Calls the hooks around a frame and after it.
    #[inline]
    pub(crate) fn call_after(&mut self) {
        self.call_around(&FrameMoment::End);
        self.call_last();
    }

    /// Calls the hooks after a frame, which may ask for the end. The frame has noticed all earlier requests.
    #[inline]
    fn call_last(&mut self) {
        let is_last = |door: &Door<Self>| !door.after.is_empty();
        if self.door.as_deref().is_some_and(is_last) {
            self.call_hooks_after();
        }
    }

    #[inline(never)]
    fn call_hooks_after(&mut self) {
        self.call_hooks(Calls::OfFrame, |door| &mut door.after);
        self.exit = self.exit.or_else(|| self.asked());
    }

    #[inline]
    fn call_hooks(
        &mut self,
        calls: Calls,
        list: impl Fn(&mut Door<Self>) -> &mut HookList<Hook<Self>> + Copy,
    ) {
        self.call_each(calls, list, |hook, app| hook(app));
    }

    /// Calls hooks until one panics, and removes those that do not stay.
    #[inline]
    fn call_each<H>(
        &mut self,
        calls: Calls,
        list: impl Fn(&mut Door<Self>) -> &mut HookList<H> + Copy,
        call: impl FnMut(&mut H, &mut Self) -> bool,
    ) {
        let mut door = self.door.as_deref_mut();
        if door.as_mut().is_some_and(|door| !list(door).is_empty()) {
            let mut called = Called::new(self, calls, list);
            called.call(call);
            called.end();
        }
    }

    /// Lets the hooks see a panic of a frame, or of hooks.
    #[inline]
    pub(crate) fn reporting<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let reports = match &mut self.door {
            Some(door) if !door.panics.is_empty() => {
                door.panicked = None;
                door.reports
            }
            _ => return run(self),
        };
        match catch_unwind(AssertUnwindSafe(|| run(self))) {
            Ok(result) => result,
            Err(payload) => {
                self.report(reports, &*payload);
                resume_unwind(payload)
            }
        }
    }

    /// Reports a panic, unless one was reported since there were so many `reports`: a hook between frames has run a frame, which
    /// has panicked.
    #[cold]
    fn report(&mut self, reports: u64, payload: &(dyn Any + Send)) {
        let steps = self.world.take_run_panic(payload);
        let Some(door) = self.door.as_mut().filter(|door| door.reports == reports) else {
            return;
        };
        door.reports += 1;
        let panic = match door.panicked.take() {
            Some(hook) => FramePanic::of_hook(hook, steps.as_deref(), payload),
            None => match steps.as_deref() {
                Some(steps) if steps.is_of_watcher() => {
                    FramePanic::of_step_hook(door.steps.panicked(), steps, payload)
                }
                steps => FramePanic::new(steps, payload),
            },
        };
        let call = |hook: &mut PanicHook<Self>, app: &mut Self| {
            let call = AssertUnwindSafe(|| hook(&panic, app));
            // The panic that is being reported is the one that goes on; this one has printed its message.
            catch_unwind(call).unwrap_or_else(|other| {
                drop(catch_unwind(AssertUnwindSafe(|| drop(other))));
                true
            })
        };
        self.call_each(Calls::OfFrame, |door| &mut door.panics, call);
    }
}

#[cold]
fn refuse(calls: Calls, method: &str) -> ! {
    let kind = match calls {
        Calls::OfFrame => "of a frame",
        _ => "between frames",
    };
    panic!(
        "`App::{method}` was called by a hook {kind}, which would wait for itself; help: call `App::step` in a hook of `App::between_frames`, or note in a resource that you want to"
    );
}

/// Hooks that are being called, taken out of their list.
struct Called<'a, H, L: Fn(&mut Door<App>) -> &mut HookList<H>> {
    app: &'a mut App,
    hooks: HookList<H>,
    list: L,
    outer: Calls,
}

impl<'a, H, L: Fn(&mut Door<App>) -> &mut HookList<H>> Called<'a, H, L> {
    /// Takes the hooks out of a list. As long as they are, the app counts as calling them.
    #[inline]
    fn new(app: &'a mut App, calls: Calls, list: L) -> Self {
        let (mut hooks, mut outer) = (HookList::new(), Calls::Nothing);
        if let Some(door) = &mut app.door {
            (hooks, outer) = (list(door).take(), replace(&mut door.calls, calls));
        }
        Self {
            app,
            hooks,
            list,
            outer,
        }
    }

    /// Calls hooks until one panics, and removes those that do not stay.
    #[inline]
    fn call(&mut self, mut call: impl FnMut(&mut H, &mut App) -> bool) {
        let Self { app, hooks, .. } = self;
        hooks.retain_mut(|hook| call(hook, app));
    }

    /// Puts the hooks back.
    #[inline]
    fn end(mut self) {
        self.put_back();
        // It has no hooks left, and would put them back once more.
        forget(self);
    }

    #[inline(always)]
    fn put_back(&mut self) {
        let hooks = self.hooks.take();
        let Some(door) = &mut self.app.door else {
            return self.put_into_new(hooks);
        };
        door.calls = self.outer;
        // Hooks that were added meanwhile come behind them.
        (self.list)(door).put_first(hooks);
    }

    /// Puts hooks back into an app that has lost its door, with everything else: a hook has put another app in its place.
    #[cold]
    #[inline(never)]
    fn put_into_new(&mut self, hooks: HookList<H>) {
        if !hooks.is_empty() {
            let door = self.app.door.get_or_insert_default();
            door.calls = self.outer;
            (self.list)(door).put_first(hooks);
        }
    }
}

/// After a panic of a hook, or of the frame.
impl<H, L: Fn(&mut Door<App>) -> &mut HookList<H>> Drop for Called<'_, H, L> {
    fn drop(&mut self) {
        if let (Some(name), Some(door)) = (self.hooks.panicked(), &mut self.app.door) {
            door.panicked = Some(name);
        }
        self.put_back();
    }
}

#[cfg(test)]
#[path = "door_tests.rs"]
mod tests;
