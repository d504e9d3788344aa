//! Stubs have the components that the program gives to them by their keys.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::data::WorldHasher;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::rows::{PutRowsReason, Rows, TakeRowsError};
use ecs_core::world::ReadOnlyWorld;
use ecs_core::world::hooks::DeferredWorld;
use ecs_tests::{Held, Ledger};
use proptest::prelude::*;

use super::{Aim, Elsewhere, Gid, Knows, Loose, PartOf, Party, Tracked};
use crate::data_steps::{ChildOf, Fast, Likes, Marked, Place, Text, run, step};

fn gid(world: ReadOnlyWorld<'_>, entity: Entity) -> Option<u64> {
    Some(world.get::<Gid>(entity)?.0)
}

fn stub(gid: u64) -> (Gid, Elsewhere) {
    (Gid(gid), Elsewhere)
}

fn of_gid(world: &World, gid: u64) -> Option<Entity> {
    let query = world.query::<(Entity, &Gid)>();
    let found = query.iter().find(|(_, found)| found.0 == gid);
    found.map(|(entity, _)| entity)
}

fn put(world: &mut World, rows: Rows) -> Vec<Entity> {
    let known: Vec<(u64, Entity)> = {
        let query = world.query::<(Entity, &Gid)>();
        query.iter().map(|(entity, gid)| (gid.0, entity)).collect()
    };
    let find = |gid| {
        known
            .iter()
            .find(|(known, _)| *known == gid)
            .map(|(_, entity)| *entity)
    };
    let put = world.put_rows_with_stubs(rows, find, stub).unwrap();
    world.check_invariants();
    put.entities
}

#[test]
fn a_world_without_relations_and_without_ids_in_its_types_can_name_no_entity() {
    let mut world = World::new();
    let all = [1, 2].map(|gid| world.spawn((Gid(gid), Tracked("name".into()))));
    assert!(world.named_by(&all).unwrap().is_empty());
    let idle = world.spawn(Aim(None));
    assert!(world.can_name_entities() && world.named_by(&[idle]).unwrap().is_empty());
    let mut other = World::new();
    let [head, arm] = [(); 2].map(|()| other.spawn(Loose(1)));
    assert!(!other.can_name_entities());
    other.insert(arm, PartOf.to(head)).unwrap();
    assert!(other.can_name_entities());
    assert_eq!(other.named_by(&[arm]).unwrap(), [head]);
    let gone = other.spawn(());
    other.insert(head, Aim(Some(gone))).unwrap();
    assert_eq!(other.named_by(&[head, arm]).unwrap(), [gone]);
    assert_eq!(
        other.named_by(&[head]).unwrap(),
        [gone],
        "and not its sources"
    );
    other.despawn(gone).unwrap();
    assert!(other.named_by(&[head, arm]).unwrap().is_empty());
    assert!(matches!(
        other.named_by(&[gone]),
        Err(TakeRowsError::NoEntity { .. })
    ));
}

#[test]
fn entities_that_are_only_reserved_can_be_asked_for_and_leave() {
    let mut world = World::new();
    let reserved = world.reserve_entity();
    assert!(world.named_by(&[reserved]).unwrap().is_empty());
    let reserved = [reserved, world.reserve_entity()];
    let key = |_: ReadOnlyWorld<'_>, entity: Entity| Some(entity.to_bits());
    let rows = world.take_rows(&reserved, key).unwrap();
    world.check_invariants();
    assert!(world.is_empty());
    let mut other = World::new();
    assert_eq!(other.put_rows(rows, |_| None).unwrap().entities.len(), 2);
    assert_eq!(other.len(), 2);
}

#[test]
fn edges_and_ids_lead_to_stubs_with_keys_on_both_sides() {
    let (mut one, mut other) = (World::new(), World::new());
    let boss = one.spawn((Gid(1), Tracked("boss".into())));
    let clerk = one.spawn((Gid(2), PartOf.to(boss), Aim(Some(boss))));
    let guest = one.spawn((Gid(3), Party(vec![boss, clerk]), Loose(3)));
    one.relate(guest, Knows(5, Some(clerk)), boss).unwrap();
    one.relate(boss, Knows(6, Some(guest)), clerk).unwrap();

    let rows = one.take_rows_leaving_stubs(&[boss], gid, stub).unwrap();
    one.check_invariants();
    assert_eq!(
        one.entity(boss).unwrap().components().count(),
        2 + 2,
        "and two lists of sources"
    );
    assert_eq!(
        (*one.get::<Gid>(boss).unwrap(), one.has::<Elsewhere>(boss)),
        (Gid(1), true)
    );
    assert_eq!(
        one.get::<Sources<PartOf>>(boss)
            .unwrap()
            .iter()
            .collect::<Vec<_>>(),
        [clerk]
    );
    assert!(one.is_related::<Knows>(guest, boss));

    let [there] = put(&mut other, rows)[..] else {
        panic!("one entity")
    };
    assert!(!other.has::<Elsewhere>(there) && other.has::<Tracked>(there));
    let [clerk_there, guest_there] = [2, 3].map(|gid| of_gid(&other, gid).unwrap());
    assert!(other.has::<Elsewhere>(clerk_there) && other.has::<Elsewhere>(guest_there));
    assert!(other.is_related::<Knows>(there, clerk_there));

    // A stub that is named again keeps what it has, and one that arrives loses its mark.
    let rows = one.take_rows_leaving_stubs(&[guest], gid, stub).unwrap();
    assert_eq!(put(&mut other, rows), [guest_there]);
    assert!(!other.has::<Elsewhere>(guest_there));
    assert_eq!(
        *other.get::<Party>(guest_there).unwrap(),
        Party(vec![there, clerk_there])
    );

    // And back: each has its old id.
    let back = other
        .take_rows_leaving_stubs(&[there, guest_there], gid, stub)
        .unwrap();
    assert_eq!(put(&mut one, back), [boss, guest]);
    assert!(!one.has::<Elsewhere>(boss) && one.get::<Tracked>(boss).unwrap().0 == "boss");
    assert_eq!(one.query::<&Elsewhere>().iter().count(), 0);
    assert_eq!(*one.get::<Party>(guest).unwrap(), Party(vec![boss, clerk]));
}

