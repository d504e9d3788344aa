//! Pulses: the signs of life of a process, however long its systems take.
//!
//! A killed process closes its connections. A machine without power, a cut line and a process that stands still close nothing, and
//! for the others they are like a shard that works. So each two processes have a second connection, and a thread of each
//! sends a byte over it in every [`BEAT`]. The connection for rounds does not serve: a byte there would wait behind a long frame,
//! and timely's threads, which own that one, write only when a worker does. The options of TCP sockets (keep-alive, user timeout)
//! would need two seconds, a crate, and would not notice a process that stands still, because its kernel answers.
//!
//! Bytes of rounds are signs of life, too, so pulses that wait behind them on a narrow line are not missed.

use core::time::Duration;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use crate::net::NetError;
use crate::net::link::{Fate, Fates};

/// The time between two pulses.
pub(super) const BEAT: Duration = Duration::from_millis(100);

/// The shortest silence that means something.
pub(super) const LEAST_SILENCE: Duration = Duration::from_millis(300);

/// The thread that sends and receives pulses.
pub(super) struct Pulses {
    /// Ends the thread when it is dropped.
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

/// The pulses of another process.
struct PulseLine {
    peer: usize,
    socket: TcpStream,
    last_sign: Instant,
}

impl Pulses {
    /// Starts the thread. `lines` has the connection for pulses to each other shard.
    ///
    /// A process is watched from its first sign of life on, because it may still be waiting for others, and at the latest
    /// after `deadline`, when it has given that up.
    pub(super) fn start(
        lines: Vec<(usize, TcpStream)>,
        fates: Arc<Fates>,
        silence: Duration,
        deadline: Duration,
    ) -> Result<Pulses, NetError> {
        let failed = |error| NetError::io("start the thread of pulses", &error);
        let last_sign = Instant::now() + deadline;
        let mut watched = Vec::new();
        for (peer, socket) in lines {
            socket.set_nonblocking(true).map_err(failed)?;
            watched.push(PulseLine {
                peer,
                socket,
                last_sign,
            });
        }
        let (stop, stopped) = mpsc::channel();
        let thread = Builder::new().name("pulses".to_owned());
        let thread = thread.spawn(move || beat(watched, &fates, silence, &stopped));
        let thread = thread.map_err(failed)?;
        Ok(Pulses { stop, thread })
    }

    pub(super) fn stop(self) {
        drop(self.stop);
        self.thread.join().expect("pulses do not panic");
    }
}

/// Sends pulses, and notes shards that are silent, until it is stopped.
fn beat(mut lines: Vec<PulseLine>, fates: &Fates, silence: Duration, stopped: &Receiver<()>) {
    // All pulses that have come while this process stood still.
    let mut bytes = vec![0; 64 << 10];
    loop {
        for line in &mut lines {
            // A line that is full or broken needs no other byte.
            let _ = line.socket.write(&[1]);
        }
        let asleep = Instant::now();
        let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(BEAT) else {
            return;
        };
        // The signs of the others are yet to be delivered if this process stood still.
        let stood_still = asleep.elapsed() > BEAT * 2;
        for line in &mut lines {
            let has_pulse = matches!(line.socket.read(&mut bytes), Ok(1..));
            let is_alive = fates.take_sign(line.peer) | has_pulse;
            let now = Instant::now();
            if is_alive || (stood_still && line.last_sign < now) {
                line.last_sign = now;
            }
            let silent = now.saturating_duration_since(line.last_sign);
            if silent >= silence {
                fates.note(line.peer, Fate::Silent(silent));
            }
        }
    }
}
