//! What constraints name: a system or a set.

use super::error::{Named, Relation};
use super::label::{Label, SetLabel};
use crate::system::{IntoSystem, SystemId};

/// A system or a set of systems, as `after`, `before` and `unordered` take it.
pub struct Target(pub(super) Place);

#[derive(Clone)]
pub(super) enum Place {
    System { id: SystemId, name: &'static str },
    Set(Label),
}

impl Place {
    pub(super) fn named(&self) -> Named {
        match self {
            Self::System { name, .. } => Named::System(name),
            Self::Set(label) => Named::set(label),
        }
    }
}

/// A `#[system]` function, or the [label](SetLabel) of a set.
///
/// `M` is inferred: it tells the two apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a system nor the label of a set",
    label = "not a system, not a label",
    note = "a system is a `#[system]` function without ordinary arguments that returns `()` or `Result<(), E>`, passed by name",
    note = "a label is a value of any type with `#[derive(Debug, PartialEq, Eq, Hash)]`"
)]
pub trait IntoTarget<M> {
    /// Forgets the type.
    fn into_target(self) -> Target;
}

/// Tells the implementation of [`IntoTarget`] for systems apart.
#[doc(hidden)]
pub struct OfSystem<M>(M);
/// Tells the implementation of [`IntoTarget`] for sets apart.
#[doc(hidden)]
pub struct OfSet;

impl<M, F: IntoSystem<M>> IntoTarget<OfSystem<M>> for F {
    fn into_target(self) -> Target {
        let source = self.into_source();
        Target(Place::System {
            id: source.id,
            name: source.meta.name,
        })
    }
}

impl<L: SetLabel> IntoTarget<OfSet> for L {
    fn into_target(self) -> Target {
        Target(Place::Set(Label::new(self)))
    }
}

/// `after` or `before`.
#[derive(Clone)]
pub(super) struct Constraint {
    pub(super) relation: Relation,
    pub(super) other: Place,
}

impl Constraint {
    pub(super) fn new<M>(relation: Relation, other: impl IntoTarget<M>) -> Self {
        let Target(other) = other.into_target();
        Self { relation, other }
    }
}
