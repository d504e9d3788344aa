//! Resources of a world.

use super::World;
use crate::resource::{Res, ResMut, ResourceError, ResourceMap};

impl World {
    /// Puts a resource in and hands back the value of the same type that was there.
    pub fn insert_resource<T: Send + Sync + 'static>(&mut self, value: T) -> Option<T> {
        self.resources.insert(value)
    }

    /// Takes a resource out.
    pub fn remove_resource<T: Send + Sync + 'static>(&mut self) -> Option<T> {
        self.resources.remove()
    }

    /// Whether there is a resource of the type. O(1).
    #[must_use]
    pub fn contains_resource<T: Send + Sync + 'static>(&self) -> bool {
        self.resources.contains::<T>()
    }

    /// Borrows a resource for reading.
    ///
    /// # Panics
    /// If it is missing or borrowed mutably.
    #[track_caller]
    #[must_use]
    pub fn resource<T: Send + Sync + 'static>(&self) -> Res<'_, T> {
        self.resources.borrow()
    }

    /// Borrows a resource for writing; several different ones can be had at once.
    ///
    /// # Panics
    /// If it is missing or borrowed.
    #[track_caller]
    #[must_use]
    pub fn resource_mut<T: Send + Sync + 'static>(&self) -> ResMut<'_, T> {
        self.resources.borrow_mut()
    }

    /// Borrows a resource for reading; `None` if it is missing.
    ///
    /// # Panics
    /// If it is borrowed mutably.
    #[track_caller]
    #[must_use]
    pub fn get_resource<T: Send + Sync + 'static>(&self) -> Option<Res<'_, T>> {
        present(self.resources.try_borrow())
    }

    /// Borrows a resource for writing; `None` if it is missing.
    ///
    /// # Panics
    /// If it is borrowed.
    #[track_caller]
    #[must_use]
    pub fn get_resource_mut<T: Send + Sync + 'static>(&self) -> Option<ResMut<'_, T>> {
        present(self.resources.try_borrow_mut())
    }

    /// All resources.
    #[must_use]
    pub fn resources(&self) -> &ResourceMap {
        &self.resources
    }

    /// All resources, to be changed.
    #[must_use]
    pub fn resources_mut(&mut self) -> &mut ResourceMap {
        &mut self.resources
    }
}

#[track_caller]
fn present<T>(result: Result<T, ResourceError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(ResourceError::Missing { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}
