//! Where the values of a state come from.

use alloc::boxed::Box;
use core::any::{Any, TypeId};
use core::mem::size_of;

use super::StateValue;

/// Where the first value of a state comes from, and when it exists.
pub(super) enum StateOrigin<S> {
    /// Not added; it may be in the world.
    World,
    /// Always there, from this value on.
    First(S),
    /// There while the parent has a value.
    Sub {
        first: S,
        while_in: Box<dyn Any + Send + Sync>,
        /// Compares two states of the parent's type.
        is_equal: fn(&dyn Any, &dyn Any) -> bool,
    },
    /// Made from each value of the parent.
    Computed {
        compute: Compute<S>,
        /// The type of the function if that tells functions apart: if it captures nothing.
        function: Option<TypeId>,
    },
}

/// Computes a state from that of the parent.
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

    /// Returns the value of a state that begins, or is computed, while its parent is `parent`; `None` if it does not
    /// exist then.
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

    /// Returns true if a state that is added in both ways is added in one way.
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
