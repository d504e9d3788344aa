//! The methods of `World` and `ReadOnlyWorld` that make views.

use super::raw::Viewed;
use super::{Comp, CompMut, Entities};
use crate::component::Component;
use crate::meta::refuse_immutable;
use crate::world::{BorrowError, ReadOnlyWorld, World};

impl World {
    /// Borrows all `T`s for reading.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// assert_eq!(world.view::<Health>().iter().map(|health| health.0).sum::<i32>(), 7);
    /// ```
    ///
    /// # Panics
    /// If `T` is borrowed for writing by another view, query or reference; [`try_view`](Self::try_view) returns an
    /// error instead.
    #[track_caller]
    #[must_use]
    #[doc(alias = "borrow")]
    #[doc(alias = "read_storage")]
    #[doc(alias = "read_component")]
    pub fn view<T: Component>(&self) -> Comp<'_, T> {
        self.try_view().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Borrows all `T`s for writing. Views of different components can exist at the same time.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// let mut healths = world.view_mut::<Health>();
    /// for health in &mut healths {
    ///     health.0 += 1;
    /// }
    /// assert!(healths.iter().eq([&Health(4), &Health(5)]));
    /// ```
    ///
    /// # Panics
    /// If `T` is borrowed by another view, query or reference; [`try_view_mut`](Self::try_view_mut) returns an error
    /// instead.
    #[track_caller]
    #[must_use]
    #[doc(alias = "borrow_mut")]
    #[doc(alias = "write_storage")]
    #[doc(alias = "write_component")]
    pub fn view_mut<T: Component>(&self) -> CompMut<'_, T> {
        const { refuse_immutable(&T::IDENT) };
        view_mut(self).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Borrows all `T`s for reading.
    ///
    /// # Errors
    /// If `T` is borrowed for writing by another view, query or reference.
    pub fn try_view<T: Component>(&self) -> Result<Comp<'_, T>, BorrowError> {
        match self.view_raw(Viewed::of::<T>(), None) {
            // SAFETY: the raw view is of the id of `T`, and holds a borrow for reading.
            Ok(raw) => Ok(unsafe { Comp::of(raw) }),
            Err(error) => Err(error),
        }
    }

    /// Borrows all `T`s for writing.
    ///
    /// # Errors
    /// If `T` is borrowed by another view, query or reference.
    pub fn try_view_mut<T: Component>(&self) -> Result<CompMut<'_, T>, BorrowError> {
        const { refuse_immutable(&T::IDENT) };
        view_mut(self)
    }

    /// Returns the ids of all entities.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// let rat = world.spawn(());
    /// assert!(world.entities().iter().eq([rat]));
    /// ```
    #[must_use]
    pub fn entities(&self) -> Entities<'_> {
        Entities::new(&self.storage)
    }
}

/// Borrows all `T`s for writing. The methods that users call refuse immutable components, so that the compiler names their
/// line.
fn view_mut<T: Component>(world: &World) -> Result<CompMut<'_, T>, BorrowError> {
    match world.view_mut_raw(Viewed::of::<T>(), None) {
        // SAFETY: the raw view is of the id of `T`, and holds a borrow for writing.
        Ok(raw) => Ok(unsafe { CompMut::of(raw) }),
        Err(error) => Err(error),
    }
}

impl<'w> ReadOnlyWorld<'w> {
    /// Returns a view of all `T`s, without a run-time borrow.
    #[inline]
    #[must_use]
    pub fn view<T: Component>(self) -> Comp<'w, T> {
        // SAFETY: by invariant 1 of `ReadOnlyWorld` no code writes or moves values as long as `'w`.
        let raw = unsafe { self.world.view_unlocked(Viewed::of::<T>(), None) };
        // SAFETY: the raw view has the id of `T`, and no `T` is written as long as `'w`, which is stronger than a borrow
        // that another owner holds.
        unsafe { Comp::of(raw) }
    }
}
