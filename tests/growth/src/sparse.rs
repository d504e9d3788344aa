//! Costs of many sparse kinds when each entity has few of them. They grow with the values, not with kinds times entities:
//! each row has `n` kinds and 5 `n` entities with three values each.

use std::hint::black_box;

use ecs_core::component::ComponentId;
use ecs_core::data::Loader;
use ecs_core::dynamic::DynamicValue;
use ecs_core::prelude::*;

use crate::engine::defined;
use crate::harness::{Row, Work};

pub(crate) const ROWS: &[Row] = &[
    Row::linear("n sparse kinds, insert", KINDS, insert),
    Row::linear("n sparse kinds, clone", KINDS, clone),
    Row::linear("n sparse kinds, load", KINDS, load),
];

/// Enough that most indices of a kind are in its map, even for `n`.
const KINDS: usize = 200;

/// Each entity has three kinds in a row, so that each kind has its values all over the entities.
fn fill(world: &mut World, entities: &[Entity], kinds: &[ComponentId]) {
    for (number, &entity) in entities.iter().enumerate() {
        for next in 0..3 {
            let kind = kinds[(number * 7 + next) % kinds.len()];
            let value = DynamicValue::new(kind).unwrap();
            world.insert_dynamic(entity, value).unwrap();
        }
    }
}

fn world(n: usize) -> (World, Vec<Entity>, Vec<ComponentId>) {
    let kinds = defined(n);
    let mut world = World::new();
    let entities = world.spawn_batch((0..5 * n).map(|_| ())).to_vec();
    for &kind in &kinds {
        world.register_erased(kind);
    }
    (world, entities, kinds)
}

fn full(n: usize) -> World {
    let (mut world, entities, kinds) = world(n);
    fill(&mut world, &entities, &kinds);
    world
}

fn insert(n: usize) -> Work {
    let (mut world, entities, kinds) = world(n);
    Box::new(move || fill(&mut world, &entities, &kinds))
}

fn clone(n: usize) -> Work {
    let world = full(n);
    Box::new(move || drop(black_box(world.try_clone().unwrap())))
}

fn load(n: usize) -> Work {
    let world = full(n);
    let bytes = world.save().to_vec().unwrap();
    let loader = Loader::new().types_of(&world);
    Box::new(move || drop(black_box(loader.load(&bytes[..]).unwrap())))
}
