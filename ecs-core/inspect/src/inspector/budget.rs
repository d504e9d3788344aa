//! The time that calls may use in a frame.

use std::time::Duration;

use ecs_engine::__private::Instant;

/// The time that may be used in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(Option<Instant>);

impl Budget {
    /// Without end: the call is answered at once.
    pub(crate) const ALL: Self = Self(None);

    pub(crate) fn from_now(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    pub(crate) fn has_end(self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn is_spent(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}
