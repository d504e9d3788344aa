//! Copies the resources of a world, and returns a world to copies.

use alloc::vec::Vec;
use core::any::TypeId;
use core::mem::take;

use super::World;
use crate::bundle::Bundles;
use crate::component::ComponentId;
use crate::data_type::DataType;
use crate::entity::PartError;
use crate::resource::{ResourceCopier, ResourcesCopy};
use crate::storage::{IsPart, StorageCopy, ValuesCopy};
use crate::sync::PoisonError;

/// Returns the copier of a resource. The first argument has the types that the world knows.
type FindCopier<'a> = &'a dyn Fn(CopiedTypes<'_>, TypeId) -> Option<ResourceCopier>;

/// A copy of the storage of a world.
pub(crate) enum RowsCopy<'a> {
    /// A copy of all rows.
    All(&'a mut StorageCopy),
    /// A copy of some entities: one of the functions returns true for their tables.
    Some(&'a mut StorageCopy, &'a [IsPart]),
    /// A copy of the values of some components: the function returns true for them.
    Values(&'a mut ValuesCopy, &'a dyn Fn(ComponentId) -> bool),
}

/// The reason why a world cannot return.
pub(crate) enum ReturnError {
    /// The components now belong to other entities than in the copy.
    OtherRows,
    /// Some entities cannot return while others stay.
    Part(PartError),
}

/// The types whose values snapshots can copy, beside those of components.
#[derive(Clone, Copy)]
pub(crate) struct CopiedTypes<'a>(&'a [&'static DataType], &'a [&'static DataType]);

/// A copy of the lists in [`CopiedTypes`], for use while the world is borrowed.
#[derive(Default)]
pub(crate) struct KnownTypes(Vec<&'static DataType>, Vec<&'static DataType>);

impl KnownTypes {
    pub(crate) fn fill(&mut self, types: CopiedTypes<'_>) {
        self.0.clear();
        self.0.extend_from_slice(types.0);
        self.1.clear();
        self.1.extend_from_slice(types.1);
    }

    pub(crate) fn get(&self) -> CopiedTypes<'_> {
        CopiedTypes(&self.0, &self.1)
    }
}

impl<'a> CopiedTypes<'a> {
    pub(crate) fn new(data: &'a [&'static DataType], others: &'a [&'static DataType]) -> Self {
        Self(data, others)
    }

    /// Returns the description of a type.
    pub(crate) fn find(self, id: TypeId) -> Option<&'static DataType> {
        let mut all = self.0.iter().chain(self.1);
        all.find(|data| data.type_id() == id).copied()
    }

    /// Returns the description of a type of resources by its name in snapshots.
    pub(crate) fn named(self, name: &str) -> Option<&'static DataType> {
        let is_it = |data: &&&DataType| data.is_boxed() && data.name_in_snapshots() == name;
        self.0.iter().chain(self.1).find(is_it).copied()
    }
}

impl World {
    /// Returns the types that snapshots can copy: data types that systems have named, and others.
    #[inline]
    pub(crate) fn copied_types(&self) -> CopiedTypes<'_> {
        CopiedTypes::new(&self.data_types, &self.copied_types)
    }

    /// Copies the resources that have a copier.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics; in that case the copy is incomplete.
    pub(crate) fn copy_resources(&mut self, copy: &mut ResourcesCopy, copier: FindCopier<'_>) {
        let known = CopiedTypes::new(&self.data_types, &self.copied_types);
        let map = self.resources.own();
        map.copy_to(copy, &|id| copier(known, id));
    }

    /// Returns to copies of the storage and of resources of this world, and drops pending commands. Calls `finish` when the
    /// world has returned; it does not panic.
    ///
    /// # Errors
    /// If the copy contains values and other entities have them now, or if it contains some entities and they cannot return.
    /// Nothing has changed in that case.
    ///
    /// # Panics
    /// * If a `Clone` panics; nothing has changed in that case.
    /// * If a `Drop` panics; either the world has returned nevertheless, or nothing has changed.
    pub(crate) fn return_to(
        &mut self,
        rows: RowsCopy<'_>,
        resources: &mut ResourcesCopy,
        copier: FindCopier<'_>,
        finish: &mut dyn FnMut(),
    ) -> Result<(), ReturnError> {
        resources.stage();
        // Dropped at the end, when the world has returned.
        let mut waiting = None;
        let mut gone = Vec::new();
        let known = CopiedTypes::new(&self.data_types, &self.copied_types);
        let map = self.resources.own();
        let kinds = &self.event_kinds;
        let (bundles, deferred) = (&mut self.bundles, &mut self.deferred);
        let mut finish = |is_forgotten| {
            if is_forgotten {
                // Bundles refer to tables and components by number.
                *bundles = Bundles::default();
            }
            gone = map.return_to(resources, &|id| copier(known, id), kinds);
            let deferred = deferred.get_mut().unwrap_or_else(PoisonError::into_inner);
            waiting = Some(take(deferred));
            finish();
        };
        let mut orphans = Vec::new();
        match rows {
            RowsCopy::All(copy) => self.storage.return_to(copy, finish),
            RowsCopy::Some(copy, filters) => {
                let now = self.storage.part_of(filters);
                let returned = self.storage.return_to_part(copy, now, finish);
                orphans = returned.map_err(ReturnError::Part)?;
            }
            RowsCopy::Values(copy, is_copied) => {
                let finish = || finish(false);
                if !self.storage.return_to_values(copy, is_copied, finish) {
                    return Err(ReturnError::OtherRows);
                }
            }
        }
        for orphan in orphans {
            // It may have gone along with another entity.
            self.despawn_if_exists(orphan);
        }
        drop(gone);
        drop(waiting);
        Ok(())
    }
}
