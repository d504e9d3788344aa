//! Immediate components: views insert and remove them, and accesses that could observe this too early are refused.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::meta;
use ecs_core::meta::may_conflict;
use ecs_core::prelude::*;
use ecs_core::view::InsertError;
use ecs_core::world::{CommandQueue, NoSuchEntity};
use ecs_tests::{Ledger, Token};
use proptest::prelude::*;

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse", immediate)]
struct Lit(u32);

#[derive(Component, Debug)]
#[component(storage = "sparse", immediate)]
struct Holds(Token);

/// A sparse component that is not immediate.
#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Plain(u32);

#[derive(Component, Clone, Debug, PartialEq)]
struct Place(u32);

fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.register::<Lit>();
    world.register::<Holds>();
    let ids = world.spawn_batch((0..4).map(Place)).to_vec();
    (world, ids)
}

#[test]
fn a_view_sees_its_insertions_at_once() {
    let (world, ids) = world();
    let (mut lit, place) = (world.view_mut::<Lit>(), world.view::<Place>());
    assert_eq!(lit.insert(ids[2], Lit(2)), Ok(None));
    assert_eq!(lit.insert(ids[0], Lit(0)), Ok(None));
    assert_eq!(lit.insert(ids[2], Lit(7)), Ok(Some(Lit(2))));
    assert_eq!(lit.as_entities(), [ids[2], ids[0]]);
    let joined: Vec<_> = (&lit, &place)
        .iter()
        .map(|(lit, place)| (lit.0, place.0))
        .collect();
    assert_eq!(joined, [(7, 2), (0, 0)]);
    assert_eq!(lit.remove(ids[2]), Some(Lit(7)));
    assert_eq!(lit.remove(ids[2]), None);
    assert!(!lit.contains(ids[2]) && lit.len() == 1);
    drop(lit);
    assert!(world.has::<Lit>(ids[0]) && !world.has::<Lit>(ids[2]));
    world.check_invariants();
}

#[test]
fn only_living_entities_with_a_row_receive_values() {
    let (mut world, ids) = world();
    world.despawn(ids[1]).unwrap();
    let reserved = world.reserve_entity();
    let mut lit = world.view_mut::<Lit>();
    let gone = NoSuchEntity { entity: ids[1] };
    assert_eq!(
        lit.insert(ids[1], Lit(1)),
        Err(InsertError::NoSuchEntity(gone))
    );
    assert_eq!(lit.remove(ids[1]), None);
    let error = lit.insert(reserved, Lit(1)).unwrap_err();
    assert_eq!(error, InsertError::Reserved { entity: reserved });
    assert!(error.to_string().contains("reserved"));
    drop(lit);
    world.flush();
    assert_eq!(world.view_mut::<Lit>().insert(reserved, Lit(1)), Ok(None));
    world.check_invariants();
}

#[test]
fn the_component_must_be_registered() {
    let mut world = World::new();
    let e = world.spawn_empty();
    let error = world.view_mut::<Lit>().insert(e, Lit(1)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("register::<components::immediate::Lit>()"),
        "{error}"
    );
    assert_eq!(world.view_mut::<Lit>().remove(e), None);
    world.spawn(Lit(0));
    assert_eq!(world.view_mut::<Lit>().insert(e, Lit(1)), Ok(None));
}

#[test]
fn removed_values_are_returned_once() {
    let (world, ids) = world();
    let ledger = Ledger::default();
    let mut holds = world.view_mut::<Holds>();
    for &id in &ids {
        holds.insert(id, Holds(ledger.token())).unwrap();
    }
    let old = holds.insert(ids[0], Holds(ledger.token())).unwrap();
    assert_eq!(old.unwrap().0.id(), 0);
    assert_eq!(holds.remove(ids[1]).unwrap().0.id(), 1);
    assert_eq!(ledger.alive(), [2, 3, 4]);
    drop(holds);
    drop(world);
    assert_eq!(ledger.alive(), [0; 0]);
}

#[test]
fn a_system_sees_its_own_insertions_and_the_next_one_too() {
    #[system]
    fn spread(mut lit: CompMut<Lit>, place: Comp<Place>) {
        let lowest = lit.iter().map(|lit| lit.0).min().unwrap_or(0);
        for (entity, place) in place.with_entity().iter() {
            if place.0 == lowest + lit.len() as u32 {
                lit.insert(entity, Lit(0)).unwrap();
            }
        }
    }

    #[system]
    fn count(lit: Query<&Place, With<Lit>>) -> usize {
        lit.count()
    }

    #[system]
    fn all_are_lit(dark: Query<Entity, (With<Place>, Without<Lit>)>) {
        assert_eq!(dark.count(), 0);
    }

    let (mut world, _) = world();
    let mut frame = Schedule::new();
    frame.add((spread, all_are_lit));
    frame.run(&mut world).unwrap();
    assert_eq!(count(&world), 4);
}

