//! The events of a world, without their types.

use alloc::vec::Vec;
use core::any::TypeId;
use core::mem::swap;

use super::Events;
use crate::data_type::{DataType, EventKind};
use crate::hash::TypeMap;
use crate::type_name::type_name;
use crate::world::World;

/// The kept events of one type, and their readers; see [`World::event_queues`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventQueue {
    /// The name of the events as data, or the path of their type.
    pub name: &'static str,
    /// The number of kept events, including those that some readers have read.
    pub len: usize,
    /// The number of events that are [delayed](World::delay_event), and are not sent yet.
    pub delayed: usize,
    /// For each registered reader, in the order of registration, the number of kept events that it has not read: its lag. A reader
    /// whose system does not run has more and more.
    pub unread: Vec<usize>,
}

impl<E: Send + Sync + 'static> Events<E> {
    pub(super) const fn kind() -> EventKind {
        EventKind {
            type_id: TypeId::of::<Events<E>>(),
            event: TypeId::of::<E>(),
            name: type_name::<E>,
            look: |events| {
                let events = events.downcast_ref::<Events<E>>()?;
                let unread = events.log.unread_by_readers();
                Some((events.len(), events.delayed(), unread))
            },
            exchange: |events, copy| {
                let both = (events.downcast_mut::<Self>(), copy.downcast_mut::<Self>());
                if let (Some(events), Some(copy)) = both {
                    events.log.exchange(&mut copy.log);
                    swap(&mut events.delayed, &mut copy.delayed);
                }
            },
            exchange_items: |events, copy| {
                let both = (events.downcast_mut::<Self>(), copy.downcast_mut::<Self>());
                if let (Some(events), Some(copy)) = both {
                    events.log.exchange_items(&mut copy.log);
                    swap(&mut events.delayed, &mut copy.delayed);
                }
            },
            first: |events| {
                let events = events.downcast_ref::<Events<E>>();
                events.map_or(0, |events| events.log.first_unread())
            },
            set_first: |events, first| {
                if let Some(events) = events.downcast_mut::<Events<E>>() {
                    events.log.start_at(first);
                }
            },
        }
    }
}

impl World {
    /// Returns the kept events and the readers of each type of events: those that were [added](Self::add_event), and those that are
    /// data and known. Events that are borrowed for writing are left out. O(types of events and readers).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// struct Hit;
    ///
    /// #[system]
    /// fn count(mut hits: EventReader<Hit>) -> usize {
    ///     hits.read().count()
    /// }
    ///
    /// let mut world = World::new();
    /// world.add_event::<Hit>();
    /// assert_eq!(count(&world), 0);
    /// world.send_event(Hit);
    /// world.send_event(Hit);
    /// let queues = world.event_queues();
    /// assert_eq!((queues[0].len, &*queues[0].unread), (2, &[2][..]));
    /// assert!(queues[0].name.ends_with("Hit"));
    /// ```
    #[must_use]
    #[inline]
    pub fn event_queues(&self) -> Vec<EventQueue> {
        let mut kinds: Vec<(EventKind, &'static str)> = Vec::new();
        let mut known = TypeMap::default();
        let data = self.data_types().into_iter();
        let data = data.filter_map(|data| Some((data.events()?, DataType::name(data))));
        let added = self.event_kinds.iter().map(|kind| (*kind, (kind.name)()));
        for (kind, name) in data.chain(added) {
            if known.insert(kind.type_id, 0).is_none() {
                kinds.push((kind, name));
            }
        }
        let queue = |(kind, name): (EventKind, &'static str)| {
            let events = self.resources().try_borrow_erased(kind.type_id).ok()??;
            let (len, delayed, unread) = (kind.look)(&*events)?;
            Some(EventQueue {
                name,
                len,
                delayed,
                unread,
            })
        };
        kinds.into_iter().filter_map(queue).collect()
    }

    /// Notes a type of events.
    pub(crate) fn note_events(&mut self, kind: EventKind) {
        let mut known = self.event_kinds.iter();
        if known.all(|known| known.type_id != kind.type_id) {
            self.event_kinds.push(kind);
        }
    }
}
