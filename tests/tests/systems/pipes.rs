//! Systems combined by `pipe` and `map`: in schedules, as conditions, registered, and run directly.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ecs_core::from_fn;
use ecs_core::meta::{conflicts, may_conflict};
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::not;
use ecs_core::schedule::{ScheduleError, SystemError, ThreadPlacement, Unread};
use ecs_core::system::{In, LockError, MapSystem, RunError};

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Position(f32);

#[derive(Component)]
struct Velocity(f32);

#[derive(Component)]
struct Health(f32);

#[derive(Resource, Default)]
struct Log(Vec<String>);

impl Log {
    fn say(&mut self, what: impl ToString) {
        self.0.push(what.to_string());
    }
}

#[derive(Resource)]
struct Missing;

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.spawn((Position(1.0), Velocity(2.0)));
    world.spawn((Position(5.0), Health(3.0)));
    world
}

fn log(world: &World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

#[system]
fn count(positions: Comp<Position>) -> usize {
    positions.len()
}

#[system]
fn double(n: usize) -> usize {
    n * 2
}

#[system]
fn report(n: usize, mut log: ResMut<Log>) {
    log.say(n);
}

#[system]
fn move_all(by: f32, mut positions: CompMut<Position>) -> f32 {
    positions.iter_mut().for_each(|p| p.0 += by);
    by
}

#[system]
fn bounds(positions: Comp<Position>) -> (f32, f32) {
    let all = || positions.iter().map(|p| p.0);
    (
        all().fold(f32::MAX, f32::min),
        all().fold(f32::MIN, f32::max),
    )
}

#[system]
fn report_both(least: f32, most: f32, mut log: ResMut<Log>) {
    log.say(format!("{least}..{most}"));
}

#[system]
fn spawn_one(mut commands: Commands, mut log: ResMut<Log>) -> usize {
    commands.spawn(Position(9.0));
    commands.queue(|world| world.resource_mut::<Log>().say("first's command"));
    log.say("first");
    1
}

#[system]
fn spawn_more(n: usize, positions: Comp<Position>, mut commands: Commands, mut log: ResMut<Log>) {
    log.say(format!("second sees {}", positions.len()));
    for _ in 0..n {
        commands.spawn(Position(8.0));
        commands.queue(|world| world.resource_mut::<Log>().say("second's command"));
    }
}

#[system]
fn fails(n: usize) -> Result<(), String> {
    if n > 1 {
        Err(format!("{n} are too many"))
    } else {
        Ok(())
    }
}

#[system]
fn needs(_: Res<Missing>) -> usize {
    0
}

#[system]
fn needs_too(n: usize, _: Res<Missing>) -> usize {
    n
}

#[system]
fn all(n: usize, world: &mut World) -> usize {
    world
        .resource_mut::<Log>()
        .say(format!("exclusive sees {}", world.len()));
    n + world.len()
}

#[system]
fn look(n: usize, world: &World) -> usize {
    n + world.len()
}

#[test]
fn the_output_of_the_first_is_the_argument_of_the_second() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    frame.add((count.pipe(report), bounds.pipe(report_both)));
    frame.add(count.pipe(double).pipe(double).map(|n| n + 1).pipe(report));
    frame.add(count.pipe(double.pipe(double)).pipe(report));
    frame.run(&mut world)?;
    assert_eq!(log(&world), ["2", "1..5", "9", "8"]);
    Ok(())
}

#[test]
fn both_systems_may_write_what_the_other_one_reads() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    let sum = |positions: Query<&Position>| positions.iter().map(|p| p.0).sum::<f32>();
    frame.add(sum.pipe(move_all).pipe(move_all).map(|_| ()));
    frame.run(&mut world)?;
    assert_eq!(world.run(bounds), (13.0, 17.0));
    Ok(())
}

#[test]
fn commands_of_both_are_applied_after_both() -> Result<(), ScheduleError> {
    let expected = [
        "first",
        "second sees 2",
        "first's command",
        "second's command",
    ];
    let mut scheduled = world();
    let mut frame = Schedule::new();
    frame.add(spawn_one.pipe(spawn_more));
    frame.run_seq(&mut scheduled)?;
    assert_eq!(log(&scheduled), expected);
    assert_eq!(scheduled.len(), 4);
    let mut direct = world();
    direct.run(spawn_one.pipe(spawn_more));
    assert_eq!(log(&direct), expected);
    let mut registered = world();
    let handle = registered.register_system(spawn_one.pipe(spawn_more));
    registered.run_system(handle, ()).unwrap();
    assert_eq!(log(&registered), expected);
    assert_eq!(registered.len(), 4);
    Ok(())
}

