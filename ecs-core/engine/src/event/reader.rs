//! Reading events.

use core::fmt;
use core::iter::FusedIterator;

use super::{EventCursor, Events};
use crate::log::UnreadItems;

/// Reads the events of one type that this reader has not read yet, oldest first; a system parameter.
///
/// If a system does not run because its condition is false, it reads the events later. If it sleeps because of a state, it
/// never does: see [`Unread`](crate::schedule::Unread).
///
/// A reader in a [condition](crate::IntoConfigs::run_if) reads the same events again until the system runs. Even then, events
/// that it has only counted stay unread. So use `on_event::<E>()`, or `not` around it: a condition that returns true unless
/// the reader [is empty](Self::is_empty) stays true forever after the first event. [`World::borrow`](crate::World::borrow)
/// returns a new reader each time, which reads all events that are kept.
///
/// Systems that read the same events can run at the same time. See [`Events`] for when a reader registers and how long
/// events are kept. Outside systems, [`EventCursor::on`] creates a reader.
#[doc(alias = "MessageReader")]
pub struct EventReader<'g, E> {
    events: &'g Events<E>,
    /// Exclusive, so there is one reader per cursor at a time.
    cursor: &'g mut EventCursor<E>,
}

impl<'g, E> EventReader<'g, E> {
    /// Creates a reader; `cursor` must be attached to `events`.
    pub(crate) fn new(events: &'g Events<E>, cursor: &'g mut EventCursor<E>) -> Self {
        Self { events, cursor }
    }

    fn unread(&self) -> UnreadItems<'_, E> {
        self.events.log.unread(&self.cursor.cursor)
    }

    /// Iterates over the unread events in the order of sending.
    ///
    /// An event counts as read when the iterator yields it. Events that are left when the iterator is dropped are read next
    /// time.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.add_event::<u32>();
    /// world.insert_resource(0_u64);
    /// let mut frame = Schedule::new();
    /// frame.add((
    ///     |mut writer: EventWriter<u32>| writer.send(3),
    ///     |mut reader: EventReader<u32>, mut sum: ResMut<u64>| {
    ///         for number in reader.read() {
    ///             *sum += u64::from(*number);
    ///         }
    ///     },
    /// ));
    /// frame.run(&mut world).unwrap();
    /// assert_eq!(*world.resource::<u64>(), 3);
    /// ```
    #[doc(alias = "iter")]
    #[doc(alias = "drain")]
    #[doc(alias = "par_read")]
    pub fn read(&mut self) -> ReadEvents<'_, E> {
        ReadEvents(self.unread())
    }

    /// Returns the number of unread events. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.unread().len()
    }

    /// Returns true if there are no unread events.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Counts all events as read.
    pub fn clear(&mut self) {
        self.events.log.skip_all(&self.cursor.cursor);
    }

    /// Returns the number of events that this reader will never see, because more than [the bound](Events#the-bound) were
    /// sent since its last run.
    ///
    /// Counted anew for each run of the system; 0 unless events are sent much more often than the reader runs.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.cursor.cursor.missed()
    }
}

impl<E: fmt::Debug> fmt::Debug for EventReader<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.unread().peek()).finish()
    }
}

/// Reads the unread events, like [`read`](EventReader::read).
///
/// ```
/// use ecs_core::prelude::*;
///
/// struct Hit(u32);
///
/// #[system]
/// fn total(mut hits: EventReader<Hit>) -> u32 {
///     let mut total = 0;
///     for hit in &mut hits {
///         total += hit.0;
///     }
///     total
/// }
///
/// let mut world = World::new();
/// world.add_event::<Hit>();
/// world.send_event(Hit(2));
/// world.send_event(Hit(3));
/// assert_eq!((total(&world), total(&world)), (5, 0));
/// ```
impl<'a, E> IntoIterator for &'a mut EventReader<'_, E> {
    type Item = &'a E;
    type IntoIter = ReadEvents<'a, E>;

    fn into_iter(self) -> ReadEvents<'a, E> {
        self.read()
    }
}

/// Iterator over the unread events; see [`EventReader::read`].
pub struct ReadEvents<'a, E>(UnreadItems<'a, E>);

impl<'a, E> Iterator for ReadEvents<'a, E> {
    type Item = &'a E;

    #[inline]
    fn next(&mut self) -> Option<&'a E> {
        self.0.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<E> ExactSizeIterator for ReadEvents<'_, E> {}

impl<E> FusedIterator for ReadEvents<'_, E> {}

impl<E: fmt::Debug> fmt::Debug for ReadEvents<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.peek()).finish()
    }
}
