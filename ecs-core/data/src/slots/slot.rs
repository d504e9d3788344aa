//! Slots as they are listed.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::error::SlotError;
use super::head::{HeadError, SlotHead};

/// A slot in the list of [`SaveSlots`](super::SaveSlots).
#[derive(Debug)]
pub struct SaveSlot {
    name: String,
    time: SystemTime,
    version: String,
    note: String,
    bytes: u64,
    has_picture: bool,
    damage: Option<SlotError>,
}

impl SaveSlot {
    pub(super) fn of(name: &str, path: &Path, head: Result<SlotHead, HeadError>) -> Self {
        match head {
            Ok(head) => Self {
                name: name.to_owned(),
                time: head.time(),
                version: head.version,
                note: head.note,
                bytes: head.contents.0,
                has_picture: head.picture.0 > 0,
                damage: None,
            },
            Err(error) => {
                let metadata = fs::metadata(path);
                let written = metadata.and_then(|metadata| metadata.modified());
                Self {
                    name: name.to_owned(),
                    time: written.unwrap_or(SystemTime::UNIX_EPOCH),
                    version: String::new(),
                    note: String::new(),
                    bytes: 0,
                    has_picture: false,
                    damage: Some(SlotError::of_head(name, path, error)),
                }
            }
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the time of the save. If the slot is damaged, this is the time of the last change of its file.
    #[must_use]
    pub fn time(&self) -> SystemTime {
        self.time
    }

    /// Returns the version of the game that has written it.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the note.
    #[must_use]
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Returns the length of the contents.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns true if it has a [picture](super::SaveSlots::picture).
    #[must_use]
    pub fn has_picture(&self) -> bool {
        self.has_picture
    }

    /// Returns the damage of a slot that cannot be loaded: its end is missing, or its beginning has changed. Damage in the middle
    /// is found by [`read`](super::SaveSlots::read) and [`load`](super::SaveSlots::load).
    #[must_use]
    pub fn damage(&self) -> Option<&SlotError> {
        self.damage.as_ref()
    }
}
