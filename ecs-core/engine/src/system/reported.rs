//! Systems with an error that generated code reports: their uses cause no further errors.

use super::definition::{Broken, System};
use super::function::RunnableFn;
use super::handle::SystemProbe;
use super::param::SystemParam;
use crate::component::Component;
use crate::tuples::for_each_prefix;

/// A system whose constant fails to compile if its first argument `A` is [`Mistaken`] as `K`; implemented by
/// `#[system]`.
#[diagnostic::on_unimplemented(
    message = "the system has an ordinary argument of type `{A}`, which only a caller has",
    label = "has an ordinary argument",
    note = "take a component as `Comp<{A}>` or `CompMut<{A}>`, a resource as `Res<{A}>` or `ResMut<{A}>`, and the output of another system by `pipe`; mark any other parameter that the world supplies `#[param]`",
    note = "an observer, whose first parameter is its event, is not scheduled: `world.observe(on_hit)`, and `world.observe(observer(on_hit).before(other))` with an order"
)]
pub trait Reports<A, K>: System {}

/// An ordinary argument that should be something else; `K` says which.
#[diagnostic::on_unimplemented(
    message = "the system has an ordinary argument of type `{Self}`, which only a caller has",
    label = "has an ordinary argument",
    note = "take a component as `Comp<{Self}>` or `CompMut<{Self}>`, a resource as `Res<{Self}>` or `ResMut<{Self}>`, and the output of another system by `pipe`; mark any other parameter that the world supplies `#[param]`"
)]
pub trait Mistaken<K> {}

/// A reference to a component.
pub struct IsComponent;
/// A component.
pub struct IsValue;
/// A parameter supplied by the world.
pub struct IsParam;
/// A reference to such a parameter.
pub struct IsReference;

impl<T: Component> Mistaken<IsComponent> for &T {}
impl<T: Component> Mistaken<IsComponent> for &mut T {}
impl<T: Component> Mistaken<IsValue> for T {}
impl<P: SystemParam> Mistaken<IsParam> for P {}
impl<P: SystemParam> Mistaken<IsReference> for &P {}
impl<P: SystemParam> Mistaken<IsReference> for &mut P {}

/// Marks functions with a reported error in the first argument, in the `M` of [`RunnableFn`].
pub struct Reported<S, K, Args>(S, K, Args);

macro_rules! reported {
    ($($arg:ident),*) => {
        impl<F, S, K, R, First, $($arg),*> RunnableFn<fn(Reported<S, K, (First, $($arg,)*)>) -> R> for F
        where
            F: Fn(First, $($arg,)* &SystemProbe<S>) -> R,
            S: Reports<First, K>,
        {
            type System = Broken;
            type Out = R;
        }
    };
}

reported!();
for_each_prefix!(reported: [A] [B] [C]);
