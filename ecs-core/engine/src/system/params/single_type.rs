//! Parameters that access all data of one type.

use crate::event::{EventReader, EventWriter, Events};
use crate::resource::{Res, ResMut};
use crate::view::{Comp, CompMut};

/// A parameter that accesses all data of one type.
///
/// `#[system]` compares such types at compile time, exactly and through aliases. It needs that where constant
/// identities cannot decide: for generic types and for resources without a derive.
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