#[test]
fn commands_are_applied_after_an_exclusive_part_too() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    frame.add(spawn_one.pipe(all).map(|n| n - 2).pipe(spawn_more));
    let expected = [
        "first",
        "exclusive sees 3", // the id was handed out
        "second sees 2",
        "first's command",
        "second's command",
        "second's command",
    ];
    frame.run(&mut world)?;
    assert_eq!(log(&world), expected);
    assert_eq!(world.len(), 5);
    let mut direct = self::world();
    direct.run(spawn_one.pipe(all).map(|n| n - 2).pipe(spawn_more));
    assert_eq!(log(&direct), expected);
    Ok(())
}

#[test]
fn errors_of_the_last_part_are_errors_of_the_system() {
    let mut world = world();
    let mut frame = Schedule::new();
    frame.add(count.pipe(fails));
    let Err(ScheduleError::Systems(errors)) = frame.run(&mut world) else {
        panic!("it does not fail");
    };
    let [SystemError { system, error, .. }] = &errors[..] else {
        panic!("one error");
    };
    assert_eq!(*system, "systems::pipes::count | systems::pipes::fails");
    assert_eq!(error.to_string(), "2 are too many");
}

#[test]
fn a_part_that_cannot_be_locked_ends_the_run() {
    let mut world = world();
    let mut frame = Schedule::new();
    frame.add(needs.pipe(report));
    frame.add(spawn_one.pipe(needs_too).pipe(report));
    let Err(ScheduleError::Systems(errors)) = frame.run(&mut world) else {
        panic!("it does not fail");
    };
    let systems = errors
        .iter()
        .map(|error| error.error.downcast_ref::<LockError>().unwrap().system);
    assert_eq!(
        systems.collect::<Vec<_>>(),
        ["systems::pipes::needs", "systems::pipes::needs_too"]
    );
    assert_eq!(log(&world), ["first", "first's command"]);
    let handle = world.register_system(all.pipe(needs_too));
    assert!(
        matches!(world.run_system(handle, 1), Err(RunError::Lock(error)) if error.system == "systems::pipes::needs_too")
    );
    assert_eq!(log(&world).len(), 1);
}

#[test]
fn pipes_and_maps_are_conditions() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    let say = |what: &'static str| move |mut log: ResMut<Log>| log.say(what);
    frame.add(say("a").run_if(count.map(|n| n == 2)));
    frame.add(say("b").run_if(count.map(|n| n == 3)));
    frame.add(say("c").run_if(not(count.pipe(double).map(|n| n > 4))));
    let mut turn = 0;
    let every_second = count.map(move |_| {
        turn += 1;
        turn % 2 == 0
    });
    frame.add(say("d").run_if(every_second.and(count.map(|n| n > 0))));
    frame.run(&mut world)?;
    assert_eq!(log(&world), ["a", "c"]);
    frame.run(&mut world)?;
    assert_eq!(log(&world), ["a", "c", "d"]);
    Ok(())
}

#[test]
fn a_condition_is_not_exclusive() {
    let mut frame = Schedule::new();
    frame.add(spawn_one.map(drop).run_if(count.pipe(all).map(|n| n > 0)));
    let panic = catch_unwind(AssertUnwindSafe(|| frame.run(&mut world()))).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert_eq!(
        message,
        "the condition `systems::pipes::count | systems::pipes::all` takes `&mut World`, but a condition only reads; help: take `&World` or parameters"
    );
}

#[test]
fn a_pipe_takes_what_its_first_part_takes() -> Result<(), RunError> {
    let mut world = world();
    let handle: SystemHandle<usize, usize> = world.register_system(look.pipe(double));
    assert_eq!(world.run_system(handle, 3)?, 10);
    let handle = world.register_system(move_all.map(f64::from));
    assert_eq!(world.run_system(handle, 1.5)?, 1.5_f64);
    let handle = world.register_system(from_fn(|world: &mut World| world.len()).pipe(double));
    assert_eq!(world.run_system(handle, ())?, 4);
    Ok(())
}

