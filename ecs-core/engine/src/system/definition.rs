//! The traits that `#[system]` implements for the hidden type of a function.

use core::any::{Any, type_name};
use core::marker::PhantomData;

use super::held_borrows::{NoConflict, check};
use super::name::SystemNames;
use crate::meta::{Compatibility, SystemMeta};

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
