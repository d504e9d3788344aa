use alloc::string::ToString;
use alloc::vec::Vec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{EventCursor, EventReader, EventWriter, Events};
use crate::system::{HeldBorrows, SystemParam};
use crate::world::World;

/// Returns the events that `cursor` has not read; they then count as read.
fn read(cursor: &mut EventCursor<u32>, events: &Events<u32>) -> Vec<u32> {
    cursor.on(events).read().copied().collect()
}

#[test]
fn every_reader_sees_every_event_once_and_in_order() {
    let mut events = Events::new();
    let (mut often, mut seldom) = (EventCursor::default(), EventCursor::default());
    assert!(read(&mut often, &events).is_empty());
    assert!(read(&mut seldom, &events).is_empty());
    let mut seen = Vec::new();
    for n in 0..1000 {
        events.send(n);
        seen.extend(read(&mut often, &events));
    }
    assert_eq!(seen, Vec::from_iter(0..1000));
    assert_eq!(read(&mut seldom, &events), Vec::from_iter(0..1000));
    assert!(read(&mut seldom, &events).is_empty());
    assert!(read(&mut often, &events).is_empty());
}

#[test]
fn events_are_dropped_when_all_registered_readers_have_read_them() {
    let mut events = Events::new();
    let (mut one, mut two) = (EventCursor::default(), EventCursor::default());
    events.send_batch([Arc::new(0), Arc::new(1)]);
    let token = Arc::new(2);
    events.send(token.clone());
    assert_eq!(one.on(&events).read().count(), 3);
    assert_eq!(two.on(&events).len(), 3);
    events.drop_read();
    assert_eq!(Arc::strong_count(&token), 2);
    assert_eq!(two.on(&events).read().count(), 3);
    events.drop_read();
    assert_eq!((events.len(), Arc::strong_count(&token)), (0, 1));
}

#[test]
fn without_readers_events_wait_for_the_first_one() {
    let mut events = Events::new();
    events.send_batch([1, 2]);
    events.drop_read();
    events.send(3);
    assert_eq!(read(&mut EventCursor::default(), &events), [1, 2, 3]);
}

#[test]
fn a_late_reader_starts_with_the_oldest_kept_event_and_missed_nothing() {
    let mut events = Events::new();
    let mut early = EventCursor::default();
    events.send_batch([1, 2, 3]);
    assert_eq!(early.on(&events).read().next(), Some(&1));
    events.drop_read();
    let mut late = EventCursor::default();
    assert_eq!(late.on(&events).missed(), 0);
    assert_eq!(read(&mut late, &events), [2, 3]);
}

#[test]
fn a_dropped_reader_no_longer_keeps_events() {
    let mut events = Events::new();
    let (mut stays, mut goes) = (EventCursor::default(), EventCursor::default());
    goes.on(&events);
    events.send(1);
    assert_eq!(read(&mut stays, &events), [1]);
    events.drop_read();
    assert_eq!((events.len(), events.readers()), (1, 2));
    drop(goes);
    events.drop_read();
    assert_eq!((events.len(), events.readers()), (0, 1));
}

#[test]
fn beyond_the_bound_the_oldest_are_dropped_and_counted_as_missed() {
    let mut events = Events::with_bound(4);
    let (mut fast, mut slow) = (EventCursor::default(), EventCursor::default());
    slow.on(&events);
    for n in 0..10 {
        events.send(n);
        assert_eq!(read(&mut fast, &events), [n]);
        assert_eq!(fast.on(&events).missed(), 0);
    }
    assert_eq!(events.len(), 4);
    let mut reader = slow.on(&events);
    assert_eq!(reader.missed(), 6);
    assert_eq!(Vec::from_iter(reader.read()), [&6, &7, &8, &9]);
    assert_eq!(slow.on(&events).missed(), 0);
}

