//! Targets of constraints: a system or a set.

use alloc::string::String;
use core::fmt;

use super::label::{Label, SetLabel};
use crate::system::{IntoSystem, SystemId, SystemOutput};

/// The placement of a system or set relative to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OrderKind {
    /// After it.
    After,
    /// Before it.
    Before,
    /// Before or after it.
    Unordered,
}

impl fmt::Display for OrderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::After => "after",
            Self::Before => "before",
            Self::Unordered => "before or after",
        })
    }
}

/// A system or a set of systems, named for error messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The system of this name.
    System(&'static str),
    /// The set with this label, printed by its `Debug`.
    Set(String),
}

impl Subject {
    pub(crate) fn set(label: &Label) -> Self {
        Self::Set(format!("{label:?}"))
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(name) => write!(f, "system `{name}`"),
            Self::Set(label) => write!(f, "the set `{label}`"),
        }
    }
}

/// A system or a set of systems: an argument of `after`, `before` and `unordered`.
pub struct ConstraintTarget(pub(crate) ConstraintPlace);

#[derive(Clone)]
pub(crate) enum ConstraintPlace {
    System { id: SystemId, name: &'static str },
    Set(Label),
}

impl ConstraintPlace {
    pub(crate) fn named(&self) -> Subject {
        match self {
            Self::System { name, .. } => Subject::System(name),
            Self::Set(label) => Subject::set(label),
        }
    }
}

/// A `#[system]` function, or the [label](SetLabel) of a set.
///
/// `M` is inferred; it distinguishes the two.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a system nor the label of a set",
    label = "not a system, not a label",
    note = "a system is a `#[system]` function without ordinary arguments that returns `()` or `Result<(), E>`, passed by name",
    note = "a label is a value of any type with `#[derive(Debug, PartialEq, Eq, Hash)]`"
)]
pub trait IntoTarget<M> {
    /// Erases the type.
    #[doc(hidden)]
    fn into_target(self) -> ConstraintTarget;
}

/// Marker of the implementation of [`IntoTarget`] for systems.
#[doc(hidden)]
pub struct SystemTarget<M>(M);
/// Marker of the implementation of [`IntoTarget`] for sets.
#[doc(hidden)]
pub struct OfSet;

impl<M, F: IntoSystem<M, Out: SystemOutput>> IntoTarget<SystemTarget<M>> for F {
    fn into_target(self) -> ConstraintTarget {
        let (id, name) = self.named();
        ConstraintTarget(ConstraintPlace::System { id, name })
    }
}

impl<L: SetLabel> IntoTarget<OfSet> for L {
    fn into_target(self) -> ConstraintTarget {
        ConstraintTarget(ConstraintPlace::Set(Label::new(self)))
    }
}

/// The right side of a constraint: `after` or `before` a target.
#[derive(Clone)]
pub(crate) struct StepConstraint {
    pub(crate) kind: OrderKind,
    pub(crate) other: ConstraintPlace,
}

impl StepConstraint {
    pub(crate) fn new<M>(kind: OrderKind, other: impl IntoTarget<M>) -> Self {
        let ConstraintTarget(other) = other.into_target();
        Self { kind, other }
    }
}
