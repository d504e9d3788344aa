//! Closures as systems.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use core::marker::PhantomData;

use super::condition::{BoxCondition, ConditionOutput, ConditionSource, IntoCondition};
use super::error::{LockError, ParamLockError};
use super::held_borrows::{Checked, HeldBorrows, check};
use super::param::SystemParam;
use super::param_tuple::Params;
use super::runner::{
    BoxError, DynSystem, IntoSystem, Runner, SystemId, SystemOutput, SystemSource,
};
use crate::invariant::Invariant;
use crate::meta::{ParamInfo, SystemMeta, refuse_conflict};
use crate::tuples::for_each_prefix;
use crate::type_name::type_name;
use crate::world::{CommandQueue, World};

/// Makes a closure a system that can be scheduled, or a run condition if it returns `bool`.
///
/// The types of the parameters are written, up to eight of them (tuples of parameters are parameters too). Captured
/// values are kept from run to run. Its name is the compiler's, `game::main::{{closure}}`, and its parameters are known
/// by their types alone; where messages and direct calls matter, write a `#[system]` function.
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
/// frame.add(ecs_core::from_fn(move |mut positions: CompMut<Position>, dt: Res<f32>| {
///     ticks += 1;
///     for position in &mut positions {
///         position.0 += speed * *dt * ticks as f32;
///     }
/// }));
///
/// let mut world = World::new();
/// world.insert_resource(0.5_f32);
/// let entity = world.spawn(Position(0.0));
/// frame.run(&mut world)?;
/// frame.run(&mut world)?;
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
/// frame.add(ecs_core::from_fn(|a: CompMut<Position>, b: Query<&Position>| {}));
/// ```
///
/// Conflicts that no constant can decide, those between two instances of one generic component, panic when the schedule
/// is built.
pub fn from_fn<F, M>(function: F) -> FnSystem<F, M>
where
    F: SystemClosure<M>,
{
    const { FnSystem::<F, M>::refuse_conflicts() };
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

/// A closure whose parameters are system parameters.
///
/// `M` is inferred: it names the parameters.
///
/// # Safety
/// `PARAMS` lists the parameters, and those are all that `call` accesses of the world. `call` passes `held` to the
/// `lock` of each of them, once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a system",
    label = "not a closure of system parameters",
    note = "a closure takes up to eight system parameters, with their types written: `|mut pos: CompMut<Position>, time: Res<Time>| ..`",
    note = "it owns what it captures (`move`), and that is `Send`"
)]
pub unsafe trait SystemClosure<M>: Send + 'static {
    /// The parameters as a tuple.
    #[doc(hidden)]
    type Params: SystemParam;
    /// The type that the closure returns.
    type Out;

    /// The descriptions of the parameters.
    #[doc(hidden)]
    const PARAMS: &'static [ParamInfo];

    /// The names of their types.
    #[doc(hidden)]
    const NAMES: &'static [fn() -> &'static str];

    /// Runs the closure once.
    #[doc(hidden)]
    fn call(
        &mut self,
        state: &mut <Self::Params as SystemParam>::State,
        world: &World,
        held: &HeldBorrows<'_>,
    ) -> Result<Self::Out, ParamLockError>;
}

macro_rules! system_closure {
    ($($name:ident $index:tt $value:ident),*) => {
        // SAFETY: `PARAMS` and `call`, which locks them by `Params::lock`, are expanded from the same list.
        #[diagnostic::do_not_recommend]
        unsafe impl<Func, Out, $($name: SystemParam),*> SystemClosure<fn($($name),*) -> Out> for Func
        where
            // The first bound determines the parameters, the second one is used for the call.
            Func: FnMut($($name),*) -> Out + FnMut($($name::Item<'_>),*) -> Out + Send + 'static,
        {
            type Params = ($($name,)*);
            type Out = Out;

            const PARAMS: &'static [ParamInfo] = &[
                $(ParamInfo { name: stringify!($index), ty: "_", of: $name::TYPE }),*
            ];
            const NAMES: &'static [fn() -> &'static str] = &[$(type_name::<$name>),*];

            #[allow(unused_variables, unused_mut, clippy::unused_unit, reason = "there may be no parameters")]
            fn call(
                &mut self,
                state: &mut <Self::Params as SystemParam>::State,
                world: &World,
                held: &HeldBorrows<'_>,
            ) -> Result<Out, ParamLockError> {
                // With only one of the two bounds, so that the call is not ambiguous.
                #[allow(clippy::too_many_arguments, reason = "one per parameter is the point")]
                fn call<Out, $($name),*>(f: &mut impl FnMut($($name),*) -> Out, $($value: $name),*) -> Out {
                    f($($value),*)
                }
                match <Self::Params as Params>::lock(state, world, held) {
                    Ok(mut guard) => Ok(call(self, $($name::get(&mut guard.$index)),*)),
                    Err(error) => Err(error),
                }
            }
        }
    };
}

