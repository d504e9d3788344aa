//! Parameters whose access is all data of one type.

use crate::event::{EventReader, EventWriter, Events};
use crate::resource::{Res, ResMut};
use crate::view::{Comp, CompMut};

/// A parameter that accesses all data of one type.
///
/// `#[system]` compares such types while compiling, exactly and through aliases, where the constant identities of
/// generic types and of resources without a derive are undecided.
pub trait SingleType {
    /// The type.
    type Of;
}

impl<T> SingleType for Comp<'_, T> {
    type Of = T;
}

impl<T> SingleType for CompMut<'_, T> {
    type Of = T;
}

impl<T> SingleType for Res<'_, T> {
    type Of = T;
}

impl<T> SingleType for ResMut<'_, T> {
    type Of = T;
}

impl<T> SingleType for Option<Res<'_, T>> {
    type Of = T;
}

impl<T> SingleType for Option<ResMut<'_, T>> {
    type Of = T;
}

impl<E> SingleType for EventReader<'_, E> {
    type Of = Events<E>;
}

impl<E> SingleType for EventWriter<'_, E> {
    type Of = Events<E>;
}
