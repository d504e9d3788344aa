//! Components whose values are unique.

use core::borrow::Borrow;
use core::fmt;
use core::hash::Hash;

use ecs_engine::__private::{ComponentEntry, DataList, Listed, OwnPairs, ReadOf, Unfiltered};
use ecs_engine::meta::ParamAccess;
use ecs_engine::system::{HeldBorrows, ParamError};
use ecs_engine::world::{CheckValues, ValueTaken};
use ecs_engine::{Comp, Component, Entity, Join, SharedParam, SystemParam, World};
use hashbrown::HashMap;

use crate::hash::BuildKeyHasher;

/// The least number of values that no entity has any more to keep.
const SPARE: usize = 64;

/// A component with `#[component(unique)]`: no two entities of a world have equal values.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` are not unique",
    label = "several entities may have a value",
    note = "add `#[component(unique)]` to the component, or use an `Index`, which finds all entities with a value"
)]
pub trait UniqueComponent: Component + Clone + Eq + Hash {}

/// The entity of each value of a component that is unique: a system parameter.
///
/// No two entities of a world have equal values of a component with `#[component(unique)]`. The component is immutable, and all ways
/// into the world ask this index before anything changes, so it's never out of date.
///
/// ```
/// use ecs_core::index::UniqueIndex;
/// use ecs_core::prelude::*;
///
/// #[derive(Component, Clone, Debug, PartialEq, Eq, Hash)]
/// #[component(unique)]
/// struct PlayerName(String);
///
/// #[system]
/// fn find(name: &str, names: UniqueIndex<PlayerName>) -> Option<Entity> {
///     names.get(&PlayerName(name.into()))
/// }
///
/// let mut world = World::new();
/// let ann = world.spawn(PlayerName("Ann".into()));
/// assert_eq!(find("Ann", &world), Some(ann));
///
/// let error = world.try_spawn(PlayerName("Ann".into())).unwrap_err();
/// assert_eq!(error.holder, ann);
/// world.insert(ann, PlayerName("Anna".into()))?;
/// assert!(world.try_spawn(PlayerName("Ann".into())).is_ok());
/// # Ok::<(), ecs_core::world::NoSuchEntity>(())
/// ```
///
/// The value that another entity has is an error of `World::try_spawn`, `World::try_insert`, `World::insert_erased`, insertions by name,
/// loads, clones, differences and packets, which change nothing in that case. `spawn`, `insert` and commands panic before they change
/// the entity. In a batch the entities before it stay, like after any panic of an iterator.
///
/// # Values
/// If an `Eq` or `Hash` lies, entities may have values that are equal. If one of them panics, nothing has changed. The hasher has no
/// secret, like the one of an [`Index`](crate::Index).
pub struct UniqueIndex<'g, T> {
    values: Comp<'g, T>,
    world: &'g World,
}

impl<'g, T: UniqueComponent> UniqueIndex<'g, T> {
    /// Returns the entity that has this value. O(1).
    #[must_use]
    pub fn get<Q>(&self, value: &Q) -> Option<Entity>
    where
        T: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let found = self.world.with_shared(|holders: &mut Holders<T>| {
            holders.refresh(self.world);
            holders.entities.get(value).copied()
        });
        found.filter(|&entity| {
            let known = self.values.get(entity);
            known.is_some_and(|known| known.borrow() == value)
        })
    }

    /// Returns the values.
    #[must_use]
    pub fn values(&self) -> &Comp<'g, T> {
        &self.values
    }
}

impl<T> fmt::Debug for UniqueIndex<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UniqueIndex")
    }
}

/// The entities that got each value last. An entity that has lost the value may still be here: who looks it up asks the world.
struct Holders<T> {
    entities: HashMap<T, Entity, BuildKeyHasher>,
    /// The state of the world that the map knows; `None` if it lacks values.
    restores: Option<u64>,
    /// The edit that wrote the map last, which may have ended early.
    edit: Option<u64>,
    /// Values that no entity has any more are removed when there are this many.
    most: usize,
}

impl<T> Default for Holders<T> {
    fn default() -> Self {
        Self {
            entities: HashMap::default(),
            restores: None,
            edit: None,
            most: SPARE,
        }
    }
}

