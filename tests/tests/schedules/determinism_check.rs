//! `DeterminismCheck` passes schedules that always do the same, and names the systems that make others differ.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ecs_core::data::{Desync, DeterminismCheck, DeterminismError, Variation};
use ecs_core::dynamic::{
    DynamicComponent, DynamicMut, DynamicQuery, DynamicValue, FieldKind, Term,
};
use ecs_core::prelude::*;
use ecs_core::resource::ResourceMap;
use ecs_core::schedule::{FrameTime, fixed};
use ecs_core::snapshot::Snapshotter;
use ecs_core::system::DynamicSystem;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "place")]
struct Place(f32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "speed", track)]
struct Speed(f32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "number", storage = "sparse", track)]
struct Number(u32);

/// In a table of its own.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "heavy")]
struct Heavy;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "child_of", tree)]
struct ChildOf;

#[derive(Resource, Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[resource(data = "total")]
struct Total(f32);

#[derive(Resource, Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[resource(data = "keys")]
struct Keys(u32);

/// Not data.
#[derive(Component)]
struct Sprite;

#[system(for_each)]
fn movement(place: &mut Place, speed: &Speed) {
    place.0 += speed.0 * 0.1;
}

#[system]
fn accelerate(mut speeds: Query<&mut Speed>, keys: Res<Keys>) {
    for mut speed in &mut speeds {
        speed.0 += keys.0 as f32 * 0.01;
    }
}

/// Spawns in the order of ids, independent of the order of rows.
#[system]
fn breed(parents: Query<(Entity, &Place), Without<Number>>, mut commands: Commands) {
    let mut found: Vec<_> = parents.iter().filter(|(_, place)| place.0 > 2.0).collect();
    found.sort_unstable_by_key(|(entity, _)| *entity);
    for (entity, place) in found {
        commands.insert(entity, Number(1));
        commands.spawn((Place(place.0 - 2.5), ChildOf.to(entity)));
    }
}

/// A spawn of entities in several tables.
fn spawn(world: &mut World) {
    world.register_data_resource::<Total>();
    world.register_data_resource::<Keys>();
    world.insert_resource(Total::default());
    world.insert_resource(Keys::default());
    for i in 0..10 {
        let entity = world.spawn((Place(i as f32 * 0.3), Speed(0.7 / (i + 1) as f32)));
        match i % 3 {
            0 => world.insert(entity, Number(0)).unwrap(),
            1 => {
                world.remove::<Speed>(entity).unwrap();
            }
            _ => world.insert(entity, Heavy).unwrap(),
        }
    }
}

fn frame(add: impl Fn(&mut Schedule) + Send + Sync) -> impl Fn() -> Schedule + Send + Sync {
    move || {
        let mut frame = Schedule::new();
        add(&mut frame);
        frame
    }
}

fn desync(check: &DeterminismCheck<'_>) -> Desync {
    match check.run() {
        Err(DeterminismError::Desync(desync)) => *desync,
        other => panic!("a desync was expected, not {other:?}"),
    }
}

/// Checks that this variation finds the system, and that earlier variations find nothing.
fn found_by(variation: Variation, check: &DeterminismCheck<'_>, system: &str) -> Desync {
    let found = desync(check);
    assert_eq!(found.variation, variation, "{found}");
    assert_eq!(found.systems.len(), 1, "{found}");
    assert!(found.systems[0].ends_with(system), "{found}");
    found
}

#[test]
fn a_game_without_memory_passes_in_all_variations() {
    let game = frame(|frame| {
        frame.add((accelerate, movement, breed));
    });
    let keys = |world: &mut World, frame| world.resource_mut::<Keys>().0 = frame % 3;
    let check = DeterminismCheck::new(game, spawn).frames(40).input(keys);
    check.run().unwrap();
}

