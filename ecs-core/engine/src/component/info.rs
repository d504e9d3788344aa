//! What a storage must know of a component type to hold its values without knowing the type.

use core::alloc::Layout;
use core::mem::needs_drop;

use super::{Component, Hooks, LifecycleSet, RawLink, StorageKind, Tracking as _};

/// The erased description of a component type.
#[derive(Clone, Copy)]
pub(crate) struct ComponentInfo {
    pub(crate) name: &'static str,
    pub(crate) layout: Layout,
    pub(crate) storage: StorageKind,
    /// Whether each value has ticks.
    pub(crate) tracked: bool,
    /// Whether views insert and remove it, and so may hooks while a verb is under way.
    pub(crate) immediate: bool,
    /// What to call when it comes and goes.
    pub(crate) hooks: &'static Hooks,
    /// Of an end of a relation.
    pub(crate) link: Option<&'static RawLink>,
    /// Drops values; `None` if there is nothing to do.
    ///
    /// Invariant 1: belongs to the type whose name, layout and storage stand beside it.
    pub(crate) drop: Option<DropFn>,
}

/// Drops the given number of values that lie one behind the other at the pointer.
///
/// The values count as moved out afterwards, also when one of their `Drop`s panicked; the others are dropped even so.
pub(crate) type DropFn = unsafe fn(*mut u8, usize);

impl ComponentInfo {
    pub(crate) fn of<T: Component>() -> Self {
        let ident = const { &T::IDENTITY.ident() };
        // All but the name is known to the compiler.
        let mut info = const {
            Self {
                name: "",
                layout: Layout::new::<T>(),
                storage: T::STORAGE,
                tracked: T::Tracking::TRACKED,
                immediate: T::IMMEDIATE,
                hooks: &T::HOOKS,
                link: match &T::LINK {
                    Some(link) => Some(link.raw()),
                    None => None,
                },
                drop: if needs_drop::<T>() {
                    Some(drop_values::<T>)
                } else {
                    None
                },
            }
        };
        info.name = ident.type_name();
        info
    }

    /// What is to be done or told when it comes and goes.
    pub(crate) fn watch(&self) -> LifecycleSet {
        let hooks = self.hooks.watch();
        match self.link {
            Some(_) => hooks.and(LifecycleSet::LINK),
            None => hooks,
        }
    }
}

/// # Safety
/// `values` points to `len` initialised, aligned `T`s that are not used afterwards.
unsafe fn drop_values<T>(values: *mut u8, len: usize) {
    let values = core::ptr::slice_from_raw_parts_mut(values.cast::<T>(), len);
    // SAFETY: the caller passes initialised, aligned values and gives them up.
    unsafe { values.drop_in_place() }
}
