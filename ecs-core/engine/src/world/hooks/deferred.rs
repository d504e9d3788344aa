//! `DeferredWorld`: the world that a hook gets.

use core::fmt;
use core::ops::Deref;

use crate::component::{Component, MutOf};
use crate::entity::Entity;
use crate::meta::refuse_immutable;
use crate::storage::Storage;
use crate::world::{CommandQueue, World};

/// A world whose structure cannot be changed. All data can be read and written, and structural changes can be
/// [queued](Self::commands). Only [immediate components](crate::ImmediateComponent) can be inserted and removed
/// immediately, through a view.
///
/// Derefs to [`&World`](World), which has [`get`](World::get), [`view`](World::view), [`view_mut`](World::view_mut),
/// [`query`](World::query) and access to resources. It can also call any system.
pub struct DeferredWorld<'w> {
    world: &'w mut World,
}

impl<'w> DeferredWorld<'w> {
    pub(super) fn new(world: &'w mut World) -> Self {
        Self { world }
    }

    /// Returns the entity's `T` for writing; see [`World::get_mut`].
    #[must_use]
    pub fn get_mut<T: Component>(&mut self, entity: Entity) -> Option<MutOf<'_, T>> {
        const { refuse_immutable(&T::IDENT) };
        self.world.value_mut::<T>(entity)
    }

    /// Returns a second handle, which borrows this one.
    #[must_use]
    pub fn reborrow(&mut self) -> DeferredWorld<'_> {
        DeferredWorld::new(self.world)
    }

    /// Returns the world, whose structure must not be changed.
    pub(crate) fn exclusive(&mut self) -> &mut World {
        self.world
    }

    /// Returns the world's queue of pending commands, and its storage.
    pub(crate) fn queue(&mut self) -> (&mut CommandQueue, &Storage) {
        self.world.queue_and_storage()
    }
}

impl Deref for DeferredWorld<'_> {
    type Target = World;

    fn deref(&self) -> &World {
        self.world
    }
}

impl fmt::Debug for DeferredWorld<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeferredWorld").field(&self.world).finish()
    }
}
