//! The traits that `#[system]` implements for the hidden type of a function.

use core::any::{Any, type_name};
use core::marker::PhantomData;

use super::held_borrows::{NoConflict, check};
use super::name::SystemNames;
use super::run::SystemVisitor;
use crate::meta::{Compatibility, SystemMeta};
use crate::world::World;

/// The hidden type behind a `#[system]` function; implemented by the attribute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the hidden type of a `#[system]` function"
)]
pub trait System: Sized {
    /// The name, parameters and access.
    const META: SystemMeta;

    /// The names for messages that no constant of the macro can contain.
    #[doc(hidden)]
    const NAMES: SystemNames = SystemNames {
        hidden: type_name::<Self>,
        params: &[],
    };

    /// Fails to compile if parameters of an instance of a generic system conflict. Other systems are checked at their
    /// definition.
    const CHECK: () = ();

    /// True. It does not compile if the metadata do not.
    #[doc(hidden)]
    const FITS: bool = matches!(Self::META.params, [_, ..]);
}

/// Constants that follow from a system's metadata, and that no impl of [`System`] can override.
pub(super) struct Facts<S>(PhantomData<S>);

impl<S: System> Facts<S> {
    /// True if the compiler has found the parameters disjoint.
    pub(super) const IS_FREE: bool =
        matches!(S::META.compatibility_in_const(), Compatibility::Disjoint);

    /// True if a parameter's state carries information from run to run.
    pub(super) const REMEMBERS: bool = S::META.remembers();

    /// True if a parameter takes run-time borrows that are not known in advance.
    pub(super) const LOCKS_AT_RUN_TIME: bool = S::META.locks_at_run_time();
}

/// A system that code other than its caller can run. A schedule or [`World::run`] runs one without ordinary arguments. A
/// [registered](World::register_system) system or a part of a pipe gets its ordinary arguments as the tuple `Args`.
///
/// `#[system]` implements it for ordinary arguments of any type and any `Out`: a type in an impl would need the
/// lifetimes that a parameter may leave out. [`same`] compares the types when the system runs.
///
/// # Safety
/// `META` lists the parameters, and the system accesses nothing else of the world: `visit` passes `visitor` a function
/// of these parameters, in the listed order. Or `EXCLUSIVE` is the function.
#[diagnostic::on_unimplemented(
    message = "the system `{Self}` takes ordinary arguments, so only a caller can run it",
    label = "takes ordinary arguments",
    note = "a parameter that the world should supply comes after the first one that is known to be a world parameter, or is marked `#[param]`"
)]
pub unsafe trait VisitSystem<Out, Args = ()>: System + 'static {
    /// The function of a system with `&mut World`.
    const EXCLUSIVE: Option<ExclusiveFn<Out, Args>> = None;

    /// Passes the function of a shared system, with its parameters, to `visitor`.
    ///
    /// Not an associated type: parameters are written without their lifetimes, and only expressions allow that. The
    /// visitor's type has no name, because names in the types of parameters could otherwise refer to it.
    fn visit(visitor: &mut impl SystemVisitor<Out, Args>) {
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
    if Facts::<S>::IS_FREE {
        return NoConflict::NOTHING;
    }
    check(&S::META, (S::NAMES.hidden)())
}
