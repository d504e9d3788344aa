//! The data that a query fetches.

use super::locks;
use crate::component::{Component, ComponentId, Mut, MutOf, TrackedComponent, Tracking as _};
use crate::entity::Entity;
use crate::join::{EntityFetch, Flattened, OptionFetch, ReadFetch, Reborrow, WriteFetch};
use crate::meta::{ComponentEntry, DataList, QueryAccess, ReadOf, WriteOf};
use crate::storage::Storage;
use crate::tick::Window;
use crate::tuples::{for_each_narrow_arity, for_each_wide_arity};
use crate::world::BorrowError;

/// The data that a [`Query`](super::Query) fetches: `&T`, `&mut T`, [`Entity`], tuples of data, and `Option` of any data,
/// nested as deep as you like. `()` fetches nothing, for a query that only has a filter. If `T` is tracked, the item of
/// `&mut T` is a [`Mut<T>`](Mut), which can be named as the data too.
///
/// Structs whose fields are query data implement it with the derive of the same name, and are the items of the query:
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[derive(QueryData)]
/// struct Mover<'a> {
///     position: &'a mut Position,
///     velocity: &'a Velocity,
/// }
///
/// impl Mover<'_> {
///     fn step(&mut self) {
///         self.position.0 += self.velocity.0;
///     }
/// }
///
/// #[system]
/// fn movement(mut movers: Query<Mover>) {
///     movers.for_each(|mut mover| mover.step());
/// }
///
/// let mut world = World::new();
/// world.spawn((Position(1.0), Velocity(2.0)));
/// movement(&world);
/// // The items of a shared query are of the type `MoverReadOnly`, which has `&` in place of `&mut`.
/// for mover in &world.query::<Mover>() {
///     assert_eq!(mover.position.0, 3.0);
/// }
/// ```
///
/// # Safety
/// `fetch` borrows only components that `lock` has locked; `ACCESS` names all of them. `fetches` is true for no other
/// components. `ReadOnly` fetches from the same components and only reads. `Static` is this very type with other lifetimes.
/// Entities that the fetch is not used for are accessed only through a [`QueryAccess::OfAny`] in `ACCESS`, and only read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fetched by a query",
    label = "not query data",
    note = "write `&{Self}` or `&mut {Self}` for a component, `Option<&{Self}>` for one that only some entities have; a struct of references to components needs `#[derive(QueryData)]`",
    note = "a query fetches `&T`, `&mut T`, `Entity`, tuples of them, and `Option` of all of these; a filter is its second argument, `Query<&T, {Self}>`, and a resource is a parameter of its own, `Res<{Self}>`"
)]
pub unsafe trait QueryData {
    /// The items of a query over this data, per entity.
    type Item<'a>;
    /// The fetch that joins use.
    #[doc(hidden)]
    type Fetch<'a>: Reborrow<'a, Item = Self::Item<'a>>;
    /// The same data with `&` in place of `&mut`.
    type ReadOnly: ReadOnlyQueryData;
    /// The same data with all lifetimes `'static`.
    ///
    /// A [`Query`](super::Query) is invariant in its data, but `Query<&'a T>` and `Query<&'b T>` have the same access.
    type Static: QueryData<Static = Self::Static>;

    /// The data that the functions below are forwarded to; `Self` if the implementation has its own.
    #[doc(hidden)]
    type Locked: QueryData;

    /// The data that the query `Q` accesses, before the list `Tail`.
    #[doc(hidden)]
    type List<Q, Tail: DataList>: DataList;

    /// The components that are accessed.
    const ACCESS: &'static QueryAccess;

    /// True if changes are noted.
    #[doc(hidden)]
    const TRACKS: bool = Self::Locked::TRACKS;

    /// Returns true if `lock` locks the component.
    #[doc(hidden)]
    fn fetches(component: ComponentId) -> bool {
        Self::Locked::fetches(component)
    }

