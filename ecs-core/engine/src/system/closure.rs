//! Closures as systems.
//!
//! # Run a closure
//! The types of its parameters make a closure a system (`system/closure.rs`). Two bounds determine the parameters: one on
//! the types as written, and one on the items of a run. A `#[system]` function meets neither: its last argument is a
//! reference to a type that is not known yet, and no reference is a parameter. It does accept a `&mut World`, and the
//! compiler cannot tell it from an exclusive closure, so exclusive closures need `from_fn`. The compiler tries the impl of
//! each arity for each system that is added to a schedule (0.9 million instructions of `cargo check` per system), so these
//! impls have few bounds.

use alloc::boxed::Box;
use core::marker::PhantomData;

use super::closure_input::{In, ReceivesInput};
use super::condition::{ConditionOutput, ConditionSource, IntoCondition};
use super::definition::System;
use super::error::LockError;
use super::exclusive::exclusive_source;
use super::execute::{Built, run_kept};
use super::name::{SystemNames, with_arguments};
use super::param::SystemParam;
use super::param_tuple::Disjoint;
use super::run::{Plain, Run};
use super::runner::{IntoSystem, RunOutput, Runner, SystemId, SystemOutput, SystemSource};
use super::value::{IntoSystemValue, SystemValue};
use crate::by_type::erased_id;
use crate::invariant::Invariant;
use crate::meta::SystemMeta;
use crate::tuples::for_each_prefix;
use crate::type_name::type_name;
use crate::world::World;

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
/// A closure with an input needs it too; see [`In`].
///
/// If the compiler refuses a closure, write it as a `#[system]` function: the errors then say which parameter is wrong
/// and why.
pub fn from_fn<F, M>(function: F) -> FnSystem<F, M>
where
    F: SystemClosure<M> + Send + 'static,
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
/// `M` is inferred: it names the parameters. With [`from_fn`], the arguments may also be a `&mut World`, and an
/// [input](super::In) may precede them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a system",
    label = "not a closure of system parameters",
    note = "a closure takes up to eight system parameters, with their types written: `|mut pos: CompMut<Position>, time: Res<Time>| ..`; or one `&mut World`; an input comes first: `|In(count): In<usize>, ..| ..`",
    note = "write it as a `#[system]` function to see which of its parameters is wrong and why"
)]
pub trait SystemClosure<M>: Sized {
    /// The type of the input: `()` without an [`In`].
    type In;
    /// The type that the closure returns.
    type Out;

    /// Fails to compile if parameters are known to conflict.
    #[doc(hidden)]
    const CHECK: ();

    /// Makes the closure a system whose result becomes an `E`.
    #[doc(hidden)]
    fn source<E>(self) -> SystemSource<Self::In, E>
    where
        Self: Send + 'static,
        Self::In: 'static,
        Self::Out: 'static,
        Self::Out: RunOutput<E>;

    /// Runs the closure once.
    #[doc(hidden)]
    fn run_in(self, world: &mut World, input: Self::In) -> Result<Self::Out, LockError>;
}

/// Marks closures of parameters, in the `M` of [`SystemClosure`].
#[doc(hidden)]
pub struct OfParams<M>(M);

/// Marks closures of an input and parameters, in the `M` of [`SystemClosure`].
#[doc(hidden)]
pub struct OfInput<T, M>(T, M);

