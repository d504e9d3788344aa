//! Shards as processes, over TCP.

use core::time::Duration;
use std::net::{Shutdown, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use timely_communication::allocator::ProcessBuilder;
use timely_communication::allocator::zero_copy::bytes_slab::BytesRefill;
use timely_communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};
use timely_communication::{Allocator, Hooks};

use crate::net::link::{CheckedSocket, Fates, PieceWriter};
use crate::net::meeting::{PeerSockets, meet};
use crate::net::pulse::Pulses;
use crate::net::rounds::Rounds;
use crate::net::{Net, NetError, Peers, Solo};

/// The time for the last words of a shard that has failed, if a connection does not take them.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// The most buffers of 1 MiB that a thread of a connection keeps for later.
const SPARE_BUFFERS: usize = 4;

/// Meets the other processes, and runs `work` on the calling thread. With one address it is [`Solo`], without a socket.
///
/// Each connection has two threads, and one more sends [signs of life](Peers::silence). When the function returns, they have ended,
/// and the port is free. If `work` panics, so does this function, when it has sent the others a message.
///
/// ```
/// use ecs_core::shard::{NetError, Peers, run_processes};
/// use std::{net::TcpListener, thread};
///
/// # let free = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
/// # let addresses = free.each_ref().map(|port| port.local_addr().unwrap());
/// # drop(free);
/// /// Any program: this one runs as two threads instead of two processes.
/// fn program(peers: &Peers) -> Result<Vec<u8>, NetError> {
///     run_processes(peers, |net| {
///         let mine = vec![net.me() as u8];
///         Ok(net.round(vec![mine; net.shards()])?.concat())
///     })?
/// }
///
/// let other = Peers::new(addresses, 1);
/// let other = thread::spawn(move || program(&other));
/// assert_eq!(program(&Peers::new(addresses, 0))?, [0, 1]);
/// assert_eq!(other.join().unwrap()?, [0, 1]);
/// # Ok::<(), NetError>(())
/// ```
///
/// # Errors
/// If the settings cannot work, or not all processes meet in time. Errors of rounds are results of `work`.
///
/// # Panics
/// If `work` does.
pub fn run_processes<R>(
    peers: &Peers,
    work: impl FnOnce(&mut dyn Net) -> R,
) -> Result<R, NetError> {
    peers.check()?;
    if peers.shards() == 1 {
        return Ok(work(&mut Solo));
    }
    let (allocator, writers, wires) = connect(peers, meet(peers)?)?;
    let mut rounds = Rounds::of_process(
        allocator,
        writers,
        peers.patience,
        peers.max_frame,
        Arc::clone(&wires.fates),
    );
    let result = catch_unwind(AssertUnwindSafe(|| work(&mut rounds)));
    let is_well = result.is_ok() && !rounds.has_failed();
    rounds.finish(result.is_err());
    wires.close(if is_well { peers.patience } else { LAST_WORDS });
    result.map_or_else(|panic| resume_unwind(panic), Ok)
}

/// All connections of a process.
struct Wires {
    sockets: Vec<TcpStream>,
    fates: Arc<Fates>,
    pulses: Pulses,
    /// Joins the threads when it is dropped.
    threads: CommsGuard,
}

/// Starts the threads of the connections. `sockets` has one for each other shard.
fn connect(
    peers: &Peers,
    met: Vec<Option<PeerSockets>>,
) -> Result<(Allocator, Vec<PieceWriter>, Wires), NetError> {
    let failed = |error| NetError::io("start the threads of the connections", &error);
    let (me, fates) = (peers.me, Arc::new(Fates::new(met.len())));
    let (mut sockets, mut lines, mut writers) = (Vec::new(), Vec::new(), Vec::new());
    for (peer, met) in met.into_iter().enumerate() {
        let (rounds, pulses) = met.map(|met| (met.rounds, met.pulses)).unzip();
        if let Some(socket) = &rounds {
            let writer = PieceWriter::new(socket, me, peer, Arc::clone(&fates), peers.patience);
            writers.push(writer.map_err(failed)?);
        }
        sockets.push(rounds);
        lines.extend(pulses.map(|socket| (peer, socket)));
    }
    let copies: Result<Vec<TcpStream>, _> =
        sockets.iter().flatten().map(TcpStream::try_clone).collect();
    let copies = copies.map_err(failed)?;
    let links = sockets.into_iter().enumerate();
    let links = links
        .map(|(peer, socket)| Some(CheckedSocket::new(socket?, me, peer, Arc::clone(&fates))))
        .collect();
    let defaults = Hooks::default();
    let refill = BytesRefill {
        limit: Some(SPARE_BUFFERS),
        ..defaults.refill
    };
    let hooks = Hooks {
        refill: refill.clone(),
        ..defaults
    };
    let local = ProcessBuilder::new_typed_vector(1, refill, None);
    let (builders, threads) =
        initialize_networking_from_sockets(local, links, me, 1, hooks).map_err(failed)?;
    let pulses = Pulses::start(lines, Arc::clone(&fates), peers.silence, peers.deadline)?;
    let builder = builders
        .into_iter()
        .next()
        .expect("one worker has one builder");
    Ok((
        Allocator::Tcp(builder.build()),
        writers,
        Wires {
            sockets: copies,
            fates,
            pulses,
            threads,
        },
    ))
}

impl Wires {
    /// Waits until all that was sent is on its way, but no longer than the time, and ends the connections and their threads.
    fn close(self, time: Duration) {
        self.fates.wait_until_written(self.sockets.len(), time);
        self.pulses.stop();
        for socket in &self.sockets {
            // It fails if the other end is gone. The bytes on their way still arrive.
            let _ = socket.shutdown(Shutdown::Both);
        }
        drop(self.threads);
    }
}
