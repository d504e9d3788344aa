//! Thread-bound values.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use ecs_core::prelude::*;
use ecs_core::resource::NonSendError;
use ecs_core::schedule::conditions::resource_exists;
use ecs_core::system::{LockError, ParamError};
use ecs_core::{from_fn, inner, meta};

/// A value that is not `Send`, and records its drop.
#[derive(Debug, Default)]
struct Window {
    title: Rc<RefCell<String>>,
    on_drop: Rc<Cell<u32>>,
}

impl Drop for Window {
    fn drop(&mut self) {
        self.on_drop.set(self.on_drop.get() + 1);
    }
}

#[system]
fn retitle(window: NonSendMut<Window>, mut runs: Local<u32>) {
    *runs += 1;
    *window.title.borrow_mut() = format!("run {}", *runs);
}

#[system]
fn length(window: NonSend<Window>) -> usize {
    window.title.borrow().len()
}

#[system]
fn length_if_any(window: Option<NonSend<Window>>, mut other: Option<NonSendMut<Rc<u8>>>) -> usize {
    if let Some(number) = &mut other {
        **number = Rc::new(***number + 1);
    }
    window.map_or(0, |window| window.title.borrow().len())
}

fn world() -> World {
    let mut world = World::new();
    world.insert_non_send(Window::default());
    world
}

fn message_of(panic: Box<dyn std::any::Any + Send>) -> String {
    *panic.downcast::<String>().expect("a message")
}

/// Returns the panic message of a closure on another thread.
fn panic_elsewhere(f: impl FnOnce() + Send) -> String {
    let caught = || catch_unwind(AssertUnwindSafe(f)).unwrap_err();
    thread::scope(|scope| scope.spawn(caught).join().map(message_of).unwrap())
}

#[test]
fn systems_borrow_non_send_values() {
    let mut world = world();
    let mut schedule = Schedule::new();
    schedule.add((
        retitle,
        from_fn(|window: NonSend<Window>| assert_eq!(window.title.borrow().len(), 5)),
    ));
    schedule.run(&mut world).unwrap();
    assert_eq!(*world.non_send::<Window>().title.borrow(), "run 1");
    schedule.run(&mut world).unwrap();
    assert_eq!(*world.non_send::<Window>().title.borrow(), "run 2");
    assert_eq!(length(&world), 5);
}

#[test]
fn an_optional_value_may_be_missing() {
    let mut world = World::new();
    assert_eq!(length_if_any(&world), 0);
    world.insert_non_send(Rc::new(1_u8));
    world.insert_non_send(Window::default());
    world
        .non_send::<Window>()
        .title
        .borrow_mut()
        .push_str("abc");
    assert_eq!(length_if_any(&world), 3);
    assert_eq!(**world.non_send::<Rc<u8>>(), 2);
}

#[test]
fn the_system_is_a_function_of_plain_references_too() {
    let window = Window::default();
    window.title.borrow_mut().push_str("four");
    assert_eq!(inner(&length)(NonSend::from(&window)), 4);
}

#[test]
fn metadata_says_that_the_system_stays_on_the_calling_thread() {
    #[system]
    fn free(_number: Res<u32>, _world: &World) {}
    #[system]
    fn alone(_world: &mut World) {}
    const STAYS: bool = meta(&retitle).on_calling_thread();
    assert!(STAYS && meta(&length_if_any).on_calling_thread() && meta(&alone).on_calling_thread());
    assert!(!meta(&free).on_calling_thread());
}

#[test]
fn inserting_and_removing_hand_the_old_value_back() {
    let mut world = World::new();
    assert_eq!(world.insert_non_send(Rc::new(1)), None);
    assert_eq!(world.insert_non_send(Rc::new(2)), Some(Rc::new(1)));
    assert!(world.contains_non_send::<Rc<i32>>());
    assert_eq!(world.remove_non_send(), Some(Rc::new(2)));
    assert_eq!(world.remove_non_send::<Rc<i32>>(), None);
    assert!(!world.contains_non_send::<Rc<i32>>());
}

#[test]
fn a_resource_of_the_same_type_is_another_value() {
    #[system]
    fn both(mut resource: ResMut<u8>, mut staying: NonSendMut<u8>) {
        *resource += 10;
        *staying += 20;
    }
    let mut world = World::new();
    world.insert_resource(1_u8);
    world.insert_non_send(2_u8);
    both(&world);
    assert_eq!((*world.resource::<u8>(), *world.non_send::<u8>()), (11, 22));
}

#[test]
fn a_second_borrow_is_refused_while_one_writes() {
    let world = world();
    let guard = world.non_send_mut::<Window>();
    let error = world.try_non_send::<Window>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "non-send resource `systems::non_send::Window` cannot be read now: it is borrowed elsewhere; help: let that borrow end first"
    );
    assert!(world.try_non_send_mut::<Window>().is_err());
    drop(guard);
    let readers = (world.non_send::<Window>(), world.non_send::<Window>());
    assert!(world.try_non_send_mut::<Window>().is_err());
    drop(readers);
    assert!(world.try_non_send_mut::<Window>().is_ok());
}

#[test]
fn a_missing_value_is_named_with_system_and_parameter() {
    let mut schedule = Schedule::new();
    schedule.add(retitle);
    let error = schedule.run(&mut World::new()).unwrap_err().to_string();
    assert_eq!(
        error,
        "system `systems::non_send::retitle`, parameter `window: NonSendMut<Window>`: no non-send resource `systems::non_send::Window`; \
         help: insert it with `insert_non_send`, on the thread that uses it"
    );
}

