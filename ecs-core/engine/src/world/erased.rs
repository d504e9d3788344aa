//! Inserting and removing components of unknown type.

use alloc::vec::Vec;
use core::fmt;

use super::hooks::StructuralChange;
use super::insert::{calls_hooks, make_and_note, move_to, reserve_sets};
use super::place_erased::write_erased;
use super::remove::remove;
use super::required::{RequiredValue, Requirements, make_missing, write_all};
use super::{NoSuchEntity, ValueTaken, World};
use crate::bundle::BundleInfo;
use crate::component::{ComponentId, Lifecycle, LifecycleSet};
use crate::entity::{Entity, Location};
use crate::storage::{ErasedColumn, Frozen, Storage, WrongEnd, fmt_cycle};

impl World {
    /// Returns true if the entity is alive and has the component. O(1).
    ///
    /// # Panics
    /// If the component is [immediate](crate::ImmediateComponent) and is being written through a view or query.
    #[inline]
    #[must_use]
    pub fn has_erased(&self, entity: Entity, component: ComponentId) -> bool {
        self.has_id(entity, component)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Moves the last value of a column into an entity: [`insert`](Self::insert) for a component of unknown type.
    ///
    /// Like `insert`, it calls hooks and observers, replaces and drops a previous value, inserts required components, and
    /// keeps relations consistent.
    ///
    /// ```
    /// use ecs_core::component::ComponentId;
    /// use ecs_core::prelude::*;
    /// use ecs_core::world::{ErasedColumn, InsertErasedError};
    ///
    /// #[derive(Component, Debug, PartialEq)]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let hero = world.spawn(());
    /// let health = ComponentId::of::<Health>();
    /// let mut column = ErasedColumn::new(health);
    /// assert!(matches!(world.insert_erased(hero, &mut column), Err(InsertErasedError::NoValue { .. })));
    ///
    /// column.push(Health(3)).expect("it is a column of `Health`");
    /// world.insert_erased(hero, &mut column)?;
    /// assert_eq!(*world.get::<Health>(hero).unwrap(), Health(3));
    /// assert!(column.is_empty());
    /// assert_eq!(world.remove_erased(hero, health), Ok(true));
    /// # Ok::<(), InsertErasedError>(())
    /// ```
    ///
    /// # Errors
    /// If the entity does not exist, the column has no value of a component, or the value relates the entity to
    /// itself, or to a descendant in a tree. Nothing has changed in that case, and the value stays in the column.
    ///
    /// # Panics
    /// In the same cases as [`insert`](Self::insert). The value stays in the column if it was not inserted.
    #[inline]
    pub fn insert_erased(
        &mut self,
        entity: Entity,
        column: &mut ErasedColumn,
    ) -> Result<(), InsertErasedError> {
        self.insert_as(entity, column, false)
    }

    /// Moves the last value of a column into an entity that had the component in a recorded state, or will have it there.
    /// Unlike [`insert_erased`](Self::insert_erased), it does not insert required components, and if the entity is already
    /// related to the targets, its edges keep their places among the sources.
    ///
    /// # Errors
    /// In the same cases as [`insert_erased`](Self::insert_erased).
    ///
    /// # Panics
    /// In the same cases as [`insert_erased`](Self::insert_erased).
    #[doc(hidden)]
    #[inline]
    pub fn restore_erased(
        &mut self,
        entity: Entity,
        column: &mut ErasedColumn,
    ) -> Result<(), InsertErasedError> {
        self.insert_as(entity, column, true)
    }

    /// The flag `restores` distinguishes [`restore_erased`](Self::restore_erased) from
    /// [`insert_erased`](Self::insert_erased).
    fn insert_as(
        &mut self,
        entity: Entity,
        column: &mut ErasedColumn,
        restores: bool,
    ) -> Result<(), InsertErasedError> {
        let component = column.component();
        let at = self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        let last = column.len().checked_sub(1);
        let last = last
            .filter(|_| !column.is_of_edges())
            .and_then(|last| column.get(last));
        let value = last.ok_or(InsertErasedError::NoValue {
            component: component.name(),
        })?;
        self.storage.register(component);
        if let Some(link) = self.storage.store(component).info.link {
            // SAFETY: the column, and so the value, belongs to the component. So does `link`.
            unsafe { self.storage.check_raw(link, entity, value) }?;
        }
        #[cfg(feature = "checks")]
        // SAFETY: the column, and so the value, belongs to the component, and nothing is written meanwhile.
        unsafe { self.check_value(component, entity, value) }.map_err(InsertErasedError::Taken)?;
        let info = self.bundles.info_of_component(component, &mut self.storage);
        if calls_hooks(&self.storage, info, entity) {
            let change =
                StructuralChange::begin_one(self, (entity, at), component, Lifecycle::Replace);
            change.insert_erased((entity, at), column, restores);
            return Ok(());
        }
        let info = self.bundles.info_of_component(component, &mut self.storage);
        let storage = Frozen::of(&mut self.storage);
        let made = make_missing(storage, required(info, restores), (entity, at));
        // SAFETY: the entity was located at `at`, `info` describes the column's component, and the column has a value.
        // `made` has the values that the entity lacks: constructors have no access to the world, so nothing has changed.
        unsafe {
            insert(
                &mut self.storage,
                info,
                (entity, at),
                (column, restores),
                made,
            );
        };
        Ok(())
    }

    /// Removes a component from an entity, and drops the value: [`remove`](Self::remove) for a component of unknown type.
    /// Returns true if the entity had the component.
    ///
    /// # Errors
    /// If the entity does not exist.
    ///
    /// # Panics
    /// In the same cases as [`remove`](Self::remove).
    #[inline]
    pub fn remove_erased(
        &mut self,
        entity: Entity,
        component: ComponentId,
    ) -> Result<bool, NoSuchEntity> {
        let at = self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        let store = self.storage.component(component);
        if store.is_none_or(|store| !store.is_registered()) {
            return Ok(false);
        }
        let had = self.has_component(entity, component);
        let info = self.bundles.info_of_component(component, &mut self.storage);
        if !info.observed().has_any(LifecycleSet::REMOVAL) {
            remove::<true>(&mut self.storage, info, entity, at);
            return Ok(had);
        }
        let change = StructuralChange::begin_one(self, (entity, at), component, Lifecycle::Remove);
        let World {
            bundles, storage, ..
        } = &mut *change.world;
        let info = bundles.info_of_component(component, storage);
        remove::<true>(storage, info, entity, at);
        change.finish();
        Ok(had)
    }
}

impl StructuralChange<'_> {
    /// Continues after [`begin_one`](StructuralChange::begin_one): inserts the last value of the column, and calls hooks
    /// and observers.
    #[inline]
    fn insert_erased(
        mut self,
        (entity, at): (Entity, Location),
        column: &mut ErasedColumn,
        restores: bool,
    ) {
        let World {
            bundles, storage, ..
        } = &mut *self.world;
        let info = bundles.info_of_component(column.component(), storage);
        let required = required(info, restores);
        let made = make_and_note(storage, &mut self.events, info, required, (entity, at));
        // SAFETY: hooks move no rows, so the entity is still at `at`. `info` describes the column's component. The column
        // has a value, because only the caller can access it. `made` has the values that the entity lacks: it was made after
        // the hooks ran, and constructors have no access to the world.
        unsafe { insert(storage, info, (entity, at), (column, restores), made) };
        let is_linked = info.observed().is_linked();
        self.finish_insert(entity, is_linked);
    }
}

