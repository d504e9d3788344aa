//! One world and several shards have the same results.

mod checkpoints;
mod killed;
mod liars;
mod life;
mod refused;
mod rules;
mod totals;
mod town;

use std::num::NonZeroUsize;

use ecs_core::shard::{self, ShardConfig, ShardError, Shards};

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
