//! Reads a save from a serde format: rows of a readable one, or the bytes of a binary one.

use std::fmt;

use ecs_engine::{Entity, World};
use serde_core::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::Loader;
use super::row_values::RowValues;
use super::staging::Staging;
use crate::Value;
use crate::file::FORMAT;
use crate::types::DataTypes;

/// Reads a save, without changing the world.
pub(super) struct SaveSeed<'a> {
    pub(super) loader: &'a Loader,
    pub(super) types: &'a DataTypes,
    pub(super) world: &'a mut World,
}

impl<'de> DeserializeSeed<'de> for SaveSeed<'_> {
    type Value = Staging;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Staging, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_map(self)
        } else {
            deserializer.deserialize_bytes(self)
        }
    }
}

impl<'de> Visitor<'de> for SaveSeed<'_> {
    type Value = Staging;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a save of a world")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Staging, E> {
        Staging::of_file(self.loader, self.types, self.world, bytes).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Staging, A::Error> {
        let mut values = RowValues::new(self.loader, self.types);
        let mut seen: Vec<String> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom(format_args!(
                    "the part `{key}` occurs twice; help: merge both into one"
                )));
            }
            match &*key {
                "format" => {
                    let format: u32 = map.next_value()?;
                    if format == 0 || format > FORMAT {
                        return Err(A::Error::custom(format_args!(
                            "the save has form {format}, and this program reads forms up to {FORMAT}"
                        )));
                    }
                }
                "versions" => {
                    let versions = values.set_versions(map.next_value()?);
                    versions.map_err(A::Error::custom)?;
                }
                "ids" => {
                    let ids = values.set_ids(map.next_value::<IdTextsSeed>()?.0);
                    ids.map_err(A::Error::custom)?;
                }
                "next_ids" => values.next_ids = map.next_value::<IdTextsSeed>()?.0,
                "entities" => map.next_value_seed(EntityRows {
                    values: &mut values,
                    world: self.world,
                })?,
                "orders" => values.orders = map.next_value()?,
                "resources" => map.next_value_seed(ResourceRows(&mut values))?,
                "outside" => values.outside = map.next_value()?,
                "dead" => {
                    let dead = map.next_value::<Vec<(u32, IdTextSeed)>>()?;
                    values.dead = dead
                        .into_iter()
                        .map(|(number, id)| (number, id.0))
                        .collect();
                }
                "root" => values.root = map.next_value()?,
                "kept" => values.kept = map.next_value()?,
                other => {
                    return Err(A::Error::custom(format_args!(
                        "a save has no part `{other}`; help: its parts are `format`, `versions`, `ids`, `next_ids`, `entities`, `orders`, `resources`, `outside`, `dead`, `root` and `kept`"
                    )));
                }
            }
            seen.push(key);
        }
        values.finish(self.world).map_err(A::Error::custom)
    }
}

/// Ids in their printed form.
struct IdTextsSeed(Vec<Entity>);

impl<'de> Deserialize<'de> for IdTextsSeed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(IdTextsSeed(Vec::new()))
    }
}

impl<'de> Visitor<'de> for IdTextsSeed {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of ids, such as \"7v1\"")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self, A::Error> {
        while let Some(IdTextSeed(id)) = list.next_element()? {
            self.0.push(id);
        }
        Ok(self)
    }
}

/// An id in its printed form.
struct IdTextSeed(Entity);

impl<'de> Deserialize<'de> for IdTextSeed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextSeed;

        impl Visitor<'_> for TextSeed {
            type Value = IdTextSeed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the id of an entity as a text, such as \"7v1\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<IdTextSeed, E> {
                text.parse().map(IdTextSeed).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(TextSeed)
    }
}

/// Reads the list of entities.
struct EntityRows<'s, 'a> {
    values: &'s mut RowValues<'a>,
    world: &'s mut World,
}

impl<'de> DeserializeSeed<'de> for EntityRows<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EntityRows<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of entities")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        loop {
            self.values
                .begin_row(self.world)
                .map_err(A::Error::custom)?;
            if list.next_element_seed(RowSeed(self.values))?.is_none() {
                self.values.drop_row();
                return Ok(());
            }
        }
    }
}

/// Reads the components of an entity, by name.
struct RowSeed<'s, 'a>(&'s mut RowValues<'a>);

impl<'de> DeserializeSeed<'de> for RowSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the components of an entity, by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let entity = self.0.last();
        let mut name = core::mem::take(&mut self.0.name);
        while map.next_key_seed(NameSeed(&mut name))?.is_some() {
            if self.0.nested_keys.has(&name) {
                let value: Value = map.next_value()?;
                let taken = self.0.nested_key(&name, value);
                taken.map_err(A::Error::custom)?;
                continue;
            }
            match self.0.known(&name, entity).map_err(A::Error::custom)? {
                None if self.0.keeps() => {
                    let tree: Value = map.next_value()?;
                    let kept = self.0.keep(&name, entity, tree);
                    kept.map_err(A::Error::custom)?;
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(known) => {
                    let mut tree = self.0.last_tree(known);
                    map.next_value_seed(tree.in_place())?;
                    let component = self.0.component_of(known);
                    self.0.given.push(component);
                    let read = self.0.value(known, entity, tree);
                    read.map_err(A::Error::custom)?;
                }
            }
        }
        self.0.name = name;
        self.0.end_row().map_err(A::Error::custom)
    }
}

/// Reads a name in place of another one.
struct NameSeed<'n>(&'n mut String);

impl<'de> DeserializeSeed<'de> for NameSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NameSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        self.0.clear();
        self.0.push_str(name);
        Ok(())
    }
}

/// Reads the resources, by name.
struct ResourceRows<'s, 'a>(&'s mut RowValues<'a>);

impl<'de> DeserializeSeed<'de> for ResourceRows<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ResourceRows<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("resources, by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, tree)) = map.next_entry::<String, Value>()? {
            self.0.resource(name, tree).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}
