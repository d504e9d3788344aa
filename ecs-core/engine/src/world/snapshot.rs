//! Copies of a world's resources, and the return of a world to copies.

use alloc::vec::Vec;
use core::any::TypeId;
use core::mem::take;

use super::World;
use crate::bundle::Bundles;
use crate::data_type::DataType;
use crate::resource::{ResourceCopier, ResourcesCopy};
use crate::storage::StorageCopy;
use crate::sync::PoisonError;

/// Returns the copier of a resource; the first argument is the data types that the world knows.
type FindCopier<'a> = &'a dyn Fn(&[&'static DataType], TypeId) -> Option<ResourceCopier>;

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
    /// has returned, which does not panic.
    ///
    /// # Panics
    /// If a `Clone` panics; nothing has changed then. If a `Drop` panics; the world has returned even so, or nothing has changed.
    pub(crate) fn return_to(
        &mut self,
        storage: &mut StorageCopy,
        resources: &mut ResourcesCopy,
        copier: FindCopier<'_>,
        finish: &mut dyn FnMut(),
    ) {
        resources.stage();
        // Dropped at the end, when the world has returned.
        let mut waiting = None;
        let mut gone = Vec::new();
        let (map, known) = (self.resources.own(), &self.data_types);
        let (bundles, deferred) = (&mut self.bundles, &mut self.deferred);
        self.storage.return_to(storage, |is_forgotten| {
            if is_forgotten {
                // They know tables and components by their numbers.
                *bundles = Bundles::default();
            }
            gone = map.return_to(resources, &|id| copier(known, id));
            let deferred = deferred.get_mut().unwrap_or_else(PoisonError::into_inner);
            waiting = Some(take(deferred));
            finish();
        });
        drop(gone);
        drop(waiting);
    }
}
