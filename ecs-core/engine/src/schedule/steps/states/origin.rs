//! The origins of the values of a state.

use alloc::boxed::Box;
use core::any::{Any, TypeId};
use core::mem::size_of;

use super::StateValue;

/// The origin of a state's first value, and the condition of its existence.
pub(super) enum StateOrigin<S> {
    /// Not added; it may be in the world.
    World,
    /// It always exists, and starts with this value.
    First(S),
    /// It exists while the parent has a certain value.
    Sub {
        first: S,
        while_in: Box<dyn Any + Send + Sync>,
        /// Compares two states of the parent's type.
        is_equal: fn(&dyn Any, &dyn Any) -> bool,
    },
    /// It follows from each value of the parent.
    Computed {
        compute: Compute<S>,
        /// The type of the function, if it captures nothing: then the type identifies the function.
        function: Option<TypeId>,
    },
}

/// Computes a state from the parent's value.
type Compute<S> = Box<dyn Fn(&dyn Any) -> Option<S> + Send + Sync>;

impl<S: StateValue> StateOrigin<S> {
    #[inline]
    pub(super) fn sub<P: StateValue>(first: S, while_in: P) -> Self {
        Self::Sub {
            first,
            while_in: Box::new(while_in),
            is_equal: |one, other| {
                let (one, other) = (one.downcast_ref::<P>(), other.downcast_ref());
                one.is_some() && one == other
            },
        }
    }

    #[inline]
    pub(super) fn computed<P: StateValue, F>(compute: F) -> Self
    where
        F: Fn(&P) -> Option<S> + Send + Sync + 'static,
    {
        Self::Computed {
            compute: Box::new(move |parent| parent.downcast_ref().and_then(&compute)),
            function: (size_of::<F>() == 0).then(TypeId::of::<F>),
        }
    }

    /// Returns the value of a state that begins, or is computed, while its parent is `parent`. `None` if it does not exist
    /// then.
    #[inline]
    pub(super) fn value_in(&self, parent: &dyn Any) -> Option<S> {
        match self {
            Self::World | Self::First(_) => None,
            Self::Sub {
                first,
                while_in,
                is_equal,
            } => is_equal(&**while_in, parent).then(|| first.clone()),
            Self::Computed { compute, .. } => compute(parent),
        }
    }

    /// Returns true if both ways of adding a state are the same.
    #[inline]
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::First(one), Self::First(other)) => one == other,
            (
                Self::Sub {
                    first,
                    while_in,
                    is_equal,
                },
                Self::Sub {
                    first: other,
                    while_in: other_parent,
                    ..
                },
            ) => first == other && is_equal(&**while_in, &**other_parent),
            (
                Self::Computed { function, .. },
                Self::Computed {
                    function: other, ..
                },
            ) => function.is_some() && function == other,
            _ => false,
        }
    }
}
