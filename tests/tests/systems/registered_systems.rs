//! Systems that a world keeps and runs by their handles, directly and by commands.

use std::cell::Cell;
use std::collections::HashSet;
use std::mem::swap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::system::{ParamError, RunError};
use ecs_core::world::CommandQueue;

#[derive(Component, Resource, Clone, Copy, Debug, PartialEq)]
struct Position(f32);

#[derive(Resource, Default, Debug, PartialEq)]
struct Log(Vec<String>);

impl Log {
    fn say(&mut self, what: impl ToString) {
        self.0.push(what.to_string());
    }
}

struct Key(u32);

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.add_event::<Key>();
    world
}

fn log(world: &World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

/// Queues commands in the world.
fn defer(world: &World, queue: impl FnOnce(&mut Commands<'_>)) {
    let mut commands = CommandQueue::new();
    queue(&mut Commands::new(&mut commands, world.entities()));
    world.defer(&mut commands);
}

/// The message of a panic.
fn panic_of<R>(f: impl FnOnce() -> R) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(f)) else {
        panic!("it does not panic");
    };
    let text = panic.downcast_ref::<String>().cloned();
    text.unwrap_or_else(|| panic.downcast_ref::<&str>().unwrap().to_string())
}

#[system]
fn none(mut log: ResMut<Log>) -> usize {
    log.say("none");
    log.0.len()
}

#[system]
fn one(a: u32, mut log: ResMut<Log>) -> u32 {
    log.say(a);
    a + 1
}

#[system]
#[allow(clippy::too_many_arguments, reason = "the most that a call allows")]
fn eight(
    a: u8,
    b: u16,
    c: String,
    d: Option<Entity>,
    e: (u8, u8),
    f: &'static str,
    g: [u8; 2],
    h: bool,
    mut log: ResMut<Log>,
) -> String {
    log.say("eight");
    format!("{a} {b} {c} {d:?} {e:?} {f} {g:?} {h}")
}

#[system]
fn counts(mut runs: Local<u32>) -> u32 {
    *runs += 1;
    *runs
}

#[system]
fn keys(mut keys: EventReader<Key>) -> Vec<u32> {
    keys.read().map(|key| key.0).collect()
}

#[system]
fn spawns(count: usize, mut commands: Commands) -> Vec<Entity> {
    (0..count)
        .map(|n| commands.spawn(Position(n as f32)).id())
        .collect()
}

#[system]
fn exclusive(by: f32, world: &mut World) -> usize {
    world
        .view_mut::<Position>()
        .iter_mut()
        .for_each(|p| p.0 += by);
    world.len()
}

#[system]
fn all(world: &mut World) -> usize {
    world.len()
}

#[system(for_each)]
fn move_each(by: f32, position: &mut Position) {
    position.0 += by;
}

#[system(for_each)]
fn check_each(max: f32, position: &Position) -> Result<(), String> {
    if position.0 > max {
        return Err(format!("{} is too far", position.0));
    }
    Ok(())
}

#[system]
fn missing(_: Res<Position>) {}

#[derive(Resource)]
struct Shop(u32);

#[systems]
impl Shop {
    #[system]
    fn buy(&mut self, price: u32) -> bool {
        let can = self.0 >= price;
        if can {
            self.0 -= price;
        }
        can
    }
}

#[system]
fn of_type<T: Component + Default>(count: usize, mut commands: Commands) {
    (0..count).for_each(|_| _ = commands.spawn(T::default()));
}

#[derive(Component, Default)]
struct Tag;

/// An argument with an unwritten lifetime.
struct Borrowing<'a>(&'a str);

#[system]
#[allow(elided_lifetimes_in_paths, reason = "the point of the test")]
fn hidden_lifetime(text: Borrowing, mut log: ResMut<Log>) {
    log.say(text.0);
}

#[system]
fn named_lifetime<'a>(text: &'a str, other: &'a str, log: Res<Log>) -> &'a str {
    if log.0.is_empty() { text } else { other }
}

