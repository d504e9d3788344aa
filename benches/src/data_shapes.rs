//! Work on worlds as data that `ir_guard` counts: values by name and as JSON, text queries, readable saves, and hashes.

use std::fmt::Debug;
use std::hint::black_box;

use ecs_core::data::{Loader, TextQuery, ValueEncoder, WorldHasher};
use ecs_core::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::hero::Hero;
use crate::peers::Peer::{Limit, Ours};
use crate::snapshot_shapes::minds;
use crate::subject::Workload;
use crate::workloads::saves::{Place, Speed, Turn, digest, row};

/// The number of entities of each world.
pub(crate) const ENTITIES: u32 = 1000;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.health")]
struct Health {
    now: u32,
    most: u32,
    regen: f32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.coins")]
struct CoinCount(u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.caption")]
struct Caption(String);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.awake")]
struct Awake(bool);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.heat")]
struct Heat(f32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.marked")]
struct Marked;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.goal", storage = "sparse")]
struct Goal(Option<u32>);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.mood")]
enum Mood {
    Calm,
    Angry { level: u32 },
}

/// A component whose values are written as JSON.
trait Written: Component + Serialize + DeserializeOwned + Debug {
    const FORMS: [&'static str; 2];
    const DATA: &'static str;

    fn new(number: u32) -> Self;
}

macro_rules! written {
    ($($ty:ident $data:literal [$serde:literal, $encoder:literal] |$number:ident| $value:expr;)*) => {$(
        impl Written for $ty {
            const FORMS: [&'static str; 2] = [$serde, $encoder];
            const DATA: &'static str = $data;

            fn new($number: u32) -> Self {
                $value
            }
        }
    )*};
}

written! {
    Health "bench.health" ["serde", "encoder"] |now| Self { now, most: ENTITIES, regen: 0.5 };
    CoinCount "bench.coins" ["u32, serde", "u32, encoder"] |number| Self(number);
    Caption "bench.caption" ["text, serde", "text, encoder"] |number| Self(format!("caption {number}"));
    Awake "bench.awake" ["bool, serde", "bool, encoder"] |number| Self(number.is_multiple_of(2));
    Heat "bench.heat" ["f32, serde", "f32, encoder"] |number| Self(number as f32 / 8.0);
    Marked "bench.marked" ["unit, serde", "unit, encoder"] |_number| Self;
    Goal "bench.goal" ["option, serde", "option, encoder"] |number| Self(number.is_multiple_of(2).then_some(number));
    Mood "bench.mood" ["enum, serde", "enum, encoder"] |level| match level % 2 {
        0 => Self::Calm,
        _ => Self::Angry { level },
    };
}

/// A text query that is counted: its form, the text, the world that it looks into, and the number of matches.
type SearchForm = (&'static str, &'static str, fn() -> World, usize);

#[rustfmt::skip]
const SEARCHES: &[SearchForm] = &[
    ("condition", "bench.health.now < 500", written::<Health>, 500),
    // Texts of several lengths: `caption 7`, `caption 77`, `caption 777`.
    ("text ==", "bench.caption == \"caption 77\"", written::<Caption>, 1),
    ("text ~", "bench.caption ~ \"ION 77\"", written::<Caption>, 11),
    ("text ~ of a long name", "bench.hero.name ~ \"R 77\"", rich, 11),
    ("list element", "bench.hero.tags[2] == \"tag 2\"", rich, 1000),
    ("map key", "bench.hero.stats[\"stat 3\"] < 1500", rich, 500),
    ("option", "bench.mind.cooldown == none", minds, 800),
    ("id", "bench.mind.target == 0v1", minds, 499),
    ("variant", "bench.mind.order == \"Wait\"", minds, 333),
    ("field of a variant", "bench.mood.Angry.level < 500", written::<Mood>, 250),
    ("sparse and table", "bench.health.now < 500, bench.goal == none", goals, 125),
];

fn written<T: Written>() -> World {
    let mut world = World::new();
    for number in 0..ENTITIES {
        world.spawn(T::new(number));
    }
    world
}

/// Checks the JSON of the last value, and returns the number of values. Forms of several components are compared with each other.
fn checked<T: Written>(json: &[u8]) -> u64 {
    // Read and not written: a second use of its `Serialize` would change the code of the loops.
    let last: T = serde_json::from_slice(json).expect("JSON of a value");
    assert_eq!(format!("{last:?}"), format!("{:?}", T::new(ENTITIES - 1)));
    ENTITIES.into()
}

fn add_encoder<T: Written>(workload: &mut Workload) {
    workload.add(
        Ours,
        T::FORMS[1],
        || {
            let world = written::<T>();
            let encoder = ValueEncoder::named(&world, T::DATA);
            (world, encoder.expect("a component"), Vec::new())
        },
        |(world, encoder, out)| {
            let view = world.view_erased(encoder.component());
            for chunk in view.chunks() {
                for row in 0..chunk.entities().len() {
                    out.clear();
                    let value = chunk.get(row).expect("a row");
                    serde_json::to_writer(&mut *out, &encoder.encode(value)).expect("JSON");
                }
            }
        },
        |(_, _, out)| checked::<T>(out),
    );
}

fn add_serde<T: Written>(workload: &mut Workload) {
    workload.add(
        Limit,
        T::FORMS[0],
        || (written::<T>(), Vec::new()),
        |(world, out)| {
            for value in &world.query::<&T>() {
                out.clear();
                serde_json::to_writer(&mut *out, value).expect("JSON");
            }
        },
        |(_, out)| checked::<T>(out),
    );
}

/// Counts the matches of a text query.
fn add_search(workload: &mut Workload, (form, text, world, expected): SearchForm) {
    workload.add(
        Ours,
        form,
        move || {
            let world = world();
            let query = TextQuery::new(&world, text);
            (world, query.expect("a query"))
        },
        move |(world, query)| {
            let matches = query.matches(world).expect("nothing is borrowed");
            assert_eq!(matches.iter().count(), expected);
        },
        |(world, _)| world.len() as u64,
    );
}

/// A world of three components of 12 bytes each, and one with names of fields.
pub(crate) fn flat() -> World {
    let mut world = World::new();
    for number in 0..ENTITIES {
        let (place, turn, speed) = row(number);
        world.spawn((place, turn, speed));
    }
    world
}

/// A world of a component in a table and a sparse one, which half of the entities have.
fn goals() -> World {
    let mut world = written::<Health>();
    let all: Vec<Entity> = world.query::<Entity>().iter().collect();
    for (number, entity) in (0..).zip(all) {
        if number % 4 < 2 {
            world.insert(entity, Goal::new(number)).expect("an entity");
        }
    }
    world
}

/// A world of strings, lists and maps.
fn rich() -> World {
    let mut world = World::new();
    for number in 0..ENTITIES {
        world.spawn(Hero::numbered(number));
    }
    world
}

/// Adds our form of a shape; does nothing for other names.
pub(crate) fn add(name: &str, workload: &mut Workload) {
    match name {
        "text_query" => (SEARCHES.iter()).for_each(|search| add_search(workload, *search)),
        "value_json" => {
            add_encoder::<Health>(workload);
            add_encoder::<CoinCount>(workload);
            add_encoder::<Awake>(workload);
            add_encoder::<Caption>(workload);
            add_encoder::<Heat>(workload);
            add_encoder::<Marked>(workload);
            add_encoder::<Goal>(workload);
            add_encoder::<Mood>(workload);
        }
        "get_by_name" => workload.add(
            Ours,
            "get_by_name",
            || {
                let world = written::<Health>();
                let entities: Vec<Entity> = world.query::<Entity>().iter().collect();
                (world, entities)
            },
            |(world, entities)| {
                for &entity in entities.iter() {
                    black_box(world.get_by_name(entity, "bench.health").expect("a name"));
                }
            },
            |(world, _)| world.len() as u64,
        ),
        "json_save" => workload.add(
            Ours,
            "to_vec",
            flat,
            |world| {
                drop(black_box(
                    serde_json::to_vec(&world.save()).expect("a save"),
                ));
            },
            |world| world.len() as u64,
        ),
        "json_load" => workload.add(
            Ours,
            "deserialize",
            || {
                let world = flat();
                let text = serde_json::to_string(&world.save()).expect("a save");
                (Loader::new().types_of(&world), text, World::new())
            },
            |(loader, text, loaded)| {
                *loaded = World::new();
                let mut json = serde_json::Deserializer::from_str(text);
                loader.deserialize(loaded, &mut json).expect("a load");
            },
            |(_, _, loaded)| digest(&loaded.query::<(&Place, &Turn, &Speed)>()),
        ),
        "hash_flat" => workload.add(Ours, "hash", || (flat(), WorldHasher::new()), hash, hashed),
        "hash_rich" => workload.add(Ours, "hash", || (rich(), WorldHasher::new()), hash, hashed),
        _ => {}
    }
}

/// Adds the same work by hand, with types.
pub(crate) fn add_limit(name: &str, workload: &mut Workload) {
    match name {
        "text_query" => workload.add(
            Limit,
            "typed loop",
            written::<Health>,
            |world| {
                let healths = world.query::<&Health>();
                let weak = healths.iter().filter(|health| health.now < black_box(500));
                assert_eq!(weak.count(), 500);
            },
            |world| world.len() as u64,
        ),
        "value_json" => {
            add_serde::<Health>(workload);
            add_serde::<CoinCount>(workload);
            add_serde::<Awake>(workload);
            add_serde::<Caption>(workload);
            add_serde::<Heat>(workload);
            add_serde::<Marked>(workload);
            add_serde::<Goal>(workload);
            add_serde::<Mood>(workload);
        }
        _ => {}
    }
}

fn hash((world, hasher): &mut (World, WorldHasher)) {
    black_box(hasher.world(world).expect("a hash"));
}

fn hashed((world, hasher): &mut (World, WorldHasher)) -> u64 {
    hasher.world(world).expect("a hash")
}
