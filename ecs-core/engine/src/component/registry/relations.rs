//! Relations by their names.

use alloc::vec::Vec;

use super::{ComponentId, REGISTRY};
use crate::sync::PoisonError;

impl ComponentId {
    /// Returns the components of sources of all relations in the process that are data with this name. O(component types).
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn of_relation_named(name: &str) -> Vec<Self> {
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        for (index, info) in registry.infos.iter().enumerate() {
            let data = || info.more.ident.data();
            let is_named = || data().is_some_and(|data| data.name() == name);
            if let Some(link) = &info.link
                && link.end.edge_values().is_some()
                && is_named()
            {
                found.push(Self::from_index(index));
            }
        }
        found
    }
}
