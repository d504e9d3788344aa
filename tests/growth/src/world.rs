//! Calls of a world that is large in one way: in entities, tables, resources, events or systems.

use std::hint::black_box;

use ecs_core::prelude::*;

use crate::engine::shuffled;
use crate::harness::{Row, Work};

pub(crate) const ROWS: &[Row] = &[
    Row::linear("entities, despawn each", 250, despawn),
    Row::flat("entities, despawn one of n", 1_000, despawn_one),
    Row::flat("entities, look up some of n", 1_000, look_up),
    Row::linear("entities, loop over n", 1_000, loop_over),
    Row::linear("tables, make n", 120, make_tables),
    Row::linear("tables, loop over n", 120, loop_over_tables),
    Row::flat("tables, loop over two of n", 120, loop_over_few),
    Row::flat("tables, spawn beside n", 120, spawn_beside),
    Row::flat("resources, look up one of n", 16, look_up_resource),
    Row::linear("events, send and read n", 250, send_and_read),
    Row::linear("systems, plan n and run them", 120, plan),
    Row::linear("systems, find what n wait for", 120, waits),
    Row::linear("systems, run n", 120, run_systems),
];

#[derive(Component)]
struct Number(u32);
#[derive(Component)]
struct Rare;

macro_rules! bits {
    ($($bit:ident)*) => {
        $(
            #[derive(Component)]
            struct $bit;
        )*

        /// Inserts components into an entity: another set of them for each number below 16,384.
        fn mark(world: &mut World, entity: Entity, number: usize) {
            let mut rest = number;
            $(
                if rest % 2 == 1 {
                    world.insert(entity, $bit).unwrap();
                }
                rest /= 2;
            )*
            assert_eq!(rest, 0);
        }
    };
}
bits!(B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 B13);

fn numbers(n: usize) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = (0..n).map(|number| Number(number as u32));
    let ids = world.spawn_batch(all).to_vec();
    (world, ids)
}

fn despawn(n: usize) -> Work {
    let (mut world, ids) = numbers(n);
    Box::new(move || {
        for i in shuffled(n, 2) {
            world.despawn(ids[i]).unwrap();
        }
    })
}

fn despawn_one(n: usize) -> Work {
    let (mut world, ids) = numbers(n);
    // The list of free ids is as long as the largest one needs.
    world.despawn(ids[n - 1]).unwrap();
    Box::new(move || world.despawn(ids[n / 2]).unwrap())
}

fn look_up(n: usize) -> Work {
    let (world, ids) = numbers(n);
    Box::new(move || {
        let numbers = world.view::<Number>();
        for i in 0..200 {
            let at = i * n / 200;
            assert_eq!(numbers.get(ids[at]).unwrap().0, at as u32);
        }
    })
}

fn sum(world: &World) -> u32 {
    let mut sum = 0_u32;
    let mut all = world.query::<&Number>();
    all.for_each(|number| sum = sum.wrapping_add(number.0));
    sum
}

fn loop_over(n: usize) -> Work {
    let (world, _) = numbers(n);
    Box::new(move || {
        black_box(sum(&world));
    })
}

/// Entities with a number, and each with another set of components.
fn fill_tables(world: &mut World, n: usize) {
    for number in 0..n {
        let entity = world.spawn(Number(number as u32));
        mark(world, entity, number);
    }
}

fn in_tables(n: usize) -> World {
    let mut world = World::new();
    fill_tables(&mut world, n);
    world
}

fn make_tables(n: usize) -> Work {
    let mut world = World::new();
    Box::new(move || fill_tables(&mut world, n))
}

fn loop_over_tables(n: usize) -> Work {
    let world = in_tables(n);
    Box::new(move || {
        black_box(sum(&world));
    })
}

fn loop_over_few(n: usize) -> Work {
    let mut world = in_tables(n);
    world.spawn((Number(1), Rare));
    world.spawn((Number(1), Rare, B0));
    Box::new(move || {
        for _ in 0..200 {
            let found = world.query::<(&Number, &Rare)>().iter().count();
            assert_eq!(black_box(found), 2);
        }
    })
}

fn spawn_beside(n: usize) -> Work {
    let mut world = in_tables(n);
    let mut spawn = move || {
        for _ in 0..100 {
            world.spawn((Number(1), Rare));
        }
    };
    spawn();
    Box::new(spawn)
}

#[derive(Resource)]
struct Setting<const NUMBER: usize>(usize);

fn insert<const NUMBER: usize>(world: &mut World) {
    world.insert_resource(Setting::<NUMBER>(NUMBER));
}

fn look_up_resource(n: usize) -> Work {
    macro_rules! sixteen {
        ($($first:literal)*) => {
            [$(
                insert::<{ $first }>, insert::<{ $first + 1 }>, insert::<{ $first + 2 }>, insert::<{ $first + 3 }>,
                insert::<{ $first + 4 }>, insert::<{ $first + 5 }>, insert::<{ $first + 6 }>, insert::<{ $first + 7 }>,
                insert::<{ $first + 8 }>, insert::<{ $first + 9 }>, insert::<{ $first + 10 }>, insert::<{ $first + 11 }>,
                insert::<{ $first + 12 }>, insert::<{ $first + 13 }>, insert::<{ $first + 14 }>, insert::<{ $first + 15 }>,
            )*]
        };
    }
    let mut world = World::new();
    let all: [fn(&mut World); 64] = sixteen![0 16 32 48];
    all[..n].iter().for_each(|insert| insert(&mut world));
    Box::new(move || {
        for _ in 0..1_000 {
            assert_eq!(world.resource::<Setting<0>>().0, 0);
            assert_eq!(world.resource::<Setting<15>>().0, 15);
        }
    })
}

#[system]
fn read(mut events: EventReader<u32>) -> usize {
    events.read().count()
}

fn send_and_read(n: usize) -> Work {
    let mut world = World::new();
    world.add_event::<u32>();
    let reader = world.register_system(read);
    Box::new(move || {
        (0..n).for_each(|number| world.send_event(number as u32));
        assert_eq!(world.run_system(reader, ()).unwrap(), n);
    })
}

#[system]
fn add_one(mut numbers: CompMut<Number>) {
    (&mut numbers).for_each(|number| number.0 += 1);
}

/// Systems that write one component: each waits for the one before it.
fn schedule(n: usize) -> Schedule {
    let mut schedule = Schedule::new();
    for _ in 0..n {
        schedule.add(add_one);
    }
    schedule
}

fn plan(n: usize) -> Work {
    let (mut world, _) = numbers(4);
    Box::new(move || schedule(n).run_seq(&mut world).unwrap())
}

/// The dependencies, which only a run with threads asks for.
fn waits(n: usize) -> Work {
    Box::new(move || {
        let mut schedule = schedule(n);
        let plan = schedule.plan().unwrap();
        let last = plan.steps().last().unwrap();
        assert_eq!(last.waits_for().count(), 1);
    })
}

fn run_systems(n: usize) -> Work {
    let (mut world, _) = numbers(4);
    let mut schedule = schedule(n);
    schedule.run_seq(&mut world).unwrap();
    Box::new(move || schedule.run_seq(&mut world).unwrap())
}
