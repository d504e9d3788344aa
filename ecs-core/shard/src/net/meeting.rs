//! Processes find each other: every one calls those before it in the list, and is called by those after it.
//!
//! Strangers may call, too. Each gets 200 milliseconds to say a [`Hello`] and nothing in return, and does not hold up the others:
//! one thread looks after all callers in turns, and the calls to others have threads of their own.

use core::time::Duration;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use crate::net::hello::{HELLO, Hello, LineUse, Verdict};
use crate::net::{MeetingDifference, NetError, Peers};

/// The time for a caller to say who it is.
const TIME_TO_SPEAK: Duration = Duration::from_millis(200);

/// The time for a shard to answer a call.
const TIME_TO_ANSWER: Duration = Duration::from_secs(1);

/// The time between two looks at callers.
const LOOK: Duration = Duration::from_millis(1);

/// The time between two calls.
const PAUSE: Duration = Duration::from_millis(10);

/// The most callers that have time to speak at once.
const MOST_CALLERS: usize = 256;

/// The connections to another process.
pub(super) struct PeerSockets {
    pub(super) rounds: TcpStream,
    pub(super) pulses: TcpStream,
}

/// The connections that a caller has made so far.
#[derive(Default)]
struct FoundSockets {
    rounds: Option<TcpStream>,
    pulses: Option<TcpStream>,
}

impl FoundSockets {
    fn of(&mut self, line: LineUse) -> &mut Option<TcpStream> {
        match line {
            LineUse::Pulses => &mut self.pulses,
            _ => &mut self.rounds,
        }
    }

    fn all(&mut self) -> [&mut Option<TcpStream>; 2] {
        [&mut self.rounds, &mut self.pulses]
    }

    fn complete(self) -> Option<PeerSockets> {
        let (rounds, pulses) = self.rounds.zip(self.pulses)?;
        Some(PeerSockets { rounds, pulses })
    }
}

/// Returns the connections to each other process, in order of their numbers.
pub(super) fn meet(peers: &Peers) -> Result<Vec<Option<PeerSockets>>, NetError> {
    let begin = Instant::now();
    let meeting = Meeting {
        peers,
        end: begin + peers.deadline,
        calling: AtomicUsize::new(peers.me),
        is_over: AtomicBool::new(false),
    };
    // The last one is not called.
    let listener = if peers.me + 1 < peers.shards() {
        Some(meeting.listen()?)
    } else {
        None
    };
    thread::scope(|scope| {
        let meeting = &meeting;
        let calls: Vec<_> = (0..peers.me)
            .map(|to| scope.spawn(move || meeting.call(to)))
            .collect();
        let mut callers = Vec::new();
        callers.resize_with(peers.shards(), FoundSockets::default);
        let refused =
            listener.and_then(|listener| meeting.receive_callers(&listener, &mut callers));
        let mut found: Vec<_> = callers.into_iter().map(FoundSockets::complete).collect();
        let mut error = None;
        for (to, call) in calls.into_iter().enumerate() {
            match call.join().expect("a call does not panic") {
                Ok(sockets) => found[to] = sockets,
                Err(difference) => error = error.or(Some(difference)),
            }
        }
        let missing: Vec<usize> = (0..peers.shards())
            .filter(|i| *i != peers.me && found[*i].is_none())
            .collect();
        match error.or(refused.filter(|_| !missing.is_empty())) {
            Some(error) => Err(error),
            None if !missing.is_empty() => Err(NetError::Missing {
                shards: missing,
                waited: begin.elapsed(),
            }),
            None => Ok(found),
        }
    })
}

struct Meeting<'a> {
    peers: &'a Peers,
    end: Instant,
    /// The number of calls that are not finished.
    calling: AtomicUsize,
    /// Set when it has failed.
    is_over: AtomicBool,
}

/// A process that has called.
struct UnmetPeer {
    socket: TcpStream,
    since: Instant,
    bytes: [u8; HELLO],
    filled: usize,
}

