//! The resource that keeps events until they are read.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;

use super::cursor::EventCursor;
use super::delayed::DelayedEvents;
use crate::log::Log;
use crate::meta::{ConstTypeIdOf, ParamAccess};
use crate::resource::Resource;

/// A type of events that systems can read and write.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an event",
    label = "threads cannot share it",
    note = "events are `Send` and `Sync`: write an `Arc` for an `Rc`, and a `Mutex` or an atomic number for a `Cell` or a `RefCell`"
)]
pub trait EventValue: Send + Sync + 'static {}

// One error for all of them.
#[diagnostic::do_not_recommend]
impl<E: Send + Sync + 'static> EventValue for E {}

/// The events of one type that a reader may still have to read; a resource.
///
/// Events are numbered in the order of sending. Each registered reader has a position, and an event is kept until all of
/// them are past it: it is dropped at the latest when the next system with an [`EventWriter`](super::EventWriter) runs or
/// the next event is sent through the world.
///
/// # The bound
/// A reader that never runs would keep events forever, so at most [`bound`](Self::bound) events are kept, by default
/// [`DEFAULT_BOUND`](Self::DEFAULT_BOUND); beyond that, each new event drops the oldest one. Readers that had not read it
/// count it as [missed](super::EventReader::missed). A system that sleeps because of a state has no such backlog: its turns
/// count as read, so only events sent between two of them are kept (see [`Unread`](crate::schedule::Unread), which covers
/// other conditions, too). While no reader is registered, for example before the first run of a schedule, events are kept
/// up to the bound for future readers.
///
/// # Registration
/// A system's reader registers when the schedule builds the system, before any system of the schedule runs; or at its first
/// run if there is no `Events<E>` before. It first sees the events that are kept at that time, and is registered until the
/// system is [removed](crate::Schedule::remove) or the schedule is dropped. A system that is called as a function registers
/// at the first call, and the next call continues from there. A system in a schedule and the same one called directly are
/// two readers.
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
    pub(super) delayed: Option<Box<DelayedEvents<E>>>,
}

impl<E: Send + Sync + 'static> Resource for Events<E> {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::generic("ecs_core::Events", "Events");
    const SENDS: &'static ParamAccess = &ParamAccess::Sends(ConstTypeIdOf::<E>::opaque().ident());
}

impl<E> Events<E> {
    /// The default maximum number of kept events, unless [`with_bound`](Self::with_bound) sets another one: 2^20.
    ///
    /// No game sends as many in one frame, so readers that run regularly miss nothing.
    pub const DEFAULT_BOUND: usize = 1 << 20;

    /// Creates an empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::with_bound(Self::DEFAULT_BOUND)
    }

    /// Creates an empty buffer that keeps at most `bound` events.
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
            delayed: None,
        }
    }

    /// Sends an event. Amortised O(1) if there are fewer readers than events.
    #[doc(alias = "write")]
    #[doc(alias = "push")]
    #[doc(alias = "enqueue")]
    pub fn send(&mut self, event: E) {
        self.log.push(event);
    }

    /// Sends events in order.
    pub fn send_batch(&mut self, events: impl IntoIterator<Item = E>) {
        for event in events {
            self.send(event);
        }
    }

    /// Drops the events that every registered reader has read; called at the start of every write access.
    ///
    /// O(readers + dropped events).
    pub fn drop_read(&mut self) {
        self.log.drop_read();
    }

    /// Drops all events that were sent, read or not; readers do not count them as missed. [Delayed](crate::Commands::delay_event) ones
    /// still wait.
    pub fn clear(&mut self) {
        self.log.clear();
    }

    /// Returns the number of kept events, including events that some readers have read. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.log.len()
    }

    /// Returns the number of the first kept event among all that were sent, and the kept events in order.
    #[doc(hidden)]
    pub fn numbered(&self) -> (u64, impl ExactSizeIterator<Item = &E>) {
        let (first, _, kept) = self.log.parts();
        (first, kept.iter())
    }

    /// Returns the number of events that are [delayed](crate::World::delay_event), and are not sent yet. O(1).
    #[must_use]
    pub fn delayed(&self) -> usize {
        self.delayed.as_ref().map_or(0, |delayed| delayed.len())
    }

    /// Returns true if no event is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.log.len() == 0
    }

    /// Returns the maximum number of kept events.
    #[must_use]
    pub const fn bound(&self) -> usize {
        self.log.bound()
    }

    /// Returns the number of registered readers. O(readers).
    #[must_use]
    pub fn readers(&self) -> usize {
        self.log.readers().count()
    }

    /// Registers `cursor` here unless it is registered, and moves it past events that were dropped.
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