/// Returns the components that are created together with the bundle's component.
#[inline]
fn required(info: &BundleInfo, restores: bool) -> &Requirements {
    match restores {
        true => &[],
        false => info.requirements(),
    }
}

/// Moves the last value of a column, and all required values that were [made](make_missing) for it, into a living entity.
///
/// # Safety
/// 1. `info` describes the bundle of only the column's component, and the column has a value.
/// 2. The entity is at `from`.
/// 3. `made` has a value for each component that is [required] and that the entity lacks, and no other.
#[inline]
unsafe fn insert(
    storage: &mut Storage,
    info: &mut BundleInfo,
    (entity, from): (Entity, Location),
    (column, restores): (&mut ErasedColumn, bool),
    made: Vec<RequiredValue>,
) {
    let component = column.component();
    let target = if info.keeps_table() && required(info, restores).is_empty() {
        from.table
    } else if restores {
        storage.table_with(from.table, component)
    } else {
        info.after_insert(from.table, storage)
    };
    let is_linked = info.observed().is_linked();
    if is_linked {
        let last = column.get(column.len() - 1);
        if let Some(link) = storage.store(component).info.link
            && let Some(value) = last
        {
            // SAFETY: the value belongs to the component, and so does `link`. The component is registered.
            unsafe { storage.reserve_erased_edges(link, Some(entity), value) };
        }
        for made in &made {
            made.reserve_edges(storage, Some(entity));
        }
    }
    reserve_sets(storage, info);
    if target != from.table {
        storage.reserve_rows(target, 1);
    }
    // From here on nothing panics and no user code runs until everything is written.
    let mut drops = storage.take_drops();
    if is_linked && restores {
        let value = column.last_mut().expect("the column has a value");
        // SAFETY: the value belongs to the component. It is in a column, which is borrowed exclusively.
        unsafe { storage.unlink_changed(component, entity, value) };
    } else if is_linked {
        storage.unlink(info.components(), entity, &mut drops);
    }
    // SAFETY: a row was reserved if the table changes. By clauses 1 and 3 the new columns of the target belong to the
    // component and to the values in `made`, which are written below.
    let at = unsafe { move_to(storage, entity, from, target) };
    // SAFETY: the entity is alive and at `at`, in a table with the component unless that is sparse; then `reserve_sets` has
    // made room. The column has a value, and is borrowed until the list was run.
    unsafe { write_erased(storage, (entity, (from, at)), column, &mut drops) };
    // SAFETY: by clause 3 the entity lacked all of them, and the column's value belonged to another component. The row `at`
    // is the entity's, in a table with the required components, and `reserve_sets` made room in the sets.
    unsafe { write_all(made, storage, (entity, at)) };
    if is_linked {
        storage.link(info.sets(), entity, &mut drops);
    }
    // Drops the replaced value.
    storage.run(drops);
}

