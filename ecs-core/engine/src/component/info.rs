//! Type-erased descriptions of component types, which storages use to hold values.

use core::alloc::Layout;

use crate::data_type::DataType;
use crate::meta::ConstTypeId;

use super::erased::drop_fn;
use super::turned::Turned;
use super::{
    Component, DropFn, Hooks, LifecycleSet, RawLink, Required, StorageKind, Tracking as _,
};

/// The erased description of a component type.
#[derive(Clone, Copy)]
pub(crate) struct ComponentInfo {
    pub(crate) name: &'static str,
    pub(crate) layout: Layout,
    pub(crate) storage: StorageKind,
    /// True if each value has ticks.
    pub(crate) tracked: bool,
    /// True if views insert and remove it, and hooks may do so during a structural change.
    pub(crate) immediate: bool,
    /// True if entities with it are disabled.
    pub(crate) disables: bool,
    /// The part that only structural changes and first uses need. It is separate, so that stores, which copy the rest, stay
    /// small.
    pub(crate) more: &'static MoreInfo,
    /// The link, if the component is an end of a relation.
    pub(crate) link: Option<&'static RawLink>,
    /// Drops values; `None` if there is nothing to drop.
    ///
    /// Invariant 1: belongs to the type that `name`, `layout` and `storage` describe.
    pub(crate) drop: Option<DropFn>,
}

/// The rest of the description of a component type.
pub(crate) struct MoreInfo {
    /// The hooks of the component.
    pub(crate) hooks: Hooks,
    /// The components that it requires.
    pub(crate) required: &'static [Required],
    /// The identity that access checks compare.
    pub(crate) ident: &'static ConstTypeId,
    /// Returns the component that it turns on and off.
    pub(crate) turned: fn() -> Option<Turned>,
    /// The help of errors about copies, if the values can neither be data nor be cloned.
    pub(crate) copy_help: Option<&'static str>,
}

impl ComponentInfo {
    /// Returns the description of the component's own values, if it is data.
    #[inline]
    pub(crate) fn own_data(&self) -> Option<&'static DataType> {
        own_data(self.more.ident)
    }

    pub(crate) fn of<T: Component>() -> Self {
        let ident = const { &T::IDENT };
        const {
            assert!(
                !(T::DISABLES && T::STORAGE.is_by_entity()),
                "a component that disables entities is stored in tables"
            );
            assert!(
                !T::DISABLES || T::Tracking::TRACKED,
                "a component that disables entities is tracked"
            );
        }
        // All but the name is known at compile time.
        let mut info = const {
            Self {
                name: "",
                layout: Layout::new::<T>(),
                storage: T::STORAGE,
                tracked: T::Tracking::TRACKED,
                immediate: T::IMMEDIATE,
                disables: T::DISABLES,
                more: &MoreInfo {
                    hooks: T::HOOKS,
                    required: T::REQUIRED,
                    ident: &T::IDENT,
                    turned: T::turned,
                    copy_help: T::COPY_HELP,
                },
                link: match &T::LINK {
                    Some(link) => Some(link.raw()),
                    None => None,
                },
                drop: drop_fn::<T>(),
            }
        };
        info.name = match own_data(ident) {
            Some(data) => data.name(),
            None => ident.type_name(),
        };
        info
    }

    /// The events and conditions that a structural change of the component must handle.
    pub(crate) fn observed(&self) -> LifecycleSet {
        let hooks = self.more.hooks.observed();
        match self.link {
            Some(_) => hooks.and(LifecycleSet::LINK),
            None => hooks,
        }
    }
}

/// Returns the description of the component's own values. The description of an end of a relation describes the values of
/// edges instead.
#[inline]
pub(super) fn own_data(ident: &ConstTypeId) -> Option<&'static DataType> {
    ident
        .data()
        .filter(|data| data.type_id() == ident.type_id())
}
