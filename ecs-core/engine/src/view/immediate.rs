//! Immediate insertion and removal through a view.

use core::fmt;

use super::CompMut;
use crate::component::{Component, ImmediateComponent};
use crate::entity::Entity;
use crate::storage::SparseSet;
use crate::world::NoSuchEntity;

/// Immediate changes of components with `#[component(storage = "sparse", immediate)]`: all code that accesses the component
/// afterwards sees them, beginning with this system.
///
/// While this view exists, no other code can access the component: for an immediate component even [`With`](crate::With) and
/// [`Without`](crate::Without) are reads, so a query that names it conflicts with this view, within a system and between
/// systems. Items and joins of this view borrow it, so none of them exists during a change.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// #[component(storage = "sparse", immediate)]
/// struct Burning(u8);
/// #[derive(Component)]
/// struct Dry;
///
/// /// Sets entities that are dry on fire; those that have burnt down stop burning.
/// #[system]
/// fn fire(mut burning: CompMut<Burning>, dry: Comp<Dry>) -> usize {
///     for entity in dry.entities() {
///         if !burning.contains(entity) {
///             burning.insert(entity, Burning(2)).expect("the entity is alive");
///         }
///     }
///     (&mut burning).for_each(|burning| burning.0 -= 1);
///     let burnt: Vec<Entity> = burning.with_entity().iter().filter(|(_, b)| b.0 == 0).map(|(e, _)| e).collect();
///     burnt.into_iter().filter_map(|entity| burning.remove(entity)).count()
/// }
///
/// let mut world = World::new();
/// world.register::<Burning>();
/// world.spawn_batch([Dry, Dry]);
/// assert_eq!(fire(&world), 0);
/// assert_eq!(fire(&world), 2);
/// ```
///
/// # Notes
/// * Immediate components have no hooks, are not tracked, and are in no group. Observers are not notified of these
///   changes.
/// * Hooks and observers of other components can make such changes too, during a structural change: rule 7 of
///   [`world::hooks`](crate::world::hooks).
/// * The component must be registered with the world: by [`World::register`](crate::World::register), or because an
///   entity had it before.
impl<T: Component> CompMut<'_, T> {
    /// Inserts a value into the entity, and returns its previous value, if any. O(1), amortised.
    ///
    /// # Errors
    /// If the entity is not alive, or was only [reserved](crate::World::reserve_entity), by a command for example, and has
    /// no row yet; or if the world has never seen the component. Then `value` is dropped.
    pub fn insert(&mut self, entity: Entity, value: T) -> Result<Option<T>, InsertError>
    where
        T: ImmediateComponent,
    {
        if let Some(old) = self.get_mut(entity) {
            return Ok(Some(core::mem::replace(old, value)));
        }
        if self.raw.storage.entities.get(entity).is_none() {
            return Err(if self.raw.storage.entities.contains(entity) {
                InsertError::Reserved { entity }
            } else {
                NoSuchEntity { entity }.into()
            });
        }
        let set = self.set().ok_or(InsertError::Unknown {
            component: T::IDENTITY.ident().type_name(),
        })?;
        set.reserve_values(1);
        // SAFETY: the entity is alive and not in the set because `get_mut` found no value, and `reserve_values` made room;
        // the value is written immediately.
        let slot = unsafe { set.push_unnoted(entity) };
        // SAFETY: `push` returned a pointer to the memory of one `T`, which is not initialised yet.
        unsafe { slot.cast::<T>().write(value) };
        Ok(None)
    }

    /// Removes the value of the entity and returns it; `None` if it has none or is despawned. O(1).
    pub fn remove(&mut self, entity: Entity) -> Option<T>
    where
        T: ImmediateComponent,
    {
        let value = self.set()?.remove(entity)?;
        // SAFETY: `remove` returned a pointer to an initialised `T` that no longer belongs to the set, and it is read
        // once.
        Some(unsafe { value.cast::<T>().read() })
    }

    /// Removes and drops all values. O(values).
    ///
    /// # Panics
    /// If the `Drop` of a value panics. All values are removed nevertheless, and the others are dropped.
    pub fn clear(&mut self)
    where
        T: ImmediateComponent,
    {
        self.drain().for_each(drop);
    }

    /// Removes and drops the values that `keep` refuses. O(values).
    ///
    /// Goes from the last value to the first. The remaining values may change their order.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)]
    /// #[component(storage = "sparse", immediate)]
    /// struct Burning(u8);
    ///
    /// #[system]
    /// fn burn_down(mut burning: CompMut<Burning>) {
    ///     burning.retain(|_, burning| {
    ///         burning.0 -= 1;
    ///         burning.0 > 0
    ///     });
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([1, 2, 3].map(Burning));
    /// burn_down(&world);
    /// assert_eq!(world.view::<Burning>().len(), 2);
    /// ```
    ///
    /// # Panics
    /// If `keep` or the `Drop` of a value panics. The values after the current one have been kept or removed, and the
    /// earlier ones are unchanged.
    pub fn retain(&mut self, mut keep: impl FnMut(Entity, &mut T) -> bool)
    where
        T: ImmediateComponent,
    {
        for row in (0..self.len()).rev() {
            // The last value takes the place of a removed one, and was visited already.
            let entity = self.as_entities()[row];
            let is_kept = self.get_mut(entity).is_none_or(|value| keep(entity, value));
            if !is_kept {
                self.remove(entity);
            }
        }
    }

    /// Removes all values, and returns them with their entities: from the last one to the first. When the iterator is
    /// dropped, the values that are left are dropped too.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component, Debug, PartialEq)]
    /// #[component(storage = "sparse", immediate)]
    /// struct Damage(u32);
    ///
    /// let mut world = World::new();
    /// let hit = world.spawn(Damage(3));
    /// let mut damage = world.view_mut::<Damage>();
    /// assert_eq!(damage.drain().next(), Some((hit, Damage(3))));
    /// assert!(damage.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, T>
    where
        T: ImmediateComponent,
    {
        Drain {
            view: self.reborrow(),
        }
    }

    /// Returns the set for writing, if the component is registered.
    fn set(&mut self) -> Option<&mut SparseSet> {
        const {
            assert!(
                T::IMMEDIATE && T::STORAGE.is_by_entity(),
                "an immediate component is stored in a sparse set; help: derive `Component` with `storage = \"sparse\", immediate`"
            );
        }
        let store = self.raw.store.filter(|store| store.is_registered())?;
        let set = store.set_ptr();
        // SAFETY: this view has the exclusive borrow of the component (invariant 1 of `CompMut`), which is registered
        // (invariant 3 of the store); no other code reads the set of an immediate component without a borrow. All users
        // of this view's borrow borrow the view, which is borrowed exclusively here.
        Some(unsafe { &mut *set })
    }
}

