//! The ideas of "Reading sparsey, bevy_ecs and shred, and writing a resource map" (Rust, 2021) on our engine: storages, views,
//! systems and resources.

use ecs_core::prelude::*;
use ecs_core::query::Not;
use ecs_core::resource::ResourceMap;
use ecs_core::system::SystemInfo;
use ecs_tests::counting::allocated;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Position(i32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Velocity(i32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse", track)]
struct Health(i32);

#[derive(Component, Clone, Debug, PartialEq)]
struct Frozen;

mod storage {
    use super::*;

    #[test]
    fn values_and_entities_are_slices_in_the_same_order() {
        let mut world = World::new();
        let ids: Vec<Entity> = (0..100).map(|_| world.spawn_empty()).collect();
        for n in [90, 3, 57, 4] {
            world.insert(ids[n], Position(n as i32)).unwrap();
        }
        let view = world.view::<Position>();
        assert_eq!(view.as_entities(), [ids[90], ids[3], ids[57], ids[4]]);
        assert_eq!(view.as_slice(), [90, 3, 57, 4].map(Position));
        drop(view);
        // Swap-remove: the last value takes the place of the removed one.
        world.remove::<Position>(ids[90]).unwrap();
        let view = world.view::<Position>();
        assert_eq!(view.as_slice(), [4, 3, 57].map(Position));
        assert_eq!(view.as_entities(), [ids[4], ids[3], ids[57]]);
    }

    #[test]
    fn the_sparse_array_is_paged() {
        let mut world = World::new();
        let last = *world.spawn_batch((0..100_000).map(|_| ())).last().unwrap();
        world.register::<Position>();
        let before = allocated();
        world.insert(last, Position(1)).unwrap();
        let bytes = allocated() - before;
        // An entity with a high index costs pages, and not an array up to its index.
        assert!((8..16 * 1024).contains(&bytes), "{bytes} bytes");
        assert_eq!(world.view::<Position>().get(last), Some(&Position(1)));
        assert_eq!(world.view::<Position>().as_slice().len(), 1);
    }

    #[test]
    fn entities_are_allocated_from_a_shared_reference_by_several_threads() {
        let mut world = World::new();
        let shared = &world;
        let ids: Vec<Entity> = std::thread::scope(|scope| {
            let reserve = || {
                (0..100)
                    .map(|_| shared.reserve_entity())
                    .collect::<Vec<_>>()
            };
            let threads = [0; 4].map(|_| scope.spawn(reserve));
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap())
                .collect()
        });
        world.flush();
        let mut distinct = ids.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!((distinct.len(), world.len()), (400, 400));
        assert!(ids.iter().all(|&id| world.insert(id, Position(0)).is_ok()));
    }
}

mod groups {
    use super::*;

    #[test]
    fn grouped_components_are_slices_in_the_same_order() {
        let mut world = World::builder().group::<(Position, Velocity)>().build();
        world.spawn(Position(0));
        let a = world.spawn((Position(1), Velocity(10)));
        world.spawn(Velocity(0));
        let b = world.spawn((Velocity(20), Position(2)));
        {
            let (mut position, velocity) = (world.view_mut::<Position>(), world.view::<Velocity>());
            let (p, v) = (&mut position, &velocity).slices();
            p.iter_mut().zip(v).for_each(|(p, v)| p.0 += v.0);
            let (ids, (p, v)) = (&position, &velocity).with_entity().slices();
            assert_eq!(
                (ids, p, v),
                (
                    &[a, b][..],
                    &[11, 22].map(Position)[..],
                    &[10, 20].map(Velocity)[..]
                )
            );
        }
        // Every structural change keeps the packing.
        world.remove::<Velocity>(a).unwrap();
        let c = world.spawn(Velocity(30));
        world.insert(c, Position(3)).unwrap();
        world.despawn(b).unwrap();
        let (position, velocity) = (world.view::<Position>(), world.view::<Velocity>());
        assert_eq!(
            (&position, &velocity).slices(),
            (&[Position(3)][..], &[Velocity(30)][..])
        );
    }

    #[test]
    fn families_are_nested_and_overlaps_are_refused_by_name() {
        let mut world = World::builder()
            .group::<(Position, Velocity)>()
            .group::<(Position, Velocity, Health)>()
            .build();
        let two = world.spawn((Position(1), Velocity(1)));
        let three = world.spawn((Position(2), Velocity(2), Health(2)));
        let (position, velocity, health) = (
            world.view::<Position>(),
            world.view::<Velocity>(),
            world.view::<Health>(),
        );
        let (ids, _) = (&position, &velocity).with_entity().slices();
        assert_eq!(ids, [three, two]);
        let (ids, _) = (&position, &velocity, &health).with_entity().slices();
        assert_eq!(ids, [three]);

        let refused = World::builder()
            .group::<(Position, Velocity)>()
            .group::<(Velocity, Health)>()
            .try_build();
        let message = refused.unwrap_err().to_string();
        assert!(
            ["Position", "Velocity", "Health"]
                .iter()
                .all(|name| message.contains(name)),
            "{message}"
        );
    }

    #[test]
    fn a_filled_world_gets_a_new_layout() {
        let mut world = World::new();
        for n in 0..10 {
            let id = world.spawn(Position(n));
            if n % 3 == 0 {
                world.insert(id, Velocity(n)).unwrap();
            }
        }
        world
            .set_layout(&ecs_core::Layout::new().group::<(Position, Velocity)>())
            .unwrap();
        let (position, velocity) = (world.view::<Position>(), world.view::<Velocity>());
        let (p, v) = (&position, &velocity).slices();
        assert_eq!((p.len(), v.len()), (4, 4));
        assert!(p.iter().zip(v).all(|(p, v)| p.0 == v.0));
    }
}

mod views {
    use super::*;

    fn world() -> (World, [Entity; 4]) {
        let mut world = World::new();
        let a = world.spawn((Position(1), Velocity(10)));
        let b = world.spawn((Position(2), Velocity(20), Frozen));
        let c = world.spawn(Position(3));
        let d = world.spawn((Position(4), Velocity(40), Health(7)));
        (world, [a, b, c, d])
    }

    #[test]
    fn joins_include_and_exclude() {
        let (world, [a, b, _, d]) = world();
        let (mut position, velocity) = (world.view_mut::<Position>(), world.view::<Velocity>());
        let (frozen, health) = (world.view::<Frozen>(), world.view::<Health>());
        for (position, velocity) in (&mut position, &velocity).exclude(&frozen).iter() {
            position.0 += velocity.0;
        }
        let mut moved: Vec<i32> = position.iter().map(|p| p.0).collect();
        moved.sort_unstable();
        assert_eq!(moved, [2, 3, 11, 44]);
        let ids: Vec<Entity> = (&position, &velocity).include(&health).entities().collect();
        assert_eq!(ids, [d]);
        let mut ids: Vec<Entity> = (&position, &velocity).exclude(&health).entities().collect();
        ids.sort_unstable();
        assert_eq!(ids, [a, b]);
    }

    #[test]
    fn a_join_is_evaluated_for_one_entity() {
        let (world, [a, _, c, _]) = world();
        let (position, velocity) = (world.view::<Position>(), world.view::<Velocity>());
        assert_eq!(
            (&position, &velocity).get(a),
            Some((&Position(1), &Velocity(10)))
        );
        assert_eq!((&position, &velocity).get(c), None);
        assert!(position.contains(c) && !velocity.contains(c));
    }

    #[test]
    fn each_join_chooses_whether_a_mutable_view_is_read_or_written() {
        let (world, _) = world();
        let (mut position, mut velocity) =
            (world.view_mut::<Position>(), world.view_mut::<Velocity>());
        let sum: i32 = (&position, &velocity).iter().map(|(p, v)| p.0 * v.0).sum();
        assert_eq!(sum, 10 + 40 + 160);
        (&position, &mut velocity).for_each(|(p, v)| v.0 += p.0);
        (&mut position, &velocity).for_each(|(p, v)| p.0 = v.0);
        assert_eq!(position.iter().map(|p| p.0).max(), Some(44));
    }

    #[test]
    fn filters_match_changes_and_reading_is_no_change() {
        let (mut world, [a, _, _, d]) = world();
        world.insert(a, Health(1)).unwrap();
        let since = world.tick();
        {
            let mut health = world.view_mut::<Health>();
            // Both are visited; one is dereferenced mutably.
            for health in health.iter_mut() {
                if health.0 > 5 {
                    let mut health = health;
                    health.0 -= 1;
                }
            }
        }
        let added = world.spawn(Health(3));
        let changed = world
            .query_filtered::<Entity, Changed<Health>>()
            .since(since);
        assert_eq!(changed.iter().collect::<Vec<_>>(), [d, added]);
        let new = world.query_filtered::<Entity, Added<Health>>().since(since);
        assert_eq!(new.iter().collect::<Vec<_>>(), [added]);
        // Mutated: dereferenced mutably, and not added.
        let written = world.query_filtered::<Entity, Mutated<Health>>();
        assert_eq!(written.since(since).iter().collect::<Vec<_>>(), [d]);
        let others = world.query_filtered::<Entity, (With<Health>, Not<Changed<Health>>)>();
        let others = others.since(since);
        assert!(others.count() > 0);
        assert_eq!(others.count() + 2, world.view::<Health>().len());
        assert!(!others.contains(d) && !others.contains(added));
    }

    #[test]
    fn changes_of_resources_are_detected() {
        #[system]
        fn write(mut number: ResMut<u32>) {
            *number += 1;
        }
        #[system]
        fn notice(number: Res<u32>, mut seen: ResMut<Vec<bool>>) {
            seen.push(number.is_changed());
            assert_eq!(
                number.is_mutated(),
                number.is_changed() && !number.is_added()
            );
            assert_eq!(number.is_mutated(), seen.len() == 3);
        }
        #[system]
        fn odd_turn(mut turn: Local<u32>) -> bool {
            *turn += 1;
            *turn % 2 == 1
        }

        let mut world = World::new();
        world.insert_resource(0_u32);
        world.insert_resource(Vec::<bool>::new());
        let mut schedule = Schedule::new();
        schedule.add((write.run_if(odd_turn), notice));
        for _ in 0..4 {
            schedule.run(&mut world).unwrap();
        }
        assert_eq!(*world.resource::<Vec<bool>>(), [true, false, true, false]);
    }
}

mod systems {
    use super::*;
    use ecs_core::meta::{Kind, may_conflict};

    #[system]
    fn movement(mut position: CompMut<Position>, velocity: Comp<Velocity>) {
        (&mut position, &velocity).for_each(|(p, v)| p.0 += v.0);
    }

    #[system]
    pub(super) fn noop() {}

    #[system]
    fn heal(mut health: CompMut<Health>, by: Res<i32>) {
        for mut health in health.iter_mut() {
            health.0 += *by;
        }
    }

    #[system]
    fn total(position: Comp<Position>, mut sum: ResMut<i64>) {
        *sum = position.iter().map(|p| i64::from(p.0)).sum();
    }

    #[test]
    fn a_system_publishes_its_access() {
        let access: Vec<(&str, Kind)> = movement
            .access()
            .map(|a| (a.ident.name(), a.kind))
            .collect();
        assert_eq!(access.len(), 2);
        assert!(access[0].0.ends_with("Position") && access[0].1 == Kind::Write);
        assert!(access[1].0.ends_with("Velocity") && access[1].1 == Kind::Read);
    }

    // At compile time, which the author wished for.
    const _: () = assert!(!may_conflict(
        &ecs_core::meta(&movement),
        &ecs_core::meta(&heal)
    ));
    const _: () = assert!(may_conflict(
        &ecs_core::meta(&movement),
        &ecs_core::meta(&total)
    ));

    #[test]
    fn systems_that_do_not_conflict_share_a_step_and_the_steps_can_be_visited() {
        let mut schedule = Schedule::new();
        schedule.add((movement, heal, total));
        let plan = schedule.plan().unwrap();
        let waits: Vec<Vec<usize>> = plan
            .steps()
            .map(|step| step.waits_for().map(|earlier| earlier.number()).collect())
            .collect();
        // `heal` may run at the same time as `movement`; `total` reads data that `movement` writes.
        assert_eq!(waits, [vec![], vec![], vec![0]]);
        let conflicts: Vec<(usize, usize)> = plan
            .conflicts()
            .map(|(one, two, _)| (one.number(), two.number()))
            .collect();
        assert_eq!(conflicts, [(0, 2)]);
    }

    #[test]
    fn a_schedule_runs_on_this_thread_or_on_a_pool_of_the_user() {
        let world = || {
            let mut world = World::new();
            world.insert_resource(2);
            world.insert_resource(0_i64);
            for n in 0..50 {
                world.spawn((Position(n), Velocity(1), Health(n)));
            }
            world
        };
        let schedule = || {
            let mut schedule = Schedule::new();
            schedule.add((movement, heal, total));
            schedule
        };
        let (mut one, mut two) = (world(), world());
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .unwrap();
        let (mut seq, mut par) = (schedule(), schedule());
        for _ in 0..20 {
            seq.run_seq(&mut one).unwrap();
            par.run_par(&mut two, &pool).unwrap();
        }
        assert_eq!(*one.resource::<i64>(), (0..50).sum::<i64>() + 50 * 20);
        assert_eq!(*one.resource::<i64>(), *two.resource::<i64>());
        assert_eq!(
            one.view::<Health>().as_slice(),
            two.view::<Health>().as_slice()
        );
    }

    #[test]
    fn systems_of_the_calling_thread_are_in_the_same_schedule() {
        #[system]
        fn draw(window: NonSend<std::rc::Rc<str>>, sum: Res<i64>, mut drawn: ResMut<Vec<String>>) {
            drawn.push(format!("{}: {}", *window, *sum));
        }

        let mut world = World::new();
        world.insert_resource(0_i64);
        world.insert_resource(Vec::<String>::new());
        world.insert_non_send(std::rc::Rc::<str>::from("window"));
        world.spawn((Position(1), Velocity(4)));
        let mut schedule = Schedule::new();
        schedule.add((movement, total, draw));
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        schedule.run_par(&mut world, &pool).unwrap();
        assert_eq!(*world.resource::<Vec<String>>(), ["window: 5"]);
    }

    #[test]
    fn commands_create_entities_whose_ids_are_usable_at_once() {
        #[derive(Component)]
        struct Child(Entity);

        #[system]
        fn birth(mut commands: Commands) {
            let parent = commands.spawn(Position(0)).id();
            let child = commands.spawn(Child(parent)).id();
            commands.insert(child, Velocity(1));
            commands.queue(move |world: &mut World| {
                world.insert_resource((parent, child));
            });
        }

        let mut world = World::new();
        let mut schedule = Schedule::new();
        schedule.add(birth);
        schedule.run(&mut world).unwrap();
        let (parent, child) = *world.resource::<(Entity, Entity)>();
        assert_eq!(world.get::<Child>(child).unwrap().0, parent);
        assert!(world.has::<Velocity>(child) && world.has::<Position>(parent));
    }

    #[test]
    fn an_error_of_a_system_reaches_the_caller_of_run() {
        #[system]
        fn fails() -> Result<(), std::num::ParseIntError> {
            "no number".parse::<u32>().map(|_| ())
        }

        let mut schedule = Schedule::new();
        schedule.add((fails, heal));
        let mut world = World::new();
        world.insert_resource(1);
        world.spawn(Health(1));
        let error = schedule.run(&mut world).unwrap_err();
        assert!(error.to_string().contains("fails"), "{error}");
        assert_eq!(
            world.view::<Health>().as_slice(),
            [Health(2)],
            "the others ran"
        );
    }

    #[test]
    fn functions_of_the_whole_world_are_in_the_same_schedule() {
        #[system]
        fn cull(world: &mut World) {
            let far: Vec<Entity> = {
                let position = world.view::<Position>();
                let far = position.with_entity().iter().filter(|(_, p)| p.0 > 100);
                far.map(|(id, _)| id).collect()
            };
            for id in far {
                world.despawn(id).unwrap();
            }
        }

        let mut world = World::new();
        world.insert_resource(0_i64);
        world.spawn((Position(1), Velocity(1)));
        world.spawn((Position(99), Velocity(5)));
        let mut schedule = Schedule::new();
        schedule.add((movement, cull, total));
        schedule.run(&mut world).unwrap();
        assert_eq!(*world.resource::<i64>(), 2);
    }
}

mod resources {
    use super::*;

    #[system]
    fn sum(a0: usize, a1: usize, r0: Res<usize>, r1: Res<isize>) -> isize {
        (a0 + a1 + *r0) as isize + *r1
    }

    #[test]
    fn a_resource_map_works_alone() {
        struct Own(u8);

        let mut map = ResourceMap::new();
        assert_eq!(map.insert(1_usize), None);
        assert_eq!(map.insert(2_usize), Some(1), "one value per type");
        map.insert("text");
        map.insert(Own(3));
        map.get_mut::<Own>().unwrap().0 += 1;
        assert_eq!((map.len(), map.borrow::<Own>().0), (3, 4));
        assert_eq!(map.remove::<&str>(), Some("text"));
        assert!(!map.contains::<&str>());
    }

    #[test]
    fn several_values_are_borrowed_mutably_from_a_shared_reference() {
        let mut map = ResourceMap::new();
        map.insert(1_u8);
        map.insert(String::from("a"));
        map.insert(vec![1.0_f32]);
        let shared = &map;
        let (mut number, mut text, mut list) = (
            shared.borrow_mut::<u8>(),
            shared.borrow_mut::<String>(),
            shared.borrow_mut::<Vec<f32>>(),
        );
        *number += 1;
        text.push('b');
        list.push(f32::from(*number));
        drop((number, text, list));
        assert_eq!(
            (*map.borrow::<u8>(), map.borrow::<String>().as_str()),
            (2, "ab")
        );
    }

    #[test]
    fn borrowing_twice_is_a_clear_error_that_names_the_type() {
        let mut map = ResourceMap::new();
        map.insert(String::new());
        let text = map.borrow_mut::<String>();
        for error in [
            map.try_borrow::<String>().err(),
            map.try_borrow_mut::<String>().err(),
        ] {
            let message = error.expect("it is borrowed").to_string();
            assert!(message.contains("alloc::string::String"), "{message}");
        }
        drop(text);
        let message = map
            .try_borrow::<u64>()
            .map(|_| ())
            .expect_err("it is missing")
            .to_string();
        assert!(message.contains("u64"), "{message}");
    }

    #[test]
    fn a_system_is_called_with_a_bare_resource_map() {
        let mut map = ResourceMap::new();
        map.insert(3_usize);
        map.insert(-10_isize);
        assert_eq!(sum(1, 2, &map), -4);
        // Through anything that derefs to a map, too.
        assert_eq!(sum(1, 2, &std::sync::Arc::new(map)), -4);
    }

    #[test]
    fn a_system_over_a_bare_map_writes_and_borrows_as_in_a_world() {
        #[system]
        fn step(mut number: ResMut<u32>, by: Option<Res<u8>>) -> u32 {
            *number += u32::from(by.map_or(1, |by| *by));
            *number
        }

        let mut map = ResourceMap::new();
        map.insert(10_u32);
        assert_eq!(step(&map), 11);
        map.insert(5_u8);
        assert_eq!(step(&map), 16);
        let held = map.borrow::<u32>();
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| step(&map)));
        let message = *refused.unwrap_err().downcast::<String>().unwrap();
        assert!(
            message.contains("step") && message.contains("u32"),
            "{message}"
        );
        assert_eq!(*held, 16);
    }

    #[test]
    fn a_parameter_may_be_the_map_or_the_world_itself() {
        #[system]
        fn of_map(factor: u32, map: &ResourceMap) -> u32 {
            *map.borrow::<u32>() * factor
        }
        #[system]
        fn of_world(world: &World) -> u32 {
            *world.resource::<u32>() + 1
        }

        let mut map = ResourceMap::new();
        map.insert(4_u32);
        assert_eq!(of_map(3, &map), 12);
        let mut world = World::new();
        world.insert_resource(5_u32);
        assert_eq!((of_map(3, &world), of_world(&world)), (15, 6));
    }

    #[test]
    fn resources_and_components_are_borrowed_mutably_at_once_from_one_world() {
        let mut world = World::new();
        world.insert_resource(1_u32);
        world.insert_resource(2_u64);
        let one = world.spawn((Position(3), Velocity(4)));
        let shared = &world;
        let (mut a, mut b) = (shared.resource_mut::<u32>(), shared.resource_mut::<u64>());
        let (mut position, mut velocity) =
            (shared.view_mut::<Position>(), shared.view_mut::<Velocity>());
        *a += 1;
        *b += u64::from(*a);
        position.get_mut(one).unwrap().0 = *b as i32;
        velocity.get_mut(one).unwrap().0 = position.get(one).unwrap().0;
        assert!(
            shared.try_view_mut::<Position>().is_err(),
            "checked at run time"
        );
        drop((a, b, position, velocity));
        assert_eq!(*world.get::<Velocity>(one).unwrap(), Velocity(4));
    }
}

