//! Prefabs inside of saves in rows: copies that a row stands for.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ecs_engine::Entity;
use ecs_engine::data_type::DataType;

use super::LoadError;
use super::row_values::{RowValues, Scope};
use crate::Value;
use crate::closest::closest;

/// The trees of a component or relation, by name.
type Row = Vec<(String, Value)>;

/// By relation: targets, and their sources in order.
pub(crate) type Orders = HashMap<String, Vec<(u32, Vec<u32>)>>;

/// A prefab that rows can name, as the rows of its own save.
#[derive(Clone, Debug)]
pub(crate) struct NestedPrefab {
    pub(crate) name: String,
    /// The rows, in whose values ids are positions in this list.
    pub(crate) rows: Arc<Vec<Row>>,
    /// By row, the number of the entity in the prefab. The root has number 0.
    pub(crate) parts: Arc<Vec<u32>>,
    pub(crate) orders: Arc<Orders>,
    pub(crate) types: Vec<&'static DataType>,
}

/// The keys of a row that are about a prefab.
#[derive(Default)]
pub(super) struct RowKeys {
    prefab: Option<String>,
    parts: Vec<Part>,
    without: Vec<String>,
    /// True if there is one of them.
    pub(super) is_used: bool,
}

/// The changes of one entity of a copy.
struct Part {
    /// Its number in the prefab.
    number: u32,
    row: Row,
    without: Vec<String>,
}

impl RowKeys {
    /// Takes the value of one of the keys.
    pub(super) fn take(&mut self, key: &str, tree: Value) -> Result<(), String> {
        self.is_used = true;
        match key {
            "prefab" => match tree {
                Value::String(name) if self.prefab.is_none() => self.prefab = Some(name),
                _ => return Err("`prefab` is the name of one prefab".to_owned()),
            },
            "parts" => self.parts = parts_of(tree)?,
            _ => self.without = names_of(tree)?,
        }
        Ok(())
    }
}

const PARTS: &str = "`parts` is a map from numbers of entities of the prefab to their components";

fn parts_of(tree: Value) -> Result<Vec<Part>, String> {
    let Value::Map(entries) = tree else {
        return Err(PARTS.to_owned());
    };
    let mut parts: Vec<Part> = Vec::new();
    for (key, components) in entries {
        // JSON has texts as keys alone.
        let number = match &key {
            Value::String(text) => text.parse().ok(),
            key => key.as_int().and_then(|number| u32::try_from(number).ok()),
        };
        let (Some(number), Value::Map(components)) = (number, components) else {
            return Err(PARTS.to_owned());
        };
        if number == 0 {
            return Err("entity 0 is the root, whose components are beside `parts`".to_owned());
        }
        if parts.iter().any(|part| part.number == number) {
            return Err(format!("`parts` has entity {number} twice"));
        }
        let (mut row, mut without) = (Row::new(), Vec::new());
        for (name, tree) in components {
            match name {
                Value::String(name) if name == "without" => without = names_of(tree)?,
                Value::String(name) => row.push((name, tree)),
                _ => return Err(PARTS.to_owned()),
            }
        }
        parts.push(Part {
            number,
            row,
            without,
        });
    }
    Ok(parts)
}

fn names_of(tree: Value) -> Result<Vec<String>, String> {
    let refused = || "`without` is a list of names of components".to_owned();
    let Value::List(list) = tree else {
        return Err(refused());
    };
    let names = list.into_iter().map(|name| match name {
        Value::String(name) => Ok(name),
        _ => Err(refused()),
    });
    names.collect()
}

/// A copy of a prefab in the place of a row.
pub(super) struct Copy {
    /// The number of the row.
    entity: u32,
    prefab: NestedPrefab,
    parts: Vec<Part>,
    /// The names of the components that the row has itself, or goes without.
    replaced: Vec<String>,
}

