//! Rounds between two shards: in threads, in processes over loopback, and by one blocking socket, which is the floor.
//!
//! ```sh
//! cargo run --profile bench -p ecs-benches --features shards --bin shard_rounds
//! ```
//!
//! Both shards send the same number of bytes. Each figure is the minimum of many batches, which the kinds take in turns: load on
//! the machine only adds to it. CPU is the time of the working thread of shard 0, and of its whole process beside it, which has
//! two threads for the connection. Linux tells them; elsewhere they are 0.

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use ecs_core::shard::{Net, NetError, Peers, run_processes, run_threads};

/// The lengths of a part.
const LENGTHS: [usize; 2] = [0, 64 << 10];

const BATCHES: usize = 40;
const ROUNDS: u32 = 250;

const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [kind, length, addresses @ ..] = &arguments[..] {
        let addresses: Vec<SocketAddr> = addresses
            .iter()
            .map(|address| address.parse().unwrap())
            .collect();
        run(kind, length.parse().unwrap(), &addresses, 1);
        return;
    }
    println!(
        "{:>9} {:>10} {:>10} {:>10} {:>13}",
        "bytes", "kind", "wall us", "CPU us", "process CPU us"
    );
    for length in LENGTHS {
        let mut best = [Figures::WORST; 3];
        let kinds = ["threads", "processes", "socket"];
        for _ in 0..BATCHES / 4 {
            for (kind, best) in kinds.iter().zip(&mut best) {
                best.improve(measure(kind, length));
            }
        }
        for (kind, best) in kinds.iter().zip(best) {
            let Figures {
                wall,
                thread,
                process,
            } = best;
            println!("{length:>9} {kind:>10} {wall:>10.1} {thread:>10.1} {process:>13.1}");
        }
    }
}

/// Microseconds for a round.
#[derive(Clone, Copy)]
struct Figures {
    wall: f64,
    thread: f64,
    process: f64,
}

impl Figures {
    const WORST: Figures = Figures {
        wall: f64::MAX,
        thread: f64::MAX,
        process: f64::MAX,
    };

    fn improve(&mut self, other: Figures) {
        self.wall = self.wall.min(other.wall);
        self.thread = self.thread.min(other.thread);
        self.process = self.process.min(other.process);
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
        .args([kind, &length.to_string()])
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
        let (thread, process) = (cpu_of("/proc/thread-self"), cpu_of_process());
        let begin = Instant::now();
        for _ in 0..ROUNDS {
            let got = net.round(vec![vec![1; length]; 2]).unwrap();
            assert_eq!(got[1].len(), length);
        }
        let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(ROUNDS);
        if (1..5).contains(&batch) {
            best.improve(Figures {
                wall: each(begin.elapsed()),
                thread: each(cpu_of("/proc/thread-self").saturating_sub(thread)),
                process: each(cpu_of_process().saturating_sub(process)),
            });
        }
    }
    best
}

fn cpu_of(task: &str) -> Duration {
    let text = fs::read_to_string(format!("{task}/schedstat")).unwrap_or_default();
    Duration::from_nanos(
        text.split(' ')
            .next()
            .and_then(|number| number.parse().ok())
            .unwrap_or(0),
    )
}

fn cpu_of_process() -> Duration {
    let tasks = fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    tasks
        .map(|task| cpu_of(task.path().to_str().unwrap()))
        .sum()
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
