//! The reasons why a prefab cannot be read.

use std::fmt;

use crate::load::LoadError;
use crate::save::SaveError;
use crate::template::CloneError;

/// The reason why a prefab cannot be read from a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum PrefabError {
    /// The file cannot be loaded.
    Load(LoadError),
    /// The values in it cannot be cloned.
    NotCloned(CloneError),
    /// There is no entity in it.
    Empty,
    /// A component of a nested prefab is only known to its type, so no save can have it.
    NotSaved {
        /// The name of the component or relation.
        name: &'static str,
    },
    /// A value of a nested prefab cannot be written.
    Save(SaveError),
}

impl fmt::Display for PrefabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::NotCloned(error) => error.fmt(f),
            Self::NotSaved { name } => write!(
                f,
                "the prefab has `{name}`, which is not saved, so no file can have copies of the prefab; help: take `no_serde` from its attribute, or leave it out of the prefab with `Cloner::without`"
            ),
            Self::Save(error) => error.fmt(f),
            Self::Empty => {
                f.write_str("the prefab has no entity; help: add at least the root to its file")
            }
        }
    }
}

impl std::error::Error for PrefabError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Load(error) => Some(error),
            Self::NotCloned(error) => Some(error),
            Self::Save(error) => Some(error),
            Self::Empty | Self::NotSaved { .. } => None,
        }
    }
}
