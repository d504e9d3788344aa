//! The types of a `system!`'s parameters, looked up one by one.
//!
//! The closure's signature follows from all of them together: where one is wrong, the compiler would show the closure. So
//! each is looked up before, in a call of its own at its own place. Where that fails, a method is called that demands what
//! is missing and gives something of unknown type: nothing that is said of it later on can be wrong a second time.
//!
//! What is found is a name and holds nothing: what it stands for is looked up again when the walk begins. So it is of no matter
//! that the names of one type can be coerced to those of another one.

use core::fmt;
use core::marker::PhantomData;

use super::items::Item;
use super::walk::Value;
use super::world::{ComponentOf, StaticWorld};
use crate::component::Component;
use crate::flat::for_each_arity;
use crate::world::World;

/// Where the parameters of a `system!` on a `W` are looked up.
#[doc(hidden)]
pub struct Lookup<W>(PhantomData<fn(W)>);

/// A component that is looked up in `W`.
#[doc(hidden)]
pub struct Asked<W, T>(PhantomData<fn(W, T)>);

/// A component that was looked up.
#[doc(hidden)]
pub struct Found<T>(PhantomData<T>);

/// A walk over the entities of a `W` that have all of `D`: the step at which the compiler knows `D`, so that it knows what
/// a closure is given.
#[doc(hidden)]
pub struct Walk<W, D>(PhantomData<fn(W, D)>);

/// A closure, and what it is given.
#[doc(hidden)]
pub struct Each<D, F> {
    data: PhantomData<D>,
    pub(super) f: F,
}

impl<W> Lookup<W> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }

    /// Asks for a component.
    #[inline]
    pub fn of<T>(&self) -> Asked<W, T> {
        Asked(PhantomData)
    }

    /// A walk over entities with all of the items.
    #[inline]
    pub fn walk<I: Items>(&self, _: I) -> Walk<W, I::Data> {
        Walk(PhantomData)
    }
}

impl<W, D> Walk<W, D> {
    pub(super) fn with<F>(self, f: F) -> Each<D, F> {
        let data = PhantomData;
        Each { data, f }
    }
}

impl<W: StaticWorld, D: Item<W>> Walk<W, D> {
    /// What is done with each entity.
    #[inline]
    pub fn each<F: FnMut(Value<'_, W, D>)>(self, f: F) -> Each<D, F> {
        self.with(f)
    }

    /// What new values each entity gets.
    #[inline]
    pub fn renew<R, F: FnMut(Value<'_, W, D>) -> R>(self, f: F) -> Each<D, F> {
        self.with(f)
    }
}

impl<W: StaticWorld, T: ComponentOf<W>> Asked<W, T> {
    /// The component, which is listed.
    #[inline]
    pub fn found(self) -> Found<T> {
        Found(PhantomData)
    }
}

impl<T: Component> Asked<World, T> {
    /// The component.
    #[inline]
    pub fn found(self) -> Found<T> {
        Found(PhantomData)
    }
}

/// What is found of a type that is not listed by a closed world.
#[doc(hidden)]
pub trait NotListed<W, T>: Sized {
    /// What is wanted, whatever it is.
    fn found<U>(self) -> U
    where
        W: StaticWorld,
        T: ComponentOf<W>,
    {
        unreachable!("a listed component is found before")
    }
}

impl<W: StaticWorld, T> NotListed<W, T> for Asked<W, T> {}

/// What is found of a type that is no component.
#[doc(hidden)]
pub trait NoComponent<T>: Sized {
    /// What is wanted, whatever it is.
    fn found<U>(self) -> U
    where
        T: Component,
    {
        unreachable!("a component is found before")
    }
}

impl<T> NoComponent<T> for Asked<World, T> {}

impl<T: 'static> Found<T> {
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

impl<T> Clone for Found<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Found<T> {}

/// What is fetched from each entity, as `PhantomData` and tuples of it.
#[doc(hidden)]
pub trait Items {
    /// The same without `PhantomData`.
    type Data;
}

impl<D> Items for PhantomData<D> {
    type Data = D;
}

macro_rules! tuple_of_items {
    ($($name:ident $value:ident),+) => {
        impl<$($name: Items),+> Items for ($($name,)+) {
            type Data = ($($name::Data,)+);
        }
    };
}

for_each_arity!(tuple_of_items);

impl<W> fmt::Debug for Lookup<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lookup")
    }
}

impl<W, T> fmt::Debug for Asked<W, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asked")
    }
}

impl<W, D> fmt::Debug for Walk<W, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Walk")
    }
}

impl<D, F> fmt::Debug for Each<D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Each")
    }
}

impl<T> fmt::Debug for Found<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Found")
    }
}