macro_rules! system_closure {
    ($($name:ident),*) => {
        // In both, the first bound determines the parameters; the call uses the second one. The compiler tries all impls
        // for each system that is added to a schedule. Most fail at the number of parameters, before the compiler needs
        // the types of the items.
        #[diagnostic::do_not_recommend]
        impl<Func, Out, $($name: SystemParam + 'static),*> SystemClosure<OfParams<fn($($name),*) -> Out>> for Func
        where
            Func: FnMut($($name),*) -> Out,
            Plain<($($name,)*), Func>: Run<Out>,
        {
            type In = ();
            type Out = Out;

            const CHECK: () = Disjoint::<($($name,)*)>::CHECK;

            fn source<Res>(self) -> SystemSource<(), Res>
            where
                Self: Send + 'static,
                Out: 'static,
                Out: RunOutput<Res>,
            {
                source::<Func, _, _, _, _>(Plain::new(self))
            }

            #[inline]
            #[track_caller]
            fn run_in(self, world: &mut World, input: ()) -> Result<Out, LockError> {
                run_closure::<Func, _, _, _>(Plain::new(self), world, input)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<Func, T, Out, $($name: SystemParam + 'static),*> SystemClosure<OfInput<T, fn($($name),*) -> Out>> for Func
        where
            Func: FnMut(In<T>, $($name),*) -> Out,
            Plain<($($name,)*), Func>: Run<Out, (In<T>,)>,
        {
            type In = T;
            type Out = Out;

            const CHECK: () = Disjoint::<($($name,)*)>::CHECK;

            fn source<Res>(self) -> SystemSource<T, Res>
            where
                Self: Send + 'static,
                T: 'static,
                Out: 'static,
                Out: RunOutput<Res>,
            {
                source::<Func, _, _, _, _>(ReceivesInput(Plain::new(self)))
            }

            #[inline]
            #[track_caller]
            fn run_in(self, world: &mut World, input: T) -> Result<Out, LockError> {
                run_closure::<Func, _, _, _>(ReceivesInput(Plain::new(self)), world, input)
            }
        }
    };
}

system_closure!();
for_each_prefix!(system_closure: [A] [B] [C] [D] [E] [F] [G] [H]);

/// The description of a closure `F` with the parameters of `R`. A constant cannot contain the closure's name.
pub(super) struct ClosureSystem<F, R, Out, Args>(PhantomData<(F, R, Out, Args)>);

impl<F, R: Run<Out, Args>, Out, Args> System for ClosureSystem<F, R, Out, Args> {
    const META: SystemMeta = SystemMeta::new("", R::Params::PARAMS);
    const NAMES: SystemNames = SystemNames {
        hidden: type_name::<F>,
        params: R::Params::NAMES,
    };
}

/// Marks closures of parameters, in the `M` of [`IntoSystem`], [`IntoCondition`] and the like.
#[doc(hidden)]
pub struct Closure<M>(M);

/// Marks closures of a `&mut World`, in the `M` of [`SystemClosure`].
#[doc(hidden)]
pub struct ExclusiveClosure<Out>(Out);

/// Marks closures of an input and a `&mut World`, in the `M` of [`SystemClosure`].
#[doc(hidden)]
pub struct ExclusiveWithInput<T, Out>(T, Out);

/// Marks [`from_fn`] closures, in the `M` of [`IntoSystem`] and [`IntoCondition`].
#[doc(hidden)]
pub struct FromFn<M>(M);

#[diagnostic::do_not_recommend]
impl<F, Out> SystemClosure<ExclusiveClosure<Out>> for F
where
    F: FnMut(&mut World) -> Out,
{
    type In = ();
    type Out = Out;

    const CHECK: () = ();

    fn source<E>(mut self) -> SystemSource<(), E>
    where
        F: Send + 'static,
        Out: RunOutput<E>,
    {
        exclusive_source::<F, _, _, _, _>(type_name::<F>(), move |world: &mut World, ()| {
            self(world)
        })
    }

    fn run_in(mut self, world: &mut World, (): ()) -> Result<Out, LockError> {
        Ok(self(world))
    }
}

#[diagnostic::do_not_recommend]
impl<F, T, Out> SystemClosure<ExclusiveWithInput<T, Out>> for F
where
    F: FnMut(In<T>, &mut World) -> Out,
{
    type In = T;
    type Out = Out;

    const CHECK: () = ();

    fn source<E>(mut self) -> SystemSource<T, E>
    where
        F: Send + 'static,
        Out: RunOutput<E>,
    {
        exclusive_source::<F, _, _, _, _>(type_name::<F>(), move |world: &mut World, input| {
            self(In(input), world)
        })
    }

    fn run_in(mut self, world: &mut World, input: T) -> Result<Out, LockError> {
        Ok(self(In(input), world))
    }
}

/// Returns the source of a closure `F`, which `run` contains.
fn source<F, R, In, Out, E>(run: R) -> SystemSource<In, E>
where
    F: 'static,
    R: Run<Out, In> + Send + 'static,
    In: 'static,
    Out: 'static,
    Out: RunOutput<E>,
{
    const { Disjoint::<R::Params>::CHECK };
    // Invariant 1 of the source: the metadata lists the parameters of the closure, which accesses nothing else.
    SystemSource {
        id: SystemId::of::<F>(),
        meta: with_arguments(&ClosureSystem::<F, R, Out, In>::META, type_name::<F>()),
        build: Box::new(|world| {
            // SAFETY: the metadata lists `R::Params`.
            let built =
                unsafe { Built::<ClosureSystem<F, R, Out, In>, _, R, Out>::new(world, run) };
            Runner::shared(built)
        }),
    }
}

#[diagnostic::do_not_recommend]
impl<F, M> IntoSystemValue<FromFn<M>> for FnSystem<F, M>
where
    F: SystemClosure<M> + Send + 'static,
    F::In: 'static,
    F::Out: 'static,
    M: 'static,
{
    type In = F::In;
    type Out = F::Out;

    fn into_value(self) -> SystemValue<F::In, F::Out> {
        SystemValue::of(self.function.source())
    }
}

#[diagnostic::do_not_recommend]
impl<F, M> IntoSystemValue<Closure<M>> for F
where
    F: SystemClosure<OfParams<M>, In = ()> + Send + 'static,
    F::Out: 'static,
{
    type In = ();
    type Out = F::Out;

    fn into_value(self) -> SystemValue<(), F::Out> {
        SystemValue::of(self.source())
    }
}

#[diagnostic::do_not_recommend]
impl<F, M> IntoSystem<FromFn<M>> for FnSystem<F, M>
where
    F: SystemClosure<M, In = ()> + Send + 'static,
    F::Out: 'static,
{
    type System = ();
    type Out = F::Out;

    fn named(&self) -> (SystemId, &'static str) {
        (SystemId::of::<F>(), type_name::<F>())
    }

    #[track_caller]
    fn run_in(self, world: &mut World) -> Result<F::Out, LockError> {
        SystemClosure::run_in(self.function, world, ())
    }

    fn into_source(self) -> SystemSource
    where
        F::Out: SystemOutput,
    {
        self.function.source()
    }
}

#[diagnostic::do_not_recommend]
impl<F, M> IntoCondition<FromFn<M>> for FnSystem<F, OfParams<M>>
where
    F: SystemClosure<OfParams<M>, In = ()> + Send + 'static,
    F::Out: 'static,
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
impl<F, M> IntoSystem<Closure<M>> for F
where
    F: SystemClosure<OfParams<M>, In = ()>,
    F::Out: 'static,
{
    type System = ();
    type Out = F::Out;

    fn named(&self) -> (SystemId, &'static str) {
        (SystemId::of_type(erased_id::<F>()), type_name::<F>())
    }

    fn into_source(self) -> SystemSource
    where
        F: Send + 'static,
        F::Out: SystemOutput,
    {
        self.source()
    }

    #[track_caller]
    fn run_in(self, world: &mut World) -> Result<F::Out, LockError> {
        SystemClosure::run_in(self, world, ())
    }
}

#[diagnostic::do_not_recommend]
impl<F, M> IntoCondition<Closure<M>> for F
where
    F: SystemClosure<OfParams<M>, In = ()> + Send + 'static,
    F::Out: 'static,
{
    type Out = F::Out;

    fn into_condition(self) -> ConditionSource
    where
        F::Out: ConditionOutput,
    {
        ConditionSource::of(self.source(), size_of::<F>() > 0)
    }
}

/// Runs a closure `F`, which `run` contains, with the states that its last run left in the world.
#[inline]
#[track_caller]
fn run_closure<F, R: Run<Out, In>, Out, In>(
    mut run: R,
    world: &World,
    input: In,
) -> Result<Out, LockError> {
    const { Disjoint::<R::Params>::CHECK };
    run_kept::<ClosureSystem<F, R, Out, In>, _, _, In>(erased_id::<F>, &mut run, world, input)
}
