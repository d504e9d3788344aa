//! Closures as systems.
//!
//! # Run a closure
//! The types of its parameters make a closure a system (`system/closure.rs`). Two bounds determine the parameters: one on
//! the types as written, and one on the items of a run. A `#[system]` function meets neither: its last argument is a
//! reference to a type that is not known yet, and no reference is a parameter. It does accept a `&mut World`, and the
//! compiler cannot tell it from an exclusive closure, so exclusive closures need `from_fn`. The compiler tries the impl of
//! each arity for each system that is added to a schedule (0.9 million instructions of `cargo check` per system), so these
//! impls have few bounds.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use core::any::TypeId;
use core::marker::PhantomData;

use super::condition::{BoxCondition, ConditionOutput, ConditionSource, IntoCondition, function};
use super::direct::{RunSystem, keep_state, take_state};
use super::error::{LockError, ParamLockError};
use super::exclusive::{exclusive, exclusive_value};
use super::held_borrows::{HeldBorrows, NoConflict, check};
use super::param::SystemParam;
use super::param_tuple::Params;
use super::remembered::{Remember, captured};
use super::runner::{
    AnySystem, BoxError, DynSystem, IntoSystem, Runner, SystemId, SystemOutput, SystemSource,
};
use super::value::{IntoSystemValue, SystemValue};
use crate::invariant::Invariant;
use crate::meta::{ConditionMeta, ParamInfo, SystemMeta, refuse_conflict};
use crate::tuples::for_each_prefix;
use crate::type_name::type_name;
use crate::world::{CommandQueue, World};

/// Makes a closure a system with a type of its own, [`FnSystem`].
///
/// Closures of parameters are systems without it: [`World::run`], [`Schedule::add`](crate::Schedule::add) and
/// [`run_if`](crate::IntoConfigs::run_if) take them directly. An exclusive closure needs it: an exclusive `#[system]`
/// function also accepts a `&mut World`, and the compiler could not tell the two apart:
///
/// ```
/// use ecs_core::prelude::*;
///
/// let mut frame = Schedule::new();
/// let mut frames = 0;
/// frame.add(ecs_core::from_fn(move |world: &mut World| {
///     frames += 1;
///     world.insert_resource::<u32>(frames);
/// }));
/// let mut world = World::new();
/// frame.run(&mut world)?;
/// frame.run(&mut world)?;
/// assert_eq!(*world.resource::<u32>(), 2);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
///
/// A closure with an input needs it too; see [`In`](super::In).
///
/// If the compiler refuses a closure, write it as a `#[system]` function: the errors then say which parameter is wrong
/// and why.
pub fn from_fn<F, M>(function: F) -> FnSystem<F, M>
where
    F: AnyClosure<M>,
{
    const { F::CHECK };
    FnSystem {
        function,
        of: PhantomData,
    }
}

/// A closure that is a system; see [`from_fn`].
#[must_use = "does nothing until it is added to a schedule"]
pub struct FnSystem<F, M> {
    function: F,
    /// The parameters.
    of: Invariant<M>,
}

/// A closure that is a system, because all its parameters are system parameters.
///
/// [`World::run`], [`Schedule::add`](crate::Schedule::add) and, if it returns `bool`,
/// [`run_if`](crate::IntoConfigs::run_if) take it. Write the types of the parameters, up to eight of them (tuples of
/// parameters are parameters too). Captured values are kept from run to run. The compiler names the closure,
/// `game::main::{{closure}}`, and messages show its parameters by their types alone. If you need good messages or direct
/// calls, write a `#[system]` function.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
///
/// let speed = 2.0;
/// let mut ticks = 0;
/// let mut frame = Schedule::new();
/// frame.add(move |mut positions: CompMut<Position>, dt: Res<f32>| {
///     ticks += 1;
///     for position in &mut positions {
///         position.0 += speed * *dt * ticks as f32;
///     }
/// });
/// frame.add((|mut dt: ResMut<f32>| *dt = 0.0).run_if(|positions: Query<&Position>| positions.iter().any(|p| p.0 > 2.0)));
///
/// let mut world = World::new();
/// world.insert_resource(0.5_f32);
/// let entity = world.spawn(Position(0.0));
/// for _ in 0..3 {
///     frame.run(&mut world)?;
/// }
/// assert_eq!(world.get::<Position>(entity).unwrap().0, 3.0);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
///
/// Parameters that conflict are a compile error, which `cargo build` shows and `cargo check` does not:
///
/// ```compile_fail,E0080
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
///
/// let mut frame = Schedule::new();
/// frame.add(|a: CompMut<Position>, b: Query<&Position>| {});
/// ```
///
/// Some conflicts cannot be decided by a constant: aliases or derived parameters can hide generic components. These panic
/// when the schedule is built.
///
/// `M` is inferred: it names the parameters.
///
/// # Safety
/// `PARAMS` lists the parameters, and `call` accesses nothing else of the world. `call` passes `held` to the `lock` of
/// each parameter, once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a system",
    label = "not a closure of system parameters",
    note = "a closure takes up to eight system parameters, with their types written: `|mut pos: CompMut<Position>, time: Res<Time>| ..`"
)]
pub unsafe trait SystemClosure<M> {
    /// The parameters as a tuple.
    #[doc(hidden)]
    type Params: SystemParam;
    /// The type that the closure returns.
    type Out;

