//! Ids of missing entities inside values: they stay dead and different, in clones, loads and replicas.

use std::collections::{BTreeSet, HashMap};

use ecs_core::Events;
use ecs_core::data::{
    Cloner, Dangling, Loader, Prefab, Protocol, Replica, Replicator, Undo, Unknown,
};
use ecs_core::dynamic::{DynamicComponent, DynamicRef, DynamicValue, FieldKind};
use ecs_core::event::EventCursor;
use ecs_core::prelude::*;
use ecs_core::relation::Targets;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "dead.fame")]
struct Fame(HashMap<Entity, u32>);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "dead.list", storage = "sparse")]
struct List(Vec<Entity>);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "dead.mark")]
struct Mark(u32);

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "dead.knows", many)]
struct Knows(Vec<Entity>);

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "dead.chosen")]
struct Chosen(Vec<Entity>);

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "dead.news")]
struct News(Vec<Entity>);

fn held() -> ecs_core::component::ComponentId {
    static HELD: std::sync::OnceLock<ecs_core::component::ComponentId> = std::sync::OnceLock::new();
    *HELD.get_or_init(|| {
        let held = DynamicComponent::new("dead.held");
        held.field("by", FieldKind::Entity).register().unwrap()
    })
}

fn held_by(entity: Entity) -> DynamicValue {
    let value = DynamicValue::new(held()).unwrap();
    value.with("by", Some(entity)).unwrap()
}

/// Ids that no entity of a world with a few living entities has: ids of despawned entities, one of them with an index that
/// another entity has now, and an id that was never issued.
fn dead_ids(world: &mut World) -> Vec<Entity> {
    let mut dead = Vec::new();
    let all = [(); 4].map(|()| world.spawn(()));
    for gone in all {
        world.despawn(gone).unwrap();
        dead.push(gone);
    }
    let second = world.spawn(());
    world.despawn(second).unwrap();
    dead.push(second);
    dead
}

/// A world with values of each kind that hold five dead ids and a living one.
fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.register_data_resource::<Chosen>();
    world.register_data_event::<News>();
    let ids = dead_ids(&mut world);
    let [hero, other] = [1, 2].map(|n| world.spawn(Mark(n)));
    let all = Vec::from_iter(ids.iter().copied().chain([hero]));
    let fame = ids.iter().copied().zip(0..);
    world.insert(hero, Fame(fame.collect())).unwrap();
    world.insert(other, List(all.clone())).unwrap();
    world.insert(hero, Knows(all.clone()).to(other)).unwrap();
    world.insert_dynamic(hero, held_by(ids[3])).unwrap();
    world.insert_resource(Chosen(all.clone()));
    world.send_event(News(all));
    (world, ids)
}

fn marked(world: &World, n: u32) -> Entity {
    let query = world.query::<(Entity, &Mark)>();
    let found = query.iter().find(|(_, mark)| mark.0 == n);
    found.unwrap().0
}

/// Returns the dead ids of a world. All values hold the same ones, and no later entity gets them.
#[track_caller]
fn check(world: &mut World, has_all: bool) -> Vec<Entity> {
    let [hero, other] = [1, 2].map(|n| marked(world, n));
    let list = world.get::<List>(other).unwrap().0.clone();
    let (dead, living) = list.split_at(5);
    assert_eq!(living, [hero]);
    assert_eq!(dead.iter().collect::<BTreeSet<_>>().len(), 5, "{dead:?}");
    let fame = world.get::<Fame>(hero).unwrap().0.clone();
    assert_eq!(fame, dead.iter().copied().zip(0..).collect());
    let knows = world
        .get::<Targets<Knows>>(hero)
        .unwrap()
        .get(other)
        .unwrap()
        .0
        .clone();
    assert_eq!(knows, list);
    if has_all {
        assert_eq!(world.resource::<Chosen>().0, list);
        let news = world.resource::<Events<News>>();
        let mut cursor = EventCursor::default();
        assert_eq!(cursor.on(&news).read().next().unwrap().0, list);
        drop(news);
        let view = world.view_erased(held());
        let value = DynamicRef::of(view.get(hero).unwrap()).unwrap().to_owned();
        assert_eq!(value, held_by(dead[3]));
    }
    for id in dead {
        assert!(!world.contains(*id));
    }
    // Indices are used again and again, and new ones too.
    let mut spawned = Vec::new();
    for _ in 0..20 {
        spawned.extend((0..20).map(|_| world.spawn(())));
        assert!(dead.iter().all(|id| !world.contains(*id)));
        spawned.drain(5..).for_each(|e| world.despawn(e).unwrap());
    }
    dead.to_vec()
}

