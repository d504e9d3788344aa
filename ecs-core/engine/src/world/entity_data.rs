//! The data that handles of entities read and write at once: a component, or a tuple.

use super::{BorrowError, GetError, Ref, World};
use crate::component::{Component, MutOf};
use crate::entity::Entity;
use crate::meta::refuse_immutable;
use crate::tuples::for_each_narrow_arity;
use crate::type_name::type_name;

/// The data that [`EntityRef::get`](super::EntityRef::get) reads: a component `T`, or a tuple of up to eight
/// [parts](EntityPart), such as `(&A, Option<&B>)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from an entity",
    label = "not a component, nor a tuple of references to components",
    note = "`get` takes a component, `get::<A>()`, or a tuple of `&A`, `Option<&A>`, `Entity`, and such tuples: `get::<(&A, Option<&B>)>()`",
    note = "for `&mut` use `get_mut::<(&A, &mut B)>()` of an `EntityMut`"
)]
pub trait EntityData {
    /// The values, borrowed at run time.
    type Item<'w>;

    /// Borrows the values.
    #[doc(hidden)]
    fn read(world: &World, entity: Entity) -> Result<Self::Item<'_>, GetError>;
}

/// A part of an [`EntityData`] tuple: `&T`, `Option<&T>`, [`Entity`], or a tuple of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from an entity as a part of a tuple",
    label = "not a shared reference to a component",
    note = "the parts are `&A`, `Option<&A>`, `Entity`, and tuples of them",
    note = "for `&mut` use `get_mut::<(&A, &mut B)>()` of an `EntityMut`"
)]
pub trait EntityPart {
    /// The value, borrowed at run time.
    type Item<'w>;

    /// Borrows the value.
    #[doc(hidden)]
    fn read(world: &World, entity: Entity) -> Result<Self::Item<'_>, GetError>;
}

/// The data that [`EntityMut::get_mut`](super::EntityMut::get_mut) borrows: a component `T`, for writing, or a tuple that is
/// [query data](crate::QueryData), such as `(&A, &mut B, Option<&C>)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be borrowed from an entity",
    label = "not a component, nor a tuple of references to components",
    note = "`get_mut` takes a component, `get_mut::<A>()`, or a tuple of up to eight of `&A`, `&mut A`, `Option` of these, `Entity`, and such tuples: `get_mut::<(&A, &mut B)>()`"
)]
pub trait EntityDataMut {
    /// The values.
    type Item<'w>;

    /// Fails compilation if the values alias. The methods that users call evaluate it, so the compiler names the user's
    /// line.
    #[doc(hidden)]
    const CHECK: () = ();

    /// Borrows the values.
    #[doc(hidden)]
    fn write(world: &mut World, entity: Entity) -> Result<Self::Item<'_>, GetError>;
}

fn read_one<T: Component>(world: &World, entity: Entity) -> Result<Ref<'_, T>, GetError> {
    match world.try_get::<T>(entity) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(missing::<T>(entity)),
        Err(error) => Err(error.into()),
    }
}

fn missing<T: Component>(entity: Entity) -> GetError {
    GetError::Missing {
        entity,
        component: type_name::<T>(),
    }
}

impl<T: Component> EntityData for T {
    type Item<'w> = Ref<'w, T>;

    #[inline]
    fn read(world: &World, entity: Entity) -> Result<Ref<'_, T>, GetError> {
        read_one(world, entity)
    }
}

impl<T: Component> EntityDataMut for T {
    type Item<'w> = MutOf<'w, T>;

    const CHECK: () = refuse_immutable(&T::IDENT);

    #[inline]
    fn write(world: &mut World, entity: Entity) -> Result<MutOf<'_, T>, GetError> {
        world.value_mut::<T>(entity).ok_or(missing::<T>(entity))
    }
}

impl<T: Component> EntityPart for &T {
    type Item<'w> = Ref<'w, T>;

    #[inline]
    fn read(world: &World, entity: Entity) -> Result<Ref<'_, T>, GetError> {
        read_one(world, entity)
    }
}

impl<T: Component> EntityPart for Option<&T> {
    type Item<'w> = Option<Ref<'w, T>>;

    #[inline]
    fn read(world: &World, entity: Entity) -> Result<Option<Ref<'_, T>>, GetError> {
        Ok(world.try_get(entity)?)
    }
}

impl EntityPart for Entity {
    type Item<'w> = Self;

    #[inline]
    fn read(_: &World, entity: Entity) -> Result<Self, GetError> {
        Ok(entity)
    }
}

impl From<BorrowError> for GetError {
    fn from(error: BorrowError) -> Self {
        Self::Borrow(error)
    }
}

macro_rules! tuple_data {
    ($($name:ident $value:ident),+) => {
        impl<$($name: EntityPart),+> EntityPart for ($($name,)+) {
            type Item<'w> = ($($name::Item<'w>,)+);

            #[inline]
            fn read(world: &World, entity: Entity) -> Result<Self::Item<'_>, GetError> {
                Ok(($($name::read(world, entity)?,)+))
            }
        }

        impl<$($name: EntityPart),+> EntityData for ($($name,)+) {
            type Item<'w> = ($($name::Item<'w>,)+);

            #[inline]
            fn read(world: &World, entity: Entity) -> Result<Self::Item<'_>, GetError> {
                <Self as EntityPart>::read(world, entity)
            }
        }
    };
}

for_each_narrow_arity!(tuple_data);
