//! Copies of a world's resources, and the return of a world to copies.

use alloc::vec::Vec;
use core::any::TypeId;
use core::mem::take;

use super::World;
use crate::bundle::Bundles;
use crate::component::ComponentId;
use crate::data_type::DataType;
use crate::resource::{ResourceCopier, ResourcesCopy};
use crate::storage::{StorageCopy, ValuesCopy};
use crate::sync::PoisonError;

/// Returns the copier of a resource; the first argument is the data types that the world knows.
type FindCopier<'a> = &'a dyn Fn(&[&'static DataType], TypeId) -> Option<ResourceCopier>;

/// A copy of the storage of a world.
pub(crate) enum RowsCopy<'a> {
    /// Of all.
    All(&'a mut StorageCopy),
    /// Of the values of the components for which the function returns true.
    Values(&'a mut ValuesCopy, &'a dyn Fn(ComponentId) -> bool),
}

impl World {
    /// Copies the resources that have a copier.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics; the copy is not complete then.
    pub(crate) fn copy_resources(&mut self, copy: &mut ResourcesCopy, copier: FindCopier<'_>) {
        let (map, known) = (self.resources.own(), &self.data_types);
        map.copy_to(copy, &|id| copier(known, id));
    }

    /// Returns to copies of the storage and of resources of this world, and drops commands that wait. Calls `finish` when the world
    /// has returned, which does not panic. Returns false, and changes nothing, if the copy is one of values and other entities have
    /// them now.
    ///
    /// # Panics
    /// If a `Clone` panics; nothing has changed then. If a `Drop` panics; the world has returned even so, or nothing has changed.
    #[must_use]
    pub(crate) fn return_to(
        &mut self,
        rows: RowsCopy<'_>,
        resources: &mut ResourcesCopy,
        copier: FindCopier<'_>,
        finish: &mut dyn FnMut(),
    ) -> bool {
        resources.stage();
        // Dropped at the end, when the world has returned.
        let mut waiting = None;
        let mut gone = Vec::new();
        let (map, known) = (self.resources.own(), &self.data_types);
        let (bundles, deferred) = (&mut self.bundles, &mut self.deferred);
        let mut finish = |is_forgotten| {
            if is_forgotten {
                // They know tables and components by their numbers.
                *bundles = Bundles::default();
            }
            gone = map.return_to(resources, &|id| copier(known, id));
            let deferred = deferred.get_mut().unwrap_or_else(PoisonError::into_inner);
            waiting = Some(take(deferred));
            finish();
        };
        let has_returned = match rows {
            RowsCopy::All(copy) => {
                self.storage.return_to(copy, finish);
                true
            }
            RowsCopy::Values(copy, is_copied) => {
                let finish = || finish(false);
                self.storage.return_to_values(copy, is_copied, finish)
            }
        };
        drop(gone);
        drop(waiting);
        has_returned
    }
}