system_closure!();
for_each_prefix!(system_closure: [A 0 a] [B 1 b] [C 2 c] [D 3 d] [E 4 e] [F 5 f0] [G 6 g] [H 7 h]);

/// Marks [`from_fn`] closures, in the `M` of [`IntoSystem`] and [`IntoCondition`].
#[doc(hidden)]
pub struct FromFn<M>(M);

impl<F: SystemClosure<M>, M> FnSystem<F, M> {
    const fn meta(name: &'static str) -> SystemMeta {
        SystemMeta::new(name, F::PARAMS)
    }

    /// Fails to compile if parameters are known to conflict.
    const fn refuse_conflicts() {
        // A constant cannot know the closure's name; the compiler shows its place.
        let meta = Self::meta("from_fn");
        let mut second = 0;
        while second < meta.params.len() {
            refuse_conflict(&meta, second, &[], &[]);
            second += 1;
        }
    }

    fn build(self, world: &World) -> BuiltClosure<F, <F::Params as SystemParam>::State, M> {
        BuiltClosure {
            checked: check(&Self::meta(type_name::<F>()), ""),
            function: self.function,
            state: F::Params::init(world),
            of: PhantomData,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<F, M: 'static> IntoSystem<FromFn<M>> for FnSystem<F, M>
where
    F: SystemClosure<M>,
    F::Out: SystemOutput,
{
    fn into_source(self) -> SystemSource {
        SystemSource {
            id: SystemId::of::<F>(),
            meta: Self::meta(type_name::<F>()),
            build: Box::new(|world| Runner::Shared(Box::new(self.build(world)))),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<F, M: 'static> IntoCondition<FromFn<M>> for FnSystem<F, M>
where
    F: SystemClosure<M>,
    F::Out: ConditionOutput,
{
    fn into_condition(self) -> ConditionSource {
        ConditionSource {
            meta: Self::meta(type_name::<F>()).into(),
            build: Box::new(|world| -> BoxCondition { Box::new(self.build(world)) }),
        }
    }
}

/// A closure with the states of its parameters.
struct BuiltClosure<F, S, M> {
    checked: Checked,
    function: F,
    state: S,
    of: Invariant<M>,
}

impl<F, S, M> BuiltClosure<F, S, M>
where
    F: SystemClosure<M, Params: SystemParam<State = S>>,
{
    /// # Safety
    /// As for [`DynSystem::run`].
    unsafe fn run_once(&mut self, world: &World) -> Result<F::Out, LockError> {
        let locks_at_run_time = const { FnSystem::<F, M>::meta("").locks_at_run_time() };
        let (state, function) = (&mut self.state, &mut self.function);
        let result = if locks_at_run_time {
            let entered = self.checked.enter(world);
            entered.and_then(|entered| function.call(state, world, entered.held()))
        } else {
            // SAFETY: the parameters were checked in `build`, and none of them locks at run time; by the caller's
            // contract no other code uses what they access in a conflicting way while this runs.
            function.call(state, world, unsafe { HeldBorrows::all() })
        };
        result.map_err(|error| LockError {
            system: type_name::<F>(),
            parameter: F::NAMES[error.parameter]().to_owned(),
            error: error.error,
        })
    }
}

impl<F, S, M> DynSystem<(), Result<(), BoxError>> for BuiltClosure<F, S, M>
where
    F: SystemClosure<M, Params: SystemParam<State = S>>,
    F::Out: SystemOutput,
    S: Send,
{
    unsafe fn run(&mut self, world: &World, (): ()) -> Result<(), BoxError> {
        // SAFETY: the caller's contract is that of `DynSystem::run`, which `run_once` requires.
        match unsafe { self.run_once(world) } {
            Ok(out) => out.into_result(),
            Err(error) => Err(Box::new(error)),
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        F::Params::flush(&mut self.state, into);
    }
}

impl<F, S, M> DynSystem<(), bool> for BuiltClosure<F, S, M>
where
    F: SystemClosure<M, Params: SystemParam<State = S>>,
    F::Out: ConditionOutput,
    S: Send,
{
    /// # Panics
    /// If a parameter cannot be locked, as a condition cannot return an error.
    unsafe fn run(&mut self, world: &World, (): ()) -> bool {
        // SAFETY: the caller's contract is that of `DynSystem::run`, which `run_once` requires.
        match unsafe { self.run_once(world) } {
            Ok(out) => out.into_bool(),
            Err(error) => error.raise(),
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        F::Params::flush(&mut self.state, into);
    }
}
