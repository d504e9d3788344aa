//! What is known of a run condition without asking it.

use std::borrow::Cow;

use super::SystemMeta;

/// The description of a run condition, which may be made of several.
#[derive(Clone, Debug)]
pub struct ConditionMeta {
    /// What messages and pictures call it: the path of a function, or words like ``a and not b``.
    pub name: Cow<'static, str>,
    /// The functions that are asked, in that order.
    pub parts: Vec<SystemMeta>,
}

impl From<SystemMeta> for ConditionMeta {
    fn from(meta: SystemMeta) -> Self {
        Self {
            name: Cow::Borrowed(meta.name),
            parts: vec![meta],
        }
    }
}
