//! Files in columns that claim too much, or repeat something.

use std::io::Write as _;

use ecs_core::data::__private::seal;
use ecs_core::data::{LoadError, Loader, Unknown};
use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use serde::{Deserialize, Serialize};

use super::hostile::check;
use super::parts::{self, Tag};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "limits.name", alias = "limits.title")]
struct Name(u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "limits.spot", alias = "limits.place", storage = "sparse")]
struct Spot;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "limits.owned_by", alias = "limits.belongs_to")]
struct OwnedBy;

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "limits.score", alias = "limits.points")]
struct Score(u8);

fn loader() -> Loader {
    Loader::new()
        .with::<Name>()
        .with::<Spot>()
        .with::<Tag>()
        .with::<Sources<OwnedBy>>()
        .with_resource::<Score>()
}

/// The parts of a file.
#[derive(Default)]
struct File<'a> {
    names: &'a [&'a str],
    entities: u32,
    ids: Option<&'a [u64]>,
    /// The ids that come next; a file that has them uses form 3.
    unplaced: Option<&'a [u64]>,
    tables: Vec<Vec<u8>>,
    sets: Vec<Vec<u8>>,
    relations: Vec<Vec<u8>>,
    resources: Vec<Vec<u8>>,
}

impl File<'_> {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"ecsworld\x01\0\0\0".to_vec();
        let names = self.names.iter().map(|name| {
            let length = name.len() as u32;
            [&length.to_le_bytes(), name.as_bytes(), &1_u32.to_le_bytes()].concat()
        });
        bytes.extend(list(&names.collect::<Vec<_>>()));
        bytes.extend(self.entities.to_le_bytes());
        bytes.push(self.ids.is_some().into());
        let ids = self.ids.into_iter().flatten();
        ids.for_each(|id| bytes.extend(id.to_le_bytes()));
        for parts in [&self.tables, &self.sets, &self.relations, &self.resources] {
            bytes.extend(list(parts));
        }
        if let Some(unplaced) = self.unplaced {
            bytes[8] = 3;
            // Nothing is kept.
            bytes.extend([0; 4]);
            let ids = unplaced.iter().map(|id| id.to_le_bytes().to_vec());
            bytes.extend(list(&ids.collect::<Vec<_>>()));
        }
        // No padding, and the checksum.
        bytes.write_all(&[0; 4 + 8]).unwrap();
        seal(&mut bytes);
        bytes
    }

    fn load(&self) -> Result<World, LoadError> {
        self.load_by(&loader())
    }

    /// Loads the file, and checks that a world with contents stays consistent, and unchanged if there is an error.
    fn load_by(&self, loader: &Loader) -> Result<World, LoadError> {
        let bytes = self.bytes();
        let is_loaded = check(bytes.len(), |world| loader.load_into(world, &bytes[..]));
        let new = loader.load(&bytes[..]);
        assert!(self.ids.is_some() || is_loaded == new.is_ok());
        new.inspect(World::check_invariants)
    }

    #[track_caller]
    fn refused(&self, expected: &str) {
        self.refused_by(&loader(), expected);
    }

    #[track_caller]
    fn refused_by(&self, loader: &Loader, expected: &str) {
        let Err(error) = self.load_by(loader) else {
            panic!("it is loaded");
        };
        assert!(error.to_string().contains(expected), "{error}");
    }
}