#[test]
fn a_clone_has_the_same_dead_ids() {
    let (mut world, ids) = world();
    let mut copy = Cloner::new().world(&world).unwrap();
    assert_eq!(copy.hash().unwrap(), world.hash().unwrap());
    assert_eq!(copy.next_ids(9).unwrap(), world.next_ids(9).unwrap());
    assert!(world.diff(&copy).unwrap().is_empty());
    let hero = marked(&world, 1);
    let before = world.try_clone().unwrap();
    world.insert(hero, (Mark(9), Fame::default())).unwrap();
    let diff = before.diff(&world).unwrap();
    diff.reversed().apply(&mut world).unwrap();
    assert_eq!(before.hash().unwrap(), world.hash().unwrap());
    assert_eq!(check(&mut copy, true), ids);
    // A clone of a clone, whose indices were used meanwhile.
    let mut again = copy.try_clone().unwrap();
    assert_eq!(again.next_ids(9).unwrap(), copy.next_ids(9).unwrap());
    assert_eq!(check(&mut again, true), ids);
    assert_eq!(check(&mut world, true), ids);
}

#[test]
fn a_clone_goes_on_as_its_original_whatever_happened_to_ids() {
    let mut world = World::new();
    let mut undo = Undo::new(10);
    let all = [(); 6].map(|()| world.spawn(Mark(0)));
    // An index with later ids returns to its first entity.
    undo.record(&mut world, |world| world.despawn(all[1]))
        .unwrap()
        .unwrap();
    for _ in 0..3 {
        let later = world.spawn(());
        world.despawn(later).unwrap();
    }
    undo.undo(&mut world).unwrap();
    world.despawn(all[4]).unwrap();
    world.despawn(all[5]).unwrap();
    let reserved = [(); 3].map(|()| world.reserve_entity());
    let mut copy = world.try_clone().unwrap();
    copy.check_invariants();
    // Reserved entities are alive in both, and get their rows in both.
    assert!(reserved.iter().all(|&id| copy.contains(id)));
    for world in [&mut world, &mut copy] {
        let next = world.spawn(());
        assert!(!reserved.contains(&next));
        world.flush();
        assert!(
            reserved
                .iter()
                .all(|&id| world.get::<Mark>(id).is_none() && world.contains(id))
        );
        world.check_invariants();
    }
    assert_eq!(world.hash().unwrap(), copy.hash().unwrap());
    for _ in 0..4 {
        for entity in [all[1], all[0]] {
            _ = (world.despawn(entity), copy.despawn(entity));
        }
        assert_eq!(world.next_ids(20).unwrap(), copy.next_ids(20).unwrap());
        assert_eq!(world.spawn(()), copy.spawn(()));
    }
}

