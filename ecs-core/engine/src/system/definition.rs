//! The traits that `#[system]` implements for the hidden type of a function.

use core::mem::replace;

use core::any::{Any, type_name};

use super::held_borrows::{NoConflict, check};
use super::param_tuple::{Params, Run};
use crate::meta::{Compatibility, SystemMeta};
use crate::world::World;

/// The hidden type behind a `#[system]` function; implemented by the attribute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the hidden type of a `#[system]` function"
)]
pub trait System: Sized + 'static {
    /// The name, parameters and access.
    const META: SystemMeta;

    /// Fails to compile if parameters of an instance of a generic system conflict. Other systems are checked at their
    /// definition.
    const CHECK: () = ();
}

/// Constants that follow from a system's metadata, and that no impl of [`System`] can override.
pub(super) trait Known: System {
    /// True if the compiler has found the parameters disjoint.
    const IS_FREE: bool = matches!(Self::META.compatibility_in_const(), Compatibility::Disjoint);

    /// True if a parameter's state carries information from run to run.
    const REMEMBERS: bool = Self::META.remembers();

    /// True if a parameter takes run-time borrows that are not known in advance.
    const LOCKS_AT_RUN_TIME: bool = Self::META.locks_at_run_time();
}

impl<S: System> Known for S {}

/// A system that code other than its caller can run. A schedule or [`World::run`] runs one without ordinary arguments. A
/// [registered](World::register_system) system or a part of a pipe gets its ordinary arguments as the tuple `Args`.
///
/// `#[system]` implements it for ordinary arguments of any type and any `Out`: a type in an impl would need the
/// lifetimes that a parameter may leave out. [`same`] compares the types when the system runs.
///
/// # Safety
/// `META` lists the parameters, and the system accesses nothing else of the world: `visit` passes `visitor` a function
/// of these parameters, in the listed order. Or `EXCLUSIVE` is the function, and `visit` passes nothing.
#[diagnostic::on_unimplemented(
    message = "the system `{Self}` takes ordinary arguments, so only a caller can run it",
    label = "takes ordinary arguments",
    note = "a parameter that the world should supply comes after the first one that is known to be a world parameter, or is marked `#[param]`"
)]
pub unsafe trait VisitSystem<Out, Args = ()>: System {
    /// The function of a system with `&mut World`.
    const EXCLUSIVE: Option<ExclusiveFn<Out, Args>> = None;

    /// Passes the function of a shared system to `visitor`, with its parameters.
    ///
    /// Not an associated type: parameters are written without their lifetimes, and only expressions allow that. The
    /// visitor's type has no name, because names in the types of parameters could otherwise refer to it.
    fn visit(visitor: &mut Visit<impl SystemVisitor<Out, Args>, Out, Args>) {
        let _ = visitor;
        unreachable!("the system takes `&mut World`, or does not compile")
    }
}

/// The system of a function with an error. It never runs: the crate does not compile.
pub struct Broken;

impl System for Broken {
    const META: SystemMeta = SystemMeta::new("", &[]);
}

// SAFETY: there is no function, and none is passed on.
#[diagnostic::do_not_recommend]
unsafe impl<Out, Args> VisitSystem<Out, Args> for Broken {}

/// The function of an exclusive system.
pub type ExclusiveFn<Out, Args = ()> = fn(&mut World, Args) -> Out;

/// Returns the value with its type seen as `Out`: both types are the same.
///
/// # Panics
/// If the types differ, which generated code excludes.
#[inline]
pub fn same<From: 'static, To: 'static>(value: From) -> To {
    let mut value = Some(value);
    let value: &mut dyn Any = &mut value;
    let value = value.downcast_mut::<Option<To>>().and_then(Option::take);
    value.expect("the types are the same")
}

/// Receives the function of a system, and the types of its parameters.
pub trait SystemVisitor<Out, Args = ()> {
    /// The result of the visit.
    type Output;

    /// Receives the function. It is `Copy`: a panicking parameter has nothing to drop, so each system has less to
    /// compile.
    fn visit<P, R>(self, run: R) -> Self::Output
    where
        P: Params + 'static,
        R: Run<P, Out, Args> + Copy + Send + 'static;
}

/// A visitor, and then the result of its visit.
pub enum Visit<V: SystemVisitor<Out, Args>, Out, Args = ()> {
    /// The visitor has received nothing.
    Ahead(V),
    /// While the visitor receives a system.
    Now,
    /// The result.
    Done(V::Output),
}

impl<V: SystemVisitor<Out, Args>, Out, Args> Visit<V, Out, Args> {
    /// Passes a function to the visitor.
    ///
    /// # Panics
    /// If it has received one.
    #[inline]
    pub(super) fn visit<P, R>(&mut self, run: R)
    where
        P: Params + 'static,
        R: Run<P, Out, Args> + Copy + Send + 'static,
    {
        let Self::Ahead(visitor) = replace(self, Self::Now) else {
            panic!("a system has one function");
        };
        *self = Self::Done(visitor.visit::<P, R>(run));
    }
}

/// Returns the result of a visit of the system `S`.
#[inline]
pub(super) fn visit<S, Out, V, Args>(visitor: V) -> V::Output
where
    S: VisitSystem<Out, Args>,
    V: SystemVisitor<Out, Args>,
{
    let mut visit = Visit::Ahead(visitor);
    S::visit(&mut visit);
    match visit {
        Visit::Done(output) => output,
        Visit::Ahead(_) | Visit::Now => unreachable!("a system has a function"),
    }
}

/// The function as written; `F` is its function pointer type. Implemented by `#[system]`.
pub trait HasInner<F>: System {
    /// The function.
    const INNER: F;
}

/// Checks a system for conflicts, if the compiler could not decide whether it has any.
///
/// # Panics
/// If parameters of the system conflict.
#[inline]
#[track_caller]
pub(super) fn checked<S: System>() -> NoConflict {
    if S::IS_FREE {
        return NoConflict::NOTHING;
    }
    check(&S::META, type_name::<S>())
}
