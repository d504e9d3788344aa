//! Setups that are not the same on all shards, and tests of resources.

use std::sync::atomic::{AtomicU64, Ordering};

use ecs_core::prelude::*;
use ecs_core::shard::{
    self, Gid, Grid, Reduce, Reduction, ShardConfig, ShardError, Shards, TickNumber, shard_check,
};
use ecs_core::tree::ChildOf;
use ecs_core::world::hooks::OnAdd;
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

/// The values that live at this moment, and the most that ever did.
static LIVING: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

#[derive(Component, Debug, Serialize, Deserialize)]
#[component(data = "setups.counted")]
#[serde(from = "u64")]
struct Counted(u64);

impl From<u64> for Counted {
    fn from(number: u64) -> Self {
        let living = LIVING.fetch_add(1, Ordering::Relaxed) + 1;
        MOST.fetch_max(living, Ordering::Relaxed);
        Self(number)
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.0.into()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        LIVING.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn shards_hold_the_world_once_and_a_part_each() {
    let game = |shards: &mut Shards| {
        shards.setup_parts(20, |world, part| {
            let places = (part * 50..(part + 1) * 50).map(|n| [n as f32 / 10.0, 0.5]);
            world.spawn_batch(places.map(|place| (Place(place), Counted::from(part))));
        });
        shards.place(Grid::bounded(100, 1, 1.0), |place: &Place| place.0);
    };
    let four = ShardConfig::threads(4.try_into().unwrap());
    let own = shard::run(&four, game, |shard| Ok(shard.own_len())).unwrap();
    assert_eq!(own, [250; 4]);
    let most = MOST.load(Ordering::Relaxed);
    assert!(most <= 1000 + 4 * 50, "{most} at once, of 1000");
    assert_eq!(LIVING.load(Ordering::Relaxed), 0);
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "setups.tools", storage = "sparse", track)]
struct Tools(Vec<u64>);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "setups.friend")]
struct Friend(Entity);

#[derive(Relation, Clone, Copy, Debug, Serialize, Deserialize)]
#[relation(data = "setups.admires")]
struct Admires;

#[system(for_each)]
fn sharpen(tools: &mut Tools, tick: Res<TickNumber>) {
    tools.0.push(tick.number());
}

#[system(for_each)]
fn go(gid: &Gid, place: &mut Place, tick: Res<TickNumber>) {
    place.0[0] = (gid.random(tick.number()) % 16) as f32;
}

/// Trees and friends, whose parts lie anywhere in the world.
fn settlers(shards: &mut Shards) {
    shards.setup(|world| {
        world.insert_resource(Seed(7));
        world.spawn(Place([3.5, 0.5]));
    });
    shards.setup_parts(9, |world, part| {
        let mut last = None;
        for n in part * 5..(part + 1) * 5 {
            let place = Place([(Gid::random_of(n, 1) % 16) as f32, 0.5]);
            let one = world.spawn((place, Tools(vec![n; n as usize % 3])));
            if let Some(last) = last.replace(one) {
                world.insert(one, (Friend(last), Admires.to(last))).unwrap();
            }
            if n % 2 == 0 {
                world.spawn((Tools(vec![n]), ChildOf.to(one)));
            }
            if n % 7 == 0 {
                // The ids of what comes later are in another order then.
                world.despawn(one).unwrap();
                world.spawn(place);
            }
        }
    });
    let place = shards.place(Grid::bounded(16, 1, 1.0), |place: &Place| place.0);
    place.keep_together::<ChildOf>(0.0);
    shards.systems((sharpen, go));
}

#[test]
fn a_world_that_is_made_in_parts_is_the_same_on_any_number_of_shards() {
    shard_check(settlers, 12).unwrap_or_else(|error| panic!("{error}"));
    let own = shard::run(&ShardConfig::solo(), settlers, |shard| Ok(shard.own_len()));
    assert_eq!(own.unwrap(), [1 + 45 + 19], "19 of them are children");
}

#[test]
fn types_of_a_part_are_known_where_nothing_of_it_lives() {
    let game = |shards: &mut Shards| {
        shards.setup_parts(3, |world, part| {
            _ = world.spawn((Place([part as f32, 0.5]), Tools(vec![part])));
        });
        shards.place(Grid::bounded(16, 1, 1.0), |place: &Place| place.0);
        shards.systems(go);
    };
    shard_check(game, 8).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_part_of_a_setup_makes_only_entities() {
    let error = |part: fn(&mut World)| {
        let game = |shards: &mut Shards| _ = shards.setup_parts(2, move |world, _| part(world));
        let result = shard::run(&ShardConfig::solo(), game, |_| Ok(()));
        result.unwrap_err().to_string()
    };
    let found = error(|world| _ = world.insert_resource(Seed(1)));
    assert!(
        found.starts_with("part 0 of the setup inserts a resource"),
        "{found}"
    );
    let found = error(|world| _ = world.observe(|_: OnAdd<Place>| ()));
    assert!(found.contains("help: do it in `setup`"), "{found}");
    let found = error(|world| _ = world.spawn(Socket));
    assert!(found.contains("Socket"), "{found}");
}

#[derive(Component)]
struct Socket;
