//! Why a prefab cannot be read.

use std::fmt;

use crate::load::LoadError;
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
}

impl fmt::Display for PrefabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::NotCloned(error) => error.fmt(f),
            Self::Empty => f.write_str(
                "the prefab has no entity\nhelp: its first entity that is not below another one is the root",
            ),
        }
    }
}

impl std::error::Error for PrefabError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Load(error) => Some(error),
            Self::NotCloned(error) => Some(error),
            Self::Empty => None,
        }
    }
}
