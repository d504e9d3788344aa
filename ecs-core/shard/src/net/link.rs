//! Connections between processes that never make timely's threads panic: malformed data is stopped, and errors are hidden.
//!
//! Timely has two threads for each connection, one that reads and one that writes. They use numbers
//! from the stream as indices, and panic if a connection breaks. So a [`CheckedSocket`] checks each head before they see it. When
//! the stream breaks or is malformed, they read a regular end of timely's protocol instead: zeros for the rest of the current
//! piece, then a head of zeros. A [`Fate`] records the reason.

use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::{self, Thread};

use timely_communication::allocator::zero_copy::stream::Stream;

use crate::net::FrameProblem;
use crate::net::piece::{CHANNEL, HEAD, LONGEST_BODY, PieceHead, TAIL};

/// The length of the head that timely puts before each message: six numbers of eight bytes.
const TIMELY_HEAD: usize = 48;

/// The heads before the bytes of a frame.
const BOTH_HEADS: usize = TIMELY_HEAD + HEAD;

const LONGEST_PIECE: u64 = (HEAD + LONGEST_BODY + TAIL) as u64;

/// The reason why a shard sends nothing more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The stream has ended or is broken.
    Ended,
    /// The stream is malformed.
    Wrong(FrameProblem),
    /// Nothing has come for this time.
    Silent(Duration),
}

/// The fate of each connection of a process.
pub(super) struct Fates {
    ends: Vec<OnceLock<Fate>>,
    /// By shard, true if something has come since it was asked.
    signs: Vec<AtomicBool>,
    /// The number of connections that have written everything.
    written: Mutex<usize>,
    changed: Condvar,
    /// The thread that waits in rounds.
    worker: Thread,
}

impl Fates {
    /// The calling thread is the one that will wait in rounds.
    pub(super) fn new(shards: usize) -> Fates {
        let ends = (0..shards).map(|_| OnceLock::new()).collect();
        let signs = (0..shards).map(|_| AtomicBool::new(false)).collect();
        Fates {
            ends,
            signs,
            written: Mutex::new(0),
            changed: Condvar::new(),
            worker: thread::current(),
        }
    }

    /// Returns the shards whose connections have ended.
    pub(super) fn ended(&self) -> Vec<usize> {
        let shards = 0..self.ends.len();
        shards.filter(|shard| self.of(*shard).is_some()).collect()
    }

    /// Returns how the connection to a shard has ended, if it has. All pieces that came before the end were delivered by then, unless
    /// it is silence.
    pub(super) fn of(&self, shard: usize) -> Option<&Fate> {
        self.ends.get(shard)?.get()
    }

    pub(super) fn note(&self, shard: usize, fate: Fate) {
        // The first reason is kept; later errors follow from it.
        let is_silent = matches!(fate, Fate::Silent(_));
        if self.ends[shard].set(fate).is_ok() && is_silent {
            // No byte wakes it.
            self.worker.unpark();
        }
    }

    fn note_sign(&self, shard: usize) {
        self.signs[shard].store(true, Ordering::Relaxed);
    }

    /// Returns whether something has come from a shard since the last call.
    pub(super) fn take_sign(&self, shard: usize) -> bool {
        self.signs[shard].swap(false, Ordering::Relaxed)
    }

    fn note_written(&self) {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Waits until `connections` of them have written everything, or `time` has passed.
    pub(super) fn wait_until_written(&self, connections: usize, time: Duration) {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self
            .changed
            .wait_timeout_while(written, time, |written| *written < connections);
        drop(wait);
    }
}

/// The connection to a shard.
pub(super) struct CheckedSocket {
    socket: TcpStream,
    fates: Arc<Fates>,
    heads: Heads,
    /// Bytes that were read together with a head. Timely has read them up to `given`, and may read up to `checked`.
    buffer: Box<[u8]>,
    given: usize,
    checked: usize,
    filled: usize,
    /// Set if the stream ends after the checked bytes.
    end: Option<Fate>,
    /// Set if the stream is closed: the number of zeros that timely has yet to read.
    closed: Option<usize>,
    is_broken_for_writing: bool,
}

impl CheckedSocket {
    /// Makes the socket of shard `me` that is connected to shard `peer`.
    pub(super) fn new(
        socket: TcpStream,
        me: usize,
        peer: usize,
        fates: Arc<Fates>,
    ) -> CheckedSocket {
        let (given, checked, filled) = (0, 0, 0);
        let buffer = vec![0; 8 << 10].into_boxed_slice();
        let heads = Heads { me, peer, body: 0 };
        CheckedSocket {
            socket,
            fates,
            heads,
            buffer,
            given,
            checked,
            filled,
            end: None,
            closed: None,
            is_broken_for_writing: false,
        }
    }

