//! The hash of a part of a world: the values of a few types.

use ecs_engine::World;
use ecs_engine::data_type::DataType;

use super::{HashError, WorldHasher};

impl WorldHasher {
    /// Returns the sum that the values of some types add to the hash of the world. O(their values), and for a relation O(values
    /// of all relations).
    pub(crate) fn of_types(
        &mut self,
        world: &World,
        types: &[&'static DataType],
    ) -> Result<u64, HashError> {
        self.select(world)?;
        let hash = self.selected_types(world, types);
        self.explained(hash)
    }

    fn selected_types(
        &mut self,
        world: &World,
        types: &[&'static DataType],
    ) -> Result<u64, HashError> {
        let mut sum = 0_u64;
        let registered = world.registered_components();
        let mut has_relation = false;
        for data in types {
            if data.is_resource() {
                sum = sum.wrapping_add(self.resource(world, data)?);
                continue;
            }
            let is_it = |other: &DataType| other.is_same(data);
            has_relation |= registered.iter().any(|id| id.relation().is_some_and(is_it));
            let mut components = registered.iter();
            if let Some(&component) = components.find(|id| id.data().is_some_and(is_it))
                && !self.without.contains(&component)
            {
                sum = sum.wrapping_add(self.of_component(world, component)?);
            }
        }
        if has_relation {
            sum = sum.wrapping_add(self.relations(world)?);
        }
        Ok(sum)
    }
}
