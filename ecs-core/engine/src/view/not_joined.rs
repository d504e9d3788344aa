//! Methods of tuples that cannot be joined. A call of one fails to compile, and the error names the wrong member.

use core::ops::Not;

use super::{Comp, CompMut, Entities};
use crate::join::{Join, Joined};
use crate::tuples::for_each_prefix;

/// A first member that shows that a tuple is meant as a join.
pub trait First {
    /// The type that has to be joined, so that the error is about it: a member without a reference, or else the tuple. The
    /// compiler would suggest a `&` at the wrong place for a type that is not a tuple.
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

/// Tuples that begin with a view. The compiler finds these methods last, because they take a mutable reference: if neither the
/// tuple nor, behind a `&`, a copy of it has the methods of [`Join`].
#[allow(missing_docs, unused_variables, reason = "as in `Join`")]
pub trait NotJoined {
    type Joined;

    /// Fails to compile where a method is called through a `&mut` of a tuple that can be joined.
    const REFUSED: () = panic!(
        "a tuple of views behind `&mut` cannot be joined; help: write `(*tuple).iter()`, or join the tuple by value"
    );

    fn for_each<'a, F>(&mut self, f: F)
    where
        Self::Joined: Join<'a>,
    {
        let () = Self::REFUSED;
    }

    fn par_for_each<'a, F>(&mut self, f: F)
    where
        Self::Joined: Join<'a>,
    {
        let () = Self::REFUSED;
    }

    fn iter<'a, Any>(&mut self) -> Any
    where
        Self::Joined: Join<'a>,
    {
        let () = Self::REFUSED;
        unreachable!("the constant does not compile")
    }

    fn join<Any>(&mut self) -> Any
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
