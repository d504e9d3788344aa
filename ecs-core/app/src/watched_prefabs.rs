//! The prefabs of watched files, and the problems with them.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecs_data::{ChangesError, Prefab, UpdatedCopies};
use ecs_engine::__private::serde_core as serde;
use ecs_engine::Resource;
use ecs_engine::data_type::{DataType, DataTypeOf};
use ecs_engine::meta::ConstTypeIdOf;

/// The prefabs of the files that a [`PrefabWatch`](crate::PrefabWatch) watches; a resource of its app.
///
/// It is data (`ecs.watched_prefabs`): a save has the texts of the files, so that the copies in an old save take all later changes.
/// A snapshot has the prefabs that its copies come from, too.
#[derive(Clone, Debug, Default)]
pub struct WatchedPrefabs {
    /// In the order of the files.
    pub(crate) versions: Vec<PrefabVersion>,
    pub(crate) reloads: Vec<PrefabReload>,
    pub(crate) problems: Vec<PrefabFileError>,
}

/// A version of a file that the copies in the world have.
#[derive(Clone, Debug)]
pub(crate) struct PrefabVersion {
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
    /// `None` after a load, until the text is read.
    pub(crate) prefab: Option<Arc<Prefab>>,
}

impl WatchedPrefabs {
    /// Returns a prefab by the name of its file, in the version that the copies in the world have. `None` if the file could not be
    /// read so far.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Prefab>> {
        self.versions
            .iter()
            .find(|it| &*it.name == name)?
            .prefab
            .as_ref()
    }

    /// Returns the prefabs whose copies were updated between the last frame and this one.
    #[must_use]
    pub fn reloads(&self) -> &[PrefabReload] {
        &self.reloads
    }

    /// Returns the problems with files, in their order, until they are solved. The game goes on with the old versions of these files.
    #[must_use]
    pub fn problems(&self) -> &[PrefabFileError] {
        &self.problems
    }
}

impl Resource for WatchedPrefabs {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core::app::WatchedPrefabs", "WatchedPrefabs")
            .with_data(Self::DATA);
}

impl WatchedPrefabs {
    /// The description of the type.
    pub(crate) const DATA: &[DataType] =
        &[DataTypeOf::<WatchedPrefabs>::new("ecs.watched_prefabs", 1)
            .resource()
            .cloned()
            .coded(const { &ecs_data::__private::Saved::of::<WatchedPrefabs>() })
            .erased()];
}

impl serde::Serialize for WatchedPrefabs {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let versions = self.versions.iter();
        to.collect_seq(versions.map(|version| (&*version.name, &*version.text)))
    }
}

impl<'de> serde::Deserialize<'de> for WatchedPrefabs {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let texts = Vec::<(String, String)>::deserialize(from)?;
        let versions = texts.into_iter().map(|(name, text)| PrefabVersion {
            name: name.into(),
            text: text.into(),
            prefab: None,
        });
        Ok(Self {
            versions: versions.collect(),
            ..Self::default()
        })
    }
}

/// A file of a prefab that has changed, and whose copies were updated.
#[derive(Clone, Debug)]
pub struct PrefabReload {
    pub(crate) name: Arc<str>,
    pub(crate) updated: Arc<UpdatedCopies>,
}

impl PrefabReload {
    /// Returns the name of the prefab.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the changes of its copies.
    #[must_use]
    pub fn updated(&self) -> &UpdatedCopies {
        &self.updated
    }
}

/// A problem with the file of a prefab.
#[derive(Clone, Debug)]
pub struct PrefabFileError {
    pub(crate) name: Arc<str>,
    pub(crate) path: PathBuf,
    pub(crate) problem: Arc<PrefabFileProblem>,
}

/// The reason why a file of a prefab is not used.
#[derive(Debug)]
#[non_exhaustive]
pub enum PrefabFileProblem {
    /// The file cannot be opened, or is no text.
    Unreadable(std::io::Error),
    /// The text has a mistake, in the words of its format.
    Mistake(Box<dyn Error + Send + Sync>),
    /// The copies in the world cannot be updated.
    NotUpdated(ChangesError),
    /// The text in a save or a snapshot cannot be read any more, so the game's changes of its copies are unknown. They stay as they
    /// are, and the current file counts.
    OldVersion(Box<dyn Error + Send + Sync>),
}

impl PrefabFileError {
    /// Returns the name of the prefab.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the problem.
    #[must_use]
    pub fn problem(&self) -> &PrefabFileProblem {
        &self.problem
    }
}

impl fmt::Display for PrefabFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, prefab `{}`: ", self.path.display(), self.name)?;
        match &*self.problem {
            PrefabFileProblem::Unreadable(error) => error.fmt(f),
            PrefabFileProblem::Mistake(error) => error.fmt(f),
            PrefabFileProblem::NotUpdated(error) => {
                write!(f, "the copies in the world cannot be updated: {error}")
            }
            PrefabFileProblem::OldVersion(error) => write!(
                f,
                "the version in the save cannot be read, so its copies stay as they are: {error}"
            ),
        }
    }
}

impl Error for PrefabFileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &*self.problem {
            PrefabFileProblem::Unreadable(error) => Some(error),
            PrefabFileProblem::NotUpdated(error) => Some(error),
            PrefabFileProblem::Mistake(error) | PrefabFileProblem::OldVersion(error) => {
                Some(&**error)
            }
        }
    }
}