    /// The descriptions of the parameters.
    #[doc(hidden)]
    const PARAMS: &'static [ParamInfo];

    /// The names of the parameters' types.
    #[doc(hidden)]
    const NAMES: &'static [fn() -> &'static str];

    /// Fails to compile if parameters are known to conflict.
    #[doc(hidden)]
    const CHECK: () = {
        // A constant cannot know the closure's name; the compiler points at its place.
        let meta = SystemMeta::new("closure", Self::PARAMS);
        let mut second = 0;
        while second < meta.params.len() {
            refuse_conflict(&meta, second, &[], &[]);
            second += 1;
        }
    };

    /// Returns the name of the closure.
    #[doc(hidden)]
    fn name() -> &'static str {
        type_name::<Self>()
    }

    /// Runs the closure once.
    #[doc(hidden)]
    fn call(
        &mut self,
        state: &mut <Self::Params as SystemParam>::State,
        world: &World,
        held: &HeldBorrows<'_>,
    ) -> Result<Self::Out, ParamLockError>;
}

/// A closure that is called with the items of the parameters `P`.
///
/// A trait of its own, because the compiler tries all impls of [`SystemClosure`] for each system that is added to a
/// schedule. Most fail at the number of parameters, before the compiler needs the types of the items.
pub trait CallWithItems<P: Params, Out> {
    /// Calls the closure.
    fn call_with_items(&mut self, guard: &mut P::Guard<'_>) -> Out;
}

macro_rules! system_closure {
    ($($name:ident $index:tt),*) => {
        #[diagnostic::do_not_recommend]
        impl<Func, Out, $($name: SystemParam),*> CallWithItems<($($name,)*), Out> for Func
        where
            Func: FnMut($($name::Item<'_>),*) -> Out,
        {
            #[inline]
            fn call_with_items(&mut self, guard: &mut ($($name::Guard<'_>,)*)) -> Out {
                let _ = &mut *guard;
                self($($name::item(&mut guard.$index)),*)
            }
        }

        // SAFETY: `PARAMS` and `call`, which locks the parameters by `Params::lock`, are expanded from the same list.
        #[diagnostic::do_not_recommend]
        unsafe impl<Func, Out, $($name: SystemParam),*> SystemClosure<fn($($name),*) -> Out> for Func
        where
            // The first bound determines the parameters; the call uses the second one.
            Func: FnMut($($name),*) -> Out + CallWithItems<($($name,)*), Out>,
        {
            type Params = ($($name,)*);
            type Out = Out;

            const PARAMS: &'static [ParamInfo] = &[
                $(ParamInfo { name: stringify!($index), ty: "_", of: $name::TYPE }),*
            ];
            const NAMES: &'static [fn() -> &'static str] = &[$(type_name::<$name>),*];

            fn call(
                &mut self,
                state: &mut <Self::Params as SystemParam>::State,
                world: &World,
                held: &HeldBorrows<'_>,
            ) -> Result<Out, ParamLockError> {
                match <Self::Params as Params>::lock(state, world, held) {
                    Ok(mut guard) => Ok(self.call_with_items(&mut guard)),
                    Err(error) => Err(error),
                }
            }
        }
    };
}

system_closure!();
for_each_prefix!(system_closure: [A 0] [B 1] [C 2] [D 3] [E 4] [F 5] [G 6] [H 7]);

/// Marks closures of parameters, in the `M` of [`IntoSystem`], [`IntoCondition`] and the like.
#[doc(hidden)]
pub struct Closure<M>(M);

/// Marks closures of a `&mut World`, in the `M` of [`AnyClosure`].
#[doc(hidden)]
pub struct ExclusiveClosure<Out>(Out);

/// Marks [`from_fn`] closures, in the `M` of [`IntoSystem`] and [`IntoCondition`].
#[doc(hidden)]
pub struct FromFn<M>(M);

pub(super) const fn meta<F: SystemClosure<M>, M>(name: &'static str) -> SystemMeta {
    SystemMeta::new(name, F::PARAMS)
}

/// A closure that [`from_fn`] takes. Its arguments are system parameters or a `&mut World`; an [input](super::In) may
/// precede them.
///
/// `M` is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a system",
    label = "not a closure of system parameters",
    note = "a closure takes up to eight system parameters, with their types written: `|mut pos: CompMut<Position>, time: Res<Time>| ..`; or one `&mut World`; an input comes first: `|In(count): In<usize>, ..| ..`",
    note = "it owns its captured values (`move`), and they are `Send`",
    note = "write it as a `#[system]` function to see which of its parameters is wrong and why"
)]
pub trait AnyClosure<M>: Sized + Send + 'static {
    /// The type of the input: `()` without an [`In`](super::In).
    type In;
    /// The type that the closure returns.
    type Out;

