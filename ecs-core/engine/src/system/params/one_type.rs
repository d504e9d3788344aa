//! Parameters that are all data of one type.

use crate::event::{EventReader, EventWriter, Events};
use crate::resource::{NonSend, NonSendMut, Res, ResMut};
use crate::view::{Comp, CompMut};

/// A parameter that is all data of one type.
///
/// `#[system]` compares such types while compiling, exactly and through aliases, where the constant identities of
/// generic types and of resources without a derive say too little.
pub trait OneType {
    /// The type.
    type Of;
}

impl<T> OneType for Comp<'_, T> {
    type Of = T;
}

impl<T> OneType for CompMut<'_, T> {
    type Of = T;
}

impl<T> OneType for Res<'_, T> {
    type Of = T;
}

impl<T> OneType for ResMut<'_, T> {
    type Of = T;
}

impl<T> OneType for Option<Res<'_, T>> {
    type Of = T;
}

impl<T> OneType for Option<ResMut<'_, T>> {
    type Of = T;
}

/// Tells a value that stays on its thread from a resource of the same type.
pub struct Staying<T>(T);

impl<T> OneType for NonSend<'_, T> {
    type Of = Staying<T>;
}

impl<T> OneType for NonSendMut<'_, T> {
    type Of = Staying<T>;
}

impl<T> OneType for Option<NonSend<'_, T>> {
    type Of = Staying<T>;
}

impl<T> OneType for Option<NonSendMut<'_, T>> {
    type Of = Staying<T>;
}

impl<E> OneType for EventReader<'_, E> {
    type Of = Events<E>;
}

impl<E> OneType for EventWriter<'_, E> {
    type Of = Events<E>;
}