#[test]
fn systems_that_filter_by_the_component_conflict_with_one_that_writes_it() {
    #[system]
    fn writes(_lit: CompMut<Lit>) {}
    #[system]
    fn with(_query: Query<&Place, With<Lit>>) {}
    #[system]
    fn without(_query: Query<&Place, Without<Lit>>) {}
    type Either = Or<(With<Lit>, With<Plain>)>;
    #[system]
    fn either(_query: Query<&Place, Either>) {}
    #[system]
    fn writes_plain(_plain: CompMut<Plain>) {}
    #[system]
    fn with_plain(_query: Query<&Place, With<Plain>>) {}

    for reader in [meta(&with), meta(&without), meta(&either)] {
        assert!(may_conflict(&meta(&writes), &reader));
        assert!(
            !may_conflict(&meta(&with), &reader),
            "readers do not conflict"
        );
    }
    assert!(!may_conflict(&meta(&writes_plain), &meta(&with_plain)));
}

#[test]
fn queries_of_one_system_may_be_disjoint_by_filters() {
    #[system]
    fn both(mut lit: Query<&mut Place, With<Lit>>, mut dark: Query<&mut Place, Without<Lit>>) {
        lit.for_each(|place| place.0 += 100);
        dark.for_each(|place| place.0 += 200);
    }

    let (world, ids) = world();
    world.view_mut::<Lit>().insert(ids[1], Lit(0)).unwrap();
    both(&world);
    let places: Vec<u32> = world.view::<Place>().iter().map(|place| place.0).collect();
    assert_eq!(places, [200, 101, 202, 203]);
}

#[test]
fn access_is_refused_while_a_view_writes() {
    let (mut world, ids) = world();
    world.insert(ids[0], Lit(1)).unwrap();
    let refused = |ask: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(ask)).unwrap_err();
        let message = panic.downcast_ref::<String>().expect("a message");
        assert!(message.contains("components::immediate::Lit"), "{message}");
    };
    let lit = world.view_mut::<Lit>();
    refused(&|| assert!(world.has::<Lit>(ids[0])));
    refused(&|| assert!(world.get::<Lit>(ids[3]).is_none()));
    refused(&|| assert!(world.entity(ids[0]).unwrap().has::<Lit>()));
    refused(&|| drop(world.query_filtered::<&Place, With<Lit>>()));
    refused(&|| drop(world.query_filtered::<&Place, Without<Lit>>()));
    refused(&|| {
        drop(world.query_filtered::<&Place, (With<Place>, Or<(With<Lit>, With<Plain>)>)>());
    });
    world.check_invariants();
    drop(lit);
    let query = world.query_filtered::<&Place, Without<Lit>>();
    assert!(world.try_view_mut::<Lit>().is_err());
    assert!(world.try_view::<Lit>().is_ok() && world.has::<Lit>(ids[0]));
    drop(query);
    assert!(world.try_view_mut::<Lit>().is_ok(), "given back");
    let own = world.query_filtered::<&mut Lit, With<Lit>>();
    assert!(world.try_view::<Lit>().is_err());
    drop(own);
    assert!(world.try_view_mut::<Lit>().is_ok(), "given back");
}

#[test]
fn views_of_other_components_stay_valid_while_a_set_grows() {
    let (mut world, ids) = world();
    world.insert(ids[3], Plain(3)).unwrap();
    let more: Vec<Entity> = world.spawn_batch((4..200).map(Place)).to_vec();
    let (mut lit, mut place) = (world.view_mut::<Lit>(), world.view_mut::<Place>());
    let mut plain = world.query_filtered::<&mut Plain, With<Plain>>();
    let other = plain.single_mut().unwrap();
    for (entity, place) in (&mut place).with_entity().iter() {
        lit.insert(entity, Lit(place.0)).unwrap();
        place.0 += 1;
        other.0 += 1;
    }
    assert_eq!(other.0, 203);
    for (lit, place) in &mut (&mut lit, &place).iter() {
        assert_eq!(lit.0 + 1, place.0);
    }
    for id in more {
        assert_eq!(lit.remove(id).unwrap().0, place.get(id).unwrap().0 - 1);
    }
    assert_eq!(lit.len(), 4);
}

#[test]
fn other_threads_may_read_other_components() {
    let (world, ids) = world();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let query = world.query_filtered::<&Place, Without<Plain>>();
            query.iter().map(|place| place.0).sum::<u32>()
        });
        let mut lit = world.view_mut::<Lit>();
        for &id in &ids {
            lit.insert(id, Lit(1)).unwrap();
        }
        for _ in 0..10 {
            // May be refused, but must not be a data race.
            scope.spawn(|| world.try_get::<Lit>(ids[0]).is_ok());
        }
        assert_eq!(lit.remove(ids[0]), Some(Lit(1)));
        assert_eq!(reader.join().unwrap(), 6);
    });
}