fn list(parts: &[Vec<u8>]) -> Vec<u8> {
    [&(parts.len() as u32).to_le_bytes()[..], &parts.concat()].concat()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Values of the type with the number.
fn column(name: u32, values: &[u8]) -> Vec<u8> {
    let length = values.len() as u64;
    [&name.to_le_bytes()[..], &[0], &length.to_le_bytes(), values].concat()
}

fn table(rows: u32, columns: &[Vec<u8>]) -> Vec<u8> {
    [words(&[rows]), list(columns)].concat()
}

fn set(entities: &[u32], column: Vec<u8>) -> Vec<u8> {
    [words(&[entities.len() as u32]), words(entities), column].concat()
}

/// Edges: source, target and slot.
fn relation(edges: &[[u32; 3]], column: Vec<u8>) -> Vec<u8> {
    let count = edges.len() as u32;
    [words(&[count]), words(edges.as_flattened()), column].concat()
}

#[test]
fn the_parts_of_a_file_are_those_that_are_read() {
    let file = File {
        names: &[
            "limits.name",
            "limits.spot",
            "limits.owned_by",
            "limits.points",
        ],
        entities: 3,
        tables: vec![table(1, &[]), table(2, &[column(0, &[7, 8])])],
        sets: vec![set(&[2, 0], column(1, &[]))],
        relations: vec![relation(&[[1, 0, 0], [2, 0, 0]], column(2, &[]))],
        resources: vec![column(3, &[9])],
        ..File::default()
    };
    let world = file.load().unwrap();
    let names: Vec<u8> = world.query::<&Name>().iter().map(|name| name.0).collect();
    assert_eq!(names, [7, 8]);
    let spots = world.query_filtered::<Option<&Name>, With<Spot>>();
    let spots: Vec<_> = spots.iter().map(|name| name.map(|name| name.0)).collect();
    assert_eq!(spots.len(), 2);
    assert!(spots.contains(&None) && spots.contains(&Some(8)));
    let sources = world
        .query::<&Sources<OwnedBy>>()
        .iter()
        .map(|list| list.len())
        .sum::<usize>();
    assert_eq!((sources, world.resource::<Score>().0), (2, 9));
}

#[test]
fn a_column_twice_is_refused() {
    let tables = |first: u32, second: u32| File {
        names: &["limits.name", "limits.title"],
        entities: 1,
        tables: vec![table(1, &[column(first, &[1]), column(second, &[2])])],
        ..File::default()
    };
    tables(0, 0).refused("a table has a column twice");
    tables(0, 1).refused("`limits.name` has two columns");
    // In two tables it does not count as twice.
    let file = File {
        names: &["limits.name", "limits.title"],
        entities: 2,
        tables: vec![table(1, &[column(0, &[1])]), table(1, &[column(1, &[2])])],
        ..File::default()
    };
    assert_eq!(file.load().unwrap().query::<&Name>().iter().count(), 2);
}

#[test]
fn a_set_twice_is_refused() {
    let sets = |sets: Vec<Vec<u8>>| File {
        names: &["limits.spot", "limits.place"],
        entities: 2,
        tables: vec![table(2, &[])],
        sets,
        ..File::default()
    };
    let of = |name, entities: &[u32]| set(entities, column(name, &[]));
    sets(vec![of(0, &[0]), of(0, &[1])]).refused("there are two sets of one component");
    sets(vec![of(0, &[0, 0])]).refused("a set has an entity twice");
    sets(vec![of(0, &[1, 0, 1])]).refused("a set has an entity twice");
    sets(vec![of(0, &[2])]).refused("a set has an entity that there is not");
    // By an alias, the same component.
    sets(vec![of(0, &[0]), of(1, &[0])]).refused("limits.spot");
    // A sparse component in a table, and again in its set.
    let mut file = sets(vec![of(0, &[1])]);
    file.tables = vec![table(2, &[column(1, &[])])];
    file.refused("limits.spot");
}

#[test]
fn a_table_component_in_its_table_and_in_a_set_is_of_one_entity_once() {
    let mut file = File {
        names: &["limits.name", "limits.title"],
        entities: 2,
        tables: vec![table(2, &[column(0, &[1, 2])])],
        sets: vec![set(&[1], column(1, &[3]))],
        ..File::default()
    };
    // It was sparse when it was saved, so it is inserted after everything else.
    let world = file.load().unwrap();
    let names: Vec<u8> = world.query::<&Name>().iter().map(|name| name.0).collect();
    assert_eq!(names, [1, 3]);
    file.sets.push(set(&[0], column(0, &[4])));
    let world = file.load().unwrap();
    let names: Vec<u8> = world.query::<&Name>().iter().map(|name| name.0).collect();
    assert_eq!(names, [4, 3]);
}

#[test]
fn a_relation_or_an_edge_twice_is_refused() {
    let relations = |relations: Vec<Vec<u8>>| File {
        names: &["limits.owned_by", "limits.belongs_to"],
        entities: 3,
        tables: vec![table(3, &[])],
        relations,
        ..File::default()
    };
    let of = |name, edges: &[[u32; 3]]| relation(edges, column(name, &[]));
    relations(vec![of(0, &[[0, 1, 0]])]).load().unwrap();
    relations(vec![of(0, &[]), of(0, &[])]).refused("a relation occurs twice");
    relations(vec![of(0, &[[0, 1, 0]]), of(1, &[[1, 2, 0]])]).refused("OwnedBy");
    relations(vec![of(0, &[[0, 1, 0], [0, 1, 0]])]).refused("the new entity 0");
    relations(vec![of(0, &[[0, 1, 0], [0, 2, 1]])])
        .refused("relates the new entity 0 to two others");
    relations(vec![of(0, &[[0, 3, 0]])]).refused("an edge has an entity that there is not");
    relations(vec![of(0, &[[u32::MAX, 0, 0]])]).refused("an edge has an entity that there is not");
    // Places among the targets of a source may have gaps.
    relations(vec![of(0, &[[0, 1, u32::MAX]])]).load().unwrap();
}

#[test]
fn a_resource_twice_is_refused() {
    for second in [0, 1] {
        let file = File {
            names: &["limits.score", "limits.points"],
            resources: vec![column(0, &[1]), column(second, &[2])],
            ..File::default()
        };
        file.refused("there are two resources `limits.score`");
    }
}

#[test]
fn types_in_the_place_of_others_are_refused() {
    let names = &["limits.name", "limits.owned_by", "limits.score"];
    let with = |what: u32, name: u32| File {
        names,
        entities: 1,
        tables: vec![if what == 0 {
            table(1, &[column(name, &[0])])
        } else {
            table(1, &[])
        }],
        sets: (what == 1)
            .then(|| set(&[0], column(name, &[0])))
            .into_iter()
            .collect(),
        relations: (what == 2)
            .then(|| relation(&[], column(name, &[])))
            .into_iter()
            .collect(),
        resources: (what == 3)
            .then(|| column(name, &[0]))
            .into_iter()
            .collect(),
        ..File::default()
    };
    let kinds = ["a component", "a component", "a relation", "a resource"];
    for (what, kind) in (0..).zip(kinds) {
        for name in 0..3 {
            let is_right = name == [0, 0, 1, 2][what as usize];
            let file = with(what, name);
            if is_right {
                file.load().unwrap();
            } else {
                file.refused(&format!("is {kind} in the save, and not in this program"));
            }
        }
        with(what, 3).refused("there is no such name");
    }
}

#[test]
fn many_sets_of_types_that_are_not_known_are_skipped() {
    let names: Vec<String> = (0..70_000)
        .map(|number| format!("unknown.{number}"))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let file = File {
        names: &names,
        entities: 1,
        tables: vec![table(1, &[])],
        sets: (0..70_000)
            .map(|name| set(&[0], column(name, &[1, 2, 3])))
            .collect(),
        ..File::default()
    };
    let bytes = file.bytes();
    let skipping = loader().unknown(Unknown::Skip);
    let mut world = World::new();
    let loaded = skipping.load_into(&mut world, &bytes[..]).unwrap();
    world.check_invariants();
    assert_eq!((loaded.entities.len(), loaded.skipped.len()), (1, 70_000));
    file.refused("`unknown.0`, which the loader does not know");
}

#[test]
fn lists_of_65_536_parts_that_are_not_there_are_refused() {
    for list in 0..5 {
        for claimed in [0xffff_u32, 0x1_0000, 0x1_0001, 0xffff_ffff] {
            let mut bytes = File::default().bytes();
            // The lists after the names and the number of entities, each of them empty.
            let at = [12, 21, 25, 29, 33][list];
            assert_eq!(bytes[at..at + 4], [0; 4]);
            bytes[at..at + 4].copy_from_slice(&claimed.to_le_bytes());
            seal(&mut bytes);
            assert!(!check(bytes.len(), |world| loader().load_into(world, &bytes[..])));
            let error = loader().load(&bytes[..]).unwrap_err();
            assert!(
                error.to_string().contains("it ends after"),
                "{list}: {error}"
            );
        }
    }
}

/// One of 17 components, so that there are more sets of them than a world can have tables.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data(
    Bit<0> = "bit.0", Bit<1> = "bit.1", Bit<2> = "bit.2", Bit<3> = "bit.3", Bit<4> = "bit.4", Bit<5> = "bit.5",
    Bit<6> = "bit.6", Bit<7> = "bit.7", Bit<8> = "bit.8", Bit<9> = "bit.9", Bit<10> = "bit.10", Bit<11> = "bit.11",
    Bit<12> = "bit.12", Bit<13> = "bit.13", Bit<14> = "bit.14", Bit<15> = "bit.15", Bit<16> = "bit.16",
))]
struct Bit<const N: usize>;

