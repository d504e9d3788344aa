//! What a query fetches.

use super::locks;
use crate::component::{Component, ComponentId, Mut, TrackedComponent, Tracking as _};
use crate::entity::Entity;
use crate::join::{EntityFetch, Flattened, OptionFetch, ReadFetch, Reborrow, WriteFetch};
use crate::meta::QueryAccess;
use crate::storage::Storage;
use crate::tick::Window;
use crate::tuples::{for_each_narrow_arity, for_each_wide_arity};
use crate::world::BorrowError;

/// What a [`Query`](super::Query) fetches: `&T`, `&mut T`, `Option` of these, [`Entity`], and tuples of them, nested as
/// deep as you like. Where `T` is tracked, `&mut T` comes as a [`Mut<T>`](Mut), and can be written so.
///
/// Structs whose fields are query data get an impl by the derive of the same name, and are what the query gives:
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
/// // Reading gives the twin `MoverReadOnly`, which has `&` in the place of `&mut`.
/// for mover in &world.query::<Mover>() {
///     assert_eq!(mover.position.0, 3.0);
/// }
/// ```
///
/// # Safety
/// `fetch` borrows what `lock` has locked and nothing else; `ACCESS` names it all. `fetches` is true of no other components.
/// `ReadOnly` fetches from the same components and only reads. `Static` is this very type with other lifetimes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fetched by a query",
    label = "not query data",
    note = "a query fetches `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>`, `Entity`, and tuples of them"
)]
pub unsafe trait QueryData {
    /// How it is iterated.
    #[doc(hidden)]
    type Fetch<'a>: Reborrow<'a>;
    /// The same with `&mut` as `&`.
    type ReadOnly: ReadOnlyQueryData;
    /// The same with all lifetimes `'static`.
    ///
    /// A [`Query`](super::Query) is invariant in its data, and `Query<&'a T>` and `Query<&'b T>` touch the same even so.
    type Static: QueryData<Static = Self::Static>;

    /// What it touches.
    const ACCESS: &'static QueryAccess;

    /// Whether it notes changes.
    #[doc(hidden)]
    const TRACKS: bool;

    /// Whether it locks the component.
    #[doc(hidden)]
    fn fetches(component: ComponentId) -> bool;

    /// Takes the run-time borrows of all components: all, or none.
    #[doc(hidden)]
    fn lock(storage: &Storage) -> Result<(), BorrowError>;

    /// Gives the run-time borrows back.
    ///
    /// # Safety
    /// `lock` has taken them, and no term relies on them any more.
    #[doc(hidden)]
    unsafe fn unlock(storage: &Storage);

    /// The terms.
    ///
    /// # Safety
    /// `lock` has taken the run-time borrows, they are held as long as `'a`, and no other term that is alive relies on
    /// them (or all of them only read).
    #[doc(hidden)]
    unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a>;
}

/// [`QueryData`] that only reads.
///
/// # Safety
/// All its terms read, and `ReadOnly` is `Self`.
pub unsafe trait ReadOnlyQueryData: QueryData<ReadOnly = Self> {}

// SAFETY: reads one component, which is locked for reading.
unsafe impl<T: Component> QueryData for &T {
    type Fetch<'a> = ReadFetch<'a, T>;
    type ReadOnly = Self;
    type Static = &'static T;

    const ACCESS: &'static QueryAccess = &QueryAccess::Read(T::IDENTITY.ident());
    const TRACKS: bool = false;

    fn fetches(component: ComponentId) -> bool {
        component == ComponentId::of::<T>()
    }

    fn lock(storage: &Storage) -> Result<(), BorrowError> {
        locks::read(storage, ComponentId::of::<T>())
    }

    unsafe fn unlock(storage: &Storage) {
        // SAFETY: the caller says that `lock` has borrowed.
        unsafe { locks::end_read(storage, ComponentId::of::<T>()) };
    }

    #[inline]
    unsafe fn fetch<'a>(storage: &'a Storage, _: Window) -> ReadFetch<'a, T> {
        // SAFETY: the store is the one of `T`, and the caller holds the borrow.
        unsafe { ReadFetch::new(storage.component(ComponentId::of::<T>())) }
    }
}

// SAFETY: its one term reads.
unsafe impl<T: Component> ReadOnlyQueryData for &T {}

macro_rules! writes {
    ($($reference:ty, $forever:ty: $bound:ident;)*) => {$(
        // SAFETY: writes one component, which is locked for writing.
        unsafe impl<'t, T: $bound> QueryData for $reference {
            type Fetch<'a> = WriteFetch<'a, T>;
            type ReadOnly = &'t T;
            type Static = $forever;

            const ACCESS: &'static QueryAccess = &QueryAccess::Write(T::IDENTITY.ident());
            const TRACKS: bool = T::Tracking::TRACKED;

            fn fetches(component: ComponentId) -> bool {
                component == ComponentId::of::<T>()
            }

            fn lock(storage: &Storage) -> Result<(), BorrowError> {
                locks::write(storage, ComponentId::of::<T>())
            }

            unsafe fn unlock(storage: &Storage) {
                // SAFETY: the caller says that `lock` has borrowed.
                unsafe { locks::end_write(storage, ComponentId::of::<T>()) };
            }

            #[inline]
            unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> WriteFetch<'a, T> {
                // SAFETY: the store is the one of `T`, and the caller holds the borrow and lets nobody else rely on it.
                unsafe { WriteFetch::new(storage.component(ComponentId::of::<T>()), window) }
            }
        }
    )*};
}

writes! {
    &'t mut T, &'static mut T: Component;
    Mut<'t, T>, Mut<'static, T>: TrackedComponent;
}

