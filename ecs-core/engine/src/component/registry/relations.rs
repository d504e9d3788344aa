//! Relations that are known by their names, and ids for those that are defined at run time.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::any::TypeId;

use super::{ComponentId, REGISTRY, UNSET, more_info};
use crate::component::erased::drop_fn;
use crate::component::{ComponentInfo, DropFn, End, RawLink, StorageKind};
use crate::data_type::DataType;
use crate::meta::ConstTypeId;
use crate::sync::PoisonError;

impl ComponentId {
    /// Returns the components of sources of all relations in the process that are data with this name. O(found ones).
    #[doc(hidden)]
    #[must_use]
    pub fn of_relation_named(name: &str) -> Vec<Self> {
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        let found = registry.relations.get(name).into_iter().flatten();
        found.copied().map(Self).collect()
    }

    /// Allocates the ids of both ends of a relation that has no Rust type, and whose edges have `()` as values: of its sources, and
    /// of its targets. Returns the first one, whose number `data` gets.
    pub(crate) fn allocate_ends(ends: [NamedEnd; 2], data: impl FnOnce(usize) -> DataType) -> Self {
        let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
        let outgoing = registry.next();
        assert!(
            outgoing + 1 != UNSET,
            "too many component types: ids have 32 bits"
        );
        let data = Box::leak(Box::new([data(outgoing as usize)]));
        let ids = [[outgoing, outgoing + 1], [outgoing + 1, outgoing]];
        for (described, [id, other]) in ends.into_iter().zip(ids) {
            let link = RawLink {
                end: described.end,
                other: Self::from_index,
                number: other as usize,
            };
            let ident = ConstTypeId::dynamic(id, described.name, data, TypeId::of::<()>);
            let info = ComponentInfo {
                name: described.name,
                layout: described.layout,
                storage: StorageKind::Sparse,
                tracked: false,
                immediate: false,
                disables: false,
                more: more_info(ident),
                link: Some(Box::leak(Box::new(link))),
                drop: described.drop,
            };
            registry.add(id, info);
        }
        Self(outgoing)
    }
}

/// Returns the name of the data of a relation, if the component is of its sources.
pub(super) fn data_name_of(info: &ComponentInfo) -> Option<&'static str> {
    let link = info.link.as_ref()?;
    link.end.edge_values()?;
    Some(info.more.ident.data()?.name())
}

/// An end of a relation that has no Rust type.
pub(crate) struct NamedEnd {
    name: &'static str,
    /// Invariant 1: names the layout of the values, and its functions are for them. They have this layout, are `Send` and `Sync`,
    /// and are dropped by `drop`.
    end: End,
    layout: Layout,
    drop: Option<DropFn>,
}

impl NamedEnd {
    /// Describes an end whose values are `T`s.
    ///
    /// # Safety
    /// A `T` has the layout that `end` names, and the functions in it are for `T`.
    pub(crate) unsafe fn new<T: Send + Sync + 'static>(name: String, end: End) -> Self {
        Self {
            name: name.leak(),
            end,
            layout: Layout::new::<T>(),
            drop: drop_fn::<T>(),
        }
    }
}
