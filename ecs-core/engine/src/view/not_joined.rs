//! Methods of tuples that cannot be joined, for the sake of the error about a call: it names the member that is wrong.

use core::ops::Not;

use super::{Comp, CompMut, Entities};
use crate::join::{Join, Joined};
use crate::tuples::for_each_prefix;

/// Views, with or without a reference.
pub trait IsView {}

impl<T> IsView for Comp<'_, T> {}
impl<T> IsView for CompMut<'_, T> {}
impl IsView for Entities<'_> {}
impl<V: IsView> IsView for &V {}
impl<V: IsView> IsView for &mut V {}
impl<V: IsView> IsView for Option<V> {}

/// Tuples that begin with a view. The compiler finds these methods, which take a reference, if the members have no methods of
/// [`Join`].
#[allow(missing_docs, unused_variables, reason = "as in `Join`")]
pub trait NotJoined {
    fn for_each<'a, F>(&self, f: F)
    where
        Self: Join<'a>,
    {
    }

    fn par_for_each<'a, F>(&self, f: F)
    where
        Self: Join<'a>,
    {
    }

    fn iter<'a, Any>(&self) -> Any
    where
        Self: Join<'a>,
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
        impl<$first: IsView $(, $name)*> NotJoined for ($first, $($name),*) {}
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
    label = "write `.exclude(..)` after the tuple, with the reference to the view"
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
    type Fetch = ();
    type Filter = ();

    fn joined(self) -> Joined<'a, (), ()> {
        unreachable!("no type has the bound")
    }
}