#[test]
fn ordinary_arguments_are_the_input() -> Result<(), RunError> {
    let mut world = world();
    let handle = world.register_system(none);
    assert_eq!(world.run_system(handle, ())?, 1);
    let handle = world.register_system(one);
    assert_eq!(world.run_system(handle, 7)?, 8);
    let handle = world.register_system(eight);
    let text = world.run_system(
        handle,
        (1, 2, "c".to_owned(), None, (5, 6), "literal", [7, 8], true),
    )?;
    assert_eq!(text, "1 2 c None (5, 6) literal [7, 8] true");
    assert_eq!(log(&world), ["none", "7", "eight"]);
    Ok(())
}

#[test]
fn all_kinds_of_systems_can_be_registered() -> Result<(), RunError> {
    let mut world = world();
    world.insert_resource(Shop(5));
    let spawning = world.register_system(spawns);
    let entities = world.run_system(spawning, 2)?;
    let moving = world.register_system(move_each);
    world.run_system(moving, 2.0)?;
    let also = world.register_system(exclusive);
    assert_eq!(world.run_system(also, 0.5)?, 2);
    let position = |world: &World, n: usize| world.get::<Position>(entities[n]).unwrap().0;
    assert_eq!((position(&world, 0), position(&world, 1)), (2.5, 3.5));
    let checking = world.register_system(check_each);
    assert_eq!(world.run_system(checking, 4.0)?, Ok(()));
    assert_eq!(
        world.run_system(checking, 3.0)?,
        Err("3.5 is too far".into())
    );
    let all = world.register_system(all);
    assert_eq!(world.run_system(all, ())?, 2);
    let buying = world.register_system(Shop::buy);
    assert!(world.run_system(buying, 3)?);
    assert!(!world.run_system(buying, 3)?);
    let generic = world.register_system(of_type::<Tag>);
    world.run_system(generic, 3)?;
    assert_eq!(world.view::<Tag>().len(), 3);
    let closure = world.register_system(|positions: Query<&Position>| positions.iter().count());
    assert_eq!(world.run_system(closure, ())?, 2);
    let mut captured = Vec::new();
    let exclusive = world.register_system(from_fn(move |world: &mut World| {
        captured.push(world.spawn(Tag));
        captured.len()
    }));
    world.run_system(exclusive, ())?;
    assert_eq!(world.run_system(exclusive, ())?, 2);
    assert_eq!(world.view::<Tag>().len(), 5);
    Ok(())
}

#[test]
fn arguments_may_have_lifetimes() -> Result<(), RunError> {
    let mut world = world();
    let handle = world.register_system(named_lifetime);
    assert_eq!(world.run_system(handle, ("a", "b"))?, "a");
    let hidden = world.register_system(hidden_lifetime);
    world.run_system(hidden, Borrowing("text"))?;
    assert_eq!(world.run_system(handle, ("a", "b"))?, "b");
    assert_eq!(log(&world), ["text"]);
    Ok(())
}

#[test]
fn inputs_and_outputs_need_not_be_send() -> Result<(), RunError> {
    #[system]
    fn takes(cell: Rc<Cell<u32>>, by: Res<u32>) -> Rc<Cell<u32>> {
        cell.set(cell.get() + *by);
        cell
    }
    let mut world = world();
    world.insert_resource(3_u32);
    let handle = world.register_system(takes);
    let cell = Rc::new(Cell::new(4));
    assert!(Rc::ptr_eq(&world.run_system(handle, cell.clone())?, &cell));
    assert_eq!(cell.get(), 7);
    fn is_plain<T: Copy + Send + Sync + std::fmt::Debug + Eq + std::hash::Hash>(_: T) {}
    is_plain(handle);
    Ok(())
}

#[test]
fn each_registration_has_a_state_of_its_own() -> Result<(), RunError> {
    let mut world = world();
    let [a, b] = [world.register_system(counts), world.register_system(counts)];
    assert_ne!(a, b);
    let runs = [a, a, b, a].map(|handle| world.run_system(handle, ()));
    assert_eq!(runs, [Ok(1), Ok(2), Ok(1), Ok(3)]);
    assert_eq!(world.run(counts), 1, "direct calls have another one");
    assert_eq!(world.run_system(a, ())?, 4);
    Ok(())
}

