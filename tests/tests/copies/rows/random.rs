//! Random moves between random worlds keep everything that entities have.

use std::collections::{BTreeMap, HashMap};

use ecs_core::Disabled;
use ecs_core::prelude::*;
use ecs_core::query::AndDisabled;
use ecs_core::relation::{Target, Targets};
use ecs_tests::{Held, Kept, Ledger};
use proptest::prelude::*;

use super::{Aim, Burning, Elsewhere, Gid, Knows, Loose, PartOf, Party, Place, Shield, Tracked};

#[derive(Clone, Copy, Debug, PartialEq)]
enum LeftBehind {
    Nothing,
    BareStubs,
    KeyedStubs,
}

#[derive(Clone, Debug)]
enum Step {
    Spawn(usize),
    Despawn(usize, usize),
    Insert(usize, usize, u8, usize),
    Remove(usize, usize, u8),
    Relate(usize, usize, usize, u8),
    /// From a world to another one: the entities whose bit is set; with stubs, with or without components.
    Move(usize, usize, u16, LeftBehind),
}

fn step() -> impl Strategy<Value = Step> {
    use LeftBehind::{BareStubs, KeyedStubs, Nothing};
    let place = || 0_usize..3;
    let at = || 0_usize..8;
    prop_oneof![
        4 => place().prop_map(Step::Spawn),
        1 => (place(), at()).prop_map(|(p, at)| Step::Despawn(p, at)),
        6 => (place(), at(), 0_u8..10, at()).prop_map(|(p, at, n, to)| Step::Insert(p, at, n, to)),
        2 => (place(), at(), 0_u8..10).prop_map(|(p, at, n)| Step::Remove(p, at, n)),
        4 => (place(), at(), at(), 0_u8..4).prop_map(|(p, at, to, n)| Step::Relate(p, at, to, n)),
        4 => (place(), place(), any::<u16>(), prop::sample::select(&[Nothing, BareStubs, KeyedStubs]))
            .prop_map(|(p, q, bits, stubs)| Step::Move(p, q, bits, stubs)),
    ]
}

/// Describes the entities of a world by their keys, without stubs.
fn describe(place: &Place, all: &mut BTreeMap<u64, String>) {
    let keys = place.keys();
    let key = |entity: Entity| keys.get(&entity).copied();
    let query = place
        .world
        .query_filtered::<(Entity, &Gid), (AndDisabled, Without<Elsewhere>)>();
    for (entity, gid) in &query {
        let handle = place.world.entity(entity).unwrap();
        let party = handle.get::<Party>();
        let plain = (
            party.map(|party| party.0.iter().map(|&id| key(id)).collect::<Vec<_>>()),
            handle.get::<Aim>().map(|aim| aim.0.map(key)),
            handle.get::<Tracked>().map(|tracked| tracked.0.clone()),
            handle.get::<Loose>().map(|loose| loose.0),
            handle.get::<Burning>().map(|burning| burning.0),
            handle.get::<Shield>().map(|shield| shield.0),
            place.world.is_on::<Shield>(entity),
            handle.has::<Disabled>(),
        );
        let tokens = (
            handle.get::<Kept>().map(|kept| kept.0.id()),
            handle.get::<Held>().map(|held| held.0.id()),
        );
        let parent = handle
            .get::<Target<PartOf>>()
            .map(|target| key(target.entity()));
        let knows = handle.get::<Targets<Knows>>().map(|targets| {
            let edges = targets.iter();
            let edges = edges.map(|(to, edge)| (key(to), edge.0, edge.1.map(key)));
            edges.collect::<Vec<_>>()
        });
        let text = format!("{plain:?} {tokens:?} {parent:?} {knows:?}");
        assert!(all.insert(gid.0, text).is_none(), "{gid:?} is in one world");
    }
}

fn describe_all(places: &[Place]) -> BTreeMap<u64, String> {
    let mut all = BTreeMap::new();
    places.iter().for_each(|place| describe(place, &mut all));
    all
}

struct Worlds {
    places: Vec<Place>,
    next: u64,
    ledger: Ledger,
}

impl Worlds {
    /// The entities of a world that are not stubs, by their keys.
    fn real(&self, place: usize) -> Vec<u64> {
        let world = &self.places[place].world;
        let query = world.query_filtered::<&Gid, (AndDisabled, Without<Elsewhere>)>();
        let mut gids: Vec<u64> = query.iter().map(|gid| gid.0).collect();
        gids.sort_unstable();
        gids
    }

    fn entity(&self, place: usize, at: usize) -> Option<Entity> {
        let gid = self.real(place).get(at).copied()?;
        Some(self.places[place].by_gid[&gid])
    }

    /// Any entity, also a stub.
    fn any(&self, place: usize, at: usize) -> Option<Entity> {
        let mut gids: Vec<&u64> = self.places[place].by_gid.keys().collect();
        gids.sort_unstable();
        let gid = gids.get(at)?;
        Some(self.places[place].by_gid[gid])
    }

