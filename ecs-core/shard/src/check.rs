//! `shard_check`: a test that a simulation has the same results on any number of shards.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use ecs_data::{CatalogKind, Value, WorldData};
use ecs_engine::{Entity, World};

use crate::error::ShardError;
use crate::gid::Gid;
use crate::known::Own;
use crate::local::LocalComponents;
use crate::net::{Net, Solo, run_threads};
use crate::run::{first_error, joined};
use crate::shard::Shard;
use crate::shards::Shards;

/// The numbers of shards that a check runs.
const SHARDS: [usize; 4] = [1, 2, 3, 4];

/// The time that a shard of a check waits for others.
const PATIENCE: Duration = Duration::from_secs(60);

/// The first difference between one world and others that [`shard_check`] has found, or the error that stopped one of them.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShardCheckError {
    /// The simulation has stopped.
    Stopped {
        /// The number of shards.
        shards: usize,
        /// The reason.
        error: ShardError,
    },
    /// A system, a delivery or the end of a tick has another result than in one world.
    Different(Box<ShardDifference>),
}

/// The first difference between one world and several shards, or one world whose rows are in another order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShardDifference {
    /// The number of shards; 1 for one world whose rows are in another order.
    pub shards: usize,
    /// The tick, from 0 on.
    pub tick: u64,
    /// The name of the system, or another step of the tick.
    pub step: String,
    /// The entity; none for a resource.
    pub gid: Option<Gid>,
    /// The name of the component or resource; empty if only the hashes differ, and no value.
    pub name: String,
    /// The value in one world; none if there is no such value.
    pub one_world: Option<Value>,
    /// The value on shards.
    pub shard: Option<Value>,
}

impl fmt::Display for ShardCheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped { shards: 1, error } => write!(f, "one world: {error}"),
            Self::Stopped { shards, error } => write!(f, "{shards} shards: {error}"),
            Self::Different(difference) => difference.fmt(f),
        }
    }
}

impl std::error::Error for ShardCheckError {}

impl fmt::Display for ShardDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            tick, step, name, ..
        } = self;
        let other = CheckRun::named(self.shards);
        if name.is_empty() {
            return write!(
                f,
                "tick {tick}: the hash of one world and the one with {other} differ, and a second look at all values finds no difference; help: see whether a `Serialize` writes something else each time, such as a clock, an address or an atomic number"
            );
        }
        write!(f, "tick {tick}, after `{step}`: ")?;
        match self.gid {
            Some(gid) => write!(f, "the entity {gid}")?,
            None => f.write_str("a resource")?,
        }
        write!(f, ", `{name}`")?;
        let text = |value: &Option<Value>| match value {
            Some(value) => value.to_string(),
            None => "missing".into(),
        };
        write!(
            f,
            ": {} in one world, {} with {other}",
            text(&self.one_world),
            text(&self.shard)
        )
    }
}

/// Runs a simulation in one world, in one world whose rows are shuffled and whose ids are others, and on 2, 3 and 4 shards in
/// threads, and compares the hashes after each tick.
///
/// The error names the first tick, system, entity and component that differ, with both values.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::shard::{Birth, Gid, Shards, shard_check};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "check.cell")]
/// struct Cell(u32);
///
/// #[system(for_each)]
/// fn grow(gid: &Gid, cell: &mut Cell, mut commands: Commands) {
///     cell.0 += 1;
///     if cell.0 == 10 {
///         cell.0 = 0;
///         commands.spawn((Cell(0), Birth::of(*gid, 0)));
///     }
/// }
///
/// fn dish(shards: &mut Shards) {
///     shards.setup(|world| _ = world.spawn(Cell(0)));
///     shards.systems(grow);
/// }
///
/// shard_check(dish, 40)?;
/// # Ok::<(), ecs_core::shard::ShardCheckError>(())
/// ```
///
/// O(ticks * values), for each of the five; the tick with a difference runs again with a look at every value after every step.
///
/// # Errors
/// If results differ, or the simulation stops with an error: see [`ShardError`].
///
/// # Panics
/// If a system panics.
pub fn shard_check(game: impl Fn(&mut Shards) + Sync, ticks: u64) -> Result<(), ShardCheckError> {
    let game: &(dyn Fn(&mut Shards) + Sync) = &game;
    let one = CheckRun {
        shards: 1,
        seed: None,
    };
    let hashes = one.hashes(game, ticks)?;
    let shuffled = CheckRun {
        shards: 1,
        seed: Some(1),
    };
    let sharded = SHARDS[1..]
        .iter()
        .map(|&shards| CheckRun { shards, seed: None });
    for variant in std::iter::once(shuffled).chain(sharded) {
        let found = variant.hashes(game, ticks)?;
        let different = hashes
            .iter()
            .zip(&found)
            .position(|(one, other)| one != other);
        if let Some(tick) = different {
            let tick = tick as u64;
            let [expected, found] = [one.steps(game, tick)?, variant.steps(game, tick)?];
            let difference = first_difference(variant.shards, tick, &expected, &found);
            return Err(ShardCheckError::Different(Box::new(difference)));
        }
    }
    Ok(())
}

