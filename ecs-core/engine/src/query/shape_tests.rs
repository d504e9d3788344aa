//! Tests of access to several entities of a query at once.

use alloc::vec::Vec;

use super::{Or, QueryRest, With, Without};
use crate::entity::Entity;
use crate::join::ManyError;
use crate::test_components::{Position, Stunned, Tag, Velocity};
use crate::world::World;

/// Spawns twelve entities with a position and a sparse component, each third with a velocity, each fourth with a tag.
fn twelve() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = (0..12)
        .map(|i| {
            let entity = world.spawn((Position([i as f32; 3]), Stunned(i)));
            if i % 3 == 0 {
                world.insert(entity, Velocity([1.0; 3])).unwrap();
            }
            if i % 4 == 0 {
                world.insert(entity, Tag).unwrap();
            }
            entity
        })
        .collect();
    (world, all)
}

#[test]
fn a_query_returns_two_or_many_entities_at_once() {
    let (world, all) = twelve();
    let mut query = world.query_filtered::<(&mut Position, &Stunned), Without<Tag>>();
    let (a, b) = query.get_pair_mut(all[1], all[2]);
    core::mem::swap(a.unwrap().0, b.unwrap().0);
    assert!(matches!(
        query.get_pair_mut(all[0], all[1]),
        (None, Some(_))
    ));
    assert!(matches!(
        query.get_pair_mut(all[1], all[1]),
        (Some(_), None)
    ));
    let three = query.get_many_mut([all[3], all[1], all[2]]).unwrap();
    assert_eq!(
        three.map(|(p, s)| (p.0[0], s.0)),
        [(3.0, 3), (2.0, 1), (1.0, 2)]
    );
    let error = query.get_many_mut([all[3], all[0]]).unwrap_err();
    assert!(matches!(error, ManyError::Mismatch { entity, .. } if entity == all[0]));
}

#[test]
fn a_split_of_a_query_keeps_its_filter() {
    let (world, all) = twelve();
    let mut query =
        world.query_filtered::<(Entity, &mut Stunned), Or<(With<Velocity>, With<Tag>)>>();
    assert!(query.split(all[1]).is_none(), "neither velocity nor tag");
    let ((_, one), mut rest) = query.split(all[3]).unwrap();
    let ((_, two), mut inner) = rest.split(all[8]).unwrap();
    for (entity, other) in &mut inner {
        assert!(entity != all[3] && entity != all[8]);
        (one.0, two.0, other.0) = (other.0, one.0, two.0);
    }
    let mut found: Vec<u32> = inner.entities().map(Entity::index).collect();
    found.sort_unstable();
    assert_eq!(found, [0, 4, 6, 9]);
    assert!(rest.get_mut(all[8]).is_some());
    let mut values: Vec<u8> = query.iter().map(|(_, stunned)| stunned.0).collect();
    values.sort_unstable();
    assert_eq!(values, [0, 3, 4, 6, 8, 9]);
}

/// Counts the entities of a rest by splitting them off.
fn count(rest: &mut QueryRest<'_, (Entity, &mut Position), Without<Tag>>) -> usize {
    let first = rest.entities().next();
    first.map_or(0, |entity| {
        let ((id, position), mut rest) = rest.split(entity).unwrap();
        assert_eq!(position.0[0], id.index() as f32);
        1 + count(&mut rest)
    })
}

#[test]
fn a_rest_of_a_query_can_be_named_and_passed_on() {
    let (world, all) = twelve();
    let mut query = world.query_filtered::<(Entity, &mut Position), Without<Tag>>();
    let (_, mut rest) = query.split(all[1]).unwrap();
    assert_eq!(count(&mut rest), 8);
}

#[test]
fn each_entity_of_a_query_is_visited_with_the_rest_and_in_pairs() {
    let (world, _) = twelve();
    let mut query = world.query_filtered::<(&mut Position, &Stunned), With<Velocity>>();
    let mut meetings = 0;
    query.for_each_with_rest(|(one, _), rest| {
        for (other, _) in &mut *rest {
            core::mem::swap(one, other);
            meetings += 1;
        }
    });
    assert_eq!(meetings, 12);
    let mut pairs = 0;
    query.for_each_pair(|(a, _), (b, _)| {
        core::mem::swap(*a, *b);
        pairs += 1;
    });
    assert_eq!(pairs, 6);
    assert_eq!(query.iter_combinations().len(), 6);
    assert!(query.iter_combinations().all(|((_, a), (_, b))| a != b));
}

#[test]
fn a_query_is_sorted_for_reading_and_for_writing() {
    let (world, _) = twelve();
    let mut query = world.query::<(&mut Position, &Stunned)>();
    for (rank, (p, _)) in query
        .sorted_by_key_mut(|(_, stunned)| u8::MAX - stunned.0)
        .enumerate()
    {
        p.0[0] = rank as f32;
    }
    let sorted: Vec<u8> = query
        .sorted_by(|(p, _), (q, _)| p.0[0].total_cmp(&q.0[0]))
        .map(|(_, stunned)| stunned.0)
        .collect();
    assert_eq!(sorted, (0..12).rev().collect::<Vec<u8>>());
    let first = query.sorted_by_key(|(_, stunned)| stunned.0).next();
    assert_eq!(first.unwrap().0.0[0], 11.0);
    let last = query
        .sorted_by_mut(|(_, a), (_, b)| a.0.cmp(&b.0))
        .next_back();
    last.unwrap().0.0 = [0.0; 3];
}
