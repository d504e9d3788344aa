//! The program and the open wishes of "an ECS in a few hundred lines" (Rust, 2024), on our engine: create an entity, attach
//! components of your own types, run a system.

use std::collections::HashSet;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use ecs_core::prelude::*;
use ecs_tests::counting::allocated;

#[derive(Component, Clone, Debug, PartialEq)]
struct Position(i64, i64);

#[derive(Component, Clone, Debug, PartialEq)]
struct Velocity(i64, i64);

#[derive(Component, Clone, Debug, PartialEq)]
struct Label(String);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Heat(u8);

#[test]
fn the_program_of_the_write_up_runs() {
    #[system]
    fn step(mut position: CompMut<Position>, velocity: Comp<Velocity>) {
        for (position, velocity) in (&mut position, &velocity).iter() {
            position.0 += velocity.0;
            position.1 += velocity.1;
        }
    }

    let mut world = World::new();
    let moving = world.spawn_empty();
    world.insert(moving, Position(1, 2)).unwrap();
    world.insert(moving, Velocity(10, 20)).unwrap();
    let standing = world.spawn_empty();
    world.insert(standing, Position(5, 5)).unwrap();
    let bodiless = world.spawn_empty();
    world.insert(bodiless, Velocity(1, 1)).unwrap();

    world.run(step);
    // In the write-up a system is any closure over iterators.
    let mut visited = 0;
    let sum: i64 = world.run(
        |mut position: CompMut<Position>, velocity: Comp<Velocity>| {
            let moving = (&mut position, &velocity).iter();
            let each = moving.inspect(|_| visited += 1);
            each.map(|(position, velocity)| std::mem::take(&mut position.0) + velocity.0)
                .sum()
        },
    );
    assert_eq!((visited, sum), (1, 21));
    world.run(|mut all: Query<&mut Position>| all.iter_mut().for_each(|p| p.0 += 6));

    assert_eq!(*world.get::<Position>(moving).unwrap(), Position(6, 22));
    assert_eq!(*world.get::<Position>(standing).unwrap(), Position(11, 5));
    assert!(world.get::<Position>(bodiless).is_none());
}

#[test]
fn attaching_a_component_that_is_there_hands_the_old_value_back() {
    let mut world = World::new();
    let one = world.spawn_empty();
    assert_eq!(world.replace(one, Label("first".into())).unwrap(), None);
    let old = world.replace(one, Label("second".into())).unwrap();
    assert_eq!(old, Some(Label("first".into())));
    assert_eq!(world.get::<Label>(one).unwrap().0, "second");
}

#[test]
fn the_smallest_free_index_is_used_first() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..200).map(|_| world.spawn_empty()).collect();
    let indices: Vec<u32> = ids.iter().map(|id| id.index()).collect();
    assert_eq!(indices, (0..200).collect::<Vec<u32>>());

    for gone in [150, 7, 99, 64, 8] {
        world.despawn(ids[gone]).unwrap();
    }
    let next: Vec<u32> = (0..7).map(|_| world.spawn_empty().index()).collect();
    assert_eq!(next, [7, 8, 64, 99, 150, 200, 201]);
}

#[test]
fn living_entities_never_share_an_index_and_no_id_is_issued_twice() {
    let mut world = World::new();
    let mut issued = HashSet::new();
    let mut living: Vec<Entity> = Vec::new();
    let mut random = 1_u64;
    for _ in 0..5_000 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        if living.len() < 20 || random >> 63 == 0 {
            let new = world.spawn_empty();
            assert!(issued.insert(new), "{new} was issued before");
            living.push(new);
        } else {
            let gone = living.swap_remove((random >> 33) as usize % living.len());
            world.despawn(gone).unwrap();
            assert!(!world.contains(gone));
            assert!(world.despawn(gone).is_err(), "a value is invalidated once");
        }
        let indices: HashSet<u32> = living.iter().map(|id| id.index()).collect();
        assert_eq!(indices.len(), living.len());
    }
    assert!(living.iter().all(|&id| world.contains(id)));
}

#[test]
fn an_index_whose_generations_are_used_up_is_retired() {
    let mut world = World::new();
    let mut last = world.spawn_empty();
    assert_eq!(last.index(), 0);
    loop {
        world.despawn(last).unwrap();
        let next = world.spawn_empty();
        if next.index() != 0 {
            assert_eq!((next.index(), next.generation()), (1, 1));
            break;
        }
        assert!(next > last, "generations only grow");
        last = next;
    }
    // All generations are used up, and still no stale id equals a new one.
    assert_eq!(last.generation(), 4_194_303);
    assert!(!world.contains(last));
    assert!((0..100).all(|_| world.spawn_empty().index() != 0));
}

#[test]
fn one_system_holds_two_components_mutably() {
    let mut world = World::new();
    let one = world.spawn((Position(1, 0), Velocity(2, 0)));
    {
        let (mut position, mut velocity) =
            (world.view_mut::<Position>(), world.view_mut::<Velocity>());
        (&mut position, &mut velocity).for_each(|(p, v)| std::mem::swap(&mut p.0, &mut v.0));
    }
    assert_eq!(*world.get::<Position>(one).unwrap(), Position(2, 0));
    assert_eq!(*world.get::<Velocity>(one).unwrap(), Velocity(1, 0));
}

#[test]
fn asking_twice_for_the_same_component_mutably_is_a_clear_error() {
    let mut world = World::new();
    world.spawn(Position(0, 0));
    let first = world.view_mut::<Position>();
    for error in [
        world.try_view_mut::<Position>().err(),
        world.try_view::<Position>().err(),
    ] {
        let message = error.expect("the first view still exists").to_string();
        assert!(
            message.contains("articles::minimal_ecs::Position"),
            "{message}"
        );
        assert!(message.contains("let that one end first"), "{message}");
    }
    drop(first);
    assert!(world.try_view_mut::<Position>().is_ok());
}

