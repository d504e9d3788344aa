//! Tests of access to several entities of a view or join at once.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::CompRest;
use crate::entity::Entity;
use crate::join::{Join, JoinMut, ManyError};
use crate::test_components::{DropName, Position, Stunned, Tag, Title, Velocity};
use crate::world::World;

/// Spawns `count` entities in up to three tables, each with a position, a sparse component and its number in both.
fn world_of(count: usize) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = (0..count)
        .map(|i| {
            let entity = world.spawn((Position([i as f32; 3]), Stunned(i as u8)));
            match i % 3 {
                0 => {}
                1 => world.insert(entity, Tag).unwrap(),
                _ => world.insert(entity, Velocity([1.0; 3])).unwrap(),
            }
            entity
        })
        .collect();
    (world, all)
}

fn sorted(ids: impl IntoIterator<Item = Entity>) -> Vec<Entity> {
    let mut ids: Vec<Entity> = ids.into_iter().collect();
    ids.sort_unstable();
    ids
}

fn without(all: &[Entity], out: &[Entity]) -> Vec<Entity> {
    sorted(all.iter().copied().filter(|entity| !out.contains(entity)))
}

#[test]
fn a_pair_is_two_values_that_can_be_swapped() {
    let (world, all) = world_of(4);
    let mut position = world.view_mut::<Position>();
    let (Some(a), Some(b)) = position.get_pair_mut(all[0], all[3]) else {
        panic!("both have one");
    };
    core::mem::swap(a, b);
    assert_eq!(position.get(all[0]).unwrap().0[0], 3.0);
    assert_eq!(position.get(all[3]).unwrap().0[0], 0.0);
    let mut stunned = world.view_mut::<Stunned>();
    let (Some(a), Some(b)) = stunned.get_pair_mut(all[2], all[1]) else {
        panic!("both have one");
    };
    core::mem::swap(a, b);
    assert_eq!(stunned.get(all[1]), Some(&Stunned(2)));
}

#[test]
fn the_second_of_a_pair_of_one_entity_is_none() {
    let (world, all) = world_of(1);
    let mut position = world.view_mut::<Position>();
    assert!(matches!(
        position.get_pair_mut(all[0], all[0]),
        (Some(_), None)
    ));
    let mut stunned = world.view_mut::<Stunned>();
    assert!(matches!(
        stunned.get_pair_mut(all[0], all[0]),
        (Some(_), None)
    ));
}

#[test]
fn of_two_ids_of_one_index_only_the_one_that_is_alive_has_a_value() {
    let (mut world, all) = world_of(3);
    world.despawn(all[1]).unwrap();
    let successor = world.spawn((Position([7.0; 3]), Stunned(7)));
    assert_eq!(successor.index(), all[1].index());
    let (mut position, mut stunned) = (world.view_mut::<Position>(), world.view_mut::<Stunned>());
    let (old, new) = position.get_pair_mut(all[1], successor);
    assert_eq!((old, new.unwrap().0[0]), (None, 7.0));
    let (new, old) = stunned.get_pair_mut(successor, all[1]);
    assert_eq!((old, new.unwrap().0), (None, 7));
}

#[test]
fn a_pair_has_none_for_entities_without_the_component_and_despawned_ones() {
    let (mut world, all) = world_of(3);
    world.remove::<Stunned>(all[0]).unwrap();
    world.despawn(all[1]).unwrap();
    let reserved = world.reserve_entity();
    let mut stunned = world.view_mut::<Stunned>();
    assert!(matches!(
        stunned.get_pair_mut(all[0], all[2]),
        (None, Some(_))
    ));
    assert!(matches!(
        stunned.get_pair_mut(all[2], all[1]),
        (Some(_), None)
    ));
    assert!(matches!(
        stunned.get_pair_mut(reserved, reserved),
        (None, None)
    ));
    let mut title = world.view_mut::<Title>();
    assert!(
        matches!(title.get_pair_mut(all[0], all[2]), (None, None)),
        "a component that the world has never seen"
    );
}

#[test]
fn many_values_come_in_the_order_of_their_ids() {
    let (world, all) = world_of(5);
    let mut position = world.view_mut::<Position>();
    let three = position.get_many_mut([all[4], all[0], all[2]]).unwrap();
    assert_eq!(three.map(|p| p.0[0]), [4.0, 0.0, 2.0]);
    assert!(position.get_many_mut([]).unwrap().is_empty());
    let (velocity, stunned) = (world.view::<Velocity>(), world.view::<Stunned>());
    let join = (&mut position, Some(&velocity), &stunned);
    let [(p, v, s), (q, w, _)] = join.get_many_mut([all[2], all[3]]).unwrap();
    core::mem::swap(p, q);
    assert_eq!((v.is_some(), w, s.0), (true, None, 2));
    assert_eq!(position.get(all[2]).unwrap().0[0], 3.0);
}

