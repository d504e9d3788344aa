//! Costs of worlds as data.

use std::hint::black_box;

use ecs_core::data::{TextPlace, TextQuery};
use ecs_core::dynamic::{DynamicComponent, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use ecs_core::tree::Name;
use serde::{Deserialize, Serialize};

use crate::harness::{Row, Work};

pub(crate) const ROWS: &[Row] = &[
    Row::flat("get_by_name among n names", 100, get_by_name),
    Row::flat("insert_by_name among n names", 100, insert_by_name),
    Row::linear("text query with a condition", 1_000, text_query),
    Row::flat(
        "count of a text query without values",
        1_000,
        count_without_values,
    ),
    Row::flat("part of a text query", 1_000, part_of_text_query),
    Row::flat(
        "text query beside a long list",
        1_000,
        text_query_beside_list,
    ),
];

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "growth.pack")]
struct Pack {
    level: u32,
    items: Vec<u32>,
}

/// A world that knows `n` names of components, and an entity with a value of the last one.
fn world_of_names(n: usize) -> (World, Entity, String) {
    let mut world = World::new();
    let mut last = None;
    let known = world.registered_components().len();
    for number in known..n {
        let name = format!("growth.name{n}_{number}");
        let component = DynamicComponent::new(&name).field("x", FieldKind::F32);
        let component = component.register().unwrap();
        world.register_erased(component);
        last = Some((component, name));
    }
    let (component, name) = last.unwrap();
    let entity = world.spawn(());
    let value = DynamicValue::new(component).unwrap();
    world.insert_dynamic(entity, value).unwrap();
    (world, entity, name)
}

fn get_by_name(n: usize) -> Work {
    let (world, entity, name) = world_of_names(n);
    let get = move || drop(black_box(world.get_by_name(entity, &name).unwrap()));
    get();
    Box::new(move || (0..20).for_each(|_| get()))
}

fn insert_by_name(n: usize) -> Work {
    let (mut world, entity, name) = world_of_names(n);
    let value = world.get_by_name(entity, &name).unwrap().unwrap();
    Box::new(move || {
        for _ in 0..20 {
            world.insert_by_name(entity, &name, &value).unwrap();
        }
    })
}

fn text_query(n: usize) -> Work {
    let mut world = World::new();
    world.spawn_batch((0..n as u32).map(|level| Pack {
        level,
        items: vec![level],
    }));
    let query = TextQuery::new(&world, "growth.pack.level < 10").unwrap();
    Box::new(move || assert_eq!(query.matches(&world).unwrap().iter().count(), 10))
}

/// All of a table match, or none.
fn count_without_values(n: usize) -> Work {
    let mut world = World::new();
    world.spawn_batch((0..n as u32).map(|level| Pack {
        level,
        items: Vec::new(),
    }));
    world.spawn_batch((0..n).map(|_| Name::new("other")));
    let text = "growth.pack || !(ecs.name && growth.pack.level < 3)";
    let query = TextQuery::new(&world, text).unwrap();
    Box::new(move || assert_eq!(query.matches(&world).unwrap().count(), 2 * n))
}

/// The last rows of a walk do not cost more than the first ones.
fn part_of_text_query(n: usize) -> Work {
    let mut world = World::new();
    world.spawn_batch((0..n as u32).map(|level| Pack {
        level,
        items: Vec::new(),
    }));
    let query = TextQuery::new(&world, "growth.pack.level < 10000").unwrap();
    let place = {
        let matches = query.matches(&world).unwrap();
        let mut walk = matches.resume(&TextPlace::START, n - 100);
        assert_eq!(walk.by_ref().count(), n - 100);
        walk.place().unwrap()
    };
    Box::new(move || {
        let matches = query.matches(&world).unwrap();
        assert_eq!(matches.resume(&place, usize::MAX).count(), 100);
    })
}

/// The condition does not look at the list.
fn text_query_beside_list(n: usize) -> Work {
    let mut world = World::new();
    world.spawn_batch((0..100).map(|level| Pack {
        level,
        items: vec![level; n],
    }));
    let query = TextQuery::new(&world, "growth.pack.level < 10").unwrap();
    Box::new(move || assert_eq!(query.matches(&world).unwrap().iter().count(), 10))
}
