//! Costs of worlds as data beside plain code, without link-time optimisation, and with the allocator that a program has by default.
//! The workspace builds a crate as one codegen unit; the second command uses 16, as cargo does without such a setting:
//!
//! ```text
//! cargo run --release -p ecs-benches --bin data_costs
//! CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 cargo run --release -p ecs-benches --bin data_costs
//! ```
//!
//! With `save`, `json`, `hash`, `clone`, `diff` or `snapshot` behind `--` it measures only that. Each figure is a minimum of several
//! repetitions, which ours and the plain form take in turns. Other programs still disturb it by the memory and the caches that they
//! use: on Linux root can begin with `chrt -f 50 taskset -c 0` to keep them from the processor.

use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::time::Instant;

use ecs_benches::hero::Hero;
use ecs_core::data::{Differ, HashCache, Loader, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

/// Declares a component of three numbers.
macro_rules! flat {
    ($($name:ident = $data:literal),*) => { $(
        #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
        #[component(data = $data)]
        struct $name([f32; 3]);
    )* };
}

flat!(
    Place = "costs.place",
    Turn = "costs.turn",
    Speed = "costs.speed"
);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "costs.health")]
struct Health {
    now: u32,
    most: u32,
    regen: f32,
    is_immune: bool,
}

/// One whose changes are noted, so that a `HashCache` leaves out the values that stay.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "costs.course", track)]
struct Course([f32; 3]);

type Flat = (Place, Turn, Speed);
type Rich = (Health, Hero);

const FLAT: u32 = 200_000;
const RICH: u32 = 20_000;
const SNAPSHOT: u32 = 1_000_000;

/// Each is measured for at least as many seconds.
const SECONDS: f64 = 1.5;

fn flat(number: u32) -> Flat {
    let x = number as f32;
    (
        Place([x, 1.0, 2.0]),
        Turn([0.0, x, 0.5]),
        Speed([1.0, 0.25, x]),
    )
}

fn rich(number: u32) -> Rich {
    let health = Health {
        now: number,
        most: RICH,
        regen: 0.5,
        is_immune: number.is_multiple_of(3),
    };
    (health, Hero::numbered(number))
}

fn world_of<B: Bundle>(count: u32, row: fn(u32) -> B) -> World {
    let mut world = World::new();
    world.spawn_batch((0..count).map(row));
    world
}

/// The columns of a program without a library.
#[derive(Clone, Serialize, Deserialize)]
struct FlatColumns(Vec<Place>, Vec<Turn>, Vec<Speed>);

#[derive(Clone, Serialize, Deserialize)]
struct RichColumns(Vec<Health>, Vec<Hero>);

/// An entity of a program without a library, as its save in JSON has it: with names, which the columns do without.
#[derive(Serialize, Deserialize)]
struct FlatEntity {
    id: u64,
    place: Place,
    turn: Turn,
    speed: Speed,
}

#[derive(Serialize, Deserialize)]
struct RichEntity {
    id: u64,
    health: Health,
    hero: Hero,
}

fn flat_entity(number: u32) -> FlatEntity {
    let ((place, turn, speed), id) = (flat(number), u64::from(number));
    FlatEntity {
        id,
        place,
        turn,
        speed,
    }
}

fn rich_entity(number: u32) -> RichEntity {
    let ((health, hero), id) = (rich(number), u64::from(number));
    RichEntity { id, health, hero }
}

fn flat_columns(count: u32) -> FlatColumns {
    let rows = (0..count).map(flat);
    let ((places, turns), speeds) = rows
        .map(|(place, turn, speed)| ((place, turn), speed))
        .unzip();
    FlatColumns(places, turns, speeds)
}

fn rich_columns() -> RichColumns {
    let (healths, heroes) = (0..RICH).map(rich).unzip();
    RichColumns(healths, heroes)
}

/// Calls two functions in turns, and returns the least time of each in milliseconds. Results are dropped behind the
/// time.
fn in_turns<A, B>(mut ours: impl FnMut() -> A, mut plain: impl FnMut() -> B) -> [f64; 2] {
    let mut best = [f64::MAX; 2];
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < SECONDS {
        let start = Instant::now();
        let result = black_box(ours());
        best[0] = best[0].min(start.elapsed().as_secs_f64() * 1e3);
        drop(result);
        let start = Instant::now();
        let result = black_box(plain());
        best[1] = best[1].min(start.elapsed().as_secs_f64() * 1e3);
        drop(result);
    }
    best
}

fn row(name: &str, [ours, plain]: [f64; 2], goal: &str) {
    let times = ours / plain;
    println!("| {name} | {ours:.2} ms | {plain:.2} ms | {times:.2} | {goal} |");
}

fn save() {
    save_of("flat", &world_of(FLAT, flat), &flat_columns(FLAT));
    save_of("rich", &world_of(RICH, rich), &rich_columns());
}

fn save_of<C: Serialize + for<'a> Deserialize<'a>>(kind: &str, world: &World, columns: &C) {
    let times = in_turns(
        || world.save().to_vec().expect("a save"),
        || postcard::to_allocvec(columns).expect("bytes"),
    );
    row(&format!("save, {kind}: postcard of columns"), times, "1.3");
    let saved = world.save().to_vec().expect("a save");
    let bytes = postcard::to_allocvec(columns).expect("bytes");
    let loader = Loader::new().types_of(world);
    let times = in_turns(
        || {
            let mut loaded = World::new();
            loader.load_bytes(&mut loaded, &saved).expect("a load");
            loaded
        },
        || postcard::from_bytes::<C>(&bytes).expect("columns"),
    );
    row(&format!("load, {kind}: postcard of columns"), times, "1.5");
}

