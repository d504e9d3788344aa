//! Views of components whose types are not known: values as pointers.

use core::alloc::Layout;
use core::fmt;

use super::erased_values::{ErasedChunk, ErasedChunkMut, ErasedMut, ErasedRef, ValueColumn};
use super::raw::{RawExclusive, RawShared, Viewed};
use crate::component::ComponentId;
use crate::entity::{Entity, Location, TableId};
use crate::storage::{ComponentStore, Frozen, OccupiedTables, Storage};
use crate::world::{BorrowError, World};

/// All values of one component, borrowed for reading, without their type.
///
/// Made by [`World::view_erased`], for code that knows a component by its [`ComponentId`] alone: editors, save games,
/// scripts. Each value is a pointer, or a reference if its type is known where it is used.
///
/// ```
/// use ecs_core::component::ComponentId;
/// use ecs_core::prelude::*;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// let hero = world.spawn(Health(3));
/// let health = ComponentId::of::<Health>();
///
/// let view = world.view_erased(health);
/// assert_eq!((view.len(), view.layout().size()), (1, 4));
/// let value = view.get(hero).unwrap();
/// // SAFETY: the component is `Health`, and the view is alive.
/// assert_eq!(unsafe { &*value.as_ptr().cast::<Health>() }, &Health(3));
/// assert_eq!(value.downcast::<Health>(), Some(&Health(3)));
/// assert!(world.try_view_mut::<Health>().is_err());
/// ```
pub struct ErasedView<'w> {
    component: ComponentId,
    /// Invariant 1: belongs to the store of `component`, and is borrowed for reading during `'w`; or the code that has the
    /// view uses it only for values that are not written during `'w`.
    raw: RawShared<'w>,
}

/// All values of one component, borrowed for writing, without their type.
///
/// Made by [`World::view_erased_mut`]. The ends of a relation are only read through it because the world keeps them
/// consistent.
///
/// ```
/// use ecs_core::component::ComponentId;
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// let hero = world.spawn(Health(3));
///
/// let mut view = world.view_erased_mut(ComponentId::of::<Health>());
/// view.get_mut(hero).unwrap().downcast::<Health>().unwrap().0 += 1;
/// for mut chunk in view.chunks_mut() {
///     let first = chunk.as_mut_ptr().cast::<Health>();
///     for row in 0..chunk.len() {
///         // SAFETY: the component is `Health`, the chunk has the row, and the view is borrowed exclusively.
///         unsafe { (*first.add(row)).0 *= 2 };
///     }
/// }
/// drop(view);
/// assert_eq!(world.get::<Health>(hero).unwrap().0, 8);
/// ```
pub struct ErasedViewMut<'w> {
    component: ComponentId,
    /// Invariant 1: belongs to the store of `component`, and is borrowed for writing by this view alone during `'w`; or the
    /// code that has the view uses it only for values that no other code accesses during `'w`.
    raw: RawExclusive<'w>,
}

impl World {
    /// Borrows all values of a component for reading, without their type.
    ///
    /// # Panics
    /// If the component is borrowed for writing; [`try_view_erased`](Self::try_view_erased) returns an error instead.
    #[track_caller]
    #[must_use]
    #[inline]
    pub fn view_erased(&self, component: ComponentId) -> ErasedView<'_> {
        self.try_view_erased(component)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Borrows all values of a component for reading, without their type. O(1).
    ///
    /// # Errors
    /// If the component is borrowed for writing by another view, query or reference.
    #[inline]
    pub fn try_view_erased(&self, component: ComponentId) -> Result<ErasedView<'_>, BorrowError> {
        let raw = self.view_raw(Viewed::of_id(component), None)?;
        // SAFETY: the raw view is of this component, and holds a borrow for reading.
        Ok(unsafe { ErasedView::of(component, raw) })
    }

    /// Borrows all values of a component for writing, without their type.
    ///
    /// # Panics
    /// If the component is borrowed; [`try_view_erased_mut`](Self::try_view_erased_mut) returns an error instead.
    #[track_caller]
    #[must_use]
    #[inline]
    pub fn view_erased_mut(&self, component: ComponentId) -> ErasedViewMut<'_> {
        self.try_view_erased_mut(component)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Borrows all values of a component for writing, without their type. O(1).
    ///
    /// # Errors
    /// If the component is borrowed by another view, query or reference.
    #[inline]
    pub fn try_view_erased_mut(
        &self,
        component: ComponentId,
    ) -> Result<ErasedViewMut<'_>, BorrowError> {
        let raw = self.view_mut_raw(Viewed::of_id(component), None)?;
        // SAFETY: the raw view is of this component, and holds a borrow for writing.
        Ok(unsafe { ErasedViewMut::of(component, raw) })
    }
}

impl<'w> ErasedView<'w> {
    /// # Safety
    /// `raw` belongs to the store of `component`, and holds a borrow of it, or another owner holds such a borrow during
    /// `'w`, or the caller uses the view only for values that are not written during `'w`. No view inserts or removes
    /// values during `'w`.
    #[inline]
    pub(crate) unsafe fn of(component: ComponentId, raw: RawShared<'w>) -> Self {
        Self { component, raw }
    }

