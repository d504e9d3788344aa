//! Commands and exclusive systems that replace the world that they receive with another one.

use std::mem::{replace, swap, take};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, Weak};

use ecs_core::prelude::*;
use ecs_core::schedule;
use ecs_core::world::CommandQueue;
use ecs_core::world::hooks::DeferredWorld;

/// A log of commands and systems in a world.
#[derive(Resource, Default)]
struct Log(Vec<&'static str>);

/// A second world, to swap with.
type Elsewhere = Arc<Mutex<World>>;

type Reaction = Arc<dyn Fn(&mut World) + Send + Sync>;

/// A component whose hooks queue the command in the resource.
#[derive(Component)]
#[component(on_add = Self::react, on_remove = Self::react)]
struct Reacts;

struct Reactions(Reaction);

impl Reacts {
    fn react(mut world: DeferredWorld<'_>, _: Entity) {
        let reaction = world.resource::<Reactions>().0.clone();
        world.commands().queue(move |world| reaction(world));
    }
}

fn say(world: &World, what: &'static str) {
    world.resource_mut::<Log>().0.push(what);
}

fn log(world: &World) -> Vec<&'static str> {
    take(&mut world.resource_mut::<Log>().0)
}

fn reacting(reaction: impl Fn(&mut World) + Send + Sync + 'static) -> World {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.insert_resource(Reactions(Arc::new(reaction)));
    world
}

fn world() -> World {
    reacting(|world| say(world, "queued"))
}

fn elsewhere() -> Elsewhere {
    Arc::new(Mutex::new(world()))
}

fn swap_with(world: &mut World, elsewhere: &Elsewhere) {
    swap(world, &mut elsewhere.lock().unwrap());
}

fn defer(world: &World, command: impl FnOnce(&mut World) + Send + 'static) {
    let mut queue = CommandQueue::new();
    queue.push(command);
    world.defer(&mut queue);
}

/// Checks that no cascade is running in the world: commands that hooks queue are applied before the change returns, in
/// this world.
fn check(world: &mut World) {
    world.check_invariants();
    world.insert_resource(Reactions(Arc::new(|world| say(world, "queued"))));
    log(world);
    let entity = world.spawn(Reacts);
    assert_eq!(log(world), ["queued"]);
    world.spawn_batch([Reacts, Reacts]);
    assert_eq!(log(world), ["queued"; 2]);
    let mut queue = CommandQueue::new();
    queue.push(move |world: &mut World| {
        world.despawn(entity).unwrap();
        say(world, "command");
    });
    queue.push(|world: &mut World| say(world, "next"));
    queue.apply(world);
    assert_eq!(log(world), ["command", "queued", "next"]);
}

#[test]
fn a_world_that_a_command_swaps_out_is_idle() {
    let (mut one, other) = (world(), elsewhere());
    let (first, second) = (one.id(), other.lock().unwrap().id());
    let mut queue = CommandQueue::new();
    let place = other.clone();
    queue.push(move |world: &mut World| {
        say(world, "before");
        swap_with(world, &place);
    });
    queue.push(|world: &mut World| say(world, "after"));
    queue.apply(&mut one);
    let mut other = other.lock().unwrap();
    assert_eq!((one.id(), other.id()), (second, first));
    assert_eq!((log(&one), log(&other)), (vec!["after"], vec!["before"]));
    check(&mut one);
    check(&mut other);
}

#[test]
fn a_world_that_replaces_another_for_good_is_idle() {
    let mut one = world();
    let mut queue = CommandQueue::new();
    queue.push(|world: &mut World| drop(replace(world, self::world())));
    queue.push(|world: &mut World| _ = world.spawn(Reacts));
    queue.apply(&mut one);
    assert_eq!(log(&one), ["queued"]);
    check(&mut one);
}

#[test]
fn a_command_of_a_hook_may_swap_the_world() {
    let other = elsewhere();
    let place = other.clone();
    let mut one = reacting(move |world| {
        say(world, "before");
        swap_with(world, &place);
        say(world, "after");
    });
    one.spawn(Reacts);
    let mut other = other.lock().unwrap();
    assert_eq!((one.len(), other.len()), (0, 1));
    assert_eq!((log(&one), log(&other)), (vec!["after"], vec!["before"]));
    check(&mut one);
    check(&mut other);
}

