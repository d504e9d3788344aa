//! Checking that a save can be loaded.

use std::collections::HashMap;
use std::fmt;

use ecs_engine::entity::dead::of_number;
use ecs_engine::{Entity, World};

use crate::Value;
use crate::diff::{DiffError, Differ, FieldChange, ValueChange, fields_of, is_same_tree};
use crate::load::{Loaded, Loader, Unknown};
use crate::numbers::EntityNumbers;
use crate::save::{Dangling, RowTrees, Save, SaveError};

/// The difference between a world and its save.
#[derive(Debug)]
#[non_exhaustive]
pub enum VerifyError {
    /// The world cannot be saved.
    Save(SaveError),
    /// The written save cannot be loaded.
    Load {
        /// The error of the load, which names the value.
        message: String,
    },
    /// The loaded world has a different number of entities.
    Entities {
        /// The number of entities that were saved.
        saved: usize,
        /// The number of entities that came back.
        loaded: usize,
    },
    /// A value is different in the loaded world, or missing.
    Value {
        /// The entity of the world that was saved; `None` for a resource.
        entity: Option<Entity>,
        /// The name of the component, relation or resource.
        name: String,
        /// The difference.
        message: String,
    },
    /// The values cannot be compared.
    Compare(DiffError),
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Save(error) => error.fmt(f),
            Self::Load { message } => write!(f, "the save cannot be loaded: {message}"),
            Self::Entities { saved, loaded } => write!(
                f,
                "{saved} entities were saved, and {loaded} came back; help: pass the bytes of this save, of the same world"
            ),
            Self::Value {
                entity,
                name,
                message,
            } => {
                match entity {
                    Some(entity) => write!(f, "entity {entity}, `{name}`: {message}")?,
                    None => write!(f, "resource `{name}`: {message}")?,
                }
                f.write_str("; help: make its `Serialize` and `Deserialize` agree in this format; `skip_serializing_if` needs a `default`, and `untagged` and `flatten` confuse values that look alike")
            }
            Self::Compare(error) => write!(f, "the loaded world cannot be compared: {error}"),
        }
    }
}

impl std::error::Error for VerifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Save(error) => Some(error),
            Self::Compare(error) => Some(error),
            _ => None,
        }
    }
}

