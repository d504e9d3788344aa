//! Events that wait for the end of a delay, beside the kept ones.

use alloc::collections::BinaryHeap;
#[cfg(feature = "data")]
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};
use core::mem::take;

use super::Events;
use crate::data_type::{AnyResource, DelayClock, DelayKind, DueAt};
use crate::world::World;

/// The events of one type that wait, each with the moment when it is due.
pub(super) struct DelayedEvents<E> {
    /// The numbers that the moments are compared with. In a world they are the world's own.
    now: DelayClock,
    /// The events that wait for runs, and those that wait for times.
    heaps: [BinaryHeap<DelayedEvent<E>>; 2],
}

#[derive(Clone)]
struct DelayedEvent<E> {
    due: Reverse<DueAt>,
    event: E,
}

/// The greatest one is due first.
impl<E> Ord for DelayedEvent<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.due.cmp(&other.due)
    }
}

impl<E> PartialOrd for DelayedEvent<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for DelayedEvent<E> {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl<E> Eq for DelayedEvent<E> {}

impl<E> Default for DelayedEvents<E> {
    fn default() -> Self {
        Self {
            now: DelayClock::default(),
            heaps: [BinaryHeap::new(), BinaryHeap::new()],
        }
    }
}

impl<E: Clone> Clone for DelayedEvents<E> {
    fn clone(&self) -> Self {
        Self {
            now: self.now,
            heaps: self.heaps.clone(),
        }
    }
}

impl<E> DelayedEvents<E> {
    pub(super) fn len(&self) -> usize {
        self.heaps.iter().map(BinaryHeap::len).sum()
    }

    /// Adds an event.
    pub(super) fn push(&mut self, due: DueAt, event: E) {
        let heap = self.heap(due);
        let due = Reverse(due);
        heap.push(DelayedEvent { due, event });
    }

    fn heap(&mut self, due: DueAt) -> &mut BinaryHeap<DelayedEvent<E>> {
        &mut self.heaps[usize::from(matches!(due, DueAt::Time(..)))]
    }

    /// Converts all events and their moments.
    pub(super) fn map<T>(
        self,
        mut convert: impl FnMut(DueAt, E) -> (DueAt, T),
    ) -> DelayedEvents<T> {
        let mut mapped = DelayedEvents {
            now: self.now,
            ..DelayedEvents::default()
        };
        for DelayedEvent { due, event } in self.heaps.into_iter().flatten() {
            let (due, event) = convert(due.0, event);
            mapped.push(due, event);
        }
        mapped
    }

    /// Returns the moments and the events in the order in which they are due, as if nothing had been counted yet.
    #[cfg(feature = "data")]
    pub(super) fn left(&self) -> Vec<(DueAt, &E)> {
        let waiting = self.heaps.iter().flatten();
        let left = waiting.map(|waiting| {
            let left = waiting.due.0.moved(self.now, DelayClock::default());
            (left, &waiting.event)
        });
        let mut left: Vec<_> = left.collect();
        left.sort_by_key(|(due, _)| *due);
        left
    }

    /// Counts on from some numbers to others. Events that have counted from elsewhere, such as loaded ones, wait as long as they still
    /// had to.
    fn count(&mut self, [from, to]: [DelayClock; 2]) {
        if self.now != from {
            let old = self.now;
            *self = take(self).map(|due, event| (due.moved(old, from), event));
        }
        self.now = to;
    }
}

impl<E: Send + Sync + 'static> Events<E> {
    /// The functions for the events that wait.
    pub(super) const DELAYS: DelayKind = DelayKind {
        count: |events, counted| {
            if let Some(delayed) = Self::delayed_of(events) {
                delayed.count(counted);
            }
        },
        next: |events| {
            let delayed = Self::delayed_of(events)?;
            let next = delayed.heaps.each_ref();
            Some(next.map(|heap| heap.peek().map(|next| next.due.0)))
        },
        send_next: |events, due| {
            let events = events.downcast_mut::<Self>()?;
            let next = events.delayed.as_mut()?.heap(due).pop()?;
            events.drop_read();
            events.send(next.event);
            Some(())
        },
        last_number: |events| {
            let delayed = Self::delayed_of(events)?;
            let waiting = delayed.heaps.iter().flatten();
            waiting.map(|waiting| waiting.due.0.number()).max()
        },
    };

    fn delayed_of(events: &mut AnyResource) -> Option<&mut DelayedEvents<E>> {
        events.downcast_mut::<Self>()?.delayed.as_deref_mut()
    }
}

impl World {
    /// Adds an event that waits. The numbers are the world's own.
    pub(crate) fn add_delayed_event<E: Send + Sync + 'static>(
        &mut self,
        now: DelayClock,
        due: DueAt,
        event: E,
    ) {
        self.add_event::<E>();
        self.note_events(const { Events::<E>::kind_with_delays() });
        let events = self.resources_mut().get_mut::<Events<E>>();
        let events = events.expect("added above");
        let delayed = events.delayed.get_or_insert_default();
        delayed.count([now, now]);
        delayed.push(due, event);
    }
}
