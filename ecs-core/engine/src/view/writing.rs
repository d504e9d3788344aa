//! Methods of [`CompMut`](super::CompMut) that a [`Comp`] has only so that the error about a call names `CompMut`.

use super::comp::Comp;
use crate::component::{Component, MutOf};
use crate::entity::Entity;
use crate::join::{JoinIter, WriteFetch};

/// Views that write. A `Comp` is not one, so its methods here cannot be called.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a `Comp` only reads",
    label = "needs a view that writes",
    note = "take the parameter as `mut name: CompMut<T>`"
)]
pub trait Writing {}

impl<T: Component> Comp<'_, T> {
    #[doc(hidden)]
    pub fn get_mut(&mut self, _: Entity) -> Option<MutOf<'_, T>>
    where
        Self: Writing,
    {
        unreachable!("a `Comp` only reads")
    }

    #[doc(hidden)]
    pub fn iter_mut(&mut self) -> JoinIter<'_, WriteFetch<'_, T>, ()>
    where
        Self: Writing,
    {
        unreachable!("a `Comp` only reads")
    }
}