    /// Returns the chunk that has the entity's value, and the row of the value there. O(1).
    #[cfg(feature = "data")]
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn chunk_and_row(&self, entity: Entity) -> Option<(ErasedChunk<'_>, usize)> {
        let (column, row) = self.column_of(entity)?;
        // SAFETY: the component is borrowed by invariant 1, and the view is borrowed as long as the chunk, so values are
        // neither written nor moved.
        Some((unsafe { ErasedChunk::new(column) }, row))
    }
}

impl<'w> ErasedViewMut<'w> {
    /// # Safety
    /// `raw` belongs to the store of `component`, and holds a borrow of it, or another owner holds such a borrow during
    /// `'w` and does not use it, or the caller uses the view only for values that no other code accesses during `'w`.
    /// No other view inserts or removes values during `'w`.
    #[inline]
    pub(crate) unsafe fn of(component: ComponentId, raw: RawExclusive<'w>) -> Self {
        Self { component, raw }
    }

    /// Returns the entity's value for writing. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, entity: Entity) -> Option<ErasedMut<'_>> {
        let window = self.raw.window;
        let (column, row) = self.column_of(entity)?;
        // SAFETY: the component is borrowed for writing by this view alone (invariant 1), which is borrowed exclusively
        // as long as the result.
        Some(unsafe { ErasedMut::new(column.at(row), window) })
    }

    /// Like [`get_mut`](Self::get_mut), for an entity at a location.
    ///
    /// # Safety
    /// `at` is the location of the entity. As long as the result lives, the value and its ticks are accessed through it
    /// alone.
    #[inline]
    pub(crate) unsafe fn get_unlocked_at(
        &self,
        entity: Entity,
        at: Location,
    ) -> Option<ErasedMut<'_>> {
        let window = self.raw.window;
        let (column, row) = self.column_at(entity, at)?;
        // SAFETY: the value and its ticks are accessed through the result alone, by the caller's contract.
        Some(unsafe { ErasedMut::new(column.at(row), window) })
    }

    /// Iterates over all values for writing, one table after the other, or the sparse set.
    #[inline]
    pub fn chunks_mut(&mut self) -> impl Iterator<Item = ErasedChunkMut<'_>> {
        let window = self.raw.window;
        // SAFETY: the component is borrowed for writing by this view alone (invariant 1), which is borrowed exclusively
        // as long as the chunks; each column is returned once.
        self.columns()
            .map(move |column| unsafe { ErasedChunkMut::new(column, window) })
    }
}

