//! What a storage must know of a component type to hold its values without knowing the type.

use core::alloc::Layout;
use core::any::type_name;
use core::mem::needs_drop;

use super::{Component, StorageKind};

/// The erased description of a component type.
#[derive(Clone, Copy)]
pub(crate) struct ComponentInfo {
    pub(crate) name: &'static str,
    pub(crate) layout: Layout,
    pub(crate) storage: StorageKind,
    /// Drops the value behind the pointer; `None` if there is nothing to do.
    ///
    /// Invariant 1: may be called with a pointer to an initialised value of the type whose name, layout and storage
    /// stand beside it, after which that value counts as moved out, also when its `Drop` panicked.
    pub(crate) drop: Option<unsafe fn(*mut u8)>,
}

impl ComponentInfo {
    pub(crate) fn of<T: Component>() -> Self {
        Self {
            name: type_name::<T>(),
            layout: Layout::new::<T>(),
            storage: T::STORAGE,
            drop: if needs_drop::<T>() {
                Some(drop_in_place::<T>)
            } else {
                None
            },
        }
    }
}

/// # Safety
/// `value` points to an initialised `T` that is not used afterwards.
unsafe fn drop_in_place<T>(value: *mut u8) {
    // SAFETY: the caller passes an initialised, aligned `T` and gives it up.
    unsafe { value.cast::<T>().drop_in_place() }
}
