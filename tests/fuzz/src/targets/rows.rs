//! Rows from strangers, with a checksum that is right: each is an error, or rows that a world takes in, or refuses and stays as it
//! was.

use ecs_core::Disabled;
use ecs_core::data::__private::seal_rows;
use ecs_core::prelude::*;
use ecs_core::relation::{Target, Targets};
use ecs_core::rows::Rows;
use ecs_core::tree::{ChildOf, Name};
use ecs_core::world::ReadOnlyWorld;
use serde::{Deserialize, Serialize};

/// Names entities, in a table.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "fuzz.rows.party")]
struct Party(Vec<Entity>);

/// Names an entity, in a set, and has ticks.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "fuzz.rows.aim", storage = "sparse", track)]
struct Aim(Option<Entity>);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "fuzz.rows.health", track)]
struct Health {
    now: u32,
    most: u8,
}

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "fuzz.rows.knows", many)]
struct Knows(String, Option<Entity>);

/// Rows, and the entities that are found for their keys: some of the world if the number is odd.
pub type Input = super::ReaderBytes;

/// A world that knows the types, with a few entities; the last two are stubs.
fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.register::<Party>();
    world.register::<Aim>();
    world.register::<Health>();
    world.register::<Name>();
    world.register::<Disabled>();
    world.register::<Target<ChildOf>>();
    world.register::<Targets<Knows>>();
    let mut all: Vec<Entity> = (0..3)
        .map(|now| world.spawn((Health { now, most: 9 }, Name::new("n"))))
        .collect();
    all.extend([world.spawn(()), world.spawn(())]);
    world
        .insert(all[0], (Party(all.clone()), Aim(Some(all[4]))))
        .expect("alive");
    world.insert(all[1], (Aim(None), Disabled)).expect("alive");
    world.relate(all[1], ChildOf, all[0]).expect("alive");
    world.relate(all[2], ChildOf, all[3]).expect("alive");
    for (source, target) in [(0, 1), (0, 3), (2, 0)] {
        let knows = Knows("x".into(), Some(all[4]));
        world
            .relate(all[source], knows, all[target])
            .expect("alive");
    }
    (world, all)
}

/// Returns inputs to start from, with their names.
///
/// # Panics
/// Never.
#[must_use]
pub fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let cases: [(&str, &[usize]); 3] = [("none", &[]), ("one", &[1]), ("some", &[2, 0, 1])];
    let seeds = cases.map(|(name, list)| {
        let (mut world, all) = world();
        let list: Vec<Entity> = list.iter().map(|&n| all[n]).collect();
        let key = |_: ReadOnlyWorld<'_>, entity: Entity| Some(entity.index().into());
        let rows = world
            .take_rows_leaving_stubs(&list, key, |_| ())
            .expect("they can leave");
        let bytes = rows.to_bytes().expect("all is data");
        (name, [&[1], &bytes[..]].concat())
    });
    seeds.into()
}

/// Reads an input as it is.
///
/// # Errors
/// If it is not read.
pub fn read(input: &[u8]) -> Result<(), ecs_core::data::ReadRowsError> {
    Rows::from_bytes(&world().0, &input[1..]).map(drop)
}

/// Reads rows, and puts them into a world.
///
/// # Panics
/// If the world is not consistent afterwards.
pub fn run(input: Input) {
    let Input { how, mut bytes } = input;
    seal_rows(&mut bytes);
    let (mut world, all) = world();
    let rows = match Rows::from_bytes(&world, &bytes) {
        Ok(rows) => rows,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(rows.to_bytes().is_ok(), "read rows are written again");
    let (count, len) = (rows.len(), world.len());
    let find = |key: u64| match how % 2 {
        1 => all.get(usize::try_from(key).ok()?).copied(),
        _ => None,
    };
    let hash = world.hash().expect("all is data");
    match world.put_rows(rows, find) {
        Ok(put) => {
            assert_eq!(put.entities.len(), count);
            world.check_invariants();
            // They can leave again.
            let key = |_: ReadOnlyWorld<'_>, entity: Entity| Some(entity.to_bits());
            let rows = world.take_rows_leaving_stubs(&put.entities, key, |_| ());
            drop(rows.expect("they can leave"));
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(
                (world.len(), world.hash().expect("all is data")),
                (len, hash)
            );
        }
    }
    world.check_invariants();
}