/// Implements the methods that both views share: reading.
macro_rules! erased {
    ($($view:ident)*) => {$(
        impl $view<'_> {
            /// Returns the component.
            #[inline]
            #[must_use]
            pub fn component(&self) -> ComponentId {
                self.component
            }

            /// Returns the size and alignment of a value.
            #[inline]
            #[must_use]
            pub fn layout(&self) -> Layout {
                self.component.layout()
            }

            /// Returns the number of values. O(tables that have the component).
            #[inline]
            #[must_use]
            pub fn len(&self) -> usize {
                self.columns().map(|column| column.entities.len()).sum()
            }

            /// Returns true if there is no value.
            #[inline]
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.columns().next().is_none()
            }

            /// Returns true if the entity has a value. O(1).
            #[inline]
            #[must_use]
            pub fn contains(&self, entity: Entity) -> bool {
                self.column_of(entity).is_some()
            }

            /// Returns the entity's value. O(1).
            #[inline]
            #[must_use]
            pub fn get(&self, entity: Entity) -> Option<ErasedRef<'_>> {
                let (column, row) = self.column_of(entity)?;
                // SAFETY: the component is borrowed by invariant 1, and the view is borrowed as long as the result, so
                // values are neither written nor moved.
                Some(unsafe { ErasedRef::new(column.at(row)) })
            }

            /// Returns the value of the entity at the location.
            #[inline]
            pub(crate) fn get_at(&self, entity: Entity, at: Location) -> Option<ErasedRef<'_>> {
                let (column, row) = self.column_at(entity, at)?;
                // SAFETY: as in `get`.
                Some(unsafe { ErasedRef::new(column.at(row)) })
            }

            /// Returns the store of the component, whose values stay where they are as long as the view is borrowed.
            #[inline]
            pub(crate) fn frozen(&self) -> Option<Frozen<'_, ComponentStore>> {
                // SAFETY: as in `columns`.
                self.raw.store.map(|store| unsafe { Frozen::new(store) })
            }

            /// Returns true if the entities of a table have values, and false if they have none; `None` if values are found by
            /// entity.
            pub(crate) fn is_in_table(&self, table: TableId) -> Option<bool> {
                match self.raw.store {
                    None => Some(false),
                    Some(store) if store.info.storage.is_by_entity() => None,
                    Some(store) => Some(!store.column(table).is_null()),
                }
            }

            /// Iterates over all values, one table after the other, or the sparse set.
            #[inline]
            pub fn chunks(&self) -> impl Iterator<Item = ErasedChunk<'_>> {
                // SAFETY: the component is borrowed by invariant 1, and the view is borrowed as long as the chunks, so
                // values are neither written nor moved.
                self.columns().map(|column| unsafe { ErasedChunk::new(column) })
            }

            /// Returns a pointer to the first value in table `number`; the values of the other rows follow. `None` if the
            /// table has no values. The pointer is valid for reading as long as the view is borrowed.
            #[doc(hidden)]
            #[inline]
            #[must_use]
            pub fn first_of_table(&self, number: usize) -> Option<*const u8> {
                let column = self.raw.store?.column(number.try_into().ok()?);
                (!column.is_null()).then_some(column.cast_const())
            }

            /// Returns the storage.
            #[inline]
            pub(crate) fn storage(&self) -> &Storage {
                self.raw.storage
            }

            /// Returns the store of the component; `None` if it has no values.
            #[inline]
            pub(crate) fn store(&self) -> Option<&ComponentStore> {
                self.raw.store
            }

            /// Returns the entities of the sparse set; `None` if the component is stored in tables, or has no store.
            #[inline]
            pub(crate) fn list(&self) -> Option<&[Entity]> {
                let store = self.columns().store?;
                let is_set = store.info.storage.is_by_entity();
                is_set.then(|| store.set().entities())
            }

            #[inline]
            fn columns(&self) -> Columns<'_> {
                // SAFETY: the component is borrowed as long as the view, and no view inserts or removes values through
                // this one (invariant 1).
                unsafe { Columns::new(self.component, self.raw.storage, self.raw.store) }
            }

            #[inline]
            fn column_of(&self, entity: Entity) -> Option<(ValueColumn<'_>, usize)> {
                self.column_at(entity, self.raw.storage.entities.get(entity)?)
            }

            #[inline]
            fn column_at(&self, entity: Entity, at: Location) -> Option<(ValueColumn<'_>, usize)> {
                let store = self.frozen()?;
                find(self.component, self.raw.storage, store, entity, at)
            }
        }

        impl fmt::Debug for $view<'_> {
            #[inline]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($view), "<{}>({} values)"), self.component.name(), self.len())
            }
        }
    )*};
}

erased!(ErasedView ErasedViewMut);

/// Iterator over the columns of a component that have values.
struct Columns<'a> {
    component: ComponentId,
    storage: &'a Storage,
    /// Invariant 1: the store of `component`. No value is inserted into its set or removed from it for `'a`.
    store: Option<Frozen<'a, ComponentStore>>,
    tables: OccupiedTables<'a>,
    /// True while the sparse set is still to come.
    set: bool,
}

impl<'a> Columns<'a> {
    /// # Safety
    /// `store` is the store of `component` in `storage`. No value is inserted into its set or removed from it for `'a`.
    #[inline]
    unsafe fn new(
        component: ComponentId,
        storage: &'a Storage,
        store: Option<&'a ComponentStore>,
    ) -> Self {
        let tables = match store {
            Some(store) => storage.occupied(store.tables().blocks()),
            None => OccupiedTables::none(),
        };
        Self {
            component,
            storage,
            // SAFETY: no value is inserted or removed, by the caller's contract.
            store: store.map(|store| unsafe { Frozen::new(store) }),
            tables,
            set: store.is_some_and(|store| store.info.storage.is_by_entity()),
        }
    }
}

/// Returns the column of a component that has the value of the entity at a location, and its row there.
#[inline]
fn find<'a>(
    component: ComponentId,
    storage: &'a Storage,
    store: Frozen<'a, ComponentStore>,
    entity: Entity,
    at: Location,
) -> Option<(ValueColumn<'a>, usize)> {
    let kind = store.info.storage;
    let (values, row) = store.find(kind, entity, at)?;
    let table = (!kind.is_by_entity()).then_some(at.table);
    let entities = match table {
        Some(table) => storage.table(table).entities(),
        None => store.set().entities(),
    };
    let ticks = (store.info.tracked).then(|| store.first_ticks(kind, true, at.table));
    let column = ValueColumn {
        component,
        layout: store.info.layout,
        clock: &storage.clock,
        table,
        entities,
        values,
        ticks,
    };
    Some((column, row))
}

impl<'a> Iterator for Columns<'a> {
    type Item = ValueColumn<'a>;

    #[inline]
    fn next(&mut self) -> Option<ValueColumn<'a>> {
        let entity = if core::mem::take(&mut self.set) {
            *self.store?.set().entities().first()?
        } else {
            let tables = &mut self.tables;
            *tables.find_map(|table| self.storage.table(table).entities().first())?
        };
        let at = self.storage.entities.get(entity)?;
        let found = find(self.component, self.storage, self.store?, entity, at);
        found.map(|(column, _)| column)
    }
}