#[test]
fn events_wait_for_a_registered_reader() -> Result<(), RunError> {
    let mut world = world();
    let handle = world.register_system(keys);
    world.send_event(Key(2));
    // Another reader would let it go if it did not wait for the registered one.
    assert_eq!(world.run(keys), [2]);
    world.send_event(Key(3));
    assert_eq!(world.run_system(handle, ())?, [2, 3]);
    assert!(world.run_system(handle, ())?.is_empty());
    world.send_event(Key(4));
    assert_eq!(world.run_system(handle, ())?, [4]);
    Ok(())
}

#[test]
fn a_missing_resource_is_the_error_of_direct_calls() {
    let mut world = world();
    let handle = world.register_system(missing);
    let Err(RunError::Lock(error)) = world.run_system(handle, ()) else {
        panic!("it ran");
    };
    assert!(matches!(error.error, ParamError::Resource(_)));
    assert_eq!(panic_of(|| missing(&world)), error.to_string());
    assert_eq!(error.to_string(), RunError::from(error.clone()).to_string());
    world.insert_resource(Position(0.0));
    assert_eq!(world.run_system(handle, ()), Ok(()), "it stays registered");
}

#[test]
fn a_handle_of_another_world_is_refused() {
    let (mut here, mut there) = (world(), world());
    let (handle, other) = (here.register_system(none), there.register_system(none));
    assert_ne!(handle, other);
    assert_eq!(there.run_system(handle, ()), Err(RunError::OtherWorld));
    assert!(there.registered_system(handle).is_none());
    assert!(!there.unregister_system(handle));
    assert_eq!(here.run_system(handle, ()), Ok(1));
    assert_eq!(there.run_system(other, ()), Ok(1));
}

#[test]
fn a_handle_is_not_issued_again() {
    let mut world = world();
    let first = world.register_system(none);
    assert!(world.unregister_system(first));
    assert!(!world.unregister_system(first));
    let second = world.register_system(none);
    assert_ne!(first, second);
    assert_eq!(world.run_system(first, ()), Err(RunError::NotRegistered));
    assert!(world.registered_system(first).is_none());
    assert_eq!(world.run_system(second, ()), Ok(1));
    let third = world.register_system(none);
    let all: HashSet<_> = [first, second, third, first].into_iter().collect();
    assert_eq!(all.len(), 3);
    assert_eq!(format!("{second:?}"), "SystemHandle<(), usize>(1)");
}

#[test]
fn the_description_is_that_of_the_system() {
    let mut world = world();
    let handle = world.register_system(one);
    let meta = world.registered_system(handle).unwrap();
    assert_eq!(meta.name, ecs_core::meta(&one).name);
    assert_eq!(meta.access().count(), 1);
    let generic = world.register_system(of_type::<Tag>);
    let name = world.registered_system(generic).unwrap().name;
    assert!(
        name.ends_with("of_type<systems::registered_systems::Tag>"),
        "{name}"
    );
    let exclusive = world.register_system(from_fn(|_: &mut World| {}));
    assert!(
        world
            .registered_system(exclusive)
            .unwrap()
            .world()
            .is_some()
    );
}

#[test]
fn commands_are_applied_before_the_run_returns() -> Result<(), RunError> {
    let mut world = world();
    let handle = world.register_system(spawns);
    let entities = world.run_system(handle, 3)?;
    assert_eq!(world.get::<Position>(entities[2]).unwrap().0, 2.0);
    Ok(())
}

#[test]
fn systems_run_other_systems_to_any_depth() -> Result<(), RunError> {
    type Handles = Vec<SystemHandle<(), usize>>;
    let mut world = world();
    let mut handles: Handles = vec![world.register_system(none)];
    for depth in 1..=100 {
        let inner = *handles.last().unwrap();
        handles.push(world.register_system(from_fn(move |world: &mut World| {
            world.resource_mut::<Log>().say(depth);
            world.run_system(inner, ()).unwrap() + 1
        })));
    }
    assert_eq!(world.run_system(handles[100], ())?, 201);
    let log = log(&world);
    assert_eq!((log[0].as_str(), log[100].as_str()), ("100", "none"));
    Ok(())
}

