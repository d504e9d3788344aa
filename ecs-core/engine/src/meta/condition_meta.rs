//! The description of a run condition.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::SystemMeta;

/// The description of a run condition, which may be made of several.
#[derive(Clone, Debug)]
pub struct ConditionMeta {
    /// The name in messages and diagrams: the path of a function, or words like ``a and not b``.
    pub name: Cow<'static, str>,
    /// The functions that are asked, in order.
    pub parts: Vec<SystemMeta>,
    /// True if it only asks for [states](crate::schedule::State). While it is false, the systems sleep, and unread data of
    /// their readers is [discarded](crate::schedule::Unread::Discard).
    pub is_about_states: bool,
    /// True if it includes closures whose captured values may change, which no snapshot has.
    #[doc(hidden)]
    pub captures: bool,
}

impl ConditionMeta {
    /// Returns true if a part has readers of events or removals.
    pub(crate) fn has_readers(&self) -> bool {
        self.parts.iter().any(SystemMeta::has_readers)
    }
}

impl From<SystemMeta> for ConditionMeta {
    fn from(meta: SystemMeta) -> Self {
        Self {
            name: Cow::Borrowed(meta.name),
            parts: vec![meta],
            is_about_states: false,
            captures: false,
        }
    }
}