#[test]
fn an_error_for_many_values_names_the_reason() {
    let (mut world, all) = world_of(3);
    world.remove::<Stunned>(all[0]).unwrap();
    world.despawn(all[1]).unwrap();
    let reserved = world.reserve_entity();
    let mut stunned = world.view_mut::<Stunned>();
    let mut refusal = |entities| stunned.get_many_mut::<2>(entities).unwrap_err();
    let duplicate = refusal([all[2], all[2]]);
    assert_eq!(duplicate, ManyError::Duplicate { entity: all[2] });
    assert!(
        duplicate.to_string().contains("is listed twice"),
        "{duplicate}"
    );
    let gone = refusal([all[2], all[1]]);
    assert_eq!(gone, ManyError::NoSuchEntity { entity: all[1] });
    assert!(gone.to_string().contains("is not alive"), "{gone}");
    for entity in [all[0], reserved] {
        let mismatch = refusal([entity, all[2]]);
        assert!(matches!(mismatch, ManyError::Mismatch { entity: e, .. } if e == entity));
        assert!(mismatch.to_string().contains("Stunned"), "{mismatch}");
    }
    let tag = world.view::<Tag>();
    assert!((&mut stunned).exclude(&tag).get_many_mut([all[2]]).is_ok());
    assert!((&mut stunned).include(&tag).get_many_mut([all[2]]).is_err());
}

#[test]
fn one_value_and_the_rest_are_changed_at_the_same_time() {
    let (world, all) = world_of(40);
    let mut position = world.view_mut::<Position>();
    let (one, mut rest) = position.split(all[7]).unwrap();
    for other in rest.iter_mut() {
        one.0[1] += 1.0;
        other.0[2] = one.0[1];
    }
    rest.for_each(|other| {
        one.0[1] += 1.0;
        other.0[2] += 100.0;
    });
    assert_eq!(one.0, [7.0, 7.0 + 78.0, 7.0]);
    assert!(rest.iter().all(|other| other.0[2] >= 108.0));
    assert_eq!(rest.iter().count(), 39);
    let mut stunned = world.view_mut::<Stunned>();
    let (one, mut rest) = stunned.split(all[7]).unwrap();
    rest.for_each(|other| core::mem::swap(one, other));
    let mut values: Vec<u8> = stunned.iter().map(|stunned| stunned.0).collect();
    values.sort_unstable();
    assert_eq!(values, (0..40).collect::<Vec<u8>>());
}

#[test]
fn the_rest_has_all_other_entities_for_any_row_of_the_one() {
    for count in [1, 2, 8, 9, 17, 64, 65] {
        let mut world = World::new();
        let all = world
            .spawn_batch((0..count).map(|i| (Position([i as f32; 3]), Stunned(i as u8))))
            .to_vec();
        let (mut position, mut stunned) =
            (world.view_mut::<Position>(), world.view_mut::<Stunned>());
        for &one in &all {
            let expected = without(&all, &[one]);
            let (_, mut rest) = position.split(one).unwrap();
            assert_eq!(rest.entities().collect::<Vec<_>>(), expected);
            assert_eq!(rest.iter().count(), expected.len());
            let mut visited = Vec::new();
            rest.for_each(|p| visited.push(p.0[0] as u32));
            let numbers: Vec<u32> = expected.iter().map(|entity| entity.index()).collect();
            assert_eq!(visited, numbers);
            let folded = rest.iter_mut().fold(Vec::new(), |mut all, p| {
                all.push(p.0[0] as u32);
                all
            });
            assert_eq!(folded, numbers);
            let (_, rest) = stunned.split(one).unwrap();
            assert_eq!(rest.entities().collect::<Vec<_>>(), expected);
        }
    }
}