/// The error of [`World::insert_erased`]; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InsertErasedError {
    /// The entity does not exist.
    NoSuchEntity(NoSuchEntity),
    /// The column has no value, or its values are edges.
    NoValue {
        /// The name of the component.
        component: &'static str,
    },
    /// Another entity has the value, which is unique.
    Taken(ValueTaken),
    /// The value relates the entity to itself.
    Itself {
        /// The entity.
        entity: Entity,
        /// The name of the component.
        component: &'static str,
    },
    /// The value relates the entity to one of its descendants, and the relation is a tree.
    Cycle {
        /// The entity.
        source: Entity,
        /// The descendant.
        target: Entity,
        /// The name of the component.
        component: &'static str,
    },
}

impl fmt::Display for InsertErasedError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchEntity(error) => error.fmt(f),
            Self::NoValue { component } => write!(
                f,
                "the column of `{component}` has no value to insert; help: push one before"
            ),
            Self::Taken(error) => error.fmt(f),
            Self::Itself { entity, component } => {
                write!(f, "`{component}` relates entity {entity} to itself")
            }
            Self::Cycle {
                source,
                target,
                component,
            } => fmt_cycle(f, "entity", [source, target], component),
        }
    }
}

impl core::error::Error for InsertErasedError {}

impl From<NoSuchEntity> for InsertErasedError {
    #[inline]
    fn from(error: NoSuchEntity) -> Self {
        Self::NoSuchEntity(error)
    }
}

impl From<WrongEnd> for InsertErasedError {
    #[inline]
    fn from(wrong: WrongEnd) -> Self {
        let WrongEnd {
            source,
            target,
            component,
        } = wrong;
        if source == target {
            let entity = source;
            return Self::Itself { entity, component };
        }
        Self::Cycle {
            source,
            target,
            component,
        }
    }
}