#[test]
fn a_game_with_memory_passes_where_the_memory_is_kept() {
    #[system]
    fn remember(
        changed: Query<(Entity, &Place), Changed<Speed>>,
        mut sum: Local<u32>,
        mut gone: Removed<Number>,
        mut total: ResMut<Total>,
    ) {
        *sum += changed.iter().count() as u32 + gone.read().count() as u32;
        total.0 += *sum as f32;
    }
    let game = || {
        frame(|frame| {
            frame.add((accelerate, movement, remember));
            let mut steps = Schedule::new();
            steps.add(breed);
            frame.add(fixed(Duration::from_millis(7), steps));
        })
    };
    let kept = [
        Variation::Repeated,
        Variation::OtherTables,
        Variation::Restored,
        Variation::Threads,
    ];
    let time = |world: &mut World, _| {
        world.insert_resource(FrameTime {
            delta: Duration::from_millis(16),
        });
    };
    let check = DeterminismCheck::new(game(), spawn).input(time).only(&kept);
    check.run().unwrap();
    // A save has no `Local`s and no ticks of changes.
    let check = DeterminismCheck::new(game(), spawn)
        .input(time)
        .only(&[Variation::Loaded]);
    let found = found_by(Variation::Loaded, &check, "remember");
    assert_eq!(found.frame, 8, "the first one after the load");
    assert_eq!(found.differences.resources()[0].name(), "total");
}

#[test]
fn the_order_of_a_hash_map_is_found() {
    #[system]
    fn queue(mut numbered: Query<(Entity, &mut Number)>) {
        let all: HashSet<Entity> = numbered.iter().map(|(entity, _)| entity).collect();
        for (i, entity) in all.into_iter().enumerate() {
            let (_, mut number) = numbered.get_mut(entity).unwrap();
            number.0 = number.0.wrapping_mul(31) + i as u32;
        }
    }
    let game = frame(|frame| {
        frame.add((movement, queue, accelerate));
    });
    let check = DeterminismCheck::new(game, spawn).frames(8);
    let found = found_by(Variation::Repeated, &check, "queue");
    assert_eq!(found.differences.entities()[0].values()[0].name(), "number");
    let text = found.to_string();
    assert!(
        text.contains(" number: ") && text.contains("help: use nothing from outside"),
        "{text}"
    );
}

#[test]
fn the_time_is_found() {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    #[system]
    fn wait(mut total: ResMut<Total>) {
        thread::sleep(Duration::from_micros(1));
        total.0 = START.elapsed().as_nanos() as f32;
    }
    let game = frame(|frame| {
        frame.add((movement, wait));
    });
    let found = found_by(
        Variation::Repeated,
        &DeterminismCheck::new(game, spawn),
        "wait",
    );
    assert_eq!((found.frame, found.differences.entities().len()), (0, 0));
    assert!(
        found
            .to_string()
            .starts_with("frame 0: after `schedules::determinism_check::wait`: total: "),
        "{found}"
    );
}

#[test]
fn memory_outside_of_the_world_is_found_by_a_return() {
    /// Not data, so snapshots leave it out.
    #[derive(Default, Resource)]
    struct Counter(u32);
    #[system]
    fn count(mut counter: ResMut<Counter>, mut keys: ResMut<Keys>) {
        counter.0 += 1;
        keys.0 = counter.0;
    }
    let set_up = |world: &mut World| {
        spawn(world);
        world.insert_resource(Counter::default());
    };
    let game = frame(|frame| {
        frame.add((count, movement));
    });
    let check = DeterminismCheck::new(&game, set_up);
    let error = check.run().unwrap_err().to_string();
    assert!(error.contains("Counter` cannot be copied"), "{error}");
    assert!(error.contains("DeterminismCheck::snapshots"), "{error}");

    let check = check.snapshots(Snapshotter::new().without_other_resources());
    let found = found_by(Variation::Restored, &check, "count");
    assert_eq!(found.differences.to_string(), "keys: 1 -> 2\n");

    let check = DeterminismCheck::new(&game, set_up)
        .snapshots(
            Snapshotter::new()
                .resource::<Keys>()
                .without_other_resources(),
        )
        .only(&[
            Variation::Repeated,
            Variation::OtherTables,
            Variation::Threads,
        ]);
    check.run().unwrap();
}

#[test]
fn sums_in_the_order_of_rows_are_found() {
    #[system]
    fn sum(places: Query<&Place>, mut total: ResMut<Total>) {
        total.0 = places.iter().map(|place| place.0 * 1.1).sum();
    }
    let game = frame(|frame| {
        frame.add((movement, sum));
    });
    let check = DeterminismCheck::new(game, spawn).frames(60);
    found_by(Variation::OtherTables, &check, "sum");
}