#[test]
fn deferred_commands_move_with_their_world() {
    let other = elsewhere();
    let place = other.clone();
    let mut one = reacting(move |world| {
        defer(world, |world| say(world, "deferred by the command"));
        swap_with(world, &place);
    });
    defer(&one, |world| say(world, "older"));
    one.spawn(Reacts);
    assert!(log(&one).is_empty(), "no command is for this world");
    one.flush();
    assert!(log(&one).is_empty());
    let mut other = other.lock().unwrap();
    assert!(log(&other).is_empty());
    other.flush();
    assert_eq!(log(&other), ["older", "deferred by the command"]);
    check(&mut one);
    check(&mut other);
}

#[test]
fn deferred_commands_of_the_new_world_are_applied_to_it() {
    let other = elsewhere();
    defer(&other.lock().unwrap(), |world| say(world, "waited"));
    let place = other.clone();
    let mut one = world();
    let mut queue = CommandQueue::new();
    queue.push(move |world: &mut World| swap_with(world, &place));
    queue.push(|world: &mut World| say(world, "next"));
    queue.apply(&mut one);
    assert_eq!(log(&one), ["waited", "next"]);
    let mut other = other.lock().unwrap();
    assert!(log(&other).is_empty());
    check(&mut one);
    check(&mut other);
}

#[test]
fn hooks_of_hooks_are_counted_in_their_world() {
    // A hook inside a command: its own commands are nested one level deeper than the commands around it.
    let other = elsewhere();
    let place = other.clone();
    let mut one = reacting(move |world| swap_with(world, &place));
    let mut queue = CommandQueue::new();
    queue.push(|world: &mut World| _ = world.spawn(Reacts));
    queue.push(|world: &mut World| say(world, "next"));
    queue.apply(&mut one);
    assert_eq!(log(&one), ["next"]);
    let mut other = other.lock().unwrap();
    assert!(log(&other).is_empty());
    check(&mut one);
    check(&mut other);
}

#[test]
fn worlds_are_swapped_back_and_forth() {
    let other = elsewhere();
    let place = other.clone();
    let mut one = reacting(move |world| {
        for _ in 0..3 {
            swap_with(world, &place);
            if world.len() < 20 {
                let entity = world.spawn(Reacts);
                world.despawn(entity).unwrap();
                world.spawn(Reacts);
            }
            world.flush();
        }
    });
    let reactions = one.resource::<Reactions>().0.clone();
    other.lock().unwrap().insert_resource(Reactions(reactions));
    defer(&one, |world| say(world, "waits in one"));
    defer(&other.lock().unwrap(), |world| {
        say(world, "waits in the other");
    });
    let id = one.id();
    one.spawn(Reacts);
    let mut other = other.lock().unwrap();
    for world in [&mut one, &mut other] {
        world.flush();
        let expected = if world.id() == id {
            "waits in one"
        } else {
            "waits in the other"
        };
        let said = log(world);
        assert_eq!(said, [expected]);
        check(world);
    }
}

#[test]
fn a_world_may_be_taken_out_used_and_put_back() {
    let mut one = world();
    let id = one.id();
    let mut queue = CommandQueue::new();
    queue.push(|world: &mut World| {
        let mut taken = take(world);
        taken.spawn(Reacts);
        let taken = std::thread::spawn(move || {
            taken.spawn(Reacts);
            taken
        });
        world.spawn(());
        *world = taken.join().unwrap();
        say(world, "command");
    });
    queue.push(|world: &mut World| say(world, "next"));
    queue.apply(&mut one);
    assert_eq!(one.id(), id);
    assert_eq!(log(&one), ["command", "queued", "queued", "next"]);
    check(&mut one);
}

#[test]
fn a_world_that_is_applied_to_elsewhere_can_be_applied_to_inside() {
    let other = elsewhere();
    let place = other.clone();
    let mut one = reacting(move |world| {
        // The current world is in the mutex now, and another queue is applied to it there.
        swap_with(world, &place);
        let mut queue = CommandQueue::new();
        queue.push(|world: &mut World| {
            say(world, "inside");
            world.insert_resource(Reactions(Arc::new(|world| say(world, "queued"))));
            world.spawn(Reacts);
        });
        queue.push(|world: &mut World| say(world, "next"));
        queue.apply(&mut place.lock().unwrap());
    });
    defer(&one, |world| say(world, "older"));
    one.spawn(Reacts);
    let mut other = other.lock().unwrap();
    assert_eq!(log(&other), ["inside", "queued", "next"]);
    other.flush();
    assert_eq!(log(&other), ["older"]);
    check(&mut one);
    check(&mut other);
}

