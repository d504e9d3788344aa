//! The requests for saves in the background, and their results.

use ecs_data::{SaveFinished, SlotInfo};
use ecs_engine::__private::serde_core as serde;
use ecs_engine::Resource;
use ecs_engine::meta::ConstTypeIdOf;

/// The requests for saves, and their results; a resource of apps with [`Autosave`](crate::Autosave).
///
/// A snapshot as bytes has neither.
#[derive(Clone, Debug, Default)]
pub struct Saves {
    pub(crate) requests: Vec<(String, SlotInfo)>,
    pub(crate) finished: Vec<SaveFinished>,
    pub(crate) is_writing: bool,
}

impl Resource for Saves {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core::app::Saves", "Saves");
}

impl serde::Serialize for Saves {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        ().serialize(to)
    }
}

impl<'de> serde::Deserialize<'de> for Saves {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        <()>::deserialize(from)?;
        Ok(Self::default())
    }
}

impl Saves {
    /// Saves into a slot at the end of the frame. If several requests of a frame are for one slot, the last one counts.
    pub fn request(&mut self, slot: impl Into<String>, info: SlotInfo) {
        let slot = slot.into();
        self.requests.retain(|(other, _)| *other != slot);
        self.requests.push((slot, info));
    }

    /// Returns the results of the saves that have ended since the last frame.
    #[must_use]
    pub fn finished(&self) -> &[SaveFinished] {
        &self.finished
    }

    /// Returns true while saves are being written: for a sign in the corner of the screen.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        self.is_writing
    }
}