#[test]
fn events_that_the_iterator_did_not_yield_stay_unread() {
    let mut events = Events::new();
    events.send_batch(0..5);
    let mut cursor = EventCursor::default();
    let mut reader = cursor.on(&events);
    assert_eq!(reader.read().take(2).count(), 2);
    assert_eq!((reader.len(), reader.is_empty()), (3, false));
    let mut rest = reader.read();
    assert_eq!((rest.len(), rest.next()), (3, Some(&2)));
    assert_eq!(reader.len(), 2);
    reader.clear();
    assert!(reader.is_empty());
    assert_eq!(reader.read().next(), None);
}

#[test]
fn cleared_events_do_not_count_as_missed() {
    let mut events = Events::new();
    let mut cursor = EventCursor::default();
    cursor.on(&events);
    events.send_batch(0..5);
    events.clear();
    events.send(7);
    let mut reader = cursor.on(&events);
    assert_eq!(reader.missed(), 0);
    assert_eq!(Vec::from_iter(reader.read()), [&7]);
}

#[test]
fn a_cursor_used_with_other_events_starts_at_their_oldest() {
    let (mut here, mut there) = (Events::new(), Events::new());
    here.send_batch([1, 2, 3]);
    there.send_batch([8, 9]);
    let mut cursor = EventCursor::default();
    assert_eq!(read(&mut cursor, &here), [1, 2, 3]);
    assert_eq!(read(&mut cursor, &there), [8, 9]);
    assert_eq!((here.readers(), there.readers()), (0, 1));
}

#[test]
fn a_destructor_that_panics_does_not_corrupt_the_count() {
    struct Bomb(u32);
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(self.0 != 1, "the bomb went off");
        }
    }
    let mut events = Events::with_bound(2);
    let mut cursor = EventCursor::default();
    cursor.on(&events);
    events.send_batch([Bomb(1), Bomb(2)]);
    let overflow = catch_unwind(AssertUnwindSafe(|| events.send(Bomb(3))));
    assert!(overflow.is_err());
    let mut reader = cursor.on(&events);
    assert_eq!(reader.missed(), 1);
    assert_eq!(Vec::from_iter(reader.read().map(|bomb| bomb.0)), [2, 3]);

    events.send(Bomb(1));
    events.send(Bomb(4));
    let mut reader = cursor.on(&events);
    assert_eq!(Vec::from_iter(reader.read().map(|bomb| bomb.0)), [1, 4]);
    let dropped = catch_unwind(AssertUnwindSafe(|| events.drop_read()));
    assert!(dropped.is_err() && events.is_empty());
    events.send(Bomb(5));
    let reader = cursor.on(&events);
    assert_eq!((reader.missed(), reader.len()), (0, 1));
}

#[test]
fn readers_read_at_the_same_time() {
    let mut events = Events::new();
    events.send_batch(0..1000);
    let events = &events;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                let mut cursor = EventCursor::default();
                assert_eq!(read(&mut cursor, events), Vec::from_iter(0..1000));
            });
        }
    });
}

#[test]
fn parameters_read_events_sent_since_they_were_built() {
    let mut world = World::new();
    world.add_event::<u32>();
    let mut state = <EventReader<'_, u32>>::init(&world);
    world.send_event(1_u32);
    for expected in [&[1, 2][..], &[2]] {
        {
            let mut nothing = ();
            let mut guard =
                <EventWriter<'_, u32>>::lock(&mut nothing, &world, &HeldBorrows::NONE).unwrap();
            <EventWriter<'_, u32>>::item(&mut guard).send(2);
        }
        let mut guard =
            <EventReader<'_, u32>>::lock(&mut state, &world, &HeldBorrows::NONE).unwrap();
        let mut reader = <EventReader<'_, u32>>::item(&mut guard);
        assert_eq!(Vec::from_iter(reader.read().copied()), expected);
    }
    assert_eq!(world.resource::<Events<u32>>().len(), 1);
}

#[test]
fn a_parameter_without_the_resource_names_it() {
    let world = World::new();
    let mut state = <EventReader<'_, u32>>::init(&world);
    let error = <EventReader<'_, u32>>::lock(&mut state, &world, &HeldBorrows::NONE)
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "events of type `u32` were not added; help: call `world.add_event` with that type before the system runs"
    );
}
