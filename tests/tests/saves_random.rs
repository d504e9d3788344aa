//! Random worlds are saved and loaded, and are the same afterwards; random changes of files are errors or consistent worlds.

use std::collections::BTreeMap;

use ecs_core::data::{Loader, Unknown, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// The number by which an entity is known in both worlds.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[component(data = "model.number")]
struct Number(u32);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "model.position", track)]
struct Position {
    x: f32,
    y: f64,
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "model.marker")]
struct Marker;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "model.notes")]
struct Notes(Vec<Option<String>>);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "model.link", storage = "sparse", track)]
enum Link {
    None,
    One(Entity),
    Many {
        to: Vec<Entity>,
        spare: Option<Entity>,
    },
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "model.burning", storage = "sparse", immediate)]
struct Burning(u8);

#[derive(Component, Clone, Copy)]
struct Handle;

#[derive(Relation, Clone, Copy, Debug, Serialize, Deserialize)]
#[relation(data = "model.child_of", tree, sources = "despawn")]
struct ChildOf;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "model.owes", many)]
struct Owes(Box<u16>);

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "model.chosen")]
struct Chosen(BTreeMap<String, Entity>);

/// A change of a world; numbers of entities are taken modulo how many there are.
#[derive(Clone, Debug)]
enum Change {
    Spawn,
    Despawn(usize),
    Position(usize, f32),
    Marker(usize),
    Notes(usize, u8),
    Link(usize, Vec<usize>),
    Burning(usize, u8),
    Handle(usize),
    Parent(usize, usize),
    Owe(usize, usize, u16),
    Reorder(usize),
    Forget(usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let one = 0..64_usize;
    let change = prop_oneof![
        4 => Just(Change::Spawn),
        1 => one.clone().prop_map(Change::Despawn),
        2 => (one.clone(), any::<f32>()).prop_map(|(e, x)| Change::Position(e, x)),
        1 => one.clone().prop_map(Change::Marker),
        2 => (one.clone(), any::<u8>()).prop_map(|(e, n)| Change::Notes(e, n)),
        3 => (one.clone(), prop::collection::vec(one.clone(), 0..4)).prop_map(|(e, to)| Change::Link(e, to)),
        1 => (one.clone(), any::<u8>()).prop_map(|(e, n)| Change::Burning(e, n)),
        1 => one.clone().prop_map(Change::Handle),
        3 => (one.clone(), one.clone()).prop_map(|(e, to)| Change::Parent(e, to)),
        3 => (one.clone(), one.clone(), any::<u16>()).prop_map(|(e, to, n)| Change::Owe(e, to, n)),
        1 => one.clone().prop_map(Change::Reorder),
        1 => one.prop_map(Change::Forget),
    ];
    prop::collection::vec(change, 0..80)
}

fn build(changes: &[Change]) -> World {
    let mut world = World::new();
    world.register::<Burning>();
    let mut all: Vec<Entity> = Vec::new();
    let mut next = 0;
    for change in changes {
        all.retain(|&entity| world.contains(entity));
        if let Change::Spawn = change {
            all.push(world.spawn(Number(next)));
            next += 1;
            continue;
        }
        if all.is_empty() {
            continue;
        }
        let at = |index: &usize| all[index % all.len()];
        match change {
            Change::Spawn => {}
            Change::Despawn(e) => world.despawn(at(e)).unwrap(),
            Change::Position(e, x) => world
                .insert(
                    at(e),
                    Position {
                        x: *x,
                        y: f64::from(*x) / 3.0,
                    },
                )
                .unwrap(),
            Change::Marker(e) => world.insert(at(e), Marker).unwrap(),
            Change::Notes(e, n) => {
                let notes = (0..n % 4).map(|i| (i != 2).then(|| format!("note {n} {i}")));
                world.insert(at(e), Notes(notes.collect())).unwrap();
            }
            Change::Link(e, to) => {
                let link = match &to[..] {
                    [] => Link::None,
                    [to] => Link::One(at(to)),
                    [spare, to @ ..] => Link::Many {
                        to: to.iter().map(at).collect(),
                        spare: Some(at(spare)),
                    },
                };
                world.insert(at(e), link).unwrap();
            }
            Change::Burning(e, n) => world.insert(at(e), Burning(*n)).unwrap(),
            Change::Handle(e) => world.insert(at(e), Handle).unwrap(),
            Change::Parent(e, to) => drop(world.relate(at(e), ChildOf, at(to))),
            Change::Owe(e, to, n) => drop(world.relate(at(e), Owes(Box::new(*n)), at(to))),
            Change::Reorder(e) => {
                if let Some(mut sources) = world.sources_mut::<Owes>(at(e)) {
                    sources.sort_by(|a, b| b.id().cmp(&a.id()));
                }
            }
            Change::Forget(e) => {
                world.remove::<(Position, Marker)>(at(e)).unwrap();
            }
        }
    }
    all.retain(|&entity| world.contains(entity));
    // Links to what was despawned cannot be saved.
    let links: Vec<Entity> = world
        .query::<(Entity, &Link)>()
        .iter()
        .map(|(e, _)| e)
        .collect();
    for entity in links {
        let is_stale = match &*world.get::<Link>(entity).unwrap() {
            Link::None => false,
            Link::One(to) => !world.contains(*to),
            Link::Many { to, spare } => to.iter().chain(spare).any(|&to| !world.contains(to)),
        };
        if is_stale {
            world.insert(entity, Link::None).unwrap();
        }
    }
    let chosen = all.iter().step_by(3).enumerate();
    let chosen = chosen.map(|(i, &entity)| (format!("chosen {i}"), entity));
    world.insert_resource(Chosen(chosen.collect()));
    world
}

/// Returns what each entity has, with numbers in the place of ids.
fn describe(world: &World) -> BTreeMap<u32, String> {
    let number = |entity: Entity| world.get::<Number>(entity).unwrap().0;
    let mut described = BTreeMap::new();
    for (entity, &own) in world.query::<(Entity, &Number)>().iter() {
        let link = world.get::<Link>(entity).map(|link| match &*link {
            Link::None => vec![],
            Link::One(to) => vec![number(*to)],
            Link::Many { to, spare } => to.iter().chain(spare).map(|&to| number(to)).collect(),
        });
        let position = world.get::<Position>(entity);
        let position = position.map(|at| (at.x.to_bits(), at.y.to_bits()));
        let owes = world.get::<Targets<Owes>>(entity);
        let owes: Vec<_> = owes
            .iter()
            .flat_map(|owes| owes.iter())
            .map(|(to, owes)| (number(to), *owes.0))
            .collect();
        let of = |sources: Option<&[Entity]>| -> Vec<u32> {
            sources
                .unwrap_or_default()
                .iter()
                .map(|&source| number(source))
                .collect()
        };
        let text = format!(
            "{position:?} {} {:?} {link:?} {:?} {:?} {:?} {owes:?} {:?}",
            world.has::<Marker>(entity),
            world.get::<Notes>(entity).map(|notes| notes.0.clone()),
            world.get::<Burning>(entity).map(|burning| burning.0),
            world
                .get::<Target<ChildOf>>(entity)
                .map(|parent| number(parent.entity())),
            of(world
                .get::<Sources<ChildOf>>(entity)
                .as_deref()
                .map(|sources| &**sources)),
            of(world
                .get::<Sources<Owes>>(entity)
                .as_deref()
                .map(|sources| &**sources)),
        );
        assert!(
            described.insert(own.0, text).is_none(),
            "numbers are unique"
        );
    }
    let chosen = world.get_resource::<Chosen>();
    let chosen: Vec<_> = chosen
        .iter()
        .flat_map(|chosen| &chosen.0)
        .map(|(name, &entity)| (name.clone(), number(entity)))
        .collect();
    described.insert(u32::MAX, format!("{chosen:?}"));
    described
}

fn loader() -> Loader {
    Loader::new()
        .with::<Number>()
        .with::<Position>()
        .with::<Marker>()
        .with::<Notes>()
        .with::<Link>()
        .with::<Burning>()
        .with::<Sources<ChildOf>>()
        .with::<Sources<Owes>>()
        .with_resource::<Chosen>()
}

fn bytes_of(world: &World) -> Vec<u8> {
    world.save().resource::<Chosen>().to_vec().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 3 } else { 200 }))]

    #[test]
    fn a_random_world_comes_back_from_every_format(changes in changes()) {
        let world = build(&changes);
        let expected = describe(&world);
        let save = world.save().resource::<Chosen>();
        let loader = loader();

        let new = loader.load(&save.to_vec().unwrap()[..]).unwrap();
        new.check_invariants();
        prop_assert_eq!(&describe(&new), &expected);

        let json = serde_json::to_string(&save).unwrap();
        let mut new = World::new();
        loader.deserialize(&mut new, &mut serde_json::Deserializer::from_str(&json)).unwrap();
        new.check_invariants();
        prop_assert_eq!(&describe(&new), &expected);

        let text = ron::to_string(&save).unwrap();
        let mut new = World::new();
        loader.deserialize(&mut new, &mut ron::Deserializer::from_str(&text).unwrap()).unwrap();
        prop_assert_eq!(&describe(&new), &expected);

        let pack = rmp_serde::to_vec(&save).unwrap();
        let mut new = World::new();
        loader.deserialize(&mut new, &mut rmp_serde::Deserializer::from_read_ref(&pack)).unwrap();
        prop_assert_eq!(&describe(&new), &expected);
    }

    #[test]
    fn a_loaded_world_is_saved_as_the_same_bytes(changes in changes()) {
        let bytes = bytes_of(&build(&changes));
        let first = bytes_of(&loader().load(&bytes[..]).unwrap());
        let second = bytes_of(&loader().load(&first[..]).unwrap());
        prop_assert_eq!(first, second);
    }

    #[test]
    fn a_save_is_added_to_a_living_world_at_new_ids_or_the_same(changes in changes(), others in changes()) {
        let world = build(&changes);
        let bytes = bytes_of(&world);
        let mut living = build(&others);
        living.remove_resource::<Chosen>();
        let before: Vec<Entity> = living.query::<Entity>().iter().collect();
        let loaded = loader().load_into(&mut living, &bytes[..]).unwrap();
        living.check_invariants();
        prop_assert!(before.iter().all(|&entity| living.contains(entity)));
        prop_assert!(loaded.entities.iter().all(|entity| !before.contains(entity)));
        for entity in before {
            living.despawn_batch([entity]);
        }
        prop_assert_eq!(describe(&living), describe(&world));

        let with_ids = world.save().resource::<Chosen>().with_ids().to_vec().unwrap();
        let same = loader().same_ids();
        let mut new = World::new();
        same.load_into(&mut new, &with_ids[..]).unwrap();
        new.check_invariants();
        for entity in world.query::<Entity>().iter() {
            prop_assert!(new.contains(entity));
        }
        prop_assert_eq!(describe(&new), describe(&world));
    }

    #[test]
    fn changed_bytes_are_an_error_or_a_consistent_world(
        changes in changes(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = bytes_of(&build(&changes));
        let end = bytes.len() - 8;
        for (at, byte) in edits {
            bytes[at.index(end)] = byte;
        }
        ecs_core::data::__private::seal(&mut bytes);
        let mut world = World::new();
        world.spawn(Number(7));
        let loader = loader().unknown(Unknown::Skip).max_entities(1 << 16);
        if loader.load_into(&mut world, &bytes[..]).is_err() {
            prop_assert_eq!(world.len(), 1);
        }
        world.check_invariants();
        world.clear();
        world.check_invariants();
    }
}
