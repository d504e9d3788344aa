//! Prefabs inside of files.

use std::sync::Arc;

use ecs_engine::{Entity, World};

use super::{Prefab, PrefabError};
use crate::load::{Loader, NestedPrefab, NestedRow};
use crate::numbers::EntityNumbers;
use crate::save::{Dangling, RowTrees, Save};
use crate::template::{CloneError, Template};

impl Loader {
    /// Gives a prefab a name, so that an entity of a readable save, or of the file of another prefab, can be a copy of it.
    ///
    /// Such an entity has the key `prefab`, and is the root of the copy. Its components replace the root's components or are
    /// added to them. The same goes for its edges of a relation. `without` lists the names of components that it lacks.
    /// `parts` does the same for the other entities of the copy, by their number in the prefab, from 1 on.
    ///
    /// The other entities of copies are numbered after the list, so the numbers in a file stay valid when a prefab grows. Ids
    /// in values of the prefab point into the copy, and numbers in the file always belong to the file, even in `parts`.
    ///
    /// The loader then knows the components of the prefab. If prefabs have the same name, the last one counts. No component can
    /// have the name of one of the keys.
    ///
    /// ```
    /// use ecs_core::data::{Loader, Prefab};
    /// use ecs_core::prelude::*;
    /// use ecs_core::relation::Sources;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
    /// #[relation(data = "game.child_of", tree)]
    /// struct ChildOf;
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(data = "game.health")]
    /// struct Health(u32);
    ///
    /// let loader = Loader::new().with::<Health>().with::<Sources<ChildOf>>();
    /// let goblin = r#"{ "entities": [{ "game.health": 7 }, { "game.health": 2, "game.child_of": 0 }] }"#;
    /// let goblin = Prefab::deserialize(&loader, &mut serde_json::Deserializer::from_str(goblin))?;
    ///
    /// // A camp with a goblin, and with its chief, who has a better shield.
    /// let camp = r#"{ "entities": [
    ///     {},
    ///     { "prefab": "goblin", "game.child_of": 0 },
    ///     { "prefab": "goblin", "game.child_of": 0, "game.health": 12, "parts": { "1": { "game.health": 9 } } }
    /// ] }"#;
    /// let loader = loader.prefab("goblin", &goblin)?;
    /// let camp = Prefab::deserialize(&loader, &mut serde_json::Deserializer::from_str(camp))?;
    ///
    /// let mut world = World::new();
    /// camp.spawn(&mut world)?;
    /// let health: Vec<u32> = world.query::<&Health>().iter().map(|health| health.0).collect();
    /// assert_eq!(health, [7, 12, 2, 9]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a value of the prefab cannot be saved.
    pub fn prefab(mut self, name: impl Into<String>, prefab: &Prefab) -> Result<Self, PrefabError> {
        if let Some(name) = prefab.template.unsaved() {
            return Err(PrefabError::NotSaved { name });
        }
        let mut nested = nested(name.into(), &prefab.template)?;
        nested.paths = (0..prefab.len() as u32)
            .map(|position| prefab.path_of(position))
            .collect();
        for (data, _) in nested.rows.iter().flat_map(|row| &row.values) {
            if !self
                .types
                .iter()
                .any(|known| known.component_id() == data.component_id())
            {
                self.types.push(data);
            }
        }
        self.prefabs.push(Arc::new(nested));
        Ok(self)
    }
}

/// Returns the entities of a prefab as trees.
fn nested(name: String, template: &Template) -> Result<NestedPrefab, PrefabError> {
    let (world, ids) = alone(template).map_err(PrefabError::NotCloned)?;
    let save = Save::of(&world).dangling(Dangling::Dead);
    let RowTrees {
        entities,
        rows,
        orders,
        dead,
        ..
    } = save.row_trees().map_err(PrefabError::Save)?;
    let numbers = EntityNumbers::new(ids);
    let part = |entity: Entity| numbers.of(entity).expect("it is one of the copy");
    // Sources whose order is not saved come in the order of their numbers.
    let is_other = |sources: &[u32]| {
        let parts = sources.iter().map(|&row| part(entities[row as usize]));
        !parts.is_sorted()
    };
    let orders = orders.into_iter().map(|(data, mut orders)| {
        orders.retain(|(_, sources)| is_other(sources));
        (data, orders)
    });
    let orders = orders.filter(|(_, orders)| !orders.is_empty()).collect();
    let rows = entities
        .iter()
        .zip(rows)
        .map(|(&entity, values)| NestedRow {
            part: part(entity),
            values,
        });
    Ok(NestedPrefab {
        name,
        rows: rows.collect(),
        orders,
        dead: dead.into_iter().map(|(_, id)| id).collect(),
        paths: Vec::new(),
    })
}

/// Returns a world with one copy and nothing else, and the entities of the copy. Calls no hooks and no observers.
fn alone(template: &Template) -> Result<(World, Vec<Entity>), CloneError> {
    let mut world = World::new();
    let ids = world.next_ids(template.len())?;
    let staged = template.clone().stage(1, &ids, Vec::new())?;
    world.commit(staged, &ids)?;
    Ok((world, ids))
}
