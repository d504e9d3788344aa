//! Change tracking together with splits, threads, and queries of one system that are kept apart.

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
struct Player;

#[derive(Component)]
#[component(storage = "sparse")]
struct Frozen;

#[test]
fn a_split_marks_what_it_writes_and_never_looks_at_the_one_that_is_out() {
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

/// The first query writes what the second one asks about, of other entities.
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
fn queries_that_are_kept_apart_are_told_of_their_own_entities() {
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
fn asking_for_changes_reads_the_component() {
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
