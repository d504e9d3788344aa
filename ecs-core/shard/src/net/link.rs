//! Connections between processes that never make timely's threads panic: malformed data is stopped, and errors are hidden.
//!
//! Timely has two threads for each connection, one that reads and one that writes. They use numbers
//! from the stream as indices, and panic if a connection breaks. So a [`CheckedSocket`] checks each head before they see it. When
//! the stream breaks or is malformed, they read a regular end of timely's protocol instead: zeros for the rest of the current
//! piece, then a head of zeros. A [`Fate`] records the reason.
//!
//! The thread that writes only writes that end. Pieces are written by a [`PieceWriter`].

use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::{self, Thread};

use timely_communication::allocator::zero_copy::stream::Stream;
use timely_communication::networking::MessageHeader;
use timely_communication::{Bytesable, Push};

use crate::net::FrameProblem;
use crate::net::piece::{CHANNEL, HEAD, LONGEST_BODY, NetPiece, PieceHead, TAIL};

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

    fn has_any(&self) -> bool {
        self.ends.iter().any(|end| end.get().is_some())
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
    /// Bytes at the end of those that were read: a part of heads, or heads for which timely's buffer had no room.
    rest: [u8; BOTH_HEADS],
    /// Timely has read the rest up to `given`, and may read up to `checked`.
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
        let heads = Heads { me, peer, body: 0 };
        CheckedSocket {
            socket,
            fates,
            heads,
            rest: [0; BOTH_HEADS],
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

    /// Reads the next bytes behind the rest, which is not checked, into a buffer that begins with it. Returns how many bytes timely
    /// may read.
    fn fill(&mut self, buffer: &mut [u8]) -> usize {
        let filled = self.filled;
        match read_socket(&mut self.socket, &mut buffer[filled..]) {
            0 => {
                self.close(Fate::Ended);
                0
            }
            read => {
                self.fates.note_sign(self.heads.peer);
                self.filled += read;
                let (checked, end) = self.heads.check(&buffer[..self.filled]);
                self.end = end;
                checked
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
            let ready = &self.rest[self.given..self.checked];
            if !ready.is_empty() {
                let count = out.len().min(ready.len());
                out[..count].copy_from_slice(&ready[..count]);
                self.given += count;
                return Ok(count);
            }
            // Timely only asks for more after it has delivered all earlier pieces. So the end comes after them.
            if let Some(fate) = self.end.take() {
                self.close(fate);
                continue;
            }
            // Timely has read all checked bytes.
            self.rest.copy_within(self.checked..self.filled, 0);
            self.filled -= self.checked;
            (self.given, self.checked) = (0, 0);
            if out.len() > BOTH_HEADS {
                // Heads and bytes of frames in one go.
                out[..self.filled].copy_from_slice(&self.rest[..self.filled]);
                let checked = self.fill(out);
                if self.closed.is_some() {
                    continue;
                }
                self.filled -= checked;
                if self.end.is_some() {
                    // Nothing is read behind the end.
                    self.filled = 0;
                }
                let rest = &out[checked..checked + self.filled];
                self.rest[..self.filled].copy_from_slice(rest);
                if checked > 0 {
                    return Ok(checked);
                }
            } else {
                let mut rest = self.rest;
                self.checked = self.fill(&mut rest);
                self.rest = rest;
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

/// The longest time that a full connection keeps a writer from looking whether a shard has ended.
const LONGEST_WRITE: Duration = Duration::from_millis(100);

/// Writes pieces to a shard, on the thread that works: timely's thread would have to be woken for each.
///
/// The other process reads in a thread of its own, so it takes all bytes while it works or writes itself.
pub(super) struct PieceWriter {
    /// Its writes take [`LONGEST_WRITE`] at most.
    socket: TcpStream,
    me: usize,
    pub(super) peer: usize,
    fates: Arc<Fates>,
    patience: Duration,
    /// Set if a piece was not sent, or a part of it: nothing can follow. The thread that reads notes the reason.
    is_broken: bool,
    /// The bytes of a piece.
    buffer: Vec<u8>,
}

impl PieceWriter {
    /// Makes the writer of shard `me` to shard `peer`.
    pub(super) fn new(
        socket: &TcpStream,
        me: usize,
        peer: usize,
        fates: Arc<Fates>,
        patience: Duration,
    ) -> io::Result<PieceWriter> {
        let socket = socket.try_clone()?;
        socket.set_write_timeout(Some(LONGEST_WRITE))?;
        let (is_broken, buffer) = (false, Vec::new());
        Ok(PieceWriter {
            socket,
            me,
            peer,
            fates,
            patience,
            is_broken,
            buffer,
        })
    }

    /// Writes what is in the buffer; returns false if not all of it could be sent.
    fn write(&mut self) -> bool {
        let (mut rest, mut waited) = (&self.buffer[..], Duration::ZERO);
        while !rest.is_empty() {
            match self.socket.write(rest) {
                Ok(written @ 1..) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if is_timeout(&error) => {}
                _ => return false,
            }
            if !rest.is_empty() {
                waited += LONGEST_WRITE;
                if self.fates.has_any() || waited > self.patience {
                    return false;
                }
            }
        }
        true
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

impl Push<NetPiece> for PieceWriter {
    fn push(&mut self, piece: &mut Option<NetPiece>) {
        let Some(piece) = piece else {
            return;
        };
        if self.is_broken {
            return;
        }
        let head = MessageHeader {
            channel: CHANNEL,
            source: self.me,
            target_lower: self.peer,
            target_upper: self.peer + 1,
            length: piece.length_in_bytes(),
            seqno: 0,
        };
        self.buffer.clear();
        let written = head.write_to(&mut self.buffer);
        written.expect("a vector has room for a head");
        piece.into_bytes(&mut self.buffer);
        self.is_broken = !self.write();
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

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Instant;

    use super::*;
    use crate::net::piece::FramePiece;

    /// Writes to shard 1 of 3, which reads nothing, until the writer gives up. Returns the time since `event`.
    fn write_until_broken(patience: Duration, event: impl FnOnce(&Fates) + Send) -> Duration {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let _far = listener.accept().unwrap();
        let fates = Arc::new(Fates::new(3));
        let mut writer = PieceWriter::new(&near, 0, 1, Arc::clone(&fates), patience).unwrap();
        let begin = Instant::now();
        thread::scope(|scope| {
            let event = scope.spawn(|| {
                thread::sleep(Duration::from_millis(200));
                event(&fates);
                Instant::now()
            });
            while !writer.is_broken {
                let (from, round, frame) = (0, 0, vec![1; LONGEST_BODY]);
                writer.push(&mut Some(NetPiece::Part(FramePiece {
                    from,
                    round,
                    range: 0..frame.len(),
                    frame,
                })));
                assert!(begin.elapsed() < Duration::from_secs(20));
            }
            event.join().unwrap().elapsed()
        })
    }

    #[test]
    fn a_writer_to_a_shard_that_reads_nothing_gives_up_soon_when_any_shard_has_ended() {
        let ends = |fates: &Fates| fates.note(2, Fate::Ended);
        let time = write_until_broken(Duration::MAX, ends);
        assert!(time < Duration::from_secs(2), "{time:?}");
    }

    #[test]
    fn a_writer_to_a_shard_that_reads_nothing_gives_up_when_its_patience_is_over() {
        let time = write_until_broken(Duration::from_millis(500), |_| {});
        assert!(time < Duration::from_secs(5), "{time:?}");
    }
}