#[test]
fn an_entity_with_other_components_than_stubs_have_is_no_stub() {
    let (mut one, mut other) = (World::new(), World::new());
    let entity = one.spawn((Gid(1), Loose(1)));
    let kinds: [fn(&mut World) -> Entity; 3] = [
        |world| world.spawn((Gid(1), Tracked(String::new()))),
        |world| world.spawn((Gid(1), Elsewhere, Loose(1))),
        |world| {
            let target = world.spawn(());
            world.spawn((Gid(1), PartOf.to(target)))
        },
    ];
    let mut rows = one.take_rows(&[entity], gid).unwrap();
    for make in kinds {
        let found = make(&mut other);
        let error = other
            .put_rows_with_stubs(rows, |_| Some(found), stub)
            .unwrap_err();
        assert_eq!(
            *error.reason(),
            PutRowsReason::NoStub {
                key: 1,
                entity: found
            }
        );
        rows = error.into_rows();
    }
    // Stubs with components need the function.
    let found = other.spawn(stub(1));
    let error = other.put_rows(rows, |_| Some(found)).unwrap_err();
    assert!(
        error.to_string().contains("`put_rows_with_stubs`"),
        "{error}"
    );
    // Some of them are enough.
    other.remove::<Gid>(found).unwrap();
    let put = other.put_rows_with_stubs(error.into_rows(), |_| Some(found), stub);
    assert_eq!(put.unwrap().entities, [found]);
    assert!(other.get::<Loose>(found).is_some() && !other.has::<Elsewhere>(found));
}

#[test]
fn components_of_stubs_are_dropped_once_and_no_hook_is_called() {
    #[derive(Component)]
    #[component(on_insert = counted, on_remove = counted)]
    struct Hooked;
    thread_local! { static CALLS: Cell<u32> = const { Cell::new(0) }; }
    fn counted(_: DeferredWorld<'_>, _: Entity) {
        CALLS.set(CALLS.get() + 1);
    }
    let ledger = Ledger::default();
    let (mut one, mut other) = (World::new(), World::new());
    let entity = one.spawn((Gid(1), Held(ledger.token()), Hooked));
    let before = CALLS.get();
    assert_eq!(before, 1);
    let stub = |gid| (Gid(gid), Held(ledger.token()), Hooked);
    for round in 0..3 {
        let rows = one.take_rows_leaving_stubs(&[entity], gid, stub).unwrap();
        assert_eq!(ledger.alive().len(), 2);
        let put = other.put_rows_with_stubs(rows, |_| None, stub);
        let there = put.unwrap().entities[0];
        let rows = other.take_rows(&[there], gid).unwrap();
        let put = one.put_rows_with_stubs(rows, |_| Some(entity), stub);
        assert_eq!(put.unwrap().entities, [entity]);
        assert_eq!(ledger.alive().len(), 1, "round {round}");
    }
    assert_eq!(CALLS.get(), before);
    drop((one, other));
    assert!(ledger.alive().is_empty());
}

#[test]
fn a_panic_while_stubs_are_made_changes_nothing() {
    let (mut one, mut other) = (World::new(), World::new());
    let leader = one.spawn(Gid(1));
    let two = [2, 3].map(|gid| one.spawn((Gid(gid), PartOf.to(leader))));
    let panics = |gid| -> Gid {
        if gid == 3 {
            panic!("no stub")
        } else {
            Gid(gid)
        }
    };
    let result = catch_unwind(AssertUnwindSafe(|| {
        one.take_rows_leaving_stubs(&two, gid, panics).map(drop)
    }));
    assert!(result.is_err());
    one.check_invariants();
    assert!(
        two.iter()
            .all(|entity| one.is_related::<PartOf>(*entity, leader))
    );
    let rows = one.take_rows(&two, gid).unwrap();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let none = |_: u64| -> Gid { panic!("no stub") };
        other.put_rows_with_stubs(rows, |_| None, none).map(drop)
    }));
    assert!(result.is_err());
    other.check_invariants();
    assert!(other.is_empty());
}