    /// Fails to compile if parameters are known to conflict.
    #[doc(hidden)]
    const CHECK: ();

    /// Makes the closure a value.
    #[doc(hidden)]
    fn value(self) -> SystemValue<Self::In, Self::Out>
    where
        Self::Out: 'static;
}

/// A closure without input that [`from_fn`] takes and a schedule can run.
#[doc(hidden)]
pub trait ScheduledClosure<M>: AnyClosure<M> {
    /// Makes the closure a system.
    fn source(self) -> SystemSource
    where
        Self::Out: SystemOutput;
}

#[diagnostic::do_not_recommend]
impl<F, M: 'static> AnyClosure<Closure<M>> for F
where
    F: SystemClosure<M> + Send + 'static,
{
    type In = ();
    type Out = F::Out;

    const CHECK: () = <F as SystemClosure<M>>::CHECK;

    fn value(self) -> SystemValue<(), F::Out>
    where
        F::Out: 'static,
    {
        self.into_value()
    }
}

#[diagnostic::do_not_recommend]
impl<F, M: 'static> ScheduledClosure<Closure<M>> for F
where
    F: SystemClosure<M> + Send + 'static,
{
    fn source(self) -> SystemSource
    where
        F::Out: SystemOutput,
    {
        self.into_source()
    }
}

#[diagnostic::do_not_recommend]
impl<F, Out> ScheduledClosure<ExclusiveClosure<Out>> for F
where
    F: FnMut(&mut World) -> Out + Send + 'static,
{
    fn source(mut self) -> SystemSource
    where
        Out: SystemOutput,
    {
        exclusive::<F>(type_name::<F>(), move |world| self(world).into_result())
    }
}

#[diagnostic::do_not_recommend]
impl<F, Out> AnyClosure<ExclusiveClosure<Out>> for F
where
    F: FnMut(&mut World) -> Out + Send + 'static,
{
    type In = ();
    type Out = Out;

    const CHECK: () = ();

    fn value(mut self) -> SystemValue<(), Out>
    where
        Out: 'static,
    {
        exclusive_value::<F, _, _>(type_name::<F>(), move |world, ()| self(world))
    }
}

#[diagnostic::do_not_recommend]
impl<F, M> IntoSystemValue<FromFn<M>> for FnSystem<F, M>
where
    F: AnyClosure<M>,
    F::In: 'static,
    F::Out: 'static,
    M: 'static,
{
    type In = F::In;
    type Out = F::Out;

    fn into_value(self) -> SystemValue<F::In, F::Out> {
        self.function.value()
    }
}

