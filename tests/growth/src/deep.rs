//! Costs of chains: each entity is the child of the one before, and no operation takes a stack frame per generation.

use ecs_core::data::{Cloner, Diff, Differ, Loader, Prefab, Undo, Value, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::{Target, Targets};
use ecs_core::snapshot::Snapshotter;
use ecs_core::tree::ChildOf;
use serde::{Deserialize, Serialize};

use crate::harness::{Row, Work};

/// The second relation of a chain: a source may have several targets, and is despawned with any of them.
#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "deep.link", many, sources = "despawn")]
struct Link(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "deep.place", track)]
struct Place(u32);

/// Entities that are each related to the one before, in two relations.
struct Chain {
    world: World,
    all: Vec<Entity>,
}

type Action = fn(&mut Chain);

/// The actions on a chain.
const ACTIONS: &[(&str, Action)] = &[
    ("despawn the root", |chain| {
        chain.world.despawn(chain.all[0]).unwrap();
        assert_eq!(count(&chain.world), 0);
    }),
    ("despawn the root by a command", |chain| {
        let root = chain.all[0];
        let despawn = move |mut commands: Commands| commands.despawn(root);
        chain.world.run(despawn);
        assert_eq!(count(&chain.world), 0);
    }),
    ("despawn all, from the last on", |chain| {
        let all = chain.all.iter().rev().copied();
        chain.world.despawn_batch(all);
    }),
    ("walk down and up", |chain| {
        let (first, last) = (chain.all[0], *chain.all.last().unwrap());
        let n = chain.all.len() - 1;
        assert_eq!(chain.world.descendants::<ChildOf>(first).count(), n);
        assert_eq!(chain.world.ancestors::<ChildOf>(last).count(), n);
    }),
    ("unrelate, and relate to the last", |chain| {
        let (first, second) = (chain.all[0], chain.all[1]);
        let last = *chain.all.last().unwrap();
        chain.world.remove::<Target<ChildOf>>(second).unwrap();
        chain.world.relate(first, ChildOf, last).unwrap();
        chain.world.relate(second, ChildOf, first).unwrap_err();
    }),
    ("clone the tree", |chain| {
        chain.world.clone_tree::<ChildOf>(chain.all[0]).unwrap();
        assert_eq!(count(&chain.world), 2 * chain.all.len());
    }),
    ("clone the world", |chain| {
        let copy = chain.world.try_clone().unwrap();
        assert_eq!(copy.hash().unwrap(), chain.world.hash().unwrap());
    }),
    ("clone into another world", |chain| {
        let (world, root) = (&chain.world, chain.all[0]);
        let mut other = World::new();
        Cloner::new()
            .tree_into::<ChildOf>(world, root, &mut other)
            .unwrap();
        assert_eq!(count(&other), chain.all.len());
    }),
    ("prefab", |chain| {
        let prefab = Prefab::from_tree::<ChildOf>(&chain.world, chain.all[0]).unwrap();
        let mut other = World::new();
        prefab.spawn(&mut other).unwrap();
        assert_eq!(count(&other), chain.all.len());
    }),
    ("save and load", |chain| {
        let bytes = chain.world.save().to_vec().unwrap();
        load(chain, |loader, world| {
            _ = loader.load_into(world, &bytes[..]).unwrap();
        });
    }),
    ("save and load a tree", |chain| {
        let save = chain.world.save().tree::<ChildOf>(chain.all[0]);
        let bytes = save.to_vec().unwrap();
        load(chain, |loader, world| {
            _ = loader.load_into(world, &bytes[..]).unwrap();
        });
    }),
    ("save and load JSON", |chain| {
        let text = serde_json::to_string(&chain.world.save()).unwrap();
        load(chain, |loader, world| {
            let format = &mut serde_json::Deserializer::from_str(&text);
            _ = loader.deserialize(world, format).unwrap();
        });
    }),
    ("differences, there and back", |chain| {
        let mut before = World::new();
        let diff = before.diff(&chain.world).unwrap();
        let diff = Diff::from_slice(&diff.to_vec().unwrap()).unwrap();
        diff.apply(&mut before).unwrap();
        assert_eq!(before.hash().unwrap(), chain.world.hash().unwrap());
        let gone = diff.reversed();
        gone.apply(&mut before).unwrap();
        assert_eq!(count(&before), 0);
        assert!(diff.then(&gone).unwrap().is_empty());
        _ = gone.to_string();
    }),
    ("a chain that turns round", |chain| {
        let mut other = chain.world.try_clone().unwrap();
        let all = &chain.all;
        for &entity in all {
            other.remove::<Target<ChildOf>>(entity).unwrap();
        }
        for pair in all.windows(2) {
            other.relate(pair[0], ChildOf, pair[1]).unwrap();
        }
        let diff = Differ::new().between(&chain.world, &other).unwrap();
        diff.apply(&mut chain.world).unwrap();
        assert_eq!(chain.world.hash().unwrap(), other.hash().unwrap());
    }),
    ("undo and redo", |chain| {
        let root = chain.all[0];
        let mut undo = Undo::new(2);
        undo.record(&mut chain.world, |world| world.despawn(root).unwrap())
            .unwrap();
        undo.undo(&mut chain.world).unwrap();
        assert_eq!(count(&chain.world), chain.all.len());
        undo.redo(&mut chain.world).unwrap();
    }),
    ("snapshot and restore", |chain| {
        let snapshotter = Snapshotter::new();
        let mut snapshot = snapshotter.take(&mut chain.world).unwrap();
        chain.world.despawn(chain.all[0]).unwrap();
        snapshotter
            .restore(&mut chain.world, &mut snapshot)
            .unwrap();
        assert_eq!(count(&chain.world), chain.all.len());
    }),
    ("snapshot and restore some", |chain| {
        let snapshotter = Snapshotter::new().entities::<With<Place>>();
        let mut snapshot = snapshotter.take(&mut chain.world).unwrap();
        chain.world.despawn(chain.all[0]).unwrap();
        snapshotter
            .restore(&mut chain.world, &mut snapshot)
            .unwrap();
        assert_eq!(count(&chain.world), chain.all.len());
    }),
    ("drop the world", |chain| {
        drop(std::mem::take(&mut chain.world));
    }),
];