const BITS: [&str; 17] = [
    "bit.0", "bit.1", "bit.2", "bit.3", "bit.4", "bit.5", "bit.6", "bit.7", "bit.8", "bit.9",
    "bit.10", "bit.11", "bit.12", "bit.13", "bit.14", "bit.15", "bit.16",
];

fn bits() -> Loader {
    let first = Loader::new()
        .with::<Bit<0>>()
        .with::<Bit<1>>()
        .with::<Bit<2>>()
        .with::<Bit<3>>();
    let first = first
        .with::<Bit<4>>()
        .with::<Bit<5>>()
        .with::<Bit<6>>()
        .with::<Bit<7>>();
    let first = first
        .with::<Bit<8>>()
        .with::<Bit<9>>()
        .with::<Bit<10>>()
        .with::<Bit<11>>();
    let first = first
        .with::<Bit<12>>()
        .with::<Bit<13>>()
        .with::<Bit<14>>()
        .with::<Bit<15>>();
    first.with::<Bit<16>>()
}

/// The components of the table with the number.
fn bits_of(table: u32) -> impl Iterator<Item = u32> {
    (0..17).filter(move |bit| table >> bit & 1 == 1)
}

#[test]
#[cfg_attr(miri, ignore = "it has many tables")]
fn more_sets_of_components_than_a_world_can_have_are_refused() {
    let entities = 65_536;
    let tables = (1..=entities).map(|number| {
        let columns: Vec<Vec<u8>> = bits_of(number).map(|bit| column(bit, &[])).collect();
        table(1, &columns)
    });
    let file = File {
        names: &BITS,
        entities,
        tables: tables.collect(),
        ..File::default()
    };
    file.refused_by(
        &bits(),
        "different sets of components, and has at most 65535",
    );
    let rows = (1..=entities).map(|number| {
        let values: Vec<String> = bits_of(number)
            .map(|bit| format!("\"bit.{bit}\":null"))
            .collect();
        format!("{{{}}}", values.join(","))
    });
    let text = format!("{{\"entities\":[{}]}}", rows.collect::<Vec<_>>().join(","));
    let mut error = String::new();
    let is_loaded = check(text.len(), |world| {
        let mut json = serde_json::Deserializer::from_str(&text);
        let result = bits().deserialize(world, &mut json);
        result.inspect_err(|found| error = found.to_string())
    });
    assert!(
        !is_loaded && error.contains("different sets of components"),
        "{error}"
    );
}

