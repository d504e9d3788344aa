//! The component that another one turns on and off.

use super::ComponentId;

/// The component that another one turns on and off. Invariant 1: values of the other one are `bool`s.
#[derive(Clone, Copy)]
pub struct Turned(ComponentId);

impl Turned {
    /// # Safety
    /// It is returned by a component whose values are `bool`s, in memory too.
    pub(crate) unsafe fn new(component: ComponentId) -> Self {
        Self(component)
    }

    /// Returns the component.
    pub(crate) fn component(self) -> ComponentId {
        self.0
    }

    /// Reads a value of the component that turns the other one on and off.
    ///
    /// # Safety
    /// The pointer leads to such a value, and no other code writes it now.
    pub(crate) unsafe fn is_on(self, toggle: *const u8) -> bool {
        // SAFETY: by invariant 1 it is a `bool`.
        unsafe { toggle.cast::<bool>().read() }
    }
}
