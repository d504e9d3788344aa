//! Events that wait for the end of a delay, beside the kept ones.

use alloc::boxed::Box;
use alloc::collections::BinaryHeap;
#[cfg(feature = "data")]
use alloc::vec::Vec;
use core::any::TypeId;
use core::cmp::{Ordering, Reverse};
use core::iter::successors;
use core::mem::take;

use super::Events;
use crate::data_type::{AnyResource, DelayClock, DelayKind, DueAt};
use crate::sync::OnceLock;

/// The events of one type that wait, each with the moment when it is due.
#[derive(Clone)]
pub(super) struct DelayedEvents<E> {
    /// The world's numbers that the moments are compared with; `None` if no world has counted for these events yet, and the moments
    /// are the rest of the delays.
    now: Option<DelayClock>,
    /// The lowest number that is greater than the ones of all events so far.
    end: u64,
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

impl<E> DelayedEvents<E> {
    pub(super) fn len(&self) -> usize {
        self.heaps.iter().map(BinaryHeap::len).sum()
    }

    /// Adds an event.
    pub(super) fn push(&mut self, due: DueAt, event: E) {
        self.end = self.end.max(due.number() + 1);
        let heap = self.heap(due);
        let due = Reverse(due);
        heap.push(DelayedEvent { due, event });
    }

    fn heap(&mut self, due: DueAt) -> &mut BinaryHeap<DelayedEvent<E>> {
        &mut self.heaps[usize::from(matches!(due, DueAt::Time(..)))]
    }

    /// Returns the rest of the delays, and the events, in the order in which they are due.
    #[cfg(feature = "data")]
    pub(super) fn left(&self) -> Vec<(DueAt, &E)> {
        let waiting = self.heaps.iter().flatten();
        let mut waiting: Vec<_> = waiting.collect();
        waiting.sort_unstable_by(|one, other| other.cmp(one));
        let now = self.now.unwrap_or_default();
        let left = |waiting: &DelayedEvent<E>| waiting.due.0.moved(now, DelayClock::default());
        let left = waiting
            .into_iter()
            .map(|waiting| (left(waiting), &waiting.event));
        left.collect()
    }

    /// Counts on from some numbers to others. Events for which another world has counted, or none, wait as long as they still had to, and
    /// get new numbers.
    fn count(&mut self, [from, to]: [DelayClock; 2], count: &mut u64) {
        if self.now != Some(from) {
            let old = self.now.unwrap_or_default();
            let heaps = take(&mut self.heaps).into_iter();
            for waiting in heaps.flat_map(|heap| heap.into_sorted_vec().into_iter().rev()) {
                let due = waiting.due.0.moved(old, from).numbered(*count);
                *count += 1;
                self.push(due, waiting.event);
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
            heaps: [BinaryHeap::new(), BinaryHeap::new()],
        }
    }

    /// Converts all events.
    #[cfg(feature = "data")]
    pub(super) fn converted<T>(from: DelayedEvents<T>, mut convert: impl FnMut(T) -> E) -> Self {
        let mut converted = Self::new(from.now);
        for DelayedEvent { due, event } in from.heaps.into_iter().flatten() {
            converted.push(due.0, convert(event));
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
            let next = delayed.heaps.each_ref();
            is_counted.then(|| next.map(|heap| heap.peek().map(|next| next.due.0)))
        },
        send_next: |events, due| {
            let events = events.downcast_mut::<Self>()?;
            let next = events.delayed.as_mut()?.heap(due).pop()?;
            events.drop_read();
            events.send(next.event);
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