    /// Takes the run-time borrows of all components, or none.
    #[doc(hidden)]
    fn lock(storage: &Storage) -> Result<(), BorrowError> {
        Self::Locked::lock(storage)
    }

    /// Releases the run-time borrows.
    ///
    /// # Safety
    /// `lock` has taken them, and no fetch relies on them any more.
    #[doc(hidden)]
    unsafe fn unlock(storage: &Storage) {
        // SAFETY: by the caller's contract `lock` has taken the borrows of `Locked`, and no fetch relies on them any more.
        unsafe { Self::Locked::unlock(storage) }
    }

    /// Creates the fetch.
    ///
    /// # Safety
    /// 1. The run-time borrows that `lock` takes, or stronger ones, are held for `'a`. In `'a` no view inserts or
    ///    removes values of these components.
    /// 2. In `'a`, other code accesses a value or ticks that the fetch accesses, of an entity that the fetch is
    ///    [used for](Fetch), only if neither writes. Filters of the same join may read ticks that the fetch writes.
    /// 3. In `'a`, no code writes values or ticks of components that `ACCESS` names in a [`QueryAccess::OfAny`], whatever the
    ///    entity.
    #[doc(hidden)]
    unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a>;
}

/// [`QueryData`] that only reads.
///
/// # Safety
/// Its fetch only reads, and `ReadOnly` is `Self`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not query data that only reads",
    label = "writes, or is not query data",
    note = "write `&{Self}` for a component, and `&T` for `&mut T`: `Up<R, &T>` only reads; `Query::for_each_cascade` changes parents and children, `Query::split` one entity and the rest"
)]
pub unsafe trait ReadOnlyQueryData: QueryData<ReadOnly = Self> {}

// SAFETY: reads one component, which is locked for reading.
unsafe impl<T: Component> QueryData for &T {
    type Item<'a> = &'a T;
    type Fetch<'a> = ReadFetch<'a, T>;
    type ReadOnly = Self;
    type Static = &'static T;
    type Locked = Self;
    type List<Q, Tail: DataList> = ReadOf<ComponentEntry<T>, Q, Tail>;

    const ACCESS: &'static QueryAccess = &QueryAccess::Read(T::IDENT);
    const TRACKS: bool = false;

    fn fetches(component: ComponentId) -> bool {
        component == ComponentId::of::<T>()
    }

    fn lock(storage: &Storage) -> Result<(), BorrowError> {
        locks::read(storage, ComponentId::of::<T>())
    }

    unsafe fn unlock(storage: &Storage) {
        // SAFETY: `lock` has borrowed the component for reading, and no fetch relies on it any more, by the caller's
        // contract.
        unsafe { locks::end_read(storage, ComponentId::of::<T>()) };
    }

    #[inline]
    unsafe fn fetch<'a>(storage: &'a Storage, _: Window) -> ReadFetch<'a, T> {
        // SAFETY: the store is the one of `T`, borrowed at least for reading as long as `'a` by clause 1. By clause 2 no
        // other code writes values of entities that the fetch is used for.
        unsafe { ReadFetch::new(storage.component(ComponentId::of::<T>())) }
    }
}

// SAFETY: its fetch only reads.
unsafe impl<T: Component> ReadOnlyQueryData for &T {}

macro_rules! writes {
    ($($reference:ty, $static_type:ty: $bound:ident;)*) => {$(
        // SAFETY: writes one component, which is locked for writing.
        unsafe impl<'t, T: $bound> QueryData for $reference {
            type Item<'a> = MutOf<'a, T>;
            type Fetch<'a> = WriteFetch<'a, T>;
            type ReadOnly = &'t T;
            type Static = $static_type;
            type Locked = Self;
            type List<Q, Tail: DataList> = WriteOf<ComponentEntry<T>, Q, Tail>;

            const ACCESS: &'static QueryAccess = &QueryAccess::Write(T::IDENT);
            const TRACKS: bool = T::Tracking::TRACKED;

            fn fetches(component: ComponentId) -> bool {
                component == ComponentId::of::<T>()
            }

            fn lock(storage: &Storage) -> Result<(), BorrowError> {
                locks::write(storage, ComponentId::of::<T>())
            }

            unsafe fn unlock(storage: &Storage) {
                // SAFETY: `lock` has borrowed the component for writing, and no fetch relies on it any more, by the
                // caller's contract.
                unsafe { locks::end_write(storage, ComponentId::of::<T>()) };
            }

            #[inline]
            unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> WriteFetch<'a, T> {
                // SAFETY: the store is the one of `T`, borrowed for writing during `'a` by clause 1. By clause 2 no
                // other code but filters of the join accesses values and ticks of entities that the fetch is used for.
                unsafe { WriteFetch::new(storage.component(ComponentId::of::<T>()), window) }
            }
        }
    )*};
}

