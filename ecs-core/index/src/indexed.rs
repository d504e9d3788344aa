//! The system parameter.

use alloc::sync::Arc;
use core::fmt;
use core::ops::Deref;

use ecs_engine::__private::{ComponentEntry, DataList, Listed, OwnPairs, ReadOf, Unfiltered};
use ecs_engine::component::TrackedComponent;
use ecs_engine::meta::ParamAccess;
use ecs_engine::system::{HeldBorrows, ParamError};
use ecs_engine::{Comp, Entity, SharedParam, SystemParam, World};

use crate::catch_up::Follower;
use crate::structure::Structure;

/// The values of a tracked component, and a [`Structure`] of them that is up to date: a system parameter. Derefs to the
/// structure.
///
/// [`Index`](crate::Index), [`OrderedIndex`](crate::OrderedIndex) and [`SpatialGrid`](crate::SpatialGrid) are this, with the
/// structures of this module.
///
/// It reads the component, so the same system cannot have a parameter that writes the component. A world has one structure of
/// each type, which all readers share: the first one makes it from all values in O(values), and each further one processes the
/// changes since the last one. That takes a look at the ticks of all values, 32 at a time, and the time of the structure for
/// each change. The component must not change while it is borrowed, so the structure stays up to date as long as the parameter
/// exists.
///
/// From the first reader on, the world lists removals for the structure; [`forget`](Self::forget) ends that.
///
/// # Never stale
/// It notices everything that changes values: spawns, writes, removals, despawns, commands, and returns to a snapshot. The
/// exceptions are a write through [`Mut::bypass`](ecs_engine::Mut::bypass), which hides a change, and one through a shared
/// reference (a `Cell` or an atomic number in the component).
///
/// # Disabled entities
/// A structure has all entities with a value, including [disabled](ecs_engine::Disabled) ones and those whose component is turned
/// off by a [toggle](ecs_engine::toggle): a look-up by value finds the same entities as a look-up by id. All structures are alike
/// in this. If disabled entities do not count, leave them out:
///
/// ```
/// use ecs_core::Disabled;
/// use ecs_core::index::Index;
/// use ecs_core::prelude::*;
///
/// #[derive(Component, Clone, PartialEq, Eq, Hash)]
/// #[component(track)]
/// struct Team(u8);
///
/// #[system]
/// fn players(teams: Index<Team>) -> usize {
///     let team = teams.get(&Team(1)).iter();
///     team.filter(|&&entity| teams.is_enabled(entity)).count()
/// }
///
/// let mut world = World::new();
/// let [_, b] = [(); 2].map(|()| world.spawn(Team(1)));
/// world.insert(b, Disabled)?;
/// assert_eq!(players(&world), 1);
/// assert_eq!(world.borrow::<Index<Team>>().get().get(&Team(1)).len(), 2);
/// # Ok::<(), ecs_core::world::NoSuchEntity>(())
/// ```
pub struct Indexed<'g, T, S> {
    values: Comp<'g, T>,
    structure: Arc<S>,
    world: &'g World,
}

impl<'g, T: TrackedComponent, S: Structure<T>> Indexed<'g, T, S> {
    /// Returns the values. All of them count as changed: to find the new ones, read the component itself through a parameter.
    #[must_use]
    pub fn values(&self) -> &Comp<'g, T> {
        &self.values
    }

    /// Returns true if the entity is alive and not [disabled](ecs_engine::Disabled). O(1).
    #[must_use]
    pub fn is_enabled(&self, entity: Entity) -> bool {
        self.world.is_enabled(entity)
    }

    /// Drops the structure that the world keeps, with its memory. The next reader makes a new one.
    pub fn forget(world: &mut World) {
        world.forget_shared::<Follower<T, S>>();
    }
}

impl<T, S> Deref for Indexed<'_, T, S> {
    type Target = S;

    #[inline]
    fn deref(&self) -> &S {
        &self.structure
    }
}

impl<T, S: fmt::Debug> fmt::Debug for Indexed<'_, T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.structure.fmt(f)
    }
}

/// The guard of an [`Indexed`], which borrows the component.
pub struct IndexedGuard<'w, T> {
    values: Comp<'w, T>,
    world: &'w World,
}

impl<T, S, Tail: DataList> Listed<Tail> for Indexed<'_, T, S> {
    type List = ReadOf<ComponentEntry<T>, Unfiltered, Tail>;
}

impl<T, S> OwnPairs for Indexed<'_, T, S> {
    type Pairs<N, Rest> = Rest;
}

// SAFETY: reads the component `T` through the parameter `Comp<T>`, whose access `ACCESS` contains and which alone is passed
// `held`. The removals of `T` are read by `Removed`, with its access. The structure is not data of the world that others
// can borrow.
unsafe impl<T: TrackedComponent, S: Structure<T>> SystemParam for Indexed<'_, T, S> {
    type State = ();
    type Guard<'w> = IndexedGuard<'w, T>;
    type Item<'g> = Indexed<'g, T, S>;

    const ACCESS: &'static ParamAccess =
        &ParamAccess::All(&[<Comp<'_, T> as SystemParam>::ACCESS, &ParamAccess::Shape]);

    fn init(_: &World) {}

    #[inline]
    fn lock<'w>(
        (): &'w mut (),
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<IndexedGuard<'w, T>, ParamError> {
        match Comp::lock_anew(world, held) {
            Ok(values) => Ok(IndexedGuard { values, world }),
            Err(error) => Err(error),
        }
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Indexed<'g, T, S> {
        Self::get_shared(guard)
    }
}

impl<T: TrackedComponent, S: Structure<T>> SharedParam for Indexed<'_, T, S> {
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> Indexed<'g, T, S> {
        let values = guard.values.reborrow();
        let catch_up = |follower: &mut Follower<T, S>| follower.catch_up(guard.world, &values);
        let structure = guard.world.with_shared(catch_up);
        Indexed {
            values,
            structure,
            world: guard.world,
        }
    }
}
