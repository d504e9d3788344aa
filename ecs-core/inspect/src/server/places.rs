//! The places of connections that send requests: who gets one, and who has to go.

use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most threads that don't serve the owner: after a connection is closed, its thread may still be about to end.
const THREADS: usize = 64;
/// The time that a client may take to send a body or read an answer before another one may get its place.
const HELD: Duration = Duration::from_secs(1);

/// The wrong tokens that are answered in a second. A page with the token of an earlier run sends some.
pub(super) const GUESSES: u32 = 256;

/// The kinds of connections. Each has places of its own, so that none keeps another out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeatGroup {
    /// Requests for the program without token.
    Others,
    /// Requests for the files of the page, for which browsers send no token.
    Files,
    /// It once brought the token.
    Owner,
}

impl SeatGroup {
    /// The places of the group.
    pub(super) fn places(self) -> usize {
        match self {
            Self::Others => 22,
            Self::Files => 8,
            Self::Owner => 16,
        }
    }
}

/// The open connections of a server whose first head is complete.
#[derive(Debug)]
pub(super) struct Places {
    state: Mutex<Connections>,
    ended: Condvar,
    /// The start of a second, and the wrong tokens since then.
    guesses: Mutex<(Instant, u32)>,
    /// The connections that came so far.
    accepted: AtomicU64,
}

#[derive(Debug)]
struct Connections {
    /// In the order of their arrival.
    all: Vec<Seat>,
    threads: usize,
    /// The threads of connections that were opened without token.
    other_threads: usize,
    /// The last number of a connection.
    last: u64,
    refused: u64,
    closed: bool,
}

#[derive(Debug)]
struct Seat {
    number: u64,
    stream: Arc<TcpStream>,
    group: SeatGroup,
    state: SeatState,
    since: Instant,
}

/// Those that come first are the first to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SeatState {
    /// The connection was refused, and only waits for its client to see why.
    Refused,
    /// No head is complete since the last answer.
    Idle,
    /// A body is read, or an answer is written: it depends on the client how long this takes.
    WithClient,
    /// The program has the request.
    WithProgram,
}

impl Seat {
    /// Returns whether another connection may get the place.
    fn may_go(&self) -> bool {
        match self.state {
            SeatState::Refused | SeatState::Idle => true,
            SeatState::WithClient => self.since.elapsed() > HELD,
            SeatState::WithProgram => false,
        }
    }

    fn turn(&mut self, state: SeatState) {
        self.state = state;
        self.since = Instant::now();
    }
}

impl Connections {
    /// Returns whether the group has a place, after the connection was closed that needs one least, if there is no other place.
    fn make_place(&mut self, group: SeatGroup) -> bool {
        let of_group = || {
            self.all
                .iter()
                .enumerate()
                .filter(|(_, seat)| seat.group == group)
        };
        if of_group().count() < group.places() {
            return true;
        }
        let least = of_group().filter(|(_, seat)| seat.may_go());
        let least = least.min_by_key(|(_, seat)| (seat.state, seat.since));
        let Some((index, _)) = least else {
            return false;
        };
        let seat = self.all.remove(index);
        let _ = seat.stream.shutdown(Shutdown::Both);
        self.refused += 1;
        true
    }

    fn seat(&mut self, number: u64) -> Option<&mut Seat> {
        self.all.iter_mut().find(|seat| seat.number == number)
    }
}

impl Places {
    pub(super) fn new() -> Self {
        let state = Connections {
            all: Vec::new(),
            threads: 0,
            other_threads: 0,
            last: 0,
            refused: 0,
            closed: false,
        };
        Self {
            state: Mutex::new(state),
            ended: Condvar::new(),
            guesses: Mutex::new((Instant::now(), 0)),
            accepted: AtomicU64::new(0),
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

    /// Takes a place for a connection whose head is complete, and returns its number. Never waits.
    pub(super) fn enter(&self, stream: &Arc<TcpStream>, group: SeatGroup) -> Option<u64> {
        let mut state = self.state();
        let has_thread = group == SeatGroup::Owner || state.other_threads < THREADS;
        if state.closed || !has_thread || !state.make_place(group) {
            state.refused += 1;
            return None;
        }
        state.last += 1;
        let number = state.last;
        state.all.push(Seat {
            number,
            stream: Arc::clone(stream),
            group,
            state: SeatState::WithClient,
            since: Instant::now(),
        });
        Some(number)
    }

    /// Another head is complete. Returns whether its request may be answered: not when the connection was closed, nor when it
    /// needs another place and there is none.
    pub(super) fn work(&self, number: u64, group: SeatGroup) -> bool {
        let mut state = self.state();
        let moves = state
            .seat(number)
            .map(|seat| seat.group != group && seat.group != SeatGroup::Owner);
        let may = match moves {
            Some(true) => state.make_place(group),
            Some(false) => true,
            None => false,
        };
        match state.seat(number).filter(|_| may) {
            Some(seat) => {
                if moves == Some(true) {
                    seat.group = group;
                }
                seat.turn(SeatState::WithClient);
            }
            None => state.refused += 1,
        }
        may
    }

    /// The program has the request.
    pub(super) fn ask(&self, number: u64) {
        self.turn(number, SeatState::WithProgram);
    }

    /// The program has answered.
    pub(super) fn reply(&self, number: u64) {
        self.turn(number, SeatState::WithClient);
    }

    /// The answer is written.
    pub(super) fn rest(&self, number: u64) {
        self.turn(number, SeatState::Idle);
    }

    /// The connection was refused.
    pub(super) fn linger(&self, number: u64) {
        self.turn(number, SeatState::Refused);
    }

    fn turn(&self, number: u64, to: SeatState) {
        if let Some(seat) = self.state().seat(number) {
            seat.turn(to);
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

    /// A thread starts, for a connection of the group or for the server itself.
    pub(super) fn add_thread(&self, group: Option<SeatGroup>) {
        let mut state = self.state();
        state.threads += 1;
        state.other_threads += usize::from(is_other(group));
    }

    pub(super) fn end_thread(&self, group: Option<SeatGroup>) {
        let mut state = self.state();
        state.threads -= 1;
        state.other_threads -= usize::from(is_other(group));
        drop(state);
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

    pub(super) fn count_accepted(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    pub(super) fn refused(&self) -> u64 {
        self.state().refused
    }
}

fn is_other(group: Option<SeatGroup>) -> bool {
    matches!(group, Some(SeatGroup::Others | SeatGroup::Files))
}
