//! Direct runs of a system: `movement(&world)` and `world.run(movement)`.
//!
//! `#[system]` writes parameters without their lifetimes, and only expressions allow that:
//! `list::<(Comp<Position>,)>()` is a value that knows their types. Only code of this crate uses it, so each system has
//! little to compile.

use alloc::boxed::Box;
use core::any::{Any, TypeId, type_name};
use core::marker::PhantomData;

use super::definition::{
    ExclusiveFn, Known as _, System, SystemVisitor, Visit, VisitSystem, checked, visit,
};
use super::error::LockError;
use super::function::{Correct, Named, RunnableFn};
use super::handle::WorldFor;
use super::held_borrows::HeldBorrows;
use super::name::with_arguments;
use super::param_tuple::{EachCall, EachWith, More, OnceItems, OnceWith, Params, Run};
use super::value::{SystemValue, Valued};
use crate::invariant::Invariant;
use crate::sync::PoisonError;
use crate::world::{CommandQueue, World};

/// Runs a system without ordinary arguments. Called by the function that `#[system]` generates.
#[inline]
#[track_caller]
pub fn direct<S: VisitSystem<Out>, Out, W: WorldFor<S>>(world: &W) -> Out {
    let () = W::CHECK;
    let world = world.world();
    // SAFETY: `visit` passes a function of the parameters of `META`, by the contract of `VisitSystem`.
    match visit::<S, Out, _, ()>(unsafe { Direct::<S>::new(&world) }) {
        Ok(out) => out,
        Err(error) => error.raise(),
    }
}

/// Runs the system `S` immediately: locks its parameters, calls its function, and passes its deferred commands to the
/// world.
pub struct Direct<'w, S> {
    world: &'w World,
    /// Invariant 1: runs a function only if its parameters are the ones listed by `S::META`, in that order. If only
    /// filters keep queries disjoint, the queries borrow their shared components once together.
    system: Invariant<S>,
}

impl<S: VisitSystem<Out>, Out> SystemVisitor<Out> for Direct<'_, S> {
    type Output = Result<Out, LockError>;

    #[inline]
    fn visit<P, R>(self, run: R) -> Self::Output
    where
        P: Params + 'static,
        R: Run<P, Out> + Copy + Send + 'static,
    {
        self.try_run::<P, Out, R>(run)
    }
}

impl<'w, S: System> Direct<'w, S> {
    /// # Safety
    /// The functions passed to it have the parameters that the metadata of `S` lists, in that order.
    #[inline]
    #[must_use]
    pub unsafe fn new(world: &'w World) -> Self {
        // Invariant 1 is the caller's contract.
        Self {
            world,
            system: PhantomData,
        }
    }

    /// Runs a system with ordinary arguments, which `function` has captured.
    #[inline]
    #[track_caller]
    fn run<P: Params, Out, R: Run<P, Out>>(self, run: R) -> Out {
        match self.try_run::<P, Out, R>(run) {
            Ok(out) => out,
            Err(error) => error.raise(),
        }
    }

    #[inline]
    #[track_caller]
    fn try_run<P: Params, Out, R: Run<P, Out>>(self, run: R) -> Result<Out, LockError> {
        if S::REMEMBERS || !S::IS_FREE {
            return self.try_run_checked::<P, Out, R>(run);
        }
        let world = self.world;
        let mut state = P::init(world);
        let result = match P::lock(&mut state, world, &HeldBorrows::NONE) {
            Ok(mut guard) => Ok(run.run(&mut guard, ())),
            Err(error) => Err(LockError::new(&S::META, type_name::<S>, error)),
        };
        defer(world, &mut state, P::flush);
        result
    }

