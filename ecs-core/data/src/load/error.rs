//! The reasons why a save cannot be loaded.

use std::fmt;
use std::io;

use ecs_engine::staging::StageError;

use super::nested::NestedError;
use crate::Value;
use crate::file::FileError;
use crate::types::SameName;

/// The reason why a save cannot be loaded. The world is as it was.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The reader has failed.
    Io(io::Error),
    /// The bytes are not a save in columns, or the save is damaged.
    File(FileError),
    /// Two data types have the same name.
    SameName(SameName),
    /// The save has a component, relation or resource that the loader does not know.
    UnknownName {
        /// The number of the first entity that has it, in a save in rows; `None` for a resource, and in a save in columns.
        entity: Option<u32>,
        /// The name.
        name: String,
        /// A name that the loader knows, if one is almost the same.
        meant: Option<&'static str>,
    },
    /// The values of a type have a version that it cannot read.
    Version {
        /// The name of the type.
        name: String,
        /// The version in the save.
        found: u32,
        /// The version that the type has now.
        current: u32,
    },
    /// The values of a type have other fields or variants in the save, or another order of them, but not another version: they
    /// would be read as something else, or be lost. Only saves in columns can have this error.
    ///
    /// Types that need the names of their fields (`tag`, `untagged`, `flatten`, skipped fields) are saved with them. Such a type
    /// is refused if a value has a field that it does not read: then `found` are the names in that value, and `current` the
    /// names after reading it.
    Shape {
        /// The name of the type.
        name: String,
        /// The version in the save.
        version: u32,
        /// The fields and variants in the save.
        found: String,
        /// The ones that this program reads with this version.
        current: String,
    },
    /// The save names an entity outside of it by a key, and the program knows no entity for the key.
    Outside {
        /// The key, from [`Save::map_ids`](crate::Save::map_ids).
        key: Value,
        /// True if the loader has a function that finds entities by keys.
        is_resolved: bool,
    },
    /// The save names an entity outside of it by a key, and that is one of the entities that the load
    /// [replaces](crate::Loader::replacing), or goes with one of them.
    Replaced {
        /// The key, from [`Save::map_ids`](crate::Save::map_ids).
        key: Value,
    },
    /// A name belongs to something else, such as a resource instead of a component, or a table component instead of a sparse
    /// one.
    Kind {
        /// The name.
        name: String,
        /// The kind that is expected.
        expected: &'static str,
    },
    /// A value cannot be read.
    Value {
        /// The number of the entity in the save; `None` for a resource, and if the value cannot be attributed to one
        /// entity.
        entity: Option<u32>,
        /// The name of the component, relation or resource.
        name: String,
        /// The problem with it.
        message: String,
        /// The byte offset of the value, in a save in columns.
        byte: Option<usize>,
    },
    /// An entity is not a copy of a prefab, although the save says so.
    Nested {
        /// The number of the entity in the save.
        entity: u32,
        /// The reason.
        error: NestedError,
    },
    /// The parts of the save do not fit together, or not into the world: an edge closes a cycle in a tree, an id was
    /// issued before, or there are more tables than a world can have.
    Stage(StageError),
    /// The entities cannot have their old ids.
    Ids {
        /// The obstacle.
        message: String,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the save cannot be read: {error}"),
            Self::File(error) => write!(f, "the save cannot be read: {error}"),
            Self::SameName(error) => error.fmt(f),
            Self::UnknownName {
                entity,
                name,
                meant,
            } => {
                if let Some(entity) = entity {
                    write!(f, "entity {entity}: ")?;
                }
                write!(f, "the save has `{name}`, which the loader does not know")?;
                match meant {
                    Some(meant) => write!(f, "; help: there is `{meant}`"),
                    None => f.write_str(
                        "; help: correct the name; or make the type known: by a system, observer or condition that names it, before the load and in a schedule that was prepared; by `Commands<(A, B)>` in a system that spawns it; by `World::register`, `Prefab::register`, `World::register_data_resource` or `World::register_data_event`; or for this load, by `Loader::with` or `Loader::with_events`; or skip or keep unknown names, by `Loader::unknown`",
                    ),
                }
            }
            Self::Version {
                name,
                found,
                current,
            } if found > current => write!(
                f,
                "`{name}` has version {found} in the save, and version {current} in this program; help: load it with the newer program that wrote it"
            ),
            Self::Version { name, found, .. } => write!(
                f,
                "`{name}` has version {found} in the save, which it does not read any more; help: add `migrate({found} = Old)`, where `Old` reads that version"
            ),
            Self::Shape {
                name,
                version,
                found,
                current,
            } => {
                write!(
                    f,
                    "`{name}` has other fields or variants in the save, where it is `"
                )?;
                write_shape(f, found, current)?;
                f.write_str("`, than in this program, where it is `")?;
                write_shape(f, current, found)?;
                write!(
                    f,
                    "`, and the same version {version}; help: give it `version = {}`, and add `migrate({version} = Old)`, where `Old` has the fields as they were; `#[serde(rename = \"..\")]` keeps a name",
                    version.saturating_add(1)
                )
            }
            Self::Outside { key, is_resolved } => {
                write!(
                    f,
                    "the save names the entity {key}, which is not part of it"
                )?;
                f.write_str(match is_resolved {
                    true => {
                        ", and `Loader::resolve_ids` finds none; help: load the entity with the key first"
                    }
                    false => "; help: say which one that is by `Loader::resolve_ids`",
                })
            }
            Self::Replaced { key } => write!(
                f,
                "the save names the entity {key}, which is not part of it, and which this load replaces; help: let the filter of `Loader::replacing` leave it out, or save it, too"
            ),
            Self::Kind { name, expected } => write!(
                f,
                "`{name}` is {expected} in the save, and not in this program; help: give one of them another name"
            ),
            Self::Value {
                entity,
                name,
                message,
                byte,
            } => {
                if let Some(byte) = byte {
                    write!(f, "byte {byte}: ")?;
                }
                match entity {
                    Some(entity) => write!(f, "entity {entity}, `{name}`: {message}"),
                    None => write!(f, "`{name}`: {message}"),
                }
            }
            Self::Nested { entity, error } => write!(f, "entity {entity}: {error}"),
            Self::Stage(error) => error.fmt(f),
            Self::Ids { message } => f.write_str(message),
        }
    }
}

/// Prints a shape, or, if it is long, the part that differs from another one.
fn write_shape(f: &mut fmt::Formatter<'_>, shape: &str, other: &str) -> fmt::Result {
    const MOST: usize = 200;
    if shape.chars().count() <= MOST {
        return f.write_str(shape);
    }
    let same = shape.chars().zip(other.chars());
    let same = same.take_while(|(one, other)| one == other).count();
    let start = same.saturating_sub(MOST / 4);
    if start > 0 {
        f.write_str("..")?;
    }
    let part: String = shape.chars().skip(start).take(MOST).collect();
    f.write_str(&part)?;
    match start + MOST < shape.chars().count() {
        true => f.write_str(".."),
        false => Ok(()),
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::File(error) => Some(error),
            Self::Nested { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl LoadError {
    pub(super) fn too_many(entities: u64, limit: u32) -> Self {
        Self::File(FileError::TooManyEntities { entities, limit })
    }

    pub(super) fn of_stage(error: StageError) -> Self {
        Self::Stage(error)
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<FileError> for LoadError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<SameName> for LoadError {
    fn from(error: SameName) -> Self {
        Self::SameName(error)
    }
}
