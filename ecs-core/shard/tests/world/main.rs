//! One world and several shards have the same results.

mod balanced;
mod checkpoints;
mod checks;
mod declared;
mod hashed;
mod killed;
mod kinds;
mod liars;
mod life;
mod refused;
mod rules;
mod setups;
mod states;
mod stays;
mod totals;
mod town;
mod villages;

use std::iter;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use ecs_core::shard::{self, Peers, ShardConfig, ShardError, Shards, shard_check};

use crate::town::town;

/// Returns the hash of a simulation after some ticks, on some shards.
pub(crate) fn hash_of(game: fn(&mut Shards), shards: usize, ticks: u64) -> Result<u64, ShardError> {
    let config = ShardConfig::threads(NonZeroUsize::new(shards).unwrap());
    let hashes = shard::run(&config, game, |shard| {
        shard.run(ticks)?;
        shard.hash()
    })?;
    assert!(hashes.iter().all(|hash| *hash == hashes[0]));
    Ok(hashes[0])
}

/// Returns free addresses of this machine, each of them once. Their ports are below the ones that the system chooses for
/// connections: a connection of another test could take such a port before its process listens.
pub(crate) fn free_addresses(count: usize) -> Vec<SocketAddr> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(64);
    let ports = iter::repeat_with(|| {
        let number = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        10_000 + (number % 20_000) as u16
    });
    let addresses = ports.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    let free = addresses.filter(|address| TcpListener::bind(address).is_ok());
    free.take(count).collect()
}

/// Runs shards like processes, with sockets between threads of this one, up to a tick. Each has its own program and settings.
/// Returns the hash or the error of each.
pub(crate) fn hash_of_processes<const N: usize>(
    games: [fn(&mut Shards); N],
    until: u64,
    set: impl Fn(usize, ShardConfig) -> ShardConfig + Sync,
) -> Vec<Result<u64, String>> {
    let (addresses, set) = (&free_addresses(N), &set);
    thread::scope(|scope| {
        let processes: Vec<_> = (0..)
            .zip(games)
            .map(|(me, game)| {
                scope.spawn(move || {
                    let peers = Peers::new(addresses.iter().copied(), me);
                    let peers = peers
                        .deadline(Duration::from_secs(2))
                        .silence(Duration::from_secs(60));
                    let config = set(me, ShardConfig::processes(peers));
                    let hashes = shard::run(&config, game, |shard| {
                        while shard.ticks() < until {
                            shard.tick()?;
                        }
                        shard.hash()
                    });
                    hashes
                        .map(|hashes| hashes[0])
                        .map_err(|error| error.to_string())
                })
            })
            .collect();
        let results = processes.into_iter().map(|process| process.join().unwrap());
        results.collect()
    })
}

#[test]
fn a_town_has_the_same_history_on_any_number_of_shards() {
    shard_check(town, 120).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn people_are_born_and_die_and_move() {
    let counts = shard::run(
        &ShardConfig::threads(3.try_into().unwrap()),
        town,
        |shard| {
            let begin = shard.total()?;
            shard.run(120)?;
            Ok((begin, shard.total()?, *shard.stats()))
        },
    );
    for (begin, end, stats) in counts.unwrap() {
        assert_eq!(begin, 180);
        assert_ne!(begin, end);
        assert!(stats.births > 10, "{stats:?}");
        assert!(stats.migrants > 100, "{stats:?}");
        assert!(stats.messages > 100, "{stats:?}");
    }
}
