//! Types that the inspector does not show.

use std::any::{TypeId, type_name};

use ecs_data::{CatalogType, TextQuery, WorldData};
use ecs_engine::World;
use ecs_engine::data_type::DataType;
use ecs_engine::world::hooks::ListedObserver;

use super::error::RpcError;
use super::values::shown_name;

/// The types that are hidden, with their paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct HiddenTypes(Vec<(TypeId, &'static str)>);

impl HiddenTypes {
    pub(crate) fn add<T: 'static>(&mut self) {
        self.0.push((TypeId::of::<T>(), type_name::<T>()));
    }

    fn has_data(&self, data: &DataType) -> bool {
        let is_it = |id: TypeId| id == data.type_id() || Some(id) == data.event_type();
        self.0.iter().any(|(id, _)| is_it(*id))
    }

    /// Returns true if the event of an observer is hidden, or its component.
    pub(crate) fn has_event(&self, world: &World, observer: &ListedObserver) -> bool {
        let component = observer.component;
        let name = component.map(|component| shown_name(component).unwrap_or(component.name()));
        self.has(world, name.unwrap_or(observer.event))
    }

    /// Returns true if a type of this name is hidden.
    pub(crate) fn has(&self, world: &World, name: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let is_named = |data: &DataType| data.name() == name || data.aliases().contains(&name);
        let mut data = world.data_types().into_iter();
        data.any(|data| is_named(data) && self.has_data(data))
            || self.0.iter().any(|(_, path)| *path == name)
    }

    /// # Errors
    /// If the type is hidden: the same as for a type that does not exist.
    pub(crate) fn check(&self, world: &World, name: &str) -> Result<(), RpcError> {
        match self.has(world, name) {
            true => Err(RpcError::new(
                RpcError::COMPONENT,
                format!("`{name}` is hidden from the inspector"),
            )),
            false => Ok(()),
        }
    }

    /// # Errors
    /// If the query tests a component that is hidden.
    pub(crate) fn check_query(&self, world: &World, query: &TextQuery) -> Result<(), RpcError> {
        let terms = query.query().terms().iter().map(|term| term.component());
        let columns = query.columns().iter().map(|column| column.component());
        for component in terms.chain(columns) {
            self.check(world, component.name())?;
        }
        Ok(())
    }

    /// Returns the types that the world knows and that are shown.
    pub(crate) fn catalog(&self, world: &World) -> Vec<CatalogType> {
        let mut all = world.data_catalog();
        all.retain(|known| !self.has(world, known.name()));
        all
    }
}
