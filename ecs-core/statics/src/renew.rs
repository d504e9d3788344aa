//! The values that a `system!` returns, which replace the old ones after the loop.
//!
//! `system!` generates the types of the returned values as a list, `(Found<A>, (Found<B>, ()))`, and references to the
//! values of an entity likewise.

use core::mem;

use ecs_engine::Entity;

use crate::component::ComponentOf;
use crate::lookup::FoundView;
use crate::world::StaticWorld;

/// The components that a `system!` returns: a list of [`FoundView`].
#[doc(hidden)]
pub trait Returned {
    /// The values of one entity.
    type Values<'v>;
}

/// Components of the closed world `W` that a `system!` returns.
#[doc(hidden)]
pub trait NewValues<W>: Returned {
    /// Exchanges the values with the entity's own.
    fn swap(world: &mut W, entity: Entity, values: Self::Values<'_>);
}

impl Returned for () {
    type Values<'v> = ();
}

impl<T: 'static, R: Returned> Returned for (FoundView<T>, R) {
    type Values<'v> = (&'v mut T, R::Values<'v>);
}

impl<W> NewValues<W> for () {
    #[inline]
    fn swap(_: &mut W, _: Entity, (): ()) {}
}

impl<W: StaticWorld, T: ComponentOf<W>, R: NewValues<W>> NewValues<W> for (FoundView<T>, R) {
    #[inline]
    fn swap(world: &mut W, entity: Entity, (value, rest): Self::Values<'_>) {
        if let Some(old) = world.get_mut::<T>(entity) {
            mem::swap(old, value);
        }
        R::swap(world, entity, rest);
    }
}

/// The value returned by the closure of a `system!` without a return type.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a `system!` without a return type returns nothing, not `{Self}`",
    label = "returns `{Self}`",
    note = "end the block with `;`, or replace components by the returned values: take the old ones by value, and name the types of the new ones: `|id, velocity: Velocity, input: &Input| -> Velocity {{ .. }}`"
)]
pub trait Nothing {}

#[diagnostic::do_not_recommend]
impl Nothing for () {}
#[diagnostic::do_not_recommend]
impl Nothing for Never {}

/// The type `!`, which has no stable name.
type Never = <fn() -> ! as Output>::Of;

/// The type that a function returns.
#[doc(hidden)]
pub trait Output {
    /// The type.
    type Of;
}

impl<T> Output for fn() -> T {
    type Of = T;
}