    /// Like [`try_run`](Self::try_run), for a system that needs a check or keeps state. Separate, so that most systems
    /// have less to compile.
    #[inline]
    #[track_caller]
    fn try_run_checked<P: Params, Out, R: Run<P, Out>>(self, run: R) -> Result<Out, LockError> {
        let world = self.world;
        let mut checked = checked::<S>();
        // Most systems keep no state and need no look-up.
        let kept = if S::REMEMBERS {
            take_state::<P::State>(world, TypeId::of::<S>())
        } else {
            None
        };
        let mut state = match kept {
            Some(state) => state,
            None => P::init(world),
        };
        let result = match checked.enter(world) {
            Ok(entered) => match P::lock(&mut state, world, entered.held()) {
                Ok(mut guard) => Ok(run.run(&mut guard, ())),
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        defer(world, &mut state, P::flush);
        if S::REMEMBERS {
            keep_state(world, TypeId::of::<S>(), Box::new(state));
        }
        match result {
            Ok(out) => Ok(out),
            Err(error) => Err(LockError::new(&S::META, type_name::<S>, error)),
        }
    }
}

/// Passes the commands that the parameters deferred to the world.
#[inline]
fn defer<State>(world: &World, state: &mut State, flush: fn(&mut State, &mut CommandQueue)) {
    let mut queue = CommandQueue::new();
    flush(state, &mut queue);
    if !queue.is_empty() {
        world.defer(&mut queue);
    }
}

/// Calls the function of an exclusive system. Separate, so that it is compiled once and not for each system.
fn run_exclusive<Out>(
    function: Option<ExclusiveFn<Out>>,
    world: &mut World,
) -> Result<Out, LockError> {
    Ok(function.expect("the system is exclusive")(world, ()))
}

/// The parameters of a system, to be combined with its function.
pub struct DirectParams<P>(PhantomData<P>);

/// Returns the list of these parameters.
#[must_use]
pub const fn list<P>() -> DirectParams<P> {
    DirectParams(PhantomData)
}

impl<P> DirectParams<P> {
    /// Adds one more parameter to the list.
    #[must_use]
    pub fn and<Q>(self) -> DirectParams<More<P, Q>> {
        list()
    }
}

impl<P: Params + 'static> DirectParams<P> {
    /// Passes a function of the parameters' items to `visitor`. An associated function compiles fastest.
    #[inline]
    pub fn plain<V, Out, F>(visitor: &mut Visit<V, Out>, function: F)
    where
        V: SystemVisitor<Out>,
        F: Run<P, Out> + Copy + Send + 'static,
    {
        visitor.visit::<P, F>(function);
    }

    /// Like [`plain`](Self::plain), for a function that takes the items as one tuple.
    #[inline]
    pub fn once<V, Out, F>(self, visitor: &mut Visit<V, Out>, function: F)
    where
        V: SystemVisitor<Out>,
        F: FnOnce(P::Item<'_>) -> Out + Copy + Send + 'static,
    {
        visitor.visit::<P, OnceItems<F>>(OnceItems(function));
    }

    /// Passes a loop to `visitor`.
    #[inline]
    pub fn each<V, Out, F>(self, visitor: &mut Visit<V, Out>, run: F)
    where
        V: SystemVisitor<Out>,
        F: FnOnce(&mut P::Guard<'_>) -> Out + Copy + Send + 'static,
    {
        visitor.visit::<P, EachCall<F>>(EachCall(run));
    }

    /// Like [`once`](Self::once), for a function that takes ordinary arguments first.
    #[inline]
    pub fn once_with<V, Out, Args, F>(self, visitor: &mut Visit<V, Out, Args>, function: F)
    where
        V: SystemVisitor<Out, Args>,
        F: FnOnce(Args, P::Item<'_>) -> Out + Copy + Send + 'static,
    {
        visitor.visit::<P, OnceWith<F>>(OnceWith(function));
    }

    /// Like [`each`](Self::each), for a loop that takes ordinary arguments first.
    #[inline]
    pub fn each_with<V, Out, Args, F>(self, visitor: &mut Visit<V, Out, Args>, run: F)
    where
        V: SystemVisitor<Out, Args>,
        F: FnOnce(Args, &mut P::Guard<'_>) -> Out + Copy + Send + 'static,
    {
        visitor.visit::<P, EachWith<F>>(EachWith(run));
    }

    /// Runs a system with ordinary arguments, which `function` has captured.
    #[inline]
    #[track_caller]
    pub fn direct_once<S, Out, F>(self, direct: Direct<'_, S>, function: F) -> Out
    where
        S: System,
        F: FnOnce(P::Item<'_>) -> Out,
    {
        direct.run::<P, Out, OnceItems<F>>(OnceItems(function))
    }

    /// Like [`direct_once`](Self::direct_once), for a loop.
    #[inline]
    #[track_caller]
    pub fn direct_each<S, Out, F>(self, direct: Direct<'_, S>, run: F) -> Out
    where
        S: System,
        F: FnOnce(&mut P::Guard<'_>) -> Out,
    {
        direct.run::<P, Out, EachCall<F>>(EachCall(run))
    }
}

/// The methods of a list with a type that is not a parameter. The compiler finds them if the methods above do not
/// apply; they accept any arguments, so it reports no second error.
pub trait BrokenList: Sized {
    /// Replaces [`DirectParams::plain`].
    fn plain<V: SystemVisitor<Out>, Out, F>(_: &mut Visit<V, Out>, _: F) {
        unreachable!("the program does not compile")
    }

    /// Replaces [`DirectParams::once`].
    fn once<V: SystemVisitor<Out>, Out, F>(self, _: &mut Visit<V, Out>, _: F) {
        unreachable!("the program does not compile")
    }

    /// Replaces [`DirectParams::each`].
    fn each<V: SystemVisitor<Out>, Out, F>(self, _: &mut Visit<V, Out>, _: F) {
        unreachable!("the program does not compile")
    }

    /// Replaces [`DirectParams::once_with`].
    fn once_with<V: SystemVisitor<Out, Args>, Out, Args, F>(
        self,
        _: &mut Visit<V, Out, Args>,
        _: F,
    ) {
        unreachable!("the program does not compile")
    }

    /// Replaces [`DirectParams::each_with`].
    fn each_with<V: SystemVisitor<Out, Args>, Out, Args, F>(
        self,
        _: &mut Visit<V, Out, Args>,
        _: F,
    ) {
        unreachable!("the program does not compile")
    }

    /// Replaces [`DirectParams::direct_once`].
    fn direct_once<S, Out, F>(self, _: Direct<'_, S>, _: F) -> Out {
        unreachable!("the program does not compile")
    }

    /// Replaces [`DirectParams::observed_once`].
    fn observed_once<A, Out, F>(self, _: A, _: F) -> Out {
        unreachable!("the program does not compile")
    }

    /// Replaces [`DirectParams::observed_each`].
    fn observed_each<A, Out, F>(self, _: A, _: F) -> Out {
        unreachable!("the program does not compile")
    }

    /// Replaces [`DirectParams::direct_each`].
    fn direct_each<S, Out, F>(self, _: Direct<'_, S>, _: F) -> Out {
        unreachable!("the program does not compile")
    }
}

impl<P> BrokenList for DirectParams<P> {}

/// Takes the state that the last direct call of a system left in the world, by the type of the system.
///
/// Two calls of the same system at the same time do not share it: the second one starts with a new state.
pub(super) fn take_state<State: 'static>(world: &World, system: TypeId) -> Option<State> {
    let mut kept = world
        .system_states
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let state = kept.remove(system)?;
    state.downcast().ok().map(|state| *state)
}

pub(super) fn keep_state(world: &World, system: TypeId, state: Box<dyn Any + Send>) {
    let mut kept = world
        .system_states
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    // Dropping the state of an overlapping call may run the user's code, so this happens after unlocking.
    let old = kept.insert(system, state);
    drop(kept);
    drop(old);
}

/// A system that [`World::run`] takes: a `#[system]` function without ordinary arguments, a closure of parameters, or a
/// [`SystemValue`] without input.
///
/// `M` is inferred: it distinguishes these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system without ordinary arguments",
    label = "not a system, or one with ordinary arguments",
    note = "a system is a `#[system]` function, passed by name, or a closure of up to eight system parameters, with their types written",
    note = "ordinary arguments, which only a caller has, come first; a parameter among them that the world should supply is marked `#[param]`",
    note = "a closure of a `&World` or a `&mut World` is called, without `run`"
)]
pub trait RunSystem<M> {
    /// The return type.
    type Out;

    /// Returns the name of the system in messages.
    #[doc(hidden)]
    fn name(&self) -> &'static str;

    /// Runs the system, and queues its commands in the world.
    #[doc(hidden)]
    fn run_in(self, world: &mut World) -> Result<Self::Out, LockError>;
}

#[diagnostic::do_not_recommend]
impl<F, M: Correct> RunSystem<Named<M>> for F
where
    F: RunnableFn<M>,
    F::System: VisitSystem<F::Out>,
{
    type Out = F::Out;

    fn name(&self) -> &'static str {
        with_arguments(&F::System::META, type_name::<F::System>()).name
    }

    // The function is a zero-sized value: its type determines the system.
    #[inline]
    #[track_caller]
    fn run_in(self, world: &mut World) -> Result<F::Out, LockError> {
        if const { F::System::EXCLUSIVE.is_none() } {
            // SAFETY: `visit` passes a function of the parameters of `META`, by the contract of `VisitSystem`.
            visit::<F::System, F::Out, _, ()>(unsafe { Direct::<F::System>::new(world) })
        } else {
            run_exclusive(F::System::EXCLUSIVE, world)
        }
    }
}

#[diagnostic::do_not_recommend]
impl<Out: 'static> RunSystem<Valued> for SystemValue<(), Out> {
    type Out = Out;

    fn name(&self) -> &'static str {
        self.meta().name
    }

    fn run_in(self, world: &mut World) -> Result<Out, LockError> {
        (self.build)(world).run_alone(world, ())
    }
}

impl World {
    /// Runs a system once, applies its commands, and returns its result.
    ///
    /// Takes any `#[system]` function without ordinary arguments, with any return type, including exclusive ones. It
    /// also takes closures of system parameters, which may borrow from their surroundings:
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn double(mut number: ResMut<u32>) -> u32 {
    ///     *number *= 2;
    ///     *number
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(21_u32);
    /// assert_eq!(world.run(double), 42);
    ///
    /// let mut seen = Vec::new();
    /// let half = world.run(|number: Res<u32>| {
    ///     seen.push(*number);
    ///     *number / 2
    /// });
    /// assert_eq!((half, seen), (21, vec![42]));
    /// ```
    ///
    /// If the commands can wait, or you only have a `&World`, call the function: `movement(&world)`.
    ///
    /// # State between runs
    /// The world keeps the states of the parameters from run to run ([`Local`](super::Local), the positions of readers, the
    /// ticks of the last run). It keeps one set of states for each function and for each closure in the program text,
    /// whatever values the closure has captured. So a closure that runs once a frame sees each event once. It also goes on
    /// when the same closure runs again in a loop, or in a second call of the function around it. Its readers stay
    /// registered: events that they do not read are kept for them, up to [the bound](crate::event::Events#the-bound).
    ///
    /// A [`SystemValue`] is moved into the call, so each call starts with fresh states. To keep them,
    /// [register](World::register_system) the value.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.add_event::<u32>();
    /// let mut seen = Vec::new();
    /// for n in 0..3_u32 {
    ///     world.send_event(n);
    ///     world.run(|mut events: EventReader<u32>| seen.push(events.read().sum::<u32>()));
    /// }
    /// assert_eq!(seen, [0, 1, 2]);
    /// ```
    ///
    /// # Panics
    /// If a parameter cannot be locked, for example because a resource is missing; the message names system, parameter
    /// and reason.
    #[track_caller]
    #[doc(alias = "run_system_once")]
    #[doc(alias = "run_now")]
    #[doc(alias = "run_system_cached")]
    #[doc(alias = "run_default")]
    pub fn run<F, M>(&mut self, system: F) -> F::Out
    where
        F: RunSystem<M>,
    {
        let result = system.run_in(self);
        self.flush();
        match result {
            Ok(out) => out,
            Err(error) => error.raise(),
        }
    }
}