#[test]
fn ids_of_other_worlds_and_beyond_all_indices_stay_what_they_are() {
    let never = Entity::from_bits(u64::from(u32::MAX) << 32 | 0xFFFF_FFFE).unwrap();
    let far = Entity::from_bits(7 << 32 | 90_000).unwrap();
    let mut world = World::new();
    let holder = world.spawn(List(vec![never, far, never]));
    let copy = world.try_clone().unwrap();
    assert_eq!(copy.get::<List>(holder).unwrap().0, [never, far, never]);
    assert!(world.diff(&copy).unwrap().is_empty());
    let saved = world.save().dangling(Dangling::Dead).to_vec().unwrap();
    let loader = Loader::new().with::<List>();
    let mut loaded = loader.load(&saved[..]).unwrap();
    // Loaded again, they are still the same ones and different.
    for _ in 0..3 {
        let query = loaded.query::<&List>();
        let list = query.iter().next().unwrap().0.clone();
        assert!(list[0] == list[2] && list[0] != list[1]);
        assert!(!loaded.contains(list[0]) && !loaded.contains(list[1]));
        drop(query);
        let saved = loaded.save().dangling(Dangling::Dead).to_vec().unwrap();
        loaded = loader.load(&saved[..]).unwrap();
    }
}

fn loader() -> Loader {
    Loader::new()
        .with::<Fame>()
        .with::<List>()
        .with::<Mark>()
        .with::<Targets<Knows>>()
        .with_resource::<Chosen>()
        .with_events::<News>()
        .dynamic(held())
}

#[test]
fn a_load_keeps_dead_ids_apart_in_each_format() {
    let (world, _) = world();
    let save = world.save().dangling(Dangling::Dead);
    let bytes = save.to_vec().unwrap();
    check(&mut loader().load(&bytes[..]).unwrap(), true);
    let json = serde_json::to_string(&save).unwrap();
    let ron = ron::to_string(&save).unwrap();
    let packed = rmp_serde::to_vec(&save).unwrap();
    let mut loaded = World::new();
    let mut reader = serde_json::Deserializer::from_str(&json);
    loader().deserialize(&mut loaded, &mut reader).unwrap();
    check(&mut loaded, true);
    let mut loaded = World::new();
    let mut reader = ron::Deserializer::from_str(&ron).unwrap();
    loader().deserialize(&mut loaded, &mut reader).unwrap();
    check(&mut loaded, true);
    let mut loaded = World::new();
    let mut reader = rmp_serde::Deserializer::new(&packed[..]);
    loader().deserialize(&mut loaded, &mut reader).unwrap();
    check(&mut loaded, true);
    // At the same ids, and into a world that has others.
    let with_ids = save.with_ids().to_vec().unwrap();
    check(&mut loader().same_ids().load(&with_ids[..]).unwrap(), true);
    let mut full = World::new();
    (0..20).for_each(|_| _ = full.spawn(()));
    loader().load_into(&mut full, &with_ids[..]).unwrap();
    check(&mut full, true);
}

#[test]
fn values_of_unknown_names_keep_dead_ids_apart() {
    let (world, _) = world();
    let save = world.save().dangling(Dangling::Dead);
    let older = Loader::new().with::<Mark>().unknown(Unknown::Keep);
    let bytes = save.to_vec().unwrap();
    let mut kept = older.load(&bytes[..]).unwrap();
    let again = kept.save().dangling(Dangling::Dead).to_vec().unwrap();
    let mut back = loader().load(&again[..]).unwrap();
    check(&mut back, true);
    // An entity that the values name disappears before they are known again.
    let other = marked(&kept, 2);
    kept.despawn(other).unwrap();
    let again = kept.save().dangling(Dangling::Dead).to_vec().unwrap();
    let back = loader().load(&again[..]).unwrap();
    let hero = marked(&back, 1);
    assert_eq!(back.get::<Fame>(hero).unwrap().0.len(), 5);
    let json = serde_json::to_string(&save).unwrap();
    let mut kept = World::new();
    let mut reader = serde_json::Deserializer::from_str(&json);
    older.deserialize(&mut kept, &mut reader).unwrap();
    let again = serde_json::to_string(&kept.save().dangling(Dangling::Dead)).unwrap();
    let mut back = World::new();
    let mut reader = serde_json::Deserializer::from_str(&again);
    loader().deserialize(&mut back, &mut reader).unwrap();
    check(&mut back, true);
}

