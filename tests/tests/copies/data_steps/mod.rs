//! Random changes of worlds whose components are data, for the tests of hashes and of differences.

use std::collections::{BTreeMap, HashMap};

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "place")]
pub(crate) struct Place(pub(crate) f32, pub(crate) i8);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "text", track)]
pub(crate) struct Text(pub(crate) String, pub(crate) Option<Entity>);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "fast", storage = "sparse")]
pub(crate) struct Fast(pub(crate) u16);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "marked")]
pub(crate) struct Marked;

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "bag")]
pub(crate) struct Bag(pub(crate) HashMap<u16, HashMap<String, u8>>);

/// Has no form without the names of its fields.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "shape")]
#[serde(untagged)]
pub(crate) enum Shape {
    Round { radius: u8, holes: HashMap<u8, u8> },
    Flat(u16),
}

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "child_of", tree)]
pub(crate) struct ChildOf;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "likes", many)]
pub(crate) struct Likes(pub(crate) u8);

#[derive(Component)]
pub(crate) struct Sprite;

/// Describes everything in a world that its hash depends on, by entity.
pub(crate) fn model(world: &World) -> BTreeMap<Entity, String> {
    let mut model = BTreeMap::new();
    for entity in &world.query::<Entity>() {
        let handle = world.entity(entity).unwrap();
        let parts = (
            handle
                .get::<Place>()
                .map(|place| (place.0.to_bits(), place.1)),
            handle.get::<Text>().map(|text| text.clone()),
            handle.get::<Fast>().map(|fast| *fast),
            handle.has::<Marked>(),
            handle
                .get::<Target<ChildOf>>()
                .map(|target| target.entity()),
            handle
                .get::<Sources<ChildOf>>()
                .map(|sources| Vec::from_iter(sources.iter())),
            handle.get::<Targets<Likes>>().map(|targets| {
                let edges = targets.iter().map(|edge| format!("{edge:?}"));
                edges.collect::<Vec<_>>()
            }),
            handle
                .get::<Sources<Likes>>()
                .map(|sources| Vec::from_iter(sources.iter())),
        );
        model.insert(entity, format!("{parts:?}"));
    }
    model
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Spawn,
    Despawn(usize),
    Place(usize, u8),
    Text(usize, u8, usize),
    Fast(usize, u8),
    Mark(usize),
    Remove(usize, u8),
    Child(usize, usize),
    Like(usize, usize, u8),
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let at = || 0_usize..4;
    prop_oneof![
        2 => Just(Step::Spawn),
        1 => at().prop_map(Step::Despawn),
        2 => (at(), 0_u8..3).prop_map(|(at, n)| Step::Place(at, n)),
        2 => (at(), 0_u8..3, at()).prop_map(|(at, n, other)| Step::Text(at, n, other)),
        2 => (at(), 0_u8..3).prop_map(|(at, n)| Step::Fast(at, n)),
        1 => at().prop_map(Step::Mark),
        3 => (at(), 0_u8..6).prop_map(|(at, n)| Step::Remove(at, n)),
        2 => (at(), at()).prop_map(|(at, other)| Step::Child(at, other)),
        2 => (at(), at(), 0_u8..2).prop_map(|(at, other, n)| Step::Like(at, other, n)),
    ]
}

pub(crate) fn apply(world: &mut World, step: &Step) {
    let mut entities = Vec::from_iter(&world.query::<Entity>());
    entities.sort_unstable();
    let at = |at: usize| entities.get(at).copied();
    match *step {
        Step::Spawn if entities.len() < 4 => _ = world.spawn(()),
        Step::Spawn => {}
        Step::Despawn(e) => _ = at(e).map(|e| world.despawn(e)),
        Step::Place(e, n) => _ = at(e).map(|e| world.insert(e, Place(n.into(), 1))),
        Step::Text(e, n, other) => {
            _ = at(e).map(|e| world.insert(e, Text("x".repeat(n.into()), at(other))));
        }
        Step::Fast(e, n) => _ = at(e).map(|e| world.insert(e, Fast(n.into()))),
        Step::Mark(e) => _ = at(e).map(|e| world.insert(e, Marked)),
        Step::Remove(e, n) => {
            let Some(e) = at(e) else { return };
            match n {
                0 => _ = world.remove::<Place>(e),
                1 => _ = world.remove::<Text>(e),
                2 => _ = world.remove::<Fast>(e),
                3 => _ = world.remove::<Marked>(e),
                4 => _ = world.remove::<Target<ChildOf>>(e),
                _ => _ = world.remove::<Targets<Likes>>(e),
            }
        }
        Step::Child(e, other) => {
            if let (Some(e), Some(other)) = (at(e), at(other)) {
                // An error if it would close a cycle.
                _ = world.relate(other, ChildOf, e);
            }
        }
        Step::Like(e, other, n) => {
            if let (Some(e), Some(other)) = (at(e), at(other))
                && e != other
            {
                _ = world.insert(e, Likes(n).to(other));
            }
        }
    }
}

pub(crate) fn run(steps: &[Step]) -> World {
    let mut world = World::new();
    for step in steps {
        apply(&mut world, step);
    }
    world
}

/// Like [`run`], but in a world that is full from the beginning.
#[allow(dead_code, reason = "hashes begin with empty worlds")]
pub(crate) fn run_full(steps: &[Step]) -> World {
    let spawns = std::iter::repeat_n(Step::Spawn, 4);
    run(&Vec::from_iter(spawns.chain(steps.iter().cloned())))
}
