//! What `system!` fetches from the entities of a closed world.

use super::rows::{IdRows, MaybeRows, ReadRows, Rows, WideRows, WriteRows};
use super::world::{ComponentOf, StaticWorld};
use crate::entity::Entity;
use crate::flat::{for_each_narrow_arity, for_each_wide_arity};

/// Which components are touched, by their places in the list of the world.
#[doc(hidden)]
pub enum Touch {
    /// None.
    Nothing,
    /// One, to read.
    Read(usize),
    /// One, to write.
    Write(usize),
    /// All of these.
    All(&'static [&'static Touch]),
}

/// Whether no component is touched twice, unless it is only read.
pub(super) const fn unaliased(touch: &Touch) -> bool {
    if let Touch::All(parts) = touch {
        let mut i = 0;
        while i < parts.len() {
            if !unaliased(parts[i]) {
                return false;
            }
            let mut j = 0;
            while j < i {
                if clash(parts[i], parts[j]) {
                    return false;
                }
                j += 1;
            }
            i += 1;
        }
    }
    true
}

const fn clash(a: &Touch, b: &Touch) -> bool {
    match (a, b) {
        (Touch::All(parts), other) | (other, Touch::All(parts)) => {
            let mut i = 0;
            while i < parts.len() {
                if clash(parts[i], other) {
                    return true;
                }
                i += 1;
            }
            false
        }
        (Touch::Write(a), Touch::Write(b) | Touch::Read(b)) | (Touch::Read(a), Touch::Write(b)) => {
            *a == *b
        }
        _ => false,
    }
}

/// What is fetched from each entity of the closed world `W`: `&T`, `&mut T`, `Option` of these, [`Entity`], and tuples.
///
/// An implementation detail of `system!`, and not meant to be implemented elsewhere.
///
/// # Safety
/// `rows` gives out values of the components that `TOUCH` names, and writes only those that it says are written.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fetched from an entity of the world `{W}`",
    label = "not an item",
    note = "a `system!` fetches `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>`, and the id"
)]
pub unsafe trait Item<W: StaticWorld> {
    /// How it is walked.
    type Rows<'a>: Rows<'a>;

    /// What is touched.
    const TOUCH: &'static Touch;

    /// The rows of a world.
    fn rows(world: &W) -> Self::Rows<'_>;
}

/// An [`Item`] that only reads.
///
/// # Safety
/// It writes nothing.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fetched here: a `system!` that returns new values only reads the old ones",
    label = "not read-only"
)]
pub unsafe trait ReadOnlyItem<W: StaticWorld>: Item<W> {}

// SAFETY: reads one component.
unsafe impl<W: StaticWorld, T: ComponentOf<W>> Item<W> for &T {
    type Rows<'a> = ReadRows<'a, T>;

    const TOUCH: &'static Touch = &Touch::Read(T::INDEX);

    #[inline]
    fn rows(world: &W) -> ReadRows<'_, T> {
        ReadRows(T::pages(world))
    }
}

// SAFETY: reads.
unsafe impl<W: StaticWorld, T: ComponentOf<W>> ReadOnlyItem<W> for &T {}

// SAFETY: writes one component, and says so.
unsafe impl<W: StaticWorld, T: ComponentOf<W>> Item<W> for &mut T {
    type Rows<'a> = WriteRows<'a, T>;

    const TOUCH: &'static Touch = &Touch::Write(T::INDEX);

    #[inline]
    fn rows(world: &W) -> WriteRows<'_, T> {
        WriteRows(T::pages(world))
    }
}

// SAFETY: as for `&T`.
unsafe impl<W: StaticWorld, T: ComponentOf<W>> Item<W> for Option<&T> {
    type Rows<'a> = MaybeRows<ReadRows<'a, T>>;

    const TOUCH: &'static Touch = &Touch::Read(T::INDEX);

    #[inline]
    fn rows(world: &W) -> Self::Rows<'_> {
        MaybeRows(ReadRows(T::pages(world)))
    }
}

// SAFETY: reads.
unsafe impl<W: StaticWorld, T: ComponentOf<W>> ReadOnlyItem<W> for Option<&T> {}

// SAFETY: as for `&mut T`.
unsafe impl<W: StaticWorld, T: ComponentOf<W>> Item<W> for Option<&mut T> {
    type Rows<'a> = MaybeRows<WriteRows<'a, T>>;

    const TOUCH: &'static Touch = &Touch::Write(T::INDEX);

    #[inline]
    fn rows(world: &W) -> Self::Rows<'_> {
        MaybeRows(WriteRows(T::pages(world)))
    }
}

// SAFETY: touches no component.
unsafe impl<W: StaticWorld> Item<W> for Entity {
    type Rows<'a> = IdRows<'a>;

    const TOUCH: &'static Touch = &Touch::Nothing;

    #[inline]
    fn rows(world: &W) -> IdRows<'_> {
        IdRows(world.ids())
    }
}

// SAFETY: touches no component.
unsafe impl<W: StaticWorld> ReadOnlyItem<W> for Entity {}

macro_rules! tuple_item {
    ($($name:ident $value:ident),+) => {
        // SAFETY: each member keeps the contract.
        unsafe impl<World: StaticWorld, $($name: Item<World>),+> Item<World> for ($($name,)+) {
            type Rows<'a> = ($($name::Rows<'a>,)+);

            const TOUCH: &'static Touch = &Touch::All(&[$($name::TOUCH),+]);

            #[inline]
            fn rows(world: &World) -> Self::Rows<'_> {
                ($($name::rows(world),)+)
            }
        }

        // SAFETY: all members only read.
        unsafe impl<World: StaticWorld, $($name: ReadOnlyItem<World>),+> ReadOnlyItem<World> for ($($name,)+) {}
    };
}

for_each_narrow_arity!(tuple_item);

macro_rules! wide_item {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        // SAFETY: each member keeps the contract.
        unsafe impl<World: StaticWorld, $($left: Item<World>,)+ $($right: Item<World>),+> Item<World>
            for ($($left,)+ $($right,)+)
        {
            type Rows<'a> = WideRows<($($left::Rows<'a>,)+), ($($right::Rows<'a>,)+)>;

            const TOUCH: &'static Touch =
                &Touch::All(&[<($($left,)+)>::TOUCH, <($($right,)+)>::TOUCH]);

            #[inline]
            fn rows(world: &World) -> Self::Rows<'_> {
                WideRows(<($($left,)+)>::rows(world), <($($right,)+)>::rows(world))
            }
        }

        // SAFETY: all members only read.
        unsafe impl<World: StaticWorld, $($left: ReadOnlyItem<World>,)+ $($right: ReadOnlyItem<World>),+>
            ReadOnlyItem<World> for ($($left,)+ $($right,)+)
        {
        }
    };
}

for_each_wide_arity!(wide_item);
