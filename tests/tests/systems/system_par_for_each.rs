//! `#[system(par_for_each)]`, and the filters `changed(..)` and `added(..)` of both loops.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ThreadId;
use std::time::Duration;

use ecs_core::meta::{Kind, ParamAccess, QueryAccess};
use ecs_core::prelude::*;
use ecs_core::resource::ResourceMap;
use ecs_core::system::SystemInfo;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Position(u32);

#[derive(Component)]
struct Velocity;

#[derive(Component)]
#[component(storage = "sparse")]
struct Frozen;

#[derive(Component, PartialEq, Debug)]
#[component(track)]
struct Health(u32);

#[derive(Resource)]
struct Wind(u32);

#[derive(Resource, Default)]
struct Visits(AtomicUsize);

/// Enough rows for several threads.
const ROWS: u32 = 20_000;

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Wind(7));
    world.insert_resource(Visits::default());
    world.spawn_batch((0..ROWS).map(|i| (Position(i), Velocity)));
    world
}

fn positions(world: &World) -> Vec<u32> {
    let mut all: Vec<u32> = world.view::<Position>().iter().map(|p| p.0).collect();
    all.sort_unstable();
    all
}

/// Runs `f` on a pool of four threads, independent of the number of processors.
fn with_threads<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build();
    pool.unwrap().install(f)
}

#[derive(SystemParam)]
#[system_param(shared)]
struct Weather<'w> {
    wind: Res<'w, Wind>,
    storm: Option<Res<'w, u64>>,
}

#[system(par_for_each)]
fn blow(
    times: u32,
    position: &mut Position,
    velocity: Option<&Velocity>,
    weather: Weather<'_>,
    (visits, others): (Res<Visits>, Query<&Health, Without<Position>>),
    entities: Entities,
    entity: Entity,
) {
    assert!(entities.contains(entity));
    assert!(weather.storm.is_none() && others.is_empty());
    visits.0.fetch_add(1, Ordering::Relaxed);
    position.0 += times * weather.wind.0 + velocity.map_or(0, |_| 100);
}

#[test]
fn each_entity_is_visited_once_with_all_that_the_function_takes() {
    let mut world = world();
    world.spawn(Position(0));
    with_threads(|| blow(2, &world));
    let expected = (0..ROWS).map(|i| i + 114);
    let mut expected: Vec<u32> = expected.chain([14]).collect();
    expected.sort_unstable();
    assert_eq!(positions(&world), expected);
    let visits = world.resource::<Visits>().0.load(Ordering::Relaxed);
    assert_eq!(visits, ROWS as usize + 1);
}

