//! Panics while rows are taken and put lose nothing, and drop nothing twice.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use ecs_core::__private::fail;
use ecs_core::prelude::*;
use ecs_tests::{ARMED, Held, Kept, Ledger, Token};
use serde::{Deserialize, Serialize};

use super::{Gid, PartOf, Place};

/// The number of values to be written or read until one panics.
static LEFT: AtomicU32 = AtomicU32::new(u32::MAX);

fn count_down() {
    if LEFT.fetch_sub(1, Ordering::Relaxed) == 0 {
        panic!("a value panics");
    }
}

/// Names an entity, and panics on demand.
#[derive(Component)]
#[component(data = "rows.nervous", no_clone, no_debug)]
struct Nervous(Option<Entity>, Token);

std::thread_local!(static LEDGER: Ledger = Ledger::default());

impl Serialize for Nervous {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        count_down();
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Nervous {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entity = Option::<Entity>::deserialize(deserializer)?;
        count_down();
        Ok(Self(entity, LEDGER.with(Ledger::token)))
    }
}

fn full(ledger: &Ledger) -> Place {
    let mut place = Place::default();
    for gid in 0..6 {
        place.spawn(gid, (Kept(ledger.token()), Held(ledger.token())));
    }
    for gid in 0..3 {
        let (source, target) = (place.by_gid[&gid], place.by_gid[&(gid + 3)]);
        let nervous = Nervous(Some(target), ledger.token());
        place.world.insert(source, nervous).unwrap();
        place.world.relate(source, PartOf, target).unwrap();
    }
    place
}

#[test]
fn each_value_has_one_owner_whatever_panics() {
    LEDGER.with(|ledger| {
        // Once, so that the form of the type is known.
        let mut place = full(ledger);
        let rows = place.take(&[0, 3]);
        drop((rows, place));
        assert!(ledger.alive().is_empty());
        let mut steps = 0;
        loop {
            let mut place = full(ledger);
            let mut other = Place::default();
            let all = ledger.alive();
            let gids = [0, 3, 1, 4, 2];
            let list = gids.map(|gid| place.by_gid[&gid]);
            LEFT.store(steps, Ordering::Relaxed);
            let mut key = |world: ecs_core::world::ReadOnlyWorld<'_>, entity| {
                count_down();
                world.get::<Gid>(entity).map(|gid| gid.0)
            };
            let taking = AssertUnwindSafe(|| place.world.take_rows(&list, &mut key));
            let taken = catch_unwind(taking);
            assert_eq!(ledger.alive(), all, "after {steps}");
            place.world.check_invariants();
            let Ok(rows) = taken else {
                assert_eq!(place.world.len(), 6);
                steps += 1;
                continue;
            };
            assert_eq!(place.world.len(), 1);
            let find = |_| {
                count_down();
                None
            };
            let put = catch_unwind(AssertUnwindSafe(|| {
                other.world.put_rows(rows.unwrap(), find)
            }));
            other.world.check_invariants();
            let is_put = put.is_ok();
            drop(put);
            LEFT.store(u32::MAX, Ordering::Relaxed);
            if is_put {
                assert_eq!((other.world.len(), ledger.alive().len()), (6, 6 * 2 + 3));
            } else {
                assert!(other.world.is_empty());
                assert_eq!(ledger.alive().len(), 2, "only the values at home are left");
            }
            drop((place, other));
            assert!(ledger.alive().is_empty());
            if is_put {
                break;
            }
            steps += 1;
        }
        assert!(steps > 15, "{steps}");
    });
}

#[test]
fn a_value_that_panics_when_it_is_dropped_is_dropped_last() {
    let ledger = Ledger::default();
    let mut place = full(&ledger);
    let mut other = Place::default();
    let all = ledger.alive();
    let (source, target) = (place.by_gid[&0], place.by_gid[&3]);
    let nervous = place.world.get::<Nervous>(source).unwrap().1.id();
    ledger.arm(nervous);
    let key = |world: ecs_core::world::ReadOnlyWorld<'_>, entity| Some(world.get::<Gid>(entity)?.0);
    let rows = place.world.take_rows(&[source, target], key).unwrap();
    assert_eq!(ledger.alive(), all);
    let put = catch_unwind(AssertUnwindSafe(|| other.world.put_rows(rows, |_| None)));
    assert_eq!(put.unwrap_err().downcast_ref::<&str>(), Some(&ARMED));
    other.world.check_invariants();
    assert_eq!(other.world.len(), 2);
    assert!(!ledger.alive().contains(&nervous));
}

#[test]
fn limits_are_hit_before_anything_has_changed() {
    let ledger = LEDGER.with(Ledger::clone);
    let (mut limit, mut is_hit) = (0, true);
    while is_hit {
        let mut place = full(&ledger);
        let mut other = Place::default();
        other.spawn(9, Kept(ledger.token()));
        let stub = other.world.spawn(());
        let list: Vec<Entity> = (0..6).map(|gid| place.by_gid[&gid]).collect();
        let key = |world: ecs_core::world::ReadOnlyWorld<'_>, entity| {
            world.get::<Gid>(entity).map(|gid| gid.0)
        };
        let alive = ledger.alive();
        fail::arm(limit);
        let moving = catch_unwind(AssertUnwindSafe(|| {
            let rows = place
                .world
                .take_rows_leaving_stubs(&list, key, |_| ())
                .unwrap();
            other.world.put_rows(rows, |gid| (gid == 2).then_some(stub))
        }));
        is_hit = fail::disarm();
        assert_eq!(moving.is_err(), is_hit);
        place.world.check_invariants();
        other.world.check_invariants();
        if is_hit {
            assert_eq!(other.world.len(), 2);
            assert!(place.world.len() == 6 && !other.world.has::<Gid>(stub));
        } else {
            assert_eq!(other.world.len(), 7);
            // The values that were read anew are others.
            assert_eq!(ledger.alive().len(), alive.len());
        }
        drop((moving, place, other));
        assert!(ledger.alive().is_empty());
        limit += 1;
    }
    assert!(limit > 4, "{limit}");
}