fn id(index: u32, generation: u32) -> u64 {
    u64::from(generation) << 32 | u64::from(index)
}

fn with_ids(ids: &[u64]) -> Vec<u8> {
    let file = File {
        names: &["test.tag"],
        entities: ids.len() as u32,
        ids: Some(ids),
        tables: vec![table(ids.len() as u32, &[column(0, &[])])],
        ..File::default()
    };
    file.bytes()
}

#[test]
fn hostile_ids_are_refused_and_change_nothing() {
    let loader = parts::loader().same_ids().max_entities(1000);
    let error_of = |ids: &[u64]| {
        let bytes = with_ids(ids);
        assert!(
            !check(bytes.len(), |world| loader.load_into(world, &bytes[..])),
            "{ids:x?}"
        );
        let mut world = World::new();
        let error = loader.load_into(&mut world, &bytes[..]).unwrap_err();
        world.check_invariants();
        assert_eq!((world.len(), world.next_ids(1).unwrap()[0].index()), (0, 0));
        error.to_string()
    };
    let cases: [(&[u64], &str); 10] = [
        (&[0], "no entity has this id"),
        (&[id(7, 0)], "no entity has this id"),
        (&[id(7, 1), id(7, 1)], "cannot have the same id 7v1"),
        (
            &[id(7, 1), id(8, 1), id(7, 2)],
            "cannot have the same id 7v2",
        ),
        (
            &[id(0, 1), id(1, 1), id(0, 1)],
            "cannot have the same id 0v1",
        ),
        (
            &[id(1000, 1)],
            "an entity with the index 1000, and the loader allows 1000",
        ),
        (&[id(0, 1), id(u32::MAX - 1, 1)], "the loader allows 1000"),
        (&[u64::MAX], "no entity has this id"),
        (&[id(u32::MAX - 1, u32::MAX)], "the loader allows 1000"),
        (&[id(3, u32::MAX)], "its generation is too high"),
    ];
    for (ids, expected) in cases {
        let error = error_of(ids);
        assert!(error.contains(expected), "{ids:x?}: {error}");
    }
    // A save without ids, although the loader asks for them.
    let bytes = File::default().bytes();
    let error = loader.load(&bytes[..]).unwrap_err().to_string();
    assert!(error.contains("the save has no ids"), "{error}");
}

