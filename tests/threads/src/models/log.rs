//! Logs and their readers: events, which are written under a borrow flag, and removals, which need exclusive access to the world.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use super::Shared;
use crate::borrow::BorrowFlag;
use crate::log::{Cursor, Log, ReadersOf, Start};

/// An item with a number.
fn item(number: u32) -> Shared {
    Shared(UnsafeCell::new(number))
}

/// The items that an attached cursor has not read.
fn unread(log: &Log<Shared>, cursor: &Cursor) -> Vec<u32> {
    log.unread(cursor).map(Shared::read).collect()
}

/// A log that several readers or one writer may use.
struct Events {
    flag: BorrowFlag,
    log: UnsafeCell<Log<Shared>>,
}

// SAFETY: `send` and `read` access the log only while they hold a borrow of `flag`; loom checks the accesses.
unsafe impl Sync for Events {}

impl Events {
    fn new(bound: usize) -> Self {
        Self {
            flag: BorrowFlag::default(),
            log: UnsafeCell::new(Log::new(bound, Default::default())),
        }
    }

    /// Sends an event, unless a reader holds a borrow.
    fn send(&self, number: u32) -> bool {
        let Some(_borrow) = self.flag.try_exclusive() else {
            return false;
        };
        self.log.with_mut(|log| {
            // SAFETY: `_borrow` is the exclusive borrow of the flag, so no other thread uses the log.
            let log = unsafe { &mut *log };
            log.drop_read();
            log.push(item(number));
        });
        true
    }

    /// Appends the unread items to `got`, after a gap for each missed item.
    fn read(&self, cursor: &mut Cursor, got: &mut Vec<Option<u32>>) {
        let Some(_borrow) = self.flag.try_shared() else {
            return;
        };
        self.log.with(|log| {
            // SAFETY: `_borrow` is a shared borrow of the flag, so no thread writes to the log.
            let log = unsafe { &*log };
            log.attach(cursor);
            got.extend((0..cursor.missed()).map(|_| None));
            got.extend(unread(log, cursor).into_iter().map(Some));
        });
    }
}

/// Readers on several threads read each event once and in order, beside a writer, even if another reader registers and is
/// dropped meanwhile.
pub fn readers_of_events_read_each_one_once() {
    read_during_a_write(2, &[&[Some(0), Some(1)]]);
}

/// Readers know how many events they missed when the log was full.
pub fn readers_of_events_know_what_they_missed() {
    read_during_a_write(1, &[&[Some(0), Some(1)], &[None, Some(1)]]);
}

/// Sends the second of two events while two threads read. `all` are the allowed results of a reader.
fn read_during_a_write(bound: usize, all: &'static [&'static [Option<u32>]]) {
    loom::model(move || {
        let events = Arc::new(Events::new(bound));
        let (mut cursor, mut got) = (Cursor::default(), Vec::new());
        events.read(&mut cursor, &mut got);
        assert!(events.send(0) && got.is_empty());
        let other = {
            let events = Arc::clone(&events);
            thread::spawn(move || {
                let mut got = Vec::new();
                events.read(&mut Cursor::default(), &mut got);
                // The events that existed when it registered.
                let all: [&[_]; 4] = [&[], &[Some(0)], &[Some(0), Some(1)], &[Some(1)]];
                assert!(all.contains(&&*got), "{got:?}");
            })
        };
        let reader = {
            let events = Arc::clone(&events);
            thread::spawn(move || {
                events.read(&mut cursor, &mut got);
                (cursor, got)
            })
        };
        let sent = events.send(1);
        other.join().unwrap();
        let (mut cursor, mut got) = reader.join().unwrap();
        events.read(&mut cursor, &mut got);
        if sent {
            assert!(all.contains(&&*got), "{got:?}");
        } else {
            assert_eq!(got, [Some(0)]);
        }
    });
}

/// Readers may register on several threads for removals of a component before its log exists, and receive all its items; a
/// reader that registers while others read starts at the end.
pub fn readers_of_removals_may_register_before_their_log() {
    loom::model(|| {
        let home = Arc::new(ReadersOf::default());
        let register = |component: u8| {
            let home = Arc::clone(&home);
            thread::spawn(move || {
                let mut cursor = Cursor::default();
                cursor.attach(&home.get(usize::from(component)), [0, 0], Start::First);
                cursor
            })
        };
        let threads = [register(7), register(7)];
        let other = home.get(8);
        let cursors = threads.map(|thread| thread.join().unwrap());
        assert!(other.is_empty());

        let mut log = Log::new(4, home.get(7));
        log.push_if_read(item(0));
        assert_eq!(log.len(), 1, "recorded for the two readers");
        let log = Arc::new(log);
        let threads = cursors.map(|mut cursor| {
            let log = Arc::clone(&log);
            thread::spawn(move || {
                log.attach_at_end(&mut cursor);
                assert_eq!(unread(&log, &cursor), [0]);
                cursor
            })
        });
        let mut late = Cursor::default();
        log.attach_at_end(&mut late);
        assert_eq!(unread(&log, &late), []);
        let cursors = threads.map(|thread| thread.join().unwrap());
        assert_eq!(log.readers().count(), 3);
        drop(cursors);
        assert_eq!(log.readers().count(), 1, "the others are gone");

        let Ok(mut log) = Arc::try_unwrap(log) else {
            unreachable!("the other threads have ended")
        };
        log.push_if_read(item(1));
        log.drop_read();
        log.attach_at_end(&mut late);
        assert_eq!((log.len(), late.missed()), (1, 0));
        assert_eq!(unread(&log, &late), [1]);
        log.drop_read();
        assert_eq!(log.len(), 0);
        drop(late);
        log.drop_read();
        log.push_if_read(item(2));
        assert_eq!(log.len(), 0, "no reader is left");
    });
}

/// A reader may leave while another one arrives; the log forgets the one and keeps items for the other.
pub fn readers_may_go_while_others_come() {
    loom::model(|| {
        let home = Arc::new(ReadersOf::default());
        let attached = |home: &ReadersOf| {
            let mut cursor = Cursor::default();
            cursor.attach(&home.get(7), [0, 0], Start::First);
            cursor
        };
        let old = attached(&home);
        let thread = {
            let home = Arc::clone(&home);
            thread::spawn(move || attached(&home))
        };
        drop(old);
        let new = thread.join().unwrap();
        let mut log = Log::new(4, home.get(7));
        assert_eq!(log.readers().count(), 1);
        log.push_if_read(item(0));
        assert_eq!(unread(&log, &new), [0]);
        drop(new);
        log.push_if_read(item(1));
        assert_eq!(log.len(), 1, "no reader is left");
    });
}
