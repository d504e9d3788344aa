//! Views of all values of one component of a closed world.

use core::fmt;

use ecs_engine::__private::{Ids, type_name};
use ecs_engine::Entity;
use ecs_engine::world::NoSuchEntity;

use crate::pages::{self, Pages};
use crate::rows::{ItemRows, ReadRows, WriteRows};

/// A shared view of all values of the component `T` of a closed world; from `component!` or
/// [`StaticWorld::view`](crate::StaticWorld::view).
pub struct StaticComp<'w, T> {
    ids: &'w Ids,
    pages: &'w Pages<T>,
}

/// An exclusive view of all values of the component `T` of a closed world; from `component_mut!` or
/// [`StaticWorld::view_mut`](crate::StaticWorld::view_mut).
pub struct StaticCompMut<'w, T> {
    ids: &'w Ids,
    pages: &'w mut Pages<T>,
}

impl<T> Clone for StaticComp<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for StaticComp<'_, T> {}

impl<'w, T> StaticComp<'w, T> {
    #[inline]
    pub(crate) fn new(ids: &'w Ids, pages: &'w Pages<T>) -> Self {
        Self { ids, pages }
    }

    /// Returns the value of an entity. O(1).
    #[inline]
    #[must_use]
    pub fn get(self, entity: Entity) -> Option<&'w T> {
        self.pages.get(self.ids.find(entity)?)
    }

    /// Returns whether an entity has a value. O(1).
    #[inline]
    #[must_use]
    pub fn contains(self, entity: Entity) -> bool {
        self.get(entity).is_some()
    }

    /// Returns the number of values. O(highest index / 64).
    #[must_use]
    pub fn len(self) -> usize {
        self.pages.len()
    }

    /// Returns whether there are no values. O(highest index / 64).
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Iterates over the values, in the order of the indices of their entities.
    pub fn iter(self) -> impl Iterator<Item = &'w T> {
        let pages = self.pages;
        indices(pages).filter_map(|index| pages.get(index))
    }

    /// Iterates over the values and their entities, in the order of the indices.
    pub fn with_entity(self) -> impl Iterator<Item = (Entity, &'w T)> {
        let Self { ids, pages } = self;
        indices(pages).filter_map(|index| Some((ids.at(index)?, pages.get(index)?)))
    }
}

impl<'w, T> StaticCompMut<'w, T> {
    #[inline]
    pub(crate) fn new(ids: &'w Ids, pages: &'w mut Pages<T>) -> Self {
        Self { ids, pages }
    }

    /// Returns a shared view of the same values.
    #[inline]
    #[must_use]
    pub fn as_ref(&self) -> StaticComp<'_, T> {
        StaticComp::new(self.ids, self.pages)
    }

    /// Returns the value of an entity. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<&T> {
        self.as_ref().get(entity)
    }

    /// Returns a mutable reference to the value of an entity. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, entity: Entity) -> Option<&mut T> {
        self.pages.get_mut(self.ids.find(entity)?)
    }

    /// Returns whether an entity has a value. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.as_ref().contains(entity)
    }

    /// Returns the number of values. O(highest index / 64).
    #[must_use]
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Returns whether there are no values. O(highest index / 64).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the values, in the order of the indices of their entities.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.as_ref().iter()
    }

    /// Iterates over the values and their entities, in the order of the indices.
    pub fn with_entity(&self) -> impl Iterator<Item = (Entity, &T)> {
        self.as_ref().with_entity()
    }

    /// Iterates mutably over the values.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.with_entity_mut().map(|(_, value)| value)
    }

    /// Iterates mutably over the values, with their entities.
    pub fn with_entity_mut(&mut self) -> impl Iterator<Item = (Entity, &mut T)> {
        let ids = self.ids;
        let rows = WriteRows(&*self.pages);
        indices(self.pages).filter_map(move |index| {
            let (page, row) = pages::split(index);
            // SAFETY: `indices` returns rows whose bits are set (clause 1), each once, and the iterator and its items
            // borrow the pages exclusively (clause 2).
            let value = unsafe { WriteRows::at(rows.start(page), row) };
            Some((ids.at(index)?, value))
        })
    }

    /// Inserts a value and returns the previous one; see [`StaticWorld::replace`](crate::StaticWorld::replace).
    ///
    /// # Errors
    /// If the entity does not exist.
    pub fn replace(&mut self, entity: Entity, component: T) -> Result<Option<T>, NoSuchEntity> {
        let index = self.ids.find(entity).ok_or(NoSuchEntity { entity })?;
        Ok(self.pages.replace(index, component))
    }

    /// Removes the value of an entity and returns it.
    pub fn take(&mut self, entity: Entity) -> Option<T> {
        let value = self.pages.vacate(self.ids.find(entity)?)?;
        Some(value.into_inner())
    }
}

/// Iterates over the indices that have a value, ascending.
fn indices<T>(pages: &Pages<T>) -> impl Iterator<Item = u32> {
    let rows = ReadRows(pages);
    (0..pages.end()).flat_map(move |page| {
        let mut word = rows.word(page);
        core::iter::from_fn(move || {
            let row = (word != 0).then(|| word.trailing_zeros())?;
            word &= word - 1;
            Some(pages::index(page, row as usize))
        })
    })
}

impl<T> fmt::Debug for StaticComp<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StaticComp<{}>({})", type_name::<T>(), self.len())
    }
}

impl<T> fmt::Debug for StaticCompMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StaticCompMut<{}>({})", type_name::<T>(), self.len())
    }
}