fn json() {
    let entities: Vec<FlatEntity> = (0..FLAT).map(flat_entity).collect();
    json_of("flat", &world_of(FLAT, flat), &entities);
    let entities: Vec<RichEntity> = (0..RICH).map(rich_entity).collect();
    json_of("rich", &world_of(RICH, rich), &entities);
}

fn json_of<E: Serialize + for<'a> Deserialize<'a>>(kind: &str, world: &World, entities: &Vec<E>) {
    let times = in_turns(
        || serde_json::to_vec(&world.save()).expect("a save"),
        || serde_json::to_vec(entities).expect("JSON"),
    );
    let name = format!("save as JSON, {kind}: serde_json of structs");
    row(&name, times, "2");
    let saved = serde_json::to_vec(&world.save()).expect("a save");
    let bytes = serde_json::to_vec(entities).expect("JSON");
    let loader = Loader::new().types_of(world);
    let times = in_turns(
        || {
            let mut loaded = World::new();
            let mut json = serde_json::Deserializer::from_slice(&saved);
            loader.deserialize(&mut loaded, &mut json).expect("a load");
            loaded
        },
        || serde_json::from_slice::<Vec<E>>(&bytes).expect("structs"),
    );
    let name = format!("load of JSON, {kind}: serde_json of structs");
    row(&name, times, "2");
}

fn hash() {
    hash_of("flat", &world_of(FLAT, flat), "3 GB/s");
    hash_of("rich", &world_of(RICH, rich), "1 GB/s");
    hash_again();
}

/// One value of a hundred changes, and the world is hashed again.
fn hash_again() {
    let mut world = World::new();
    let courses = (0..FLAT).map(|number| Course([number as f32; 3]));
    let ids = world.spawn_batch(courses).to_vec();
    let world = RefCell::new(world);
    let turn = Cell::new(0);
    let change = || {
        let mut world = world.borrow_mut();
        for &id in ids.iter().skip(turn.get() % 100).step_by(100) {
            world.get_mut::<Course>(id).expect("it lives").0[0] += 1.0;
        }
        turn.set(turn.get() + 1);
    };
    let (mut cache, mut hasher) = (HashCache::new(), WorldHasher::new());
    let times = in_turns(
        || {
            change();
            cache.world(&world.borrow()).expect("a hash")
        },
        || {
            change();
            hasher.world(&world.borrow()).expect("a hash")
        },
    );
    row(
        "hash again, 1 % of tracked values changed, HashCache: hash of all",
        times,
        "",
    );
}

fn hash_of(kind: &str, world: &World, goal: &str) {
    let saved = world.save().to_vec().expect("a save");
    let mut hasher = WorldHasher::new();
    let times = in_turns(
        || hasher.world(world).expect("a hash"),
        || xxhash_rust::xxh3::xxh3_64(&saved),
    );
    let speed = saved.len() as f64 / times[0] / 1e6;
    row(
        &format!("hash, {kind}, {speed:.2} GB/s: xxh3 of the save"),
        times,
        goal,
    );
}

fn clone() {
    let (world, columns) = (world_of(FLAT, flat), flat_columns(FLAT));
    let times = in_turns(|| world.try_clone().expect("a clone"), || columns.clone());
    row("try_clone, flat: Clone of columns", times, "");
    let (world, columns) = (world_of(RICH, rich), rich_columns());
    let times = in_turns(|| world.try_clone().expect("a clone"), || columns.clone());
    row("try_clone, rich: Clone of columns", times, "1.5");
}

fn diff() {
    let world = world_of(FLAT, flat);
    let other = world.try_clone().expect("a clone");
    let (columns, copy) = (flat_columns(FLAT), flat_columns(FLAT));
    let bytes = |columns: &FlatColumns| -> Vec<u32> {
        let all = columns.0.iter().map(|at| at.0);
        let all = all.chain(columns.1.iter().map(|at| at.0));
        let all = all.chain(columns.2.iter().map(|at| at.0));
        all.flatten().map(f32::to_bits).collect()
    };
    let (one, two) = (bytes(&columns), bytes(&copy));
    let differ = Differ::new();
    let times = in_turns(
        || differ.between(&world, &other).expect("a difference"),
        || black_box(&one) == black_box(&two),
    );
    row("diff of equal worlds, flat: memcmp", times, "1.5");
}

fn snapshot() {
    let mut world = world_of(SNAPSHOT, flat);
    let snapshotter = Snapshotter::new();
    let mut kept = snapshotter.take(&mut world).expect("a snapshot");
    let mut columns = flat_columns(SNAPSHOT);
    let mut copy = columns.clone();
    let times = in_turns(
        || {
            snapshotter
                .take_into(&mut world, &mut kept)
                .expect("a snapshot");
            snapshotter
                .restore(&mut world, &mut kept)
                .expect("the same world");
        },
        || {
            copy.clone_from_columns(&columns);
            columns.clone_from_columns(black_box(&copy));
        },
    );
    row(
        "snapshot, 1 M x 36 bytes, there and back: memcpy",
        times,
        "1.2",
    );
}

impl FlatColumns {
    fn clone_from_columns(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
        self.1.copy_from_slice(&other.1);
        self.2.copy_from_slice(&other.2);
    }
}

fn main() {
    println!(
        "| cost: plain form | ours | plain | ours / plain | goal |\n|---|---:|---:|---:|---:|"
    );
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let all: [(&str, fn()); 6] = [
        ("save", save),
        ("json", json),
        ("hash", hash),
        ("clone", clone),
        ("diff", diff),
        ("snapshot", snapshot),
    ];
    for (name, measurement) in all {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            measurement();
        }
    }
}
