//! Copies of prefabs inside of a save in rows.

use std::collections::HashMap;
use std::fmt;

use ecs_engine::Entity;
use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::staging::{EdgeTarget, StagedEdge};

use super::LoadError;
use super::row_values::RowValues;
use super::written_edges::{WrittenEdge, edges_of};
use crate::Value;
use crate::closest::closest;

/// The entities of a prefab as trees, with numbers for entities, in the order of the rows.
pub(crate) struct NestedPrefab {
    pub(crate) name: String,
    pub(crate) rows: Vec<NestedRow>,
    /// By relation: targets, and their sources in order, if that is not the order of the rows.
    pub(crate) orders: Vec<(&'static DataType, TargetOrders)>,
    /// The ids of entities outside of it, by the numbers that follow.
    pub(crate) dead: Vec<Entity>,
    /// The path of each part in the prefab's own file, by its number.
    pub(crate) paths: Vec<Vec<u32>>,
}

/// Targets, and their sources in order.
type TargetOrders = Vec<(u32, Vec<u32>)>;

/// An entity of a prefab.
pub(crate) struct NestedRow {
    /// Its number in the prefab. The root has number 0.
    pub(crate) part: u32,
    pub(crate) values: Vec<(&'static DataType, Value)>,
}

impl NestedPrefab {
    /// Returns the contents of a part; `None` if there is no such part. O(parts).
    fn part(&self, part: u32) -> Option<&NestedRow> {
        self.rows.iter().find(|row| row.part == part)
    }
}

/// The reason why an entity of a save is not a copy of a prefab.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NestedError {
    /// The loader does not know the prefab.
    Unknown {
        /// The name of the prefab.
        prefab: String,
        /// A name that the loader knows, if one is almost the same.
        meant: Option<String>,
    },
    /// The prefab has no such part.
    NoPart {
        /// The name of the prefab.
        prefab: String,
        /// The number of the part as it is written.
        part: String,
        /// The number of entities of the prefab, with its root.
        entities: u32,
    },
    /// A component to be left out does not exist.
    NotThere {
        /// The name of the prefab.
        prefab: String,
        /// The number of the part; 0 for the root.
        part: u32,
        /// The name of the component or relation.
        name: String,
        /// A name that the part has, if one is almost the same.
        meant: Option<&'static str>,
    },
    /// One of the keys `prefab`, `parts` and `without` is misplaced, or its value has the wrong form.
    Form {
        /// The mistake, and the form that is right.
        message: String,
    },
}

impl fmt::Display for NestedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { prefab, meant } => {
                write!(f, "there is no prefab `{prefab}`; help: ")?;
                match meant {
                    Some(meant) => write!(f, "there is `{meant}`"),
                    None => f.write_str(
                        "correct the name; or, in the program, name the prefab with `Loader::prefab`",
                    ),
                }
            }
            Self::NoPart {
                prefab,
                part,
                entities: 1,
            } => write!(
                f,
                "the prefab `{prefab}` has no part {part}; help: write its components beside `prefab`; it is only one entity"
            ),
            Self::NoPart {
                prefab,
                part,
                entities,
            } => write!(
                f,
                "the prefab `{prefab}` has no part {part}; help: its parts are 1 to {}; write components of the root beside `prefab`",
                entities - 1
            ),
            Self::NotThere {
                prefab,
                part,
                name,
                meant,
            } => {
                match part {
                    0 => write!(f, "the root of the prefab `{prefab}`")?,
                    part => write!(f, "part {part} of the prefab `{prefab}`")?,
                }
                write!(f, " has no `{name}` to be without; help: ")?;
                match meant {
                    Some(meant) => write!(f, "it has `{meant}`"),
                    None => f.write_str("remove the name"),
                }
            }
            Self::Form { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for NestedError {}

fn form(message: impl Into<String>) -> NestedError {
    NestedError::Form {
        message: message.into(),
    }
}

/// The keys of a row that describe a prefab.
#[derive(Default)]
pub(super) struct NestedKeys {
    prefab: Option<Value>,
    parts: Option<Value>,
    without: Option<Value>,
}

impl NestedKeys {
    /// Returns the place of the value of a key; `None` for names of components.
    fn place(&mut self, key: &str) -> Option<&mut Option<Value>> {
        match key {
            "prefab" => Some(&mut self.prefab),
            "parts" => Some(&mut self.parts),
            "without" => Some(&mut self.without),
            _ => None,
        }
    }

    /// Returns true if the key is not the name of a component.
    pub(super) fn has(&mut self, key: &str) -> bool {
        self.place(key).is_some()
    }
}

/// An entity that is a copy of a prefab.
pub(super) struct NestedCopy {
    /// The number of the root.
    root: u32,
    /// The position of the prefab in the loader.
    prefab: usize,
    /// The number of entities of the copies before this one, without their roots.
    before: u32,
    /// The components of the prefab's root that the root does not get.
    changed: Vec<ComponentId>,
    parts: Vec<PartChanges>,
}

/// The changes of a part of a copy.
struct PartChanges {
    number: u32,
    values: Vec<(String, Value)>,
    /// The components that the part does not get.
    without: Vec<ComponentId>,
}

impl RowValues<'_> {
    /// Takes the value of a key that is not the name of a component.
    pub(super) fn nested_key(&mut self, key: &str, value: Value) -> Result<(), LoadError> {
        let place = self.nested_keys.place(key).expect("it was asked for");
        if place.replace(value).is_some() {
            let error = form(format!("the entity has the key `{key}` twice"));
            return Err(self.not_nested(error));
        }
        Ok(())
    }

    fn not_nested(&self, error: NestedError) -> LoadError {
        let entity = self.last();
        LoadError::Nested { entity, error }
    }

    /// Ends the last row: checks its keys about a prefab, and counts the entities of the copy.
    pub(super) fn end_row(&mut self) -> Result<(), LoadError> {
        let NestedKeys {
            prefab,
            parts,
            without,
        } = core::mem::take(&mut self.nested_keys);
        let Some(prefab) = prefab else {
            self.given.clear();
            return match parts.or(without) {
                None => Ok(()),
                Some(_) => Err(self.not_nested(form(
                    "the entity has `parts` or `without`, and is not a copy of a prefab; help: add `\"prefab\": \"name\"`",
                ))),
            };
        };
        let given = core::mem::take(&mut self.given);
        let nested = self.nested_of(&prefab, given, parts.as_ref(), without.as_ref());
        let nested = nested.map_err(|error| self.not_nested(error))?;
        let more = self.loader.prefabs[nested.prefab].rows.len() as u64 - 1;
        let entities = self.values.len() as u64 + u64::from(self.nested_entities) + more;
        if entities > u64::from(self.loader.max_entities) {
            return Err(LoadError::too_many(entities, self.loader.max_entities));
        }
        self.nested_entities += more as u32;
        self.nested.push(nested);
        Ok(())
    }

    fn nested_of(
        &self,
        prefab: &Value,
        given: Vec<ComponentId>,
        parts: Option<&Value>,
        without: Option<&Value>,
    ) -> Result<NestedCopy, NestedError> {
        let name = prefab.as_str().ok_or_else(|| {
            form(format!(
                "expected the name of a prefab, found {prefab}; help: write `\"prefab\": \"name\"`"
            ))
        })?;
        let prefabs = &self.loader.prefabs;
        let found = prefabs.iter().rposition(|prefab| prefab.name == name);
        let position = found.ok_or_else(|| {
            let names = prefabs.iter().map(|prefab| &*prefab.name);
            NestedError::Unknown {
                prefab: name.to_owned(),
                meant: closest(name, names).map(str::to_owned),
            }
        })?;
        let prefab = &*prefabs[position];
        let mut changed = self.left_out(prefab, 0, without)?;
        if let Some(both) = changed.iter().find(|id| given.contains(id)) {
            return Err(both_ways(both.name()));
        }
        changed.extend(given);
        Ok(NestedCopy {
            root: self.last(),
            prefab: position,
            before: self.nested_entities,
            changed,
            parts: match parts {
                Some(parts) => self.parts(prefab, parts)?,
                None => Vec::new(),
            },
        })
    }

    /// Reads the value of `parts`.
    fn parts(&self, prefab: &NestedPrefab, parts: &Value) -> Result<Vec<PartChanges>, NestedError> {
        let wrong = |found: &Value| {
            form(format!(
                "expected parts of a prefab by number, found {found}; help: write `\"parts\": {{\"1\": {{ .. }}}}`"
            ))
        };
        let mut list: Vec<PartChanges> = Vec::new();
        for (key, entries) in parts.as_map().ok_or_else(|| wrong(parts))? {
            // Keys of JSON are texts.
            let number = match key {
                Value::String(text) => text.parse().ok(),
                key => key.as_int().and_then(|number| u32::try_from(number).ok()),
            };
            let is_part = |&number: &u32| number > 0 && (number as usize) < prefab.rows.len();
            let number = number.filter(is_part).ok_or_else(|| NestedError::NoPart {
                prefab: prefab.name.clone(),
                part: match key {
                    Value::String(text) => text.clone(),
                    key => key.to_string(),
                },
                entities: prefab.rows.len() as u32,
            })?;
            if list.iter().any(|part| part.number == number) {
                return Err(form(format!("the part {number} occurs twice")));
            }
            let mut part = PartChanges {
                number,
                values: Vec::new(),
                without: Vec::new(),
            };
            for (name, value) in entries.as_map().ok_or_else(|| wrong(entries))? {
                match name.as_str().ok_or_else(|| wrong(entries))? {
                    "without" => part.without = self.left_out(prefab, number, Some(value))?,
                    key @ ("prefab" | "parts") => {
                        return Err(form(format!(
                            "the part {number} has a key `{key}`; help: relate another entity that is a copy of a prefab; a part cannot become one"
                        )));
                    }
                    name => part.values.push((name.to_owned(), value.clone())),
                }
            }
            list.push(part);
        }
        Ok(list)
    }

    /// Reads the value of `without`.
    fn left_out(
        &self,
        prefab: &NestedPrefab,
        number: u32,
        without: Option<&Value>,
    ) -> Result<Vec<ComponentId>, NestedError> {
        let Some(without) = without else {
            return Ok(Vec::new());
        };
        let wrong = || {
            form(format!(
                "expected a list of the names of components, found {without}; help: write `\"without\": [\"name\"]`"
            ))
        };
        let has = prefab.part(number).map_or(&[][..], |row| &row.values);
        let mut list = Vec::new();
        for name in without.as_list().ok_or_else(wrong)? {
            let name = name.as_str().ok_or_else(wrong)?;
            let component = self.types.find(name).and_then(DataType::component_id);
            let is_there = |id: &ComponentId| has.iter().any(|it| it.0.component_id() == Some(*id));
            let component = component
                .filter(is_there)
                .ok_or_else(|| NestedError::NotThere {
                    prefab: prefab.name.clone(),
                    part: number,
                    name: name.to_owned(),
                    meant: closest(name, has.iter().map(|it| it.0.name())),
                })?;
            if !list.contains(&component) {
                list.push(component);
            }
        }
        Ok(list)
    }

    /// Returns the copy that owns an entity numbered after the list, and the entity's number in the copy.
    pub(super) fn part_of(&self, entity: u32) -> Option<(&NestedCopy, u32)> {
        let behind = entity.checked_sub(self.listed)?;
        let found = self
            .nested
            .partition_point(|nested| nested.before <= behind);
        let nested = &self.nested[found.checked_sub(1)?];
        Some((nested, behind - nested.before + 1))
    }

    /// Returns the listed entity that messages about an entity name: itself, or the root of its copy. Also returns the
    /// beginning of these messages.
    pub(super) fn described(&self, entity: u32) -> (u32, String) {
        match self.part_of(entity) {
            Some((nested, part)) => {
                let name = &self.loader.prefabs[nested.prefab].name;
                let message = format!("part {part} of the prefab `{name}`: ");
                (nested.root, message)
            }
            None => (entity, String::new()),
        }
    }

    /// Returns the paths of the entities behind the list: see [`Staging::nested_paths`](super::staging::Staging::nested_paths).
    pub(super) fn nested_paths(&self) -> Vec<Vec<u32>> {
        let of_copy = |nested: &NestedCopy| {
            let root = nested.root;
            let paths = self.loader.prefabs[nested.prefab].paths.iter().skip(1);
            paths.map(move |path| [&[root], &path[..]].concat())
        };
        self.nested.iter().flat_map(of_copy).collect()
    }

    /// Adds the entities of all copies, and the values of the prefabs. The entities have their ids.
    pub(super) fn expand(&mut self, ids: &[Entity]) -> Result<(), LoadError> {
        let loader = self.loader;
        // First the values of the save, so that the names in it are settled.
        let mut changes = Vec::with_capacity(self.nested.len());
        for copy in 0..self.nested.len() {
            let nested = &mut self.nested[copy];
            let first = self.listed + nested.before;
            let mut changed = HashMap::from([(0, core::mem::take(&mut nested.changed))]);
            for part in core::mem::take(&mut nested.parts) {
                let list = self.change(first + part.number - 1, part.values, part.without)?;
                changed.insert(part.number, list);
            }
            changes.push(changed);
        }
        // For each prefab, the positions of its types among the save's.
        let mut known: HashMap<usize, HashMap<ComponentId, usize>> = HashMap::new();
        for (copy, changed) in changes.into_iter().enumerate() {
            let nested = &self.nested[copy];
            let (position, root, first) = (nested.prefab, nested.root, self.listed + nested.before);
            let entity = |part: u32| if part == 0 { root } else { first + part - 1 };
            let prefab = &*loader.prefabs[position];
            let known = match known.entry(position) {
                std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(self.known_of(prefab)?)
                }
            };
            let entities: Vec<u32> = prefab.rows.iter().map(|row| entity(row.part)).collect();
            let copies = entities.iter().map(|&entity| ids[entity as usize]);
            let copies: Vec<Entity> = copies.chain(prefab.dead.iter().copied()).collect();
            for (row, &entity) in prefab.rows.iter().zip(&entities) {
                let changed = changed.get(&row.part).map_or(&[][..], Vec::as_slice);
                for (data, tree) in &row.values {
                    let Some(component) = data.component_id() else {
                        continue;
                    };
                    if changed.contains(&component) {
                        continue;
                    }
                    let known = known[&component];
                    if !data.is_relation() {
                        let read = self.read_current(known, entity, tree, &copies);
                        read.map_err(|failure| self.failed(known, entity, failure))?;
                        continue;
                    }
                    for WrittenEdge { target, value, .. } in edges_of(tree) {
                        let target = target.and_then(|target| entities.get(target as usize));
                        let target = *target.expect("edges of a prefab are inside of it");
                        let read = self.read_current(known, entity, value, &copies);
                        read.map_err(|failure| self.failed(known, entity, failure))?;
                        let target = EdgeTarget::New(target);
                        self.values.add_edge(
                            known,
                            StagedEdge {
                                source: entity,
                                target,
                            },
                        );
                    }
                }
            }
            for (data, orders) in &prefab.orders {
                let Some(known) = data.component_id().and_then(|id| known.get(&id)) else {
                    continue;
                };
                let name = self.name_of(*known).to_owned();
                let of_copy = orders.iter().map(|(target, sources)| {
                    let sources = sources.iter().map(|&source| entities[source as usize]);
                    (entities[*target as usize], sources.collect())
                });
                self.orders.entry(name).or_default().extend(of_copy);
            }
        }
        Ok(())
    }