#[test]
fn a_panic_after_a_swap_of_worlds_leaves_both_usable() {
    for is_direct in [false, true] {
        let other = elsewhere();
        let place = other.clone();
        let mut one = reacting(move |world| {
            defer(world, |world| say(world, "goes with it"));
            swap_with(world, &place);
            panic!("after all");
        });
        defer(&one, |world| say(world, "older"));
        let run = AssertUnwindSafe(|| {
            if is_direct {
                one.spawn(Reacts);
            } else {
                let mut queue = CommandQueue::new();
                queue.push(|world: &mut World| _ = world.spawn(Reacts));
                queue.push(|world: &mut World| say(world, "never"));
                queue.apply(&mut one);
            }
        });
        assert!(catch_unwind(run).is_err());
        one.flush();
        assert!(log(&one).is_empty());
        let mut other = other
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        other.flush();
        // Applying a queue flushes older commands first; a structural change does not.
        assert_eq!(log(&other), ["older", "goes with it"]);
        check(&mut one);
        check(&mut other);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes it too long")]
fn panics_that_commands_catch_do_not_add_up() {
    let mut one = reacting(|_| resume_unwind(Box::new("always")));
    let mut queue = CommandQueue::new();
    queue.push(|world: &mut World| {
        for _ in 0..70_000 {
            let mut inner = CommandQueue::new();
            inner.push(|world: &mut World| _ = world.spawn(Reacts));
            let apply = AssertUnwindSafe(|| inner.apply(world));
            let panic = catch_unwind(apply).unwrap_err();
            assert_eq!(panic.downcast_ref(), Some(&"always"));
        }
    });
    queue.apply(&mut one);
    check(&mut one);
}

#[system]
fn swaps(world: &mut World) {
    let place = world.resource::<Weak<Mutex<World>>>().upgrade().unwrap();
    say(world, "before");
    swap_with(world, &place);
    say(world, "after");
}

#[system]
fn defers(mut commands: Commands, mut runs: Local<u32>, mut log: ResMut<Log>) {
    *runs += 1;
    log.0.push(["first run", "second run"][*runs as usize - 1]);
    commands.queue(|world| {
        world.spawn(Reacts);
    });
}

/// Creates two worlds; each of them finds the other one in the mutex.
fn pair() -> (World, Elsewhere) {
    let (mut one, other) = (world(), elsewhere());
    let place = Arc::downgrade(&other);
    one.insert_resource(place.clone());
    other.lock().unwrap().insert_resource(place);
    (one, other)
}

#[test]
fn an_exclusive_system_may_swap_the_world() {
    let (mut one, other) = pair();
    defer(&one, |world| say(world, "waits"));
    one.run(swaps);
    assert_eq!(log(&one), ["after"]);
    let mut other = other.lock().unwrap();
    assert_eq!(log(&other), ["before"]);
    other.flush();
    assert_eq!(log(&other), ["waits"]);
    check(&mut one);
    check(&mut other);
}

#[test]
fn later_systems_of_a_schedule_run_on_the_new_world() {
    type Run = fn(&mut Schedule, &mut World);
    let runs: [Run; 3] = [
        |schedule, world| schedule.run(world).unwrap(),
        |schedule, world| schedule.run_seq(world).unwrap(),
        |schedule, world| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(2)
                .build()
                .unwrap();
            schedule.run_par(world, &pool).unwrap();
        },
    ];
    // The thread pool does not support strict provenance.
    let runs = if cfg!(miri) { &runs[..2] } else { &runs };
    for run in runs {
        let (mut one, other) = pair();
        let id = one.id();
        let mut frame = Schedule::new();
        frame.add((defers, swaps, defers));
        run(&mut frame, &mut one);
        let mut other = other.lock().unwrap();
        assert_eq!(log(&other), ["first run", "queued", "before"]);
        assert_eq!(log(&one), ["after", "first run", "queued"]);
        assert!(
            frame.run(&mut one).is_err(),
            "it belongs to the other world"
        );
        assert_eq!(other.id(), id);
        check(&mut one);
        check(&mut other);
    }
}

schedule! {
    static FRAME = [defers, swaps];
}

#[test]
fn the_state_of_a_static_schedule_stays_with_its_world() {
    let (mut one, other) = pair();
    for _ in 0..2 {
        FRAME.run(&mut one).unwrap();
        let other = other.lock().unwrap();
        assert_eq!(log(&other), ["first run", "queued", "before"]);
        assert_eq!(log(&one), ["after"]);
    }
}