/// Bevy's `WorldCell`: anything that a system can take is borrowed from one shared world, and checked at run time.
mod world_cell {
    use super::*;

    #[test]
    fn any_parameters_are_borrowed_at_once_from_one_world() {
        let mut world = World::new();
        world.insert_resource(2_i32);
        let e = world.spawn((Position(1), Velocity(3)));
        let mut one = world.borrow::<(CompMut<Position>, ResMut<i32>)>();
        let mut two = world.borrow::<Query<&Velocity>>();
        let (mut position, mut by) = one.get();
        position.get_mut(e).unwrap().0 += two.get().get(e).unwrap().0 * *by;
        *by = 0;
        drop((position, by));
        drop((one, two));
        assert_eq!(world.get::<Position>(e).unwrap().0, 7);
        assert_eq!(*world.resource::<i32>(), 0);
    }

    #[test]
    fn what_is_borrowed_elsewhere_is_a_clear_error_and_stays_free() {
        let mut world = World::new();
        world.insert_resource(2_i32);
        world.spawn((Position(1), Velocity(3)));
        let held = world.borrow::<(Comp<Position>, Res<i32>)>();
        let error = world
            .try_borrow::<(CompMut<Velocity>, CompMut<Position>)>()
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("`articles::sparsey_reading::Position` cannot be written now"),
            "{error}"
        );
        let error = world
            .try_borrow::<(CompMut<Velocity>, ResMut<i32>)>()
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("i32"), "{error}");
        // Borrows taken before the failure are released.
        assert!(world.try_view_mut::<Velocity>().is_ok());
        assert!(world.try_borrow::<(Comp<Position>, Res<i32>)>().is_ok());
        drop(held);
        assert!(
            world
                .try_borrow::<(CompMut<Position>, ResMut<i32>)>()
                .is_ok()
        );
        assert!(world.try_borrow::<Res<u8>>().is_err());
    }
}

