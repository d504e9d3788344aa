//! The filters by toggles.

use super::{Toggle, ToggleComponent};
use crate::component::{Component, ComponentId};
use crate::invariant::Invariant;
use crate::join::{FlagFilter, NotTicks};
use crate::meta::{ComponentEntry, DataList, QueryAccess, ReadOf};
use crate::query::{NegatableFilter, QueryData, QueryFilter};
use crate::storage::Storage;
use crate::tick::Window;
use crate::world::BorrowError;

/// Matches entities whose `T` is [turned on](crate::toggle).
pub struct TurnedOn<T>(Invariant<T>);

/// Matches entities whose `T` is [turned off](crate::toggle).
pub struct TurnedOff<T>(Invariant<T>);

macro_rules! toggle_filter {
    ($($name:ident $is_set:literal)+) => {$(
        // SAFETY: reads the values of one component, which `lock` has locked for reading unless it is fetched.
        unsafe impl<T: ToggleComponent> QueryFilter for $name<T> {
            type Filter<'a> = FlagFilter<'a, Toggle<T>, $is_set>;
            type List<Q, Tail: DataList> = ReadOf<ComponentEntry<Toggle<T>>, Q, Tail>;

            const ACCESS: &'static QueryAccess = &QueryAccess::Changed(Toggle::<T>::IDENT);

            fn lock<D: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
                if D::fetches(ComponentId::of::<Toggle<T>>()) {
                    return Ok(());
                }
                <&Toggle<T>>::lock(storage)
            }

            unsafe fn unlock<D: QueryData>(storage: &Storage) {
                if !D::fetches(ComponentId::of::<Toggle<T>>()) {
                    // SAFETY: `lock` has borrowed the toggles under the same condition, and no filter relies on them any
                    // more, by the caller's contract.
                    unsafe { <&Toggle<T>>::unlock(storage) };
                }
            }

            #[inline]
            unsafe fn filter<'a>(storage: &'a Storage, _: Window) -> Self::Filter<'a> {
                // SAFETY: the store is the one of the toggles, borrowed for `'a` by clause 1. By clause 2 toggles of
                // entities that the filter is used for are written through items of the filtered query alone.
                unsafe { FlagFilter::new(storage.component(ComponentId::of::<Toggle<T>>())) }
            }
        }

        // SAFETY: reads the toggles that the filter reads.
        unsafe impl<T: ToggleComponent> NegatableFilter for $name<T> {
            type Negated<'a> = NotTicks<<Self as QueryFilter>::Filter<'a>>;

            // Entities without the component match too.
            const NEGATED: &'static QueryAccess = &QueryAccess::Optional(&[&QueryAccess::Read(Toggle::<T>::IDENT)]);

            #[inline]
            unsafe fn negated<'a>(storage: &'a Storage, window: Window) -> Self::Negated<'a> {
                // SAFETY: clauses 1 to 3 hold by the caller's contract.
                NotTicks(unsafe { Self::filter(storage, window) })
            }
        }
    )+};
}

toggle_filter! {
    TurnedOn true
    TurnedOff false
}
