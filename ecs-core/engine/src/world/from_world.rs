//! First values that a world makes.

use super::World;

/// Makes the first value of a [`Local`](crate::Local) or of a resource.
///
/// Implemented for every `Default` type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no first value",
    label = "neither `Default` nor `FromWorld`",
    note = "add `#[derive(Default)]`, or implement `ecs_core::world::FromWorld` if the value depends on the world"
)]
pub trait FromWorld {
    /// Makes the value.
    fn from_world(world: &World) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> FromWorld for T {
    fn from_world(_: &World) -> Self {
        T::default()
    }
}
