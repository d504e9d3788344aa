//! Tests systems in a world whose clock reaches the limits of the ticks that rows can store.

use alloc::string::String;
use alloc::vec::Vec;
use ecs_macros::system;
use std::collections::BTreeSet;

use crate::prelude::*;
use crate::test_components::{Health, Mood, Position};
use crate::tick::LIMIT;

/// The entities that one run of a reader saw.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    changed: BTreeSet<Entity>,
    added: BTreeSet<Entity>,
    moods: BTreeSet<Entity>,
}

#[derive(Default)]
struct Log(Vec<Seen>);

impl crate::Resource for Log {}

#[system]
fn read(
    changed: Query<Entity, Changed<Health>>,
    added: Query<Entity, Added<Health>>,
    moods: Comp<Mood>,
    mut log: ResMut<Log>,
) {
    log.0.push(Seen {
        changed: changed.iter().collect(),
        added: added.iter().collect(),
        moods: moods.changed().entities().collect(),
    });
}

/// The entity that the writer changes.
struct Turn(Option<Entity>);

impl crate::Resource for Turn {}

#[system]
fn write(mut health: CompMut<Health>, mut moods: Query<&mut Mood>, turn: Res<Turn>) {
    let Some(turn) = turn.0 else { return };
    if let Some(mut health) = health.get_mut(turn) {
        health.0 += 1;
    }
    if let Some(mut mood) = moods.get_mut(turn) {
        mood.0.push('!');
    }
}

#[system]
fn ticks(health: Comp<Health>) {
    assert!(!health.is_empty());
}

/// Runs a writer, a reader that runs each round and one that runs each third round, and compares the reads with the
/// writes: the sets are equal if `exact`; otherwise the reads may include more.
fn rounds(start: u64, exact: bool) -> World {
    let mut world = World::starting_at(start);
    world.insert_resource(Log::default());
    world.insert_resource(Turn(None));
    let mut ids: Vec<_> = (0..40)
        .map(|n| world.spawn((Health(n), Mood(String::new()))))
        .collect();
    let (mut writer, mut often, mut seldom) = (Schedule::new(), Schedule::new(), Schedule::new());
    writer.add((ticks, write));
    often.add(read);
    seldom.add(read);
    let (mut new_often, mut new_seldom) = (ids.clone(), ids.clone());
    let (mut written_often, mut written_seldom) = (BTreeSet::new(), BTreeSet::new());
    for round in 0..30 {
        let turn = ids[round * 7 % ids.len()];
        world.resource_mut::<Turn>().0 = Some(turn);
        writer.run(&mut world).unwrap();
        let late = world.spawn((Health(0), Position::default(), Mood(String::new())));
        ids.push(late);
        for (new, written) in [
            (&mut new_often, &mut written_often),
            (&mut new_seldom, &mut written_seldom),
        ] {
            new.push(late);
            written.insert(turn);
        }
        let mut check =
            |reader: &mut Schedule, new: &mut Vec<Entity>, written: &mut BTreeSet<Entity>| {
                reader.run(&mut world).unwrap();
                let seen = world.resource_mut::<Log>().0.pop().unwrap();
                let added: BTreeSet<_> = new.drain(..).collect();
                let changed: BTreeSet<_> = added.union(&std::mem::take(written)).copied().collect();
                if exact {
                    assert_eq!(seen.added, added, "round {round}");
                    assert_eq!(seen.changed, changed, "round {round}");
                    assert_eq!(seen.moods, changed, "round {round}");
                } else {
                    assert!(seen.added.is_superset(&added), "round {round}");
                    assert!(seen.changed.is_superset(&changed), "round {round}");
                    assert!(seen.moods.is_superset(&changed), "round {round}");
                }
            };
        check(&mut often, &mut new_often, &mut written_often);
        if round % 3 == 2 {
            check(&mut seldom, &mut new_seldom, &mut written_seldom);
        }
    }
    world
}

#[test]
fn systems_see_each_change_once_while_the_base_moves() {
    assert_eq!(rounds(0, true).storage.clock.base(), 0);
    // The base moves in one of the rounds, between any two runs.
    for before in [60, 61, 62, 63, 64, 65, 100, 150] {
        assert!(
            rounds(LIMIT - before, true).storage.clock.base() > 0,
            "the base has moved"
        );
    }
    for start in [
        u64::from(u32::MAX) - 70,
        u64::from(u32::MAX) * 3,
        u64::MAX - 1_000,
    ] {
        assert!(
            rounds(start, start > u64::from(u32::MAX))
                .storage
                .clock
                .base()
                > 0
        );
    }
}

/// No code flushes this world, so the base cannot move.
#[test]
fn changes_are_seen_again_and_not_missed_where_the_base_cannot_move() {
    let mut world = World::starting_at(u64::from(u32::MAX) - 50);
    world.insert_resource(Log::default());
    let ids: Vec<_> = (0..5).map(|n| world.spawn(Health(n))).collect();
    world.insert_resource(Turn(None));
    read(&world);
    for round in 0..100 {
        let turn = ids[round % ids.len()];
        world.resource_mut::<Turn>().0 = Some(turn);
        write(&world);
        read(&world);
        let seen = world.resource_mut::<Log>().0.pop().unwrap();
        assert!(seen.changed.contains(&turn), "round {round}");
    }
    assert_eq!(world.storage.clock.base(), 0);
    world.flush();
    assert!(world.storage.clock.base() > 0);
    read(&world);
    read(&world);
    assert_eq!(world.resource_mut::<Log>().0.pop(), Some(Seen::default()));
    world.resource_mut::<Turn>().0 = Some(ids[2]);
    write(&world);
    read(&world);
    let seen = world.resource_mut::<Log>().0.pop().unwrap();
    assert_eq!(seen.changed, BTreeSet::from([ids[2]]));
}

#[test]
fn a_reader_that_did_not_run_for_the_window_sees_changes_again() {
    let mut world = World::new();
    let e = world.spawn(Health(1));
    let since = world.tick();
    assert!(!world.view::<Health>().since(since).is_changed(e));
    world.storage.clock.advance_to(LIMIT + LIMIT);
    world.flush();
    assert!(world.view::<Health>().since(since).is_changed(e));
    let since = world.tick();
    assert!(!world.view::<Health>().since(since).is_changed(e));
}