/// A way to run a simulation.
#[derive(Clone, Copy)]
struct CheckRun {
    shards: usize,
    /// Shuffles rows, and shifts ids.
    seed: Option<u64>,
}

type Values = BTreeMap<(Option<Gid>, String), Value>;

impl CheckRun {
    fn named(shards: usize) -> String {
        match shards {
            1 => "rows in another order".into(),
            shards => format!("{shards} shards"),
        }
    }

    /// Runs a function on all shards, and returns its results.
    fn on_shards<R: Send>(
        self,
        game: &(dyn Fn(&mut Shards) + Sync),
        work: impl Fn(&mut Shard<'_>) -> Result<R, ShardError> + Sync,
    ) -> Result<Vec<R>, ShardCheckError> {
        let run = |net: &mut dyn Net| {
            let dummies = self.seed.map_or(0, |_| 17);
            let mut shard = Shard::new(net, &|shards| game(shards), dummies)?;
            // The folder is that of the real run.
            shard.plan.checkpoint = None;
            work(&mut shard)
        };
        let results = match self.shards {
            1 => vec![run(&mut Solo)],
            shards => joined(run_threads(shards, PATIENCE, run)),
        };
        first_error(results).map_err(|error| ShardCheckError::Stopped {
            shards: self.shards,
            error,
        })
    }

    fn tick(
        self,
        shard: &mut Shard<'_>,
        watch: Option<crate::tick::WatchTick<'_>>,
    ) -> Result<(), ShardError> {
        if let Some(seed) = self.seed {
            shard.shuffle_rows(seed ^ shard.ticks());
        }
        shard.tick_watched(watch)
    }

    /// Returns the hash of the world after each tick.
    fn hashes(
        self,
        game: &(dyn Fn(&mut Shards) + Sync),
        ticks: u64,
    ) -> Result<Vec<u64>, ShardCheckError> {
        let mut parts = self.on_shards(game, |shard| {
            let mut hashes = Vec::new();
            for _ in 0..ticks {
                self.tick(shard, None)?;
                hashes.push(shard.hash()?);
            }
            Ok(hashes)
        })?;
        Ok(parts.swap_remove(0))
    }

    /// Runs up to a tick, and returns all values after each step of it.
    fn steps(
        self,
        game: &(dyn Fn(&mut Shards) + Sync),
        tick: u64,
    ) -> Result<Vec<(String, Values)>, ShardCheckError> {
        let parts = self.on_shards(game, |shard| {
            for _ in 0..tick {
                self.tick(shard, None)?;
                // As in the run that found the difference.
                shard.hash()?;
            }
            let (mut steps, me) = (Vec::new(), shard.number());
            let locals = shard.plan.locals.clone();
            let mut look = |step: &str, world: &World| {
                steps.push((step.to_owned(), values(world, &locals, me == 0)));
            };
            self.tick(shard, Some(&mut look))?;
            Ok(steps)
        })?;
        let mut all: Vec<(String, Values)> = Vec::new();
        for part in parts {
            for (number, (step, values)) in part.into_iter().enumerate() {
                match all.get_mut(number) {
                    Some((_, known)) => known.extend(values),
                    None => all.push((step, values)),
                }
            }
        }
        for (_, values) in &mut all {
            let alive = values.keys().filter_map(|(gid, _)| *gid);
            let alive: BTreeSet<String> = alive.map(|gid| gid.to_string()).collect();
            values
                .values_mut()
                .for_each(|value| name_dead(value, &alive));
        }
        Ok(all)
    }
}

/// Returns the values of a shard's entities and resources, with `Gid`s in place of ids.
fn values(world: &World, locals: &LocalComponents, with_resources: bool) -> Values {
    let mut values = Values::new();
    let query = world.query_filtered::<(Entity, &Gid), Own>();
    let entities: Vec<_> = query.iter().map(|(entity, gid)| (entity, *gid)).collect();
    drop(query);
    for (entity, gid) in entities {
        let of_entity = world.entity_to_value(entity);
        let parts = of_entity.ok().and_then(|value| value.into_map().ok());
        for (name, value) in parts.into_iter().flatten() {
            let name = name.as_str().unwrap_or_default().to_owned();
            if locals.is_named(&name) {
                continue;
            }
            values.insert((Some(gid), name), by_gid(world, value));
        }
    }
    if with_resources {
        for ty in world.data_catalog() {
            if ty.kind() == CatalogKind::Resource
                && let Ok(Some(value)) = world.resource_by_name(ty.name())
            {
                values.insert((None, ty.name().to_owned()), value);
            }
        }
    }
    values
}

/// In front of a number in place of an id. An entity that has died in this tick may still have a stub on other shards, so it is only
/// known later whether the number is of a living one.
const ID: char = '\0';

/// Replaces the numbers of ids that are of no living entity.
fn name_dead(value: &mut Value, alive: &BTreeSet<String>) {
    match value {
        Value::String(text) => {
            if let Some(gid) = text.strip_prefix(ID) {
                *text = match alive.get(gid) {
                    Some(gid) => gid.clone(),
                    None => "dead".into(),
                };
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| name_dead(item, alive)),
        Value::Map(entries) => {
            for (key, value) in entries {
                name_dead(key, alive);
                name_dead(value, alive);
            }
        }
        _ => {}
    }
}

/// Replaces the ids in a value by the numbers that mean the same on all shards.
fn by_gid(world: &World, value: Value) -> Value {
    match &value {
        Value::Entity(entity) => Value::String(match world.get::<Gid>(*entity) {
            Some(gid) => format!("{ID}{}", *gid),
            None => "dead".into(),
        }),
        Value::List(items) => {
            let items = items.iter();
            items.map(|item| by_gid(world, item.clone())).collect()
        }
        Value::Map(entries) => {
            let part = |value: &Value| by_gid(world, value.clone());
            let entries = entries.iter();
            Value::Map(
                entries
                    .map(|(key, value)| (part(key), part(value)))
                    .collect(),
            )
        }
        _ => value,
    }
}

fn first_difference(
    shards: usize,
    tick: u64,
    one: &[(String, Values)],
    other: &[(String, Values)],
) -> ShardDifference {
    for ((step, one), (_, other)) in one.iter().zip(other) {
        // As text: zeros of both signs are equal, and have different hashes; not a number is not equal to itself.
        let text = |values: &Values, key: &(Option<Gid>, String)| {
            values.get(key).map(|value| format!("{value:?}"))
        };
        let keys = one.keys().chain(other.keys());
        let differs = |key: &&(Option<Gid>, String)| text(one, key) != text(other, key);
        let Some(key) = keys.filter(differs).min() else {
            continue;
        };
        return ShardDifference {
            shards,
            tick,
            step: step.clone(),
            gid: key.0,
            name: key.1.clone(),
            one_world: one.get(key).cloned(),
            shard: other.get(key).cloned(),
        };
    }
    ShardDifference {
        shards,
        tick,
        step: "the end of the tick".into(),
        gid: None,
        name: String::new(),
        one_world: None,
        shard: None,
    }
}