#[test]
fn a_system_cannot_run_itself_but_queue_its_next_run() {
    #[derive(Resource)]
    struct Itself(SystemHandle<(), Result<(), RunError>>);
    let mut world = world();
    let handle = world.register_system(from_fn(|world: &mut World| {
        let Itself(handle) = *world.resource();
        world.resource_mut::<Log>().say("run");
        let runs = world.resource::<Log>().0.len();
        if runs < 3 {
            defer(world, |commands| commands.run_system(handle, ()));
        } else {
            world.run_system(handle, ())??;
        }
        Ok::<(), RunError>(())
    }));
    world.insert_resource(Itself(handle));
    let message = panic_of(|| world.run_system(handle, ()));
    assert!(message.contains("is running already"), "{message}");
    assert!(message.contains("failed"), "{message}");
    assert_eq!(log(&world).len(), 3);
    let name = world.registered_system(handle).unwrap().name;
    world.insert_resource(Log(vec![String::new(); 9]));
    let expected = RunError::AlreadyRunning { system: name };
    assert_eq!(world.run_system(handle, ()), Ok(Err(expected)));
}

/// Counts its drops.
struct Ledger(Arc<AtomicUsize>);

impl Drop for Ledger {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_panic_leaves_the_system_registered_and_drops_its_commands() -> Result<(), RunError> {
    let drops = Arc::new(AtomicUsize::new(0));
    let mut world = world();
    let (mut runs, ledger) = (0, Ledger(drops.clone()));
    let in_command = drops.clone();
    let handle = world.register_system(
        move |mut commands: Commands, mut seen: Local<u32>, mut log: ResMut<Log>| {
            let _ = &ledger;
            runs += 1;
            *seen += 1;
            let value = Ledger(in_command.clone());
            commands.queue(move |world| {
                world.resource_mut::<Log>().say("applied");
                drop(value);
            });
            log.say(format!("{runs} {}", *seen));
            assert!(runs != 2, "the second run panics");
        },
    );
    world.run_system(handle, ())?;
    let dropped = || drops.load(Ordering::Relaxed);
    assert_eq!(dropped(), 1);
    assert_eq!(
        panic_of(|| world.run_system(handle, ())),
        "the second run panics"
    );
    assert_eq!(dropped(), 2);
    world.run_system(handle, ())?;
    assert_eq!(log(&world), ["1 1", "applied", "2 2", "3 3", "applied"]);
    assert_eq!(dropped(), 3);
    assert!(world.unregister_system(handle));
    assert_eq!(dropped(), 4);
    Ok(())
}

#[test]
fn a_panic_in_an_exclusive_system_leaves_it_registered() {
    let mut world = world();
    let handle = world.register_system(from_fn(|world: &mut World| {
        world.resource_mut::<Log>().say("run");
        assert!(world.resource::<Log>().0.len() != 1, "the first run panics");
    }));
    panic_of(|| world.run_system(handle, ()));
    assert_eq!(world.run_system(handle, ()), Ok(()));
}

#[test]
fn registered_systems_are_dropped_with_the_world() {
    let drops = Arc::new(AtomicUsize::new(0));
    let mut world = world();
    for _ in 0..3 {
        let ledger = Ledger(drops.clone());
        world.register_system(move || _ = &ledger);
    }
    drop(world);
    assert_eq!(drops.load(Ordering::Relaxed), 3);
}

#[test]
fn a_system_can_unregister_itself() {
    #[derive(Resource)]
    struct Itself(SystemHandle<(), bool>);
    let drops = Arc::new(AtomicUsize::new(0));
    let ledger = Ledger(drops.clone());
    let mut world = world();
    let handle = world.register_system(from_fn(move |world: &mut World| {
        let Itself(handle) = *world.resource();
        let done = world.unregister_system(handle);
        assert_eq!(ledger.0.load(Ordering::Relaxed), 0, "it is still running");
        assert_eq!(world.run_system(handle, ()), Err(RunError::NotRegistered));
        done
    }));
    world.insert_resource(Itself(handle));
    assert_eq!(world.run_system(handle, ()), Ok(true));
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    assert_eq!(world.run_system(handle, ()), Err(RunError::NotRegistered));
}

#[test]
fn a_system_can_register_others_while_it_runs() -> Result<(), RunError> {
    let mut world = world();
    let outer = world.register_system(from_fn(|world: &mut World| world.register_system(counts)));
    let inner = world.run_system(outer, ())?;
    let other = world.run_system(outer, ())?;
    assert_ne!(inner, other);
    assert_eq!(world.run_system(inner, ())?, 1);
    assert_eq!(world.run_system(inner, ())?, 2);
    assert_eq!(world.run_system(other, ())?, 1);
    Ok(())
}

#[test]
fn a_system_that_swaps_the_world_stays_with_its_own() {
    let elsewhere = Arc::new(Mutex::new(world()));
    let place = elsewhere.clone();
    let mut world = world();
    let mut runs = 0;
    let handle = world.register_system(from_fn(move |world: &mut World| {
        runs += 1;
        defer(world, |commands| {
            commands.queue(|world| world.resource_mut::<Log>().say("pending"));
        });
        swap(world, &mut place.lock().unwrap());
        world.resource_mut::<Log>().say("swapped");
        runs
    }));
    assert_eq!(world.run_system(handle, ()), Ok(1));
    assert_eq!(world.run_system(handle, ()), Err(RunError::OtherWorld));
    assert_eq!(log(&world), ["swapped"]);
    swap(&mut world, &mut elsewhere.lock().unwrap());
    world.flush();
    assert_eq!(log(&world), ["pending"]);
    assert_eq!(
        world.run_system(handle, ()),
        Ok(2),
        "it is not running any more"
    );
    // It keeps the system, which keeps the place that it is in.
    *elsewhere.lock().unwrap() = World::new();
}

#[test]
fn a_world_that_is_replaced_during_a_run_is_dropped_with_its_systems() {
    let drops = Arc::new(AtomicUsize::new(0));
    let ledger = Ledger(drops.clone());
    let mut world = world();
    let handle = world.register_system(from_fn(move |world: &mut World| {
        *world = World::new();
        ledger.0.load(Ordering::Relaxed)
    }));
    assert_eq!(world.run_system(handle, ()), Ok(0));
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    assert_eq!(world.run_system(handle, ()), Err(RunError::OtherWorld));
}

#[derive(Resource)]
struct Saying(SystemHandle<u32, ()>);

#[system]
fn deferring(mut commands: Commands, handle: Res<Saying>) {
    commands.queue(|world| world.resource_mut::<Log>().say("before"));
    commands.run_system(handle.0, 5);
    commands.queue(|world| world.resource_mut::<Log>().say("between"));
    let captured = "captured";
    commands.run(move |mut log: ResMut<Log>, mut commands: Commands| {
        log.say(captured);
        commands.queue(|world| world.resource_mut::<Log>().say("nested"));
    });
    commands.run(named);
    commands.queue(|world| world.resource_mut::<Log>().say("after"));
}

#[system]
fn named(mut runs: Local<u32>, mut log: ResMut<Log>) {
    *runs += 1;
    log.say(format!("named {}", *runs));
}

#[system]
fn says(what: u32, mut log: ResMut<Log>) {
    log.say(what);
}

#[test]
fn commands_run_systems_in_order() {
    let mut world = world();
    let handle = world.register_system(says);
    world.insert_resource(Saying(handle));
    world.run(deferring);
    let expected = [
        "before", "5", "between", "captured", "nested", "named 1", "after",
    ];
    assert_eq!(log(&world), expected);
    let mut frame = Schedule::new();
    frame.add(deferring);
    frame.run(&mut world).unwrap();
    assert_eq!(log(&world)[5], "named 2", "as when the world runs it");
}

#[test]
fn a_run_that_is_queued_for_an_unregistered_system_does_nothing() {
    let mut world = world();
    let handle = world.register_system(says);
    world.insert_resource(Saying(handle));
    world.unregister_system(handle);
    world.run(deferring);
    assert_eq!(log(&world)[..2], ["before", "between"]);
}

#[test]
fn errors_of_deferred_runs_are_not_lost() {
    let mut world = world();
    let fails = world.register_system(|| Err::<(), _>("no money".to_owned()));
    let name = world.registered_system(fails).unwrap().name;
    let message =
        panic_of(|| world.run(move |mut commands: Commands| commands.run_system(fails, ())));
    let expected = format!("system `{name}`, which a command ran, failed: no money; help: ");
    assert!(message.starts_with(&expected), "{message}");
    let message =
        panic_of(|| world.run(|mut commands: Commands| commands.run(|| Err::<(), _>("no time"))));
    assert!(message.contains("failed: no time"), "{message}");
    let lacks = world.register_system(missing);
    let message =
        panic_of(|| world.run(move |mut commands: Commands| commands.run_system(lacks, ())));
    assert!(
        message.contains("parameter `_: Res<Position>`"),
        "{message}"
    );
    let message = panic_of(|| world.run(|mut commands: Commands| commands.run(missing)));
    assert!(
        message.contains("parameter `_: Res<Position>`"),
        "{message}"
    );
    let other = self::world().register_system(says);
    let message =
        panic_of(|| world.run(move |mut commands: Commands| commands.run_system(other, 1)));
    assert!(
        message.contains("registered with another world"),
        "{message}"
    );
}

/// Runs a random program by handles, and the same program by direct calls and by plain code.
#[test]
fn runs_by_handle_are_like_direct_calls() {
    #[system]
    fn add(by: u32, mut sum: ResMut<u64>) -> u64 {
        *sum = sum.wrapping_mul(3) + u64::from(by);
        *sum
    }
    #[system]
    fn spawn(at: f32, twice: bool, mut commands: Commands) -> usize {
        let count = if twice { 2 } else { 1 };
        (0..count).for_each(|_| _ = commands.spawn(Position(at)));
        count
    }
    #[system]
    fn total(positions: Query<&Position>, mut last: Local<usize>) -> (f32, usize) {
        let before = std::mem::replace(&mut *last, positions.iter().count());
        (positions.iter().map(|p| p.0).sum(), before)
    }
    #[system]
    fn clear(world: &mut World) -> usize {
        let len = world.len();
        world.clear();
        len
    }
    for seed in 0..if cfg!(miri) { 1 } else { 50 } {
        let mut random = u64::wrapping_mul(seed, 0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random >> 33
        };
        let [mut by_handle, mut direct] = [(); 2].map(|()| {
            let mut world = world();
            world.insert_resource(0_u64);
            world
        });
        let mut handles = None;
        let (mut sum, mut positions, mut last) = (0_u64, Vec::new(), 0);
        for _ in 0..100 {
            let (adding, spawning, totals, clearing) = *handles.get_or_insert_with(|| {
                (
                    by_handle.register_system(add),
                    by_handle.register_system(spawn),
                    by_handle.register_system(total),
                    by_handle.register_system(clear),
                )
            });
            match next() % 8 {
                0..=2 => {
                    let by = next() as u32 % 100;
                    sum = sum.wrapping_mul(3).wrapping_add(u64::from(by)) % (1 << 40);
                    let one = by_handle.run_system(adding, by).unwrap();
                    assert_eq!(one, add(by, &direct));
                    *by_handle.resource_mut::<u64>() %= 1 << 40;
                    *direct.resource_mut::<u64>() %= 1 << 40;
                    assert_eq!(*by_handle.resource::<u64>(), sum);
                }
                3 | 4 => {
                    let (at, twice) = ((next() % 8) as f32, next() % 2 == 0);
                    let count = by_handle.run_system(spawning, (at, twice)).unwrap();
                    assert_eq!(count, spawn(at, twice, &direct));
                    direct.flush();
                    positions.extend(std::iter::repeat_n(at, count));
                }
                5 | 6 => {
                    let totals = by_handle.run_system(totals, ()).unwrap();
                    assert_eq!(totals, total(&direct));
                    assert_eq!(totals, (positions.iter().sum(), last));
                    last = positions.len();
                }
                _ => {
                    let len = by_handle.run_system(clearing, ()).unwrap();
                    assert_eq!(len, clear(&mut direct));
                    assert_eq!(len, positions.len());
                    positions.clear();
                }
            }
        }
        by_handle.check_invariants();
    }
}
