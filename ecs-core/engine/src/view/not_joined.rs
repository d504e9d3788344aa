//! Methods of tuples that cannot be joined, for the sake of the error about a call: it names the member that is wrong.

use core::ops::Not;

use super::{Comp, CompMut, Entities};
use crate::join::{Join, Joined};
use crate::tuples::for_each_prefix;

/// A first member by which a tuple is known to be meant as a join.
pub trait First {
    /// The type that has to be joined, so that the error is about it: a member without a reference, or else the tuple. The
    /// compiler would suggest a `&` at the wrong place for a type that is no tuple.
    type Joined<Tuple>;
}

impl<T> First for Comp<'_, T> {
    type Joined<Tuple> = (Self,);
}

impl<T> First for CompMut<'_, T> {
    type Joined<Tuple> = (Self,);
}

impl First for Entities<'_> {
    type Joined<Tuple> = (Self,);
}

impl<V: First> First for &V {
    type Joined<Tuple> = Tuple;
}

impl<V: First> First for &mut V {
    type Joined<Tuple> = Tuple;
}

impl<V: First> First for Option<V> {
    type Joined<Tuple> = V::Joined<Tuple>;
}

/// Tuples that begin with a view. The compiler finds these methods, which take a reference, if the members have no methods of
/// [`Join`].
#[allow(missing_docs, unused_variables, reason = "as in `Join`")]
pub trait NotJoined {
    type Joined;

    fn for_each<'a, F>(&self, f: F)
    where
        Self::Joined: Join<'a>,
    {
    }

    fn par_for_each<'a, F>(&self, f: F)
    where
        Self::Joined: Join<'a>,
    {
    }

    fn iter<'a, Any>(&self) -> Any
    where
        Self::Joined: Join<'a>,
    {
        unreachable!("a join has this method by value")
    }

    fn join<Any>(&self) -> Any
    where
        for<'a> (): JoinIsIter<'a>,
    {
        unreachable!("no type has the bound")
    }
}

macro_rules! not_joined {
    ($first:ident $(, $name:ident)*) => {
        impl<$first: First $(, $name)*> NotJoined for ($first, $($name),*) {
            type Joined = $first::Joined<Self>;
        }
    };
}

for_each_prefix!(not_joined: [A] [B] [C] [D] [E] [F] [G] [H]);

#[diagnostic::on_unimplemented(
    message = "there is no such method",
    label = "write `for_each` or `iter`"
)]
pub trait JoinIsIter<'a> {}

/// The result of `!&view`, which other libraries join.
pub struct Negated(());

#[diagnostic::on_unimplemented(
    message = "`!` leaves no entities out",
    label = "write `.exclude(&dead)` after the tuple, with the name of the view"
)]
pub trait BangIsExclude<'a> {}

macro_rules! negated {
    ($($view:ty),+) => {
        $(
            impl<T> Not for $view {
                type Output = Negated;

                fn not(self) -> Negated {
                    Negated(())
                }
            }
        )+
    };
}

negated!(Comp<'_, T>, &Comp<'_, T>, &CompMut<'_, T>);

impl<'a> Join<'a> for Negated
where
    for<'b> (): BangIsExclude<'b>,
{
    type Item = ();
    type Fetch = ();
    type Filter = ();

    fn joined(self) -> Joined<'a, (), ()> {
        unreachable!("no type has the bound")
    }
}
