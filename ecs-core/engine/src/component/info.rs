//! Type-erased descriptions of component types, by which storages hold their values.

use core::alloc::Layout;

use crate::data_type::DataType;

use super::erased::drop_fn;
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
    /// The hooks of the component.
    pub(crate) hooks: &'static Hooks,
    /// The link, if the component is an end of a relation.
    pub(crate) link: Option<&'static RawLink>,
    /// The components that it requires.
    pub(crate) required: &'static [Required],
    /// The description of the values, if the component is `data`.
    ///
    /// Invariant 2: is for the type that `name`, `layout` and `storage` describe.
    pub(crate) data: Option<&'static DataType>,
    /// The description of the values of edges, if the component is an end of a relation that is `data`.
    pub(crate) relation: Option<&'static DataType>,
    /// Drops values; `None` if there is nothing to drop.
    ///
    /// Invariant 1: belongs to the type that `name`, `layout` and `storage` describe.
    pub(crate) drop: Option<DropFn>,
}

impl ComponentInfo {
    pub(crate) fn of<T: Component>() -> Self {
        let ident = const { &T::IDENTITY.ident() };
        // All but the name is known at compile time.
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
                required: T::REQUIRED,
                data: None,
                relation: None,
                drop: drop_fn::<T>(),
            }
        };
        info.name = ident.type_name();
        match ident.data() {
            Some(data) if data.type_id() == ident.type_id() => {
                info.data = Some(data);
                info.name = data.name();
            }
            // Of an end of a relation, whose edges have the values.
            data => info.relation = data,
        }
        info
    }

    /// The events and conditions that a structural change of the component must handle.
    pub(crate) fn observed(&self) -> LifecycleSet {
        let hooks = self.hooks.observed();
        match self.link {
            Some(_) => hooks.and(LifecycleSet::LINK),
            None => hooks,
        }
    }
}
