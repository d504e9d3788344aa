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

/// Runs the valley on two shards, and returns the numbers of entities on the first one after each balance, and the hash.
fn lived(declare: impl Fn(&mut Shards) + Sync) -> (Vec<usize>, u64) {
    let two = ShardConfig::threads(2.try_into().unwrap());
    let ends = shard::run(&two, declare, |shard| {
        let mut counts = Vec::new();
        for _ in 0..6 {
            shard.run(6)?;
            counts.push(shard.world().query::<&Place>().iter().count());
        }
        Ok((counts, shard.hash()?))
    });
    let [west, east] = <[_; 2]>::try_from(ends.unwrap()).unwrap();
    assert_eq!(west.1, east.1);
    let whole = west
        .0
        .iter()
        .zip(&east.0)
        .all(|(west, east)| west + east == 160);
    assert!(whole, "{west:?} and {east:?}");
    west
}

#[test]
fn borders_by_time_give_a_slow_half_to_more_than_one_shard() {
    let (by_entities, expected) = lived(|shards| {
        valley(shards);
        shards.balance(6);
    });
    assert_eq!(by_entities, [80; 6]);
    let (by_time, hash) = lived(|shards| {
        valley(shards);
        shards.balance_by_time(6);
    });
    assert_eq!(hash, expected);
    // Other programs may take the processor from the fast half, but not always.
    assert!(
        by_time.iter().any(|west| (10..=70).contains(west)),
        "{by_time:?} entities in the west"
    );
}
