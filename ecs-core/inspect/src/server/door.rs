//! The door: one thread accepts connections and reads their first heads, and never waits for one of them.
//!
//! A connection gets a place, and a thread, when its first head is complete: only then the server knows whose it is. Until then
//! it stands at the door, where it costs no thread. When too many stand there, the oldest one goes whose head is not there, so
//! however many come and say nothing, one that sends its request gets an answer.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::Parts;
use super::connection::{self, HEAD, LINGER, PIECE, Response};
use super::parse::{Parsed, Refusal, RequestHead, Rules, parse_more};

/// The most connections at the door.
pub(super) const MOST: usize = 256;
/// The time that a connection may stand there and say nothing.
const SILENT: Duration = Duration::from_secs(10);
/// The connections that are accepted before others are looked at.
const BURST: usize = 64;
/// The time between two looks when nothing happens, and the longest time between two looks at the same connection.
const NAP: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(16);

/// A connection whose first head is not complete.
struct Newcomer {
    stream: Arc<TcpStream>,
    bytes: Vec<u8>,
    /// The number of bytes that were searched: no head ends in them.
    seen: usize,
    /// It was refused, and only waits for its client to see why.
    is_refused: bool,
    /// The time to go.
    end: Instant,
    next_look: Instant,
    pause: Duration,
}

/// The outcome of a look at a connection.
enum FirstLook {
    Stays,
    Goes,
    Refused(Refusal),
    Head(RequestHead),
}

struct ServerDoor<'a, Q> {
    shared: &'a Arc<Parts<Q>>,
    /// In the order of their arrival.
    all: VecDeque<Newcomer>,
    /// The last time that all were looked at.
    swept: Instant,
}

/// Accepts connections until the server is closed.
pub(super) fn stand<Q: Send + 'static>(listener: &TcpListener, shared: &Arc<Parts<Q>>) {
    let mut door = ServerDoor {
        shared,
        all: VecDeque::new(),
        swept: Instant::now(),
    };
    let mut waits = true;
    while !shared.closing.load(Ordering::SeqCst) {
        // While no connection stands at the door, the thread sleeps until one comes.
        if waits != door.all.is_empty() {
            waits = !waits;
            if listener.set_nonblocking(!waits).is_err() {
                return;
            }
        }
        let accepted = door.accept(listener, if waits { 1 } else { BURST });
        let has_left = door.look_at_due();
        if !(accepted || has_left || waits) {
            thread::sleep(NAP);
        }
    }
}

impl<Q: Send + 'static> ServerDoor<'_, Q> {
    /// Accepts so many connections if they are there. Returns whether there was one.
    fn accept(&mut self, listener: &TcpListener, most: usize) -> bool {
        for number in 0..most {
            match listener.accept() {
                Ok((stream, _)) if self.shared.closing.load(Ordering::SeqCst) => drop(stream),
                Ok((stream, _)) => {
                    self.take_in(stream);
                    self.shared.places.count_accepted();
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return number > 0,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    // Most often there are too many open files: the oldest one is closed, and others have time to be.
                    self.turn_out_oldest();
                    thread::sleep(NAP);
                    return number > 0;
                }
            }
        }
        true
    }

    fn take_in(&mut self, stream: TcpStream) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        if self.all.len() >= MOST {
            // Many of them may have gone, or have sent their heads.
            if self.swept.elapsed() > NAP {
                self.look_at(|_| true);
                self.swept = Instant::now();
            }
            if self.all.len() >= MOST {
                self.turn_out_oldest();
            }
        }
        let now = Instant::now();
        let newcomer = Newcomer {
            stream: Arc::new(stream),
            bytes: Vec::new(),
            seen: 0,
            is_refused: false,
            end: now + SILENT,
            next_look: now,
            pause: Duration::ZERO,
        };
        if let Some(newcomer) = self.go_on(newcomer) {
            self.all.push_back(newcomer);
        }
    }

    /// Closes the connection that came first, unless its head is there.
    fn turn_out_oldest(&mut self) {
        let oldest = self.all.pop_front();
        if oldest.and_then(|oldest| self.go_on(oldest)).is_some() {
            self.shared.places.count_refused();
        }
    }

    /// Looks at those whose time has come. Returns whether one left.
    fn look_at_due(&mut self) -> bool {
        let (now, before) = (Instant::now(), self.all.len());
        self.look_at(|newcomer| newcomer.next_look <= now);
        self.all.len() != before
    }

    fn look_at(&mut self, is_due: impl Fn(&Newcomer) -> bool) {
        for _ in 0..self.all.len() {
            let Some(newcomer) = self.all.pop_front() else {
                return;
            };
            let stays = match is_due(&newcomer) {
                true => self.go_on(newcomer),
                false => Some(newcomer),
            };
            self.all.extend(stays);
        }
    }

    /// Looks at a connection. Returns it if it stays at the door.
    fn go_on(&self, mut newcomer: Newcomer) -> Option<Newcomer> {
        let refusal = match newcomer.look(&self.shared.rules) {
            FirstLook::Stays => return Some(newcomer),
            FirstLook::Goes => return None,
            FirstLook::Refused(refusal) => refusal,
            FirstLook::Head(head) => {
                match connection::enter(self.shared, &newcomer.stream, &head) {
                    Ok(number) => {
                        let Newcomer { stream, bytes, .. } = newcomer;
                        connection::start(self.shared, number, stream, bytes, head);
                        return None;
                    }
                    Err(refusal) => refusal,
                }
            }
        };
        newcomer.refuse(refusal).then_some(newcomer)
    }
}

impl Newcomer {
    /// Reads what is there.
    fn look(&mut self, rules: &Rules) -> FirstLook {
        let mut piece = [0; PIECE];
        let now = Instant::now();
        match (&*self.stream).read(&mut piece) {
            Ok(0) => return FirstLook::Goes,
            Ok(_) if self.is_refused => self.pause = Duration::ZERO,
            Ok(count) => {
                if self.bytes.is_empty() {
                    self.end = now + HEAD;
                }
                self.bytes.extend_from_slice(&piece[..count]);
                self.pause = Duration::ZERO;
                match parse_more(&self.bytes, &mut self.seen, rules) {
                    Parsed::Head(head) => return FirstLook::Head(head),
                    Parsed::Refused(refusal) => return FirstLook::Refused(refusal),
                    Parsed::Partial => {}
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.pause = (self.pause * 2).clamp(NAP, LONGEST);
            }
            Err(_) => return FirstLook::Goes,
        }
        self.next_look = now + self.pause;
        match now >= self.end {
            true if self.is_refused || self.bytes.is_empty() => FirstLook::Goes,
            true => FirstLook::Refused(connection::LATE),
            false => FirstLook::Stays,
        }
    }

    /// Answers, as far as the system takes the bytes at once, and returns whether the connection stays until its client has seen why.
    fn refuse(&mut self, Refusal { status, message }: Refusal) -> bool {
        let answer = Response::refusal(status).to_bytes(message.as_bytes());
        let written = (&*self.stream).write(&answer);
        self.is_refused = true;
        self.bytes = Vec::new();
        self.end = Instant::now() + LINGER;
        written.is_ok() && self.stream.shutdown(Shutdown::Write).is_ok()
    }
}
