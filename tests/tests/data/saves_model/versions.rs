//! Saves of older programs: types whose names and fields have changed since, and migrations that read them.

use ecs_core::data::{Loader, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::Targets;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::parts::Key;

/// The types of a program; each version of it has its own.
macro_rules! program {
    ($name:ident $health:literal $spot:literal $owes:literal $score:literal
        [$($options:tt)*] [$($spot_options:tt)*] [$($owes_options:tt)*] [$($score_options:tt)*]
        { $($health_fields:tt)* } { $($spot_fields:tt)* } { $($owes_fields:tt)* } { $($score_fields:tt)* }) => {
        mod $name {
            #[allow(unused_imports, reason = "not each version has all of them")]
            use super::*;

            #[derive(Component, Clone, Debug, Serialize, Deserialize)]
            #[component(data = $health, $($options)*)]
            pub(super) struct Health { $($health_fields)* }

            #[derive(Component, Clone, Debug, Serialize, Deserialize)]
            #[component(data = $spot, storage = "sparse", $($spot_options)*)]
            pub(super) struct Spot { $($spot_fields)* }

            #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
            #[relation(data = $owes, many, $($owes_options)*)]
            pub(super) struct Owes { $($owes_fields)* }

            #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
            #[resource(data = $score, $($score_options)*)]
            pub(super) struct Score { $($score_fields)* }
        }
    };
}

program! { first "life" "spot" "owes" "score" [] [] [] []
{ pub(super) now: u8, } { pub(super) at: Entity, } { pub(super) sum: u8, } { pub(super) best: u8, } }

program! { second "health" "spot" "owes" "points"
[version = 2] [version = 2] [version = 2] [version = 2]
{ pub(super) now: u16, pub(super) max: u16, }
{ pub(super) at: Option<Entity>, }
{ pub(super) sum: u16, }
{ pub(super) best: u16, } }

program! { third "game.health" "game.spot" "game.owes" "points"
[version = 3, alias("health", "life"), migrate(1 = first::Health, 2 = second::Health)]
[version = 4, alias = "spot", migrate(1 = first::Spot, 2 = second::Spot)]
[version = 3, alias("owes"), migrate(1 = first::Owes, 2 = second::Owes)]
[version = 3, alias = "score", migrate(2 = second::Score, 1 = first::Score)]
{ pub(super) part: f32, pub(super) from: String, }
{ pub(super) at: Vec<Entity>, pub(super) from: u8, }
{ pub(super) sum: String, }
{ pub(super) best: Vec<u32>, } }

impl From<first::Health> for third::Health {
    fn from(old: first::Health) -> Self {
        Self {
            part: f32::from(old.now),
            from: "first".to_owned(),
        }
    }
}

impl From<second::Health> for third::Health {
    fn from(old: second::Health) -> Self {
        Self {
            part: f32::from(old.now) / f32::from(old.max),
            from: "second".to_owned(),
        }
    }
}

impl From<first::Spot> for third::Spot {
    fn from(old: first::Spot) -> Self {
        Self {
            at: vec![old.at],
            from: 1,
        }
    }
}

impl From<second::Spot> for third::Spot {
    fn from(old: second::Spot) -> Self {
        Self {
            at: old.at.into_iter().collect(),
            from: 2,
        }
    }
}

impl From<first::Owes> for third::Owes {
    fn from(old: first::Owes) -> Self {
        Self {
            sum: format!("first {}", old.sum),
        }
    }
}

impl From<second::Owes> for third::Owes {
    fn from(old: second::Owes) -> Self {
        Self {
            sum: format!("second {}", old.sum),
        }
    }
}

impl From<first::Score> for third::Score {
    fn from(old: first::Score) -> Self {
        Self {
            best: vec![old.best.into()],
        }
    }
}

impl From<second::Score> for third::Score {
    fn from(old: second::Score) -> Self {
        Self {
            best: vec![old.best.into(), 2],
        }
    }
}

/// The contents of an entity in numbers: health, a spot at another entity, and a debt to another one.
type Row = (Option<u8>, Option<usize>, Option<(usize, u8)>);

/// Makes the world of one of the programs.
macro_rules! world {
    ($rows:expr, $program:ident, $health:expr, $spot:expr, $owes:expr, $score:expr) => {{
        let mut world = World::new();
        let all: Vec<Entity> = (0..$rows.len())
            .map(|key| world.spawn(Key(key as u32)))
            .collect();
        let at = |number: usize| all[number % all.len()];
        for (&entity, &(health, spot, owes)) in all.iter().zip($rows) {
            if let Some(now) = health {
                world.insert(entity, $health(now)).unwrap();
            }
            if let Some(spot) = spot {
                world.insert(entity, $spot(at(spot), spot)).unwrap();
            }
            if let Some((to, sum)) = owes
                && at(to) != entity
            {
                world.relate(entity, $owes(sum), at(to)).unwrap();
            }
        }
        world.insert_resource($score);
        (world, all)
    }};
}

fn of_first(rows: &[Row]) -> World {
    let (world, _) = world!(
        rows,
        first,
        |now| first::Health { now },
        |at, _| first::Spot { at },
        |sum| first::Owes { sum },
        first::Score { best: 200 }
    );
    world
}

fn of_second(rows: &[Row]) -> World {
    let (world, _) = world!(
        rows,
        second,
        |now| second::Health {
            now: u16::from(now),
            max: 300
        },
        |at, number| second::Spot {
            at: (number % 3 > 0).then_some(at)
        },
        |sum| second::Owes {
            sum: u16::from(sum) + 300
        },
        second::Score { best: 400 }
    );
    world
}

fn loader() -> Loader {
    Loader::new()
        .with::<Key>()
        .with::<third::Health>()
        .with::<third::Spot>()
        .with::<Targets<third::Owes>>()
        .with_resource::<third::Score>()
}

/// The contents of a world of the third program, in the order of the keys of some entities.
fn describe(world: &World, entities: &[Entity]) -> Vec<String> {
    let key = |entity: Entity| world.get::<Key>(entity).map(|key| key.0 as usize);
    let mut entities = entities.to_vec();
    entities.sort_by_key(|&entity| key(entity));
    let rows = entities.into_iter().map(|entity| {
        let health = world.get::<third::Health>(entity);
        let health = health.map(|health| format!("{} {}", health.part, health.from));
        let spot = world.get::<third::Spot>(entity);
        let spot = spot.map(|spot| {
            let at: Vec<_> = spot.at.iter().map(|&at| key(at)).collect();
            (at, spot.from)
        });
        let owes = world.get::<Targets<third::Owes>>(entity);
        let owes = owes.map(|owes| {
            let list = owes.iter().map(|(to, owes)| (key(to), owes.sum.clone()));
            list.collect::<Vec<_>>()
        });
        format!("{health:?} {spot:?} {owes:?}")
    });
    let score = world.get_resource::<third::Score>();
    let score = score.map(|score| score.best.clone());
    rows.chain([format!("{score:?}")]).collect()
}

/// The values that the third program has to make of the numbers.
fn expected(rows: &[Row], version: u8) -> Vec<String> {
    let number = |number: usize| number % rows.len();
    let described = rows
        .iter()
        .enumerate()
        .map(|(entity, &(health, spot, owes))| {
            let health = health.map(|now| match version {
                1 => format!("{} first", f32::from(now)),
                _ => format!("{} second", f32::from(now) / 300.0),
            });
            let spot = spot.map(|spot| match version {
                2 if spot % 3 == 0 => (Vec::new(), 2),
                _ => (vec![Some(number(spot))], version),
            });
            let owes = owes.filter(|&(to, _)| number(to) != entity);
            let owes = owes.map(|(to, sum)| {
                let sum = match version {
                    1 => format!("first {sum}"),
                    _ => format!("second {}", u16::from(sum) + 300),
                };
                vec![(Some(number(to)), sum)]
            });
            format!("{health:?} {spot:?} {owes:?}")
        });
    let mut described: Vec<String> = described.collect();
    let best = if version == 1 {
        vec![200]
    } else {
        vec![400, 2]
    };
    described.push(format!("{:?}", Some(best)));
    described
}

/// Loads a save from each format, and returns the worlds with their entities.
fn load(
    old: &World,
    resource: impl Fn(ecs_core::data::Save<'_>) -> ecs_core::data::Save<'_>,
) -> Vec<(World, Vec<Entity>)> {
    let save = || resource(old.save());
    let columns = save().to_vec().unwrap();
    let text = serde_json::to_string(&save()).unwrap();
    let ron = ron::to_string(&save()).unwrap();
    let mut worlds = Vec::new();
    for form in 0..3 {
        let mut world = World::new();
        world.spawn_batch((0..3).map(|_| ()));
        let loaded = match form {
            0 => loader().load_into(&mut world, &columns[..]).unwrap(),
            1 => {
                let mut json = serde_json::Deserializer::from_str(&text);
                loader().deserialize(&mut world, &mut json).unwrap()
            }
            _ => {
                let mut ron = ron::Deserializer::from_str(&ron).unwrap();
                loader().deserialize(&mut world, &mut ron).unwrap()
            }
        };
        world.check_invariants();
        worlds.push((world, loaded.entities));
    }
    worlds
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(200))
    })]

    #[test]
    fn saves_of_older_programs_are_migrated(rows in prop::collection::vec(any::<Row>(), 1..20)) {
        let first = load(&of_first(&rows), |save| save.resource::<first::Score>());
        let second = load(&of_second(&rows), |save| save.resource::<second::Score>());
        let first = first.into_iter().map(|loaded| (1, loaded));
        let second = second.into_iter().map(|loaded| (2, loaded));
        for (version, (world, all)) in first.chain(second) {
            prop_assert_eq!(describe(&world, &all), expected(&rows, version));
            // New saves have the current names and versions.
            let bytes = world.save().resource::<third::Score>().to_vec().unwrap();
            let text = serde_json::to_string(&world.save().resource::<third::Score>()).unwrap();
            for old in ["\"health\"", "\"life\"", "\"spot\"", "\"owes\"", "\"score\""] {
                prop_assert!(!text.contains(old), "{}", text);
            }
            let again = loader().load(&bytes[..]).unwrap();
            let save = again.save().resource::<third::Score>().to_vec().unwrap();
            let third = loader().load(&save[..]).unwrap();
            prop_assert_eq!(third.save().resource::<third::Score>().to_vec().unwrap(), save);
        }
    }
}
