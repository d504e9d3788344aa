//! New values for old ones, all at once.
//!
//! `system!` writes the types of the values that are returned as a list, `(Found<A>, (Found<B>, ()))`, and references to the
//! values of an entity likewise.

use core::mem;

use super::lookup::Found;
use super::world::{ComponentOf, StaticWorld};
use crate::component::Component;
use crate::entity::Entity;
use crate::view::CompMut;
use crate::world::World;

/// What a `system!` that returns new values returns: a list of what was found when the old values' types were looked up.
#[doc(hidden)]
pub trait Returned {
    /// The values of one entity.
    type Values<'v>;
}

/// What can be put into `W`, a closed world.
#[doc(hidden)]
pub trait NewValues<W>: Returned {
    /// Exchanges the values with those that the entity has.
    fn swap(world: &mut W, entity: Entity, values: Self::Values<'_>);
}

/// What can be put into a [`World`].
#[doc(hidden)]
pub trait NewComponents: Returned {
    /// What they are put into.
    type Views<'w>;

    /// Borrows all of the components.
    fn views(world: &World) -> Self::Views<'_>;

    /// Exchanges the values with those that the entity has.
    fn swap(views: &mut Self::Views<'_>, entity: Entity, values: Self::Values<'_>);
}

impl Returned for () {
    type Values<'v> = ();
}

impl<T: 'static, R: Returned> Returned for (Found<T>, R) {
    type Values<'v> = (&'v mut T, R::Values<'v>);
}

impl<W> NewValues<W> for () {
    #[inline]
    fn swap(_: &mut W, _: Entity, (): ()) {}
}

impl<W: StaticWorld, T: ComponentOf<W>, R: NewValues<W>> NewValues<W> for (Found<T>, R) {
    #[inline]
    fn swap(world: &mut W, entity: Entity, (value, rest): Self::Values<'_>) {
        if let Some(old) = world.get_mut::<T>(entity) {
            mem::swap(old, value);
        }
        R::swap(world, entity, rest);
    }
}

impl NewComponents for () {
    type Views<'w> = ();

    #[inline]
    fn views(_: &World) {}

    #[inline]
    fn swap((): &mut (), _: Entity, (): ()) {}
}

impl<T: Component, R: NewComponents> NewComponents for (Found<T>, R) {
    type Views<'w> = (CompMut<'w, T>, R::Views<'w>);

    #[track_caller]
    fn views(world: &World) -> Self::Views<'_> {
        (world.view_mut(), R::views(world))
    }

    #[inline]
    fn swap(
        (view, rest_of_views): &mut Self::Views<'_>,
        entity: Entity,
        (value, rest): Self::Values<'_>,
    ) {
        if let Some(mut old) = view.get_mut(entity) {
            mem::swap(&mut *old, value);
        }
        R::swap(rest_of_views, entity, rest);
    }
}
