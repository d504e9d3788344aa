//! Terms and filters made again, for a shorter time.
//!
//! A term hands out items for as long as it was made for. Where one access must be used several times in a row (what is
//! left after a [`split`](super::JoinMut::split), for example), each use gets a term of its own that lasts as long as
//! the use: the items of the first are gone when the second begins.

use core::ptr;

use super::fetch::{Fetch, Filter};
use super::fetches::{EntityFetch, OptionFetch, ReadFetch};
use super::filters::{OrFilter, WithFilter, WithoutFilter};
use super::ticks::{TickFilter, WhichTick};
use super::write::WriteFetch;
use crate::component::{Component, TrackedComponent};
use crate::entity::Entity;
use crate::storage::Frozen;
use crate::tuples::for_each_narrow_arity;

/// A term that can be made again for a shorter time, and as one that only reads.
///
/// # Safety
/// [`Short`](Self::Short) is this very type with another lifetime; [`shared`](Self::shared) gives a term for the same
/// components of the same world, which only reads.
#[doc(hidden)]
pub unsafe trait Reborrow<'a>: Fetch<'a> {
    /// What the same term with another lifetime gives per entity.
    type ShortItem<'b>;
    /// The same term with another lifetime.
    type Short<'b>: Reborrow<'b, Item = Self::ShortItem<'b>>;
    /// The same term with `&mut` as `&`.
    type Shared<'b>: Fetch<'b>;

    /// The term for `'b`.
    ///
    /// # Safety
    /// `'b` ends before `'a` does; no item of this term for an entity that the new one is used for, and no such item of
    /// another term that was made from it, is used in `'b`.
    #[inline]
    unsafe fn reborrow<'b>(&self) -> Self::Short<'b> {
        let short = &raw const *self as *const Self::Short<'b>;
        // SAFETY: the same value; no layout depends on a lifetime, and what it borrows was borrowed for longer.
        unsafe { *short }
    }

    /// The term for `'b`, to read.
    ///
    /// # Safety
    /// As for [`reborrow`](Self::reborrow), but for items that only read.
    unsafe fn shared<'b>(&self) -> Self::Shared<'b>;
}

/// A filter that can be made again for a shorter time.
///
/// # Safety
/// [`Short`](Self::Short) is this very type with another lifetime.
#[doc(hidden)]
pub unsafe trait ReborrowFilter<'a>: Filter<'a> {
    /// The same filter with another lifetime.
    type Short<'b>: ReborrowFilter<'b>;

    /// The filter for `'b`.
    ///
    /// # Safety
    /// `'b` ends before `'a` does.
    #[inline]
    unsafe fn reborrow<'b>(&self) -> Self::Short<'b> {
        let short = &raw const *self as *const Self::Short<'b>;
        // SAFETY: as for terms.
        unsafe { *short }
    }
}

/// The reference with a shorter lifetime, where the compiler is not told which one is shorter.
///
/// The traits' signatures cannot say it: a bound `'a: 'b` on `Short` would make closures that take `Short<'b>` for
/// every `'b` impossible to write.
///
/// # Safety
/// `'b` ends before `'a` does.
#[inline]
unsafe fn shorten<'b, S>(store: Option<&S>) -> Option<&'b S> {
    // SAFETY: the reference was valid for `'a`, which the caller says is longer.
    store.map(|store| unsafe { &*ptr::from_ref(store) })
}

// SAFETY: the same type, and the same store.
unsafe impl<'a, T: Component> Reborrow<'a> for ReadFetch<'a, T> {
    type ShortItem<'b> = <ReadFetch<'b, T> as Fetch<'b>>::Item;
    type Short<'b> = ReadFetch<'b, T>;
    type Shared<'b> = ReadFetch<'b, T>;

    #[inline]
    unsafe fn shared<'b>(&self) -> ReadFetch<'b, T> {
        // SAFETY: the caller's promise.
        unsafe { self.reborrow() }
    }
}

// SAFETY: the same type, and the same store.
unsafe impl<'a, T: Component> Reborrow<'a> for WriteFetch<'a, T> {
    type ShortItem<'b> = <WriteFetch<'b, T> as Fetch<'b>>::Item;
    type Short<'b> = WriteFetch<'b, T>;
    type Shared<'b> = ReadFetch<'b, T>;

    #[inline]
    unsafe fn shared<'b>(&self) -> ReadFetch<'b, T> {
        // SAFETY: the caller says that `'b` is shorter.
        let store = unsafe { shorten(self.store.map(Frozen::get)) };
        // SAFETY: it is the store of `T`, by invariant 1 borrowed for writing for longer than `'b`, in which the caller reads
        // alone.
        unsafe { ReadFetch::new(store) }
    }
}

// SAFETY: the inner term's promise.
unsafe impl<'a, M: Reborrow<'a>> Reborrow<'a> for OptionFetch<M> {
    type ShortItem<'b> = Option<M::ShortItem<'b>>;
    type Short<'b> = OptionFetch<M::Short<'b>>;
    type Shared<'b> = OptionFetch<M::Shared<'b>>;

    #[inline]
    unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
        // SAFETY: the caller's promise.
        OptionFetch(self.0.as_ref().map(|inner| unsafe { inner.shared() }))
    }
}

// SAFETY: ids are copied.
unsafe impl<'a> Reborrow<'a> for EntityFetch {
    type ShortItem<'b> = Entity;
    type Short<'b> = Self;
    type Shared<'b> = Self;

    #[inline]
    unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
        Self
    }
}

// SAFETY: the same type.
unsafe impl<'a> ReborrowFilter<'a> for () {
    type Short<'b> = ();
}

// SAFETY: the same type.
unsafe impl<'a, T: Component> ReborrowFilter<'a> for WithFilter<'a, T> {
    type Short<'b> = WithFilter<'b, T>;
}

// SAFETY: the same type.
unsafe impl<'a, T: Component> ReborrowFilter<'a> for WithoutFilter<'a, T> {
    type Short<'b> = WithoutFilter<'b, T>;
}

// SAFETY: the same type.
unsafe impl<'a, T: TrackedComponent, W: WhichTick + 'static> ReborrowFilter<'a>
    for TickFilter<'a, T, W>
{
    type Short<'b> = TickFilter<'b, T, W>;
}

// SAFETY: the same type.
unsafe impl<'a, A: ReborrowFilter<'a>, B: ReborrowFilter<'a>> ReborrowFilter<'a> for (A, B) {
    type Short<'b> = (A::Short<'b>, B::Short<'b>);
}

// SAFETY: the same type.
unsafe impl<'a, A: ReborrowFilter<'a>, B: ReborrowFilter<'a>> ReborrowFilter<'a>
    for OrFilter<A, B>
{
    type Short<'b> = OrFilter<A::Short<'b>, B::Short<'b>>;
}

macro_rules! tuple_reborrow {
    ($($name:ident $value:ident),+) => {
        // SAFETY: the members' promises.
        unsafe impl<'a, $($name: Reborrow<'a>),+> Reborrow<'a> for ($($name,)+) {
            type ShortItem<'b> = ($($name::ShortItem<'b>,)+);
            type Short<'b> = ($($name::Short<'b>,)+);
            type Shared<'b> = ($($name::Shared<'b>,)+);

            #[inline]
            unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
                let ($($value,)+) = self;
                // SAFETY: the caller's promise.
                ($(unsafe { $value.shared() },)+)
            }
        }
    };
}

for_each_narrow_arity!(tuple_reborrow);
