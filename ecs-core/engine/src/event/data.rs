//! Events as data: `#[derive(Event)]`.

use core::any::TypeId;

use super::Events;
use crate::data_type::{DataClone, DataDebug, DataType, DataTypeOf};
use crate::value_codec::ValueCodec;

/// An event type whose pending events are data; `#[derive(Event)]` implements it.
///
/// Any type that is `Send + Sync + 'static` can be an event; this trait is for saves and copies.
#[diagnostic::on_unimplemented(
    message = "the event `{Self}` is not data",
    label = "not data",
    note = "add `#[derive(Event)]` and `#[event(data = \"..\")]` to the type"
)]
pub trait DataEvent: Send + Sync + 'static {
    /// The description of `Events<Self>`; for a generic type, of the instances that are data.
    #[doc(hidden)]
    const DATA: &'static [DataType];
}

/// The description of the events of a data type, made by the derive. It describes `Events<E>`.
pub struct EventDataOf<E>(DataTypeOf<Events<E>>);

impl<E: Send + Sync + 'static> EventDataOf<E> {
    /// Describes events without any functions yet.
    #[must_use]
    pub const fn new(name: &'static str, version: u32) -> Self {
        Self(Events::of_data(DataTypeOf::new(name, version)))
    }

    /// Adds earlier names.
    #[must_use]
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self(self.0.aliases(aliases))
    }

    /// Notes that an event has a set whose order in the saved form may differ between equal events.
    #[must_use]
    pub const fn unordered(self) -> Self {
        Self(self.0.unordered())
    }

    /// Lets events be cloned.
    #[must_use]
    pub const fn cloned(self) -> Self
    where
        E: DataClone,
    {
        Self(self.0.cloned())
    }

    /// Lets events be printed.
    #[must_use]
    pub const fn printed(self) -> Self
    where
        E: DataDebug,
    {
        Self(self.0.printed())
    }

    /// Adds the functions that save and load events.
    #[must_use]
    pub const fn coded(self, codec: &'static dyn ValueCodec) -> Self {
        Self(self.0.coded(codec))
    }

    /// Erases the type parameter.
    #[must_use]
    pub const fn erased(self) -> DataType {
        self.0.erased()
    }
}

impl<E> core::fmt::Debug for EventDataOf<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

/// The events that a reader may still have to read, without readers, and those that wait.
impl<E: Clone> Clone for Events<E> {
    fn clone(&self) -> Self {
        Self {
            log: self.log.clone(),
            delayed: self.delayed.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.log.clone_from(&other.log);
        self.delayed.clone_from(&other.delayed);
    }
}

impl<E: Send + Sync + 'static> Events<E> {
    /// Notes that the values are the events of a world, which has their readers.
    pub(super) const fn of_data(data: DataTypeOf<Self>) -> DataTypeOf<Self> {
        data.of_resources().of_events(Self::kind())
    }
}

/// Returns the description of the events of a type; `None` for an instance of a generic type that is not listed.
#[doc(hidden)]
#[must_use]
#[inline]
pub fn data_of<E: DataEvent>() -> Option<&'static DataType> {
    DataType::find(E::DATA, TypeId::of::<Events<E>>)
}
