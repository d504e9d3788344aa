//! The questions of saves and copies about a type.

use core::any::Any;

use super::{DataKind, DataType};
use crate::value_codec::ValueCodec;

impl DataType {
    /// Returns true if the values are resources.
    #[must_use]
    pub const fn is_resource(&self) -> bool {
        matches!(self.kind, DataKind::Resource)
    }

    /// Returns true if values of some size have to be written to find out whether they name entities. Plain bytes that are too
    /// short for an id name none.
    #[must_use]
    pub const fn may_have_ids(&self, size: usize) -> bool {
        const ID: usize = 8;
        !(self.without_ids || self.copy && size < ID)
    }

    /// Returns true if a value has a set whose order in the saved form may differ between equal values.
    #[must_use]
    pub const fn is_unordered(&self) -> bool {
        self.unordered
    }

    /// Returns true if values can be printed.
    #[must_use]
    pub const fn is_debug(&self) -> bool {
        self.debug.is_some() || self.is_dynamic()
    }

    /// Returns true if it describes the events of a type.
    #[must_use]
    #[inline]
    pub fn is_events(&self) -> bool {
        self.events.is_some()
    }

    /// Returns the number of the first event that a value has kept; `None` if it does not describe events.
    #[doc(hidden)]
    #[must_use]
    pub fn first_event(&self, value: &(dyn Any + Send + Sync)) -> Option<u64> {
        Some((self.events?.first)(value))
    }

    /// Sets the number of the first event that a value has kept, if it describes events.
    #[doc(hidden)]
    pub fn set_first_event(&self, value: &mut (dyn Any + Send + Sync), first: u64) {
        if let Some(events) = self.events {
            (events.set_first)(value, first);
        }
    }

    /// Returns the functions that write and read values, if they are for this type.
    pub(crate) fn value_codec(&self) -> Option<&'static dyn ValueCodec> {
        let codec = self.codec?;
        // A hand-written description may have another type's functions. Only the engine describes dynamic components.
        (self.is_dynamic() || codec.value_type() == self.type_id).then_some(codec)
    }
}
