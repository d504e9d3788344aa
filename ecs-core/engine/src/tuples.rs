//! Tuples of up to sixteen members; those with more than eight are implemented as two nested tuples.
//!
//! Macro-generated impls for a tuple are checked against one bound per member, so compile time grows with the square of the
//! length: the upper eight sizes took four fifths of it, although they are rare. They are implemented like a pair of smaller
//! tuples, and only their public form is flat.

/// A tuple of eight members and a tuple of the rest, which flatten to one tuple.
#[doc(hidden)]
pub trait Flat {
    /// The flat tuple.
    type Flat;

    /// Flattens the two tuples.
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

/// Nests types or values as pairs, `(A, (B, C))`; a single one is itself.
macro_rules! pairs {
    ([$($last:tt)+]) => { $($last)+ };
    ([$($first:tt)+] $($rest:tt)+) => { ($($first)+, $crate::tuples::pairs!($($rest)+)) };
}

/// Calls a macro with the first item, with the first two, and so on up to all of them.
macro_rules! for_each_prefix {
    ($macro:ident: $([$($item:tt)+])+) => {
        $crate::tuples::for_each_prefix!(@ $macro () $([$($item)+])+);
    };
    (@ $macro:ident ($($done:tt)*) [$($next:tt)+] $($rest:tt)*) => {
        $macro!($($done)* $($next)+);
        $crate::tuples::for_each_prefix!(@ $macro ($($done)* $($next)+,) $($rest)*);
    };
    (@ $macro:ident ($($done:tt)*)) => {};
}

/// Calls a macro for tuples of one to eight members, with names for the type and the value of each member.
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

/// Calls a macro for tuples of nine to sixteen members: eight, then the rest.
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
pub(crate) use {for_each_prefix, pairs};
