//! Batches have the same result as single insertions and removals, one after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::world::hooks::{DeferredWorld, OnAdd, OnRemove};
use proptest::prelude::*;

#[derive(Component, Clone, Debug, PartialEq)]
struct Plain(u32);
#[derive(Component, Clone, Debug, PartialEq)]
struct Text(String);
#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse", track)]
struct Loose(u32);

#[derive(Resource, Default)]
struct Calls(Vec<(&'static str, Entity)>);

/// Entities of several tables, some of them despawned.
fn world(kinds: &[u8]) -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.insert_resource(Calls::default());
    let spawn = |kind: &u8| match kind % 5 {
        0 => world.spawn(Plain(7)),
        1 => world.spawn(Text("old".into())),
        2 => world.spawn((Plain(8), Loose(1))),
        3 => world.spawn_empty(),
        _ => {
            let entity = world.spawn(Plain(9));
            world.despawn(entity).unwrap();
            entity
        }
    };
    let all = kinds.iter().map(spawn).collect();
    world.observe(|event: OnAdd<Loose>, world: DeferredWorld| {
        let mut calls = world.resource_mut::<Calls>();
        calls.0.push(("added", event.entity()));
    });
    world.observe(|event: OnRemove<Loose>, world: DeferredWorld| {
        let mut calls = world.resource_mut::<Calls>();
        calls.0.push(("removed", event.entity()));
    });
    (world, all)
}

type Values = (Entity, Option<Plain>, Option<Text>, Option<Loose>);

/// All values in the order of rows, and the calls of observers.
fn state(world: &World) -> (Vec<Values>, Vec<(&'static str, Entity)>) {
    let query = world.query::<(Entity, Option<&Plain>, Option<&Text>, Option<&Loose>)>();
    let values = query.iter();
    let values = values.map(|(e, p, t, l)| (e, p.cloned(), t.cloned(), l.cloned()));
    (values.collect(), world.resource::<Calls>().0.clone())
}

proptest! {
    #[test]
    fn batches_equal_single_changes(
        kinds in proptest::collection::vec(any::<u8>(), 1..30),
        picks in proptest::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let (mut batched, all) = world(&kinds);
        let (mut single, same) = world(&kinds);
        prop_assert_eq!(&all, &same);
        let list: Vec<Entity> = picks.iter().map(|pick| *pick.get(&all)).collect();

        let plain = list.iter().zip(0..).map(|(&entity, n)| (entity, Plain(n)));
        let inserted = plain.clone().map(|(entity, value)| single.insert(entity, value).is_ok());
        let alive = inserted.filter(|&is_alive| is_alive).count();
        prop_assert_eq!(batched.insert_batch(plain), alive);
        prop_assert_eq!(state(&batched), state(&single));

        let mixed = list.iter().zip(0..).map(|(&entity, n)| (entity, (Text(n.to_string()), Loose(n))));
        for (entity, bundle) in mixed.clone() {
            let _ = single.insert(entity, bundle);
        }
        prop_assert_eq!(batched.insert_batch(mixed), alive);
        prop_assert_eq!(state(&batched), state(&single));

        let half = &list[list.len() / 2..];
        let alive = half.iter().filter(|&&entity| single.remove::<(Plain, Loose)>(entity).is_ok()).count();
        prop_assert_eq!(batched.remove_batch::<(Plain, Loose)>(half.iter().copied()), alive);
        prop_assert_eq!(state(&batched), state(&single));
        batched.check_invariants();
    }
}

#[test]
fn a_batch_that_names_missing_entities_lists_them_and_changes_nothing() {
    let (mut world, all) = world(&[0, 4, 2, 4]);
    let before = state(&world);
    let error = world.try_insert_batch(all.iter().map(|&entity| (entity, Loose(5))));
    assert_eq!(error.unwrap_err().entities, [all[1], all[3]]);
    let error = world
        .try_remove_batch::<Plain>(all.iter().copied())
        .unwrap_err();
    assert_eq!(error.entities, [all[1], all[3]]);
    assert!(
        error
            .to_string()
            .starts_with("2 of the entities do not exist: "),
        "{error}"
    );
    assert_eq!(state(&world), before);
    world.try_remove_batch::<Plain>([all[0], all[2]]).unwrap();
    assert_eq!(world.query::<&Plain>().iter().count(), 0);
}

#[test]
fn an_iterator_that_panics_changes_nothing() {
    let (mut world, all) = world(&[0, 2]);
    let before = state(&world);
    let bundles = all.iter().map(|&entity| {
        assert_ne!(entity, all[1], "the second one");
        (entity, Loose(5))
    });
    catch_unwind(AssertUnwindSafe(|| world.insert_batch(bundles))).unwrap_err();
    assert_eq!(state(&world), before);
}

#[test]
fn batches_are_commands() {
    #[system]
    fn change(all: Res<Vec<Entity>>, mut commands: Commands) {
        let all = all.clone();
        let new = commands.spawn_empty().id();
        let first = all[0];
        commands.insert_batch([all[0], all[2], new].map(|entity| (entity, Loose(3))));
        commands.remove_batch::<Plain>([first]);
        commands.despawn_batch(all.into_iter().skip(2));
    }
    let (mut world, all) = world(&[0, 1, 2]);
    world.insert_resource(all.clone());
    world.run(change);
    assert!(world.has::<Loose>(all[0]) && !world.has::<Plain>(all[0]));
    assert!(!world.contains(all[2]));
    assert_eq!(world.query::<&Loose>().iter().count(), 2);
}
