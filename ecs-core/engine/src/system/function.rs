//! The metadata of a system, found by the value of its function.

use super::handle::SystemProbe;
use super::param::ParamError;
use super::param_tuple::Run;
use crate::meta::{AccessIter, Compatibility, SystemMeta};
use crate::world::World;

/// The hidden type behind a `#[system]` function; implemented by the attribute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the hidden type of a `#[system]` function"
)]
pub trait System: Sized + 'static {
    /// The name, parameters and access.
    const META: SystemMeta;

    /// Fails to compile if parameters of an instance of a generic system conflict; other systems are checked where they
    /// are defined.
    const CHECK: () = ();
}

/// Constants that follow from the metadata of a system, and that no impl of [`System`] can override.
pub(super) trait Known: System {
    /// True if the compiler has found the parameters to be disjoint.
    const IS_FREE: bool = matches!(Self::META.compatibility_in_const(), Compatibility::Disjoint);

    /// True if a parameter's state carries information from run to run.
    const REMEMBERS: bool = Self::META.remembers();

    /// True if a parameter takes run-time borrows that are not known in advance.
    const LOCKS_AT_RUN_TIME: bool = Self::META.locks_at_run_time();
}

impl<S: System> Known for S {}

/// A system without ordinary arguments, so that other code than its caller can run it: a schedule, or [`World::run`].
///
/// Implemented by `#[system]`. The types of the parameters' states are known only inside the generated function
/// (parameters are written without their lifetimes), so the system is passed to the [`SystemVisitor`] and not the other
/// way round.
///
/// # Safety
/// `META` lists the parameters, and those are all that the system accesses of the world: `visit` passes `visitor` a
/// function of these parameters, in the order in which they are listed. The `held` of a run is passed to the `lock` of
/// each of them, once.
#[diagnostic::on_unimplemented(
    message = "the system `{Self}` takes ordinary arguments, so only a caller can run it",
    label = "takes ordinary arguments",
    note = "a parameter that the world should supply comes after the first one that is known to be a world parameter, or is marked `#[param]`"
)]
pub unsafe trait VisitSystem<Out>: System {
    /// Passes the system's parts to `visitor`.
    fn visit<V: SystemVisitor<Out>>(visitor: V) -> V::Output;
}

/// Receives the parts of a system.
pub trait SystemVisitor<Out> {
    /// The result of the visit.
    type Output;

    /// Receives a system that borrows parts of the world.
    fn shared<R: Run<Out> + Copy + Send + 'static>(self, run: R) -> Self::Output;

    /// Receives a system that needs the world exclusively.
    fn exclusive<R>(self, run: R) -> Self::Output
    where
        R: Fn(&mut World) -> Out + Send + 'static;
}

/// The error of a parameter that could not be locked, with its position in the list.
pub struct ParamLockError {
    pub(super) parameter: usize,
    pub(super) error: ParamError,
}

impl ParamLockError {
    #[cold]
    pub(super) fn new(parameter: usize, error: ParamError) -> Self {
        Self { parameter, error }
    }
}

/// The function as written, as a function pointer of type `F`; implemented by `#[system]`.
pub trait HasInner<F>: System {
    /// The function.
    const INNER: F;
}

/// A `#[system]` function.
///
/// `M` is inferred: it distinguishes the kinds of system functions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a `#[system]` function",
    note = "write `#[system]` on the function, and pass it by name, without calling it"
)]
pub trait SystemFn<M> {
    /// The hidden type that describes the system.
    type System: System;
    /// The return type of the function.
    type Out;
}

/// Marks functions called with a `&World`, in the `M` of [`SystemFn`].
pub struct Shared<S, Args>(S, Args);
/// Marks functions called with a `&mut World`, in the `M` of [`SystemFn`].
pub struct Exclusive<S, Args>(S, Args);

macro_rules! system_fn {
    ($($arg:ident)*) => {
        impl<F, S: System, R, $($arg),*> SystemFn<fn(Shared<S, ($($arg,)*)>) -> R> for F
        where
            F: Fn($($arg,)* &SystemProbe<S>) -> R,
        {
            type System = S;
            type Out = R;
        }

        impl<F, S: System, R, $($arg),*> SystemFn<fn(Exclusive<S, ($($arg,)*)>) -> R> for F
        where
            F: Fn($($arg,)* &mut SystemProbe<S>) -> R,
        {
            type System = S;
            type Out = R;
        }
    };
}

system_fn!();
system_fn!(A);
system_fn!(A B);
system_fn!(A B C);
system_fn!(A B C D);
system_fn!(A B C D E);
system_fn!(A B C D E G);
system_fn!(A B C D E G H);
system_fn!(A B C D E G H I);

/// A `#[system]` function without ordinary arguments, so that other code than its caller can run it.
///
/// The part of [`SystemFn`] that is used most: the compiler has two impls to try, not eighteen.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system without ordinary arguments",
    label = "not a `#[system]` function, or one with ordinary arguments",
    note = "write `#[system]` on the function, and pass it by name, without calling it",
    note = "ordinary arguments, which only a caller has, come first; a parameter among them that the world should supply is marked `#[param]`"
)]
pub trait RunnableFn<M> {
    /// The hidden type that describes the system.
    type System: System;
    /// The return type of the function.
    type Out;
}

impl<F, S: System, R> RunnableFn<fn(Shared<S, ()>) -> R> for F
where
    F: Fn(&SystemProbe<S>) -> R,
{
    type System = S;
    type Out = R;
}

impl<F, S: System, R> RunnableFn<fn(Exclusive<S, ()>) -> R> for F
where
    F: Fn(&mut SystemProbe<S>) -> R,
{
    type System = S;
    type Out = R;
}

/// Returns the constant description of a `#[system]` function.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[system]
/// fn count(mut total: ResMut<u64>) {
///     *total += 1;
/// }
///
/// const COUNT: ecs_core::meta::SystemMeta = ecs_core::meta(&count);
/// assert_eq!(COUNT.params[0].name, "total");
/// assert_eq!(COUNT.params[0].ty, "ResMut<u64>");
/// ```
#[must_use]
pub const fn meta<F, M>(_: &F) -> SystemMeta
where
    F: SystemFn<M>,
{
    <F::System as System>::META
}

/// Returns the function as it was written, to call it with parameters made by hand: a unit test needs no world.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[system]
/// fn sum(a: usize, b: Res<usize>) -> usize {
///     a + *b
/// }
///
/// assert_eq!(ecs_core::inner(&sum)(1, Res::from(&2)), 3);
/// ```
#[must_use]
pub const fn inner<F, M, I>(_: &F) -> I
where
    F: SystemFn<M>,
    F::System: HasInner<I>,
{
    <F::System as HasInner<I>>::INNER
}

/// Describes the access of a `#[system]` function.
pub trait SystemInfo<M> {
    /// Returns the system's accesses to component and resource data, parameter by parameter.
    fn access(&self) -> AccessIter;
}

impl<F: SystemFn<M>, M> SystemInfo<M> for F {
    fn access(&self) -> AccessIter {
        meta(self).access()
    }
}
