//! All components of one entity, by name: for debugging, editors and logs.

use alloc::vec::Vec;
use core::alloc::Layout;
use core::fmt;

use super::{ErasedRef, ErasedView};
use crate::component::{ComponentId, End, StorageKind};
use crate::data_type::DataType;
use crate::entity::Entity;
use crate::tick::Tick;
use crate::world::{BorrowError, EntityMut, EntityRef, World};

/// A component that an entity has, from [`EntityRef::components`].
#[derive(Clone, Copy)]
pub struct EntityComponent<'w> {
    world: &'w World,
    entity: Entity,
    component: ComponentId,
}

impl World {
    /// Returns the components of an entity in the [order of registration](World#order), table components first; none if
    /// the entity is not alive. A component whose values a view may insert counts as present while such a view exists.
    #[inline]
    fn components_of(&self, entity: Entity) -> Vec<ComponentId> {
        let storage = &self.storage;
        let Some(at) = storage.entities.get(entity) else {
            return Vec::new();
        };
        let mut components: Vec<_> = storage.table(at.table).components().collect();
        components.extend(self.sparse_components_of(entity));
        components
    }

    /// Returns the number of an entity's table, and its row in it; `None` if it has no row. O(1).
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn row_of(&self, entity: Entity) -> Option<(usize, usize)> {
        let at = self.storage.entities.get(entity)?;
        Some((at.table as usize, at.row as usize))
    }

    /// Returns the components of table `number`, in the order of registration.
    ///
    /// # Panics
    /// If there is no such table.
    #[doc(hidden)]
    #[inline]
    pub fn components_of_table(&self, number: usize) -> impl Iterator<Item = ComponentId> + '_ {
        self.storage.tables()[number].components()
    }

    /// Returns the sparse components of an entity, in the order of registration. A component whose values a view may insert
    /// counts as present while such a view exists.
    #[doc(hidden)]
    #[inline]
    pub fn sparse_components_of(&self, entity: Entity) -> impl Iterator<Item = ComponentId> + '_ {
        let sparse = self.storage.sparse_of(entity);
        sparse.filter(move |&component| {
            let view = self.try_view_erased(component);
            view.map_or(true, |view| view.contains(entity))
        })
    }
}

impl<'w> EntityRef<'w> {
    /// Returns the entity's components in the [order of registration](World#order), table components first. O(components
    /// of the entity).
    ///
    /// An [`EntityRef`] prints them: `{:?}` and `{:#?}` show the name of each component, and its value if it is
    /// [`data`](crate::component::Component) or an end of a relation.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(name = "game.position")]
    /// struct Position(f32, f32);
    /// #[derive(Component)]
    /// #[component(name = "game.stunned", storage = "sparse")]
    /// struct Stunned;
    ///
    /// let mut world = World::new();
    /// let hero = world.spawn((Position(1.0, 2.0), Stunned));
    /// let hero = world.entity(hero).unwrap();
    /// let sizes = hero.components().map(|component| (component.name(), component.layout().size()));
    /// assert!(sizes.eq([("game.position", 8), ("game.stunned", 0)]));
    /// assert_eq!(format!("{hero:?}"), "0v1 {game.position: .., game.stunned: ..}");
    /// ```
    #[inline]
    pub fn components(&self) -> impl Iterator<Item = EntityComponent<'w>> + use<'w> {
        let (world, entity) = (self.world(), self.id());
        let components = world.components_of(entity).into_iter();
        components.map(move |component| EntityComponent {
            world,
            entity,
            component,
        })
    }
}

impl EntityMut<'_> {
    /// Returns the entity's components; see [`EntityRef::components`]. There are none if a hook's command has despawned it.
    #[inline]
    pub fn components(&self) -> impl Iterator<Item = EntityComponent<'_>> {
        let entity = self.world().entity(self.id()).into_iter();
        entity.flat_map(|entity| entity.components())
    }
}

