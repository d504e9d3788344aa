//! Tests of views and joins.

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::entity::Entity;
use crate::join::Join;
use crate::test_components::{DropName, Position, Stunned, Tag, Title, Velocity};
use crate::world::World;

/// Spawns 100 entities: all with a position, each 2nd with a velocity, each 3rd with a sparse component, each 5th with
/// a tag.
fn mixed() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = (0..100)
        .map(|i| {
            let entity = world.spawn(Position([i as f32; 3]));
            if i % 2 == 0 {
                world.insert(entity, Velocity([1.0; 3])).unwrap();
            }
            if i % 3 == 0 {
                world.insert(entity, Stunned(i)).unwrap();
            }
            if i % 5 == 0 {
                world.insert(entity, Tag).unwrap();
            }
            entity
        })
        .collect();
    (world, all)
}

/// Returns the numbers of the entities, in order.
fn numbers(ids: impl IntoIterator<Item = Entity>) -> Vec<u32> {
    let mut numbers: Vec<u32> = ids.into_iter().map(Entity::index).collect();
    numbers.sort_unstable();
    numbers
}

fn numbers_where(test: impl Fn(u32) -> bool) -> Vec<u32> {
    (0..100).filter(|&i| test(i)).collect()
}

#[test]
fn a_join_visits_each_entity_with_all_members_once() {
    let (world, _) = mixed();
    let (position, velocity, stunned) = (
        world.view::<Position>(),
        world.view::<Velocity>(),
        world.view::<Stunned>(),
    );
    assert_eq!(
        numbers((&position, &velocity).entities()),
        numbers_where(|i| i % 2 == 0)
    );
    assert_eq!(
        numbers((&position, &stunned).entities()),
        numbers_where(|i| i % 3 == 0)
    );
    assert_eq!(
        numbers((&stunned, (&velocity, &position)).entities()),
        numbers_where(|i| i % 6 == 0)
    );
}

#[test]
fn all_three_loops_visit_the_same_rows() {
    let (world, _) = mixed();
    let (mut position, velocity) = (world.view_mut::<Position>(), world.view::<Velocity>());
    (&mut position, &velocity).for_each(|(p, v)| p.0[0] += v.0[0]);
    for (p, v) in (&mut position, &velocity).iter() {
        p.0[1] += v.0[1];
    }
    (&mut position, &velocity)
        .iter()
        .for_each(|(p, v)| p.0[2] += v.0[2]);
    for (positions, velocities) in (&mut position, &velocity).chunks() {
        assert_eq!(positions.len(), velocities.len());
        for (p, v) in positions.iter_mut().zip(velocities) {
            p.0[0] += v.0[0];
        }
    }
    for (entity, p) in position.with_entity().iter() {
        let (start, moved) = (
            entity.index() as f32,
            f32::from(u8::from(entity.index() % 2 == 0)),
        );
        assert_eq!(p.0, [start + 2.0 * moved, start + moved, start + moved]);
    }
}

#[test]
fn blocks_and_remainders_are_both_visited() {
    for count in [0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 15, 63, 64, 68, 71, 200] {
        let mut world = World::new();
        world.spawn_batch(
            (0..count).map(|i| (Position([i as f32; 3]), Tag, DropName(i.to_string()))),
        );
        let mut seen = Vec::new();
        let (position, tag, name) = (
            world.view::<Position>(),
            world.view::<Tag>(),
            world.view::<DropName>(),
        );
        (&position, &tag, &name, world.entities()).for_each(|(p, _, name, entity)| {
            assert_eq!(name.0, entity.index().to_string());
            seen.push(p.0[0] as usize);
        });
        assert_eq!(seen, (0..count).collect::<Vec<_>>());
    }
}

#[test]
fn items_of_a_join_may_be_kept() {
    let (world, _) = mixed();
    let mut position = world.view_mut::<Position>();
    let mut kept = Vec::new();
    (&mut position).for_each(|p| kept.push(p));
    for p in &mut kept {
        p.0 = [-1.0; 3];
    }
    assert_eq!(kept.len(), 100);
    assert!(position.iter().all(|p| p.0 == [-1.0; 3]));
}

#[test]
fn included_and_excluded_views_only_test() {
    let (world, _) = mixed();
    let (position, velocity) = (world.view::<Position>(), world.view::<Velocity>());
    let (stunned, tag) = (world.view_mut::<Stunned>(), world.view::<Tag>());
    assert_eq!(
        numbers(position.include(&velocity).entities()),
        numbers_where(|i| i % 2 == 0)
    );
    assert_eq!(
        numbers(position.include((&velocity, &stunned)).entities()),
        numbers_where(|i| i % 6 == 0)
    );
    assert_eq!(
        numbers(position.exclude((&velocity, &stunned)).entities()),
        numbers_where(|i| i % 2 != 0 && i % 3 != 0)
    );
    for p in position.include(&stunned).exclude(&velocity) {
        assert_eq!(p.0[0] as u32 % 6, 3);
    }
    let both = position.include(&stunned).exclude(&tag);
    assert_eq!(
        numbers(both.entities()),
        numbers_where(|i| i % 3 == 0 && i % 5 != 0)
    );
    let mut count = 0;
    position
        .include(&stunned)
        .exclude(&tag)
        .for_each(|_| count += 1);
    assert_eq!(count, numbers_where(|i| i % 3 == 0 && i % 5 != 0).len());
}