mod ideas {
    use super::*;

    #[test]
    fn a_world_is_a_resource_of_another_world() {
        #[system]
        fn grow(mut position: CompMut<Position>) {
            position.iter_mut().for_each(|p| p.0 += 1);
        }
        #[system]
        fn run_the_inner_world(mut inner: ResMut<World>, mut own: CompMut<Position>) {
            // The same component type in both worlds, with separate borrows.
            grow(&*inner);
            let sum = inner.view::<Position>().iter().map(|p| p.0).sum();
            inner.spawn(Position(0));
            own.iter_mut().for_each(|p| p.0 = sum);
        }

        let mut inner = World::new();
        inner.spawn(Position(10));
        let mut universe = World::new();
        let star = universe.spawn(Position(0));
        universe.insert_resource(inner);
        let mut frame = Schedule::new();
        frame.add(run_the_inner_world);
        frame.run(&mut universe).unwrap();
        frame.run(&mut universe).unwrap();
        assert_eq!(universe.get::<Position>(star).unwrap().0, 12 + 1);
        let inner = universe.remove_resource::<World>().unwrap();
        assert_eq!((inner.len(), universe.len()), (3, 1));
    }

    /// An id consists of an index and a generation, without its world, which keeps it at eight bytes. In another world it finds
    /// either nothing or the entity with the same index and generation. Code that mixes worlds should store the
    /// [`WorldId`](ecs_core::world::WorldId) beside the id. Schedules, which belong to one world, check it.
    #[test]
    fn an_entity_of_one_world_is_a_mere_number_in_another() {
        let (mut one, mut other) = (World::new(), World::new());
        let strangers = [one.spawn(Position(1)), one.spawn(Position(2))];
        let own = other.spawn(Velocity(3));
        assert_ne!(one.id(), other.id());
        assert!(!other.contains(strangers[1]));
        let message = other
            .insert(strangers[1], Position(0))
            .unwrap_err()
            .to_string();
        assert!(message.contains("belongs to another world"), "{message}");
        assert_eq!(strangers[0], own, "the first of each world");
        assert!(other.get::<Position>(strangers[0]).is_none());
        assert!(one.get::<Velocity>(own).is_none());

        let mut schedule = Schedule::new();
        schedule.add(super::systems::noop);
        schedule.run(&mut one).unwrap();
        let refused = schedule.run(&mut other).unwrap_err().to_string();
        assert!(
            refused.contains("make a schedule for each world"),
            "{refused}"
        );
    }