#[test]
fn commands_and_the_world_see_values_inserted_by_views() {
    let (mut world, ids) = world();
    world.view_mut::<Lit>().insert(ids[0], Lit(1)).unwrap();
    let mut queue = CommandQueue::new();
    let mut commands = Commands::new(&mut queue, world.entities());
    commands.insert(ids[0], Lit(2));
    commands.remove::<Lit>(ids[1]);
    commands.despawn(ids[2]);
    queue.apply(&mut world);
    assert_eq!(world.take::<Lit>(ids[0]), Ok(Lit(2)));
    world.check_invariants();
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(128),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn views_and_structural_changes_agree_with_a_plain_map(
        ops in prop::collection::vec((0..6_u8, 0..24_usize, any::<u32>()), 1..if cfg!(miri) { 40 } else { 120 }),
    ) {
        let mut world = World::new();
        world.register::<Lit>();
        let mut ids: Vec<Entity> = Vec::new();
        let mut model: BTreeMap<Entity, Option<u32>> = BTreeMap::new();
        for (op, index, value) in ops {
            let entity = ids.get(index % ids.len().max(1)).copied();
            match (op, entity) {
                (0, _) | (_, None) => {
                    let entity = world.spawn(Place(value));
                    ids.push(entity);
                    model.insert(entity, None);
                }
                (1 | 2, Some(entity)) => {
                    let old = world.view_mut::<Lit>().insert(entity, Lit(value));
                    match model.get_mut(&entity) {
                        Some(row) => prop_assert_eq!(old, Ok(row.replace(value).map(Lit))),
                        None => prop_assert!(old.is_err()),
                    }
                }
                (3, Some(entity)) => {
                    let old = world.view_mut::<Lit>().remove(entity);
                    prop_assert_eq!(old, model.get_mut(&entity).and_then(Option::take).map(Lit));
                }
                (4, Some(entity)) => {
                    prop_assert_eq!(world.despawn(entity).is_ok(), model.remove(&entity).is_some());
                }
                (_, Some(entity)) => {
                    let done = world.insert(entity, Lit(value));
                    prop_assert_eq!(done.is_ok(), model.contains_key(&entity));
                    model.entry(entity).and_modify(|row| *row = Some(value));
                }
            }
            world.check_invariants();
            for &id in &ids {
                let expected = model.get(&id).copied().flatten();
                prop_assert_eq!(world.get::<Lit>(id).map(|lit| lit.0), expected);
            }
        }
    }
}

proptest! {
    #[test]
    fn bulk_removal_through_a_view_matches_a_map(
        values in prop::collection::vec(0_u32..8, 0..30),
        steps in prop::collection::vec((0_u8..3, 0_usize..12, 0_u32..8), 0..6),
    ) {
        let mut world = World::new();
        let mut model: BTreeMap<Entity, u32> =
            values.into_iter().map(|value| (world.spawn((Place(value), Lit(value))), value)).collect();
        let all: Vec<Entity> = model.keys().copied().collect();
        for (what, n, limit) in steps {
            let mut lit = world.view_mut::<Lit>();
            match what {
                0 => {
                    let mut asked = Vec::new();
                    lit.retain(|entity, lit| {
                        asked.push(entity);
                        lit.0 += 1;
                        lit.0 % 8 > limit
                    });
                    asked.sort();
                    prop_assert!(asked.iter().eq(model.keys()), "each value once");
                    model.values_mut().for_each(|value| *value += 1);
                    model.retain(|_, value| *value % 8 > limit);
                }
                1 => {
                    let mut drain = lit.drain();
                    prop_assert_eq!(drain.len(), model.len());
                    for (entity, lit) in drain.by_ref().take(n) {
                        prop_assert_eq!(model.remove(&entity), Some(lit.0));
                    }
                    prop_assert_eq!(drain.len(), model.len());
                    // The rest goes with the iterator.
                    drop(drain);
                    model.clear();
                    prop_assert!(lit.is_empty());
                }
                _ => {
                    lit.clear();
                    prop_assert!(lit.is_empty());
                    model.clear();
                    for (position, &entity) in all.iter().enumerate().take(n) {
                        lit.insert(entity, Lit(position as u32)).unwrap();
                        model.insert(entity, position as u32);
                    }
                }
            }
            let found: BTreeMap<Entity, u32> = lit.with_entity().iter().map(|(entity, lit)| (entity, lit.0)).collect();
            prop_assert_eq!(&found, &model);
            drop(lit);
            world.check_invariants();
        }
    }
}

#[test]
fn a_panic_in_a_drop_leaves_bulk_removal_consistent() {
    for armed in 0..4 {
        for bulk in [0, 1, 2] {
            let ledger = Ledger::default();
            let mut world = World::new();
            world.spawn_batch((0..4).map(|_| Holds(ledger.token())));
            ledger.arm(armed);
            let mut holds = world.view_mut::<Holds>();
            let removal = catch_unwind(AssertUnwindSafe(|| match bulk {
                0 => holds.clear(),
                1 => holds.retain(|_, _| false),
                _ => drop(holds.drain().next()),
            }));
            assert!(removal.is_err());
            assert_eq!(holds.len(), ledger.alive().len());
            if bulk != 1 {
                assert!(holds.is_empty(), "the others are dropped too");
            }
            drop(holds);
            world.check_invariants();
        }
    }
}