    /// Closes the stream: timely will read a regular end.
    fn close(&mut self, fate: Fate) {
        self.fates.note(self.heads.peer, fate);
        self.closed = Some(self.heads.body + TIMELY_HEAD);
    }

    /// Reads the next bytes, which begin with a head, into the buffer.
    fn fill(&mut self) {
        // Timely has read all checked bytes. The bytes after them are a part of a head, if there are any.
        self.buffer.copy_within(self.checked..self.filled, 0);
        self.filled -= self.checked;
        (self.given, self.checked) = (0, 0);
        match read_socket(&mut self.socket, &mut self.buffer[self.filled..]) {
            0 => self.close(Fate::Ended),
            read => {
                self.fates.note_sign(self.heads.peer);
                self.filled += read;
                (self.checked, self.end) = self.heads.check(&self.buffer[..self.filled]);
            }
        }
    }
}

/// Reads into a buffer that is not empty. Returns zero at the end of the stream, and after an error.
fn read_socket(socket: &mut TcpStream, bytes: &mut [u8]) -> usize {
    loop {
        match socket.read(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result.unwrap_or(0),
        }
    }
}

impl Read for CheckedSocket {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(zeros) = &mut self.closed {
                let count = out.len().min(*zeros);
                *zeros -= count;
                out[..count].fill(0);
                return Ok(count);
            }
            let ready = &self.buffer[self.given..self.checked];
            if !ready.is_empty() {
                let count = out.len().min(ready.len());
                out[..count].copy_from_slice(&ready[..count]);
                self.given += count;
                return Ok(count);
            }
            // Timely only asks for more after it has delivered all earlier pieces. So the end comes after them.
            if let Some(fate) = self.end.take() {
                self.close(fate);
            } else if self.heads.body > 0 {
                let most = out.len().min(self.heads.body);
                match read_socket(&mut self.socket, &mut out[..most]) {
                    0 => self.close(Fate::Ended),
                    read => {
                        self.fates.note_sign(self.heads.peer);
                        self.heads.body -= read;
                        return Ok(read);
                    }
                }
            } else {
                self.fill();
            }
        }
    }
}

/// A broken connection accepts all bytes and drops them. The thread that reads from it notes the reason.
impl Write for CheckedSocket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_broken_for_writing {
            return Ok(bytes.len());
        }
        match self.socket.write(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            Ok(written @ 1..) => Ok(written),
            _ => {
                self.is_broken_for_writing = true;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for CheckedSocket {
    fn try_clone(&self) -> io::Result<CheckedSocket> {
        let (me, peer) = (self.heads.me, self.heads.peer);
        Ok(CheckedSocket::new(
            self.socket.try_clone()?,
            me,
            peer,
            Arc::clone(&self.fates),
        ))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // An error means that the other end is gone already.
        let _ = self.socket.shutdown(how);
        self.fates.note_written();
        Ok(())
    }
}

/// Checks the heads of a stream.
pub(super) struct Heads {
    pub(super) me: usize,
    pub(super) peer: usize,
    /// The number of bytes until the next head.
    pub(super) body: usize,
}

impl Heads {
    /// Checks the next bytes. Returns how many of them timely may read, and the reason if the stream ends there. Otherwise less than
    /// two heads are left.
    pub(super) fn check(&mut self, bytes: &[u8]) -> (usize, Option<Fate>) {
        let mut at = 0;
        loop {
            let body = self.body.min(bytes.len() - at);
            self.body -= body;
            at += body;
            let Some((timely, rest)) = bytes[at..].split_first_chunk::<TIMELY_HEAD>() else {
                return (at, None);
            };
            let numbers: [u64; 6] = core::array::from_fn(|i| {
                u64::from_be_bytes(core::array::from_fn(|byte| timely[i * 8 + byte]))
            });
            let [channel, source, from, to, length, _] = numbers;
            if length == 0 {
                return (at, Some(Fate::Ended));
            }
            if channel != CHANNEL as u64 || length < (HEAD + TAIL) as u64 || length > LONGEST_PIECE
            {
                return (at, Some(Fate::Wrong(FrameProblem::Unknown)));
            }
            let me = self.me as u64;
            if (source, from, to) != (self.peer as u64, me, me + 1) {
                return (at, Some(Fate::Wrong(FrameProblem::Address)));
            }
            let Some((head, _)) = rest.split_first_chunk() else {
                return (at, None);
            };
            if PieceHead::read(head).from as usize != self.peer {
                return (at, Some(Fate::Wrong(FrameProblem::Address)));
            }
            at += BOTH_HEADS;
            self.body = length as usize - HEAD;
        }
    }
}