impl<T: UniqueComponent> Holders<T> {
    /// Makes the map anew if it may lack values that entities have: at first, after a return to a snapshot, and after a panic.
    fn refresh(&mut self, world: &World) {
        let now = Some(world.restores());
        if self.restores == now && (self.edit.is_none() || self.edit == world.checked_edit()) {
            return;
        }
        self.restores = None;
        self.entities.clear();
        let values = world.view::<T>();
        for (entity, value) in (&values).and_disabled().with_entity().iter() {
            self.entities.entry(value.clone()).or_insert(entity);
        }
        self.edit = None;
        self.restores = now;
    }

    fn check<'a>(
        &mut self,
        world: &World,
        values: &dyn Fn(usize) -> Option<(Entity, &'a T)>,
        leaves: &dyn Fn(Entity) -> bool,
    ) -> Result<(), ValueTaken> {
        self.refresh(world);
        let has = |entity, value: &T| {
            let known = world.get::<T>(entity);
            known.is_some_and(|known| *known == *value)
        };
        let taken = |entity, holder| ValueTaken {
            component: ecs_engine::__private::type_name::<T>(),
            entity,
            holder,
        };
        let mut new: HashMap<&T, Entity, BuildKeyHasher> = HashMap::default();
        let is_one = values(1).is_none();
        for (entity, value) in (0..).map_while(values) {
            if !is_one
                && let Some(other) = new.insert(value, entity)
                && other != entity
            {
                return Err(taken(entity, other));
            }
            if let Some(&holder) = self.entities.get(value)
                && holder != entity
                && !leaves(holder)
                && has(holder, value)
            {
                return Err(taken(entity, holder));
            }
        }
        // From here on a panic may leave the map without a value that an entity has.
        let known = self.restores.take();
        let edit = world.checked_edit();
        if edit.is_some() {
            self.edit = edit;
        } else if self.entities.len() >= self.most {
            self.entities.retain(|value, entity| has(*entity, value));
            self.most = self.entities.len() * 2 + SPARE;
        }
        for (entity, value) in (0..).map_while(values) {
            self.entities.insert(value.clone(), entity);
        }
        self.restores = known;
        Ok(())
    }
}

/// The check of components that are unique.
#[doc(hidden)]
pub struct UniqueValues;

#[diagnostic::do_not_recommend]
impl<T: UniqueComponent> CheckValues<T> for UniqueValues {
    fn check<'a>(
        world: &World,
        values: &dyn Fn(usize) -> Option<(Entity, &'a T)>,
        leaves: &dyn Fn(Entity) -> bool,
    ) -> Result<(), ValueTaken> {
        world.with_shared(|holders: &mut Holders<T>| holders.check(world, values, leaves))
    }
}

/// The guard of a [`UniqueIndex`], which borrows the component.
pub struct UniqueIndexGuard<'w, T> {
    values: Comp<'w, T>,
    world: &'w World,
}

impl<T, Tail: DataList> Listed<Tail> for UniqueIndex<'_, T> {
    type List = ReadOf<ComponentEntry<T>, Unfiltered, Tail>;
}

impl<T> OwnPairs for UniqueIndex<'_, T> {
    type Pairs<N, Rest> = Rest;
}

// SAFETY: reads the component `T` through the parameter `Comp<T>`, whose access `ACCESS` is and which alone is passed `held`. The
// map of holders is not data of the world that others can borrow.
unsafe impl<T: UniqueComponent> SystemParam for UniqueIndex<'_, T> {
    type State = ();
    type Guard<'w> = UniqueIndexGuard<'w, T>;
    type Item<'g> = UniqueIndex<'g, T>;

    const ACCESS: &'static ParamAccess = <Comp<'_, T> as SystemParam>::ACCESS;

    fn init(_: &World) {}

    #[inline]
    fn lock<'w>(
        (): &'w mut (),
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<UniqueIndexGuard<'w, T>, ParamError> {
        match Comp::lock_anew(world, held) {
            Ok(values) => Ok(UniqueIndexGuard { values, world }),
            Err(error) => Err(error),
        }
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> UniqueIndex<'g, T> {
        Self::get_shared(guard)
    }
}

impl<T: UniqueComponent> SharedParam for UniqueIndex<'_, T> {
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> UniqueIndex<'g, T> {
        UniqueIndex {
            values: guard.values.reborrow(),
            world: guard.world,
        }
    }
}
