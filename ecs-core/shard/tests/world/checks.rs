//! `shard_check` names the first difference, also where values are equal.

use std::sync::atomic::{AtomicU64, Ordering};

use ecs_core::prelude::*;
use ecs_core::shard::{ShardCheckError, Shards, TickNumber, shard_check};
use serde::{Deserialize, Serialize, Serializer};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "checks.none")]
struct NoNumber(f32);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "checks.zero")]
struct Zero(f32);

/// Ids differ between shards, and so the signs of the zeros do.
#[system(for_each)]
fn sign(entity: Entity, zero: &mut Zero, tick: Res<TickNumber>) {
    let is_odd = entity.index() % 2 == 1;
    if tick.number() == 3 && is_odd {
        zero.0 = -0.0;
    }
}

#[test]
fn zeros_of_different_signs_are_a_difference() {
    let game = |shards: &mut Shards| {
        let both = |_| (NoNumber(f32::NAN), Zero(0.0));
        shards.setup(move |world| _ = world.spawn_batch((0..5).map(both)));
        shards.systems(sign);
    };
    let Err(ShardCheckError::Different(difference)) = shard_check(game, 6) else {
        panic!("there is no difference");
    };
    assert_eq!((difference.tick, &*difference.name), (3, "checks.zero"));
    let text = difference.to_string();
    assert!(text.contains("::sign`: the entity "), "{text}");
    assert!(text.contains("-0"), "{text}");
}

/// A value that is written as another one some times.
#[derive(Component, Clone, Debug, Deserialize)]
#[component(data = "checks.fickle")]
struct Fickle;

static WRITTEN: AtomicU64 = AtomicU64::new(0);

impl Serialize for Fickle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The first world has another hash than the second, and no later look finds it.
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        serializer.serialize_u64(u64::from(number < 2))
    }
}

#[test]
fn a_difference_of_hashes_alone_is_called_that() {
    let game = |shards: &mut Shards| _ = shards.setup(|world| _ = world.spawn(Fickle));
    let found = shard_check(game, 2).unwrap_err().to_string();
    assert!(
        found.starts_with(
            "tick 0: the hash of one world and the one with rows in another order differ, and a second look at all values finds \
             no difference; help: "
        ),
        "{found}"
    );
}

#[test]
fn a_world_that_stops_is_named() {
    let fails = |shards: &mut Shards| {
        #[system]
        fn fail(tick: Res<TickNumber>) -> Result<(), String> {
            match tick.number() {
                2 => Err("a test fails on purpose".into()),
                _ => Ok(()),
            }
        }
        shards.systems(fail);
    };
    let found = shard_check(fails, 4).unwrap_err().to_string();
    assert!(found.starts_with("one world: "), "{found}");
    assert!(found.contains("a test fails on purpose"), "{found}");
}
