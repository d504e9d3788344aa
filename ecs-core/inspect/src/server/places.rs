//! The places of connections: which one may come, work, or has to go.

use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most connections at a time.
pub(super) const CONNECTIONS: usize = 24;
/// The most connections whose request is read, waits, or is answered, without token. The others are free for the owner.
pub(super) const BUSY: usize = CONNECTIONS - 2;
/// The most threads: after a connection is closed, its thread may still be about to end.
const THREADS: usize = 2 * CONNECTIONS;

/// The wrong tokens that are answered in a second. A page with the token of an earlier run sends some.
pub(super) const GUESSES: u32 = 256;

/// The open connections of a server.
#[derive(Debug)]
pub(super) struct Places {
    state: Mutex<Connections>,
    ended: Condvar,
    /// The start of a second, and the wrong tokens since then.
    guesses: Mutex<(Instant, u32)>,
}

#[derive(Debug)]
struct Connections {
    all: Vec<Seat>,
    /// Counts up with each change, so that a smaller number is longer ago.
    now: u64,
    threads: usize,
    refused: u64,
    closed: bool,
}

#[derive(Debug)]
struct Seat {
    number: u64,
    stream: TcpStream,
    /// A head was complete, and its answer is not written.
    busy: bool,
    /// It once brought the token.
    owner: bool,
    since: u64,
}

/// The outcome for a new connection.
pub(super) enum Entered {
    Place(u64),
    Full,
}

impl Places {
    pub(super) fn new() -> Self {
        let state = Connections {
            all: Vec::with_capacity(CONNECTIONS),
            now: 0,
            threads: 0,
            refused: 0,
            closed: false,
        };
        Self {
            state: Mutex::new(state),
            ended: Condvar::new(),
            guesses: Mutex::new((Instant::now(), 0)),
        }
    }

    /// Counts a wrong token. Returns whether its request may be answered.
    pub(super) fn may_guess(&self) -> bool {
        let mut guesses = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        if guesses.0.elapsed() > Duration::from_secs(1) {
            *guesses = (Instant::now(), 0);
        }
        guesses.1 = guesses.1.saturating_add(1);
        guesses.1 <= GUESSES
    }

    fn state(&self) -> MutexGuard<'_, Connections> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place. Without a free one, the connection that has been idle for the longest time is closed, the owner's last.
    pub(super) fn enter(&self, stream: &TcpStream) -> Entered {
        // Threads of closed connections end as soon as they run.
        self.wait_for_threads(THREADS, Duration::from_millis(50));
        let mut state = self.state();
        let Ok(stream) = stream.try_clone() else {
            state.refused += 1;
            return Entered::Full;
        };
        if state.closed || state.threads > THREADS {
            state.refused += 1;
            return Entered::Full;
        }
        if state.all.len() >= CONNECTIONS {
            let idle = state
                .all
                .iter()
                .enumerate()
                .filter(|(_, place)| !place.busy);
            let oldest = idle
                .min_by_key(|(_, place)| (place.owner, place.since))
                .map(|(index, _)| index);
            state.refused += 1;
            let Some(index) = oldest else {
                return Entered::Full;
            };
            let place = state.all.swap_remove(index);
            let _ = place.stream.shutdown(Shutdown::Both);
        }
        state.now += 1;
        let number = state.now;
        state.all.push(Seat {
            number,
            stream,
            busy: false,
            owner: false,
            since: number,
        });
        Entered::Place(number)
    }

    /// A head is complete. Returns whether its request may be answered: not when the connection was closed, nor without token
    /// when only the places of the owner are left.
    pub(super) fn work(&self, number: u64, owner: bool) -> bool {
        let mut state = self.state();
        let busy = state
            .all
            .iter()
            .filter(|place| place.busy && !place.owner)
            .count();
        let may = owner || busy < BUSY;
        let place = state.all.iter_mut().find(|place| place.number == number);
        match place {
            Some(place) if may => {
                place.busy = true;
                place.owner |= owner;
                true
            }
            _ => {
                state.refused += 1;
                false
            }
        }
    }

    /// The answer is written.
    pub(super) fn rest(&self, number: u64) {
        let mut state = self.state();
        state.now += 1;
        let now = state.now;
        if let Some(place) = state.all.iter_mut().find(|place| place.number == number) {
            place.busy = false;
            place.since = now;
        }
    }

    /// The connection was refused, and only waits for its client to see why: it is the first to give its place to another one.
    pub(super) fn linger(&self, number: u64) {
        let mut state = self.state();
        if let Some(place) = state.all.iter_mut().find(|place| place.number == number) {
            place.busy = false;
            place.since = 0;
        }
    }

    /// The connection ends.
    pub(super) fn leave(&self, number: u64) {
        self.state().all.retain(|place| place.number != number);
    }

    /// A request was turned away.
    pub(super) fn count_refused(&self) {
        self.state().refused += 1;
    }

    /// Ends all connections. There are no new ones.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.end_all();
    }

    /// Ends all connections.
    pub(super) fn end_all(&self) {
        for seat in self.state().all.drain(..) {
            let _ = seat.stream.shutdown(Shutdown::Both);
        }
    }

    pub(super) fn add_thread(&self) {
        self.state().threads += 1;
    }

    pub(super) fn end_thread(&self) {
        self.state().threads -= 1;
        self.ended.notify_all();
    }

    /// Waits until there are at most this many threads, or for this time.
    pub(super) fn wait_for_threads(&self, most: usize, time: Duration) {
        let end = Instant::now() + time;
        let mut state = self.state();
        while state.threads > most {
            let Some(left) = end.checked_duration_since(Instant::now()) else {
                return;
            };
            state = self
                .ended
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    pub(super) fn open(&self) -> usize {
        self.state().all.len()
    }

    pub(super) fn refused(&self) -> u64 {
        self.state().refused
    }
}