#[test]
fn rows_that_do_not_fit_come_back_with_stubs_as_they_were() {
    let (mut one, mut other) = (World::new(), World::new());
    let above = one.spawn(Gid(1));
    let below = one.spawn((Gid(2), PartOf.to(above)));
    // Here it is the other way round.
    let here_below = other.spawn(stub(2));
    let here_above = other.spawn((Gid(1), PartOf.to(here_below)));
    let rows = one.take_rows_leaving_stubs(&[below], gid, stub).unwrap();
    let find = |gid| Some(if gid == 2 { here_below } else { here_above });
    let error = other.put_rows_with_stubs(rows, find, stub).unwrap_err();
    assert!(matches!(error.reason(), PutRowsReason::Stage(_)), "{error}");
    other.check_invariants();
    assert_eq!(
        (
            *other.get::<Gid>(here_below).unwrap(),
            other.has::<Elsewhere>(here_below)
        ),
        (Gid(2), true)
    );
    assert_eq!(put(&mut one, error.into_rows()), [below]);
    assert!(one.is_related::<PartOf>(below, above) && !one.has::<Elsewhere>(below));
}

#[test]
fn a_bundle_with_one_component_twice_is_an_error() {
    #[derive(Component)]
    struct Of<T: Send + Sync + 'static>(T);
    fn both<A: Copy + Send + Sync + 'static, B: Copy + Send + Sync + 'static>(
        world: &mut World,
        a: A,
        b: B,
    ) -> Result<(), TakeRowsError> {
        let entity = world.spawn(Gid(1));
        let stub = |_| (Of(a), Of(b));
        world
            .take_rows_leaving_stubs(&[entity], gid, stub)
            .map(drop)
    }
    let mut world = World::new();
    both(&mut world, 1_u8, 2_u16).unwrap();
    let error = both(&mut world, 1_u8, 2_u8).unwrap_err();
    assert!(matches!(error, TakeRowsError::Stub(_)), "{error}");
    assert!(of_gid(&world, 1).is_some());
    world.check_invariants();
}

fn register(world: &mut World) {
    world.register::<Gid>();
    world.register::<Elsewhere>();
    world.register::<Place>();
    world.register::<Text>();
    world.register::<Fast>();
    world.register::<Marked>();
    world.register::<Target<ChildOf>>();
    world.register::<Targets<Likes>>();
}

/// Gives each entity a key.
fn with_keys(mut world: World) -> (World, Vec<Entity>) {
    let mut all = Vec::from_iter(&world.query::<Entity>());
    all.sort_unstable();
    for (n, &entity) in (1..).zip(&all) {
        world.insert(entity, Gid(n)).unwrap();
    }
    (world, all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(300)))]

    /// Values in tables and sets, tags, ids in values and edges of two relations, in any number of worlds.
    #[test]
    fn the_keyed_hashes_of_worlds_add_up_wherever_entities_are(
        steps in prop::collection::vec(step(), 0..16),
        moves in prop::collection::vec((0_usize..3, 0_usize..3, any::<u16>(), any::<bool>()), 1..8),
    ) {
        let (first, all) = with_keys(run(&steps));
        let mut hasher = WorldHasher::new().entities::<Without<Elsewhere>>().by::<Gid>();
        let before = hasher.world(&first).unwrap();
        let mut worlds = [first, World::new(), World::new()];
        for world in &mut worlds[1..] {
            register(world);
        }
        let go_home = [(1, 0, u16::MAX, false), (2, 0, u16::MAX, true)];
        for (from, to, bits, in_bytes) in moves.into_iter().chain(go_home) {
            let list: Vec<Entity> = {
                let query = worlds[from].query_filtered::<(Entity, &Gid), Without<Elsewhere>>();
                let chosen = query.iter().filter(|(_, gid)| bits >> (gid.0 % 16) & 1 == 1);
                chosen.map(|(entity, _)| entity).collect()
            };
            let mut rows = worlds[from].take_rows_leaving_stubs(&list, gid, stub).unwrap();
            if in_bytes {
                let bytes = rows.to_bytes().unwrap();
                rows = Rows::from_bytes(&worlds[to], &bytes).unwrap();
            }
            put(&mut worlds[to], rows);
            let mut sum = 0_u64;
            for world in &worlds {
                world.check_invariants();
                sum = sum.wrapping_add(hasher.world(world).unwrap());
            }
            prop_assert_eq!(sum, before);
        }
        // All are home, with their old ids.
        prop_assert_eq!(hasher.world(&worlds[0]).unwrap(), before);
        for (n, &entity) in (1..).zip(&all) {
            prop_assert_eq!(worlds[0].get::<Gid>(entity).map(|gid| gid.0), Some(n));
        }
        prop_assert_eq!(worlds[0].query::<&Elsewhere>().iter().count(), 0);
    }
}
