//! The world as hooks see it.

use core::fmt;
use core::ops::Deref;

use crate::component::{Component, MutOf};
use crate::entity::Entity;
use crate::storage::Storage;
use crate::world::{CommandQueue, World};

/// A world whose structure stays as it is: all can be read and written, and changes of structure can be
/// [queued](Self::commands). Only [immediate components](crate::ImmediateComponent) come and go at once, by a view.
///
/// Derefs to [`&World`](World), so there are [`get`](World::get), [`view`](World::view) and
/// [`view_mut`](World::view_mut), [`query`](World::query), resources to read and write, and any system that is called
/// with `&world`.
pub struct DeferredWorld<'w> {
    world: &'w mut World,
}

impl<'w> DeferredWorld<'w> {
    pub(super) fn new(world: &'w mut World) -> Self {
        Self { world }
    }

    /// The entity's `T`, to be changed; see [`World::get_mut`].
    #[must_use]
    pub fn get_mut<T: Component>(&mut self, entity: Entity) -> Option<MutOf<'_, T>> {
        self.world.get_mut::<T>(entity)
    }

    /// A second handle that locks this one out meanwhile.
    #[must_use]
    pub fn reborrow(&mut self) -> DeferredWorld<'_> {
        DeferredWorld::new(self.world)
    }

    /// Where commands go, and what they need to know.
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
