//! Steps that are undone and redone.

use ecs_core::data::{ApplyError, Differ, RecordError, Undo};
use ecs_core::prelude::*;
use proptest::prelude::*;

use crate::data_steps::{
    Bag, ChildOf, Fast, Marked, Place, Shape, Sprite, Step, Text, apply, model, run_full, step,
};

#[derive(Clone, Debug)]
enum Move {
    Steps(Vec<Step>),
    Undo,
    Redo,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        3 => prop::collection::vec(step(), 1..4).prop_map(Move::Steps),
        2 => Just(Move::Undo),
        1 => Just(Move::Redo),
    ];
    prop::collection::vec(one, 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(300)))]

    /// Against a list of all states, by their models and hashes.
    #[test]
    fn undo_and_redo_lead_through_the_states(
        first in prop::collection::vec(step(), 0..10),
        moves in moves(),
    ) {
        const LIMIT: usize = 5;
        let mut world = run_full(&first);
        let mut undo = Undo::new(LIMIT);
        let state = |world: &World| (model(world), world.hash().unwrap());
        let (mut states, mut now, mut oldest) = (vec![state(&world)], 0, 0);
        let mut spawned = Vec::from_iter(&world.query::<Entity>());
        for step in &moves {
            match step {
                Move::Steps(steps) => {
                    let result = undo.record(&mut world, |world| {
                        for step in steps {
                            let before = Vec::from_iter(&world.query::<Entity>());
                            apply(world, step);
                            for new in &world.query::<Entity>() {
                                if !before.contains(&new) {
                                    assert!(!spawned.contains(&new), "{new} was issued twice");
                                    spawned.push(new);
                                }
                            }
                        }
                    });
                    result.unwrap();
                    let next = state(&world);
                    if next != states[now] {
                        states.truncate(now + 1);
                        states.push(next);
                        now += 1;
                        oldest = oldest.max(now.saturating_sub(LIMIT));
                    }
                }
                Move::Undo => {
                    prop_assert_eq!(undo.undo(&mut world).unwrap(), now > oldest);
                    now -= usize::from(now > oldest);
                }
                Move::Redo => {
                    let can = now + 1 < states.len();
                    prop_assert_eq!(undo.redo(&mut world).unwrap(), can);
                    now += usize::from(can);
                }
            }
            world.check_invariants();
            prop_assert_eq!(&state(&world), &states[now]);
            prop_assert_eq!(undo.done().len(), now - oldest);
            prop_assert_eq!(undo.undone().len(), states.len() - 1 - now);
        }
    }
}

#[test]
fn ids_of_the_dead_are_kept() {
    let mut world = World::new();
    let gone = world.spawn(());
    let entity = world.spawn(Text("to".into(), Some(gone)));
    world.despawn(gone).unwrap();
    let mut undo = Undo::new(10);
    undo.record(&mut world, |world| _ = world.insert(entity, Fast(1)))
        .unwrap();
    assert_eq!(
        undo.done().next().unwrap().to_string(),
        "1v1 fast: none -> 1\n"
    );
    undo.record(&mut world, |world| world.despawn(entity))
        .unwrap()
        .unwrap();
    undo.undo(&mut world).unwrap();
    assert_eq!(
        *world.get::<Text>(entity).unwrap(),
        Text("to".into(), Some(gone))
    );
}

#[test]
fn a_change_from_outside_is_in_the_way_only_where_it_touches_the_step() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Fast(n)));
    let mut undo = Undo::new(10);
    undo.record(&mut world, |world| _ = world.insert(a, Fast(5)))
        .unwrap();
    world.insert(b, Fast(7)).unwrap();
    world.insert(a, Fast(6)).unwrap();
    let error = undo.undo(&mut world).unwrap_err();
    assert!(matches!(error, ApplyError::OtherValue { entity: Some(entity), .. } if entity == a));
    assert_eq!(undo.done().len(), 1);
    world.insert(a, Fast(5)).unwrap();
    assert!(undo.undo(&mut world).unwrap());
    assert_eq!(
        [a, b].map(|entity| world.get::<Fast>(entity).unwrap().0),
        [1, 7]
    );
}