/// Compilers that contract a multiplication and an addition do so in whole vectors, but not for the remaining rows.
#[test]
fn contracted_floats_are_found() {
    #[system]
    fn integrate(mut places: Query<(&mut Place, &Speed)>) {
        let rows = places.iter().count();
        for (row, (place, speed)) in places.iter_mut().enumerate() {
            place.0 = if row < rows / 4 * 4 {
                place.0.mul_add(0.97, speed.0)
            } else {
                place.0 * 0.97 + speed.0
            };
        }
    }
    let game = frame(|frame| {
        frame.add(integrate);
    });
    let check = DeterminismCheck::new(game, spawn).frames(60);
    let found = found_by(Variation::OtherTables, &check, "integrate");
    assert_eq!(found.differences.entities()[0].values()[0].name(), "place");
}

#[test]
fn the_order_of_threads_in_a_loop_is_found() {
    #[derive(Resource)]
    struct Tickets(AtomicU32);
    #[system]
    fn hurry(mut places: Query<&mut Place>, tickets: Res<Tickets>) {
        places.par_for_each_min(1, |place| {
            // The first row takes longer, because its thread was asked for something else.
            if place.0 == 0.0 && rayon::current_num_threads() > 1 {
                thread::sleep(Duration::from_millis(2));
            }
            place.0 += tickets.0.fetch_add(1, Ordering::Relaxed) as f32;
        });
    }
    let set_up = |world: &mut World| {
        spawn(world);
        world.insert_resource(Tickets(AtomicU32::new(0)));
    };
    let game = frame(|frame| {
        frame.add((hurry, accelerate));
    });
    let check = DeterminismCheck::new(game, set_up)
        .frames(4)
        .only(&[Variation::Repeated, Variation::Threads]);
    let found = found_by(Variation::Threads, &check, "hurry");
    assert!(found.to_string().contains("with 4 threads"), "{found}");
}

#[test]
fn the_order_of_systems_that_share_a_lock_is_found() {
    #[derive(Resource)]
    struct Tickets(AtomicU32);
    #[system]
    fn slow(mut total: ResMut<Total>, tickets: Res<Tickets>) {
        if rayon::current_num_threads() > 1 {
            thread::sleep(Duration::from_millis(20));
        }
        total.0 = tickets.0.fetch_add(1, Ordering::Relaxed) as f32;
    }
    #[system]
    fn fast(mut keys: ResMut<Keys>, tickets: Res<Tickets>) {
        keys.0 = tickets.0.fetch_add(1, Ordering::Relaxed);
    }
    let set_up = |world: &mut World| {
        spawn(world);
        world.insert_resource(Tickets(AtomicU32::new(0)));
    };
    #[system]
    fn marks(_: Commands<Heavy>) {}
    #[system]
    fn does_anything(_: Commands) {}
    #[system]
    fn reserves(_: Entities) {}
    let variations = [Variation::Repeated, Variation::Threads];
    let game = frame(|frame| {
        frame.add((movement, slow, fast, marks, reserves));
    });
    let found = desync(&DeterminismCheck::new(game, set_up).only(&variations));
    assert_eq!(found.variation, Variation::Threads);
    // The first difference by name is in `keys`, which only one system writes. Declared commands change nothing else.
    assert!(found.systems[0].ends_with("fast"), "{found}");
    assert_eq!(found.systems.len(), 1, "{found}");
    assert!(found.undeclared.is_empty(), "{found}");

    let game = frame(|frame| {
        frame.add((movement, slow, fast, marks, does_anything));
    });
    let found = desync(&DeterminismCheck::new(game, set_up).only(&variations));
    assert_eq!(found.systems.len(), 2, "{found}");
    assert_eq!(found.undeclared, [ecs_core::meta(&does_anything).name]);
    assert!(
        found.to_string().contains(
            "does_anything` may have done it by undeclared commands; `Commands<(A, B)>` says"
        ),
        "{found}"
    );
}

#[test]
fn a_system_that_borrows_any_resource_is_compared_by_everything() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    #[system]
    fn by_map(resources: &ResourceMap) {
        resources.borrow_mut::<Keys>().0 = RUNS.fetch_add(1, Ordering::Relaxed);
    }
    let game = frame(|frame| {
        frame.add((movement, by_map, accelerate));
    });
    let check = DeterminismCheck::new(game, spawn);
    found_by(Variation::Repeated, &check, "by_map");
}

