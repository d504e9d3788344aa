//! Slots: the saves of a game in a folder, for a list in its menu.
//!
//! ```text
//! "ecs-slot", form: u32
//! length of the head: u32
//! head: seconds: i64, nanoseconds: u32        of the time of the save, since 1970
//!       version, note                         texts
//!       picture: length u64, checksum u64
//!       contents: length u64, checksum u64
//! checksum: u64                               of all before: XXH3
//! picture, contents
//! ```
//! So a list of slots reads their heads alone, and the length of a file shows whether its end is missing.

mod error;
mod head;
mod info;
mod name;
mod slot;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use ecs_engine::World;

pub use error::SlotError;
use head::{HeadError, SlotHead};
pub use info::SlotInfo;
pub use name::SlotNameProblem;
pub use slot::SaveSlot;

use crate::file::FileError;
use crate::load::{Loaded, Loader};
use crate::replace_file::write_file;
use crate::save::Save;

/// The end of the name of a slot's file.
const SUFFIX: &str = ".save";

/// The saves of a game: a folder with a file for each slot. Its menu lists, loads, renames and deletes them.
///
/// A slot has a name, the contents (a [`Save`] or any other bytes), and a [`SlotInfo`]: the time, the game's version, a note and a
/// picture. [`list`](Self::list) reads the beginning of each file and no contents. Files are [replaced](write_file) as a whole: if
/// the game or the computer stops while a slot is written, the previous save is still there.
///
/// ```
/// use ecs_core::data::{Loader, SaveSlots, SlotInfo};
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "game.gold")]
/// struct Gold(u32);
///
/// # let folder = std::env::temp_dir().join(format!("ecs-doc-slots-{}", std::process::id()));
/// let slots = SaveSlots::new(&folder); // or `SaveSlots::of_game("Company", "Game")?`
/// let mut world = World::new();
/// world.spawn(Gold(7));
/// let info = SlotInfo::new().version("1.2.0").note("The mine, 2 h 15 min");
/// slots.save("before the dragon", &info, &world.save())?;
///
/// for slot in slots.list()? {
///     assert_eq!((slot.name(), slot.note()), ("before the dragon", "The mine, 2 h 15 min"));
///     assert!(slot.damage().is_none());
/// }
/// let mut new = World::new();
/// slots.load("before the dragon", &Loader::new().with::<Gold>(), &mut new)?;
/// assert_eq!(new.query::<&Gold>().count(), 1);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Names
/// A name may be up to 100 bytes of any language. It names the same file on every system, and none outside of the folder: names that
/// one of the systems does not take, such as `../x`, `a:b` and `con`, are a [`SlotNameProblem`] on each of them. Some systems do not
/// tell `Camp` from `camp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveSlots {
    folder: PathBuf,
}

