//! The hooks and the pause of an app.

use std::mem::{forget, replace};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ecs_engine::World;
use ecs_engine::schedule::Step;

use crate::frame_panic::FramePanic;

/// A function that an app calls; returns true if it stays.
pub(crate) type Hook<A> = Box<dyn FnMut(&mut A) -> bool + Send>;
pub(crate) type StepHook = Box<dyn FnMut(Step<'_>, &World) -> bool + Send>;
pub(crate) type FrameHook<A> = Box<dyn FnMut(&mut A, &FrameMoment) -> bool + Send>;
pub(crate) type PanicHook<A> = Box<dyn FnMut(&FramePanic<'_>, &mut A) -> bool + Send>;

/// Hooks of one kind, in the order of their calls.
///
/// They are behind a pointer, because the app takes them out while it calls them.
pub(crate) struct HookList<H>(Option<Box<OrderedHooks<H>>>);

struct OrderedHooks<H> {
    list: Vec<NamedHook<H>>,
    /// The hook that is being called. After a call of all, their number.
    at: usize,
}

struct NamedHook<H> {
    /// The name of its function.
    name: &'static str,
    call: H,
}

impl<H> HookList<H> {
    pub(crate) fn new() -> Self {
        Self(None)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |hooks| hooks.list.len())
    }

    pub(crate) fn push(&mut self, name: &'static str, call: H) {
        let empty = || Box::new(OrderedHooks::new());
        let hooks = self.0.get_or_insert_with(empty);
        hooks.list.push(NamedHook { name, call });
    }

    /// Returns the name of the hook that has panicked, if the last call of these hooks was ended by a panic.
    pub(crate) fn panicked(&self) -> Option<&'static str> {
        let hooks = self.0.as_ref()?;
        hooks.list.get(hooks.at).map(|hook| hook.name)
    }

    #[inline]
    pub(crate) fn take(&mut self) -> Self {
        Self(self.0.take())
    }

    /// Puts hooks before those that are there.
    #[inline]
    pub(crate) fn put_first(&mut self, hooks: Self) {
        if self.0.is_some() {
            return self.put_before_others(hooks);
        }
        // Nothing is dropped.
        forget(replace(&mut self.0, hooks.0));
    }

    #[cold]
    fn put_before_others(&mut self, hooks: Self) {
        let mut all = hooks.0.unwrap_or_else(|| Box::new(OrderedHooks::new()));
        let later = self.0.take();
        all.list
            .extend(later.into_iter().flat_map(|later| later.list));
        self.0 = Some(all);
    }

    /// Calls a function with each hook until it panics, and removes those for which it returns false.
    #[inline]
    pub(crate) fn retain_mut(&mut self, mut call: impl FnMut(&mut H) -> bool) {
        let Some(hooks) = &mut self.0 else {
            return;
        };
        hooks.at = 0;
        // Not `Vec::retain_mut`, which is made for long lists: most have one hook.
        while let Some(hook) = hooks.list.get_mut(hooks.at) {
            match call(&mut hook.call) {
                true => hooks.at += 1,
                false => drop(hooks.list.remove(hooks.at)),
            }
        }
        if hooks.at == 0 {
            self.0 = None;
        }
    }
}

impl<H> OrderedHooks<H> {
    fn new() -> Self {
        Self {
            list: Vec::new(),
            at: 0,
        }
    }
}

/// The hooks and the pause of an app.
pub(crate) struct Door<A> {
    pub(crate) between: HookList<Hook<A>>,
    pub(crate) before: HookList<Hook<A>>,
    pub(crate) after: HookList<Hook<A>>,
    pub(crate) around: HookList<FrameHook<A>>,
    pub(crate) steps: HookList<StepHook>,
    pub(crate) panics: HookList<PanicHook<A>>,
    pub(crate) is_paused: bool,
    /// The time that updates have passed over while the app was paused.
    pub(crate) skipped: Duration,
    /// The lengths of the first frame, in the game and outside of it, while the systems of `Startup` are stepped before it.
    pub(crate) starting: Option<(Duration, Duration)>,
    pub(crate) calls: Calls,
    /// The only hook has work while this is not zero. `None` if there are others, too.
    pub(crate) bell: Option<Arc<AtomicUsize>>,
    /// The bell, while nothing but its hook needs the door.
    pub(crate) asleep: Option<Arc<AtomicUsize>>,
    /// The number of times that code outside of frames has said that it changes entities.
    pub(crate) changes: u64,
    /// The name of the hook of a frame that the panic on its way to a report came from.
    pub(crate) panicked: Option<&'static str>,
    /// The number of panics that were reported.
    pub(crate) reports: u64,
}