#[test]
fn the_outer_rest_has_the_entity_again_after_the_nested_one() {
    let (world, all) = world_of(10);
    let mut position = world.view_mut::<Position>();
    let (a, mut rest) = position.split(all[0]).unwrap();
    {
        let (b, mut rest) = rest.split(all[1]).unwrap();
        {
            let (c, mut rest) = rest.split(all[2]).unwrap();
            let (d, rest) = rest.split(all[9]).unwrap();
            for one in [&mut *a, b, c, d] {
                one.0[1] = -1.0;
            }
            assert_eq!(
                sorted(rest.entities()),
                without(&all, &[all[0], all[1], all[2], all[9]])
            );
            assert_eq!(format!("{rest:?}"), "Rest without [9v1, 2v1, 1v1, 0v1]");
        }
        assert_eq!(sorted(rest.entities()), without(&all, &all[..2]));
        b.0[1] = -2.0;
    }
    assert_eq!(sorted(rest.entities()), without(&all, &all[..1]));
    assert_eq!(rest.get(all[1]).unwrap().0[1], -2.0);
    a.0[1] = -3.0;
    assert_eq!(position.iter().filter(|p| p.0[1] < 0.0).count(), 4);
}

#[test]
fn neighbours_can_be_split_off_in_any_order() {
    let (world, all) = world_of(6);
    let mut stunned = world.view_mut::<Stunned>();
    let mut position = world.view_mut::<Position>();
    for order in [[3, 4, 5], [5, 4, 3], [0, 1, 2], [2, 5, 0]] {
        let out = order.map(|i| all[i]);
        let (_, mut rest) = position.split(out[0]).unwrap();
        let (_, mut rest) = rest.split(out[1]).unwrap();
        let (_, rest) = rest.split(out[2]).unwrap();
        assert_eq!(sorted(rest.entities()), without(&all, &out));
        assert_eq!(rest.iter().count(), 3);
        let (_, mut rest) = stunned.split(out[0]).unwrap();
        let (_, mut rest) = rest.split(out[1]).unwrap();
        let (_, rest) = rest.split(out[2]).unwrap();
        assert_eq!(sorted(rest.entities()), without(&all, &out));
        assert_eq!(rest.iter().count(), 3);
    }
}

/// Splits off one entity after the other, down to the last.
fn peel(rest: &mut CompRest<'_, Position>, left: &[Entity]) {
    assert_eq!(rest.iter().count(), left.len());
    if let Some((&first, left)) = left.split_first() {
        let (one, mut inner) = rest.split(first).unwrap();
        inner.for_each(|other| other.0[1] += 1.0);
        peel(&mut inner, left);
        one.0[2] = -1.0;
    }
    assert_eq!(rest.iter().count(), left.len());
}

#[test]
fn a_rest_is_split_recursively_until_it_is_empty() {
    let (world, all) = world_of(12);
    let mut position = world.view_mut::<Position>();
    let (_, mut rest) = position.split(all[0]).unwrap();
    peel(&mut rest, &all[1..]);
    for (i, &entity) in all.iter().enumerate().skip(1) {
        let number = i as f32;
        let expected = [number, number + (i - 1) as f32, -1.0];
        assert_eq!(position.get(entity).unwrap().0, expected);
    }
}

#[test]
fn an_entity_that_is_split_off_is_not_found_in_the_rest() {
    let (mut world, all) = world_of(6);
    world.despawn(all[5]).unwrap();
    let (mut position, mut stunned) = (world.view_mut::<Position>(), world.view_mut::<Stunned>());
    assert!(position.split(all[5]).is_none() && stunned.split(all[5]).is_none());
    let (_, mut rest) = position.split(all[1]).unwrap();
    let (_, mut rest) = rest.split(all[4]).unwrap();
    for out in [all[1], all[4], all[5]] {
        assert!(rest.get(out).is_none() && rest.get_mut(out).is_none() && !rest.contains(out));
        assert!(rest.split(out).is_none());
    }
    rest.get_mut(all[0]).unwrap().0[0] = 5.0;
    assert_eq!(rest.get(all[0]).unwrap().0[0], 5.0);
    let (_, mut rest) = stunned.split(all[1]).unwrap();
    assert!(rest.get_mut(all[1]).is_none() && rest.split(all[1]).is_none());
    assert!(rest.contains(all[0]));
}