impl<'w> EntityComponent<'w> {
    /// Returns the id of the component.
    #[must_use]
    #[inline]
    pub fn id(&self) -> ComponentId {
        self.component
    }

    /// Returns the name that the component was given, or its type's full path.
    #[must_use]
    #[inline]
    pub fn name(&self) -> &'static str {
        self.component.name()
    }

    /// Returns the size and alignment of the value.
    #[must_use]
    #[inline]
    pub fn layout(&self) -> Layout {
        self.component.layout()
    }

    /// Returns where the value is stored.
    #[must_use]
    #[inline]
    pub fn storage(&self) -> StorageKind {
        self.component.info().storage
    }

    /// Returns the tick at which the entity got the component; `None` if it is not tracked, or borrowed for writing.
    #[must_use]
    #[inline]
    pub fn added(&self) -> Option<Tick> {
        self.with_value(|value| value.added()).ok()??
    }

    /// Returns the tick at which the value last changed; `None` if it is not tracked, or borrowed for writing.
    #[must_use]
    #[inline]
    pub fn changed(&self) -> Option<Tick> {
        self.with_value(|value| value.changed()).ok()??
    }

    /// Borrows the component of all entities, to read the value with [`ErasedView::get`].
    ///
    /// # Errors
    /// If it is borrowed for writing.
    #[inline]
    pub fn view(&self) -> Result<ErasedView<'w>, BorrowError> {
        self.world.try_view_erased(self.component)
    }

    /// Calls a function with the value; `None` if the entity has lost it since.
    #[inline]
    fn with_value<R>(&self, f: impl FnOnce(ErasedRef<'_>) -> R) -> Result<Option<R>, BorrowError> {
        Ok(self.view()?.get(self.entity).map(f))
    }

    /// Prints the entities that an end of a relation leads to.
    #[inline]
    fn debug_end(&self, end: End, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let storage = &self.world.storage;
        match end {
            End::Target { .. } => match storage.target_link(self.component, self.entity) {
                Some(link) => write!(f, "{}", link.target),
                None => f.write_str("none"),
            },
            End::Targets { .. } | End::Sources { .. } => {
                let list = storage.list(self.component, self.entity).into_iter();
                let ends = list.flat_map(|list| list.edges().map(|(_, end)| end));
                f.debug_list().entries(ends).finish()
            }
        }
    }
}

/// Prints the value by its `Debug` if the component is data, the related entities if it is an end of a relation, and
/// otherwise `..`.
impl fmt::Debug for EntityComponent<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.component.info();
        let printed = self.with_value(|value| match (info.link, self.component.data()) {
            (Some(link), _) => self.debug_end(link.end, f),
            (None, Some(data)) => debug_value(data, value, f),
            (None, None) => f.write_str(".."),
        });
        match printed {
            Ok(Some(result)) => result,
            Ok(None) => f.write_str("none"),
            Err(_) => f.write_str("<borrowed for writing>"),
        }
    }
}

#[inline]
fn debug_value(data: &DataType, value: ErasedRef<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    // SAFETY: `ComponentId::data` returned the description, which it has compared with the component's type; `value` is one
    // of the component, and not written as long as the reference lives.
    unsafe { data.debug_value(value.as_ptr(), f) }
}

/// Prints a name without quotes.
pub(super) struct Unquoted(pub(super) &'static str);

impl fmt::Debug for Unquoted {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Prints the id and all components: `7v1 {game.health: Health(3), game.dead: ..}`.
impl fmt::Debug for EntityRef<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.id())?;
        let components = self.components();
        let entries = components.map(|component| (Unquoted(component.name()), component));
        f.debug_map().entries(entries).finish()
    }
}

/// Prints the id and all components, like [`EntityRef`].
impl fmt::Debug for EntityMut<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.world().entity(self.id()) {
            Ok(entity) => entity.fmt(f),
            Err(error) => error.fmt(f),
        }
    }
}
