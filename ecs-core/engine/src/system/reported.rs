//! Systems with an error that generated code reports: their uses cause no further errors.

use super::definition::System;
use super::error::LockError;
use super::function::Named;
use super::handle::SystemProbe;
use super::runner::{IntoSystem, SystemId, SystemSource};
use super::visitor::Broken;
use crate::tuples::for_each_prefix;
use crate::world::World;

/// A system whose constant fails to compile if its first argument `A` is a mistake; `K` says which one.
/// Implemented by `#[system]`.
#[diagnostic::on_unimplemented(
    message = "the system has an ordinary argument of type `{A}`, which only a caller has",
    label = "has an ordinary argument",
    note = "take a component as `Comp<{A}>` or `CompMut<{A}>`, a resource as `Res<{A}>` or `ResMut<{A}>`, and the output of another system by `pipe`; mark any other parameter that the world supplies `#[param]`",
    note = "an observer, whose first parameter is its event, is not scheduled: `world.observe(on_hit)`, and `world.observe(observer(on_hit).before(other))` with an order"
)]
pub trait Reports<A, K>: System {}

/// A component, or a reference to one.
pub struct IsComponent;
/// A parameter supplied by the world, or a reference to one.
pub struct IsParam;

/// Marks functions with a reported error in the first argument, in the `M` of [`IntoSystem`].
pub struct Reported<S, K, Args>(S, K, Args);

macro_rules! reported {
    ($($arg:ident),*) => {
        impl<F, S, K, R, First, $($arg),*> IntoSystem<Named<fn(Reported<S, K, (First, $($arg,)*)>) -> R>> for F
        where
            F: Fn(First, $($arg,)* &SystemProbe<S>) -> R,
            S: Reports<First, K>,
        {
            type System = Broken;
            type Out = R;

            fn named(&self) -> (SystemId, &'static str) {
                broken()
            }

            fn into_source(self) -> SystemSource {
                broken()
            }

            fn run_in(self, _: &mut World) -> Result<R, LockError> {
                broken()
            }
        }
    };
}

/// The program does not compile, so this never runs.
fn broken() -> ! {
    unreachable!("the program does not compile")
}

reported!();
for_each_prefix!(reported: [A] [B] [C]);
