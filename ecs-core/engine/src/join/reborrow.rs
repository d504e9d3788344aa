//! Fetches and filters reborrowed for a shorter lifetime.
//!
//! A fetch returns items for the lifetime that it was made for. Where one access is used several times in a row (the rest
//! after a [`split`](super::JoinMut::split), for example), each use gets its own fetch, which lasts as long as the use: the
//! items of the first use are gone when the second begins.

use core::ptr;

use super::fetch::{Fetch, Filter};
use super::fetches::{EntityFetch, OptionFetch, ReadFetch};
use super::filters::{OrFilter, SeesDisabled, WithFilter, WithoutFilter};
use super::tick_forms::{MutatedFilter, NotTicks};
use super::ticks::{TickFilter, WhichTick};
use super::write::WriteFetch;
use crate::component::{Component, TrackedComponent};
use crate::entity::Entity;
use crate::storage::Frozen;
use crate::tuples::for_each_narrow_arity;

/// A fetch that can be reborrowed for a shorter lifetime, and as one that only reads.
///
/// # Safety
/// [`Short`](Self::Short) is this very type with another lifetime; [`shared`](Self::shared) returns a fetch of the same
/// components of the same world that only reads.
#[doc(hidden)]
pub unsafe trait Reborrow<'a>: Fetch<'a> {
    /// The item of the same fetch with another lifetime.
    type ShortItem<'b>;
    /// The same fetch with another lifetime.
    type Short<'b>: Reborrow<'b, Item = Self::ShortItem<'b>>;
    /// The same fetch with `&mut` as `&`.
    type Shared<'b>: Fetch<'b>;

    /// Returns the fetch for `'b`.
    ///
    /// # Safety
    /// `'b` ends before `'a` does; for no entity that the new fetch is [used for](Fetch), an item of this fetch, or of
    /// another fetch that was made from it, is used in `'b`, unless all of them only read.
    #[inline]
    unsafe fn reborrow<'b>(&self) -> Self::Short<'b> {
        let short = &raw const *self as *const Self::Short<'b>;
        // SAFETY: `Short` is the same type except for the lifetime, by the contract of the trait, and no layout depends on
        // lifetimes; all that the fetch borrows is borrowed for `'a`, which is longer than `'b` by the caller's contract.
        unsafe { *short }
    }

    /// Returns the fetch for `'b` that only reads.
    ///
    /// # Safety
    /// `'b` ends before `'a` does; for no entity that the new fetch is [used for](Fetch), an item that writes, of this fetch or
    /// of another fetch that was made from it, is used in `'b`.
    unsafe fn shared<'b>(&self) -> Self::Shared<'b>;
}

/// A filter that can be reborrowed for a shorter lifetime.
///
/// # Safety
/// [`Short`](Self::Short) is this very type with another lifetime.
#[doc(hidden)]
pub unsafe trait ReborrowFilter<'a>: Filter<'a> {
    /// The same filter with another lifetime.
    type Short<'b>: ReborrowFilter<'b>;

    /// Returns the filter for `'b`.
    ///
    /// # Safety
    /// `'b` ends before `'a` does.
    #[inline]
    unsafe fn reborrow<'b>(&self) -> Self::Short<'b> {
        let short = &raw const *self as *const Self::Short<'b>;
        // SAFETY: `Short` is the same type except for the lifetime, by the contract of the trait, and no layout depends on
        // lifetimes; all that the filter borrows is borrowed for `'a`, which is longer than `'b` by the caller's contract.
        unsafe { *short }
    }
}

/// Shortens the lifetime of a reference where the compiler does not know which one is shorter.
///
/// The signatures of the traits cannot express it: a bound `'a: 'b` on `Short` would make closures that take
/// `Short<'b>` for every `'b` impossible to write.
///
/// # Safety
/// `'b` ends before `'a` does.
#[inline]
unsafe fn shorten<'b, S>(store: Option<&S>) -> Option<&'b S> {
    // SAFETY: the reference is valid for `'a`, and `'b` ends before by the caller's contract.
    store.map(|store| unsafe { &*ptr::from_ref(store) })
}

// SAFETY: `Short` is the same type, and `shared` reads the same store.
unsafe impl<'a, T: Component> Reborrow<'a> for ReadFetch<'a, T> {
    type ShortItem<'b> = <ReadFetch<'b, T> as Fetch<'b>>::Item;
    type Short<'b> = ReadFetch<'b, T>;
    type Shared<'b> = ReadFetch<'b, T>;

    #[inline]
    unsafe fn shared<'b>(&self) -> ReadFetch<'b, T> {
        // SAFETY: `'b` ends before `'a` does by the caller's contract; this fetch and all that are made from it only
        // read.
        unsafe { self.reborrow() }
    }
}

