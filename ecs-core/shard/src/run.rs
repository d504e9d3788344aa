//! `run`: shards in threads of this process, or in several processes.

use std::env;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::time::Duration;

use ecs_data::WorldData;

use crate::error::ShardError;
use crate::net::{Net, Peers, Solo, run_processes, run_threads};
use crate::shard::Shard;
use crate::shards::Shards;
use crate::tick::{declared, prepared_world};

/// The threads or processes of a simulation's shards.
#[derive(Clone, Debug)]
pub struct ShardConfig {
    place: ShardPlace,
    patience: Duration,
    resumes: bool,
}

#[derive(Clone, Debug)]
enum ShardPlace {
    Threads(usize),
    Processes(Peers),
}

impl ShardConfig {
    /// One shard: one world, without threads or sockets.
    #[must_use]
    pub fn solo() -> Self {
        Self::threads(NonZeroUsize::MIN)
    }

    /// Some shards in threads of this process: for tests. On one machine, one world whose systems use
    /// `par_for_each` is as fast.
    #[must_use]
    pub fn threads(shards: NonZeroUsize) -> Self {
        Self {
            place: ShardPlace::Threads(shards.get()),
            patience: Duration::from_secs(60),
            resumes: false,
        }
    }

    /// This process is one of several.
    #[must_use]
    pub fn processes(peers: Peers) -> Self {
        Self {
            place: ShardPlace::Processes(peers),
            patience: Duration::from_secs(60),
            resumes: false,
        }
    }

    /// Reads the variables of the environment: `SHARD_PEERS` and its companions as for [`Peers::from_env`], or `SHARDS`, the number of
    /// threads; one world without either. With `SHARD_RESUME=1` it [resumes](Self::resume); with `0`, as without it, it begins anew.
    ///
    /// # Errors
    /// If a variable has no such value.
    pub fn from_env() -> Result<Self, ShardError> {
        let config = match env::var("SHARDS") {
            _ if env::var_os("SHARD_PEERS").is_some() => Self::processes(Peers::from_env()?),
            Err(_) => Self::solo(),
            Ok(shards) => Self::threads(shards.parse().map_err(|_| ShardError::Declaration {
                problem: format!(
                    "`SHARDS` is `{shards}`; help: set it to a number of shards, such as 4"
                ),
            })?),
        };
        let resumes = resumes(&env::var("SHARD_RESUME").unwrap_or_default())?;
        Ok(if resumes { config.resume() } else { config })
    }

    /// Begins with the last [checkpoint](Shards::checkpoint) that all shards have, if there is one. Without this call a folder with
    /// checkpoints of an earlier run is an error.
    #[must_use]
    pub fn resume(mut self) -> Self {
        self.resumes = true;
        self
    }

    /// Sets the longest time that threads wait for each other, which is 60 seconds. For processes, [`Peers`] has it.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }
}

/// Reads the variable `SHARD_RESUME`.
fn resumes(value: &str) -> Result<bool, ShardError> {
    match value {
        "1" => Ok(true),
        "" | "0" => Ok(false),
        _ => Err(ShardError::Declaration {
            problem: format!(
                "`SHARD_RESUME` is `{value}`; help: set it to 1 to go on from the last checkpoint, or to 0 to begin anew"
            ),
        }),
    }
}

