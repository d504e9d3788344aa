//! Tests of queries.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::{Or, Query, SingleError, With, Without};
use crate::entity::Entity;
use crate::join::ManyError;
use crate::test_components::{DropName, Position, Stunned, Tag, Velocity};
use crate::world::World;

/// Spawns `a` with position and velocity, `b` with position and stunned, and `c` with position, tag and name.
fn three() -> (World, [Entity; 3]) {
    let mut world = World::new();
    let a = world.spawn((Position::default(), Velocity([1.0; 3])));
    let b = world.spawn((Position::default(), Stunned(1)));
    let c = world.spawn((Position::default(), Tag, DropName::new("c")));
    (world, [a, b, c])
}

fn found<F: super::QueryFilter>(world: &World) -> Vec<Entity> {
    let mut found: Vec<Entity> = world.query_filtered::<Entity, F>().iter().collect();
    found.sort_unstable();
    found
}

#[test]
fn a_query_reads_writes_and_gets_entities() {
    let (world, [a, b, _]) = three();
    let mut query = world.query::<(&mut Position, &Velocity)>();
    query.for_each(|(p, v)| p.0 = v.0);
    for (p, _) in &mut query {
        p.0[0] += 1.0;
    }
    assert_eq!(query.get(a).unwrap().0.0, [2.0, 1.0, 1.0]);
    query.get_mut(a).unwrap().0.0 = [0.0; 3];
    assert!(query.get(b).is_none() && query.contains(a));
    assert_eq!(query.iter().map(|(p, _)| p.0[0]).sum::<f32>(), 0.0);
    for (positions, velocities) in query.chunks_mut() {
        positions[0].0 = velocities[0].0;
    }
    assert_eq!(query.chunks().map(|(p, _)| p.len()).sum::<usize>(), 1);
}

#[test]
fn filters_match_by_presence() {
    let (world, [a, b, c]) = three();
    assert_eq!(found::<()>(&world), [a, b, c]);
    assert_eq!(found::<With<Velocity>>(&world), [a]);
    assert_eq!(found::<With<Stunned>>(&world), [b]);
    assert_eq!(found::<Without<Stunned>>(&world), [a, c]);
    assert_eq!(found::<(With<Tag>, With<DropName>)>(&world), [c]);
    assert_eq!(found::<(With<Tag>, Without<DropName>)>(&world), []);
    assert_eq!(found::<Or<(With<Velocity>, With<Stunned>)>>(&world), [a, b]);
    assert_eq!(
        found::<(With<Position>, Or<(With<Tag>, With<Velocity>)>)>(&world),
        [a, c]
    );
}

#[test]
fn optional_data_skips_no_entity() {
    let (world, [a, b, c]) = three();
    let query = world.query::<(Entity, Option<&Velocity>, Option<&mut Stunned>)>();
    let mut seen: Vec<_> = query
        .iter()
        .map(|(e, v, s)| (e, v.is_some(), s.is_some()))
        .collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        [(a, true, false), (b, false, true), (c, false, false)]
    );
}

#[test]
fn tuples_nest_beyond_any_arity() {
    let (world, _) = three();
    type Data<'a> = (
        (Entity, (&'a Position,)),
        (
            (Option<&'a Velocity>, Option<&'a DropName>),
            Option<&'a Stunned>,
        ),
    );
    assert_eq!(world.query::<Data<'_>>().count(), 3);
}

#[test]
fn single_requires_exactly_one_entity() {
    let (mut world, [_, b, _]) = three();
    assert_eq!(
        world.query::<(Entity, &Stunned)>().single().map(|(e, _)| e),
        Ok(b)
    );
    assert!(matches!(
        world.query::<&Position>().single(),
        Err(SingleError::Several { count: 3, .. })
    ));
    world.despawn(b).unwrap();
    let error = world.query::<&Stunned>().single().unwrap_err();
    assert!(error.to_string().contains("no entity matches"), "{error}");
    world.query::<&mut Tag>().single_mut().unwrap();
}

#[test]
fn a_world_lends_items_of_several_entities() {
    let (mut world, [a, b, c]) = three();
    let (Some((p, v)), None) = world.get_pair_mut::<(&mut Position, &Velocity)>(a, b) else {
        panic!("only the first has both");
    };
    p.0 = v.0;
    let (Some(_), None) = world.get_pair_mut::<&mut Position>(a, a) else {
        panic!("its items are returned once");
    };
    let [x, y] = world.get_many_mut::<&mut Position, _>([c, a]).unwrap();
    core::mem::swap(x, y);
    assert_eq!(world.get::<Position>(c).unwrap().0, [1.0; 3]);
    let several = |world: &mut World, entities| {
        let items = world.get_many_mut::<(&mut Position, Option<&DropName>), 3>(entities);
        items.map(|items| items.map(|_| ())).err()
    };
    assert_eq!(several(&mut world, [b, a, c]), None);
    let twice = ManyError::Duplicate { entity: b };
    assert_eq!(several(&mut world, [b, c, b]), Some(twice));
    let lacking = world.get_many_mut::<&mut Velocity, _>([a, c]).err();
    assert!(matches!(lacking, Some(ManyError::Mismatch { entity, .. }) if entity == c));
    world.despawn(c).unwrap();
    let gone = ManyError::NoSuchEntity { entity: c };
    assert_eq!(several(&mut world, [a, b, c]), Some(gone));
    let _ = world.view_mut::<Position>();
}

#[test]
fn a_query_holds_its_borrows_until_dropped() {
    let (world, _) = three();
    let query = world.query::<(&mut Position, &Velocity)>();
    assert!(world.try_view::<Position>().is_err());
    assert!(world.try_view::<Velocity>().is_ok() && world.try_view_mut::<Velocity>().is_err());
    assert!(world.try_query_filtered::<&Position, ()>().is_err());
    drop(query);
    assert!(world.try_view_mut::<Position>().is_ok() && world.try_view_mut::<Velocity>().is_ok());
}

#[test]
fn a_query_that_cannot_borrow_all_borrows_nothing() {
    let (world, _) = three();
    let velocity = world.view_mut::<Velocity>();
    let error = world
        .try_query_filtered::<(&mut Position, &Velocity), ()>()
        .unwrap_err();
    assert!(error.component.ends_with("Velocity"));
    assert!(world.try_view_mut::<Position>().is_ok());
    drop(velocity);
}

#[test]
fn a_query_that_writes_a_component_twice_is_an_error() {
    let (world, _) = three();
    assert!(
        world
            .try_query_filtered::<(&mut Position, &Position), ()>()
            .is_err()
    );
    assert!(
        world
            .try_query_filtered::<(&Position, (&mut Position,)), ()>()
            .is_err()
    );
    assert!(
        world
            .try_query_filtered::<(&Position, &Position), ()>()
            .is_ok()
    );
    assert!(world.try_view_mut::<Position>().is_ok());
}

#[test]
fn a_reborrowed_query_releases_no_borrows() {
    let (world, _) = three();
    let mut query: Query<'_, &mut Position> = world.query();
    drop(query.reborrow());
    assert!(world.try_view::<Position>().is_err());
}
