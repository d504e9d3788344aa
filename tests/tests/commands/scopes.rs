//! Resources and components that are taken out of a world for the duration of a call.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::world::TakeError;
use ecs_core::world::hooks::{OnInsert, OnRemove};

#[derive(Resource, Debug, PartialEq)]
struct Score(u32);

#[derive(Component, Debug, PartialEq)]
#[component(track)]
struct Bag(Vec<u32>);

#[derive(Component, Debug, PartialEq)]
struct Place(u32);

#[test]
fn a_resource_is_out_of_the_world_within_its_scope() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let spawned = world.scope(|world, score: &mut Score| {
        assert!(!world.contains_resource::<Score>());
        score.0 += 1;
        world.spawn(Place(score.0))
    });
    assert_eq!(world.get::<Place>(spawned).unwrap().0, 2);
    assert_eq!(*world.resource::<Score>(), Score(2));
    assert_eq!(world.try_scope(|_, name: &mut String| name.len()), None);
    let message = catch_unwind(AssertUnwindSafe(|| world.scope(|_, _: &mut String| ())));
    let message = message.unwrap_err().downcast::<String>().unwrap();
    assert!(
        message.contains("no resource `alloc::string::String`"),
        "{message}"
    );
}

#[test]
fn a_resource_goes_back_over_what_was_inserted_and_after_panics() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    world.scope(|world, score: &mut Score| {
        world.insert_resource(Score(9));
        score.0 = 3;
    });
    assert_eq!(*world.resource::<Score>(), Score(3));
    let result = catch_unwind(AssertUnwindSafe(|| {
        world.scope(|_, score: &mut Score| {
            score.0 = 4;
            panic!("within the scope");
        })
    }));
    assert!(result.is_err());
    assert_eq!(*world.resource::<Score>(), Score(4));
    // A world that replaced the first one receives it.
    let mut other = World::new();
    world.scope(|world, score: &mut Score| {
        std::mem::swap(world, &mut other);
        score.0 = 5;
    });
    assert_eq!(*world.resource::<Score>(), Score(5));
    assert!(!other.contains_resource::<Score>());
}

#[test]
fn components_are_out_of_their_entity_within_their_scope() {
    let mut world = World::new();
    let hero = world.spawn((Bag(vec![1, 2]), Place(7)));
    let tick = world.tick();
    let sum = world.scope_of(hero, |world, (bag, place): &mut (Bag, Place)| {
        assert!(!world.has::<Bag>(hero) && !world.has::<Place>(hero));
        world.insert(hero, Place(1)).unwrap();
        place.0 += 1;
        bag.0.drain(..).sum::<u32>()
    });
    assert_eq!(sum, Ok(3));
    assert_eq!(*world.get::<Place>(hero).unwrap(), Place(8));
    assert_eq!(*world.get::<Bag>(hero).unwrap(), Bag(vec![]));
    assert_eq!(
        world
            .query_filtered::<Entity, Added<Bag>>()
            .since(tick)
            .count(),
        1
    );

    let result = catch_unwind(AssertUnwindSafe(|| {
        world.scope_of(hero, |_, bag: &mut Bag| {
            bag.0.push(4);
            panic!("within the scope");
        })
    }));
    assert!(result.is_err());
    assert_eq!(*world.get::<Bag>(hero).unwrap(), Bag(vec![4]));

    assert_eq!(
        world.scope_of(hero, |world, _: &mut Bag| world.despawn(hero)),
        Ok(Ok(()))
    );
    assert!(!world.contains(hero));
    let gone = world.scope_of(hero, |_, _: &mut Bag| ());
    assert!(matches!(gone, Err(TakeError::NoSuchEntity(_))), "{gone:?}");
    world.check_invariants();
}

#[test]
fn a_scope_of_a_component_is_a_removal_and_an_insertion() {
    let mut world = World::new();
    world.insert_resource(Vec::<&str>::new());
    world.observe(|_: OnRemove<Bag>, mut log: ResMut<Vec<&'static str>>| log.push("remove"));
    world.observe(|_: OnInsert<Bag>, mut log: ResMut<Vec<&'static str>>| log.push("insert"));
    let hero = world.spawn(Bag(vec![]));
    world
        .scope_of(hero, |world, _: &mut Bag| {
            world.resource_mut::<Vec<&str>>().push("scope");
        })
        .unwrap();
    assert_eq!(
        *world.resource::<Vec<&str>>(),
        ["insert", "remove", "scope", "insert"]
    );
}
