//! Sending events.

use core::fmt;

use super::Events;

/// Sends events of one type; a system parameter.
///
/// Systems that send the same type of event run one after the other, so the order of events is the order of the
/// schedule. Every reader can read an event as soon as it is sent.
///
/// Outside systems use [`World::send_event`](crate::World::send_event), or create a writer from a `&mut Events<E>`, for
/// example in a unit test.
#[doc(alias = "MessageWriter")]
pub struct EventWriter<'g, E> {
    events: &'g mut Events<E>,
}

impl<E> EventWriter<'_, E> {
    /// Sends an event. Amortised O(1).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.add_event::<u32>();
    /// world.run(|mut writer: EventWriter<u32>| writer.send(3));
    /// assert_eq!(world.resource::<Events<u32>>().len(), 1);
    /// ```
    #[doc(alias = "write")]
    #[doc(alias = "push")]
    #[doc(alias = "single_write")]
    pub fn send(&mut self, event: E) {
        self.events.send(event);
    }

    /// Sends events in order.
    pub fn send_batch(&mut self, events: impl IntoIterator<Item = E>) {
        self.events.send_batch(events);
    }
}

impl<'g, E> From<&'g mut Events<E>> for EventWriter<'g, E> {
    fn from(events: &'g mut Events<E>) -> Self {
        Self { events }
    }
}

impl<E: fmt::Debug> fmt::Debug for EventWriter<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.events.fmt(f)
    }
}