impl Meeting<'_> {
    fn listen(&self) -> Result<TcpListener, NetError> {
        let address = self.peers.addresses[self.peers.me];
        let listener = TcpListener::bind(address).and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok(listener)
        });
        listener.map_err(|error| NetError::io(format!("listen at {address}"), &error))
    }

    fn hello(&self, to: usize, line: LineUse) -> Hello {
        Hello {
            shards: self.peers.shards(),
            from: self.peers.me,
            to,
            line,
            schema: self.peers.schema,
            run: self.peers.run,
            token: self.peers.token.unwrap_or_default(),
        }
    }

    /// The time that is left, unless it is over.
    fn left(&self) -> Option<Duration> {
        let left = self.end.checked_duration_since(Instant::now())?;
        (!left.is_zero() && !self.is_over.load(Ordering::Relaxed)).then_some(left)
    }

    /// Calls a shard until it answers, or the time is over.
    fn call(&self, to: usize) -> Result<Option<PeerSockets>, NetError> {
        let address = self.peers.addresses[to];
        let mut result = Ok(None);
        while let Some(left) = self.left() {
            let connect = |line| self.connect(to, line, address, left.min(TIME_TO_ANSWER));
            let call = || {
                let (rounds, pulses) = (connect(LineUse::Rounds)?, connect(LineUse::Pulses)?);
                Ok(PeerSockets { rounds, pulses })
            };
            match call() {
                Ok(sockets) => {
                    self.calling.fetch_sub(1, Ordering::Relaxed);
                    return Ok(Some(sockets));
                }
                Err(None) => {}
                Err(Some(difference)) => {
                    result = Err(NetError::Refused {
                        shard: to,
                        difference,
                    });
                    // A process of an earlier run is about to end. Others do not get better.
                    if !matches!(difference, MeetingDifference::Run { .. }) {
                        self.is_over.store(true, Ordering::Relaxed);
                        break;
                    }
                }
            }
            thread::sleep(PAUSE.min(left));
        }
        result
    }

    /// Returns the difference if another process answers, and nothing if none does, or a stranger.
    fn connect(
        &self,
        to: usize,
        line: LineUse,
        address: SocketAddr,
        time: Duration,
    ) -> Result<TcpStream, Option<MeetingDifference>> {
        let hello = self.hello(to, line);
        let talk = || {
            let mut socket = TcpStream::connect_timeout(&address, time)?;
            socket.set_nodelay(true)?;
            socket.set_read_timeout(Some(time))?;
            socket.set_write_timeout(Some(time))?;
            socket.write_all(&hello.to_bytes())?;
            let mut answer = [0; HELLO];
            socket.read_exact(&mut answer)?;
            socket.set_read_timeout(None)?;
            socket.set_write_timeout(None)?;
            Ok::<_, std::io::Error>((socket, answer))
        };
        let (socket, answer) = talk().map_err(|_| None)?;
        match hello.judge(&answer) {
            Verdict::Stranger => Err(None),
            Verdict::Differs(difference) => Err(Some(difference)),
            Verdict::Fits(from, used) if (from, used) == (to, line) => Ok(socket),
            Verdict::Fits(..) => Err(Some(MeetingDifference::Number)),
        }
    }

    /// Listens to callers until all have called and all calls are finished, or the time is over. Returns the reason why the last
    /// process with the token did not fit.
    fn receive_callers(
        &self,
        listener: &TcpListener,
        found: &mut [FoundSockets],
    ) -> Option<NetError> {
        let mut callers: Vec<UnmetPeer> = Vec::new();
        let mut refused = None;
        let later = self.peers.me + 1;
        loop {
            // A process that died meanwhile may come again.
            let mut is_complete = true;
            for socket in found[later..].iter_mut().flat_map(FoundSockets::all) {
                *socket = socket.take().filter(|socket| !has_ended(socket));
                is_complete &= socket.is_some();
            }
            if is_complete && self.calling.load(Ordering::Relaxed) == 0 {
                break;
            }
            if self.left().is_none() {
                break;
            }
            self.accept(listener, &mut callers);
            callers.retain_mut(|caller| match caller.listen() {
                Spoken::Nothing => caller.since.elapsed() < TIME_TO_SPEAK,
                Spoken::Hello => {
                    if let Err(error) = self.answer(caller, found) {
                        refused = Some(error);
                    }
                    false
                }
                Spoken::End => false,
            });
            thread::sleep(LOOK);
        }
        refused
    }

    fn accept(&self, listener: &TcpListener, callers: &mut Vec<UnmetPeer>) {
        // Not all at once, so that many strangers do not hold up those who have called.
        for _ in 0..MOST_CALLERS {
            match listener.accept() {
                Ok((socket, from)) => {
                    if self.is_allowed(from.ip()) && socket.set_nonblocking(true).is_ok() {
                        if callers.len() == MOST_CALLERS {
                            callers.remove(0);
                        }
                        callers.push(UnmetPeer {
                            socket,
                            since: Instant::now(),
                            bytes: [0; HELLO],
                            filled: 0,
                        });
                    }
                }
                // There is no other one, it has left, or the system is short of something for the moment.
                Err(_) => break,
            }
        }
    }

    fn is_allowed(&self, ip: IpAddr) -> bool {
        let ip = ip.to_canonical();
        let mut addresses = self
            .peers
            .addresses
            .iter()
            .map(|address| address.ip().to_canonical());
        addresses.any(|address| address == ip || (address.is_loopback() && ip.is_loopback()))
    }

    /// Answers a caller with the right token, and keeps its socket if it fits.
    fn answer(&self, caller: &mut UnmetPeer, found: &mut [FoundSockets]) -> Result<(), NetError> {
        let mut hello = self.hello(caller.number(), LineUse::Rounds);
        let verdict = hello.judge(&caller.bytes);
        let mut place = None;
        match verdict {
            Verdict::Stranger => return Ok(()),
            Verdict::Fits(from, line) => {
                let known = found[from].of(line);
                let is_free = from > self.peers.me && known.as_ref().is_none_or(has_ended);
                hello.line = if is_free { line } else { LineUse::Taken };
                place = is_free.then_some(known);
            }
            Verdict::Differs(_) => {}
        }
        let has_answer = caller
            .socket
            .write(&hello.to_bytes())
            .is_ok_and(|written| written == HELLO);
        match (place, verdict) {
            (Some(place), _) if has_answer => {
                let socket = caller.socket.try_clone().and_then(|socket| {
                    socket.set_nodelay(true)?;
                    Ok(socket)
                });
                *place = Some(socket.map_err(|error| NetError::io("keep a connection", &error))?);
                Ok(())
            }
            (_, Verdict::Differs(difference)) => Err(NetError::Refused {
                shard: caller.number(),
                difference,
            }),
            _ => Ok(()),
        }
    }
}

/// Returns whether the process at the other end is gone.
fn has_ended(socket: &TcpStream) -> bool {
    match socket.peek(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

enum Spoken {
    Nothing,
    Hello,
    End,
}

impl UnmetPeer {
    fn listen(&mut self) -> Spoken {
        match self.socket.read(&mut self.bytes[self.filled..]) {
            Ok(0) => Spoken::End,
            Ok(read) => {
                self.filled += read;
                if self.filled == HELLO {
                    Spoken::Hello
                } else {
                    Spoken::Nothing
                }
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted => Spoken::Nothing,
                _ => Spoken::End,
            },
        }
    }

    /// The number that it claims. Nothing is indexed by it.
    fn number(&self) -> usize {
        u32::from_le_bytes(core::array::from_fn(|i| self.bytes[12 + i])) as usize
    }
}
