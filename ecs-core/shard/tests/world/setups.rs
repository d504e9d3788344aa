//! Setups that are not the same on all shards, and tests of resources.

use std::sync::atomic::{AtomicU64, Ordering};

use ecs_core::prelude::*;
use ecs_core::shard::{
    self, Grid, Reduce, Reduction, ShardConfig, ShardError, Shards, TickNumber, shard_check,
};
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "setups.place")]
struct Place([f32; 2]);

#[derive(Resource, Clone, Copy, Debug, Serialize, Deserialize)]
#[resource(data = "setups.seed")]
struct Seed(u64);

#[test]
fn a_resource_that_differs_between_shards_is_found() {
    #[system(for_each)]
    fn grow(place: &mut Place, seed: Res<Seed>) {
        place.0[1] += (seed.0 > 1000) as u8 as f32;
    }
    let next = AtomicU64::new(0);
    let game = |shards: &mut Shards| {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        shards.setup(move |world| {
            world.insert_resource(Seed(seed));
            world.spawn(Place([0.0; 2]));
        });
        shards.systems(grow);
    };
    let two = ShardConfig::threads(2.try_into().unwrap());
    let found = shard::run(&two, game, |shard| shard.hash());
    assert!(
        matches!(found, Err(ShardError::Resources { .. })),
        "{found:?}"
    );
}

struct People;

#[system(for_each)]
fn walk(place: &mut Place, people: Res<Reduce<People>>) {
    people.add(1);
    place.0[0] = (place.0[0] + 1.0) % 8.0;
}

fn is_late(tick: Res<TickNumber>, people: Res<Reduce<People>>) -> bool {
    tick.number() >= 3 && people.total() == 8
}

#[system(for_each)]
fn rise(place: &mut Place) {
    place.0[1] += 0.25;
}

fn walkers(shards: &mut Shards) {
    shards.setup(|world| _ = world.spawn_batch((0..8).map(|n| Place([n as f32, 0.0]))));
    shards.place(Grid::bounded(8, 4, 1.0), |place: &Place| place.0);
    shards.reduce::<People>(Reduction::Sum);
    shards.systems((walk, rise.run_if(is_late)));
}

#[test]
fn a_condition_about_shared_resources_is_the_same_everywhere() {
    shard_check(walkers, 12).unwrap_or_else(|error| panic!("{error}"));
    let risen = shard::run(&ShardConfig::solo(), walkers, |shard| {
        shard.run(6)?;
        let world = shard.world();
        Ok(world
            .query::<&Place>()
            .iter()
            .all(|place| place.0[1] == 0.75))
    });
    assert_eq!(risen.unwrap(), [true]);
}

#[test]
fn a_condition_about_entities_is_refused() {
    fn is_anybody_left(left: Query<&Place>) -> bool {
        left.iter().any(|place| place.0[0] < 1.0)
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| _ = world.spawn(Place([0.0; 2])));
        shards.systems(rise.run_if(is_anybody_left));
    };
    let found = shard::run(&ShardConfig::solo(), game, |_| Ok(()))
        .unwrap_err()
        .to_string();
    assert!(found.contains("rise` has the condition `"), "{found}");
    assert!(found.contains("help: test a resource"), "{found}");
}