#[test]
fn copies_in_other_worlds_keep_dead_ids_apart() {
    let (mut world, ids) = world();
    let [hero, other] = [1, 2].map(|n| marked(&world, n));
    let cloner = Cloner::new().dangling(Dangling::Dead);
    let mut to = World::new();
    (0..20).for_each(|_| _ = to.spawn(()));
    cloner
        .entities_into(&world, [hero, other], &mut to)
        .unwrap();
    check(&mut to, false);
    assert!(
        Cloner::new()
            .entities_into(&world, [hero, other], &mut to)
            .is_err()
    );
    // In the same world they stay the same.
    let copies = Cloner::new().entities(&mut world, [hero, other]).unwrap();
    assert_eq!(world.get::<List>(copies.pairs[1].1).unwrap().0[..5], ids);

    #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
    #[relation(data = "dead.part_of", tree)]
    struct PartOf;

    world.relate(other, PartOf, hero).unwrap();
    let prefab = cloner.prefab::<PartOf>(&world, hero).unwrap();
    let mut to = World::new();
    prefab.spawn(&mut to).unwrap();
    let first = check(&mut to, false);
    let mut saved = Vec::new();
    let inside = prefab.to_world().unwrap();
    inside
        .save()
        .dangling(Dangling::Dead)
        .to_writer(&mut saved)
        .unwrap();
    let read = Prefab::load(
        &loader().with::<ecs_core::relation::Target<PartOf>>(),
        &saved[..],
    );
    let mut to = World::new();
    read.unwrap().spawn(&mut to).unwrap();
    assert_eq!(check(&mut to, false).len(), first.len());
}

#[test]
fn a_replica_keeps_dead_ids_apart_and_knows_them_again() {
    let protocol = || {
        Protocol::new()
            .with::<Fame>()
            .with::<List>()
            .with::<Mark>()
            .with_relation::<Knows>()
    };
    let (mut world, _) = world();
    let hidden = world.spawn(Mark(3));
    let [hero, other] = [1, 2].map(|n| marked(&world, n));
    world.get_mut::<List>(other).unwrap().0.push(hidden);
    let mut server = Replicator::new(protocol());
    let client = server.connect();
    let mut here = World::new();
    (0..9).for_each(|_| _ = here.spawn(()));
    let mut replica = Replica::new(protocol());
    let mut seen = Vec::new();
    for frame in 0..3 {
        // Values come in different packets.
        world.insert(hero, Mark(1)).unwrap();
        let mut fame = world.get::<Fame>(hero).unwrap().0.clone();
        fame.values_mut().for_each(|n| *n += 1);
        world.insert(hero, Fame(fame)).unwrap();
        server.update(&world).unwrap();
        let packet = server.packet(client, |entity| entity != hidden).unwrap();
        replica.apply(&mut here, &packet).unwrap();
        server.acknowledge(client, replica.applied()).unwrap();
        let list = here.get::<List>(marked(&here, 2)).unwrap().0.clone();
        let fame = here.get::<Fame>(marked(&here, 1)).unwrap().0.clone();
        assert_eq!(
            fame,
            list.iter().copied().take(5).zip(frame + 1..).collect()
        );
        assert_eq!(list.iter().collect::<BTreeSet<_>>().len(), 7);
        assert_eq!(list.iter().filter(|&&id| here.contains(id)).count(), 1);
        seen.push(list);
    }
    assert!(seen.iter().all(|list| *list == seen[0]));
    // An entity that was out of sight is known when it is seen.
    server.update(&world).unwrap();
    let packet = server.packet(client, |_| true).unwrap();
    replica.apply(&mut here, &packet).unwrap();
    let list = here.get::<List>(marked(&here, 2)).unwrap().0.clone();
    assert_eq!(list[..5], seen[0][..5]);
}