    fn apply(&mut self, step: &Step) {
        match *step {
            Step::Spawn(place) => {
                self.next += 1;
                let gid = self.next;
                self.places[place].spawn(gid, ());
            }
            Step::Despawn(place, at) => {
                let Some(entity) = self.entity(place, at) else {
                    return;
                };
                let place = &mut self.places[place];
                place.world.despawn(entity).unwrap();
                // It may have taken others along.
                let world = &place.world;
                place.by_gid.retain(|_, entity| world.contains(*entity));
            }
            Step::Insert(place, at, n, to) => {
                let Some(entity) = self.entity(place, at) else {
                    return;
                };
                let (to, ledger) = (self.any(place, to), self.ledger.clone());
                let world = &mut self.places[place].world;
                match n {
                    0 => world.insert(entity, Party(to.into_iter().chain([entity]).collect())),
                    1 => world.insert(entity, Aim(to)),
                    2 => world.insert(entity, Tracked(format!("{entity}"))),
                    3 => world.insert(entity, Loose(at as u16)),
                    4 => world.insert(entity, Burning(at as u8)),
                    5 => world.insert(entity, Shield(at as u32)),
                    6 => {
                        world.turn_off::<Shield>(entity);
                        Ok(())
                    }
                    7 => world.insert(entity, Disabled),
                    8 => world.insert(entity, Kept(ledger.token())),
                    _ => world.insert(entity, Held(ledger.token())),
                }
                .unwrap();
            }
            Step::Remove(place, at, n) => {
                let Some(entity) = self.entity(place, at) else {
                    return;
                };
                let world = &mut self.places[place].world;
                match n {
                    0 => world.remove::<Party>(entity).map(drop),
                    1 => world.remove::<Aim>(entity).map(drop),
                    2 => world.remove::<Tracked>(entity).map(drop),
                    3 => world.remove::<Loose>(entity).map(drop),
                    4 => world.remove::<Burning>(entity).map(drop),
                    5 => world.remove::<Shield>(entity).map(drop),
                    6 => world.remove::<Target<PartOf>>(entity).map(drop),
                    7 => world.remove::<Disabled>(entity).map(drop),
                    8 => world.remove::<Targets<Knows>>(entity).map(drop),
                    _ => world.remove::<Held>(entity).map(drop),
                }
                .unwrap();
            }
            Step::Relate(place, at, to, n) => {
                let (Some(source), Some(target)) = (self.entity(place, at), self.any(place, to))
                else {
                    return;
                };
                let world = &mut self.places[place].world;
                if source == target {
                    return;
                }
                // An error if it would close a cycle.
                _ = match n {
                    0 | 1 => world.relate(source, PartOf, target),
                    _ => world.relate(source, Knows(n, Some(target)), target),
                };
            }
            Step::Move(from, to, bits, left) => self.move_some(from, to, bits, left),
        }
    }

    fn move_some(&mut self, from: usize, to: usize, bits: u16, left: LeftBehind) {
        let stub = |gid| (Gid(gid), Elsewhere);
        let stubs = left != LeftBehind::Nothing;
        let mut gids = self.real(from);
        let mut bit = 0;
        gids.retain(|_| {
            bit += 1;
            bits >> (bit % 16) & 1 == 1
        });
        if bits & 1 == 1 {
            gids.reverse();
        }
        let before = describe_all(&self.places);
        let alive = self.ledger.alive();
        let place = &mut self.places[from];
        let keys = place.keys();
        let list: Vec<Entity> = gids.iter().map(|gid| place.by_gid[gid]).collect();
        let key = |_: ecs_core::world::ReadOnlyWorld<'_>, entity| keys.get(&entity).copied();
        let named = place.world.named_by(&list).unwrap();
        assert!(named.is_empty() || place.world.can_name_entities());
        let taken = match left {
            LeftBehind::Nothing => place.world.take_rows(&list, key),
            LeftBehind::BareStubs => place.world.take_rows_leaving_stubs(&list, key, |_| ()),
            LeftBehind::KeyedStubs => place.world.take_rows_leaving_stubs(&list, key, stub),
        };
        place.world.check_invariants();
        assert_eq!(self.ledger.alive(), alive);
        let Ok(rows) = taken else {
            // One that stays is related to one that goes.
            assert!(!stubs);
            assert_eq!(describe_all(&self.places), before);
            return;
        };
        assert_eq!(rows.len(), gids.len());
        assert!(rows.outside().eq(named.iter().map(|entity| keys[entity])));
        let of_moved: HashMap<u64, Entity> = gids
            .iter()
            .filter(|_| !stubs)
            .map(|&gid| (gid, place.by_gid.remove(&gid).unwrap()))
            .collect();
        // Ids of entities that left without a stub may be left in values of others.
        let world = &place.world;
        assert!(of_moved.values().all(|entity| !world.contains(*entity)));
        let place = &mut self.places[to];
        match place
            .world
            .put_rows_with_stubs(rows, |gid| place.by_gid.get(&gid).copied(), stub)
        {
            Ok(put) => {
                place.by_gid.extend(gids.iter().copied().zip(put.entities));
                place.by_gid.extend(put.stubs);
            }
            Err(error) => {
                // A tree with a cycle, by way of stubs. They go back.
                place.world.check_invariants();
                let rows = error.into_rows();
                let place = &mut self.places[from];
                let put = place.world.put_rows_with_stubs(
                    rows,
                    |gid| place.by_gid.get(&gid).copied(),
                    stub,
                );
                let put = put.expect("it fitted before");
                place.by_gid.extend(gids.iter().copied().zip(put.entities));
                place.by_gid.extend(put.stubs);
            }
        }
        self.places
            .iter()
            .for_each(|place| place.world.check_invariants());
        assert_eq!(self.ledger.alive(), alive);
        if stubs {
            assert_eq!(describe_all(&self.places), before);
        } else {
            // Only ids in values of entities that stay can differ: they name entities that are gone.
            let after = describe_all(&self.places);
            for gid in &gids {
                assert_eq!(after[gid], before[gid]);
            }
            assert!(after.keys().eq(before.keys()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(600)))]

    #[test]
    fn entities_keep_everything_that_they_have(steps in prop::collection::vec(step(), 0..60)) {
        let ledger = Ledger::default();
        let mut worlds = Worlds {
            places: (0..3).map(|_| Place::default()).collect(),
            next: 0,
            ledger: ledger.clone(),
        };
        for step in &steps {
            worlds.apply(step);
        }
        drop(worlds);
        prop_assert!(ledger.alive().is_empty());
    }
}