#[test]
fn each_part_keeps_its_state() -> Result<(), RunError> {
    #[system]
    fn next(mut n: Local<usize>) -> usize {
        *n += 1;
        *n
    }
    #[system]
    fn sum(n: usize, mut sum: Local<usize>) -> usize {
        *sum += n;
        *sum
    }
    let mut world = world();
    let handle = world.register_system(next.pipe(sum));
    let sums = [(); 3].map(|()| world.run_system(handle, ()).unwrap());
    assert_eq!(sums, [1, 3, 6]);
    let values = [(); 2].map(|()| world.run(next.pipe(sum)));
    assert_eq!(values, [1, 1], "a value starts anew");
    Ok(())
}

#[test]
fn constraints_name_a_pipe_by_its_systems() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    frame.add(
        (|mut log: ResMut<Log>| log.say("last"))
            .after(count.pipe(report))
            .after("numbers"),
    );
    frame.add(count.pipe(report));
    frame.add(bounds.pipe(report_both).in_set("numbers"));
    frame.run(&mut world)?;
    assert_eq!(log(&world), ["2", "1..5", "last"]);
    let mut frame = Schedule::new();
    frame.add((|mut log: ResMut<Log>| log.say("last")).after(nothing));
    frame.add(
        nothing
            .map(|()| ())
            .pipe(|mut log: ResMut<Log>| log.say("pipe")),
    );
    assert!(frame.plan().is_err(), "a pipe is not its first part");
    let mut frame = Schedule::new();
    frame.add((|mut log: ResMut<Log>| log.say("last")).after(nothing));
    let mut runs = 0;
    frame.add(nothing.map(move |()| {
        runs += 1;
        if runs == 1 {
            Ok(())
        } else {
            Err("the second run fails")
        }
    }));
    frame.run(&mut world)?;
    assert_eq!(log(&world), ["last"]);
    assert!(frame.run(&mut world).is_err());
    Ok(())
}

#[test]
fn the_description_has_the_accesses_of_all_parts() {
    let whole = bounds.pipe(report_both).meta();
    assert_eq!(
        whole.name,
        "systems::pipes::bounds | systems::pipes::report_both"
    );
    let kinds: Vec<bool> = whole.access().map(|access| access.kind.writes()).collect();
    assert_eq!(kinds, [false, true]);
    assert!(
        may_conflict(&whole, &ecs_core::meta(&move_all)),
        "through the first"
    );
    assert!(
        may_conflict(&whole, &ecs_core::meta(&report)),
        "through the second"
    );
    assert!(!may_conflict(&whole, &ecs_core::meta(&count)));
    let conflict = conflicts(&whole, &ecs_core::meta(&report)).unwrap();
    let param = (conflict.first.name, conflict.first.ty);
    assert_eq!(param, ("parts", "(Comp<Position>) | (ResMut<Log>)"));
    assert!(whole.refusal().is_none());
    let both = count.pipe(double).map(|n| n as f32).pipe(move_all).meta();
    assert!(
        both.refusal().is_none(),
        "each part ends before the next one"
    );
    assert!(!both.defers() && !both.remembers());
    assert!(spawn_one.pipe(spawn_more).meta().defers());
    assert!(count.pipe(all).meta().runs_alone());
    assert!(count.pipe(look).meta().runs_alone());
    assert_eq!(count.map(|n| n).meta().name, "systems::pipes::count");
    // The closures of a function share one name.
    let one = count.map(drop).pipe(|_: Res<u8>| {}).meta();
    let two = count.map(drop).pipe(|_: Res<u16>| {}).meta();
    assert_eq!(one.name, two.name);
    let read = |meta: &ecs_core::meta::SystemMeta| meta.access().nth(1).unwrap().ident;
    assert_ne!(read(&one), read(&two));
    let again = bounds.pipe(report_both).meta();
    assert!(std::ptr::eq(again.params, whole.params), "it is kept once");
}

#[test]
fn a_plan_shows_a_pipe_as_one_step() {
    let mut frame = Schedule::new();
    frame.add((count.pipe(report), move_all_by_one.pipe(nothing)));
    let plan = frame.plan().unwrap();
    let names: Vec<_> = plan.steps().map(|step| step.name()).collect();
    assert_eq!(
        names,
        [
            "systems::pipes::count | systems::pipes::report",
            "systems::pipes::move_all_by_one | systems::pipes::nothing"
        ]
    );
    assert_eq!(plan.conflicts().count(), 1);
}

#[system]
fn move_all_by_one(mut positions: CompMut<Position>) {
    positions.iter_mut().for_each(|p| p.0 += 1.0);
}

#[system]
fn nothing() {}

/// Counts its drops.
struct Ledger(Arc<AtomicUsize>);