writes! {
    &'t mut T, &'static mut T: Component;
    Mut<'t, T>, Mut<'static, T>: TrackedComponent;
}

// SAFETY: locks and fetches the same as the inner data, in the same way; `ACCESS` names all of it, and nothing that matching
// entities must have.
unsafe impl<D: QueryData> QueryData for Option<D> {
    type Item<'a> = Option<D::Item<'a>>;
    type Fetch<'a> = OptionFetch<D::Fetch<'a>>;
    type ReadOnly = Option<D::ReadOnly>;
    type Static = Option<D::Static>;
    type Locked = D;
    type List<Q, Tail: DataList> = D::List<Q, Tail>;

    const ACCESS: &'static QueryAccess = &QueryAccess::Optional(&[D::ACCESS]);

    #[inline]
    unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a> {
        // SAFETY: clauses 1 to 3 hold because the inner data locks and fetches the same.
        OptionFetch(Some(unsafe { D::fetch(storage, window) }))
    }
}

// SAFETY: its fetch only reads.
unsafe impl<D: ReadOnlyQueryData> ReadOnlyQueryData for Option<D> {}

// SAFETY: accesses no component.
unsafe impl QueryData for Entity {
    type Item<'a> = Entity;
    type Fetch<'a> = EntityFetch;
    type ReadOnly = Self;
    type Static = Self;
    type Locked = Self;
    type List<Q, Tail: DataList> = Tail;

    const ACCESS: &'static QueryAccess = &QueryAccess::Nothing;
    const TRACKS: bool = false;

    fn fetches(_: ComponentId) -> bool {
        false
    }

    fn lock(_: &Storage) -> Result<(), BorrowError> {
        Ok(())
    }

    unsafe fn unlock(_: &Storage) {}

    #[inline]
    unsafe fn fetch(_: &Storage, _: Window) -> EntityFetch {
        EntityFetch
    }
}

// SAFETY: accesses no component.
unsafe impl ReadOnlyQueryData for Entity {}

// SAFETY: accesses no component.
unsafe impl QueryData for () {
    type Item<'a> = ();
    type Fetch<'a> = ();
    type ReadOnly = Self;
    type Static = Self;
    type Locked = Self;
    type List<Q, Tail: DataList> = Tail;

    const ACCESS: &'static QueryAccess = &QueryAccess::Nothing;
    const TRACKS: bool = false;

    fn fetches(_: ComponentId) -> bool {
        false
    }

    fn lock(_: &Storage) -> Result<(), BorrowError> {
        Ok(())
    }

    unsafe fn unlock(_: &Storage) {}

    #[inline]
    unsafe fn fetch(_: &Storage, _: Window) {}
}

// SAFETY: accesses no component.
unsafe impl ReadOnlyQueryData for () {}

/// The `lock` and `unlock` functions of a member of a query.
pub(super) type Locks = (fn(&Storage) -> Result<(), BorrowError>, unsafe fn(&Storage));

