//! Finds the metadata of a system by its function.

use super::definition::{HasInner, System};
use super::handle::SystemProbe;
use crate::meta::{AccessIter, SystemMeta};
use crate::tuples::for_each_prefix;

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
    type System: System + 'static;
    /// The return type of the function.
    type Out;
    /// The ordinary arguments in a tuple; the argument itself if there is only one.
    type Args;

    /// Returns the system's accesses to component and resource data, parameter by parameter.
    ///
    /// The trait is also exported as `SystemInfo`, for this method.
    fn access(&self) -> AccessIter {
        <Self::System as System>::META.access()
    }
}

/// Marks functions called with a `&World`, in the `M` of [`SystemFn`].
pub struct Shared<S, Args>(S, Args);
/// Marks functions called with a `&mut World`, in the `M` of [`SystemFn`].
pub struct Exclusive<S, Args>(S, Args);

/// Marks `#[system]` functions, in the `M` of [`IntoSystem`](super::IntoSystem) and similar traits.
pub struct Named<M>(M);

macro_rules! system_fn {
    ($args:ty; $($arg:ident),*) => {
        impl<F, S: System + 'static, R, $($arg),*> SystemFn<fn(Shared<S, ($($arg,)*)>) -> R> for F
        where
            F: Fn($($arg,)* &SystemProbe<S>) -> R,
        {
            type System = S;
            type Out = R;
            type Args = $args;
        }

        impl<F, S: System + 'static, R, $($arg),*> SystemFn<fn(Exclusive<S, ($($arg,)*)>) -> R> for F
        where
            F: Fn($($arg,)* &mut SystemProbe<S>) -> R,
        {
            type System = S;
            type Out = R;
            type Args = $args;
        }
    };
    ($first:ident $(, $arg:ident)+) => {
        system_fn!(($first, $($arg),+); $first $(, $arg)+);
    };
    ($one:ident) => {
        system_fn!($one; $one);
    };
}

system_fn!((););
for_each_prefix!(system_fn: [A] [B] [C] [D] [E] [G] [H] [I]);

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

/// Returns the original function, so that you can call it with hand-made parameters: a unit test needs no world.
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
