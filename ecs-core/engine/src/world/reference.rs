//! `Ref`: one borrowed component value.

use core::fmt;
use core::ops::Deref;

use crate::borrow::SharedBorrow;
use crate::guarded::Guarded;

/// A component value of one entity, borrowed for reading; derefs to the value.
///
/// While it exists, no value of the component can be written through the same shared world.
pub struct Ref<'w, T> {
    pub(super) value: Guarded<'w, T, SharedBorrow<'w>>,
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Ref<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
