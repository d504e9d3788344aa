//! Every operation that drops or makes values survives a panic of the user's code: each value is dropped once, nothing
//! leaks, and the world is consistent. (Classes T01-T08 of known bugs of entity component systems.)

mod programs;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_tests::{ARMED, Held, Kept, Ledger, Mark, Plain, Text, Token};

/// A second and a third token in tables, so that the armed one can be before, between and after others.
#[derive(Component, Debug)]
struct Second(#[expect(dead_code, reason = "held for its drop")] ecs_tests::Token);
#[derive(Component, Debug)]
struct Third(#[expect(dead_code, reason = "held for its drop")] ecs_tests::Token);

/// Four tokens, three of them in the table and one in a sparse set.
type Four = (Kept, (Second, Third), Held);

fn four(ledger: &Ledger) -> Four {
    (
        Kept(ledger.token()),
        (Second(ledger.token()), Third(ledger.token())),
        Held(ledger.token()),
    )
}

/// Creates three entities with four tokens each. Returns the world, the entity in the middle (tokens 4 to 7), and the ledger.
fn world() -> (World, Entity, Ledger) {
    let ledger = Ledger::default();
    let mut world = World::new();
    world.spawn((four(&ledger), Plain(0)));
    let middle = world.spawn((four(&ledger), Plain(1)));
    world.spawn((four(&ledger), Plain(2)));
    (world, middle, ledger)
}

/// Runs `change` once for each token that could panic; checks the world, and that exactly `gone` were dropped.
fn survives(gone: std::ops::Range<u32>, change: impl Fn(&mut World, Entity, &Ledger)) {
    for armed in gone.clone() {
        let (mut world, middle, ledger) = world();
        ledger.arm(armed);
        let payload = catch_unwind(AssertUnwindSafe(|| change(&mut world, middle, &ledger)))
            .expect_err("an armed token panics");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&ARMED));
        world.check_invariants();
        let alive = ledger.alive();
        assert!(
            gone.clone().all(|token| !alive.contains(&token)),
            "all values that the change removes are dropped: {alive:?}"
        );
        let expected = (0..12).filter(|token| !gone.contains(token));
        assert!(
            expected.into_iter().all(|token| alive.contains(&token)),
            "no other value is dropped: {alive:?}"
        );
        // The world is still usable.
        let entity = world.spawn((four(&ledger), Text("after".into())));
        assert_eq!(world.get::<Text>(entity).unwrap().0, "after");
        drop(world);
        assert!(ledger.alive().is_empty(), "nothing leaks");
    }
}

#[test]
fn despawning_survives_a_panicking_drop() {
    survives(4..8, |world, entity, _| {
        let _ = world.despawn(entity);
    });
    survives(4..8, |world, entity, _| {
        world.entity_mut(entity).unwrap().despawn();
    });
}

#[test]
fn removing_survives_a_panicking_drop() {
    survives(4..8, |world, entity, _| {
        let _ = world.remove::<Four>(entity);
    });
    survives(5..6, |world, entity, _| {
        let _ = world.remove::<Second>(entity);
    });
    survives(7..8, |world, entity, _| {
        let _ = world.remove::<Held>(entity);
    });
}

#[test]
fn replacing_survives_a_panicking_drop() {
    survives(4..8, |world, entity, ledger| {
        let _ = world.insert(entity, four(ledger));
    });
    survives(4..8, |world, entity, ledger| {
        let _ = world.insert(entity, (Mark, four(ledger), Text("new".into())));
    });
    survives(4..5, |world, entity, ledger| {
        drop(world.replace(entity, Kept(ledger.token())));
    });
}

#[test]
fn clearing_survives_a_panicking_drop() {
    survives(0..12, |world, _, _| world.clear());
}

#[test]
fn dropping_the_world_survives_a_panicking_drop() {
    for armed in 0..12 {
        let (world, _, ledger) = world();
        ledger.arm(armed);
        catch_unwind(AssertUnwindSafe(|| drop(world))).expect_err("an armed token panics");
        assert!(ledger.alive().is_empty(), "all others are dropped even so");
    }
}

#[test]
fn an_insert_that_fails_drops_the_bundle_once() {
    let (mut world, entity, ledger) = world();
    world.despawn(entity).unwrap();
    assert!(world.insert(entity, four(&ledger)).is_err());
    world.check_invariants();
    assert_eq!(ledger.alive().len(), 8);
}

#[test]
fn a_take_that_fails_takes_nothing() {
    let (mut world, entity, ledger) = world();
    assert!(world.take::<(Four, Mark)>(entity).is_err());
    assert_eq!(ledger.alive().len(), 12);
    let four = world.take::<Four>(entity).unwrap();
    world.check_invariants();
    assert!(!world.has::<Kept>(entity) && !world.has::<Held>(entity) && world.has::<Plain>(entity));
    drop(four);
    assert_eq!(ledger.alive().len(), 8);
}

/// Instances of a generic component, which the compiler cannot tell apart.
#[derive(Component)]
struct Of<T: Send + Sync + 'static> {
    _token: Token,
    _of: std::marker::PhantomData<T>,
}

#[derive(Component)]
#[component(storage = "sparse")]
struct LooseOf<T: Send + Sync + 'static> {
    _token: Token,
    _of: std::marker::PhantomData<T>,
}

