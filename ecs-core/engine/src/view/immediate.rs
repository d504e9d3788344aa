//! Inserting and removing at once, through a view.

use core::fmt;

use super::CompMut;
use crate::component::{Component, ImmediateComponent};
use crate::entity::Entity;
use crate::storage::SparseSet;
use crate::world::NoSuchEntity;

/// For components with `#[component(storage = "sparse", immediate)]`: changes that everybody sees who looks next, this system
/// first.
///
/// Nothing else can look meanwhile: of an immediate component even [`With`](crate::With) and [`Without`](crate::Without) are
/// reads, so a query that asks for it conflicts with this view, within a system and between systems. Items and joins of
/// this view borrow it, and so are gone.
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
/// /// Whoever is dry catches fire; whoever has burnt down stops burning.
/// #[system]
/// fn fire(mut burning: CompMut<Burning>, dry: Comp<Dry>) -> usize {
///     for entity in dry.entities() {
///         if !burning.contains(entity) {
///             burning.insert(entity, Burning(2)).expect("it lives");
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
/// # What else there is to know
/// * Immediate components have no hooks, are not tracked, and are in no group. Observers do not hear of what is done here.
/// * A world must have met the component: it was [registered](crate::World::register), or an entity had it before.
impl<T: Component> CompMut<'_, T> {
    /// Gives the entity a value and hands back the one that it had. O(1), amortised.
    ///
    /// # Errors
    /// If the entity does not live, or was only [reserved](crate::World::reserve_entity), by a command for example, and has no
    /// place yet; or if the world has never seen the component. `value` is dropped then.
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
        set.reserve(entity);
        // SAFETY: the entity lives, is not in the set, and room was made; the value is written at once.
        let place = unsafe { set.push(entity) };
        // SAFETY: the place is one for `T`, and not initialised yet.
        unsafe { place.cast::<T>().write(value) };
        Ok(None)
    }

    /// Takes the value off the entity; `None` if it has none or is gone. O(1).
    pub fn remove(&mut self, entity: Entity) -> Option<T>
    where
        T: ImmediateComponent,
    {
        let value = self.set()?.remove(entity)?;
        // SAFETY: it was an initialised `T`, which the set has given up.
        Some(unsafe { value.cast::<T>().read() })
    }

    /// The set, to be changed, if the world has met the component.
    fn set(&mut self) -> Option<&mut SparseSet> {
        const {
            assert!(
                T::IMMEDIATE && T::STORAGE.is_sparse(),
                "an immediate component is stored in a sparse set: derive `Component` with `storage = \"sparse\", immediate`"
            );
        }
        let store = self.raw.store.filter(|store| store.is_met())?;
        let set = store.sparse.as_ptr();
        // SAFETY: this view has the exclusive borrow of the component, which is met (invariant 1 of the view and 3 of the
        // store), without which nobody looks at the set of an immediate component. Whatever uses this view's borrow borrows the view, which is borrowed exclusively.
        Some(unsafe { &mut *set })
    }
}

/// Why a value was not inserted at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertError {
    /// The entity does not exist (any more).
    NoSuchEntity(NoSuchEntity),
    /// The entity lives, but has no place in the world before the next flush.
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
                "entity {entity} was reserved and has no place before the next flush: insert by a command, as it was spawned"
            ),
            Self::Unknown { component } => write!(
                f,
                "the world has never seen the component `{component}`: call `world.register::<{component}>()` first"
            ),
        }
    }
}

impl core::error::Error for InsertError {}
