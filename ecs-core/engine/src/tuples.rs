//! Tuples of up to sixteen members, of which those with more than eight are two tuples inside.
//!
//! What a macro writes for a tuple is checked against a bound for each member, so that the cost of compiling grows with the
//! square of their number: the upper eight sizes were four fifths of it, for tuples that are rare. They do as a pair of smaller
//! ones does, and only what users see of them is flat.

/// A tuple of eight and one of the rest, to be one tuple.
#[doc(hidden)]
pub trait Flat {
    /// One tuple.
    type Flat;

    /// The members side by side.
    fn flat(self) -> Self::Flat;
}

macro_rules! flat {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        impl<$($left,)+ $($right),+> Flat for (($($left,)+), ($($right,)+)) {
            type Flat = ($($left,)+ $($right,)+);

            #[inline]
            fn flat(self) -> Self::Flat {
                let (($($l,)+), ($($r,)+)) = self;
                ($($l,)+ $($r,)+)
            }
        }
    };
}

/// Types or values as nested pairs, `(A, (B, C))`; one alone is itself.
macro_rules! pairs {
    ([$($last:tt)+]) => { $($last)+ };
    ([$($first:tt)+] $($rest:tt)+) => { ($($first)+, $crate::tuples::pairs!($($rest)+)) };
}

/// Calls a macro for tuples of one to eight members, with a type's and a value's name for each.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_each_narrow_arity {
    ($macro:ident) => {
        $macro!(A a);
        $macro!(A a, B b);
        $macro!(A a, B b, C c);
        $macro!(A a, B b, C c, D d);
        $macro!(A a, B b, C c, D d, E e);
        $macro!(A a, B b, C c, D d, E e, F f0);
        $macro!(A a, B b, C c, D d, E e, F f0, G g);
        $macro!(A a, B b, C c, D d, E e, F f0, G g, H h);
    };
}

/// Calls a macro for tuples of nine to sixteen members: eight, and the rest.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_each_wide_arity {
    ($macro:ident) => {
        $macro!(A a, B b, C c, D d, E e, F f0, G g, H h; I i);
        $macro!(A a, B b, C c, D d, E e, F f0, G g, H h; I i, J j);
        $macro!(A a, B b, C c, D d, E e, F f0, G g, H h; I i, J j, K k);
        $macro!(A a, B b, C c, D d, E e, F f0, G g, H h; I i, J j, K k, L l);
        $macro!(A a, B b, C c, D d, E e, F f0, G g, H h; I i, J j, K k, L l, M m);
        $macro!(A a, B b, C c, D d, E e, F f0, G g, H h; I i, J j, K k, L l, M m, N n);
        $macro!(A a, B b, C c, D d, E e, F f0, G g, H h; I i, J j, K k, L l, M m, N n, O o);
        $macro!(A a, B b, C c, D d, E e, F f0, G g, H h; I i, J j, K k, L l, M m, N n, O o, P p);
    };
}

__for_each_wide_arity!(flat);

pub use crate::{
    __for_each_narrow_arity as for_each_narrow_arity, __for_each_wide_arity as for_each_wide_arity,
};
pub(crate) use pairs;
