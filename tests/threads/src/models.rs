//! The models. Each one panics if an interleaving violates its claim.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use crate::borrow::BorrowFlag;
use crate::entity::EntityTable;
use crate::pieces::Pieces;
use crate::tick::TickClock;

pub mod log;
pub mod run;

/// Data that threads use in turns. Loom reports accesses that are not ordered.
struct Shared(UnsafeCell<u32>);

impl Shared {
    fn new() -> Self {
        Self(UnsafeCell::new(0))
    }

    fn write(&self) {
        // SAFETY: the code under test orders all accesses; loom reports a write at the same time as another access.
        self.0.with_mut(|value| unsafe { *value += 1 });
    }

    fn read(&self) -> u32 {
        // SAFETY: the code under test orders all accesses; loom reports a read at the same time as a write.
        self.0.with(|value| unsafe { *value })
    }
}

// SAFETY: the code under test orders accesses of threads; loom checks each of them, in `write` and `read`.
unsafe impl Sync for Shared {}

/// A borrow flag keeps writers exclusive, loses no count, and is free in the end.
pub fn a_borrow_flag_keeps_writers_exclusive() {
    loom::model(|| {
        let shared = Arc::new((BorrowFlag::default(), Shared::new()));
        let writers: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let (flag, data) = &*shared;
                    let borrow = flag.try_exclusive();
                    borrow.is_some_and(|_borrow| {
                        data.write();
                        true
                    })
                })
            })
            .collect();
        let (flag, data) = &*shared;
        if let Some(borrow) = flag.try_shared() {
            let again = borrow.clone();
            drop(borrow);
            data.read();
            drop(again);
        }
        let wrote = writers.into_iter().map(|writer| writer.join().unwrap());
        let wrote = wrote.filter(|wrote| *wrote).count() as u32;
        assert!(flag.try_exclusive().is_some(), "all borrows were returned");
        assert_eq!(data.read(), wrote);
    });
}

/// Ids that threads reserve are distinct, and valid immediately.
pub fn reserved_ids_are_different() {
    loom::model(|| {
        let entities = Arc::new(EntityTable::default());
        let first = entities.reserve();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let entities = Arc::clone(&entities);
                thread::spawn(move || {
                    let ids = [entities.reserve(), entities.reserve()];
                    assert!(ids.iter().all(|&id| entities.contains(id)));
                    ids
                })
            })
            .collect();
        assert!(entities.any_reserved());
        let others = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        let mut ids: Vec<_> = others.chain([first]).map(|id| id.index()).collect();
        ids.sort_unstable();
        assert_eq!(ids, [0, 1, 2, 3, 4], "without gaps");
        assert_eq!(entities.len(), 5);
    });
}

/// If one of two borrows writes, the later one has the later tick.
pub fn ticks_are_in_the_order_of_borrows() {
    loom::model(|| {
        let shared = Arc::new((BorrowFlag::default(), TickClock::default(), Shared::new()));
        let writer = Arc::clone(&shared);
        let writer = thread::spawn(move || {
            let (flag, clock, writes) = &*writer;
            let _borrow = flag.try_exclusive()?;
            writes.write();
            Some(clock.tick())
        });
        let (flag, clock, writes) = &*shared;
        let read = flag.try_shared().map(|_borrow| {
            let tick = clock.tick();
            (writes.read(), tick)
        });
        let written = writer.join().unwrap();
        if let Some((writes, tick)) = read {
            let is_later = written.is_some_and(|written| tick > written);
            assert_eq!(is_later, writes == 1, "{written:?}, {tick:?}");
        }
    });
}

/// Borrows that read at the same time have different ticks.
pub fn ticks_are_different() {
    loom::model(|| {
        let clock = Arc::new(TickClock::default());
        let threads = [(), ()].map(|()| {
            let clock = Arc::clone(&clock);
            thread::spawn(move || clock.tick())
        });
        let here = clock.tick();
        let [one, two] = threads.map(|thread| thread.join().unwrap());
        assert!(one != two && one != here && two != here);
        assert!(clock.tick() > one.max(two).max(here));
    });
}

/// Each row is in exactly one piece, whichever thread fetches it.
pub fn every_row_is_fetched_once() {
    const ROWS: usize = 3;
    loom::model(|| {
        let rows = core::array::from_fn::<_, ROWS, _>(|_| Shared::new());
        let shared = Arc::new((Pieces::new(ROWS, 1, 2), rows));
        let visit = |(pieces, rows): &(Pieces, [Shared; ROWS])| {
            for piece in pieces.by_ref() {
                assert!(!piece.is_empty());
                rows[piece].iter().for_each(Shared::write);
            }
        };
        let threads = [()].map(|()| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || visit(&shared))
        });
        visit(&shared);
        for thread in threads {
            thread.join().unwrap();
        }
        assert!(shared.1.iter().all(|row| row.read() == 1));
    });
}
