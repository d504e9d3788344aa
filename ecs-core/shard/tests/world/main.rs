//! One world and several shards have the same results.

mod balanced;
mod checkpoints;
mod checks;
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

use std::num::NonZeroUsize;

use ecs_core::shard::{self, ShardConfig, ShardError, Shards, shard_check};

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