impl SaveSlots {
    /// Returns the slots of a folder. The first save creates it.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Returns the slots of a game in the folder that the system has for the user's data:
    ///
    /// | system | folder |
    /// |---|---|
    /// | Linux, BSD | `~/.local/share/COMPANY/GAME/saves`, or below `XDG_DATA_HOME` |
    /// | macOS | `~/Library/Application Support/COMPANY/GAME/saves` |
    /// | Windows | `C:\Users\NAME\AppData\Roaming\COMPANY\GAME\saves` |
    ///
    /// # Errors
    /// [`SlotError::NoHome`] if the user has no folder, and [`SlotError::Name`] if the company or the game cannot be the name of one.
    #[cfg(feature = "save-folder")]
    pub fn of_game(company: &str, game: &str) -> Result<Self, SlotError> {
        use etcetera::BaseStrategy as _;
        SlotError::check_name(company)?;
        SlotError::check_name(game)?;
        let folders = etcetera::base_strategy::choose_native_strategy();
        let folders = folders.map_err(|_| SlotError::NoHome)?;
        Ok(Self::new(
            folders.data_dir().join(company).join(game).join("saves"),
        ))
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Lists the slots, the newest first. A slot whose file cannot be read, or is damaged where the list looks, is in the list,
    /// with its [damage](SaveSlot::damage). Other files in the folder are not; a folder that does not exist has no slots.
    ///
    /// O(slots): it reads a few hundred bytes of each.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn list(&self) -> Result<Vec<SaveSlot>, SlotError> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| SlotError::io(&self.folder, error))?,
        };
        let mut slots = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| SlotError::io(&self.folder, error))?;
            let file = entry.file_name();
            let name = file.to_str().and_then(|file| file.strip_suffix(SUFFIX));
            let name = name.filter(|name| name::problem(name).is_none());
            if let Some(name) = name
                && !entry.path().is_dir()
            {
                slots.push(SaveSlot::of(name, &entry.path(), read_head(&entry.path())));
            }
        }
        slots.sort_by(|a, b| (b.time(), a.name()).cmp(&(a.time(), b.name())));
        Ok(slots)
    }

    /// Returns a slot as the [list](Self::list) has it; `None` if there is none with this name.
    ///
    /// # Errors
    /// If the name is not one of a slot.
    pub fn slot(&self, name: &str) -> Result<Option<SaveSlot>, SlotError> {
        let path = self.path(name)?;
        if !path.is_file() {
            return Ok(None);
        }
        let head = read_head(&path);
        Ok(Some(SaveSlot::of(name, &path, head)))
    }

    /// Writes a save into a slot, and replaces the slot's previous one.
    ///
    /// # Errors
    /// See [`SlotError`]. The previous save is still there.
    pub fn save(&self, name: &str, info: &SlotInfo, save: &Save<'_>) -> Result<(), SlotError> {
        SlotError::check_name(name)?;
        let contents = save.to_vec().map_err(SlotError::Save)?;
        self.write(name, info, &contents)
    }

    /// Writes any bytes into a slot, such as a save in a format of serde, or a snapshot as bytes; otherwise like [`save`](Self::save).
    ///
    /// # Errors
    /// See [`SlotError`]. The previous contents are still there.
    pub fn write(&self, name: &str, info: &SlotInfo, contents: &[u8]) -> Result<(), SlotError> {
        let path = self.path(name)?;
        let picture = info.picture.as_deref().unwrap_or_default();
        let head = SlotHead::of(info, picture, contents).to_bytes();
        let head = head.map_err(|bytes| SlotError::LongInfo { bytes })?;
        fs::create_dir_all(&self.folder).map_err(|error| SlotError::io(&self.folder, error))?;
        let written: io::Result<()> = write_file(path, |out| {
            out.write_all(&head)?;
            out.write_all(picture)?;
            out.write_all(contents)
        });
        written.map_err(SlotError::Write)
    }

    /// Loads the save of a slot into a world, as [`Loader::load_into`] does.
    ///
    /// # Errors
    /// See [`SlotError`]. The world is unchanged in that case.
    pub fn load(
        &self,
        name: &str,
        loader: &Loader,
        world: &mut World,
    ) -> Result<Loaded, SlotError> {
        let contents = self.read(name)?;
        loader.load_bytes(world, &contents).map_err(SlotError::Load)
    }

    /// Returns the contents of a slot.
    ///
    /// # Errors
    /// See [`SlotError`]: there is no such slot, it is damaged, or cannot be read.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, SlotError> {
        let (contents, _) = self.read_part(name, |head| [head.picture, head.contents])?;
        Ok(contents)
    }

    /// Returns the picture of a slot, without its contents; `None` if it has none.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn picture(&self, name: &str) -> Result<Option<Vec<u8>>, SlotError> {
        let (picture, head) = self.read_part(name, |head| [(0, 0), head.picture])?;
        Ok((head.picture.0 > 0).then_some(picture))
    }

    /// Deletes a slot, damaged or not.
    ///
    /// # Errors
    /// If there is no such slot, or it cannot be deleted.
    pub fn delete(&self, name: &str) -> Result<(), SlotError> {
        let path = self.path(name)?;
        fs::remove_file(&path).map_err(|error| SlotError::of_slot(name, &path, error))
    }

    /// Gives a slot another name.
    ///
    /// # Errors
    /// If there is no such slot, there is one with the other name, or the system refuses it. Nothing has changed then.
    pub fn rename(&self, name: &str, new: &str) -> Result<(), SlotError> {
        let (path, new_path) = (self.path(name)?, self.path(new)?);
        if !path.is_file() {
            let error = ErrorKind::NotFound.into();
            return Err(SlotError::of_slot(name, &path, error));
        }
        // Where the system does not tell them apart, they are the same file.
        let is_same = name != new && name.to_lowercase() == new.to_lowercase();
        let is_taken = match is_same {
            true => self.list()?.iter().any(|slot| slot.name() == new),
            false => new_path.exists(),
        };
        if is_taken {
            return Err(SlotError::Exists {
                name: new.to_owned(),
            });
        }
        fs::rename(&path, new_path).map_err(|error| SlotError::of_slot(name, &path, error))
    }

    /// Returns the path of a slot's file.
    fn path(&self, name: &str) -> Result<PathBuf, SlotError> {
        SlotError::check_name(name)?;
        Ok(self.folder.join(format!("{name}{SUFFIX}")))
    }

    /// Reads a part of a slot's file, and checks it. The function returns the length of the part before it, and the length and the
    /// checksum of the part.
    fn read_part(
        &self,
        name: &str,
        part: impl FnOnce(&SlotHead) -> [(u64, u64); 2],
    ) -> Result<(Vec<u8>, SlotHead), SlotError> {
        let path = self.path(name)?;
        let read = || -> Result<_, HeadError> {
            let mut file = File::open(&path)?;
            let head = SlotHead::read(&mut file)?;
            let [(before, _), (length, checksum)] = part(&head);
            io::copy(&mut (&mut file).take(before), &mut io::sink())?;
            let mut bytes = Vec::new();
            // The head agrees with the length of the file, so this is no more than the file has.
            (&mut file).take(length).read_to_end(&mut bytes)?;
            match crate::file::checksum_of(&bytes) == checksum {
                true => Ok((bytes, head)),
                false => Err(FileError::Checksum.into()),
            }
        };
        read().map_err(|error| SlotError::of_head(name, &path, error))
    }
}

fn read_head(path: &Path) -> Result<SlotHead, HeadError> {
    SlotHead::read(&mut File::open(path)?)
}
