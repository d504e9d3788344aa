//! Messages on their way.

use std::collections::VecDeque;

/// Messages in one direction, with the tick of their arrival.
pub(crate) struct Mail<T>(VecDeque<(u32, T)>);

impl<T> Mail<T> {
    pub(crate) const fn new() -> Self {
        Self(VecDeque::new())
    }

    /// Sends a message that arrives at a tick.
    pub(crate) fn send(&mut self, arrives: u32, message: T) {
        self.0.push_back((arrives, message));
    }

    /// Returns the next message that has arrived.
    pub(crate) fn receive(&mut self, tick: u32) -> Option<T> {
        let (arrives, _) = self.0.front()?;
        if *arrives > tick {
            return None;
        }
        self.0.pop_front().map(|(_, message)| message)
    }
}