#[test]
fn an_optional_member_skips_no_entity() {
    let (world, _) = mixed();
    let (position, velocity, stunned) = (
        world.view::<Position>(),
        world.view::<Velocity>(),
        world.view::<Stunned>(),
    );
    let mut seen = 0;
    (&position, Some(&velocity), world.entities()).for_each(|(_, velocity, entity)| {
        assert_eq!(velocity.is_some(), entity.index() % 2 == 0);
        seen += 1;
    });
    for (_, stunned, entity) in (&position, Some(&stunned), world.entities()).iter() {
        assert_eq!(stunned.is_some(), entity.index() % 3 == 0);
        seen += 1;
    }
    assert_eq!(seen, 200);
    let no_view: Option<&crate::view::Comp<'_, DropName>> = None;
    assert!((&position, no_view).iter().all(|(_, name)| name.is_none()));
}

#[test]
fn a_join_gets_the_items_of_one_entity() {
    let (mut world, all) = mixed();
    world.despawn(all[6]).unwrap();
    let (mut position, velocity, stunned) = (
        world.view_mut::<Position>(),
        world.view::<Velocity>(),
        world.view::<Stunned>(),
    );
    let (p, v, s) = (&mut position, &velocity, &stunned).get(all[12]).unwrap();
    p.0 = v.0;
    assert_eq!(*s, Stunned(12));
    assert_eq!(position.get(all[12]).unwrap().0, [1.0; 3]);
    assert!((&position, &velocity).get(all[1]).is_none());
    assert!(
        (&position, &velocity)
            .exclude(&stunned)
            .get(all[12])
            .is_none()
    );
    assert!(position.get(all[6]).is_none() && !position.contains(all[6]));
    assert!(
        (Some(&position),).get(all[6]).is_none(),
        "not even optional members of a dead entity"
    );
}

#[test]
fn a_view_of_one_component_works_like_a_collection() {
    let (world, all) = mixed();
    let (mut stunned, tag) = (world.view_mut::<Stunned>(), world.view::<Tag>());
    assert_eq!((stunned.len(), tag.len()), (34, 20));
    for stunned in &mut stunned {
        stunned.0 = 1;
    }
    stunned.get_mut(all[3]).unwrap().0 = 2;
    assert_eq!(
        (&stunned)
            .into_iter()
            .map(|stunned| u32::from(stunned.0))
            .sum::<u32>(),
        35
    );
    assert!(world.view::<DropName>().is_empty());
}

#[test]
fn a_sparse_component_alone_is_visited_once_per_entity() {
    let (mut world, all) = mixed();
    world.remove::<Stunned>(all[6]).unwrap();
    world.despawn(all[0]).unwrap();
    let _reserved = world.reserve_entity();
    let expected: Vec<u32> = (1..100).filter(|i| i % 3 == 0 && *i != 6).collect();
    let mut stunned = world.view_mut::<Stunned>();
    let sorted = |mut values: Vec<u32>| {
        values.sort_unstable();
        values
    };

    let (mut by_closure, mut by_fold, mut by_for) = (Vec::new(), Vec::new(), Vec::new());
    (&mut stunned).for_each(|value| by_closure.push(u32::from(value.0)));
    stunned
        .iter()
        .for_each(|value| by_fold.push(u32::from(value.0)));
    for value in &stunned {
        by_for.push(u32::from(value.0));
    }
    assert_eq!(sorted(by_closure), expected);
    assert_eq!(sorted(by_fold), expected);
    assert_eq!(sorted(by_for), expected);
    assert_eq!(sorted(numbers((&stunned).entities())), expected);
    assert_eq!(stunned.exclude(&world.view::<Tag>()).iter().count(), 26);
}

#[test]
fn a_component_that_the_world_has_never_seen_joins_with_nothing() {
    let (world, all) = mixed();
    let (position, title, name) = (
        world.view::<Position>(),
        world.view::<Title>(),
        world.view::<DropName>(),
    );
    assert_eq!((&position, &title).iter().count(), 0);
    assert_eq!((&position, &name).iter().count(), 0);
    (&name, &position).for_each(|_| panic!("no entity has a name"));
    assert_eq!(position.exclude((&title, &name)).iter().count(), 100);
    assert_eq!(position.include(&title).iter().count(), 0);
    assert!(name.get(all[0]).is_none());
}

#[test]
fn views_of_one_component_exclude_each_other_when_one_writes() {
    let (world, _) = mixed();
    let one = world.view::<Position>();
    let two = world.view::<Position>();
    assert!(world.try_view_mut::<Position>().is_err());
    drop((one, two));
    let mut writing = world.view_mut::<Position>();
    let error = world.try_view::<Position>().unwrap_err();
    assert!(
        error.to_string().contains("Position` cannot be read now"),
        "{error}"
    );
    let again = writing.reborrow();
    drop(again);
    assert!(
        world.try_view::<Position>().is_err(),
        "a reborrowed view releases no borrow"
    );
    drop(writing);
    assert!(world.try_view::<Position>().is_ok());
}

#[test]
#[should_panic(expected = "views of different worlds")]
fn joining_views_of_different_worlds_panics() {
    let (one, _) = mixed();
    let (two, _) = mixed();
    let _ = (&one.view::<Position>(), &two.view::<Velocity>()).iter();
}

#[test]
fn entities_lists_all_that_have_a_row() {
    let (mut world, all) = mixed();
    world.despawn(all[4]).unwrap();
    let reserved = world.reserve_entity();
    let entities = world.entities();
    assert_eq!(entities.len(), 100);
    assert!(entities.contains(reserved) && !entities.contains(all[4]));
    assert_eq!(entities.iter().count(), 99);
    world.flush();
    assert_eq!(world.entities().iter().count(), 100);
}
