//! Saves of parts that name entities outside: refused, left out, or found again by keys.

use std::collections::BTreeMap;

use ecs_core::data::{Dangling, LoadError, Loader, SaveError, Value, WorldData};
use ecs_core::prelude::*;
use ecs_core::query::AndDisabled;
use ecs_core::relation::{Sources, Target, Targets};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::ids::load_each;

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "outside.name")]
struct Name(String);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "outside.aims")]
struct Aims(Vec<Entity>);

/// In a sparse set, with an id after a part that serde reserves for itself.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "outside.heir", storage = "sparse")]
struct Heir(BTreeMap<String, Entity>);

/// Disables, and names an entity.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "outside.held", disables)]
struct Held(Entity);

/// One target, with a value that names an entity.
#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "outside.owned_by")]
struct OwnedBy(Entity);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "outside.child_of", tree)]
struct ChildOf;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "outside.likes", many)]
struct Likes(u32);

#[derive(Relation, Clone, Debug)]
#[relation(data = "outside.unsaved", many, no_serde)]
struct Unsaved;

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "outside.chosen")]
struct Chosen(Entity);

fn loader() -> Loader {
    let loader = Loader::new()
        .with::<Name>()
        .with::<Aims>()
        .with_resource::<Chosen>();
    let loader = loader.with::<Heir>().with::<Held>();
    let loader = loader.with::<Sources<OwnedBy>>();
    loader.with::<Sources<ChildOf>>().with::<Sources<Likes>>()
}

fn by_name(world: &World, key: &Value) -> Option<Entity> {
    let names = world.query_filtered::<(Entity, &Name), AndDisabled>();
    let found = names.iter().find(|(_, name)| key.as_str() == Some(&name.0));
    found.map(|(entity, _)| entity)
}

#[test]
fn an_edge_that_leaves_the_saved_part_is_an_error_that_names_both_ends() {
    let mut world = World::new();
    let [parent, child, friend] = [(); 3].map(|()| world.spawn(()));
    world.relate(child, ChildOf, parent).unwrap();
    let error = world.save().only([child]).to_vec().unwrap_err();
    let SaveError::Edge {
        source,
        target,
        name,
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!((source, target, name), (child, parent, "outside.child_of"));
    let text = serde_json::to_string(&world.save().only([child]))
        .unwrap_err()
        .to_string();
    let expected = format!(
        "entity {child}, `outside.child_of`: it leads to the entity {parent}, which is not saved; help: "
    );
    assert!(text.starts_with(&expected), "{text}");
    // The other direction leaves nothing behind.
    world.save().only([parent]).to_vec().unwrap();
    world.relate(parent, Likes(1), friend).unwrap();
    world.save().only([parent]).to_vec().unwrap_err();
    world
        .save()
        .only([parent])
        .without::<Targets<Likes>>()
        .to_vec()
        .unwrap();
    world.save().only([parent, friend]).to_vec().unwrap();
    // Data that is not saved anyway is not refused.
    world.relate(friend, Unsaved, parent).unwrap();
    world.save().only([friend]).to_vec().unwrap();
    let save = world.save().only([child]).dangling(Dangling::Dead);
    load_each(&save, &loader(), World::new, |format, new, loaded| {
        let [child] = loaded.unwrap()[..] else {
            panic!("{format}")
        };
        assert!(!new.has::<Target<ChildOf>>(child));
    });
}

#[test]
fn edges_and_ids_that_leave_are_kept_by_keys_in_each_format() {
    let mut world = World::new();
    let [king, hero, sword] = ["king", "hero", "sword"].map(|name| world.spawn(Name(name.into())));
    let part = world.spawn(Aims(vec![sword, king, hero, king]));
    world.relate(part, ChildOf, king).unwrap();
    for (target, value) in [(hero, 1), (king, 2), (sword, 3)] {
        world.relate(part, Likes(value), target).unwrap();
    }
    world.insert_resource(Chosen(king));
    let name = |entity| Some(world.get::<Name>(entity)?.0.clone());
    let save = world
        .save()
        .only([part, sword])
        .resource::<Chosen>()
        .map_ids(name);
    let other = || {
        let mut other = World::new();
        other.spawn(());
        let king = other.spawn(Name("king".into()));
        other.spawn(Name("hero".into()));
        let child = other.spawn(());
        other.relate(child, ChildOf, king).unwrap();
        other
    };
    load_each(
        &save,
        &loader().resolve_ids(by_name),
        other,
        |format, new, loaded| {
            let loaded = loaded.unwrap_or_else(|error| panic!("{format}: {error}"));
            let of = |name: &str| by_name(&new, &name.into()).unwrap();
            let [king, hero, sword] = ["king", "hero", "sword"].map(of);
            assert!(loaded.contains(&sword) && !loaded.contains(&king));
            let part = *loaded.iter().find(|&&entity| entity != sword).unwrap();
            assert_eq!(
                new.get::<Aims>(part).unwrap().0,
                [sword, king, hero, king],
                "{format}"
            );
            assert_eq!(new.get::<Target<ChildOf>>(part).unwrap().entity(), king);
            assert_eq!(
                new.get::<Sources<ChildOf>>(king).unwrap().to_vec()[1..],
                [part]
            );
            let likes = new.get::<Targets<Likes>>(part).unwrap();
            assert!(
                likes
                    .iter()
                    .eq([(hero, &Likes(1)), (king, &Likes(2)), (sword, &Likes(3))]),
                "{format}"
            );
            assert_eq!(new.resource::<Chosen>().0, king);
        },
    );
    // Without the function, or if it knows no entity, the key is named.
    for (loader, is_resolved) in [(loader(), false), (loader().resolve_ids(|_, _| None), true)] {
        let bytes = save.to_vec().unwrap();
        let error = loader.load(&bytes[..]).unwrap_err();
        let LoadError::Outside {
            key,
            is_resolved: said,
        } = &error
        else {
            panic!("{error}")
        };
        assert!(["king", "hero"].contains(&key.as_str().unwrap()) && *said == is_resolved);
        load_each(&save, &loader, other, |format, new, loaded| {
            assert_eq!(new.len(), 4);
            let error = loaded.unwrap_err();
            let is_said = error.starts_with("the save names the entity \"");
            assert!(is_said || format == "postcard", "{format}: {error}");
        });
    }
    // A missing entity is not a target.
    let dead = {
        let mut other = World::new();
        let dead = other.spawn(());
        other.despawn(dead).unwrap();
        dead
    };
    load_each(
        &save,
        &loader().resolve_ids(move |_, _| Some(dead)),
        World::new,
        |format, new, loaded| {
            assert!(new.is_empty() && loaded.is_err(), "{format}");
        },
    );
}

#[test]
fn an_entity_without_a_key_is_treated_as_without_the_function() {
    let mut world = World::new();
    let [one, other] = [(); 2].map(|()| world.spawn(()));
    world.insert(one, Aims(vec![other])).unwrap();
    let save = world.save().only([one]).map_ids(|_| None::<u64>);
    let error = save.to_vec().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("entity {one}, `outside.aims`: the entity {other} is not saved")
    );
    let bytes = save.dangling(Dangling::Dead).to_vec().unwrap();
    let new = loader().load(&bytes[..]).unwrap();
    let aims = new.query::<&Aims>();
    assert!(!new.contains(aims.iter().next().unwrap().0[0]));
}