#[test]
fn what_is_not_data_is_named_before_or_after() {
    let mut world = World::new();
    let mut undo = Undo::new(10);
    undo.record(&mut world, |world| world.spawn(Marked))
        .unwrap();
    let error = undo
        .record(&mut world, |world| world.spawn(Sprite))
        .unwrap_err();
    assert!(matches!(error, RecordError::After(_)), "{error}");
    assert_eq!(undo.done().len(), 0);
    let mut called = false;
    let error = undo.record(&mut world, |_| called = true).unwrap_err();
    assert!(error.to_string().starts_with("entity 1v1, `"), "{error}");
    assert!(!called);
    let mut undo = Undo::with(Differ::new().only_data(), 10);
    let both = undo
        .record(&mut world, |world| world.spawn((Marked, Sprite)))
        .unwrap();
    undo.undo(&mut world).unwrap();
    undo.redo(&mut world).unwrap();
    assert!(world.has::<Marked>(both) && !world.has::<Sprite>(both));
}

#[test]
fn what_is_deferred_is_part_of_the_step() {
    let mut world = World::new();
    let mut undo = Undo::new(10);
    // Before the step, so that the step does not include it.
    world.borrow::<Commands>().get().spawn(Fast(1));
    undo.record(&mut world, |world| {
        world.borrow::<Commands>().get().spawn(Fast(2));
    })
    .unwrap();
    assert_eq!((world.len(), undo.done().len()), (2, 1));
    undo.undo(&mut world).unwrap();
    let left: Vec<u16> = world.query::<&Fast>().iter().map(|fast| fast.0).collect();
    assert_eq!(left, [1]);
}

#[test]
fn steps_are_merged() {
    let mut world = World::new();
    let entity = world.spawn((Place(0.0, 0), Shape::Flat(1), Bag::default()));
    let mut undo = Undo::new(10);
    for x in 1_u8..4 {
        let before = world.try_clone().unwrap();
        world.insert(entity, Place(x.into(), 0)).unwrap();
        undo.merge(before.diff(&world).unwrap()).unwrap();
    }
    assert_eq!(undo.done().len(), 1);
    undo.undo(&mut world).unwrap();
    assert_eq!(*world.get::<Place>(entity).unwrap(), Place(0.0, 0));
}

#[test]
fn a_tree_comes_back_in_its_order() {
    let mut world = World::new();
    let root = world.spawn(());
    let children = [1, 2, 3].map(|n| world.spawn((Fast(n), ChildOf.to(root))));
    let below = world.spawn(ChildOf.to(children[0]));
    let mut undo = Undo::new(10);
    undo.record(&mut world, |world| {
        world.despawn(children[0]).unwrap();
        _ = world.despawn(below);
    })
    .unwrap();
    let other = world.spawn(());
    assert_eq!(
        other.index(),
        children[0].index(),
        "the index is used again"
    );
    assert!(matches!(undo.undo(&mut world), Err(ApplyError::Id { .. })));
    world.despawn(other).unwrap();
    undo.undo(&mut world).unwrap();
    assert_eq!(*world.sources_mut::<ChildOf>(root).unwrap(), children);
    assert!(world.is_related::<ChildOf>(below, children[0]));
}

#[test]
fn an_id_that_was_undone_is_not_issued_again() {
    let mut world = World::new();
    let first = world.spawn(());
    let mut undo = Undo::new(10);
    undo.record(&mut world, |world| world.despawn(first))
        .unwrap()
        .unwrap();
    let second = undo.record(&mut world, |world| world.spawn(())).unwrap();
    assert_eq!((first.index(), first == second), (second.index(), false));
    undo.undo(&mut world).unwrap();
    undo.undo(&mut world).unwrap();
    assert!(world.contains(first) && !world.contains(second));
    world.check_invariants();
    world.despawn(first).unwrap();
    let third = world.spawn(());
    assert!(third != first && third != second, "{third}");
    assert_eq!(third.index(), first.index());
}
