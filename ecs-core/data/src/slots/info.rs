//! The texts and the picture of a slot.

use std::time::SystemTime;

/// The texts and the picture that a slot gets beside its contents, for the game's list of saves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotInfo {
    pub(super) time: Option<SystemTime>,
    pub(super) version: String,
    pub(super) note: String,
    pub(super) picture: Option<Vec<u8>>,
}

impl SlotInfo {
    /// Returns a description without texts and a picture.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the version of the game, such as `env!("CARGO_PKG_VERSION")`.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets a text for the player, such as the name of the level and the time played.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Sets the picture, in any format, such as the bytes of a PNG file.
    #[must_use]
    pub fn picture(mut self, picture: impl Into<Vec<u8>>) -> Self {
        self.picture = Some(picture.into());
        self
    }

    /// Sets the time of the save; otherwise it is the time at which the slot is written.
    #[must_use]
    pub fn time(mut self, time: SystemTime) -> Self {
        self.time = Some(time);
        self
    }
    /// Sets the time, unless it is set.
    pub(crate) fn or_time(mut self, time: impl FnOnce() -> SystemTime) -> Self {
        self.time.get_or_insert_with(time);
        self
    }
}