#[test]
fn a_step_with_a_condition_is_compared_by_the_data_that_it_and_the_condition_write() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    #[system]
    fn counts(mut keys: ResMut<Keys>) -> bool {
        keys.0 = RUNS.fetch_add(1, Ordering::Relaxed);
        true
    }
    let game = frame(|frame| {
        frame.add((accelerate, movement.run_if(counts)));
    });
    let check = DeterminismCheck::new(game, spawn);
    found_by(Variation::Repeated, &check, "movement");
}

#[test]
fn a_system_that_does_not_run_each_time_is_found() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    #[system]
    fn is_first() -> bool {
        RUNS.fetch_add(1, Ordering::Relaxed) == 0
    }
    let game = frame(|frame| {
        frame.add((movement.run_if(is_first), accelerate));
    });
    let found = desync(&DeterminismCheck::new(game, spawn));
    let text = found.to_string();
    assert!(
        text.starts_with(
            "frame 0: `schedules::determinism_check::accelerate` ran in place of `schedules::determinism_check::movement`"
        ),
        "{text}"
    );
}

#[test]
fn systems_inside_of_steps_are_named() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    #[system]
    fn hidden(mut total: ResMut<Total>) {
        total.0 += RUNS.fetch_add(1, Ordering::Relaxed) as f32;
    }
    let game = frame(|frame| {
        let mut inside = Schedule::named("inside");
        inside.add((accelerate, hidden));
        frame.add((movement, inside));
    });
    found_by(
        Variation::Repeated,
        &DeterminismCheck::new(game, spawn),
        "hidden",
    );
}

#[test]
fn commands_that_differ_are_found_after_their_system() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    #[system]
    fn drop_one(all: Query<Entity, With<Speed>>, mut commands: Commands) {
        let n = RUNS.fetch_add(1, Ordering::Relaxed) as usize;
        if let Some(entity) = all.iter().nth(n) {
            commands.despawn(entity);
        }
    }
    let game = frame(|frame| {
        frame.add((drop_one, movement));
    });
    let found = found_by(
        Variation::Repeated,
        &DeterminismCheck::new(game, spawn).frames(1),
        "drop_one",
    );
    assert!(found.to_string().contains(" despawned"), "{found}");
}

#[test]
fn what_is_not_data_is_refused_or_left_out() {
    let set_up = |world: &mut World| {
        spawn(world);
        world.spawn((Place(1.0), Sprite));
    };
    let game = frame(|frame| {
        frame.add(movement);
    });
    let error = DeterminismCheck::new(&game, set_up).run().unwrap_err();
    assert!(matches!(error, DeterminismError::Hash(_)), "{error}");
    assert!(error.to_string().contains("Sprite"), "{error}");
    let variations = [
        Variation::Repeated,
        Variation::OtherTables,
        Variation::Loaded,
    ];
    for check in [
        DeterminismCheck::new(&game, set_up).without::<Sprite>(),
        DeterminismCheck::new(&game, set_up).only_data(),
    ] {
        check.only(&variations).run().unwrap();
    }
}

#[test]
fn a_schedule_that_cannot_run_is_an_error() {
    let game = frame(|frame| {
        frame.add((movement.after(accelerate), accelerate.after(movement)));
    });
    let error = DeterminismCheck::new(game, spawn).run().unwrap_err();
    assert!(error.to_string().starts_with("frame 0: "), "{error}");
}

#[test]
fn relations_are_compared() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    #[system]
    fn adopt(world: &mut World) {
        let all: Vec<Entity> = world.query::<Entity>().iter().collect();
        let n = 1 + RUNS.fetch_add(1, Ordering::Relaxed) as usize % 3;
        world.insert(all[0], ChildOf.to(all[n])).unwrap();
    }
    let game = frame(|frame| {
        frame.add(adopt);
    });
    let found = found_by(
        Variation::Repeated,
        &DeterminismCheck::new(game, spawn).frames(1),
        "adopt",
    );
    assert_eq!(
        found.differences.entities()[0].values()[0].name(),
        "child_of"
    );
}