/// Checks after writing.
impl Save<'_> {
    /// Checks that [the written bytes](Self::to_vec) load as the saved world: before they replace the last good save, say.
    ///
    /// serde leaves it to each type to read its own output. Some types do not, and only a load would show it: a field that is
    /// skipped when it is written and not when it is read, a number of 128 bits in an enum with a `tag`. This loads the bytes
    /// into a world that is dropped afterwards, and compares. It calls no hook or observer, because they may need things that
    /// that world lacks, or change values.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.name")]
    /// struct Label(String);
    ///
    /// let mut world = World::new();
    /// world.spawn(Label("a".into()));
    /// let save = world.save();
    /// let bytes = save.to_vec()?;
    /// save.verify(&bytes)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Takes as long as a load and a [comparison](Differ) of two worlds, several times as long as the save, and memory for two
    /// more worlds. Relations and resources are compared by saving them in columns after a load. The order of lists does not
    /// count, because sets are written in any order, and events are not compared. Values that a type never writes, such as a
    /// field with `#[serde(skip)]`, are not missed. An entity with a [key](Save::map_ids) becomes an empty entity in the world
    /// that loads the save, and two with the same key come back as one, which is an error.
    ///
    /// # Errors
    /// See [`VerifyError`].
    pub fn verify(&self, bytes: &[u8]) -> Result<(), VerifyError> {
        self.verify_by(|loader, world| loader.load_bytes(world, bytes))
    }

    /// Like [`verify`](Self::verify), for any format: the function loads the written save with a loader that knows all types of
    /// the world.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    /// use std::collections::BTreeMap;
    ///
    /// /// Keys in JSON are always texts, so an `untagged` enum does not see numbers in them.
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.slots")]
    /// #[serde(untagged)]
    /// enum Slots {
    ///     Numbered(BTreeMap<u8, u8>),
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn(Slots::Numbered([(1, 2)].into()));
    /// let save = world.save();
    /// let text = serde_json::to_string(&save)?;
    /// let verified = save.verify_by(|loader, world| {
    ///     loader.deserialize(world, &mut serde_json::Deserializer::from_str(&text))
    /// });
    /// assert!(verified.unwrap_err().to_string().contains("`game.slots`"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`VerifyError`].
    pub fn verify_by<E: fmt::Display>(
        &self,
        load: impl FnOnce(&Loader, &mut World) -> Result<Loaded, E>,
    ) -> Result<(), VerifyError> {
        let saved = self.sorted_row_trees().map_err(VerifyError::Save)?;
        let (mut world, outside) = world_with(&saved.keys);
        let loader = self.loader(&saved.keys, &outside);
        let loaded = load(&loader, &mut world).map_err(|error| VerifyError::Load {
            message: error.to_string(),
        })?;
        if loaded.entities.len() != saved.entities.len() {
            return Err(VerifyError::Entities {
                saved: saved.entities.len(),
                loaded: loaded.entities.len(),
            });
        }
        self.compare_components(&saved, &world, &loaded.entities, &outside)?;
        // Edges between entities are compared with the same save in columns, which need no names of fields and no foreign format:
        // there the same ids stand for the same entities.
        let bytes = self.to_vec().map_err(VerifyError::Save)?;
        let (mut expected, _) = world_with(&saved.keys);
        let reference = loader.load_bytes(&mut expected, &bytes);
        let reference = reference.map_err(|error| VerifyError::Load {
            message: error.to_string(),
        })?;
        let pairs = reference.entities.iter().zip(&saved.entities);
        let of: HashMap<Entity, Entity> = pairs.map(|(&loaded, &saved)| (loaded, saved)).collect();
        let differ = Differ::new().only_data().without_events();
        let diff = differ.between(&expected, &world);
        let diff = diff.map_err(VerifyError::Compare)?;
        let is_different = |value: &&ValueChange| match (value.old(), value.new_value()) {
            (Some(old), Some(new)) => !is_same(old, new),
            _ => true,
        };
        for change in diff.entities() {
            if let Some(value) = change.values().iter().find(is_different) {
                let entity = of.get(&change.entity()).copied();
                let entity = entity.or(Some(change.entity()));
                return Err(different(entity, value.name(), &value.fields()));
            }
        }
        match diff.resources().iter().find(is_different) {
            Some(value) => Err(different(None, value.name(), &value.fields())),
            None => Ok(()),
        }
    }

    /// Compares the components of a saved world with the components that came back; ids inside of them are replaced by
    /// numbers.
    fn compare_components(
        &self,
        saved: &RowTrees,
        world: &World,
        entities: &[Entity],
        outside: &[Entity],
    ) -> Result<(), VerifyError> {
        let numbers = EntityNumbers::new([entities, outside].concat());
        let all = Save::of(world).dangling(Dangling::Dead);
        // A load gives them other ids, in the same order, unless it was one at the same ids.
        let mut dead: HashMap<Entity, u32> = saved.dead.iter().map(|&(n, id)| (id, n)).collect();
        let ranked = (0..)
            .map(of_number)
            .zip(saved.dead.iter().map(|dead| dead.0));
        dead.extend(ranked.filter(|&(id, _)| !world.is_dead_id_free(id)));
        let loaded = all.row_trees_by(Some((&numbers, &dead)), &[]);
        let loaded = loaded.map_err(VerifyError::Save)?;
        let rows = loaded.entities.iter().zip(&loaded.rows);
        let rows: HashMap<Entity, _> = rows.map(|(&entity, row)| (entity, row)).collect();
        for ((&entity, row), new) in saved.entities.iter().zip(&saved.rows).zip(entities) {
            for (data, tree) in row.iter().filter(|(data, _)| !data.is_relation()) {
                let mut found = rows.get(new).into_iter().flat_map(|row| row.iter());
                let found = found.find(|(other, _)| other.is_same(data));
                let found = found.map(|(_, tree)| tree);
                if !found.is_some_and(|found| is_same(tree, found)) {
                    let fields = fields_of(Some(tree), found);
                    return Err(different(Some(entity), data.name(), &fields));
                }
            }
        }
        Ok(())
    }

    /// Returns the entities as trees. Entities that are saved as dead ids have numbers in the order of their ids.
    fn sorted_row_trees(&self) -> Result<RowTrees, SaveError> {
        let mut saved = self.row_trees()?;
        let mut ids: Vec<Entity> = saved.dead.iter().map(|&(_, id)| id).collect();
        if !ids.is_sorted() || !saved.keys.is_empty() {
            ids.sort_unstable();
            saved = self.row_trees_by(None, &ids)?;
        }
        Ok(saved)
    }

    /// Returns a loader for everything in the save, which finds these entities by their keys.
    fn loader(&self, keys: &[Value], outside: &[Entity]) -> Loader {
        let mut loader = Loader::new().types_of(self.world).unknown(Unknown::Keep);
        loader.types.extend(&self.options.resources);
        let loader = loader.max_entities(u32::MAX).quietly();
        if keys.is_empty() {
            return loader;
        }
        let pairs = keys.iter().cloned().zip(outside.iter().copied());
        let by_key: HashMap<Value, Entity> = pairs.collect();
        loader.resolve_ids(move |_, key| by_key.get(key).copied())
    }
}

/// Returns a world with an entity for each key of an entity that is not saved: the same ids each time.
fn world_with(keys: &[Value]) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let outside = keys.iter().map(|_| world.spawn(())).collect();
    (world, outside)
}

/// Returns true if two trees are equal apart from the order of maps and of lists, because sets are written in any
/// order.
fn is_same(one: &Value, other: &Value) -> bool {
    is_same_tree(one, other) || sorted(one) == sorted(other)
}

/// Returns the text of a tree whose lists and maps are sorted.
fn sorted(tree: &Value) -> String {
    let mut parts: Vec<String> = match tree {
        Value::List(values) => values.iter().map(sorted).collect(),
        Value::Map(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| format!("{}: {}", sorted(key), sorted(value)));
            entries.collect()
        }
        other => return other.to_string(),
    };
    parts.sort_unstable();
    let kind = if matches!(tree, Value::List(_)) {
        "list"
    } else {
        "map"
    };
    format!("{kind}({})", parts.join(", "))
}

fn different(entity: Option<Entity>, name: &str, fields: &[FieldChange<'_>]) -> VerifyError {
    let part = |part: Option<&Value>| part.map_or_else(|| "nothing".to_owned(), Value::to_string);
    let fields = fields.iter().take(3).map(|field| {
        let place = match field.path.trim_start_matches('.') {
            "" => String::new(),
            path => format!(" at `{path}`"),
        };
        let (old, new) = (part(field.old), part(field.new));
        format!("{old} comes back as {new}{place}")
    });
    VerifyError::Value {
        entity,
        name: name.to_owned(),
        message: fields.collect::<Vec<_>>().join(", "),
    }
}
