//! Labels of sets: values of any type.

use alloc::sync::Arc;
use core::any::Any;
use core::fmt::{self, Debug};
use core::hash::{Hash, Hasher};

/// A value that names a set of systems: a unit struct, a variant of an enum, a string, ...
///
/// Implemented for every type that is `Debug + Hash + Eq` and can be shared between threads. Two labels name the same
/// set if they are of the same type and equal; messages show it with `Debug`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot name a set of systems",
    label = "not a label",
    note = "add `#[derive(Debug, PartialEq, Eq, Hash)]` to the type of the label",
    note = "the label comes before the systems: `app.add_systems(Update, movement)`"
)]
pub trait SetLabel: Debug + Hash + Eq + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Debug + Hash + Eq + Send + Sync + 'static> SetLabel for T {}

/// A type-erased label.
#[doc(hidden)]
#[derive(Clone)]
pub struct Label(Arc<dyn AnyLabel>);

impl Label {
    #[must_use]
    pub fn new(label: impl SetLabel) -> Self {
        Self(Arc::new(label))
    }
}

trait AnyLabel: Any + Debug + Send + Sync {
    fn is(&self, other: &dyn AnyLabel) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl<T: SetLabel> AnyLabel for T {
    fn is(&self, other: &dyn AnyLabel) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<T>() == Some(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        self.0.is(&*other.0)
    }
}

impl Eq for Label {}

impl Hash for Label {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash_into(hasher);
    }
}

impl Debug for Label {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
#[path = "label_tests.rs"]
mod tests;
