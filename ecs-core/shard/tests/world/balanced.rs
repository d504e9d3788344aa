//! Borders that move by entities, and by the time of systems.

use std::time::{Duration, Instant};

use ecs_core::prelude::*;
use ecs_core::shard::{self, Gid, Grid, ShardConfig, Shards};
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "balanced.place")]
struct Place([f32; 2]);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "balanced.sum")]
struct Sum(u64);

/// Entities in the west take long.
#[system(for_each)]
fn think(gid: &Gid, place: &Place, sum: &mut Sum) {
    sum.0 = sum.0.wrapping_add(gid.random(sum.0));
    let begin = Instant::now();
    while place.0[0] < 8.0 && begin.elapsed() < Duration::from_micros(100) {}
}

fn valley(shards: &mut Shards) {
    shards.setup(|world| {
        let at = |n: u64| Place([n as f32 % 16.0 + 0.5, 0.5]);
        world.spawn_batch((0..160).map(|n| (at(n), Sum(n))));
    });
    shards.place(Grid::bounded(16, 1, 1.0), |place: &Place| place.0);
    shards.systems(think);
}

/// Runs the valley on two shards, and returns the number of entities on each, and the hash.
fn lived(declare: impl Fn(&mut Shards) + Sync) -> ([usize; 2], u64) {
    let two = ShardConfig::threads(2.try_into().unwrap());
    let ends = shard::run(&two, declare, |shard| {
        shard.run(23)?;
        let count = shard.world().query::<&Place>().iter().count();
        Ok((count, shard.hash()?))
    });
    let ends = ends.unwrap();
    assert_eq!(ends[0].1, ends[1].1);
    ([ends[0].0, ends[1].0], ends[0].1)
}

#[test]
fn borders_by_time_give_a_slow_half_to_more_than_one_shard() {
    let (by_entities, expected) = lived(|shards| {
        valley(shards);
        shards.balance(5);
    });
    assert_eq!(by_entities, [80, 80]);
    let ([west, east], hash) = lived(|shards| {
        valley(shards);
        shards.balance_by_time(5);
    });
    assert_eq!((west + east, hash), (160, expected));
    assert!(
        (10..=70).contains(&west),
        "{west} entities in the west, {east} in the east"
    );
}