#[test]
fn on_another_thread_the_value_is_refused() {
    let mut world = world();
    let world = &mut world;
    thread::scope(|scope| {
        scope.spawn(|| {
            let error = world.try_non_send::<Window>().unwrap_err();
            assert!(matches!(error, NonSendError::OtherThread { .. }));
            assert!(world.try_non_send_mut::<Window>().is_err());
            assert!(world.contains_non_send::<Window>());
            let mut schedule = Schedule::new();
            schedule.add(from_fn(|window: Option<NonSend<Window>>| drop(window)));
            let error = schedule.run(world).unwrap_err();
            let ecs_core::ScheduleError::Systems(errors) = error else {
                panic!("{error}");
            };
            let lock = errors[0].error.downcast_ref::<LockError>().unwrap();
            assert!(matches!(
                &lock.error,
                ParamError::NonSend(NonSendError::OtherThread { .. })
            ));
            let message = errors[0].to_string();
            assert!(
                message.contains(
                    "non-send resource `systems::non_send::Window` can only be used on the thread that inserted it"
                ),
                "{message}"
            );
        });
    });
    assert_eq!(length(world), 0, "nothing stays borrowed");
}

#[test]
fn another_thread_can_neither_take_nor_replace_the_value() {
    let mut world = world();
    let drops = world.non_send::<Window>().on_drop.clone();
    let message = panic_elsewhere(|| drop(world.remove_non_send::<Window>()));
    assert!(
        message.contains("`systems::non_send::Window` can only be used on the thread"),
        "{message}"
    );
    let message = panic_elsewhere(|| drop(world.insert_non_send(Window::default())));
    assert!(
        message.contains("`systems::non_send::Window` can only be used on the thread"),
        "{message}"
    );
    assert_eq!(drops.get(), 0);
    drop(world);
    assert_eq!(drops.get(), 1);
}

#[test]
fn a_world_dropped_on_another_thread_leaks_non_send_values_and_drops_the_rest() {
    let mut world = world();
    let drops = world.non_send::<Window>().on_drop.clone();
    let resource = Arc::new(());
    world.insert_resource(resource.clone());
    thread::spawn(move || drop(world)).join().unwrap();
    assert_eq!(Arc::strong_count(&resource), 1);
    assert_eq!((drops.get(), Rc::strong_count(&drops)), (0, 2));
}

#[test]
fn a_value_of_another_thread_is_used_there() {
    let mut world = World::new();
    let world = &mut world;
    thread::scope(|scope| {
        scope.spawn(|| {
            world.insert_non_send(Window::default());
            let mut schedule = Schedule::new();
            schedule.add(retitle);
            schedule.run(world).unwrap();
            assert_eq!(*world.non_send::<Window>().title.borrow(), "run 1");
            world.remove_non_send::<Window>().unwrap();
        });
    });
    world.insert_non_send(Window::default());
    assert_eq!(length(world), 0);
}

#[test]
fn a_panic_ends_the_borrow() {
    let mut world = world();
    let mut schedule = Schedule::new();
    let mut first = true;
    schedule.add(from_fn(move |mut window: NonSendMut<Window>| {
        window.title = Rc::default();
        assert!(!std::mem::take(&mut first), "first run");
    }));
    catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world))).unwrap_err();
    assert!(world.try_non_send_mut::<Window>().is_ok());
    schedule.run(&mut world).unwrap();
}

#[test]
fn a_derived_parameter_can_hold_non_send_values() {
    #[derive(SystemParam)]
    struct Screen<'w> {
        window: NonSendMut<'w, Window>,
    }
    #[system]
    fn clear(screen: Screen<'_>) {
        screen.window.title.borrow_mut().clear();
    }
    let world = world();
    world.non_send::<Window>().title.borrow_mut().push('x');
    clear(&world);
    assert_eq!(length(&world), 0);
    assert!(meta(&clear).on_calling_thread());
}

#[test]
fn a_world_with_non_send_values_is_send_and_sync() {
    fn send_and_sync<T: Send + Sync>(_: &T) {}
    send_and_sync(&world());
}

#[test]
fn on_many_threads_non_send_values_are_used_on_the_calling_one() {
    #[system]
    fn work<const N: usize>(mut numbers: CompMut<Number<N>>) {
        numbers.iter_mut().for_each(|number| number.0 += 1);
    }
    #[derive(Component)]
    struct Number<const N: usize>(u64);
    let home = thread::current().id();
    let here = move |_: NonSend<Window>| assert_eq!(thread::current().id(), home);
    let asked = from_fn(move |window: Option<NonSend<Window>>| {
        assert_eq!(thread::current().id(), home);
        window.is_some()
    });
    let mut inner = Schedule::new();
    inner.add((work::<0>, retitle, work::<1>));
    let mut schedule = Schedule::new();
    schedule.add((work::<0>, from_fn(here), work::<1>, retitle, work::<2>));
    schedule.add((inner, work::<3>, from_fn(here)));
    schedule.add((work::<0>, work::<1>, work::<2>).run_if(resource_exists::<u8>().or(asked)));
    let mut world = world();
    world.spawn_batch((0..1000).map(|n| (Number::<0>(n), Number::<1>(n))));
    world.spawn_batch((0..1000).map(|n| (Number::<2>(n), Number::<3>(n))));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(4)
        .build()
        .unwrap();
    for _ in 0..100 {
        schedule.run_par(&mut world, &pool).unwrap();
    }
    assert_eq!(*world.non_send::<Window>().title.borrow(), "run 100");
    let sums = (
        world.view::<Number<0>>().iter().map(|n| n.0).sum::<u64>(),
        world.view::<Number<3>>().iter().map(|n| n.0).sum::<u64>(),
    );
    let first = 999 * 1000 / 2;
    assert_eq!(sums, (first + 300_000, first + 100_000));
}
