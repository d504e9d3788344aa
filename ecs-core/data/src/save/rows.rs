//! Writes a save to a format of serde: in rows to a readable one, as bytes to a binary one.
//!
//! ```text
//! {
//!   "format": 1,
//!   "versions": { "game.health": 2 },              those that are not 1
//!   "entities": [
//!     { "game.position": [1.0, 2.0], "game.target": 1 },
//!     { "game.health": { "now": 3 } }
//!   ],
//!   "resources": { "game.score": 7 }
//! }
//! ```

use ecs_engine::Entity;
use ecs_engine::component::StorageKind;
use ecs_engine::entity::session::{Ids, Others, Session};
use serde_core::ser::{Error, SerializeMap, SerializeSeq};
use serde_core::{Serialize, Serializer};

use super::contents::{Component, Contents, Table};
use super::{Dangling, Save};
use crate::Value;
use crate::file::FORMAT;
use crate::saved::Saved;

/// Written in rows to a readable format, such as JSON or RON, and in columns, as bytes, to a binary one.
///
/// # Errors
/// If a value cannot be written, or a component is borrowed for writing.
impl Serialize for Save<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(&self.to_vec().map_err(S::Error::custom)?);
        }
        let contents = self.contents().map_err(S::Error::custom)?;
        let session = Session::new(Ids::Numbered {
            entities: &contents.entities,
            numbers: &contents.numbers,
            others: match self.dangling {
                Dangling::Refuse => Others::Refused,
                Dangling::Dead => Others::Dead,
            },
        });
        let rows = Rows {
            contents: &contents,
            session: &session,
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", &FORMAT)?;
        map.serialize_entry("versions", &Versions(&contents))?;
        map.serialize_entry("entities", &rows)?;
        map.end()
    }
}

/// The versions of the types that have another one than 1.
struct Versions<'a>(&'a Contents<'a>);

impl Serialize for Versions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let types = self.0.components.iter().map(|component| component.data);
        let newer = types.filter(|data| data.version() != 1);
        serializer.collect_map(newer.map(|data| (data.name(), data.version())))
    }
}

/// All entities.
struct Rows<'a> {
    contents: &'a Contents<'a>,
    session: &'a Session<'a>,
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let contents = self.contents;
        let is_sparse = |component: &&Component<'_>| {
            component.id.storage() == StorageKind::Sparse && !component.view.is_empty()
        };
        let sparse: Vec<_> = contents.components.iter().filter(is_sparse).collect();
        let mut list = serializer.serialize_seq(Some(contents.entities.len()))?;
        for Table {
            numbers,
            components,
        } in &contents.tables
        {
            let in_table = components.iter().map(|&component| &contents.components[component]);
            let components: Vec<_> = in_table.chain(sparse.iter().copied()).collect();
            for number in numbers.clone() {
                list.serialize_element(&Row {
                    entity: contents.entities[number as usize],
                    components: &components,
                    session: self.session,
                })?;
            }
        }
        list.end()
    }
}

/// The components of an entity, by name.
struct Row<'a> {
    entity: Entity,
    /// Those that it may have.
    components: &'a [&'a Component<'a>],
    session: &'a Session<'a>,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for component in self.components {
            let Some(value) = component.view.get(self.entity) else {
                continue;
            };
            let name = component.data.name();
            let saved = Saved::of_data(component.data).expect("only what has a codec is saved");
            // SAFETY: the value is one of the component, whose data type has the codec, and is borrowed by the view.
            let tree = || unsafe { saved.codec.to_value(value.as_ptr()) };
            let tree: Result<Value, _> = self.session.run(tree);
            let swallowed = self.session.take_error().map(S::Error::custom);
            let failed = |message: &dyn core::fmt::Display| {
                let entity = self.entity;
                S::Error::custom(format_args!("entity {entity}, `{name}`: {message}"))
            };
            match (tree, swallowed) {
                (Err(error), _) => return Err(failed(&error)),
                (Ok(_), Some(error)) => return Err(failed(&error)),
                (Ok(tree), None) => map.serialize_entry(name, &tree)?,
            }
        }
        map.end()
    }
}