#[test]
fn a_rest_of_a_join_keeps_members_and_filters() {
    let (world, all) = world_of(30);
    let (mut position, mut stunned) = (world.view_mut::<Position>(), world.view_mut::<Stunned>());
    let (velocity, tag) = (world.view::<Velocity>(), world.view::<Tag>());
    let ((p, v), mut rest) = (&mut position, &velocity).split(all[2]).unwrap();
    p.0 = v.0;
    for (q, _) in &mut rest {
        q.0[0] += p.0[0];
    }
    assert_eq!((&rest).into_iter().count(), 9);
    assert!((&mut position, &velocity).split(all[0]).is_none());

    let (_, rest) = (&mut stunned)
        .exclude((&velocity, &tag))
        .split(all[3])
        .unwrap();
    let expected = all
        .iter()
        .copied()
        .step_by(3)
        .filter(|&entity| entity != all[3]);
    assert_eq!(sorted(rest.entities()), expected.collect::<Vec<_>>());

    let join = (&mut position, &mut stunned, Some(&velocity));
    let ((p, s, v), mut rest) = join
        .with_entity()
        .include(&velocity)
        .split(all[5])
        .map(|((entity, items), rest)| {
            assert_eq!(entity, all[5]);
            (items, rest)
        })
        .unwrap();
    assert!(v.is_some());
    s.0 = 0;
    rest.for_each(|(entity, (q, s, v))| {
        assert_ne!(entity, all[5]);
        assert_eq!((v.is_some(), entity.index() % 3), (true, 2));
        core::mem::swap(p, q);
        s.0 += 1;
    });
    assert_eq!(rest.iter().count(), 9);
}

#[test]
fn a_rest_puts_ids_before_its_items() {
    let (world, all) = world_of(9);
    let mut position = world.view_mut::<Position>();
    let (one, mut rest) = position.split(all[3]).unwrap();
    for (entity, other) in rest.reborrow().with_entity().iter_mut() {
        assert_eq!(other.0[0], entity.index() as f32);
        other.0[1] = one.0[0];
    }
    let mut rest = rest.with_entity();
    for _ in 0..2 {
        rest.for_each(|(_, other)| other.0[1] += 1.0);
    }
    for (entity, other) in &rest {
        assert_ne!(entity, all[3]);
        assert_eq!(other.0[1], 5.0);
    }
}

#[test]
fn each_entity_is_visited_with_the_rest() {
    let (world, all) = world_of(11);
    let (mut position, mut stunned) = (world.view_mut::<Position>(), world.view_mut::<Stunned>());
    let mut meetings = Vec::new();
    (&mut position)
        .with_entity()
        .for_each_with_rest(|(entity, one), rest| {
            for (other, p) in rest.iter_mut() {
                meetings.push((entity, other));
                p.0[1] += one.0[0];
            }
            rest.for_each(|(_, p)| one.0[2] += p.0[0]);
        });
    let expected = all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b)));
    let mut expected: Vec<_> = expected.filter(|(a, b)| a != b).collect();
    meetings.sort_unstable();
    expected.sort_unstable();
    assert_eq!(meetings, expected);
    for (i, &entity) in all.iter().enumerate() {
        // The sum of all numbers except its own, and its own number.
        let (sum, own) = (55.0 - i as f32, i as f32);
        assert_eq!(position.get(entity).unwrap().0, [own, own + sum, own + sum]);
    }
    let mut swaps = 0;
    stunned.for_each_with_rest(|one, rest| {
        rest.for_each(|other| {
            core::mem::swap(one, other);
            swaps += 1;
        });
        assert_eq!(rest.iter().count(), 10);
    });
    assert_eq!(swaps, 110);
    position.for_each_with_rest(|one, rest| {
        if let Some((two, mut rest)) = rest.split(all[4]) {
            rest.for_each(|three| core::mem::swap(three, one));
            core::mem::swap(one, two);
        }
    });
    let mut firsts: Vec<f32> = position.iter().map(|p| p.0[0]).collect();
    firsts.sort_by(f32::total_cmp);
    assert_eq!(firsts, (0..11).map(|i| i as f32).collect::<Vec<_>>());
}

#[test]
fn each_pair_is_visited_once() {
    let (world, all) = world_of(7);
    let (mut position, mut stunned) = (world.view_mut::<Position>(), world.view_mut::<Stunned>());
    let mut pairs = Vec::new();
    (&mut position)
        .with_entity()
        .for_each_pair(|(a, p), (b, q)| {
            pairs.push((*a.min(b), *a.max(b)));
            core::mem::swap(*p, *q);
        });
    pairs.sort_unstable();
    let expected = (0..7).flat_map(|i| (i + 1..7).map(move |j| (i, j)));
    let expected: Vec<_> = expected.map(|(i, j)| (all[i], all[j])).collect();
    assert_eq!(pairs, expected);
    let mut pulls = 0;
    stunned.for_each_pair(|a, b| {
        (a.0, b.0) = (b.0, a.0);
        pulls += 1;
    });
    assert_eq!(pulls, 21);

    let mut combinations = (&position, &stunned).with_entity().iter_combinations();
    assert_eq!(combinations.len(), 21);
    let mut seen = Vec::new();
    while let Some(((a, _), (b, _))) = combinations.next() {
        seen.push((a.min(b), a.max(b)));
        assert_eq!(combinations.len(), 21 - seen.len());
    }
    assert!(combinations.next().is_none());
    seen.sort_unstable();
    assert_eq!(seen, expected);
}