impl Drop for Ledger {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_panic_of_one_part_drops_the_commands_of_both() {
    let drops = Arc::new(AtomicUsize::new(0));
    let first = {
        let drops = drops.clone();
        move |mut commands: Commands| {
            let ledger = Ledger(drops.clone());
            commands.queue(move |world| {
                world.resource_mut::<Log>().say("applied");
                drop(ledger);
            });
            Ledger(drops.clone())
        }
    };
    let panics = |ledger: Ledger| -> usize {
        let _ledger = ledger;
        panic!("in the second")
    };
    let check = |world: &World, dropped: usize| {
        assert_eq!(drops.load(Ordering::Relaxed), dropped);
        assert!(world.resource::<Log>().0.is_empty());
    };
    let mut world = world();
    let shared = world.register_system(first.clone().map(panics));
    let exclusive = world.register_system(first.clone().map(panics).pipe(all));
    for handle in [shared, exclusive] {
        let before = drops.load(Ordering::Relaxed);
        catch_unwind(AssertUnwindSafe(|| world.run_system(handle, ()))).unwrap_err();
        check(&world, before + 2);
        catch_unwind(AssertUnwindSafe(|| world.run_system(handle, ()))).unwrap_err();
        check(&world, before + 4);
    }
    for exclusive in [false, true] {
        let before = drops.load(Ordering::Relaxed);
        let mut frame = Schedule::new();
        if exclusive {
            frame.add(first.clone().map(panics).pipe(all).map(drop));
        } else {
            frame.add(first.clone().map(panics).map(drop));
        }
        catch_unwind(AssertUnwindSafe(|| frame.run(&mut world))).unwrap_err();
        check(&world, before + 2);
        drop(frame);
        check(&world, before + 2);
    }
}

#[test]
fn a_part_may_swap_the_world() {
    let elsewhere = Arc::new(Mutex::new(world()));
    elsewhere.lock().unwrap().spawn(Position(7.0));
    let place = elsewhere.clone();
    let mut world = world();
    let handle = world.register_system(
        from_fn(move |world: &mut World| {
            std::mem::swap(world, &mut place.lock().unwrap());
            world.len()
        })
        .pipe(spawn_more),
    );
    world.run_system(handle, ()).unwrap();
    assert_eq!((world.len(), elsewhere.lock().unwrap().len()), (6, 2));
    assert_eq!(world.resource::<Log>().0[0], "second sees 3");
    assert!(elsewhere.lock().unwrap().resource::<Log>().0.is_empty());
    assert_eq!(world.run_system(handle, ()), Err(RunError::OtherWorld));
    world.check_invariants();
    // The system is in that world now, and owns its place.
    let other = std::mem::take(&mut *elsewhere.lock().unwrap());
    drop(other);
}

#[test]
fn a_part_with_a_value_of_one_thread_keeps_the_pipe_there() -> Result<(), ScheduleError> {
    #[system]
    fn note(n: usize, sum: NonSend<Rc<Cell<usize>>>) -> usize {
        sum.set(sum.get() + n);
        n
    }
    let sum = Rc::new(Cell::new(0_usize));
    let mut world = world();
    world.insert_non_send(sum.clone());
    let mut frame = Schedule::new();
    // Others that start at the same time, so that the threads of the pool have tasks.
    frame.add((nothing, nothing, count.map(drop), nothing));
    frame.add(count.pipe(note).pipe(note).map(drop));
    let plan = frame.plan().unwrap();
    assert!(
        plan.steps()
            .any(|step| step.placement() == ThreadPlacement::CallingThread)
    );
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    frame.run_par(&mut world, &pool)?;
    frame.run_par(&mut world, &pool)?;
    assert_eq!(sum.get(), 8);
    Ok(())
}

#[test]
fn readers_of_a_pipe_are_skipped_with_it() -> Result<(), ScheduleError> {
    struct Key(usize);
    #[system]
    fn keys(mut keys: EventReader<Key>) -> Vec<usize> {
        keys.read().map(|key| key.0).collect()
    }
    #[system]
    fn more_keys(first: Vec<usize>, mut keys: EventReader<Key>, mut log: ResMut<Log>) {
        let second: Vec<_> = keys.read().map(|key| key.0).collect();
        log.say(format!("{first:?} {second:?}"));
    }
    #[system]
    fn whole(keys: Vec<usize>, _: &mut World) -> Vec<usize> {
        keys
    }
    for (unread, expected) in [
        (Unread::Discard, ["[1] [1]"; 2]),
        (Unread::Keep, ["[0, 1] [0, 1]"; 2]),
    ] {
        let mut world = world();
        world.add_event::<Key>();
        let mut frame = Schedule::new();
        let pipes = (keys.pipe(more_keys), keys.pipe(whole).pipe(more_keys));
        frame.add(pipes.run_if(|on: Res<bool>| *on).unread(unread));
        world.insert_resource(false);
        frame.plan().unwrap();
        frame.run(&mut world)?;
        world.send_event(Key(0));
        frame.run(&mut world)?;
        world.send_event(Key(1));
        world.insert_resource(true);
        frame.run(&mut world)?;
        assert_eq!(log(&world), expected);
    }
    Ok(())
}

/// Pipes of random parts that may conflict: with threads the result is the same as in a sequential run.
#[test]
fn pipes_run_on_threads_like_on_one() {
    fn add(frame: &mut Schedule, kind: u64) {
        #[system]
        fn fastest(velocities: Comp<Velocity>) -> f32 {
            velocities.iter().fold(0.0, |most, v| f32::max(most, v.0))
        }
        #[system]
        fn hurt(by: f32, mut healths: CompMut<Health>) -> f32 {
            healths
                .iter_mut()
                .for_each(|h| h.0 = (h.0 * 1.5 + by) % 97.0);
            healths.iter().map(|h| h.0).sum::<f32>() % 13.0
        }
        #[system]
        fn accelerate(by: f32, mut velocities: CompMut<Velocity>) -> f32 {
            velocities
                .iter_mut()
                .for_each(|v| v.0 = (v.0 * 1.25 + by) % 89.0);
            by + 1.0
        }
        #[system]
        fn far(positions: Comp<Position>) -> f32 {
            positions.iter().map(|p| p.0).sum::<f32>() % 11.0
        }
        #[system]
        fn step(by: f32, mut positions: CompMut<Position>) -> f32 {
            positions
                .iter_mut()
                .for_each(|p| p.0 = (p.0 * 1.75 + by) % 83.0);
            by
        }
        #[system]
        fn spawn(at: f32, mut commands: Commands) {
            commands.spawn((Position(at), Health(at)));
        }
        #[system]
        fn whole(by: f32, world: &mut World) {
            world.spawn((Position(by), Velocity(by)));
        }
        #[system]
        fn looks(by: f32, world: &World) -> f32 {
            by + world.len() as f32
        }
        match kind {
            0 => frame.add(fastest.pipe(hurt).map(drop)),
            1 => frame.add(far.pipe(step).map(drop)),
            2 => frame.add(far.pipe(accelerate).pipe(hurt).map(drop)),
            3 => frame.add(fastest.pipe(step).pipe(accelerate).map(drop)),
            4 => frame.add(far.pipe(spawn)),
            5 => frame.add(fastest.pipe(whole)),
            6 => frame.add(far.pipe(looks).pipe(hurt).map(drop)),
            _ => frame.add(
                fastest
                    .pipe(accelerate)
                    .map(drop)
                    .run_if(far.pipe(step).map(|f| f > 5.0)),
            ),
        };
    }
    #[derive(Debug, PartialEq)]
    struct Values(Vec<(Entity, f32)>, Vec<f32>, Vec<f32>);
    let values = |world: &World| {
        Values(
            world
                .query::<(Entity, &Position)>()
                .iter()
                .map(|(e, p)| (e, p.0))
                .collect(),
            world.query::<&Velocity>().iter().map(|v| v.0).collect(),
            world.query::<&Health>().iter().map(|h| h.0).collect(),
        )
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .unwrap();
    for seed in 1..40_u64 {
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let kinds: Vec<u64> = (0..10)
            .map(|_| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                (random >> 40) % 8
            })
            .collect();
        let [sequential, parallel] = [false, true].map(|threads| {
            let mut world = world();
            let mut frame = Schedule::new();
            kinds.iter().for_each(|&kind| add(&mut frame, kind));
            for _ in 0..10 {
                if threads {
                    frame.run_par(&mut world, &pool).unwrap();
                } else {
                    frame.run_seq(&mut world).unwrap();
                }
            }
            values(&world)
        });
        assert_eq!(sequential, parallel, "{kinds:?}");
    }
}

#[test]
fn closures_take_inputs_as_second_parts_and_registered() {
    let mut world = world();
    let mut sum = 0;
    let add = world.register_system(from_fn(move |In(by): In<i32>| {
        sum += by;
        sum
    }));
    assert_eq!(world.run_system(add, 3).unwrap(), 3);
    assert_eq!(world.run_system(add, 4).unwrap(), 7);

    // Inputs of several systems in one, and deferred changes.
    let mut frame = Schedule::new();
    let count = |positions: Query<&Position>| positions.iter().count();
    let double = from_fn(|In(count): In<usize>| (count, count * 2));
    let spawn = from_fn(
        |In((from, to)): In<(usize, usize)>, mut commands: Commands, mut log: ResMut<Log>| {
            log.say(to);
            for _ in from..to {
                commands.spawn(Position(0.0));
            }
        },
    );
    let before = world.view::<Position>().len();
    frame.add(count.pipe(double).pipe(spawn));
    frame.run(&mut world).unwrap();
    frame.run(&mut world).unwrap();
    assert_eq!(world.view::<Position>().len(), 4 * before);
    let said = [2 * before, 4 * before].map(|n| n.to_string());
    assert_eq!(world.resource::<Log>().0, said);

    // Eight parameters, the values of a query by reference, and readers that sleep.
    let many = world.register_system(from_fn(
        |In(text): In<String>,
         a: Comp<Position>,
         b: Comp<Velocity>,
         c: Query<&Health>,
         _: Local<u8>,
         _: Option<Res<Missing>>,
         _: EventReader<u8>,
         mut log: ResMut<Log>,
         _: Commands| {
            log.say(text);
            a.len() + b.len() + c.iter().count()
        },
    ));
    world.add_event::<u8>();
    let all = world.run_system(many, "all".to_owned()).unwrap();
    assert!(all > before);
    assert_eq!(world.resource::<Log>().0.last().unwrap(), "all");
}

#[test]
fn a_closure_with_an_input_names_itself_in_errors_and_drops_an_input_that_it_does_not_get() {
    let mut world = world();
    let failing = world.register_system(from_fn(|In(_): In<Arc<()>>, _: Res<Missing>| {}));
    let input = Arc::new(());
    let error = world.run_system(failing, input.clone()).unwrap_err();
    let RunError::Lock(error) = error else {
        panic!("{error}");
    };
    assert!(error.system.starts_with("systems::pipes::") && error.system.ends_with("{{closure}}"));
    assert!(error.parameter.contains("Res<"), "{}", error.parameter);
    assert_eq!(Arc::strong_count(&input), 1);
    // Also after a panic.
    let panics = world.register_system(from_fn(|In(_): In<Arc<()>>, _: ResMut<Log>| -> () {
        panic!("oh")
    }));
    let run = AssertUnwindSafe(|| world.run_system(panics, input.clone()));
    drop(catch_unwind(run).unwrap_err());
    assert_eq!(Arc::strong_count(&input), 1);
    world.insert_resource(Missing);
    world.run_system(failing, input.clone()).unwrap();
}

#[test]
fn an_input_need_not_be_send() {
    let mut world = world();
    let shares = from_fn(|In(shared): In<Rc<u32>>, _: ResMut<Log>| *shared);
    let handle = world.register_system(shares);
    assert_eq!(world.run_system(handle, Rc::new(7)), Ok(7));
}

#[test]
fn a_closure_with_an_input_conflicts_by_its_parameters() {
    let writes = from_fn(|In(_): In<usize>, _: CompMut<Position>| {});
    let reads = |_: Comp<Velocity>| {};
    let count = |healths: Query<&Health>| healths.iter().count();
    let mut frame = Schedule::new();
    frame.add((count.pipe(writes), reads, |_: Comp<Position>| {}));
    let plan = frame.plan().unwrap();
    let steps: Vec<_> = plan.steps().collect();
    assert!(steps[0].conflict(steps[1]).is_none());
    assert!(steps[0].conflict(steps[2]).is_some());
}

#[test]
fn an_exclusive_closure_takes_an_input() {
    let mut world = world();
    let before = world.view::<Position>().len();
    let mut spawned = 0;
    let spawn = from_fn(move |In(count): In<usize>, world: &mut World| {
        spawned += count;
        for _ in 0..count {
            world.spawn(Position(0.0));
        }
        spawned
    });
    let count = |positions: Query<&Position>| positions.iter().count();
    let spawn = world.register_system(count.pipe(spawn));
    assert_eq!(world.run_system(spawn, ()).unwrap(), before);
    assert_eq!(world.run_system(spawn, ()).unwrap(), 3 * before);
    assert_eq!(world.view::<Position>().len(), 4 * before);
}