#[test]
fn a_system_takes_any_number_of_components_in_any_mix() {
    #[system]
    fn all_of_them(
        mut position: CompMut<Position>,
        velocity: Comp<Velocity>,
        mut label: CompMut<Label>,
        heat: Comp<Heat>,
    ) {
        for (p, v, l, h) in (&mut position, &velocity, &mut label, Some(&heat)).iter() {
            p.0 += v.0;
            l.0 = format!("{} at {}, heat {}", l.0, p.0, h.map_or(0, |h| h.0));
        }
    }

    let mut world = World::new();
    let cold = world.spawn((Position(1, 0), Velocity(2, 0), Label("cold".into())));
    let hot = world.spawn((Position(1, 0), Velocity(3, 0), Label("hot".into()), Heat(9)));
    let lacking = world.spawn((Position(1, 0), Label("lacking".into())));
    world.run(all_of_them);
    let label = |entity| world.get::<Label>(entity).unwrap().0.clone();
    assert_eq!(label(cold), "cold at 3, heat 0");
    assert_eq!(label(hot), "hot at 4, heat 9");
    assert_eq!(label(lacking), "lacking");
}

/// The weaknesses that the author lists, and how the engine solves them.
mod weaknesses {
    use super::*;

    #[test]
    fn no_memory_is_lost_to_entities_without_the_component() {
        let mut world = World::new();
        let heats = world.spawn_batch((0..10_000).map(|_| Heat(0)));
        let some: Vec<Entity> = heats.iter().copied().step_by(1_000).collect();
        let before = allocated();
        for &entity in &some {
            world.insert(entity, Position(0, 0)).unwrap();
        }
        let bytes = allocated() - before;
        // Ten values of 16 bytes and the world's records for a kind of component, instead of 10,000 values or `None`s.
        assert!((160..16 * 1_024).contains(&bytes), "{bytes} bytes");
        // The values are contiguous, although the ids of their entities are a thousand apart.
        let position = world.view::<Position>();
        let lengths: Vec<usize> = position.chunks().map(<[Position]>::len).collect();
        assert_eq!(lengths, [10]);
    }

    #[test]
    fn values_lie_in_the_order_of_the_loop() {
        let mut world = World::new();
        let ids: Vec<Entity> = world.spawn_batch((0..1_000).map(|_| ())).to_vec();
        // One component from the last entity to the first, and the other one in an order without a pattern.
        for (n, &id) in ids.iter().enumerate().rev() {
            world.insert(id, Position(n as i64, 0)).unwrap();
        }
        for n in 0..1_000 {
            let n = n * 387 % 1_000;
            world.insert(ids[n], Velocity(n as i64, 1)).unwrap();
        }
        for id in ids.iter().step_by(3) {
            world.despawn(*id).unwrap();
        }
        let (position, velocity) = (world.view::<Position>(), world.view::<Velocity>());
        let items: Vec<(&Position, &Velocity)> = (&position, &velocity).iter().collect();
        assert_eq!(items.len(), 666);
        assert!(items.iter().all(|(p, v)| p.0 == v.0), "of one entity");
        // Each value is the next one in memory.
        let next = |pair: &[(&Position, &Velocity)]| {
            std::ptr::eq(std::ptr::from_ref(pair[0].0).wrapping_add(1), pair[1].0)
                && std::ptr::eq(std::ptr::from_ref(pair[0].1).wrapping_add(1), pair[1].1)
        };
        assert!(items.windows(2).all(next));
    }

    #[test]
    fn a_system_changes_the_structure() {
        #[system]
        fn split_the_hot(heat: Comp<Heat>, mut commands: Commands) {
            for (entity, heat) in (&heat).with_entity().iter().filter(|(_, heat)| heat.0 > 10) {
                commands.spawn(Heat(heat.0 / 2));
                commands.insert(entity, Label("split".into()));
            }
        }

        let mut world = World::new();
        let [hot, cold] = [40, 5].map(|heat| world.spawn(Heat(heat)));
        world.run(split_the_hot);
        assert!(world.has::<Label>(hot) && !world.has::<Label>(cold));
        let heats = world
            .view::<Heat>()
            .sorted_by_key(|heat| heat.0)
            .map(|heat| heat.0)
            .collect::<Vec<u8>>();
        assert_eq!(heats, [5, 20, 40]);
    }

    #[test]
    fn a_loop_runs_on_several_threads() {
        let mut world = World::new();
        world.spawn_batch((0..400).map(|n| (Position(n, 0), Velocity(n, 1))));
        let threads = Mutex::new(HashSet::new());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build();
        pool.unwrap().install(|| {
            let (mut position, velocity) = (world.view_mut::<Position>(), world.view::<Velocity>());
            (&mut position, &velocity).par_for_each(|(p, v)| {
                // So much work for each entity that one thread would need half a second.
                thread::sleep(Duration::from_millis(1));
                threads.lock().unwrap().insert(thread::current().id());
                p.1 = p.0 * 3 + v.1;
            });
        });
        assert!(threads.into_inner().unwrap().len() > 1);
        assert!(world.view::<Position>().iter().all(|p| p.1 == p.0 * 3 + 1));
    }

    #[test]
    fn a_loop_yields_plain_references() {
        let mut world = World::new();
        world.spawn((Position(1, 2), Heat(3)));
        let (mut position, heat) = (world.view_mut::<Position>(), world.view::<Heat>());
        // Plain references instead of guards: the items outlive the iterator.
        let items: Vec<(&mut Position, &Heat)> = (&mut position, &heat).iter().collect();
        assert_eq!(items, [(&mut Position(1, 2), &Heat(3))]);
    }
}