#[diagnostic::do_not_recommend]
impl<F, M: 'static> IntoSystemValue<Closure<M>> for F
where
    F: SystemClosure<M> + Send + 'static,
    F::Out: 'static,
{
    type In = ();
    type Out = F::Out;

    fn into_value(self) -> SystemValue<(), F::Out> {
        const { F::CHECK };
        // Invariant 1 of the value: by the contract of `SystemClosure`, the metadata names all accesses.
        SystemValue::new(
            SystemId::of::<F>(),
            meta::<F, M>(type_name::<F>()),
            Box::new(|world| Runner::Shared(Box::new(build(self, world)))),
        )
    }
}

#[diagnostic::do_not_recommend]
impl<F, M> AnySystem<FromFn<M>> for FnSystem<F, M>
where
    F: ScheduledClosure<M>,
{
    type Out = F::Out;

    fn system_source(self) -> SystemSource
    where
        F::Out: SystemOutput,
    {
        self.function.source()
    }
}

#[diagnostic::do_not_recommend]
impl<F, M: 'static> IntoCondition<FromFn<M>> for FnSystem<F, Closure<M>>
where
    F: SystemClosure<M> + Send + 'static,
{
    type Out = F::Out;

    fn into_condition(self) -> ConditionSource
    where
        F::Out: ConditionOutput,
    {
        self.function.into_condition()
    }
}