    #[test]
    fn dead_entities_lose_their_model_and_keep_what_is_drawn() {
        #[derive(Bundle)]
        struct Model {
            position: Position,
            velocity: Velocity,
            health: Health,
        }
        #[derive(Component, Debug, PartialEq)]
        struct Sprite(&'static str);

        let mut world = World::new();
        let model = Model {
            position: Position(1),
            velocity: Velocity(2),
            health: Health(0),
        };
        let orc = world.spawn((model, Sprite("orc")));
        world
            .entity_mut(orc)
            .unwrap()
            .remove::<Model>()
            .insert(Sprite("bones"));
        assert!(
            !world.has::<Position>(orc) && !world.has::<Velocity>(orc) && !world.has::<Health>(orc)
        );
        assert_eq!(*world.get::<Sprite>(orc).unwrap(), Sprite("bones"));
    }

    #[test]
    fn a_scene_graph_is_drawn_in_its_order() {
        #[derive(Component)]
        struct Parent(Entity);
        #[derive(Component)]
        struct Children(Vec<Entity>);
        /// Required by everything that is drawn.
        #[derive(Component)]
        struct Layer(i32);
        /// Optional text.
        #[derive(Component)]
        struct Caption(&'static str);

        #[system]
        fn draw(
            nodes: Query<(Entity, &Layer, Option<&Caption>, Option<&Parent>)>,
            parents: Comp<Parent>,
            layers: Comp<Layer>,
        ) -> Vec<&'static str> {
            // The layer of a node is relative to its parent's layer.
            let absolute = |mut id: Entity| {
                let mut layer = layers.get(id).map_or(0, |l| l.0);
                while let Some(parent) = parents.get(id) {
                    id = parent.0;
                    layer += layers.get(id).map_or(0, |l| l.0);
                }
                layer
            };
            let order = nodes.sorted_by_key(|(id, ..)| (absolute(*id), *id));
            order
                .map(|(_, _, caption, _)| caption.map_or("-", |c| c.0))
                .collect()
        }

        let mut world = World::new();
        let window = world.spawn((Layer(10), Caption("window")));
        let label = world.spawn((Layer(2), Caption("label"), Parent(window)));
        let border = world.spawn((Layer(1), Parent(window)));
        world.spawn((Layer(0), Caption("background")));
        world.insert(window, Children(vec![border, label])).unwrap();
        let tip = world.spawn((Layer(100), Caption("tip")));
        assert_eq!(draw(&world), ["background", "window", "-", "label", "tip"]);
        // The children are despawned with the root.
        let children = world.take::<Children>(window).unwrap().0;
        for id in children.into_iter().chain([window, tip]) {
            world.despawn(id).unwrap();
        }
        assert_eq!(draw(&world), ["background"]);
    }

    #[test]
    fn a_render_system_finds_the_player() {
        #[derive(Component)]
        struct Glyph(char);
        #[derive(Component)]
        struct Player;

        #[system]
        fn render(position: Comp<Position>, glyph: Comp<Glyph>, player: Comp<Player>) -> String {
            let mut row = ['.'; 8];
            for (at, glyph) in (&position, &glyph).iter() {
                row[at.0 as usize] = glyph.0;
            }
            // The player is drawn last, above everything else.
            for (at, glyph) in (&position, &glyph).include(&player).iter() {
                row[at.0 as usize] = glyph.0;
            }
            row.iter().collect()
        }

        let mut world = World::new();
        let hero = world.spawn((Position(2), Glyph('@'), Player));
        world.spawn((Position(3), Glyph('%')));
        assert_eq!(render(&world), "..@%....");
        world.get_mut::<Position>(hero).unwrap().0 += 1;
        assert_eq!(render(&world), "...@....");
    }
}
