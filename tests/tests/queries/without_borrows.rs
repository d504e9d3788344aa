//! A world that is borrowed exclusively is queried and read without run-time borrows.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use ecs_core::prelude::*;
use ecs_core::relation::Related;

#[derive(Component, Debug, PartialEq)]
struct Health(i32);
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Burning(u8);
#[derive(Component)]
#[component(track)]
struct Score(u32);
#[derive(Component)]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Relation)]
struct Follows;
#[derive(Resource)]
struct Wind(f32);

#[test]
fn a_read_only_world_finds_values_in_tables_and_sets_and_none_of_stale_ids() {
    let mut world = World::new();
    let rat = world.spawn((Health(3), Burning(7)));
    let cat = world.spawn(Health(9));
    let gone = world.spawn((Health(1), Burning(1)));
    world.despawn(gone).unwrap();
    let reader = world.read_only();
    assert_eq!(reader.get(rat), Some(&Health(3)));
    assert_eq!(reader.get(rat), Some(&Burning(7)));
    assert_eq!(reader.get::<Burning>(cat), None);
    assert_eq!(reader.get::<Health>(gone), None);
    assert!(
        !reader.has::<Score>(rat),
        "a component that the world has never seen"
    );
    assert!(reader.has::<Health>(cat) && !reader.has::<Burning>(cat));
    assert!(reader.contains(rat) && !reader.contains(gone));
    assert_eq!((reader.len(), reader.is_empty()), (2, false));
    // The next entity of the index is another one.
    let next = world.spawn(Health(5));
    assert_eq!(next.index(), gone.index());
    assert_eq!(world.read_only().get::<Health>(gone), None);
    assert_eq!(world.read_only().get(next), Some(&Health(5)));
}

#[test]
fn a_read_only_world_has_views_queries_and_resources() {
    let mut world = World::new();
    world.insert_resource(Wind(0.5));
    let rat = world.spawn((Health(3), Burning(7)));
    let cat = world.spawn(Health(9));
    let reader = world.read_only();
    let (healths, burning) = (reader.view::<Health>(), reader.view::<Burning>());
    assert_eq!(
        (&healths, &burning).iter().collect::<Vec<_>>(),
        [(&Health(3), &Burning(7))]
    );
    let unburnt = reader.query_filtered::<(Entity, &Health), Without<Burning>>();
    assert_eq!(unburnt.iter().collect::<Vec<_>>(), [(cat, &Health(9))]);
    assert_eq!(reader.query::<&Health>().count(), 2);
    assert_eq!(
        reader.query::<Entity>().iter().collect::<Vec<_>>(),
        [rat, cat]
    );
    assert_eq!(reader.get_resource::<Wind>().unwrap().0, 0.5);
    assert!(reader.get_resource::<String>().is_none());
    assert!(format!("{reader:?}").contains("entities: 2"));
}

#[test]
fn threads_share_a_read_only_world() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..100).map(|n| world.spawn(Health(n))).collect();
    let reader = world.read_only();
    let sum = |ids: &[Entity]| {
        ids.iter()
            .map(|&id| reader.get::<Health>(id).unwrap().0)
            .sum::<i32>()
    };
    let (left, right) = ids.split_at(40);
    let (a, b) = thread::scope(|scope| {
        let right = scope.spawn(|| sum(right));
        (sum(left), right.join().unwrap())
    });
    assert_eq!(a + b, (0..100).sum::<i32>());
}

#[test]
fn a_query_without_borrows_reads_writes_and_filters() {
    let mut world = World::new();
    let rat = world.spawn((Health(3), Burning(2)));
    let cat = world.spawn(Health(9));
    for (health, burning) in &mut world.query_mut::<(&mut Health, &Burning)>() {
        health.0 -= i32::from(burning.0);
    }
    let mut unburnt = world.query_filtered_mut::<&mut Health, Without<Burning>>();
    unburnt.for_each(|health| health.0 += 1);
    assert_eq!(unburnt.get(cat), Some(&Health(10)));
    drop(unburnt);
    assert_eq!(*world.get::<Health>(rat).unwrap(), Health(1));
}

#[test]
fn a_view_that_was_leaked_does_not_matter_to_an_exclusive_borrow() {
    let mut world = World::new();
    let rat = world.spawn(Health(3));
    forget(world.view_mut::<Health>());
    assert!(world.try_view::<Health>().is_err());
    world
        .query_mut::<&mut Health>()
        .for_each(|health| health.0 += 1);
    assert_eq!(world.read_only().get(rat), Some(&Health(4)));
    assert_eq!(
        world.get_many_mut::<&mut Health, 1>([rat]),
        Ok([&mut Health(4)])
    );
}

#[test]
fn changes_through_a_query_without_borrows_are_tracked() {
    #[system]
    fn changed(scores: Query<Entity, Changed<Score>>) -> Vec<Entity> {
        scores.iter().collect()
    }
    let mut world = World::new();
    let (a, b) = (world.spawn(Score(1)), world.spawn(Score(2)));
    assert_eq!(changed(&world), [a, b]);
    for mut score in &mut world.query_mut::<&mut Score>() {
        if score.0 == 2 {
            score.0 = 3;
        }
    }
    assert_eq!(changed(&world), [b]);
    assert_eq!(changed(&world), []);
}

/// Only the run time can distinguish two instances of one generic component.
fn count_tags<A: Send + Sync + 'static, B: Send + Sync + 'static>(world: &mut World) -> usize {
    world.query_mut::<(&mut Tag<A>, &Tag<B>)>().count()
}

#[test]
fn instances_of_a_generic_component_are_told_apart_when_the_query_is_made() {
    let mut world = World::new();
    let tagged = world.spawn((Tag(1_u8), Tag(2_u16)));
    assert_eq!(count_tags::<u8, u16>(&mut world), 1);
    let aliases = catch_unwind(AssertUnwindSafe(|| count_tags::<u8, u8>(&mut world)));
    let message = *aliases.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("Tag<u8>"), "{message}");
    // Nothing stays borrowed, and existing borrows do not matter.
    assert_eq!(world.get::<Tag<u8>>(tagged).unwrap().0, 1);
    forget(world.view_mut::<Tag<u8>>());
    assert_eq!(count_tags::<u8, u16>(&mut world), 1);
}

#[test]
fn filters_by_other_entities_are_compared_with_the_data() {
    let mut world = World::new();
    let leader = world.spawn(Score(1));
    world.spawn((Health(1), Follows.to(leader)));
    let mut followers = world.query_filtered_mut::<&mut Health, Related<Follows, Changed<Score>>>();
    followers.for_each(|health| health.0 = 5);
    assert_eq!(followers.iter().collect::<Vec<_>>(), [&Health(5)]);
}