/// Locks all members, or none.
///
/// # Safety
/// Each `unlock` may be called after its `lock` has succeeded.
pub(super) unsafe fn lock_all(members: &[Locks], storage: &Storage) -> Result<(), BorrowError> {
    for (locked, (lock, _)) in members.iter().enumerate() {
        if let Err(error) = lock(storage) {
            for (_, unlock) in &members[..locked] {
                // SAFETY: `lock` of this member has succeeded just now, and no fetch was made.
                unsafe { unlock(storage) };
            }
            return Err(error);
        }
    }
    Ok(())
}

/// The list of the data of several members, before `$tail`.
macro_rules! list_of {
    ($query:ident, $tail:ident;) => { $tail };
    ($query:ident, $tail:ident; $first:ident $($rest:ident)*) => {
        $first::List<$query, list_of!($query, $tail; $($rest)*)>
    };
}

pub(super) use list_of;

macro_rules! tuple_data {
    ($($name:ident $value:ident),+) => {
        // SAFETY: locks, unlocks and fetches the same as its members.
        unsafe impl<$($name: QueryData),+> QueryData for ($($name,)+) {
            type Item<'a> = ($($name::Item<'a>,)+);
            type Fetch<'a> = ($($name::Fetch<'a>,)+);
            type ReadOnly = ($($name::ReadOnly,)+);
            type Static = ($($name::Static,)+);
            type Locked = Self;
            type List<Query, Tail: DataList> = list_of!(Query, Tail; $($name)+);

            const ACCESS: &'static QueryAccess = &QueryAccess::All(&[$($name::ACCESS),+]);
            const TRACKS: bool = $($name::TRACKS)||+;

            fn fetches(component: ComponentId) -> bool {
                $($name::fetches(component))||+
            }

            fn lock(storage: &Storage) -> Result<(), BorrowError> {
                let members: &[Locks] = &[$(($name::lock, $name::unlock)),+];
                // SAFETY: each `unlock` belongs to the same member as its `lock`; none of their fetches was made.
                unsafe { lock_all(members, storage) }
            }

            unsafe fn unlock(storage: &Storage) {
                // SAFETY: by the caller's contract `lock` has succeeded, so each member is locked, and no fetch relies
                // on the borrows.
                $(unsafe { $name::unlock(storage) };)+
            }

            #[inline]
            unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a> {
                // SAFETY: clauses 1 to 3 hold for each member: the tuple locks and fetches the same as its members. Clause 2
                // holds among them because members whose items would alias cannot be locked at the same time.
                ($(unsafe { $name::fetch(storage, window) },)+)
            }
        }

        // SAFETY: all its fetches only read.
        unsafe impl<$($name: ReadOnlyQueryData),+> ReadOnlyQueryData for ($($name,)+) {}
    };
}

for_each_narrow_arity!(tuple_data);

macro_rules! wide_data {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        // SAFETY: locks, unlocks and fetches the same as the inner tuples.
        unsafe impl<$($left: QueryData,)+ $($right: QueryData),+> QueryData for ($($left,)+ $($right,)+) {
            type Item<'a> = ($($left::Item<'a>,)+ $($right::Item<'a>,)+);
            type Fetch<'a> = Flattened<(($($left::Fetch<'a>,)+), ($($right::Fetch<'a>,)+))>;
            type ReadOnly = ($($left::ReadOnly,)+ $($right::ReadOnly,)+);
            type Static = ($($left::Static,)+ $($right::Static,)+);
            type Locked = (($($left,)+), ($($right,)+));
            type List<Query, Tail: DataList> = <Self::Locked as QueryData>::List<Query, Tail>;

            const ACCESS: &'static QueryAccess = Self::Locked::ACCESS;

            #[inline]
            unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a> {
                // SAFETY: clauses 1 to 3 hold because the inner tuples lock and fetch the same.
                Flattened(unsafe { <(($($left,)+), ($($right,)+))>::fetch(storage, window) })
            }
        }

        // SAFETY: all its fetches only read.
        unsafe impl<$($left: ReadOnlyQueryData,)+ $($right: ReadOnlyQueryData),+> ReadOnlyQueryData
            for ($($left,)+ $($right,)+)
        {
        }
    };
}

for_each_wide_arity!(wide_data);
