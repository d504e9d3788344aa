//! Changes of many unique values at once that fail on the way: no value becomes free by them.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::data::Loader;
use ecs_core::prelude::*;
use ecs_core::world::hooks::DeferredWorld;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[component(unique, data = "edited.name", on_insert = Name::given)]
struct Name(u8);

#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[component(unique, data = "edited.seat")]
struct Seat(u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "edited.charged", require(Fuse))]
struct Charged;

#[derive(Component)]
struct Fuse;

thread_local! {
    /// True if a default value panics.
    static IS_DAMP: Cell<bool> = const { Cell::new(false) };
    /// The entity that gets a name by the hook of the next one.
    static THIEF: Cell<Option<(Entity, u8)>> = const { Cell::new(None) };
}

impl Default for Fuse {
    fn default() -> Self {
        assert!(!IS_DAMP.get(), "the fuse is damp");
        Self
    }
}

impl Name {
    fn given(mut world: DeferredWorld, _: Entity) {
        if let Some((thief, name)) = THIEF.take() {
            world.commands().insert(thief, Name(name));
        }
    }
}

/// A world with the names 1 and 2 and an entity without one.
fn named() -> (World, [Entity; 3]) {
    let mut world = World::new();
    let entities = [Some(Name(1)), Some(Name(2)), None].map(|name| world.spawn(name));
    (world, entities)
}

/// The difference that a change makes.
fn difference(world: &World, change: impl FnOnce(&mut World)) -> ecs_core::data::Diff {
    let mut changed = world.try_clone().unwrap();
    change(&mut changed);
    world.diff(&changed).unwrap()
}

fn swap(world: &mut World, one: Entity, two: Entity) {
    world.remove::<Name>(two).unwrap();
    world.insert(one, Name(2)).unwrap();
    world.insert(two, Name(1)).unwrap();
}

#[test]
fn a_difference_that_is_refused_frees_no_value_for_the_next_one() {
    let (mut world, [one, two, three]) = named();
    let swapped = difference(&world, |world| {
        swap(world, one, two);
        world.insert(three, Seat(5)).unwrap();
    });
    let mut without = world.try_clone().unwrap();
    without.remove::<Name>(one).unwrap();
    let named_again = difference(&without, |world| world.insert(three, Name(1)).unwrap());

    let guest = world.spawn(Seat(5));
    assert!(swapped.apply(&mut world).is_err(), "the seat is taken");
    assert!(named_again.apply(&mut world).is_err(), "the name is taken");
    assert!(world.try_insert(three, Name(2)).is_err());
    world.despawn(guest).unwrap();
    swapped.apply(&mut world).unwrap();
    assert_eq!(*world.get::<Name>(one).unwrap(), Name(2));
}

#[test]
fn a_load_that_panics_frees_no_value() {
    let (mut world, [one, ..]) = named();
    world.insert(one, Charged).unwrap();
    let mut file = Vec::new();
    world.save().to_writer(&mut file).unwrap();
    IS_DAMP.set(true);
    let loader = Loader::new().replacing::<With<Name>>();
    let load = catch_unwind(AssertUnwindSafe(|| loader.load_into(&mut world, &*file)));
    IS_DAMP.set(false);
    assert!(load.is_err());
    assert_eq!(*world.get::<Name>(one).unwrap(), Name(1));
    for name in [1, 2] {
        assert!(world.try_spawn(Name(name)).is_err(), "{name} is taken");
    }
}

/// The edit was checked as a whole, and then a hook takes one of its values.
#[test]
fn a_value_that_a_hook_takes_during_a_difference_is_a_panic_and_not_lost() {
    let (mut world, [one, two, three]) = named();
    let swapped = difference(&world, |world| swap(world, one, two));
    THIEF.set(Some((three, 1)));
    let applied = catch_unwind(AssertUnwindSafe(|| swapped.apply_with_hooks(&mut world)));
    let mut names: Vec<u8> = world.query::<&Name>().iter().map(|name| name.0).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "no two entities have a name");
    assert!(applied.is_err(), "the value that was not inserted is named");
}