impl RowValues<'_> {
    /// Returns true for the keys about prefabs, unless the loader knows a component of that name.
    pub(super) fn is_key(&self, name: &str) -> bool {
        matches!(name, "prefab" | "parts" | "without") && self.types.find(name).is_none()
    }

    /// Takes the keys about a prefab of the last row, which has these components itself.
    pub(super) fn nest(&mut self, keys: RowKeys, own: Vec<String>) -> Result<(), LoadError> {
        let entity = (self.rows.len() - 1) as u32;
        let refused = |message: String| LoadError::Nested { entity, message };
        let Some(name) = keys.prefab else {
            let message = "`parts` and `without` are about a `prefab`, which the entity lacks";
            return Err(refused(message.to_owned()));
        };
        let prefabs = &self.loader.prefabs;
        let Some(prefab) = prefabs.iter().find(|prefab| prefab.name == name) else {
            let known = prefabs.iter().map(|prefab| &*prefab.name);
            let help = match closest(&name, known) {
                Some(meant) => format!("there is `{meant}`"),
                None => {
                    "correct the name; or, in the program, add it by `Loader::prefab`".to_owned()
                }
            };
            return Err(refused(format!(
                "there is no prefab `{name}`\nhelp: {help}"
            )));
        };
        let check = |number: u32, without: &[String]| {
            let Some(row) = prefab.row(number) else {
                let last = prefab.rows.len() - 1;
                return Err(refused(format!(
                    "the prefab `{name}` has no entity {number}\nhelp: its last one is {last}"
                )));
            };
            let lacks = |missing: &&String| !row.iter().any(|(name, _)| name == *missing);
            match without.iter().find(lacks) {
                None => Ok(()),
                Some(missing) => Err(refused(format!(
                    "entity {number} of the prefab `{name}` is without `{missing}` anyway\nhelp: remove it from `without`"
                ))),
            }
        };
        check(0, &keys.without)?;
        for part in &keys.parts {
            check(part.number, &part.without)?;
        }
        let more = prefab.rows.len() - 1;
        let mut replaced = keys.without;
        replaced.extend(own);
        let copy = Copy {
            entity,
            prefab: prefab.clone(),
            parts: keys.parts,
            replaced,
        };
        self.copies.push(copy);
        self.copied += more as u64;
        self.check_count()
    }

    /// Adds rows for the entities of copies, behind those of the save.
    pub(super) fn add_copied_rows(&mut self) {
        let more = self.copied as usize;
        self.rows.resize_with(self.rows.len() + more, Vec::new);
    }

    /// Reads the values of all copies; all entities have their ids.
    pub(super) fn read_copies(&mut self) -> Result<(), LoadError> {
        let mut first = (self.rows.len() - self.copied as usize) as u32;
        for copy in core::mem::take(&mut self.copies) {
            let more = copy.prefab.rows.len() as u32 - 1;
            self.read_copy(copy, first)?;
            first += more;
        }
        Ok(())
    }

    /// Reads the values of a copy, whose entities beside the root have the numbers from `first` on.
    fn read_copy(&mut self, copy: Copy, first: u32) -> Result<(), LoadError> {
        let Copy {
            entity,
            prefab,
            parts,
            replaced,
        } = copy;
        let in_save = |part: u32| match part {
            0 => entity,
            part => first + part - 1,
        };
        let numbers: Vec<u32> = prefab.parts.iter().map(|&part| in_save(part)).collect();
        let ids = numbers.iter().map(|&number| self.ids[number as usize]);
        let ids: Vec<Entity> = ids.collect();
        let about = |part: u32, error: LoadError| match error {
            LoadError::Value { name, message, .. } if part > 0 => LoadError::Nested {
                entity,
                message: format!(
                    "`{name}`: {message}, in entity {part} of the prefab `{}`",
                    prefab.name
                ),
            },
            error => error,
        };
        let mut all_replaced: HashSet<(u32, String)> = HashSet::new();
        all_replaced.extend(replaced.into_iter().map(|name| (0, name)));
        for Part {
            number,
            row,
            without,
        } in parts
        {
            for (name, tree) in row {
                let Some(known) = self.known(&name)? else {
                    // It is skipped, or would have to be kept.
                    if self.keeps() {
                        return Err(LoadError::Nested {
                            entity,
                            message: format!(
                                "`{name}` is not known, and in `parts` it cannot be kept"
                            ),
                        });
                    }
                    continue;
                };
                if all_replaced.contains(&(number, name.clone())) {
                    return Err(about(
                        number,
                        LoadError::Nested {
                            entity,
                            message: format!("entity {number} of the prefab has `{name}` twice"),
                        },
                    ));
                }
                self.later.push((in_save(number), known, tree));
                all_replaced.insert((number, name));
            }
            all_replaced.extend(without.into_iter().map(|name| (number, name)));
        }
        for (row, &part) in prefab.rows.iter().zip(prefab.parts.iter()) {
            for (name, tree) in row {
                if all_replaced.contains(&(part, name.clone())) {
                    continue;
                }
                let known = self.known_now(entity, name)?;
                let scope = Scope::Copy {
                    numbers: &numbers,
                    ids: &ids,
                };
                self.read_any(known, in_save(part), tree, scope)
                    .map_err(|error| about(part, error))?;
            }
        }
        for (relation, orders) in &*prefab.orders {
            let number = |&row: &u32| numbers[row as usize];
            let orders = orders
                .iter()
                .map(|(target, sources)| (number(target), sources.iter().map(number).collect()));
            let all = self.orders.entry(relation.clone()).or_default();
            all.extend(orders);
        }
        Ok(())
    }

    /// Returns the position of a component or relation in its current version, in which prefabs have it.
    fn known_now(&mut self, entity: u32, name: &str) -> Result<usize, LoadError> {
        let current = self.types.find(name).map_or(1, DataType::version);
        if !self.names.contains_key(name) {
            // The save itself has no value of the type.
            self.versions.insert(name.to_owned(), current);
        }
        let version = self.versions.get(name).copied().unwrap_or(1);
        if version != current {
            let message = format!(
                "the save has `{name}` in version {version}, so it cannot have a prefab with version {current}"
            );
            return Err(LoadError::Nested { entity, message });
        }
        let known = self.known(name)?;
        known.ok_or_else(|| LoadError::Nested {
            entity,
            message: format!("the prefab has `{name}`, which is not known"),
        })
    }
}

impl NestedPrefab {
    /// Returns the components of an entity.
    fn row(&self, part: u32) -> Option<&Row> {
        let row = self.parts.iter().position(|&of| of == part)?;
        self.rows.get(row)
    }
}
