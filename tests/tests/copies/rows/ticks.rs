//! Values keep their age.

use ecs_core::Disabled;
use ecs_core::prelude::*;

use super::{Aim, Gid, Place, Tracked};

#[system]
fn changed(all: Query<&Gid, Changed<Tracked>>) -> Vec<u64> {
    let mut gids: Vec<u64> = all.iter().map(|gid| gid.0).collect();
    gids.sort_unstable();
    gids
}

#[system]
fn added(all: Query<&Gid, Or<(Added<Tracked>, Added<Aim>)>>) -> Vec<u64> {
    let mut gids: Vec<u64> = all.iter().map(|gid| gid.0).collect();
    gids.sort_unstable();
    gids
}

#[system]
fn write(gid: u64, mut all: Query<(&Gid, &mut Tracked)>) {
    for (found, mut tracked) in &mut all {
        if found.0 == gid {
            tracked.0.push('x');
        }
    }
}

#[test]
fn a_system_sees_the_changes_that_it_would_have_seen_without_the_move() {
    let (mut one, mut other) = (Place::default(), Place::default());
    for gid in 0..4 {
        one.spawn(gid, (Tracked(String::new()), Aim(None)));
    }
    let run = |one: &Place, other: &Place, gid| {
        [one, other].map(|place| {
            write(gid, &place.world);
            (changed(&place.world), added(&place.world))
        })
    };
    assert_eq!(
        run(&one, &other, 9)[0],
        (vec![0, 1, 2, 3], vec![0, 1, 2, 3])
    );
    assert_eq!(run(&one, &other, 1)[0], (vec![1], vec![]));
    // One that has not changed, one that has changed and was seen, and one that has changed since.
    one.world
        .insert(one.by_gid[&2], Tracked("new".into()))
        .unwrap();
    let rows = one.take(&[0, 1, 2]);
    other.put(rows);
    let [at_home, away] = run(&one, &other, 9);
    assert_eq!(at_home, (vec![], vec![]));
    assert_eq!(away, (vec![2], vec![]));
    assert_eq!(run(&one, &other, 0)[1], (vec![0], vec![]));
}

#[test]
fn ticks_can_be_forgotten() {
    let (mut one, mut other) = (Place::default(), Place::default());
    one.spawn(1, (Tracked(String::new()), Aim(None)));
    for place in [&one, &other] {
        for _ in 0..3 {
            _ = (changed(&place.world), added(&place.world));
        }
    }
    let mut rows = one.take(&[1]);
    rows.forget_ticks();
    other.put(rows);
    assert_eq!(
        (changed(&other.world), added(&other.world)),
        (vec![1], vec![1])
    );
}

#[test]
fn a_value_older_than_the_other_world_is_new_to_it() {
    let (mut one, mut other) = (Place::default(), Place::default());
    one.spawn(1, Tracked(String::new()));
    for _ in 0..100 {
        _ = one.world.tick();
    }
    let rows = one.take(&[1]);
    other.put(rows);
    assert_eq!(changed(&other.world), [1]);
    assert!(changed(&other.world).is_empty());
}

#[test]
fn a_disabled_entity_shows_what_was_missed_when_it_is_enabled() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let entity = one.spawn(1, Tracked(String::new()));
    for place in [&one, &other] {
        _ = changed(&place.world);
    }
    one.world.insert(entity, Disabled).unwrap();
    one.world.get_mut::<Tracked>(entity).unwrap().0.push('x');
    let rows = one.take(&[1]);
    let entity = other.put(rows).entities[0];
    assert!(changed(&other.world).is_empty());
    other.world.remove::<Disabled>(entity).unwrap();
    assert_eq!(changed(&other.world), [1]);
}

#[test]
fn systems_of_two_worlds_see_together_what_one_would() {
    for seed in 0..40_u64 {
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        let mut alone = Place::default();
        let mut places = [Place::default(), Place::default()];
        let mut home = Vec::new();
        for gid in 0..12 {
            alone.spawn(gid, (Tracked(String::new()), Aim(None)));
            let at = next(2) as usize;
            places[at].spawn(gid, (Tracked(String::new()), Aim(None)));
            home.push(at);
        }
        for _ in 0..30 {
            let moving: Vec<u64> = (0..12).filter(|_| next(5) == 0).collect();
            for from in [0, 1] {
                let gids = moving.iter().copied();
                let gids: Vec<u64> = gids.filter(|&gid| home[gid as usize] == from).collect();
                let rows = places[from].take(&gids);
                places[1 - from].put(rows);
                places[from].by_gid.retain(|gid, _| !gids.contains(gid));
            }
            moving
                .iter()
                .for_each(|&gid| home[gid as usize] = 1 - home[gid as usize]);
            let inserted = next(12);
            let of = &mut places[home[inserted as usize]];
            of.world.insert(of.by_gid[&inserted], Aim(None)).unwrap();
            alone
                .world
                .insert(alone.by_gid[&inserted], Aim(None))
                .unwrap();
            let written = next(12);
            let seen = |place: &Place| {
                write(written, &place.world);
                let removed = next_frame(place);
                (changed(&place.world), removed)
            };
            let [one, other] = [&places[0], &places[1]].map(seen);
            let both = |a: Vec<u64>, b: Vec<u64>| {
                let mut all = [a, b].concat();
                all.sort_unstable();
                all
            };
            let expected = seen(&alone);
            assert_eq!(
                (both(one.0, other.0), both(one.1, other.1)),
                expected,
                "{seed}"
            );
        }
    }
}

fn next_frame(place: &Place) -> Vec<u64> {
    added(&place.world)
}
