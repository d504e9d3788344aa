//! Rounds between shards in threads and in processes, and among strangers.

mod children;
mod ends;
mod hostile;
mod lines;
mod meetings;
mod rounds;
#[cfg(target_os = "linux")]
mod spaces;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use ecs_core::shard::{Net, NetError, Peers, run_processes};

/// Longer than any test that succeeds.
const LONG: Duration = Duration::from_secs(60);

/// Longer than anything that waits for no [`LONG`] time, on a machine that is busy with something else.
const SOON: Duration = Duration::from_secs(20);

/// Mixes a number into a hash.
fn mix(hash: u64, number: u64) -> u64 {
    (hash ^ number)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}

/// The part of a round that one shard sends to another: any length up to `most`, and bytes that tell where they belong.
fn part(round: u64, from: usize, to: usize, most: usize) -> Vec<u8> {
    let mut state = mix(mix(mix(7, round), from as u64), to as u64);
    let length = if state.is_multiple_of(5) {
        0
    } else {
        (state % (most as u64 + 1)) as usize
    };
    // A prime number of bytes, again and again: no piece of a part is like another one.
    let bytes = (0..997).map(|i| {
        state = mix(state, i);
        state as u8
    });
    let mut bytes = bytes.collect::<Vec<u8>>().repeat(length / 997 + 1);
    bytes.truncate(length);
    bytes
}

/// Does rounds, and checks that each shard gets the parts that the others have sent to it.
fn exchange(net: &mut dyn Net, rounds: u64, most: usize) -> Result<(), NetError> {
    let (me, shards) = (net.me(), net.shards());
    for round in 0..rounds {
        let got = net.round((0..shards).map(|to| part(round, me, to, most)).collect())?;
        let expected: Vec<Vec<u8>> = (0..shards)
            .map(|from| part(round, from, me, most))
            .collect();
        assert!(got == expected, "round {round} of shard {me}");
    }
    Ok(())
}

/// Addresses of this machine that no other test has.
#[cfg(target_os = "linux")]
fn addresses(count: usize) -> Vec<SocketAddr> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let pid = std::process::id();
    // Below the ports that the system chooses. No listener looks for a free one: a program that another thread was about to start
    // could still have it a moment later.
    let port = 10_000 + (pid / 250 % 20_000) as u16;
    let octet = |number: u32| 1 + (number % 250) as u8;
    let address = || {
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        ([127, octet(pid), octet(next / 250), octet(next)], port).into()
    };
    (0..count).map(|_| address()).collect()
}

/// Addresses of this machine that no other test has.
#[cfg(not(target_os = "linux"))]
fn addresses(count: usize) -> Vec<SocketAddr> {
    let listeners = (0..count).map(|_| std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap());
    let listeners: Vec<_> = listeners.collect();
    let addresses = listeners.iter().map(|listener| listener.local_addr());
    addresses.collect::<Result<_, _>>().unwrap()
}

/// Runs shards as if they were processes, with sockets between threads of this one.
fn run_here<R: Send>(
    addresses: &[SocketAddr],
    set: impl Fn(Peers) -> Peers + Sync,
    work: impl Fn(&mut dyn Net) -> R + Sync,
) -> Vec<thread::Result<Result<R, NetError>>> {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..addresses.len())
            .map(|me| {
                let peers = Peers::new(addresses.iter().copied(), me);
                let peers = peers.patience(LONG).silence(LONG);
                let (set, work) = (&set, &work);
                scope.spawn(move || run_processes(&set(peers), |net| work(net)))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    })
}