#[test]
fn a_refused_bundle_is_dropped_once() {
    let (mut world, entity, ledger) = world();
    let table = || Of::<u8> {
        _token: ledger.token(),
        _of: Default::default(),
    };
    let sparse = || LooseOf::<u8> {
        _token: ledger.token(),
        _of: Default::default(),
    };
    let spawned = catch_unwind(AssertUnwindSafe(|| world.spawn((table(), table()))));
    let inserted = catch_unwind(AssertUnwindSafe(|| {
        world.insert(entity, (sparse(), sparse()))
    }));
    assert!(spawned.is_err() && inserted.is_err());
    world.check_invariants();
    assert_eq!(ledger.alive().len(), 12);
}

#[test]
fn a_batch_whose_iterator_panics_keeps_the_items_before() {
    let (mut world, _, ledger) = world();
    let bundles = |count: u32| {
        let ledger = ledger.clone();
        (0..10).map(move |i| {
            if i < count {
                Kept(ledger.token())
            } else {
                panic!("no more")
            }
        })
    };
    for count in [0, 1, 9] {
        let before = world.len();
        catch_unwind(AssertUnwindSafe(|| world.spawn_batch(bundles(count)).len())).unwrap_err();
        world.check_invariants();
        assert_eq!(world.len(), before + count as usize);
    }
    drop(world);
    assert_eq!(ledger.alive(), [0_u32; 0]);
}

#[test]
fn a_loop_body_that_panics_ends_the_borrows() {
    let (world, ..) = world();
    let looped = catch_unwind(AssertUnwindSafe(|| {
        let (mut plain, held) = (world.view_mut::<Plain>(), world.view::<Held>());
        (&mut plain, &held).for_each(|(plain, _)| assert_eq!(plain.0, 0, "not the first"));
    }));
    assert!(looped.is_err());
    assert!(world.try_view_mut::<Plain>().is_ok() && world.try_view_mut::<Held>().is_ok());
    let queried = catch_unwind(AssertUnwindSafe(|| {
        world
            .query::<(&mut Plain, &Kept)>()
            .for_each(|_| panic!("at once"));
    }));
    assert!(queried.is_err());
    assert!(world.try_view_mut::<Plain>().is_ok() && world.try_view_mut::<Kept>().is_ok());
}

#[test]
fn a_command_that_panics_leaves_a_whole_world() {
    let (mut world, entity, ledger) = world();
    let mut queue = ecs_core::CommandQueue::new();
    let (first, second, third) = (
        Kept(ledger.token()),
        Kept(ledger.token()),
        Kept(ledger.token()),
    );
    queue.push(move |world: &mut World| {
        let _ = world.insert(entity, first);
    });
    queue.push(move |_: &mut World| {
        let _second = second;
        panic!("a command");
    });
    queue.push(move |world: &mut World| _ = world.spawn(third));
    world.defer(&mut queue);
    catch_unwind(AssertUnwindSafe(|| world.flush())).unwrap_err();
    world.check_invariants();
    world.flush();
    assert_eq!(world.len(), 3, "the commands after the panic are dropped");
    drop(world);
    assert_eq!(ledger.alive(), [0_u32; 0]);
}

#[test]
fn a_resource_that_panics_in_its_drop_is_gone() {
    let ledger = Ledger::default();
    let mut world = World::new();
    world.insert_resource(ledger.token());
    ledger.arm(0);
    catch_unwind(AssertUnwindSafe(|| {
        drop(world.remove_resource::<ecs_tests::Token>());
    }))
    .unwrap_err();
    assert!(!world.contains_resource::<ecs_tests::Token>());
    world.insert_resource(ledger.token());
    drop(world);
    assert_eq!(ledger.alive(), [0_u32; 0]);
}

#[test]
fn bulk_operations_survive_a_panicking_drop() {
    survives(0..12, |world, _, _| world.despawn_all::<With<Kept>>());
    survives(0..12, |world, _, _| world.remove_all::<Four, With<Plain>>());
    for armed in 0..12 {
        let (mut world, _, ledger) = world();
        ledger.arm(armed);
        let insert = || world.insert_all_with::<With<Plain>, _>(|_| four(&ledger));
        catch_unwind(AssertUnwindSafe(insert)).unwrap_err();
        world.check_invariants();
        assert_eq!(world.view::<Kept>().len(), 3);
        drop(world);
        assert_eq!(ledger.alive(), [0_u32; 0]);
    }
}

#[test]
fn a_bundle_whose_construction_panics_is_inserted_into_no_entity_of_the_table() {
    let ledger = Ledger::default();
    let mut world = World::new();
    let ids = world.spawn_batch((0..20).map(Plain)).to_vec();
    let make = |entity: Entity| match entity.index() {
        13 => panic!("unlucky"),
        _ => (Kept(ledger.token()), Text("made".into())),
    };
    catch_unwind(AssertUnwindSafe(|| {
        world.insert_all_with::<With<Plain>, _>(make);
    }))
    .unwrap_err();
    world.check_invariants();
    assert!(
        ids.iter()
            .all(|&id| !world.has::<Kept>(id) && world.has::<Plain>(id))
    );
    assert_eq!(ledger.alive(), [0_u32; 0]);
}
