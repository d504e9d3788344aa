//! Change tracking combined with splits, threads, and queries of one system that are disjoint by filters.

use std::sync::atomic::{AtomicUsize, Ordering};

use ecs_core::meta;
use ecs_core::meta::conflicts;
use ecs_core::prelude::*;

#[derive(Component, Debug, PartialEq)]
#[component(track)]
struct Health(i32);

#[derive(Component)]
#[component(track, storage = "sparse")]
struct Mood(i32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Calm(i32);

#[derive(Component)]
struct Player;

#[derive(Component)]
#[component(storage = "sparse")]
struct Frozen;

#[test]
fn a_split_marks_what_it_writes_and_never_the_excluded_one() {
    let mut world = World::new();
    let ids = world
        .spawn_batch((0..100).map(|n| (Health(n), Player)))
        .to_vec();
    let since = world.tick();
    for &id in &ids[20..80] {
        world.get_mut::<Health>(id).unwrap().0 += 1;
    }
    let written = world.tick();
    let mut query = world
        .query_filtered::<&mut Health, (Changed<Health>, With<Player>)>()
        .since(since);
    let (mut one, mut rest) = query.split(ids[50]).unwrap();
    assert_eq!(rest.iter().count(), 59);
    rest.for_each(|mut other| other.0 += one.0);
    one.0 += 1;
    assert!(rest.get(ids[50]).is_none() && rest.get(ids[0]).is_none());
    let (two, mut rest) = rest.split(ids[51]).unwrap();
    assert_eq!(rest.iter_mut().count(), 58);
    one.0 += two.0;
    drop(query);
    let health = world.view::<Health>().since(written);
    assert_eq!(Vec::from_iter(health.changed().entities()), ids[20..80]);
}

#[test]
fn threads_visit_what_changed() {
    let mut world = World::new();
    let ids = world.spawn_batch((0..30_000).map(Health)).to_vec();
    let sparse: Vec<_> = (0..100).map(|n| world.spawn(Mood(n))).collect();
    let since = world.tick();
    for &id in ids.iter().step_by(7) {
        world.get_mut::<Health>(id).unwrap().0 = -1;
    }
    world.get_mut::<Mood>(sparse[5]).unwrap().0 = -1;
    let count = AtomicUsize::new(0);
    let mut health = world.view_mut::<Health>().since(since);
    health.changed_mut().par_for_each(|mut health| {
        assert_eq!(health.0, -1);
        health.0 = -2;
        count.fetch_add(1, Ordering::Relaxed);
    });
    let changed = ids.len().div_ceil(7);
    assert_eq!(count.load(Ordering::Relaxed), changed);
    assert_eq!(
        health.iter().filter(|health| health.0 == -2).count(),
        changed
    );
    let moods = world.view::<Mood>().since(since);
    moods.changed().par_for_each(|mood| assert_eq!(mood.0, -1));
}

/// Changes every third entity; returns these, in the order of spawning.
fn change_each_third(world: &mut World, ids: &[Entity]) -> Vec<Entity> {
    let chosen: Vec<_> = ids.iter().copied().step_by(3).collect();
    for &id in &chosen {
        world.get_mut::<Mood>(id).unwrap().0 += 1000;
    }
    chosen
}

#[test]
fn values_are_distinguished_in_sparse_sets_of_any_length() {
    for len in [0, 1, 7, 31, 32, 33, 63, 64, 65, 100, 1024, 1100] {
        let mut world = World::new();
        world.spawn(Health(0));
        let ids = world.spawn_batch((0..len).map(Mood)).to_vec();
        let since = world.tick();
        let chosen = change_each_third(&mut world, &ids);
        let written = world.tick();

        let mut each = Vec::new();
        let query = world.query_filtered::<(Entity, &mut Mood), Changed<Mood>>();
        let mut query = query.since(since);
        query.for_each(|(id, mut mood)| {
            assert!(mood.0 >= 1000);
            mood.0 -= 1000;
            each.push(id);
        });
        assert_eq!(each, chosen);
        let iterated = query.iter().map(|(id, _)| id);
        assert_eq!(Vec::from_iter(iterated), chosen);
        assert_eq!(query.iter().fold(0, |n, _| n + 1), chosen.len());
        drop(query);

        let moods = world.view::<Mood>().since(written);
        assert_eq!(Vec::from_iter(moods.changed().entities()), chosen);
        assert_eq!(moods.added().iter().count(), 0);
        let moods = world.view::<Mood>().since(since);
        assert_eq!(moods.added().iter().count(), 0);
        let all: Vec<_> = moods.iter().map(|mood| mood.0).collect();
        assert_eq!(all, Vec::from_iter(0..len));
    }
}

#[test]
fn values_are_distinguished_in_groups_of_any_length() {
    for len in [0, 1, 31, 32, 33, 65] {
        let mut world = World::builder().group::<(Mood, Calm)>().build();
        let alone = world.spawn_batch((0..len + 3).map(Mood)).to_vec();
        let both = world.spawn_batch((0..len).map(|n| (Mood(n), Calm(n))));
        let both = both.to_vec();
        let since = world.tick();
        let mut chosen = change_each_third(&mut world, &both);
        let mut chosen_alone = change_each_third(&mut world, &alone);
        chosen.sort_unstable();
        chosen_alone.sort_unstable();

        let sorted = |mut ids: Vec<Entity>| {
            ids.sort_unstable();
            ids
        };
        let grouped = world.query_filtered::<(Entity, &Mood, &Calm), Changed<Mood>>();
        let grouped = grouped.since(since);
        let found = grouped.iter().map(|(id, mood, calm)| {
            assert_eq!(mood.0, calm.0 + 1000);
            id
        });
        assert_eq!(sorted(found.collect()), chosen);
        let with = world.query_filtered::<Entity, (Changed<Mood>, With<Calm>)>();
        assert_eq!(sorted(with.since(since).iter().collect()), chosen);
        let without = world.query_filtered::<Entity, (Changed<Mood>, Without<Calm>)>();
        let mut found = Vec::new();
        let mut without = without.since(since);
        without.for_each(|id| found.push(id));
        assert_eq!(sorted(found), chosen_alone);
        let added = world.query_filtered::<&Calm, Added<Mood>>();
        assert_eq!(added.since(since).iter().count(), 0);
    }
}

#[test]
fn threads_visit_what_changed_in_a_sparse_set() {
    let mut world = World::new();
    let ids = world.spawn_batch((0..30_001).map(Mood)).to_vec();
    let since = world.tick();
    let chosen = change_each_third(&mut world, &ids);
    let count = AtomicUsize::new(0);
    let mut moods = world.view_mut::<Mood>().since(since);
    moods.changed_mut().par_for_each(|mut mood| {
        mood.0 = -1;
        count.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(count.into_inner(), chosen.len());
    let visited = moods.iter().filter(|mood| mood.0 == -1).count();
    assert_eq!(visited, chosen.len());
}

#[test]
fn slices_of_a_sparse_set_are_marked_by_the_value() {
    let mut world = World::new();
    let ids = [1, 2, 3].map(|n| world.spawn(Mood(n)));
    let since = world.tick();
    world
        .view_mut::<Mood>()
        .as_mut_slice()
        .get_mut(1)
        .unwrap()
        .0 = 7;
    let moods = world.view::<Mood>().since(since);
    assert_eq!(Vec::from_iter(moods.changed().entities()), [ids[1]]);
}

/// The first query writes the component that the second one reads from other entities.
#[system]
fn apart(
    mut players: Query<&mut Health, With<Player>>,
    others: Query<Entity, (Changed<Health>, Without<Player>)>,
    mut thawed: Query<&mut Mood, Without<Frozen>>,
    frozen: Query<Entity, (Changed<Mood>, With<Frozen>)>,
) -> (usize, usize) {
    let mut kept: Vec<_> = players.iter_mut().collect();
    let moods: Vec<_> = thawed.iter_mut().collect();
    let seen = (others.count(), frozen.count());
    kept.iter_mut().for_each(|health| health.0 += 1);
    moods.into_iter().for_each(|mut mood| mood.0 += 1);
    seen
}

#[test]
fn disjoint_queries_see_changes_of_their_own_entities() {
    let mut world = World::new();
    assert_eq!(apart(&world), (0, 0));
    let hero = world.spawn((Health(1), Player, Mood(1)));
    let rat = world.spawn((Health(1), Mood(1), Frozen));
    assert_eq!(apart(&world), (1, 1));
    assert_eq!(apart(&world), (0, 0));
    world.get_mut::<Health>(rat).unwrap().0 = 5;
    assert_eq!(apart(&world), (1, 0));
    assert_eq!(*world.get::<Health>(hero).unwrap(), Health(4));
    assert!(world.try_view_mut::<Health>().is_ok() && world.try_view_mut::<Mood>().is_ok());
}

#[system]
fn asks(_: Query<&Player, Or<(Changed<Health>,)>>) {}

#[system]
fn asks_and_writes(_: Query<&mut Health, Changed<Health>>) {}

#[system]
fn writes(_: CompMut<Health>) {}

#[system]
fn reads(_: Comp<Health>) {}

#[test]
fn a_filter_by_changes_reads_the_component() {
    let conflict = conflicts(&meta(&asks), &meta(&writes)).expect("a write and a read");
    assert!(conflict.to_string().contains("Health"), "{conflict}");
    assert!(conflicts(&meta(&writes), &meta(&asks)).is_some());
    assert!(conflicts(&meta(&asks), &meta(&reads)).is_none());
    assert!(conflicts(&meta(&asks_and_writes), &meta(&asks)).is_some());
    let mut world = World::new();
    world.spawn((Health(1), Player));
    asks_and_writes(&world);
    asks(&world);
}

#[derive(QueryData)]
struct Creature<'a> {
    health: Mut<'a, Health>,
    mood: Option<&'a mut Mood>,
}

#[derive(QueryFilter)]
struct Hurt(Changed<Health>, Without<Frozen>);

#[test]
fn derived_queries_track() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn((Health(n), Mood(n))));
    world.spawn((Health(3), Frozen));
    let since = world.tick();
    world.get_mut::<Health>(b).unwrap().0 = 7;
    let mut hurt = world.query_filtered::<Creature, Hurt>().since(since);
    assert_eq!(
        hurt.iter().map(|creature| creature.health.0).sum::<i32>(),
        7
    );
    hurt.for_each(|creature| creature.mood.unwrap().0 += 1);
    drop(hurt);
    let moods = world.view::<Mood>().since(since);
    assert!(moods.is_changed(b) && !moods.is_changed(a));
    assert!(world.try_view_mut::<Health>().is_ok());
}