fn count(world: &World) -> usize {
    world.query::<Entity>().count()
}

fn load(chain: &Chain, load: impl FnOnce(&Loader, &mut World)) {
    let loader = Loader::new().with::<Place>().with::<Targets<Link>>();
    let mut other = World::new();
    load(&loader, &mut other);
    assert_eq!(count(&other), chain.all.len());
}

/// Makes a chain, whose last entity is spawned first if it is `upwards`.
fn chain(n: usize, upwards: bool) -> Chain {
    let mut world = World::new();
    let mut all: Vec<Entity> = (0..n as u32).map(|i| world.spawn(Place(i))).collect();
    if upwards {
        all.reverse();
    }
    for pair in all.windows(2) {
        world.relate(pair[1], ChildOf, pair[0]).unwrap();
        world.relate(pair[1], Link(1), pair[0]).unwrap();
    }
    Chain { world, all }
}

fn work(n: usize, action: Action) -> Work {
    let mut chain = chain(n, n.is_multiple_of(2));
    Box::new(move || action(&mut chain))
}

/// A difference that removes a chain and adds others.
fn replace(n: usize) -> Work {
    let Chain { world, all } = chain(n, false);
    let mut other = world.try_clone().unwrap();
    for _ in 0..n {
        other.spawn(Place(0));
    }
    other.despawn(all[0]).unwrap();
    let diff = world.diff(&other).unwrap();
    let mut world = world;
    Box::new(move || diff.apply(&mut world).unwrap())
}

macro_rules! rows {
    ($($number:literal $name:literal,)*) => {
        &[
            Row::linear("chain, replaced by a difference", 500, replace),
            $(Row::linear($name, 120, |n| work(n, ACTIONS[$number].1)),)*
        ]
    };
}

pub(crate) const ROWS: &[Row] = rows! {
    0 "chain, despawn",
    2 "chain, despawn all",
    3 "chain, walk",
    4 "chain, relate",
    5 "chain, clone",
    6 "chain, clone the world",
    8 "chain, prefab",
    9 "chain, save and load",
    10 "chain, save and load a tree",
    11 "chain, save and load JSON",
    12 "chain, differences",
    13 "chain, turned round",
    14 "chain, undo",
    15 "chain, snapshot",
    16 "chain, snapshot of some",
};

/// Runs on a thread with the name of the action, so that the message of an overflow has it. A frame of 50 bytes for
/// each generation would not fit.
#[test]
fn a_chain_of_2_500_fits_on_a_short_stack() {
    for (number, &(name, action)) in ACTIONS.iter().enumerate() {
        let thread = std::thread::Builder::new()
            .name(name.into())
            .stack_size(128 << 10);
        let done = thread.spawn(move || {
            let mut chain = chain(2_500, number % 2 == 0);
            action(&mut chain);
            chain.world.check_invariants();
        });
        done.unwrap().join().unwrap();
    }
}

#[test]
fn a_value_of_100_000_levels_fits_on_the_stack_of_a_thread() {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let done = thread.spawn(|| {
        let mut value = Value::Null;
        for _ in 0..100_000 {
            value = Value::List(vec![Value::Map(vec![(value, Value::Int(1))])]);
        }
        let copy = value.clone();
        assert_eq!(value, copy);
        _ = value.to_string();
        drop((value, copy));
    });
    done.unwrap().join().unwrap();
}
