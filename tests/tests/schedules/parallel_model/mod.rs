//! Random schedules have the same result on any number of threads as one system after the other, bit for bit.

mod systems;

use std::thread::{Scope, scope};

use ecs_core::prelude::*;
use ecs_core::schedule::{Configs, Executor, Run, Task};
use ecs_tests::watched;
use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use self::systems::{SHAPES, lucky, noted, outcome, shape, spawned, world};

/// The sets that identify systems, and the sets with conditions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Set {
    Number(usize),
    Group(usize),
}

#[derive(Clone, Debug)]
struct Item {
    shape: usize,
    condition: u8,
    group: Option<usize>,
    later: bool,
    flush_before: bool,
}

#[derive(Clone, Debug)]
struct Recipe {
    items: Vec<Item>,
    /// Explicit order of items, acyclic because it follows a hidden total order.
    edges: Vec<(usize, usize)>,
    waived: Vec<(usize, usize)>,
    /// The conditions of the groups.
    groups: Vec<u8>,
    seed: u64,
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let item = (
        0..SHAPES,
        0..12_u8,
        prop::option::weighted(0.3, 0..3_usize),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.05),
    );
    let item = item.prop_map(|(shape, condition, group, later, flush_before)| Item {
        shape,
        condition,
        group,
        later,
        flush_before,
    });
    prop::collection::vec(item, 1..24).prop_flat_map(|items| {
        let pairs = || prop::collection::vec((0..items.len(), 0..items.len()), 0..6);
        let ranks = prop::collection::vec(any::<u16>(), items.len());
        let groups = prop::collection::vec(0..5_u8, 3);
        (
            Just(items.clone()),
            pairs(),
            pairs(),
            ranks,
            groups,
            any::<u64>(),
        )
            .prop_map(|(items, edges, waived, ranks, groups, seed)| {
                let edges = edges.into_iter().filter(|(a, b)| a != b);
                let forward = |(a, b): (usize, usize)| {
                    if (ranks[a], a) < (ranks[b], b) {
                        (a, b)
                    } else {
                        (b, a)
                    }
                };
                Recipe {
                    items,
                    edges: edges.map(forward).collect(),
                    waived: waived.into_iter().filter(|(a, b)| a != b).collect(),
                    groups,
                    seed,
                }
            })
    })
}

fn under(systems: Configs, condition: u8) -> Configs {
    match condition {
        0 => systems.run_if(lucky),
        1 => systems.run_if(noted),
        2 => systems.run_if(spawned),
        _ => systems,
    }
}

fn schedule(recipe: &Recipe) -> Schedule {
    let mut schedule = Schedule::new();
    for (number, item) in recipe.items.iter().enumerate() {
        if item.flush_before {
            schedule.add_flush();
        }
        let mut system = shape(item.shape).in_set(Set::Number(number));
        if item.later {
            system = system.flush_later();
        }
        system = under(system, item.condition);
        if let Some(group) = item.group {
            system = system.in_set(Set::Group(group));
        }
        for &(first, second) in &recipe.edges {
            if second == number {
                system = system.after(Set::Number(first));
            }
        }
        schedule.add(system);
    }
    for (group, condition) in recipe.groups.iter().enumerate() {
        schedule.configure(Set::Group(group), |set| match condition {
            0 => set.run_if(lucky),
            1 => set.run_if(noted),
            2 => set.run_if(spawned),
            _ => set,
        });
    }
    for &(one, other) in &recipe.waived {
        schedule.unordered(Set::Number(one), Set::Number(other));
    }
    schedule
}

/// The way to run a schedule.
enum How<'p> {
    OneByOne,
    Pool(&'p ThreadPool),
    Threads,
    Default,
}

/// An executor that starts a thread for each task.
struct Threads;

impl Executor for Threads {
    fn run(&mut self, run: &mut Run<'_>) {
        while let Some(mut round) = run.round() {
            scope(|threads| {
                while let Some(task) = round.next_task() {
                    start(threads, task);
                }
                while let Some(task) = round.next_local() {
                    task.run().for_each(|task| start(threads, task));
                }
            });
        }
    }
}

fn start<'s, 'a>(threads: &'s Scope<'s, 'a>, task: Task<'a>) {
    threads.spawn(move || task.run().for_each(|task| start(threads, task)));
}

/// Returns the outcome of each of several runs.
fn outcomes(recipe: &Recipe, with: &How<'_>) -> Vec<(u64, Vec<u32>, String)> {
    let (mut world, mut schedule) = (world(recipe.seed), schedule(recipe));
    let mut outcomes = Vec::new();
    for _ in 0..4 {
        let result = match with {
            How::OneByOne => schedule.run_seq(&mut world),
            How::Pool(pool) => schedule.run_par(&mut world, pool),
            How::Threads => schedule.run_with(&mut world, &mut Threads),
            How::Default => schedule.run(&mut world),
        };
        outcomes.push(outcome(&world, result));
    }
    outcomes
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(150),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_executor_has_the_result_of_sequential_execution(recipe in recipe()) {
        thread_local! {
            static POOLS: [ThreadPool; 3] = [1, 2, 8].map(|threads| {
                ThreadPoolBuilder::new().num_threads(threads).build().expect("a few threads")
            });
        }
        let expected = outcomes(&recipe, &How::OneByOne);
        POOLS.with(|pools| {
            for pool in pools {
                prop_assert_eq!(&outcomes(&recipe, &How::Pool(pool)), &expected);
                let inside = pool.install(|| outcomes(&recipe, &How::Pool(pool)));
                prop_assert_eq!(&inside, &expected);
            }
            Ok(())
        })?;
        prop_assert_eq!(&outcomes(&recipe, &How::Threads), &expected);
        prop_assert_eq!(&outcomes(&recipe, &How::Default), &expected);
    }
}

#[test]
fn two_hundred_systems_of_all_kinds_do_the_same_on_eight_threads() {
    let item = |n: usize| Item {
        shape: n * 7 % SHAPES,
        condition: (n * 5 % 11) as u8,
        group: n.is_multiple_of(4).then_some(n % 3),
        later: n.is_multiple_of(9),
        flush_before: n % 50 == 49,
    };
    let recipe = Recipe {
        items: (0..200).map(item).collect(),
        edges: (0..20).map(|n| (n * 9, n * 9 + 5)).collect(),
        waived: (0..30)
            .map(|n| (n * 3, n * 5 + 1))
            .filter(|(a, b)| a != b)
            .collect(),
        groups: vec![0, 1, 3],
        seed: 7,
    };
    watched(move || {
        let pool = ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        let expected = outcomes(&recipe, &How::OneByOne);
        assert_eq!(outcomes(&recipe, &How::Pool(&pool)), expected);
    });
}