#[test]
fn a_file_that_names_entities_outside_is_no_prefab() {
    let mut world = World::new();
    let [one, other] = [(); 2].map(|()| world.spawn(()));
    world.relate(one, Likes(1), other).unwrap();
    let bytes = world
        .save()
        .only([one])
        .map_ids(|_| Some(1))
        .to_vec()
        .unwrap();
    let known = loader().resolve_ids(move |_, _| Some(other));
    let error = ecs_core::data::Prefab::load(&known, &bytes[..]).unwrap_err();
    assert!(
        error.to_string().starts_with("the save names the entity 1"),
        "{error}"
    );
}

#[test]
fn edges_that_are_left_out_leave_no_gap() {
    let save = |has_others: bool| {
        let mut world = World::new();
        let [one, friend, other] = [(); 3].map(|()| world.spawn(()));
        for target in [other, friend] {
            if has_others || target == friend {
                world.relate(one, Likes(1), target).unwrap();
            }
        }
        let save = world.save().only([one, friend]).dangling(Dangling::Dead);
        save.to_vec().unwrap()
    };
    assert_eq!(save(true), save(false));
}

#[derive(Clone, Copy, Debug)]
enum Policy {
    Refuse,
    Dead,
    /// Keys for the entities whose number has this remainder, and nothing or dead ids for others.
    Mapped {
        odd: bool,
        dead: bool,
    },
}

fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![
        Just(Policy::Refuse),
        Just(Policy::Dead),
        (any::<bool>(), any::<bool>()).prop_map(|(odd, dead)| Policy::Mapped { odd, dead }),
    ]
}

/// The names of an entity in it; `-` is a dead id.
#[derive(Debug, Default, PartialEq)]
struct Names {
    aims: Vec<String>,
    heir: Option<String>,
    held: Option<String>,
    parent: Option<String>,
    /// The target, and the name in the value.
    owner: Option<[String; 2]>,
    likes: Vec<(String, u32)>,
    /// The sources of the three relations that are described, in order.
    sources: [Vec<String>; 3],
}

