//! Components of closed worlds.

use ecs_engine::__private::Ids;

use crate::pages::Pages;

/// A component of the closed world `W`: a bound that requires membership in the list of `world!`.
///
/// For functions that work on any world with certain components:
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::statics::{ComponentOf, StaticWorld, spawn, world};
///
/// struct Health(u8);
/// world! { Arena { Health } }
///
/// fn heal<W: StaticWorld>(world: &mut W, entity: Entity)
/// where
///     Health: ComponentOf<W>,
/// {
///     if let Some(health) = world.get_mut::<Health>(entity) {
///         health.0 += 1;
///     }
/// }
///
/// let mut arena = Arena::new();
/// let knight = spawn!(arena; Health(1));
/// heal(&mut arena, knight);
/// assert_eq!(arena.get::<Health>(knight).unwrap().0, 2);
/// ```
///
/// # Safety
/// 1. `pages` and `parts_mut` return the same field of the world, the only one of this type, and do nothing else.
/// 2. No other component of the world has the same `INDEX`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component of the world `{W}`",
    label = "not in the list of `{W}`",
    note = "a closed world has the components that its `world!` lists: add `{Self}` there"
)]
pub unsafe trait ComponentOf<W>: Sized + 'static {
    /// The number of the component in the list.
    #[doc(hidden)]
    const INDEX: usize;

    /// Returns the values.
    #[doc(hidden)]
    fn pages(world: &W) -> &Pages<Self>;

    /// Returns the ids of the world, and the values.
    #[doc(hidden)]
    fn parts_mut(world: &mut W) -> (&Ids, &mut Pages<Self>);
}
