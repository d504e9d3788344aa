//! Costs of saves and copies of parts, in worlds of `n` entities.

use ecs_core::data::{Cloner, Dangling, Loader, Prefab, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Targets};
use serde::{Deserialize, Serialize};

use crate::harness::{Row, Work};

pub(crate) const ROWS: &[Row] = &[
    Row::flat("save of one entity", 2_000, |n| {
        of_one(n, |world, one| drop(world.save().only([one]).to_vec()))
    }),
    Row::flat("save of one entity, with its id", 2_000, |n| {
        of_one(n, |world, one| {
            drop(world.save().only([one]).with_ids().to_vec());
        })
    }),
    Row::flat("save of one entity, as JSON", 2_000, |n| {
        of_one(n, |world, one| {
            drop(serde_json::to_string(&world.save().only([one])));
        })
    }),
    Row::flat("save of a tree", 2_000, |n| {
        of_one(n, |world, one| {
            drop(world.save().tree::<ChildOf>(one).to_vec());
        })
    }),
    Row::flat("save of those with a rare component", 2_000, |n| {
        of_one(n, |world, _| {
            drop(world.save().entities::<With<Rare>>().to_vec());
        })
    }),
    Row::flat("save of one entity, with keys of others", 2_000, |n| {
        of_one(n, |world, one| {
            let keys = |_| Some(1);
            drop(world.save().only([one]).map_ids(keys).to_vec());
        })
    }),
    Row::flat("prefab of a tree", 2_000, |n| {
        of_one(n, |world, one| {
            drop(Prefab::from_tree::<ChildOf>(world, one));
        })
    }),
    Row::flat("copy of one entity into another world", 2_000, |n| {
        of_one(n, |world, one| {
            let mut other = World::new();
            drop(Cloner::new().entities_into(world, [one], &mut other));
        })
    }),
    Row::flat("load of one entity beside others", 2_000, load_one),
    Row::flat("save of a parent with one of its children", 2_000, |n| {
        of_family(n, |world, pair| drop(world.save().only(pair).to_vec()))
    }),
    Row::flat(
        "save of a parent with one of its children, as JSON",
        2_000,
        |n| {
            of_family(n, |world, pair| {
                drop(serde_json::to_string(&world.save().only(pair)));
            })
        },
    ),
    Row::flat("save of one of many children", 2_000, |n| {
        of_family(n, |world, [_, child]| {
            let save = world.save().only([child]).dangling(Dangling::Dead);
            drop(save.to_vec());
        })
    }),
    Row::flat("copy of a parent with one of its children", 2_000, |n| {
        of_family(n, |world, pair| {
            let mut other = World::new();
            drop(Cloner::new().entities_into(world, pair, &mut other));
        })
    }),
    Row::linear("save of all entities", 500, |n| {
        of_one(n, |world, _| drop(world.save().to_vec()))
    }),
];

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "growth.number")]
struct Number(u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "growth.mark", storage = "sparse")]
struct Mark(Option<Entity>);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "growth.rare")]
struct Rare;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "growth.child_of", tree)]
struct ChildOf;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "growth.likes", many)]
struct Likes(u8);

/// Makes a world, and returns its last entity, which has a child and all kinds of components.
fn world(n: usize) -> (World, Entity) {
    let mut world = World::new();
    let all: Vec<Entity> = (0..n)
        .map(|i| world.spawn((Number(i as u32), Mark(None))))
        .collect();
    for pair in all.chunks_exact(2) {
        world
            .relate(pair[0], ChildOf, pair[1])
            .expect("it is a tree");
        world
            .relate(pair[1], Likes(1), pair[0])
            .expect("both are alive");
    }
    let root = world.spawn((Number(0), Rare));
    let child = world.spawn((Number(1), Mark(Some(root)), Rare));
    world.relate(child, ChildOf, root).expect("it is a tree");
    world.relate(root, Likes(1), child).expect("both are alive");
    world.relate(child, Likes(1), root).expect("both are alive");
    let one = world.spawn((Number(2), Mark(None), Rare));
    world.relate(one, ChildOf, child).expect("it is a tree");
    world
        .unrelate::<ChildOf>(one, child)
        .expect("it was related");
    (world, one)
}

fn of_one(n: usize, work: fn(&World, Entity)) -> Work {
    let (world, one) = world(n);
    work(&world, one);
    Box::new(move || work(&world, one))
}

/// Work on a parent with many children that many also like, and on the child in the middle.
fn of_family(n: usize, work: fn(&World, [Entity; 2])) -> Work {
    let mut world = World::new();
    let parent = world.spawn(Number(0));
    let mut children = Vec::new();
    for i in 0..n {
        let child = world.spawn((Number(i as u32), ChildOf.to(parent)));
        world
            .relate(child, Likes(1), parent)
            .expect("both are alive");
        children.push(child);
    }
    let pair = [parent, children[n / 2]];
    work(&world, pair);
    Box::new(move || work(&world, pair))
}

fn load_one(n: usize) -> Work {
    let (mut world, one) = world(n);
    let bytes = world.save().only([one]).to_vec().expect("it can be saved");
    let loader = Loader::new().with::<Sources<ChildOf>>();
    let loader = loader.with::<Targets<Likes>>();
    let mut load = move || {
        drop(
            loader
                .load_into(&mut world, &bytes[..])
                .expect("it can be loaded"),
        );
    };
    load();
    Box::new(load)
}