/// Runs shards: each makes its part of the world that `game` declares, and calls `work` with it. Returns the results
/// of `work` on all shards of this process.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::shard::{self, Gid, Grid, Neighbours, ShardConfig, ShardError, Shards};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "run.place")]
/// struct Place([f32; 2]);
/// #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
/// #[component(data = "run.mood")]
/// struct Mood(u32);
///
/// /// Everybody takes over the best mood nearby.
/// #[system(for_each)]
/// fn cheer(place: &Place, mood: &mut Mood, near: Res<Neighbours<(Mood,)>>) {
///     let moods = near.within(place.0, 1.0).map(|near| near.neighbour.value.0.0);
///     mood.0 = moods.max().unwrap_or(0);
/// }
///
/// fn street(shards: &mut Shards) {
///     shards.setup(|world| {
///         for x in 0..64 {
///             world.spawn((Place([x as f32 + 0.5, 0.5]), Mood(x)));
///         }
///     });
///     shards.place(Grid::bounded(64, 1, 1.0), |place: &Place| place.0).mirror::<(Mood,)>(1.0);
///     shards.systems(cheer);
/// }
///
/// let hash = |config: ShardConfig| {
///     let hashes = shard::run(&config, street, |shard| {
///         shard.run(10)?;
///         shard.hash()
///     })?;
///     Ok::<u64, ShardError>(hashes[0])
/// };
/// assert_eq!(hash(ShardConfig::solo())?, hash(ShardConfig::threads(3.try_into().unwrap()))?);
/// # Ok::<(), ShardError>(())
/// ```
///
/// # Errors
/// The first error of a shard; if only other processes have one, that they are lost.
///
/// # Panics
/// If `game`, `work` or a system panics in one of the shards of this process.
pub fn run<R: Send>(
    config: &ShardConfig,
    game: impl Fn(&mut Shards) + Sync,
    work: impl Fn(&mut Shard<'_>) -> Result<R, ShardError> + Sync,
) -> Result<Vec<R>, ShardError> {
    let on_shard = |net: &mut dyn Net| {
        let mut shard = Shard::new(net, &|shards| game(shards), 0)?;
        match config.resumes {
            true => _ = shard.resume()?,
            false => shard.refuse_other_checkpoints()?,
        }
        let result = work(&mut shard)?;
        shard.finish_checkpoint()?;
        Ok(result)
    };
    match &config.place {
        ShardPlace::Threads(1) => Ok(vec![on_shard(&mut Solo)?]),
        &ShardPlace::Threads(shards) => {
            let results = run_threads(shards, config.patience, on_shard);
            first_error(joined(results))
        }
        ShardPlace::Processes(peers) => {
            let mut plan = declared(&|shards| game(shards))?;
            let types = prepared_world(&mut plan)?.schema_hash();
            let resumes = u64::from(config.resumes);
            let schema = types.rotate_left(1) ^ plan.digest()?.rotate_left(2) ^ resumes;
            let peers = peers.clone().schema(schema);
            first_error(vec![run_processes(&peers, on_shard)?])
        }
    }
}

/// Runs one shard over a network of your own, such as MPI.
///
/// ```
/// use ecs_core::shard::{ShardError, Shards, Solo, run_on};
///
/// let nothing = |shards: &mut Shards| _ = shards.setup(|_| ());
/// let ticks = run_on(&mut Solo, nothing, |shard| {
///     shard.run(5)?;
///     Ok(shard.ticks())
/// })?;
/// assert_eq!(ticks, 5);
/// # Ok::<(), ShardError>(())
/// ```
///
/// # Errors
/// See [`ShardError`].
///
/// # Panics
/// If `game`, `work` or a system panics.
pub fn run_on<R>(
    net: &mut dyn Net,
    game: impl Fn(&mut Shards),
    work: impl FnOnce(&mut Shard<'_>) -> Result<R, ShardError>,
) -> Result<R, ShardError> {
    let mut shard = Shard::new(net, &|shards| game(shards), 0)?;
    let result = work(&mut shard)?;
    shard.finish_checkpoint()?;
    Ok(result)
}

/// Returns the results of threads, or panics like the first one that has.
pub(crate) fn joined<R>(results: Vec<std::thread::Result<R>>) -> Vec<R> {
    let results = results.into_iter();
    results
        .map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)))
        .collect()
}

/// Returns the results, or the error of the shard that failed first: others only know that it is lost.
pub(crate) fn first_error<R>(results: Vec<Result<R, ShardError>>) -> Result<Vec<R>, ShardError> {
    let (mut found, mut of_peer) = (Vec::new(), None);
    for result in results {
        match result {
            Ok(result) => found.push(result),
            Err(error) if error.is_of_peer() => of_peer = Some(error),
            Err(error) => return Err(error),
        }
    }
    of_peer.map_or(Ok(found), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_to_resume_in_other_words_does_not_begin_anew() {
        for (value, expected) in [("1", true), ("0", false), ("", false)] {
            assert_eq!(resumes(value).unwrap(), expected);
        }
        for value in ["true", "yes", " 1"] {
            let error = resumes(value).unwrap_err().to_string();
            assert!(error.contains("help: set it to 1"), "{error}");
        }
    }
}