// SAFETY: `Short` is the same type, and `shared` reads the same store.
unsafe impl<'a, T: Component> Reborrow<'a> for WriteFetch<'a, T> {
    type ShortItem<'b> = <WriteFetch<'b, T> as Fetch<'b>>::Item;
    type Short<'b> = WriteFetch<'b, T>;
    type Shared<'b> = ReadFetch<'b, T>;

    #[inline]
    unsafe fn shared<'b>(&self) -> ReadFetch<'b, T> {
        // SAFETY: `'b` ends before `'a` does by the caller's contract.
        let store = unsafe { shorten(self.store.map(Frozen::get)) };
        // SAFETY: it is the store of `T`, by invariant 1 borrowed for writing during `'a`, which is longer than `'b`.
        // Only fetches that were made from this one write values of the entities that it is used for; by the caller's
        // contract these are not used in `'b` for entities that the new fetch is used for.
        unsafe { ReadFetch::new(store) }
    }
}

// SAFETY: `Short` and `Shared` belong to the inner fetch, which keeps the contract.
unsafe impl<'a, M: Reborrow<'a>> Reborrow<'a> for OptionFetch<M> {
    type ShortItem<'b> = Option<M::ShortItem<'b>>;
    type Short<'b> = OptionFetch<M::Short<'b>>;
    type Shared<'b> = OptionFetch<M::Shared<'b>>;

    #[inline]
    unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
        // SAFETY: by the caller's contract `'b` ends before `'a` does, and no item that writes is used in `'b` for an
        // entity that the new fetch is used for.
        OptionFetch(self.0.as_ref().map(|inner| unsafe { inner.shared() }))
    }
}

// SAFETY: ids are copied; the type has no lifetime.
unsafe impl<'a> Reborrow<'a> for EntityFetch {
    type ShortItem<'b> = Entity;
    type Short<'b> = Self;
    type Shared<'b> = Self;

    #[inline]
    unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
        Self
    }
}

// SAFETY: the type has no lifetime.
unsafe impl<'a> Reborrow<'a> for () {
    type ShortItem<'b> = ();
    type Short<'b> = ();
    type Shared<'b> = ();

    #[inline]
    unsafe fn shared<'b>(&self) -> Self::Shared<'b> {}
}

// SAFETY: `Short` is the same type with another lifetime.
unsafe impl<'a> ReborrowFilter<'a> for () {
    type Short<'b> = ();
}

// SAFETY: `Short` is the same type.
unsafe impl<'a> ReborrowFilter<'a> for SeesDisabled {
    type Short<'b> = SeesDisabled;
}

// SAFETY: `Short` is the same type with another lifetime.
unsafe impl<'a, T: Component> ReborrowFilter<'a> for WithFilter<'a, T> {
    type Short<'b> = WithFilter<'b, T>;
}

// SAFETY: `Short` is the same type with another lifetime.
unsafe impl<'a, T: Component> ReborrowFilter<'a> for WithoutFilter<'a, T> {
    type Short<'b> = WithoutFilter<'b, T>;
}

// SAFETY: `Short` is the same type with another lifetime.
unsafe impl<'a, T: TrackedComponent, W: WhichTick + 'static> ReborrowFilter<'a>
    for TickFilter<'a, T, W>
{
    type Short<'b> = TickFilter<'b, T, W>;
}

// SAFETY: `Short` is the same type with another lifetime.
unsafe impl<'a, A: ReborrowFilter<'a>, B: ReborrowFilter<'a>> ReborrowFilter<'a> for (A, B) {
    type Short<'b> = (A::Short<'b>, B::Short<'b>);
}

// SAFETY: `Short` is the same type with another lifetime.
unsafe impl<'a, A: ReborrowFilter<'a>, B: ReborrowFilter<'a>> ReborrowFilter<'a>
    for OrFilter<A, B>
{
    type Short<'b> = OrFilter<A::Short<'b>, B::Short<'b>>;
}

// SAFETY: `Short` is the same type with another lifetime.
unsafe impl<'a, T: TrackedComponent> ReborrowFilter<'a> for MutatedFilter<'a, T> {
    type Short<'b> = MutatedFilter<'b, T>;
}

// SAFETY: `Short` is the same type with another lifetime.
unsafe impl<'a, A: ReborrowFilter<'a>> ReborrowFilter<'a> for NotTicks<A> {
    type Short<'b> = NotTicks<A::Short<'b>>;
}

macro_rules! tuple_reborrow {
    ($($name:ident $value:ident),+) => {
        // SAFETY: `Short` and `Shared` belong to the members, which keep the contract.
        unsafe impl<'a, $($name: Reborrow<'a>),+> Reborrow<'a> for ($($name,)+) {
            type ShortItem<'b> = ($($name::ShortItem<'b>,)+);
            type Short<'b> = ($($name::Short<'b>,)+);
            type Shared<'b> = ($($name::Shared<'b>,)+);

            #[inline]
            unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
                let ($($value,)+) = self;
                // SAFETY: by the caller's contract `'b` ends before `'a` does, and no item that writes is used in `'b`
                // for an entity that the new fetch is used for.
                ($(unsafe { $value.shared() },)+)
            }
        }
    };
}

for_each_narrow_arity!(tuple_reborrow);