fn described(world: &World, entities: &[Entity]) -> BTreeMap<String, Names> {
    let name = |entity: Entity| {
        let name = world.get::<Name>(entity);
        name.map_or_else(|| "-".to_owned(), |name| name.0.clone())
    };
    let listed = |sources: Option<&[Entity]>| -> Vec<String> {
        let inside = sources.unwrap_or_default().iter();
        inside
            .filter(|source| entities.contains(source))
            .map(|&source| name(source))
            .collect()
    };
    let each = entities.iter().map(|&entity| {
        let entity = world.entity(entity).unwrap();
        let aims = entity.get::<Aims>();
        let owner = entity.get::<Target<OwnedBy>>();
        let likes = entity.get::<Targets<Likes>>();
        let names = Names {
            aims: aims
                .map(|aims| aims.0.iter().map(|&at| name(at)).collect())
                .unwrap_or_default(),
            heir: entity.get::<Heir>().map(|heir| name(heir.0["heir"])),
            held: entity.get::<Held>().map(|held| name(held.0)),
            parent: entity
                .get::<Target<ChildOf>>()
                .map(|target| name(target.entity())),
            owner: owner.map(|owner| [owner.entity(), owner.value().0].map(name)),
            likes: likes
                .map(|likes| {
                    let likes = likes.iter();
                    likes.map(|(to, likes)| (name(to), likes.0)).collect()
                })
                .unwrap_or_default(),
            sources: [
                listed(
                    entity
                        .get::<Sources<ChildOf>>()
                        .as_deref()
                        .map(|all| &**all),
                ),
                listed(
                    entity
                        .get::<Sources<OwnedBy>>()
                        .as_deref()
                        .map(|all| &**all),
                ),
                listed(entity.get::<Sources<Likes>>().as_deref().map(|all| &**all)),
            ],
        };
        (name(entity.id()), names)
    });
    each.collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(60))
    })]

    #[test]
    fn parts_with_names_of_what_is_outside_are_as_a_model_says(
        steps in prop::collection::vec((0..10_u8, 0..12_usize, 0..12_usize, any::<u32>()), 0..40),
        bits in any::<u16>(),
        policy in policy(),
        with_ids in any::<bool>(),
    ) {
        let mut world = World::new();
        let all: Vec<Entity> = (0..12).map(|n| world.spawn(Name(n.to_string()))).collect();
        for (what, a, b, n) in steps {
            let (a, b) = (all[a], all[b]);
            match what {
                0 => {
                    let mut aims = world.get::<Aims>(a).map(|aims| aims.0.clone()).unwrap_or_default();
                    aims.push(b);
                    world.insert(a, Aims(aims)).unwrap();
                }
                1 | 2 => drop(world.relate(a, ChildOf, b)),
                3 => drop(world.insert(a, Heir([("heir".to_owned(), b)].into()))),
                4 => drop(world.insert(a, Held(b))),
                5 | 6 => drop(world.relate(a, OwnedBy(all[n as usize % 12]), b)),
                _ => drop(world.relate(a, Likes(n), b)),
            }
        }
        let part: Vec<Entity> = (0..12).filter(|n| bits >> n & 1 == 1).map(|n| all[n]).collect();
        // The model: the fate of a name.
        let kept = |name: &str| -> Option<Option<String>> {
            let number: usize = name.parse().unwrap();
            if bits >> number & 1 == 1 {
                return Some(Some(name.to_owned()));
            }
            match policy {
                Policy::Refuse => None,
                Policy::Dead => Some(None),
                Policy::Mapped { odd, .. } if (number % 2 == 1) == odd => Some(Some(name.to_owned())),
                Policy::Mapped { dead, .. } => dead.then_some(None),
            }
        };
        let of_id = |name: &mut String| -> Option<()> {
            *name = kept(name)?.unwrap_or_else(|| "-".to_owned());
            Some(())
        };
        let model = || -> Option<BTreeMap<String, Names>> {
            let mut model = described(&world, &part);
            for names in model.values_mut() {
                let Names { aims, heir, held, parent, owner, likes, sources: _ } = names;
                let ids = aims.iter_mut().chain(heir).chain(held);
                ids.map(of_id).collect::<Option<()>>()?;
                if let Some(name) = parent {
                    *parent = kept(name)?;
                }
                if let Some([to, value]) = owner {
                    match kept(to)? {
                        Some(_) => of_id(value)?,
                        None => *owner = None,
                    }
                }
                let old = std::mem::take(likes);
                for (to, value) in old {
                    likes.extend(kept(&to)?.map(|to| (to, value)));
                }
            }
            Some(model)
        };
        let mut save = world.save().only(part.iter().copied());
        if with_ids {
            save = save.with_ids();
        }
        let name = |entity| -> Option<String> { Some(world.get::<Name>(entity)?.0.clone()) };
        save = match policy {
            Policy::Refuse => save,
            Policy::Dead => save.dangling(Dangling::Dead),
            Policy::Mapped { odd, dead } => {
                let save = save.map_ids(move |entity| {
                    name(entity).filter(|name| (name.parse::<usize>().unwrap() % 2 == 1) == odd)
                });
                if dead { save.dangling(Dangling::Dead) } else { save }
            }
        };
        let Some(expected) = model() else {
            prop_assert!(save.to_vec().is_err());
            prop_assert!(serde_json::to_string(&save).is_err());
            return Ok(());
        };
        let others = || {
            let mut others = World::new();
            others.spawn_batch((0..20).map(|_| ()));
            for n in (0..12).rev().filter(|n| bits >> n & 1 == 0) {
                others.spawn(Name(n.to_string()));
            }
            others
        };
        load_each(&save, &loader().resolve_ids(by_name), others, |format, new, loaded| {
            let loaded = loaded.unwrap_or_else(|error| panic!("{format}: {error}"));
            assert_eq!(described(&new, &loaded), expected, "{format}");
        });
    }
}