#[system(par_for_each)]
fn note_thread(#[arg] threads: &Mutex<HashSet<ThreadId>>, _position: &Position) {
    let mut seen = threads.lock().unwrap();
    seen.insert(std::thread::current().id());
    let is_alone = seen.len() < 2;
    drop(seen);
    if is_alone {
        // Gives a second thread the time to take rows, so that one does not visit all.
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn several_threads_take_part() {
    let world = world();
    let threads = Mutex::default();
    with_threads(|| note_thread(&threads, &world));
    assert!(threads.into_inner().unwrap().len() >= 2);
}

#[system(par_for_each, with(Velocity), without(Frozen))]
fn stop(position: &mut Position) {
    position.0 = 0;
}

#[test]
fn filters_choose_among_the_entities() {
    let mut world = world();
    let frozen = world.spawn((Position(5), Velocity, Frozen));
    let lazy = world.spawn(Position(6));
    let mut frame = Schedule::new();
    frame.add(stop);
    frame.run(&mut world).unwrap();
    assert_eq!(world.get::<Position>(frozen).as_deref(), Some(&Position(5)));
    assert_eq!(world.get::<Position>(lazy).as_deref(), Some(&Position(6)));
    assert_eq!(positions(&world).iter().sum::<u32>(), 11);
}

#[system(par_for_each)]
fn check(
    visits: Res<Visits>,
    position: &Position,
    world: &World,
    resources: &ResourceMap,
    all: Comp<Position>,
) -> Result<(), String> {
    assert_eq!((all.len(), resources.len()), (world.len(), 2));
    visits.0.fetch_add(1, Ordering::Relaxed);
    match position.0 {
        40_000.. => Err(format!("{} is too far", position.0)),
        _ => Ok(()),
    }
}

#[test]
fn an_error_ends_the_loop_and_is_returned() {
    let mut world = world();
    assert_eq!(check(&world), Ok(()));
    world.resource::<Visits>().0.store(0, Ordering::Relaxed);
    for position in &mut world.view_mut::<Position>() {
        position.0 = 50_000;
    }
    assert_eq!(
        with_threads(|| check(&world)).unwrap_err(),
        "50000 is too far"
    );
    let visits = world.resource::<Visits>().0.load(Ordering::Relaxed);
    assert!(
        (1..=4).contains(&visits),
        "one per thread at most: {visits}"
    );
    let mut frame = Schedule::new();
    frame.add(check);
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert!(error.contains("50000 is too far"), "{error}");
}

/// Late rows fail or panic immediately; earlier ones take their time.
#[system(par_for_each)]
fn fail_late(position: &Position, panics: Res<bool>) -> Result<(), u32> {
    match position.0 {
        at @ (3_000 | 9_000 | 15_000) => {
            std::thread::sleep(Duration::from_millis((16_000 - u64::from(at)) / 200));
            assert!(!*panics, "{at} panics");
            Err(at)
        }
        15_001.. if *panics => panic!("a later one panics"),
        _ => Ok(()),
    }
}

#[test]
fn the_failure_of_the_first_entity_is_returned_whichever_thread_was_first() {
    let mut world = world();
    world.insert_resource(false);
    assert_eq!(fail_late(&world), Err(3_000));
    assert_eq!(with_threads(|| fail_late(&world)), Err(3_000));
    *world.resource_mut::<bool>() = true;
    let caught = with_threads(|| catch_unwind(AssertUnwindSafe(|| fail_late(&world))));
    let message = caught.expect_err("several panic");
    assert_eq!(message.downcast_ref::<String>().unwrap(), "3000 panics");
    let caught = with_threads(|| {
        catch_unwind(AssertUnwindSafe(|| {
            let positions = world.view::<Position>();
            positions.par_for_each(|position| {
                if position.0 == 3_000 {
                    std::thread::sleep(Duration::from_millis(60));
                    panic!("the first");
                }
                assert!(position.0 < 9_000, "a later one");
            });
        }))
    });
    let message = caught.expect_err("several panic");
    assert_eq!(message.downcast_ref::<&str>(), Some(&"the first"));
}

#[system(par_for_each, changed(Health), added(Health))]
fn greet(health: &Health, visits: Res<Visits>) {
    let _ = health;
    visits.0.fetch_add(1, Ordering::Relaxed);
}

#[system(for_each, changed(Health))]
fn heal(health: &mut Health, mut healed: ResMut<u32>) {
    health.0 += 1;
    *healed += 1;
}

#[system(par_for_each)]
fn hurt(mut health: Mut<Health>, position: &Position) {
    if position.0 == 1 {
        health.0 -= 1;
    }
}

#[system(par_for_each)]
fn touch(health: Option<&mut Health>, _position: &Position) {
    assert!(health.is_some());
}

#[test]
fn changed_and_added_match_changes_since_the_last_run() {
    let mut world = World::new();
    world.insert_resource(Visits::default());
    world.insert_resource(0_u32);
    let [a, b] = [1, 2].map(|i| world.spawn((Health(10), Position(i))));
    let greeted = |world: &World| world.resource::<Visits>().0.swap(0, Ordering::Relaxed);
    greet(&world);
    assert_eq!(greeted(&world), 2);
    greet(&world);
    assert_eq!(greeted(&world), 0);
    let late = world.spawn(Health(20));
    greet(&world);
    assert_eq!(greeted(&world), 1, "the new one");

    heal(&world);
    assert_eq!(*world.resource::<u32>(), 3);
    heal(&world);
    assert_eq!(
        *world.resource::<u32>(),
        3,
        "a system does not see its own changes"
    );
    hurt(&world);
    heal(&world);
    assert_eq!(
        *world.resource::<u32>(),
        4,
        "a `Mut` tells what was written"
    );
    touch(&world);
    heal(&world);
    assert_eq!(*world.resource::<u32>(), 6, "a `&mut` counts as written");
    let healths = [a, b, late].map(|entity| world.get::<Health>(entity).unwrap().0);
    assert_eq!(healths, [12, 12, 21]);
}

#[test]
fn metadata_lists_items_filters_and_shared_parameters() {
    let params = ecs_core::meta(&greet).params;
    assert_eq!(
        params[0].ty,
        "Query<&Health, (Changed<Health>, Added<Health>)>"
    );
    let ParamAccess::Query { filter, .. } = params[0].of.access else {
        panic!("a query's tree");
    };
    assert!(matches!(
        filter,
        QueryAccess::All([QueryAccess::Changed(_), QueryAccess::Added(_)])
    ));
    let writes = blow.access().filter(|access| access.kind == Kind::Write);
    assert_eq!(writes.count(), 1, "only the items write");
}

#[test]
fn the_function_as_written_takes_plain_values() {
    let health = Health(1);
    let visits = Visits::default();
    ecs_core::inner(&greet)(&health, Res::from(&visits));
    assert_eq!(visits.0.into_inner(), 1);
}

#[derive(Resource)]
struct Sun(u32);

#[systems]
impl Sun {
    #[system(par_for_each, with(Velocity))]
    fn shine(&self, position: &mut Position) {
        position.0 = self.0;
    }
}

#[system(par_for_each)]
fn set<T: Component + From<u32>, const N: u32>(value: &mut T) {
    *value = T::from(N);
}

impl From<u32> for Position {
    fn from(value: u32) -> Self {
        Self(value)
    }
}

#[test]
fn methods_and_generic_functions_are_called_on_several_threads_too() {
    let mut world = world();
    world.insert_resource(Sun(3));
    with_threads(|| Sun::shine(&world));
    assert!(positions(&world).iter().all(|&p| p == 3));
    with_threads(|| set::<Position, 4>(&world));
    assert!(positions(&world).iter().all(|&p| p == 4));
}

#[system(par_for_each)]
fn explode(position: &Position) {
    assert!(position.0 != 12_345, "on purpose");
}

#[test]
fn a_panic_in_one_thread_reaches_the_caller_and_the_borrow_ends() {
    let world = world();
    let call = std::panic::AssertUnwindSafe(|| with_threads(|| explode(&world)));
    assert!(std::panic::catch_unwind(call).is_err());
    assert!(world.try_view_mut::<Position>().is_ok());
}
