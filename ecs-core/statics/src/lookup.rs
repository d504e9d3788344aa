//! The types of a `system!`'s parameters, looked up one by one.
//!
//! The signature of the closure depends on all of them: if one is wrong, the compiler would show the error at the
//! closure. So each type is looked up first, in a call of its own at its own span. If that fails, a method is called
//! that requires the missing bound and returns a value of unknown type, so that no second error follows.
//!
//! The types here are empty markers: the components are looked up again when the iteration begins. So it is sound that
//! a marker can be coerced to a subtype's marker.

use core::fmt;
use core::marker::PhantomData;

use ecs_engine::__private::{for_each_narrow_arity, for_each_wide_arity};

use crate::component::ComponentOf;
use crate::world::StaticWorld;

/// The lookup of the parameters of a `system!` on a `W`.
#[doc(hidden)]
pub struct StaticLookup<W>(PhantomData<fn(W)>);

/// A component that is looked up in `W`.
#[doc(hidden)]
pub struct Requested<W, T>(PhantomData<fn(W, T)>);

/// A component that was looked up.
#[doc(hidden)]
pub struct FoundView<T>(PhantomData<T>);

/// An iteration over the entities of a `W` that have all of `D`. Here the compiler knows `D`, and so the parameter of
/// the closure.
#[doc(hidden)]
pub struct Iteration<W, D>(PhantomData<fn(W, D)>);

/// A closure that is called with the items `D` of each entity.
#[doc(hidden)]
pub struct EachItems<D, F> {
    data: PhantomData<D>,
    pub(crate) f: F,
}

impl<W> StaticLookup<W> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }

    /// Requests a component.
    #[inline]
    pub fn of<T>(&self) -> Requested<W, T> {
        Requested(PhantomData)
    }

    /// Returns an iteration over entities with all of the items.
    #[inline]
    pub fn iterate<I: Items>(&self, _: I) -> Iteration<W, I::Data> {
        Iteration(PhantomData)
    }
}

impl<W, D> Iteration<W, D> {
    pub(crate) fn with<F>(self, f: F) -> EachItems<D, F> {
        let data = PhantomData;
        EachItems { data, f }
    }
}

impl<W: StaticWorld, T: ComponentOf<W>> Requested<W, T> {
    /// Returns the component, which is listed.
    #[inline]
    pub fn found(self) -> FoundView<T> {
        FoundView::new()
    }
}

/// The lookup of a type that a closed world does not list.
#[doc(hidden)]
pub trait NotListed<W, T>: Sized {
    /// Requires that the type is listed; returns any type, so that no second error follows.
    fn found<U>(self) -> U
    where
        W: StaticWorld,
        T: ComponentOf<W>,
    {
        unreachable!("the inherent method finds listed components")
    }
}

impl<W: StaticWorld, T> NotListed<W, T> for Requested<W, T> {}

impl<T> FoundView<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: 'static> FoundView<T> {
    /// `&T`.
    #[inline]
    pub fn read(self) -> PhantomData<&'static T> {
        PhantomData
    }

    /// `&mut T`.
    #[inline]
    pub fn write(self) -> PhantomData<&'static mut T> {
        PhantomData
    }

    /// `Option<&T>`.
    #[inline]
    pub fn maybe_read(self) -> PhantomData<Option<&'static T>> {
        PhantomData
    }

    /// `Option<&mut T>`.
    #[inline]
    pub fn maybe_write(self) -> PhantomData<Option<&'static mut T>> {
        PhantomData
    }
}

impl<T> Clone for FoundView<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for FoundView<T> {}

/// The items that are fetched from each entity: `PhantomData`, and tuples of it.
#[doc(hidden)]
pub trait Items {
    /// The same without `PhantomData`.
    type Data;
}

impl<D> Items for PhantomData<D> {
    type Data = D;
}

macro_rules! tuple_of_items {
    ($($name:ident $value:ident),+ $(; $($more:ident $v:ident),+)?) => {
        impl<$($name: Items,)+ $($($more: Items),+)?> Items for ($($name,)+ $($($more,)+)?) {
            type Data = ($($name::Data,)+ $($($more::Data,)+)?);
        }
    };
}

for_each_narrow_arity!(tuple_of_items);
for_each_wide_arity!(tuple_of_items);

impl<W> fmt::Debug for StaticLookup<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lookup")
    }
}

impl<W, T> fmt::Debug for Requested<W, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Requested")
    }
}

impl<W, D> fmt::Debug for Iteration<W, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Iteration")
    }
}

impl<D, F> fmt::Debug for EachItems<D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Each")
    }
}

impl<T> fmt::Debug for FoundView<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Found")
    }
}
