//! The entities above a row.

use ecs_data::__private::check_component;
use ecs_data::{Value, WorldData};
use ecs_engine::component::ComponentId;
use ecs_engine::staging::RelationInfo;
use ecs_engine::tree::Name;
use ecs_engine::{Entity, World};

use super::rows::{MOST_COLUMNS, too_many_columns};
use crate::inspector::call::CallContext;
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values;

/// The levels that are shown.
const MOST_LEVELS: usize = 32;

/// The way to the ancestors of an entity, and the components that name them.
pub(super) struct RowAncestors {
    /// `None` if they are not wanted.
    names: Option<Vec<String>>,
    trees: Vec<RelationInfo>,
}

impl RowAncestors {
    /// Reads the parameter: true, or a list of components that may name an entity.
    pub(super) fn of(context: &CallContext<'_>, params: &Params) -> Result<Self, RpcError> {
        let names = match params.get("ancestors") {
            None | Some(Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(vec![ComponentId::of::<Name>().name()]),
            Some(_) => Some(params.texts("ancestors")?),
        };
        for name in names.iter().flatten() {
            // Hidden ones name nothing.
            if context.shown(name).is_ok() {
                check_component(context.world(), name)?;
            }
        }
        let names = match names {
            Some(names) if names.len() > MOST_COLUMNS => return Err(too_many_columns()),
            names => names,
        };
        let (world, hidden) = (context.world(), &context.state.hidden);
        let mut trees = match names {
            Some(_) => world.relations(),
            None => Vec::new(),
        };
        trees.retain(|tree| {
            tree.is_tree() && !tree.is_many() && !hidden.has_component(tree.outgoing())
        });
        let shown = |names: Vec<&str>| {
            let shown = names.into_iter().filter(|name| !hidden.has(world, name));
            shown.map(str::to_owned).collect()
        };
        let names = names.map(shown);
        Ok(Self { names, trees })
    }

    /// Returns the part of a row: the ancestors, the nearest one first.
    pub(super) fn above(
        &self,
        context: &CallContext<'_>,
        entity: Entity,
    ) -> Option<(Value, Value)> {
        let (names, world) = (self.names.as_ref()?, context.world());
        let mut above = Vec::new();
        let mut last = entity;
        while let Some(parent) = self
            .parent(world, last)
            .filter(|_| above.len() < MOST_LEVELS)
        {
            let name = names.iter().find_map(|name| {
                let value = values::read_beside(|| Ok(world.get_by_name(parent, name)?));
                value.ok().flatten()
            });
            above.push(object([
                ("entity", context.id(parent)),
                ("name", name.unwrap_or_default()),
            ]));
            last = parent;
        }
        Some(("ancestors".into(), Value::List(above)))
    }

    fn parent(&self, world: &World, entity: Entity) -> Option<Entity> {
        let mut trees = self.trees.iter();
        trees.find_map(|tree| Some(world.targets_erased(tree, entity).next()?.0))
    }
}