#[diagnostic::do_not_recommend]
impl<F, M: 'static> AnySystem<Closure<M>> for F
where
    F: SystemClosure<M> + Send + 'static,
{
    type Out = F::Out;

    fn system_source(self) -> SystemSource
    where
        F::Out: SystemOutput,
    {
        const { F::CHECK };
        SystemSource {
            id: SystemId::of::<F>(),
            meta: meta::<F, M>(type_name::<F>()),
            build: Box::new(|world| Runner::Shared(Box::new(build(self, world)))),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<F, M: 'static> IntoCondition<Closure<M>> for F
where
    F: SystemClosure<M> + Send + 'static,
{
    type Out = F::Out;

    fn into_condition(self) -> ConditionSource
    where
        F::Out: ConditionOutput,
    {
        const { F::CHECK };
        ConditionSource {
            meta: ConditionMeta {
                captures: true,
                ..meta::<F, M>(type_name::<F>()).into()
            },
            build: Box::new(|world| -> BoxCondition { function(Box::new(build(self, world))) }),
            depth: 0,
        }
    }
}

/// # Panics
/// If parameters conflict.
pub(super) fn build<F, M>(
    function: F,
    world: &World,
) -> BuiltClosure<F, <F::Params as SystemParam>::State, M>
where
    F: SystemClosure<M>,
{
    BuiltClosure {
        checked: check(&meta::<F, M>(F::name()), ""),
        state: F::Params::init(world),
        function,
        of: PhantomData,
    }
}

#[diagnostic::do_not_recommend]
impl<F, M> RunSystem<Closure<M>> for F
where
    F: SystemClosure<M>,
{
    type Out = F::Out;

    fn name(&self) -> &'static str {
        type_name::<F>()
    }

    #[track_caller]
    fn run_in(self, world: &mut World) -> Result<F::Out, LockError> {
        const { F::CHECK };
        let (remembers, id) = (const { meta::<F, M>("").remembers() }, erased_id::<F>());
        let kept = if remembers {
            take_state(world, id)
        } else {
            None
        };
        let mut built = BuiltClosure::<F, _, M> {
            checked: check(&meta::<F, M>(F::name()), ""),
            state: kept.unwrap_or_else(|| F::Params::init(world)),
            function: self,
            of: PhantomData,
        };
        let result = built.run_locked(world);
        let mut queue = CommandQueue::new();
        F::Params::flush(&mut built.state, &mut queue);
        world.defer(&mut queue);
        if remembers {
            keep_state(world, id, Box::new(built.state));
        }
        result
    }
}

/// Returns the id of the type with all lifetimes replaced by `'static`: the same for all instances of one closure.
fn erased_id<T>() -> TypeId {
    trait Erased {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }

    impl<T> Erased for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }

    let of: &dyn Erased = &PhantomData::<T>;
    // SAFETY: only the lifetime of the type behind it changes, and no value of that type exists; the only function that is
    // called returns a number, which the compiler computes without lifetimes.
    let of = unsafe { core::mem::transmute::<&dyn Erased, &(dyn Erased + 'static)>(of) };
    of.id()
}

/// A closure with the states of its parameters.
pub(super) struct BuiltClosure<F, S, M> {
    checked: NoConflict,
    pub(super) function: F,
    pub(super) state: S,
    of: Invariant<M>,
}

impl<F, S, M> BuiltClosure<F, S, M>
where
    F: SystemClosure<M, Params: SystemParam<State = S>>,
{
    /// Runs the closure without run-time borrows, unless parameters [take them](SystemMeta::locks_at_run_time).
    ///
    /// # Safety
    /// As for [`DynSystem::run`].
    pub(super) unsafe fn run_once(&mut self, world: &World) -> Result<F::Out, LockError> {
        if const { meta::<F, M>("").locks_at_run_time() } {
            return self.run_locked(world);
        }
        // SAFETY: the parameters were checked in `build`, and none of them locks at run time; by the caller's contract
        // no other code uses the accessed data in a conflicting way while this runs.
        let held = unsafe { HeldBorrows::all() };
        let result = self.function.call(&mut self.state, world, held);
        result.map_err(Self::named)
    }

    /// Runs the closure with run-time borrows.
    fn run_locked(&mut self, world: &World) -> Result<F::Out, LockError> {
        let (state, function) = (&mut self.state, &mut self.function);
        let entered = self.checked.enter(world);
        let result = entered.and_then(|entered| function.call(state, world, entered.held()));
        result.map_err(Self::named)
    }

    fn named(error: ParamLockError) -> LockError {
        LockError {
            system: F::name(),
            parameter: F::NAMES[error.parameter]().to_owned(),
            error: error.error,
        }
    }
}

impl<F, S, M> DynSystem<(), Result<(), BoxError>> for BuiltClosure<F, S, M>
where
    F: SystemClosure<M, Params: SystemParam<State = S>> + Send,
    F::Out: SystemOutput,
    S: Send,
{
    unsafe fn run(&mut self, world: &World, (): ()) -> Result<(), BoxError> {
        // SAFETY: the caller keeps the contract of `DynSystem::run`, which `run_once` requires.
        match unsafe { self.run_once(world) } {
            Ok(out) => out.into_result(),
            Err(error) => Err(Box::new(error)),
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        F::Params::flush(&mut self.state, into);
    }

    unsafe fn skip(&mut self, world: &World) {
        F::Params::skip(&mut self.state, world);
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        captured::<F>(remember);
        F::Params::remembered(&mut self.state, remember);
    }
}

impl<F, S, M> DynSystem<(), Result<F::Out, LockError>> for BuiltClosure<F, S, M>
where
    F: SystemClosure<M, Params: SystemParam<State = S>> + Send,
    S: Send,
{
    unsafe fn run(&mut self, world: &World, (): ()) -> Result<F::Out, LockError> {
        // SAFETY: the caller keeps the contract of `DynSystem::run`, which `run_once` requires.
        unsafe { self.run_once(world) }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        F::Params::flush(&mut self.state, into);
    }

    unsafe fn skip(&mut self, world: &World) {
        F::Params::skip(&mut self.state, world);
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        captured::<F>(remember);
        F::Params::remembered(&mut self.state, remember);
    }
}

impl<F, S, M> DynSystem<(), Result<bool, BoxError>> for BuiltClosure<F, S, M>
where
    F: SystemClosure<M, Params: SystemParam<State = S>> + Send,
    F::Out: ConditionOutput,
    S: Send,
{
    unsafe fn run(&mut self, world: &World, (): ()) -> Result<bool, BoxError> {
        // SAFETY: the caller keeps the contract of `DynSystem::run`, which `run_once` requires.
        match unsafe { self.run_once(world) } {
            Ok(out) => Ok(out.into_bool()),
            Err(error) => Err(Box::new(error)),
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        F::Params::flush(&mut self.state, into);
    }

    unsafe fn skip(&mut self, world: &World) {
        F::Params::skip(&mut self.state, world);
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        captured::<F>(remember);
        F::Params::remembered(&mut self.state, remember);
    }
}
