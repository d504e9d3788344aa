//! Prefabs that files name.

use std::sync::Arc;

use ecs_engine::World;
use ecs_engine::data_type::DataType;

use super::Prefab;
use crate::Value;
use crate::load::{Loader, NestedPrefab, Orders};
use crate::save::{Dangling, Save};

impl Loader {
    /// Adds a prefab that saves and prefabs in readable formats can name, and its types. One of the same name is replaced.
    ///
    /// A row with the key `prefab` is the root of a copy. Its components, and its edges of each relation, replace those of the root
    /// or are added; `without` is a list of those that it does not have. `parts` has the same for the other entities by their numbers
    /// in the prefab, in which the root is 0. They are numbered behind the entities of the file, so numbers in the file stay.
    ///
    /// ```
    /// use ecs_core::data::{Loader, Prefab};
    /// use ecs_core::prelude::*;
    /// use ecs_core::relation::Sources;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
    /// #[relation(data = "child_of", tree)]
    /// struct ChildOf;
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(data = "health")]
    /// struct Health(u32);
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(data = "damage")]
    /// struct Damage(u32);
    ///
    /// let read = |loader: &Loader, file: &str| {
    ///     Prefab::deserialize(loader, &mut serde_json::Deserializer::from_str(file))
    /// };
    /// let loader = Loader::new().with::<Health>().with::<Damage>().with::<Sources<ChildOf>>();
    /// // A goblin with its spear; and a cart with two of them, of which the second has more health, and no point on its spear.
    /// let goblin = read(&loader, r#"{ "entities": [{ "health": 7 }, { "damage": 3, "child_of": 0 }] }"#)?;
    /// let loader = loader.prefab("goblin", &goblin);
    /// let cart = read(&loader, r#"{ "entities": [
    ///     {},
    ///     { "prefab": "goblin", "child_of": 0 },
    ///     { "prefab": "goblin", "child_of": 0, "health": 9, "parts": { "1": { "without": ["damage"] } } }
    /// ] }"#)?;
    ///
    /// let mut world = World::new();
    /// let cart = cart.spawn(&mut world)?;
    /// assert_eq!(world.descendants::<ChildOf>(cart).count(), 4);
    /// let mut health: Vec<u32> = world.query::<&Health>().iter().map(|health| health.0).collect();
    /// health.sort();
    /// assert_eq!(health, [7, 9]);
    /// assert_eq!(world.query::<&Damage>().iter().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A component that is called `prefab`, `parts` or `without` itself, and that the loader knows, takes the place of that key.
    ///
    /// # Panics
    /// If a component of the prefab cannot be saved (`no_serde`), or the `Serialize` of a value fails.
    #[must_use]
    #[track_caller]
    pub fn prefab(self, name: &str, prefab: &Prefab) -> Self {
        match prefab.nested(name) {
            Ok(nested) => self.nested(nested),
            Err(message) => panic!("the prefab `{name}` cannot be part of files: {message}"),
        }
    }
}

impl Prefab {
    /// Returns the prefab as rows, for files that name it.
    fn nested(&self, name: &str) -> Result<NestedPrefab, String> {
        let world = self.to_world().map_err(|error| error.to_string())?;
        if let Some(lost) = not_saved(&world) {
            return Err(format!("`{lost}` cannot be saved"));
        }
        let save = Save::of(&world).dangling(Dangling::Dead);
        let save = save.without_resources();
        let entities = save.numbered().map_err(|error| error.to_string())?;
        let (mut rows, mut orders) = (Vec::new(), Orders::new());
        let tree = Value::of(&save).map_err(|error| error.to_string())?;
        for (key, part) in tree.as_map().unwrap_or_default() {
            match key.as_str() {
                Some("entities") => {
                    let list = part.as_list().unwrap_or_default();
                    rows.extend(list.iter().map(row_of));
                }
                Some("orders") => orders = part.to().map_err(|error| error.to_string())?,
                _ => {}
            }
        }
        Ok(NestedPrefab {
            name: name.to_owned(),
            rows: Arc::new(rows),
            // The world has nothing else, so indices are numbers in the prefab.
            parts: Arc::new(entities.iter().map(|entity| entity.index()).collect()),
            orders: Arc::new(orders),
            types: world.data_types(),
        })
    }
}

fn row_of(tree: &Value) -> Vec<(String, Value)> {
    let entries = tree.as_map().unwrap_or_default().iter();
    let named =
        entries.filter_map(|(name, value)| Some((name.as_str()?.to_owned(), value.clone())));
    named.collect()
}

/// Returns the name of a component or relation that a world has and a save does not.
fn not_saved(world: &World) -> Option<&'static str> {
    let is_lost = |data: Option<&DataType>| data.is_some_and(|data| data.codec().is_none());
    for component in world.registered_components() {
        if is_lost(component.data()) && !component.is_end() {
            let view = world.try_view_erased(component).ok()?;
            if view.chunks().any(|chunk| !chunk.entities().is_empty()) {
                return Some(component.name());
            }
        }
    }
    let mut relations = world.relations().into_iter();
    let found = relations.find(|relation| {
        is_lost(relation.data()) && !world.sources_of_relation(relation).is_empty()
    });
    found.map(|relation| relation.outgoing().name())
}