/// `Option` takes the borrows of its inner term and says so with other [`QueryAccess`].
macro_rules! optional {
    ($($reference:ty, $forever:ty, $terms:ident;)*) => {$(
        // SAFETY: the same component, locked in the same way.
        unsafe impl<'t, T: Component> QueryData for Option<$reference> {
            type Fetch<'a> = OptionFetch<<$reference as QueryData>::Fetch<'a>>;
            type ReadOnly = Option<&'t T>;
            type Static = Option<$forever>;

            const ACCESS: &'static QueryAccess = &QueryAccess::$terms(T::IDENTITY.ident());
            const TRACKS: bool = <$reference>::TRACKS;

            fn fetches(component: ComponentId) -> bool {
                <$reference>::fetches(component)
            }

            fn lock(storage: &Storage) -> Result<(), BorrowError> {
                <$reference>::lock(storage)
            }

            unsafe fn unlock(storage: &Storage) {
                // SAFETY: the caller's promise.
                unsafe { <$reference>::unlock(storage) }
            }

            #[inline]
            unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a> {
                // SAFETY: the caller's promise.
                OptionFetch(Some(unsafe { <$reference>::fetch(storage, window) }))
            }
        }
    )*};
}

optional! {
    &'t T, &'static T, OptRead;
    &'t mut T, &'static mut T, OptWrite;
}

// SAFETY: its one term reads.
unsafe impl<T: Component> ReadOnlyQueryData for Option<&T> {}

// SAFETY: touches no component.
unsafe impl QueryData for Entity {
    type Fetch<'a> = EntityFetch;
    type ReadOnly = Self;
    type Static = Self;

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

// SAFETY: touches no component.
unsafe impl ReadOnlyQueryData for Entity {}

/// How a part of a query is locked and unlocked.
pub(super) type Locks = (fn(&Storage) -> Result<(), BorrowError>, unsafe fn(&Storage));

/// Locks all parts, or none.
///
/// # Safety
/// Each `unlock` may be called after its `lock`.
pub(super) unsafe fn lock_all(parts: &[Locks], storage: &Storage) -> Result<(), BorrowError> {
    for (locked, (lock, _)) in parts.iter().enumerate() {
        if let Err(error) = lock(storage) {
            for (_, unlock) in &parts[..locked] {
                // SAFETY: these were locked just now, and nothing relies on it yet.
                unsafe { unlock(storage) };
            }
            return Err(error);
        }
    }
    Ok(())
}

macro_rules! tuple_data {
    ($($name:ident $value:ident),+) => {
        // SAFETY: locks, unlocks and borrows what its members do.
        unsafe impl<$($name: QueryData),+> QueryData for ($($name,)+) {
            type Fetch<'a> = ($($name::Fetch<'a>,)+);
            type ReadOnly = ($($name::ReadOnly,)+);
            type Static = ($($name::Static,)+);

            const ACCESS: &'static QueryAccess = &QueryAccess::All(&[$($name::ACCESS),+]);
            const TRACKS: bool = $($name::TRACKS)||+;

            fn fetches(component: ComponentId) -> bool {
                $($name::fetches(component))||+
            }

            fn lock(storage: &Storage) -> Result<(), BorrowError> {
                let members: &[Locks] = &[$(($name::lock, $name::unlock)),+];
                // SAFETY: each `unlock` undoes its `lock`.
                unsafe { lock_all(members, storage) }
            }

            unsafe fn unlock(storage: &Storage) {
                // SAFETY: the caller says that `lock` has succeeded, so each member is locked.
                $(unsafe { $name::unlock(storage) };)+
            }

            #[inline]
            unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a> {
                // SAFETY: the caller's promise; members that would alias could not be locked together.
                ($(unsafe { $name::fetch(storage, window) },)+)
            }
        }

        // SAFETY: all its terms read.
        unsafe impl<$($name: ReadOnlyQueryData),+> ReadOnlyQueryData for ($($name,)+) {}
    };
}

for_each_narrow_arity!(tuple_data);

macro_rules! wide_data {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        // SAFETY: locks, unlocks and borrows what the inner tuples do.
        unsafe impl<$($left: QueryData,)+ $($right: QueryData),+> QueryData for ($($left,)+ $($right,)+) {
            type Fetch<'a> = Flattened<(($($left::Fetch<'a>,)+), ($($right::Fetch<'a>,)+))>;
            type ReadOnly = ($($left::ReadOnly,)+ $($right::ReadOnly,)+);
            type Static = ($($left::Static,)+ $($right::Static,)+);

            const ACCESS: &'static QueryAccess = <(($($left,)+), ($($right,)+))>::ACCESS;
            const TRACKS: bool = <(($($left,)+), ($($right,)+))>::TRACKS;

            fn fetches(component: ComponentId) -> bool {
                <(($($left,)+), ($($right,)+))>::fetches(component)
            }

            fn lock(storage: &Storage) -> Result<(), BorrowError> {
                <(($($left,)+), ($($right,)+))>::lock(storage)
            }

            unsafe fn unlock(storage: &Storage) {
                // SAFETY: the caller's promise.
                unsafe { <(($($left,)+), ($($right,)+))>::unlock(storage) }
            }

            #[inline]
            unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a> {
                // SAFETY: the caller's promise.
                Flattened(unsafe { <(($($left,)+), ($($right,)+))>::fetch(storage, window) })
            }
        }

        // SAFETY: all its terms read.
        unsafe impl<$($left: ReadOnlyQueryData,)+ $($right: ReadOnlyQueryData),+> ReadOnlyQueryData
            for ($($left,)+ $($right,)+)
        {
        }
    };
}

for_each_wide_arity!(wide_data);
