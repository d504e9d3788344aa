//! The components of a bundle: constant data.

use super::ConstTypeId;

/// Calls a function with each component that another one requires.
type RequiredComponents = fn(&mut dyn FnMut(&ConstTypeId));

/// The component types of a bundle: a constant.
#[derive(Debug)]
pub enum Components {
    /// A component.
    One {
        /// Its type.
        ident: ConstTypeId,
        /// Calls a function with each component that it requires, directly or not.
        required: RequiredComponents,
    },
    /// Several bundles in one.
    All(&'static [&'static Components]),
}

impl Components {
    /// Returns true if there are none.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        let Self::All(parts) = self else {
            return false;
        };
        let mut i = 0;
        while i < parts.len() {
            if !parts[i].is_empty() {
                return false;
            }
            i += 1;
        }
        true
    }

    /// Calls a function with each component, in order.
    pub(crate) fn for_each(&self, f: &mut dyn FnMut(&ConstTypeId)) {
        match self {
            Self::One { ident, .. } => f(ident),
            Self::All(parts) => parts.iter().for_each(|part| part.for_each(f)),
        }
    }

    /// Does the same also with the components that these ones require.
    #[inline]
    pub(crate) fn for_each_inserted(&self, f: &mut dyn FnMut(&ConstTypeId)) {
        match self {
            Self::One { ident, required } => {
                f(ident);
                required(f);
            }
            Self::All(parts) => parts.iter().for_each(|part| part.for_each_inserted(f)),
        }
    }

    /// The first component that occurs twice in `self`.
    #[inline]
    pub(crate) const fn duplicate(&self) -> Option<&ConstTypeId> {
        let Self::All(parts) = self else {
            return None;
        };
        let mut i = 0;
        while i < parts.len() {
            if let Some(ident) = Self::duplicate_in(parts, i) {
                return Some(ident);
            }
            i += 1;
        }
        None
    }

    /// The first component that occurs twice in the part at `index`, or in it and an earlier one.
    #[inline]
    pub(crate) const fn duplicate_in(
        parts: &[&'static Self],
        index: usize,
    ) -> Option<&'static ConstTypeId> {
        let mut earlier = 0;
        while earlier < index {
            if let Some(ident) = parts[index].common(parts[earlier]) {
                return Some(ident);
            }
            earlier += 1;
        }
        parts[index].duplicate()
    }

    /// The first component of `self` that also occurs in `other`.
    #[inline]
    const fn common(&self, other: &Self) -> Option<&ConstTypeId> {
        match (self, other) {
            (Self::One { ident: one, .. }, Self::One { ident: two, .. }) => match one.const_eq(two)
            {
                Some(true) => Some(one),
                _ => None,
            },
            (Self::All(parts), _) => {
                let mut i = 0;
                while i < parts.len() {
                    if let Some(ident) = parts[i].common(other) {
                        return Some(ident);
                    }
                    i += 1;
                }
                None
            }
            (Self::One { ident: one, .. }, Self::All(parts)) => {
                let mut i = 0;
                while i < parts.len() {
                    if parts[i].common(self).is_some() {
                        return Some(one);
                    }
                    i += 1;
                }
                None
            }
        }
    }
}