/// Iterator over the removed values of an immediate component; from [`CompMut::drain`].
pub struct Drain<'a, T: ImmediateComponent> {
    view: CompMut<'a, T>,
}

impl<T: ImmediateComponent> Iterator for Drain<'_, T> {
    type Item = (Entity, T);

    fn next(&mut self) -> Option<(Entity, T)> {
        let &entity = self.view.as_entities().last()?;
        Some((entity, self.view.remove(entity)?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.view.len(), Some(self.view.len()))
    }
}

impl<T: ImmediateComponent> ExactSizeIterator for Drain<'_, T> {}
impl<T: ImmediateComponent> core::iter::FusedIterator for Drain<'_, T> {}

impl<T: ImmediateComponent> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        /// Drops the values after one whose `Drop` has panicked.
        struct DropRemaining<'d, 'a, T: ImmediateComponent>(&'d mut Drain<'a, T>);

        impl<T: ImmediateComponent> Drop for DropRemaining<'_, '_, T> {
            fn drop(&mut self) {
                self.0.for_each(drop);
            }
        }

        DropRemaining(self).0.for_each(drop);
    }
}

impl<T: ImmediateComponent> fmt::Debug for Drain<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain")
            .field("len", &self.view.len())
            .finish()
    }
}

/// The error if a value was not inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertError {
    /// The entity does not exist.
    NoSuchEntity(NoSuchEntity),
    /// The entity is alive, but has no row before the next flush.
    Reserved {
        /// The entity.
        entity: Entity,
    },
    /// The world has never seen the component.
    Unknown {
        /// The component.
        component: &'static str,
    },
}

impl From<NoSuchEntity> for InsertError {
    fn from(error: NoSuchEntity) -> Self {
        Self::NoSuchEntity(error)
    }
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchEntity(error) => error.fmt(f),
            Self::Reserved { entity } => write!(
                f,
                "entity {entity} is reserved and has no row before the next flush; help: insert with a command, like the one that spawns it"
            ),
            Self::Unknown { component } => write!(
                f,
                "component `{component}` is not registered with the world; help: call `world.register::<{component}>()` first"
            ),
        }
    }
}

impl core::error::Error for InsertError {}
