//! Entities without places live on the shard that their number says, and new ones on their parent's for a tick.

use ecs_core::prelude::*;
use ecs_core::shard::{
    self, Birth, Gid, Inbox, Outbox, ShardCheckError, ShardConfig, Shards, TickNumber, shard_check,
};
use serde::{Deserialize, Serialize};

use crate::checkpoints::Folder;
use crate::hash_of;

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "hashed.letters")]
struct Letters(u64);

#[derive(Clone, Serialize, Deserialize)]
struct Letter;

/// Most are for entities that are not born yet, or were born in the last tick.
#[system(for_each)]
fn post(gid: &Gid, tick: Res<TickNumber>, letters: Res<Outbox<Letter>>) {
    for nth in 0..8 {
        let to = gid.random(tick.number() * 8 + nth) % (20 + 8 * tick.number());
        letters.send(*gid, Gid::from_number(to), Letter);
    }
}

#[system(for_each)]
fn read(gid: &Gid, letters: &mut Letters, inbox: Res<Inbox<Letter>>) {
    letters.0 += inbox.of(*gid).len() as u64;
}

#[system(for_each)]
fn bear(gid: &Gid, tick: Res<TickNumber>, mut commands: Commands) {
    if gid.number() < 20 && gid.random(tick.number()).is_multiple_of(3) {
        commands.spawn((Letters(0), Birth::of(*gid, 0)));
    }
}

fn village(shards: &mut Shards) {
    shards.setup(|world| _ = world.spawn_batch((0..20).map(|_| Letters(0))));
    shards.systems(post);
    shards.deliver::<Letter>();
    shards.systems((read, bear));
}

#[test]
fn a_letter_reaches_an_entity_that_was_born_on_any_shard_in_the_last_tick() {
    shard_check(village, 25).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_letter_reaches_an_entity_that_was_born_right_before_the_checkpoint() {
    let folder = Folder::new("hashed");
    let game = |shards: &mut Shards| {
        village(shards);
        shards.checkpoint(&folder.0, 4);
    };
    let run = |shards: usize, until| {
        let config = ShardConfig::threads(shards.try_into().unwrap()).resume();
        let hashes = shard::run(&config, game, |shard| {
            while shard.ticks() < until {
                shard.tick()?;
            }
            shard.hash()
        });
        hashes.unwrap()[0]
    };
    for (shards, until) in [(4, 9), (4, 14), (4, 19), (2, 23)] {
        run(shards, until);
    }
    assert_eq!(run(4, 30), hash_of(village, 1, 30).unwrap());
}

/// An entity and one that it knows.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "hashed.friend")]
struct Friend(Entity);

/// Local ids are others on other shards, from the third tick on.
#[system(for_each)]
fn cheat(entity: Entity, letters: &mut Letters, tick: Res<TickNumber>) {
    if tick.number() == 3 {
        letters.0 = entity.to_bits();
    }
}

#[system(for_each)]
fn die(entity: Entity, gid: &Gid, tick: Res<TickNumber>, mut commands: Commands) {
    if gid.random(tick.number()).is_multiple_of(4) {
        commands.despawn(entity);
    }
}

#[test]
fn a_friend_who_has_died_elsewhere_in_the_same_tick_is_no_difference() {
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            let all: Vec<Entity> = (0..60).map(|_| world.spawn(Letters(0))).collect();
            for (&entity, &friend) in all.iter().zip(all.iter().rev()) {
                world.insert(entity, Friend(friend)).unwrap();
            }
        });
        shards.systems((die, cheat).chain());
    };
    let Err(ShardCheckError::Different(difference)) = shard_check(game, 5) else {
        panic!("there is no difference");
    };
    assert_eq!((difference.tick, &*difference.name), (3, "hashed.letters"));
    assert!(difference.step.ends_with("::cheat"), "{difference}");
}