/// One of the two moments of a frame at which [`App::around_frame`](crate::App::around_frame) calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameMoment {
    /// The systems of the frame are about to run.
    Begin {
        /// The length of the frame, before [`Time`](crate::Time) limits and scales it.
        delta: Duration,
        /// The time that has passed outside of the game.
        real: Duration,
    },
    /// The systems of the frame have run.
    End,
}

/// The hooks that the app is calling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Calls {
    #[default]
    Nothing,
    /// Hooks between two updates, which may run frames.
    Between,
    /// Hooks of a frame.
    OfFrame,
}

/// The result of a hook of an [`App`](crate::App): `()`, or whether the hook stays.
#[diagnostic::on_unimplemented(
    message = "a hook of an app returns `()` or `ControlFlow<()>`, not `{Self}`",
    label = "write `;` at its end, or return `ControlFlow::Break(())` to remove the hook"
)]
pub trait HookResult {
    /// Returns true if the hook stays.
    #[doc(hidden)]
    fn stays(self) -> bool;
}

/// The hook stays.
impl HookResult for () {
    fn stays(self) -> bool {
        true
    }
}

/// The hook stays, or is removed by [`ControlFlow::Break`].
impl HookResult for ControlFlow<()> {
    fn stays(self) -> bool {
        self.is_continue()
    }
}

// Not derived, which would ask for `A: Default`.
impl<A> Default for Door<A> {
    fn default() -> Self {
        Self {
            between: HookList::new(),
            before: HookList::new(),
            after: HookList::new(),
            around: HookList::new(),
            steps: HookList::new(),
            panics: HookList::new(),
            is_paused: false,
            skipped: Duration::ZERO,
            starting: None,
            calls: Calls::Nothing,
            bell: None,
            asleep: None,
            changes: 0,
            panicked: None,
            reports: 0,
        }
    }
}

impl<A> Door<A> {
    /// Returns true if it has hooks before, after or around frames.
    #[inline]
    pub(crate) fn has_hooks_of_frames(&self) -> bool {
        !(self.around.is_empty() && self.before.is_empty() && self.after.is_empty())
    }

    /// Returns true if it does nothing.
    pub(crate) fn is_unused(&self) -> bool {
        self.between.is_empty() && self.is_unused_but_between()
    }

    /// Returns true if no frame needs it before the bell rings. Two loads.
    #[inline]
    pub(crate) fn is_asleep(&self) -> bool {
        let bell = self.asleep.as_ref();
        bell.is_some_and(|bell| bell.load(Ordering::Relaxed) == 0)
    }

    /// Lets it sleep if only the hook with the bell may need it.
    pub(crate) fn fall_asleep(&mut self) {
        if self.bell.is_some() && self.between.len() == 1 && self.is_unused_but_between() {
            self.asleep = self.bell.clone();
        }
    }

    fn is_unused_but_between(&self) -> bool {
        !self.has_hooks_of_frames()
            && self.steps.is_empty()
            && self.panics.is_empty()
            && !self.is_paused
            && self.skipped.is_zero()
            && self.calls == Calls::Nothing
    }

    /// Returns true if no hook can resume the app while it is paused.
    pub(crate) fn is_shut(&self) -> bool {
        self.is_paused && self.between.is_empty()
    }

    pub(crate) fn sees_steps(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Lets the hooks see a step.
    pub(crate) fn see_step(&mut self, step: Step<'_>, world: &World) {
        self.steps.retain_mut(|hook| hook(step, world));
    }
}
