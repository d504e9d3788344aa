//! `Any` as query data.

use super::data::{QueryData, ReadOnlyQueryData, list_of};
use crate::join::{Any, AnyFetch, OptionFetch};
use crate::meta::{DataList, QueryAccess};
use crate::storage::Storage;
use crate::tick::Window;
use crate::tuples::for_each_narrow_arity;

macro_rules! any_data {
    ($($name:ident $value:ident),+) => {
        // SAFETY: locks and fetches the same as the tuple of its members, in the same way; `ACCESS` names all of it, and
        // matching entities have at least one of the members.
        unsafe impl<$($name: QueryData),+> QueryData for Any<($($name,)+)> {
            type Item<'a> = Any<($($name::Item<'a>,)+)>;
            type Fetch<'a> = AnyFetch<($(OptionFetch<$name::Fetch<'a>>,)+)>;
            type ReadOnly = Any<($($name::ReadOnly,)+)>;
            type Static = Any<($($name::Static,)+)>;
            type Locked = ($($name,)+);
            type List<Query, Tail: DataList> = list_of!(Query, Tail; $($name)+);

            const ACCESS: &'static QueryAccess = &QueryAccess::Or(&[$($name::ACCESS),+]);

            #[inline]
            unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a> {
                // SAFETY: clauses 1 to 3 hold for each member: the tuple locks the same. Clause 2 holds among them because
                // members whose items would alias cannot be locked at the same time.
                AnyFetch(($(OptionFetch(Some(unsafe { $name::fetch(storage, window) })),)+))
            }
        }

        // SAFETY: all its fetches only read.
        unsafe impl<$($name: ReadOnlyQueryData),+> ReadOnlyQueryData for Any<($($name,)+)> {}
    };
}

for_each_narrow_arity!(any_data);
