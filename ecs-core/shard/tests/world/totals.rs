//! A total is the one of the last tick alone.

use ecs_core::prelude::*;
use ecs_core::shard::{self, Reduce, Reduction, ShardConfig, Shards, TickNumber};
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "totals.age")]
struct Age(i64);

struct Sum;
struct Least;
struct Most;

#[system(for_each)]
fn add(
    age: &Age,
    tick: Res<TickNumber>,
    sum: Res<Reduce<Sum>>,
    least: Res<Reduce<Least>>,
    most: Res<Reduce<Most>>,
) {
    let number = age.0 + tick.number() as i64;
    sum.add(number);
    least.add(number);
    most.add(number);
}

fn game(shards: &mut Shards) {
    shards.setup(|world| _ = world.spawn_batch((1..=10).map(Age)));
    shards
        .reduce::<Sum>(Reduction::Sum)
        .reduce::<Least>(Reduction::Min);
    shards.reduce::<Most>(Reduction::Max).systems(add);
}

#[test]
fn a_total_is_the_one_of_the_last_tick_on_every_shard() {
    for shards in 1..4 {
        let config = ShardConfig::threads(shards.try_into().unwrap());
        shard::run(&config, game, |shard| {
            let total = |world: &World| {
                let sum = world.resource::<Reduce<Sum>>().total();
                let least = world.resource::<Reduce<Least>>().total();
                [sum, least, world.resource::<Reduce<Most>>().total()]
            };
            assert_eq!(total(shard.world()), [0, i64::MAX, i64::MIN]);
            for tick in 0..4 {
                shard.tick()?;
                assert_eq!(total(shard.world()), [55 + 10 * tick, 1 + tick, 10 + tick]);
            }
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn a_total_is_declared_once() {
    let twice = |shards: &mut Shards| {
        shards.reduce::<Sum>(Reduction::Sum);
        shards.reduce::<Sum>(Reduction::Max);
    };
    let error = shard::run(&ShardConfig::solo(), twice, |_| Ok(())).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("Sum` is declared by `reduce` twice; help"),
        "{error}"
    );
}
