//! Slow, silent and broken lines to a far machine: relays between processes, which need no rights of the system. `spaces.rs` has the
//! same on network interfaces.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ecs_core::shard::{Net, NetError, Peers, run_processes};

use super::{LONG, SOON, addresses, exchange, mix};

/// The silence that is noticed by default.
const DEFAULT: Duration = Duration::from_millis(800);

const SLOW: u8 = 0;
const SILENT: u8 = 1;
const BROKEN: u8 = 2;

/// The lines between the last shard and all others, which it calls.
#[derive(Clone)]
struct FarLines(Arc<AtomicU8>);

impl FarLines {
    /// Makes a relay to an address, and returns its own one. The relay ends with the connection.
    fn relay_to(&self, target: SocketAddr) -> SocketAddr {
        let listener = TcpListener::bind((target.ip(), 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let lines = self.clone();
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                // The target may not listen yet: the caller tries again.
                let Ok(far) = TcpStream::connect(target) else {
                    continue;
                };
                for (seed, from, to) in [(1, &near, &far), (2, &far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let lines = lines.clone();
                    thread::spawn(move || lines.pump(seed, from, to));
                }
            }
        });
        address
    }

    /// Passes bytes on: some of them at a time, each time after a while.
    fn pump(&self, seed: u64, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = [0; 60_000];
        for chunk in 0.. {
            let random = mix(seed, chunk);
            let most = 1 + random as usize % bytes.len();
            let read = from.read(&mut bytes[..most]).unwrap_or(0);
            thread::sleep(Duration::from_micros(random % 5_000));
            while self.0.load(Ordering::Relaxed) == SILENT {
                thread::sleep(Duration::from_millis(5));
            }
            let is_broken = self.0.load(Ordering::Relaxed) == BROKEN;
            if read == 0 || is_broken || to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        for socket in [from, to] {
            _ = socket.shutdown(Shutdown::Both);
        }
    }
}

/// Runs three shards, the last of which is far away, and returns their results.
fn run_far<R: Send>(
    silence: Duration,
    work: impl Fn(&mut dyn Net, &FarLines) -> R + Sync,
) -> Vec<R> {
    let lines = FarLines(Arc::new(AtomicU8::new(SLOW)));
    let near = addresses(3);
    let mut far = near.clone();
    for address in &mut far[..2] {
        *address = lines.relay_to(*address);
    }
    thread::scope(|scope| {
        let shards: Vec<_> = [&near, &near, &far]
            .into_iter()
            .enumerate()
            .map(|(me, addresses)| {
                let peers = Peers::new(addresses.iter().copied(), me);
                let peers = peers.deadline(LONG).patience(LONG).silence(silence);
                let (work, lines) = (&work, &lines);
                scope.spawn(move || run_processes(&peers, |net| work(net, lines)).unwrap())
            })
            .collect();
        let results = shards.into_iter().map(|shard| shard.join().unwrap());
        results.collect()
    })
}

/// Does rounds until one fails, and spoils the lines after some. Returns the error, and the time since then.
fn until_spoilt(net: &mut dyn Net, lines: &FarLines, how: u8) -> (NetError, Duration) {
    let mut spoilt = Instant::now();
    for round in 0.. {
        if round == 10 {
            spoilt = Instant::now();
            lines.0.store(how, Ordering::Relaxed);
        }
        if let Err(error) = net.round(vec![vec![1; 1000]; net.shards()]) {
            return (error, spoilt.elapsed());
        }
    }
    unreachable!()
}

#[test]
fn lines_that_delay_and_split_what_is_sent_carry_it() {
    let results = run_far(LONG, |net, _| exchange(net, 15, 300_000));
    assert_eq!(results, [Ok(()), Ok(()), Ok(())]);
}

#[test]
fn a_shard_whose_lines_break_is_lost_and_the_others_are_for_it() {
    for (me, (error, time)) in run_far(LONG, |net, lines| until_spoilt(net, lines, BROKEN))
        .into_iter()
        .enumerate()
    {
        let NetError::Lost { shards } = &error else {
            panic!("shard {me}: {error:?}")
        };
        assert!(shards.contains(&2) || me == 2, "shard {me}: {error:?}");
        assert!(time < SOON, "{time:?}");
    }
}

#[test]
fn a_shard_whose_lines_fall_silent_is_noticed_within_a_second_and_the_others_are_by_it() {
    let results = run_far(DEFAULT, |net, lines| until_spoilt(net, lines, SILENT));
    for (me, (error, time)) in results.iter().enumerate() {
        let NetError::Silent { shards, waited } = error else {
            panic!("shard {me}: {error:?}")
        };
        assert!(shards.contains(&2) != (me == 2), "shard {me}: {error:?}");
        assert!(*waited >= Duration::from_millis(800), "{waited:?}");
        assert!(*time < SOON, "{time:?}");
    }
    // On a busy machine not all of them.
    let first = results.iter().map(|(_, time)| *time).min();
    assert!(first < Some(Duration::from_secs(1)), "{first:?}");
}

#[test]
fn a_shard_that_works_long_is_not_silent() {
    let results = run_far(DEFAULT, |net, _| {
        for round in 0..4 {
            if net.me() == round {
                thread::sleep(Duration::from_millis(1500));
            }
            net.round(vec![vec![1; 1000]; 3])?;
        }
        Ok::<_, NetError>(())
    });
    assert_eq!(results, [Ok(()), Ok(()), Ok(())]);
}

#[test]
fn silence_that_ends_in_time_is_not_noticed() {
    let results = run_far(LONG, |net, lines| {
        for round in 0..12 {
            if round == 5 && net.me() == 0 {
                lines.0.store(SILENT, Ordering::Relaxed);
                let lines = lines.clone();
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(300));
                    lines.0.store(SLOW, Ordering::Relaxed);
                });
            }
            net.round(vec![vec![round; 5000]; 3])?;
        }
        Ok::<_, NetError>(())
    });
    assert_eq!(results, [Ok(()), Ok(()), Ok(())]);
}
