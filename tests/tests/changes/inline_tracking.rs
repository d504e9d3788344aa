//! `system!` on a `World` with tracked components: only written values count as changed.

use ecs_core::component::TrackedComponent;
use ecs_core::prelude::*;
use ecs_core::statics::system;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(track)]
struct Health(i32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(track, storage = "sparse")]
enum Mood {
    Calm,
    Angry,
}

/// An untracked component.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Position(i32);

fn world() -> (World, [Entity; 3]) {
    let mut world = World::new();
    let a = world.spawn((Health(1), Position(1)));
    let b = world.spawn((Health(5), Position(5), Mood::Calm));
    let c = world.spawn((Health(9), Position(9), Mood::Angry));
    (world, [a, b, c])
}

/// Returns the entities whose `T` changed while `f` ran.
fn changed<T: TrackedComponent>(world: &World, f: impl FnOnce(&World)) -> Vec<Entity> {
    let since = world.tick();
    f(world);
    let query = world.query_filtered::<Entity, Changed<T>>().since(since);
    let mut changed: Vec<Entity> = query.iter().collect();
    changed.sort();
    changed
}

#[test]
fn only_what_is_written_through_counts_as_changed() {
    let (world, [a, b, c]) = world();
    let changed = changed::<Health>(&world, |world| {
        system!(world, |health: &mut Health, position: &mut Position| {
            if health.0 > 4 {
                health.0 -= 1;
            }
            position.0 += health.0;
        });
    });
    assert_eq!(changed, [b, c]);
    let health = [a, b, c].map(|e| world.get::<Health>(e).unwrap().0);
    assert_eq!(health, [1, 4, 8]);
    let positions = [a, b, c].map(|e| world.get::<Position>(e).unwrap().0);
    assert_eq!(positions, [2, 9, 17]);
}

#[test]
fn values_that_are_only_read_do_not_count_as_changed() {
    let (world, _) = world();
    let changed = changed::<Health>(&world, |world| {
        let (mut sum, mut angry) = (0, 0);
        system!(world, |health: &mut Health, mood: Option<&mut Mood>| {
            sum += health.0;
            angry += usize::from(mood.is_some_and(|mood| *mood == Mood::Angry));
        });
        system!(world, |_, _: &mut Health| sum += 1);
        assert_eq!((sum, angry), (18, 1));
    });
    assert!(changed.is_empty());
}

#[test]
fn a_value_is_replaced_through_its_name() {
    let (world, [_, b, c]) = world();
    let changed = changed::<Mood>(&world, |world| {
        system!(world, |mood: &mut Mood, health: &Health| match *mood {
            Mood::Calm if health.0 < 8 => *mood = Mood::Angry,
            _ => {}
        });
    });
    assert_eq!(changed, [b]);
    for entity in [b, c] {
        assert_eq!(*world.get::<Mood>(entity).unwrap(), Mood::Angry);
    }
}

/// A tracked component as an untracked pattern.
fn heal(Health(health): &mut Health) {
    *health += 1;
}

#[test]
fn values_passed_on_as_mutable_references_count_as_changed() {
    let (world, [a, b, c]) = world();
    let changed = changed::<Health>(&world, |world| {
        system!(world, |entity,
                        health: &mut Health,
                        position: &mut Position| {
            if entity != a {
                heal(&mut health);
            }
            core::mem::swap(&mut health.bypass().0, &mut position.0);
        });
    });
    assert_eq!(changed, [b, c]);
    let health = [a, b, c].map(|e| world.get::<Health>(e).unwrap().0);
    assert_eq!(health, [1, 5, 9]);
}

#[test]
fn destructured_values_are_references_and_count_as_changed() {
    let (world, all) = world();
    let positions = |world: &World| all.map(|e| world.get::<Position>(e).unwrap().0);
    let changed = changed::<Health>(&world, |world| {
        system!(
            world,
            |Health(health): &mut Health, Position(position): &mut Position| {
                core::mem::swap(health, position);
            }
        );
    });
    assert_eq!((changed, positions(&world)), (all.to_vec(), [1, 5, 9]));
}

#[test]
fn an_option_is_written_through_its_name() {
    let (world, [_, b, c]) = world();
    let changed = changed::<Mood>(&world, |world| {
        system!(world, |entity, mood: Option<&mut Mood>| {
            if let Some(mood) = &mut mood
                && entity == c
            {
                **mood = Mood::Calm;
            }
        });
        system!(world, |entity, mood: Option<&mut Mood>| {
            if entity == b {
                *mood.as_deref_mut().unwrap() = Mood::Angry;
            }
        });
    });
    assert_eq!(changed, [b, c]);
    let moods = [b, c].map(|e| *world.get::<Mood>(e).unwrap());
    assert_eq!(moods, [Mood::Angry, Mood::Calm]);
}

/// A world that is not a place expression, and patterns that a `macro_rules!` produces.
#[test]
fn macros_pass_names_on() {
    macro_rules! hurt {
        ($world:expr, $name:pat, $ty:ty, $change:expr) => {
            system!($world, |$name: &mut $ty| $change)
        };
    }
    let (world, all) = world();
    let changed = changed::<Health>(&world, |world| {
        hurt!(core::convert::identity(world), health, Health, {
            if health.0 == 1 {
                health.0 = 0;
            }
        });
    });
    assert_eq!(changed, all[..1]);
}

#[test]
fn a_system_that_returns_new_values_changes_only_the_visited_entities() {
    let (world, [a, b, c]) = world();
    let health = |world: &World| [a, b, c].map(|e| world.get::<Health>(e).unwrap().0);
    let visited = changed::<Health>(&world, |world| {
        system!(world, |old: Health, mood: &Mood| -> Health {
            Health(old.0 + i32::from(*mood == Mood::Angry))
        });
    });
    assert_eq!((visited, health(&world)), (vec![b, c], [1, 5, 10]));
    // A tracked component that is only read does not change.
    let read = changed::<Mood>(&world, |world| {
        system!(world, |old: Health,
                        mood: Option<&Mood>,
                        position: Position|
         -> (Health, Position) {
            let _ = mood;
            (Health(position.0), Position(old.0))
        });
    });
    assert_eq!((read, health(&world)), (vec![], [1, 5, 9]));
    let all = changed::<Health>(&world, |world| {
        system!(world, |Health(old): Health| -> Health { Health(old * 2) });
    });
    assert_eq!((all, health(&world)), (vec![a, b, c], [2, 10, 18]));
}