#[test]
fn ids_after_a_load_are_those_without_one() {
    #[system]
    fn churn(all: Query<Entity>, keys: Res<Keys>, mut commands: Commands) {
        let mut all: Vec<_> = all.iter().collect();
        all.sort_unstable();
        for _ in 0..keys.0 % 4 {
            commands.spawn(Place(all.len() as f32));
        }
        if keys.0.is_multiple_of(3) {
            all.iter()
                .step_by(3)
                .for_each(|&entity| commands.despawn(entity));
        }
    }
    let game = frame(|frame| {
        frame.add(churn);
    });
    let keys = |world: &mut World, frame| world.resource_mut::<Keys>().0 = frame * 7 / 3;
    let check = DeterminismCheck::new(game, spawn).frames(30).input(keys);
    check.run().unwrap();
}

mod planned {
    use super::*;

    struct Window;

    #[system]
    fn peek(world: &World) {
        let _ = world.len();
    }
    #[system]
    fn all_resources(resources: &ecs_core::ResourceMap) -> bool {
        let _ = resources;
        true
    }
    #[system]
    fn draw(_window: NonSend<Window>) {}
    #[system]
    fn steer(mut speeds: Query<&mut Speed>) {
        for mut speed in &mut speeds {
            speed.0 *= 0.5;
        }
    }

    schedule! {
        deterministic static FRAME = [accelerate, movement.after(accelerate)];
    }

    #[track_caller]
    fn refused(add: impl Fn(&mut Schedule), expected: &str) {
        let mut frame = Schedule::new();
        add(&mut frame);
        frame.plan().unwrap();
        frame.deterministic();
        let error = frame.plan().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        let error = frame.run(&mut World::new()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn schedules_that_may_differ_are_refused_by_name() {
        let add = |frame: &mut Schedule| _ = frame.add((movement, peek));
        refused(
            add,
            "`schedules::determinism_check::planned::peek` is in a deterministic schedule, but `world: &World` may read anything",
        );
        let add = |frame: &mut Schedule| _ = frame.add(movement.run_if(all_resources));
        refused(add, "`resources: &ecs_core::ResourceMap` may read anything");
        let add = |frame: &mut Schedule| {
            let mut inner = Schedule::named("inner");
            inner.add(draw);
            frame.add((movement, inner));
        };
        refused(add, "`_window: NonSend<Window>` is a value of one thread");
        let add = |frame: &mut Schedule| {
            frame.add((accelerate, steer)).unordered(accelerate, steer);
        };
        refused(add, "are `unordered` in a deterministic schedule");
    }

    #[test]
    fn a_static_schedule_that_is_deterministic_runs_and_passes() {
        let check = DeterminismCheck::new(|| FRAME.to_schedule(), spawn);
        check.run().unwrap();
        let mut world = World::new();
        spawn(&mut world);
        FRAME.run(&mut world).unwrap();
        let mut frame = FRAME.to_schedule();
        frame.add(peek);
        frame.plan().unwrap_err();
    }
}

/// Two of them have one `TypeId`, but are different types.
#[test]
fn a_component_of_run_time_is_compared_after_the_system_that_writes_it() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let [calm, wild] = ["det.calm", "det.wild"].map(|name| {
        let component = DynamicComponent::new(name).field("now", FieldKind::U32);
        component.register().unwrap()
    });
    let write = |name: &'static str, terms: &[Term], value: fn() -> u32| {
        let query = DynamicQuery::new(terms.iter().copied()).unwrap();
        let last = terms.len() - 1;
        DynamicSystem::new(name)
            .query(query)
            .build(move |mut params| {
                for mut found in params.queries[0].iter_mut() {
                    let value_of = DynamicMut::of(found.write(last).unwrap());
                    value_of.unwrap().set("now", value()).unwrap();
                }
            })
    };
    let game = frame(|frame| {
        let both = [Term::Write(calm), Term::Write(wild)];
        frame.add(write("det.count", &both, || {
            RUNS.fetch_add(1, Ordering::Relaxed)
        }));
        // At the end of the frame nothing is visible.
        frame.add(write("det.reset", &[Term::Write(wild)], || 0));
    });
    let spawn = |world: &mut World| {
        let entity = world.spawn(Heavy);
        for component in [calm, wild] {
            let value = DynamicValue::new(component).unwrap();
            world.insert_dynamic(entity, value).unwrap();
        }
    };
    let check = DeterminismCheck::new(game, spawn).frames(3);
    let found = found_by(Variation::Repeated, &check, "det.count");
    assert_eq!(
        found.differences.entities()[0].values()[0].name(),
        "det.wild"
    );
}