    /// Adds the values that a save gives to a part, and returns which of the prefab's values they replace.
    fn change(
        &mut self,
        entity: u32,
        values: Vec<(String, Value)>,
        without: Vec<ComponentId>,
    ) -> Result<Vec<ComponentId>, LoadError> {
        let mut changed = without;
        let left_out = changed.len();
        for (name, tree) in values {
            match self.known(&name, entity)? {
                Some(known) => {
                    let component = self.component_of(known);
                    if changed[..left_out].contains(&component) {
                        let (entity, _) = self.described(entity);
                        let error = both_ways(&name);
                        return Err(LoadError::Nested { entity, error });
                    }
                    changed.push(component);
                    self.value(known, entity, tree)?;
                }
                None if self.keeps() => self.keep(&name, entity, tree)?,
                None => {}
            }
        }
        Ok(changed)
    }

    /// Returns the positions of the types of a prefab among the save's.
    fn known_of(
        &mut self,
        prefab: &NestedPrefab,
    ) -> Result<HashMap<ComponentId, usize>, LoadError> {
        let mut known = HashMap::new();
        for (data, _) in prefab.rows.iter().flat_map(|row| &row.values) {
            if let Some(component) = data.component_id()
                && !known.contains_key(&component)
            {
                known.insert(component, self.known_type(data)?);
            }
        }
        Ok(known)
    }
}

fn both_ways(name: &str) -> NestedError {
    form(format!(
        "the entity has a `{name}`, and is without it; help: remove one of them"
    ))
}
