//! Events that wait for the end of a delay, beside the kept ones.

use alloc::boxed::Box;
#[cfg(feature = "data")]
use alloc::vec::Vec;
use core::any::TypeId;
use core::iter::successors;
use core::mem::take;

use super::Events;
use crate::data_type::{AnyResource, DelayClock, DelayKind, DueAt};
use crate::due_queue::DueQueue;
use crate::sync::OnceLock;

/// The events of one type that wait, each with the moment when it is due.
#[derive(Clone)]
pub(super) struct DelayedEvents<E> {
    /// The world's numbers that the moments are compared with; `None` if no world has counted for these events yet, and the moments
    /// are the rest of the delays.
    now: Option<DelayClock>,
    /// The lowest number that is greater than the ones of all events so far.
    end: u64,
    waiting: DueQueue<E>,
}

impl<E> DelayedEvents<E> {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Adds an event.
    pub(super) fn push(&mut self, due: DueAt, event: E) {
        self.end = self.end.max(due.number() + 1);
        self.waiting.push(due, event);
    }

    /// Returns the rest of the delays, and the events, in the order in which they are due.
    #[cfg(feature = "data")]
    pub(super) fn left(&self) -> Vec<(DueAt, &E)> {
        let now = self.now.unwrap_or_default();
        let mut left = self.waiting.sorted();
        for (due, _) in &mut left {
            *due = due.moved(now, DelayClock::default());
        }
        left
    }

    /// Counts on from some numbers to others. Events for which another world has counted, or none, wait as long as they still had to, and
    /// get new numbers.
    fn count(&mut self, [from, to]: [DelayClock; 2], count: &mut u64) {
        if self.now != Some(from) {
            let old = self.now.unwrap_or_default();
            for (due, event) in take(&mut self.waiting).into_sorted() {
                self.push(due.moved(old, from).numbered(*count), event);
                *count += 1;
            }
        }
        *count = self.end.max(*count);
        self.now = Some(to);
    }
}

impl<E: Send + Sync + 'static> DelayedEvents<E> {
    /// Makes the list for events for which a world counts, or none yet. From now on, all worlds look for events of this type that wait:
    /// they may get anywhere as a part of `Events<E>`.
    pub(super) fn new(now: Option<DelayClock>) -> Self {
        let mut known = &KINDS;
        loop {
            let first = known.get_or_init(|| {
                Box::new(KnownKind {
                    kind: Events::<E>::DELAYS,
                    next: OnceLock::new(),
                })
            });
            if first.kind.type_id == Events::<E>::DELAYS.type_id {
                break;
            }
            known = &first.next;
        }
        Self {
            now,
            end: 0,
            waiting: DueQueue::default(),
        }
    }

    /// Converts all events.
    #[cfg(feature = "data")]
    pub(super) fn converted<T>(from: DelayedEvents<T>, mut convert: impl FnMut(T) -> E) -> Self {
        let mut converted = Self::new(from.now);
        for (due, event) in from.waiting.into_sorted() {
            converted.push(due, convert(event));
        }
        converted
    }
}

/// The kinds of events that the program has ever delayed: a list that grows.
static KINDS: OnceLock<Box<KnownKind>> = OnceLock::new();

struct KnownKind {
    kind: DelayKind,
    next: OnceLock<Box<KnownKind>>,
}

/// Returns the kinds of events that the program has ever delayed.
pub(crate) fn delay_kinds() -> impl Iterator<Item = DelayKind> {
    successors(KINDS.get(), |known| known.next.get()).map(|known| known.kind)
}

impl<E: Send + Sync + 'static> Events<E> {
    /// The functions for the events that wait.
    pub(crate) const DELAYS: DelayKind = DelayKind {
        type_id: TypeId::of::<Self>(),
        len: |events| events.downcast_ref().map_or(0, Self::delayed),
        count: |events, counted, count| {
            if let Some(delayed) = Self::delayed_of(events) {
                delayed.count(counted, count);
            }
        },
        next: |events, now| {
            let delayed = Self::delayed_of(events)?;
            // Others have just got here, and nothing was counted for them yet.
            let is_counted = delayed.now == Some(now);
            is_counted.then(|| delayed.waiting.next())
        },
        send_next: |events, due| {
            let events = events.downcast_mut::<Self>()?;
            // It may panic, and the next one waits on in that case.
            events.drop_read();
            let event = events.delayed.as_mut()?.waiting.pop(due)?;
            events.send(event);
            Some(())
        },
    };

    fn delayed_of(events: &mut AnyResource) -> Option<&mut DelayedEvents<E>> {
        events.downcast_mut::<Self>()?.delayed.as_deref_mut()
    }

    /// Adds an event that waits. The numbers are the world's own.
    pub(crate) fn delay(&mut self, now: DelayClock, due: DueAt, event: E) {
        let new = || Box::new(DelayedEvents::new(Some(now)));
        self.delayed.get_or_insert_with(new).push(due, event);
    }
}
