//! The tables and the components of a world, and the data types that it knows.

use alloc::vec::Vec;

use super::World;
use crate::bundle::required_by;
use crate::component::ComponentId;
use crate::data_type::DataType;
use crate::entity::Entity;
#[cfg(feature = "data")]
use crate::meta::ConstTypeId;
use crate::meta::ParamInfo;

impl World {
    /// Tells the world about a data type. A schedule does so for all types that its systems name.
    #[doc(hidden)]
    #[inline]
    pub fn make_data_known(&mut self, data: &'static DataType) {
        let mut known = self.data_types.iter();
        if known.all(|known| !known.is_same(data)) {
            self.data_types.push(data);
        }
    }

    /// Tells the world about a type whose values snapshots copy, although it is not data.
    #[doc(hidden)]
    #[inline]
    pub fn make_copied_known(&mut self, data: &'static DataType) {
        let mut known = self.copied_types.iter_mut();
        match known.find(|known| known.is_same(data)) {
            // The program has named the type since.
            Some(known) if !known.is_known_to_bytes() => *known = data,
            Some(_) => {}
            None => self.copied_types.push(data),
        }
    }

    /// Tells the world about the data of a type that a system names: the data type of the type itself, and its required
    /// components.
    #[cfg(feature = "data")]
    #[inline]
    pub(crate) fn make_type_known(&mut self, ident: &ConstTypeId) {
        ident.for_each_data(&mut |data| self.make_data_known(data));
    }

    /// Tells the world about all data that the parameters of a system name. Does nothing without the feature `data`.
    #[inline]
    pub(crate) fn make_params_known(&mut self, params: &'static [ParamInfo]) {
        #[cfg(feature = "data")]
        for param in params {
            let access = param.of.access;
            access.for_each_type(&mut |ident| self.make_type_known(ident));
        }
        #[cfg(not(feature = "data"))]
        let _ = params;
    }

    /// Returns all tables, including empty ones, in the order of loops: the entities in row order, and the components. An entity
    /// is in the table of the components that it has, apart from those in sparse sets; [disabled](crate::Disabled) ones are there, too,
    /// and reserved ones are not before the next [`flush`](Self::flush). O(tables).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Tree;
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..7).map(|_| Tree));
    /// let sizes: Vec<usize> = world.all_tables().map(|(entities, _)| entities.len()).collect();
    /// assert_eq!(sizes, [0, 7]);
    /// ```
    #[inline]
    pub fn all_tables(&self) -> impl Iterator<Item = (&[Entity], Vec<ComponentId>)> {
        let tables = self.storage.tables().iter();
        tables.map(|table| (table.entities(), table.components().collect()))
    }

    /// Returns the registered components in the order of registration: by [`register`](Self::register), or because an entity had one.
    /// O(component types of the process).
    ///
    /// ```
    /// use ecs_core::component::ComponentId;
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Tree;
    ///
    /// let mut world = World::new();
    /// world.spawn(Tree);
    /// assert!(world.registered_components().contains(&ComponentId::of::<Tree>()));
    /// ```
    #[must_use]
    #[inline]
    pub fn registered_components(&self) -> Vec<ComponentId> {
        self.storage.registered_components()
    }

    /// Returns data types: first of the registered components, their required components, and relations, in the order of
    /// registration; then of the types that schedules have named. A type may occur twice.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn data_types(&self) -> Vec<&'static DataType> {
        let registered = self.storage.registered_components().into_iter();
        let known = registered.flat_map(|id| {
            let required = required_by(&[id]).into_iter().map(|(id, _)| id);
            core::iter::once(id).chain(required)
        });
        let known = known.filter_map(|id| id.data().or(id.relation()));
        known.chain(self.data_types.iter().copied()).collect()
    }
}
