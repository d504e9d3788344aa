//! The resource that keeps events until they were read.

use core::fmt;
use std::sync::Arc;

use super::cursor::EventCursor;
use crate::log::Log;
use crate::meta::ConstTypeIdOf;
use crate::resource::Resource;

/// The events of one type that somebody may still have to read; a resource.
///
/// Events are numbered in the order in which they were sent. Each registered reader has a position, and an event is
/// kept until all of them are past it: it is dropped at the latest when the next system with an
/// [`EventWriter`](super::EventWriter) runs or the next event is sent through the world.
///
/// # The bound
/// A reader that is never run would keep events forever, so at most [`bound`](Self::bound) events are kept, by default
/// [`DEFAULT_BOUND`](Self::DEFAULT_BOUND): one more makes room by dropping the oldest. Readers that had not read it are
/// told [how many they missed](super::EventReader::missed). While no reader is registered, as before the first run of a
/// schedule, events are kept up to the bound for whoever comes.
///
/// # Registration
/// A system's reader registers when the schedule builds the system, before any system of the schedule runs, or at its
/// first run if there is no `Events<E>` earlier. It first sees the events that are kept at that time, and is registered
/// until the schedule is dropped. A system that is called as a function registers at the first call, and goes on at the
/// next one where it was; a system in a schedule and the same one called directly are two readers.
///
/// Any type that is `Send + Sync + 'static` can be an event.
///
/// ```
/// use ecs_core::prelude::*;
///
/// struct Hit { damage: u32 }
///
/// #[system]
/// fn fight(mut hits: EventWriter<Hit>) {
///     hits.send(Hit { damage: 3 });
///     hits.send(Hit { damage: 4 });
/// }
///
/// #[system]
/// fn count(mut hits: EventReader<Hit>, mut total: ResMut<u32>) {
///     for hit in hits.read() {
///         *total += hit.damage;
///     }
/// }
///
/// let mut world = World::new();
/// world.add_event::<Hit>();
/// world.insert_resource(0_u32);
/// let mut schedule = Schedule::new();
/// schedule.add((fight, count));
/// schedule.run(&mut world)?;
/// world.send_event(Hit { damage: 10 });
/// schedule.run(&mut world)?;
/// assert_eq!(*world.resource::<u32>(), 7 + 17);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
///
/// Without systems:
///
/// ```
/// use ecs_core::event::{EventCursor, Events};
///
/// let mut hits = Events::new();
/// let mut reader = EventCursor::default();
/// hits.send("wall");
/// hits.send("floor");
/// assert_eq!(Vec::from_iter(reader.on(&hits).read()), [&"wall", &"floor"]);
/// hits.send("ceiling");
/// assert_eq!(Vec::from_iter(reader.on(&hits).read()), [&"ceiling"]);
/// ```
pub struct Events<E> {
    pub(super) log: Log<E>,
}

impl<E: Send + Sync + 'static> Resource for Events<E> {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::generic("ecs_core::Events", "Events");
}

impl<E> Events<E> {
    /// How many events are kept at most unless the number is chosen by [`with_bound`](Self::with_bound): 2^20.
    ///
    /// Far more than one frame of any game sends, so that whoever runs its readers misses nothing.
    pub const DEFAULT_BOUND: usize = 1 << 20;

    /// No events yet.
    #[must_use]
    pub fn new() -> Self {
        Self::with_bound(Self::DEFAULT_BOUND)
    }

    /// No events yet, and never more than `bound` at a time.
    ///
    /// # Panics
    /// If `bound` is 0.
    #[must_use]
    #[track_caller]
    pub fn with_bound(bound: usize) -> Self {
        assert!(
            bound > 0,
            "a bound of 0 would drop every event before it is read"
        );
        Self {
            log: Log::new(bound, Arc::default()),
        }
    }

    /// Sends an event. Amortised O(1), where there are fewer readers than events.
    pub fn send(&mut self, event: E) {
        self.log.push(event);
    }

    /// Sends events in order.
    pub fn send_batch(&mut self, events: impl IntoIterator<Item = E>) {
        for event in events {
            self.send(event);
        }
    }

    /// Drops the events that every registered reader has read; called by everything that starts to write.
    ///
    /// O(readers + dropped events).
    pub fn drop_read(&mut self) {
        self.log.drop_read();
    }

    /// Drops all events, read or not; nobody counts them as missed.
    pub fn clear(&mut self) {
        self.log.clear();
    }

    /// The number of events that are kept, read by some or not. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.log.len()
    }

    /// Whether no event is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.log.len() == 0
    }

    /// The number of events that are kept at most.
    #[must_use]
    pub const fn bound(&self) -> usize {
        self.log.bound()
    }

    /// The number of readers that are registered. O(readers).
    #[must_use]
    pub fn readers(&self) -> usize {
        self.log.readers().count()
    }

    /// Registers `cursor` here unless it is, and moves it past events that were dropped.
    pub(crate) fn attach(&self, cursor: &mut EventCursor<E>) {
        self.log.attach(&mut cursor.cursor);
    }
}

impl<E> Default for Events<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: fmt::Debug> fmt::Debug for Events<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.log.kept()).finish()
    }
}
