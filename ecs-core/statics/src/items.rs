//! The types that `system!` fetches from the entities of a closed world.

use ecs_engine::__private::{for_each_narrow_arity, for_each_wide_arity};
use ecs_engine::Entity;

use crate::access::StaticAccess;
use crate::component::ComponentOf;
use crate::rows::{IdRows, ItemRows, MaybeRows, ReadRows, WideRows, WriteRows};
use crate::world::StaticWorld;

/// An item of the closed world `W`: `&T`, `&mut T`, `Option` of these, [`Entity`], and tuples.
///
/// An implementation detail of `system!`.
///
/// # Safety
/// 1. `rows` returns rows of the components that `ACCESS` names, or of some of them.
/// 2. Values of those rows are `&mut` only for components that `ACCESS` writes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fetched from an entity of the world `{W}`",
    label = "not an item",
    note = "a `system!` fetches `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>`, and the id"
)]
pub unsafe trait Item<W: StaticWorld> {
    /// The rows of the item.
    type Rows<'a>: ItemRows<'a>;

    /// The accesses to components.
    const ACCESS: &'static StaticAccess;

    /// Returns the rows of a world.
    fn rows(world: &W) -> Self::Rows<'_>;
}

/// An [`Item`] that only reads.
///
/// # Safety
/// `ACCESS` writes no component.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fetched here: a `system!` that returns new values only reads the old ones",
    label = "not read-only"
)]
pub unsafe trait ReadOnlyItem<W: StaticWorld>: Item<W> {}

// SAFETY: the rows belong to `T`, which `ACCESS` names (clause 1), and yield shared references (clause 2).
unsafe impl<W: StaticWorld, T: ComponentOf<W>> Item<W> for &T {
    type Rows<'a> = ReadRows<'a, T>;

    const ACCESS: &'static StaticAccess = &StaticAccess::Read(T::INDEX);

    #[inline]
    fn rows(world: &W) -> ReadRows<'_, T> {
        ReadRows(T::pages(world))
    }
}

// SAFETY: `ACCESS` is `Read`, which writes nothing.
unsafe impl<W: StaticWorld, T: ComponentOf<W>> ReadOnlyItem<W> for &T {}

// SAFETY: the rows belong to `T`, which `ACCESS` names (clause 1) and marks as written (clause 2).
unsafe impl<W: StaticWorld, T: ComponentOf<W>> Item<W> for &mut T {
    type Rows<'a> = WriteRows<'a, T>;

    const ACCESS: &'static StaticAccess = &StaticAccess::Write(T::INDEX);

    #[inline]
    fn rows(world: &W) -> WriteRows<'_, T> {
        WriteRows(T::pages(world))
    }
}

// SAFETY: the rows belong to `T`, which `ACCESS` names (clause 1), and yield shared references (clause 2).
unsafe impl<W: StaticWorld, T: ComponentOf<W>> Item<W> for Option<&T> {
    type Rows<'a> = MaybeRows<ReadRows<'a, T>>;

    const ACCESS: &'static StaticAccess = &StaticAccess::Read(T::INDEX);

    #[inline]
    fn rows(world: &W) -> Self::Rows<'_> {
        MaybeRows(ReadRows(T::pages(world)))
    }
}

// SAFETY: `ACCESS` is `Read`, which writes nothing.
unsafe impl<W: StaticWorld, T: ComponentOf<W>> ReadOnlyItem<W> for Option<&T> {}

// SAFETY: the rows belong to `T`, which `ACCESS` names (clause 1) and marks as written (clause 2).
unsafe impl<W: StaticWorld, T: ComponentOf<W>> Item<W> for Option<&mut T> {
    type Rows<'a> = MaybeRows<WriteRows<'a, T>>;

    const ACCESS: &'static StaticAccess = &StaticAccess::Write(T::INDEX);

    #[inline]
    fn rows(world: &W) -> Self::Rows<'_> {
        MaybeRows(WriteRows(T::pages(world)))
    }
}

// SAFETY: accesses no component (clauses 1 and 2).
unsafe impl<W: StaticWorld> Item<W> for Entity {
    type Rows<'a> = IdRows<'a>;

    const ACCESS: &'static StaticAccess = &StaticAccess::None;

    #[inline]
    fn rows(world: &W) -> IdRows<'_> {
        IdRows(world.ids())
    }
}

// SAFETY: `ACCESS` is `None`, which writes nothing.
unsafe impl<W: StaticWorld> ReadOnlyItem<W> for Entity {}

macro_rules! tuple_item {
    ($($name:ident $value:ident),+) => {
        // SAFETY: clauses 1 and 2 of `Item` hold for each member, and `ACCESS` contains the accesses of all.
        unsafe impl<World: StaticWorld, $($name: Item<World>),+> Item<World> for ($($name,)+) {
            type Rows<'a> = ($($name::Rows<'a>,)+);

            const ACCESS: &'static StaticAccess = &StaticAccess::All(&[$($name::ACCESS),+]);

            #[inline]
            fn rows(world: &World) -> Self::Rows<'_> {
                ($($name::rows(world),)+)
            }
        }

        // SAFETY: no member writes, by the contract of `ReadOnlyItem`, and `ACCESS` contains nothing else.
        unsafe impl<World: StaticWorld, $($name: ReadOnlyItem<World>),+> ReadOnlyItem<World> for ($($name,)+) {}
    };
}

for_each_narrow_arity!(tuple_item);

macro_rules! wide_item {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        // SAFETY: clauses 1 and 2 of `Item` hold for each member, and `ACCESS` contains the accesses of all.
        unsafe impl<World: StaticWorld, $($left: Item<World>,)+ $($right: Item<World>),+> Item<World>
            for ($($left,)+ $($right,)+)
        {
            type Rows<'a> = WideRows<($($left::Rows<'a>,)+), ($($right::Rows<'a>,)+)>;

            const ACCESS: &'static StaticAccess =
                &StaticAccess::All(&[<($($left,)+)>::ACCESS, <($($right,)+)>::ACCESS]);

            #[inline]
            fn rows(world: &World) -> Self::Rows<'_> {
                WideRows(<($($left,)+)>::rows(world), <($($right,)+)>::rows(world))
            }
        }

        // SAFETY: no member writes, by the contract of `ReadOnlyItem`, and `ACCESS` contains nothing else.
        unsafe impl<World: StaticWorld, $($left: ReadOnlyItem<World>,)+ $($right: ReadOnlyItem<World>),+>
            ReadOnlyItem<World> for ($($left,)+ $($right,)+)
        {
        }
    };
}

for_each_wide_arity!(wide_item);
