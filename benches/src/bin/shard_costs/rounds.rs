//! Rounds between two shards: in threads, in processes over loopback, and by one blocking socket, which is the floor.
//!
//! Both shards send the same number of bytes. Each figure is the minimum of many batches, which the kinds take in turns: load on
//! the machine only adds to it. The time of the processor is of the working thread of shard 0, which also writes; a thread for
//! the connection reads. Linux tells it; elsewhere it is 0.

use std::env;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use ecs_core::shard::{Net, NetError, Peers, ShardError, run_processes, run_threads};

use super::{row, thread_time};

/// The kinds of connections between the shards.
const KINDS: [&str; 3] = ["threads", "processes", "socket"];

/// The lengths of a part, with the goals by kind.
const LENGTHS: [(usize, [&str; 3]); 2] =
    [(0, ["5 us", "30 us", ""]), (64 << 10, ["", "100 us", ""])];

const BATCHES: usize = 40;
const ROUNDS: u32 = 250;

const PATIENCE: Duration = Duration::from_secs(60);

/// Runs shard 1 if the arguments of the program are of its process.
pub(super) fn is_peer(arguments: &[String]) -> bool {
    let ["peer", kind, length, addresses @ ..] =
        &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    else {
        return false;
    };
    let addresses = addresses.iter().map(|address| address.parse().unwrap());
    let addresses: Vec<SocketAddr> = addresses.collect();
    run(kind, length.parse().unwrap(), &addresses, 1);
    true
}

pub(super) fn rounds() -> Result<(), ShardError> {
    for (length, goals) in LENGTHS {
        let mut best = [Figures::WORST; 3];
        for _ in 0..BATCHES / 4 {
            for (kind, best) in KINDS.iter().zip(&mut best) {
                best.improve(measure(kind, length));
            }
        }
        let floor = Some((best[2].wall, "a bare socket"));
        for ((kind, figures), goal) in KINDS.iter().zip(best).zip(goals) {
            let name = format!("a round, {kind}, {length} bytes each way");
            row(
                &name,
                figures.wall,
                "us",
                floor.filter(|_| *kind != KINDS[2]),
                goal,
            );
            row(
                &format!("{name}: time of the processor"),
                figures.thread,
                "us",
                None,
                "",
            );
        }
    }
    Ok(())
}

/// Microseconds for a round.
#[derive(Clone, Copy)]
struct Figures {
    wall: f64,
    thread: f64,
}

impl Figures {
    const WORST: Figures = Figures {
        wall: f64::MAX,
        thread: f64::MAX,
    };

    fn improve(&mut self, other: Figures) {
        self.wall = self.wall.min(other.wall);
        self.thread = self.thread.min(other.thread);
    }
}

/// Runs shard 0, and shard 1 as a thread or a process beside it.
fn measure(kind: &str, length: usize) -> Figures {
    if kind == "threads" {
        let results = run_threads(2, PATIENCE, |net| batches(net, length));
        return results.into_iter().next().unwrap().unwrap();
    }
    let free = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = free
        .each_ref()
        .map(|listener| listener.local_addr().unwrap());
    drop(free);
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["peer", kind, &length.to_string()])
        .args(addresses.map(|address| address.to_string()));
    let mut child = command.spawn().unwrap();
    let figures = run(kind, length, &addresses, 0);
    assert!(child.wait().unwrap().success());
    figures
}

fn run(kind: &str, length: usize, addresses: &[SocketAddr], me: usize) -> Figures {
    if kind == "socket" {
        return batches(&mut Socket::new(addresses[0], me), length);
    }
    let peers = Peers::new(addresses.iter().copied(), me).patience(PATIENCE);
    run_processes(&peers, |net| batches(net, length)).unwrap()
}

/// Some batches of rounds, after one to warm up and before one where threads end.
fn batches(net: &mut dyn Net, length: usize) -> Figures {
    let mut best = Figures::WORST;
    for batch in 0..6 {
        let thread = thread_time();
        let begin = Instant::now();
        for _ in 0..ROUNDS {
            let got = net.round(vec![vec![1; length]; 2]).unwrap();
            assert_eq!(got[1].len(), length);
        }
        let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(ROUNDS);
        if (1..5).contains(&batch) {
            best.improve(Figures {
                wall: each(begin.elapsed()),
                thread: each(thread_time().saturating_sub(thread)),
            });
        }
    }
    best
}

/// The floor: one blocking socket, and nothing else. Between threads it would be the same.
struct Socket {
    me: usize,
    socket: TcpStream,
}

impl Socket {
    fn new(address: SocketAddr, me: usize) -> Socket {
        let socket = if me == 0 {
            TcpListener::bind(address).unwrap().accept().unwrap().0
        } else {
            loop {
                match TcpStream::connect(address) {
                    Ok(socket) => break socket,
                    Err(_) => std::thread::sleep(Duration::from_millis(2)),
                }
            }
        };
        socket.set_nodelay(true).unwrap();
        Socket { me, socket }
    }
}

impl Net for Socket {
    fn me(&self) -> usize {
        self.me
    }

    fn shards(&self) -> usize {
        2
    }

    fn round(&mut self, mut out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, NetError> {
        let part = out.swap_remove(1 - self.me);
        let mut frame = (part.len() as u64).to_le_bytes().to_vec();
        frame.extend(part);
        let read = |socket: &mut TcpStream| {
            let mut length = [0; 8];
            socket.read_exact(&mut length).unwrap();
            let mut part = vec![0; u64::from_le_bytes(length) as usize];
            socket.read_exact(&mut part).unwrap();
            part
        };
        // One after the other, so that long frames do not fill both sockets.
        let part = if self.me == 0 || frame.len() < 10_000 {
            self.socket.write_all(&frame).unwrap();
            read(&mut self.socket)
        } else {
            let part = read(&mut self.socket);
            self.socket.write_all(&frame).unwrap();
            part
        };
        out.insert(1 - self.me, part);
        Ok(out)
    }
}
