//! Separate ids for entities outside the simulation.

use super::World;

impl World {
    /// Sets `count` ids apart for entities that are not part of a simulation, such as the sparks of a renderer. From now on
    /// entities get these ids, except [in the simulation](Self::with_simulated_ids). There, entities get the same ids on
    /// each machine of a game and in each run of a frame, whatever other entities exist. So call this once, after creating
    /// the world of the game.
    ///
    /// `Rollback::advance` of the feature `data` runs frames in the simulation. A game that implements rollback itself,
    /// with [snapshots of some entities](crate::snapshot::Snapshotter::entities), calls `with_simulated_ids`. Ids of
    /// despawned entities are used again, with other generations, so `count` limits the number of such entities that live
    /// at the same time. Each id takes 8 bytes of memory from now on.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// let mut world = World::new();
    /// let player = world.spawn(());
    /// world.reserve_local_ids(1000);
    /// let spark = world.spawn(());
    /// let bullet = world.with_simulated_ids(|world| world.spawn(()));
    /// assert_eq!([player, spark, bullet].map(|entity| entity.index()), [0, 1, 1001]);
    /// world.despawn(spark)?;
    /// assert_eq!(world.spawn(()).index(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the world already has local ids, or too few ids are left. Later, allocating a local id panics if all are in use.
    #[track_caller]
    pub fn reserve_local_ids(&mut self, count: u32) {
        self.storage.entities.reserve_local(count);
    }

    /// Calls a function whose new entities get the ids of the simulation, if the world has [local
    /// ids](Self::reserve_local_ids). Pending commands are applied before and after.
    ///
    /// # Panics
    /// If the function or a command panics; entities then get the same ids as before the call.
    pub fn with_simulated_ids<R>(&mut self, f: impl FnOnce(&mut World) -> R) -> R {
        self.with_ids(false, f)
    }

    /// Calls a function whose new entities get [local ids](Self::reserve_local_ids), if the world has any. A system of a
    /// simulation uses this to spawn entities outside it. Pending commands are applied before and after.
    ///
    /// # Panics
    /// If the function or a command panics; entities then get the same ids as before the call.
    pub fn with_local_ids<R>(&mut self, f: impl FnOnce(&mut World) -> R) -> R {
        self.with_ids(true, f)
    }

    /// Decides whether new entities get local ids, if the world has any. Returns whether they did before.
    #[doc(hidden)]
    pub fn set_local_ids(&mut self, local: bool) -> bool {
        self.storage.entities.set_local(local)
    }

    fn with_ids<R>(&mut self, local: bool, f: impl FnOnce(&mut World) -> R) -> R {
        /// Restores the kind of ids that entities get.
        struct ResetIds<'w>(&'w mut World, bool);

        impl Drop for ResetIds<'_> {
            fn drop(&mut self) {
                self.0.storage.entities.set_local(self.1);
            }
        }

        self.flush();
        let was_local = self.storage.entities.set_local(local);
        let reset = ResetIds(self, was_local);
        let result = f(reset.0);
        reset.0.flush();
        result
    }
}
