//! Copies of the positions of readers.

use super::Cursor;
use crate::sync::Ordering;

/// The position that a reader had: the log that it was registered with, and the number of the next item. `None` if it was
/// not registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CursorCopy(Option<(u64, u64)>);

impl CursorCopy {
    /// Stands for the log of a reader that returns, whichever that is: for copies of other worlds.
    const ANY: u64 = u64::MAX;

    /// Makes the copy of a reader of any log.
    pub(crate) fn anywhere(position: Option<u64>) -> Self {
        Self(position.map(|position| (Self::ANY, position)))
    }

    /// The number of the next item.
    pub(crate) fn position(&self) -> Option<u64> {
        self.0.map(|(_, position)| position)
    }
}

impl Cursor {
    /// Returns the position, for a later return to it.
    pub(crate) fn copy(&self) -> CursorCopy {
        let registration = self.registration.as_ref();
        CursorCopy(registration.map(|of| (of.home.id, of.position.load(Ordering::Relaxed))))
    }

    /// Returns to a position, in a log that has returned to the same time.
    pub(crate) fn return_to(&mut self, CursorCopy(copy): CursorCopy) {
        self.resumes_at = None;
        match (copy, &self.registration) {
            (Some((home, position)), Some(registration))
                if registration.home.id == home || home == CursorCopy::ANY =>
            {
                registration.position.store(position, Ordering::Relaxed);
            }
            (copy, _) => {
                self.registration = None;
                self.resumes_at = copy.map(|(_, position)| position);
            }
        }
    }
}