#[test]
fn ids_in_any_order_and_with_gaps_are_those_of_the_entities() {
    let loader = parts::loader().same_ids().max_entities(1000);
    let ids = [id(999, 3), id(0, 7), id(64, 1), id(63, 2)];
    let bytes = with_ids(&ids);
    let mut world = World::new();
    let loaded = loader.load_into(&mut world, &bytes[..]).unwrap();
    world.check_invariants();
    assert!(
        loaded
            .entities
            .iter()
            .map(|entity| entity.to_bits())
            .eq(ids)
    );
    // They are issued now, and so are all ids before them.
    let error = loader.load_into(&mut world, &bytes[..]).unwrap_err();
    assert!(
        error.to_string().contains("belongs to a living entity"),
        "{error}"
    );
    world.despawn(loaded.entities[1]).unwrap();
    for generation in 1..=7 {
        let error = loader
            .load_into(&mut world, &with_ids(&[id(0, generation)])[..])
            .unwrap_err();
        assert!(
            error.to_string().contains("it was issued before"),
            "{error}"
        );
    }
    world.check_invariants();
    let next = world.spawn(Tag);
    assert_eq!(next.to_bits(), id(0, 8));
    assert_eq!(world.spawn(Tag).to_bits(), id(1, 1));
    // Without `same_ids`, only their form is checked.
    let other = parts::loader().load_into(&mut world, &bytes[..]).unwrap();
    assert_eq!(other.entities.len(), 4);
    assert_eq!(world.len(), 9);
    world.check_invariants();
}

#[test]
fn hostile_ids_that_come_next_do_no_harm() {
    let loader = parts::loader().same_ids().max_entities(1000);
    let file = |unplaced: &[u64]| {
        let placed = [id(2, 5), id(4, 1)];
        let file = File {
            names: &["test.tag"],
            entities: 2,
            ids: Some(&placed),
            unplaced: Some(unplaced),
            tables: vec![table(2, &[column(0, &[])])],
            ..File::default()
        };
        file.bytes()
    };
    let next_of = |unplaced: &[u64]| {
        let bytes = file(unplaced);
        let mut world = World::new();
        loader.load_into(&mut world, &bytes[..]).unwrap();
        world.check_invariants();
        let next = world.next_ids(5).unwrap();
        next.into_iter().map(Entity::to_bits).collect::<Vec<_>>()
    };
    let fresh = [id(0, 1), id(1, 1), id(3, 1), id(5, 1), id(6, 1)];
    assert_eq!(next_of(&[]), fresh);
    // Of living entities, of generations that no world issues, with lower generations, and twice.
    assert_eq!(next_of(&[id(2, 9), id(4, 7), id(3, u32::MAX)]), fresh);
    let twice = [id(1, 8), id(1, 3), id(6, 4), id(1, 2)];
    let next = [id(0, 1), id(1, 8), id(3, 1), id(5, 1), id(6, 4)];
    assert_eq!(next_of(&twice), next);
    for (ids, expected) in [
        (&[id(1000, 1)][..], "an entity with the index 1000"),
        (&[0], "no entity has this id"),
    ] {
        let bytes = file(ids);
        let error = loader.load(&bytes[..]).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let mut bytes = file(&[]);
    let at = bytes.len() - 4 - 8 - 4;
    bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    seal(&mut bytes);
    loader.load(&bytes[..]).unwrap_err();
    // Ids of a world that has issued later ones stay.
    let mut world = World::new();
    for _ in 0..7 {
        let first = world.spawn(Tag);
        world.despawn(first).unwrap();
    }
    world.spawn(Tag);
    let bytes = file(&[id(0, 3), id(1, 6)]);
    loader.load_into(&mut world, &bytes[..]).unwrap();
    let next = world.next_ids(2).unwrap();
    assert_eq!(next[0].to_bits(), id(1, 6));
    world.check_invariants();
}