#[test]
fn no_entity_and_one_entity_make_no_pair() {
    for count in [0, 1] {
        let (world, _) = world_of(count);
        let mut position = world.view_mut::<Position>();
        let combinations = position.iter_combinations();
        assert_eq!(combinations.len(), 0);
        assert_eq!(combinations.count(), 0);
        position.for_each_pair(|_, _| panic!("there are no two"));
        position.for_each_with_rest(|_, rest| assert_eq!(rest.iter().count(), 0));
    }
}

#[test]
fn items_are_returned_sorted() {
    let (world, all) = world_of(20);
    let (mut position, stunned) = (world.view_mut::<Position>(), world.view::<Stunned>());
    let by_digit = (&stunned)
        .with_entity()
        .sorted_by_key(|(_, stunned)| stunned.0 % 10)
        .map(|(entity, _)| entity.index());
    let by_digit: Vec<u32> = by_digit.collect();
    let expected: Vec<u32> = (0..10).flat_map(|i| [i, i + 10]).collect();
    assert_eq!(by_digit, expected, "the sort is stable");
    let down = (&mut position, &stunned).sorted_by(|(p, _), (q, _)| q.0[0].total_cmp(&p.0[0]));
    for (rank, (p, _)) in down.enumerate() {
        p.0[1] = rank as f32;
    }
    assert_eq!(position.get(all[0]).unwrap().0[1], 19.0);
}

#[test]
fn a_sort_by_an_inconsistent_order_returns_each_item_once_or_panics() {
    let (world, all) = world_of(60);
    let mut position = world.view_mut::<Position>();
    let mut state = 1_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    for _ in 0..4 {
        let sorted_ids = catch_unwind(AssertUnwindSafe(|| {
            let items = (&mut position).with_entity().sorted_by_key(|_| random());
            sorted(items.map(|(entity, p)| {
                p.0[0] += 1.0;
                entity
            }))
        }));
        if let Ok(ids) = sorted_ids {
            assert_eq!(ids, sorted(all.clone()));
        }
    }
    let mut calls = 0;
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        (&mut position)
            .sorted_by_key(|_| {
                calls += 1;
                assert!(calls < 10, "enough");
                0
            })
            .count()
    }));
    assert!(panicked.is_err());
    assert_eq!(position.iter().count(), 60);
}

#[test]
fn a_sparse_component_is_one_slice() {
    let (mut world, all) = world_of(10);
    world.remove::<Stunned>(all[2]).unwrap();
    let mut stunned = world.view_mut::<Stunned>();
    for value in stunned.as_mut_slice() {
        value.0 += 100;
    }
    assert_eq!(stunned.as_slice().len(), 9);
    for (value, entity) in stunned.as_slice().iter().zip(stunned.as_entities()) {
        assert_eq!(u32::from(value.0), entity.index() + 100);
    }
    let mut title = world.view_mut::<Title>();
    assert!(title.as_mut_slice().is_empty() && title.as_entities().is_empty());
    drop(stunned);
    assert_eq!(world.view::<Stunned>().as_slice().len(), 9);
}

#[test]
fn values_with_drop_can_be_swapped() {
    let mut world = World::new();
    let all: Vec<Entity> = (0..9)
        .map(|i| world.spawn((DropName(i.to_string()), Title(i.to_string()))))
        .collect();
    let (mut name, mut title) = (world.view_mut::<DropName>(), world.view_mut::<Title>());
    name.for_each_with_rest(|one, rest| rest.for_each(|other| core::mem::swap(one, other)));
    title.for_each_pair(|a, b| core::mem::swap(*a, *b));
    let (one, mut rest) = (&mut name, &mut title).split(all[4]).unwrap();
    rest.for_each(|(name, title)| core::mem::swap(&mut name.0, &mut title.0));
    core::mem::swap(&mut one.0.0, &mut one.1.0);
    let mut left: Vec<String> = name.iter().map(|name| name.0.clone()).collect();
    left.extend(title.iter().map(|title| title.0.clone()));
    left.sort_unstable();
    let expected: Vec<String> = (0..9)
        .flat_map(|i| [i.to_string(), i.to_string()])
        .collect();
    assert_eq!(left, expected);
}
