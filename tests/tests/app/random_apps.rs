//! Random apps go on in the same way after a save and a load, after a return to a snapshot, and after a rollback.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ecs_core::app::{Exit, First, Last, RealTime, Timer, fixed_update, on_timer};
use ecs_core::command::{Delay, Delayed};
use ecs_core::data::{Dangling, DataTasks, Loader, Rollback, RollbackFrame, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::record::{Outcome as RecordOutcome, Recorder, Replay};
use ecs_core::schedule::conditions::{every, in_state, state_changed};
use ecs_core::schedule::{
    DespawnOnExit, Fixed, FixedTime, FixedTimes, NextState, ScheduleError, State,
};
use ecs_core::snapshot::{Ring, Snapshotter};
use ecs_core::system::from_fn;
use ecs_core::task::{self, Abandoned, Order, Promise, Tasks};
use ecs_core::world::hooks::{OnAdd, Trigger};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use crate::app_model::run::Threads;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Screen {
    A,
    B,
    C,
}

/// Exists in `B`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Inner {
    X,
    Y,
}

/// Computed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct NotA;

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "random.mark", track)]
struct Mark(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "random.cooldown", storage = "sparse")]
struct Cooldown(Timer);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "random.ping")]
struct Ping(u32);

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "random.log")]
struct Log(Vec<String>);

impl Log {
    fn note(&mut self, line: impl Into<String>) {
        self.0.push(line.into());
    }
}

/// The input of the frame.
#[derive(Resource, Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[resource(data = "random.input")]
struct Input(u8);

/// The log of systems that run beside others.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "random.other_log")]
struct OtherLog(Vec<u32>);

#[system]
fn beside(mut runs: Local<u32>, mut pings: EventReader<Ping>, mut log: ResMut<OtherLog>) {
    *runs += pings.read().map(|ping| ping.0).sum::<u32>() + 1;
    log.0.push(*runs);
}

/// Triggered, and observed.
struct Rang(u32);

/// An observer that remembers and delays.
#[system]
fn on_rang(
    rang: Trigger<Rang>,
    mut sum: Local<u32>,
    mut pings: EventReader<Ping>,
    mut log: ResMut<Log>,
    mut other: ResMut<OtherLog>,
    functions: Res<Functions>,
    mut commands: Commands,
) {
    let number = rang.0;
    *sum += number;
    log.note(format!("rang {number}: {}", *sum));
    other.0.extend(pings.read().take(1).map(|ping| ping.0));
    let delay = Delay::Runs(u64::from(number % 4));
    Later::Note(number).delay(delay, functions.0, &mut commands);
}

/// Something that is done after a delay: by a function, or by a system that reads it as an event.
#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "random.later")]
enum Later {
    Note(u32),
    Mark(u32, Screen),
    /// One that delays another one.
    Delay(Box<Later>),
    Ping,
    /// The entity may be gone until then.
    Despawn(Entity),
    Go(Screen),
}

impl Later {
    fn delay(self, delay: Delay, by_function: bool, commands: &mut Commands) {
        if by_function {
            commands.delay(delay, |world| self.act(world));
        } else {
            commands.delay_event(delay, self);
        }
    }

    fn act(self, world: &mut World) {
        match self {
            Self::Note(number) => {
                let mut log = world.resource_mut::<Log>();
                log.note(format!("after {number}"));
            }
            Self::Mark(number, screen) => _ = world.spawn((Mark(number), DespawnOnExit(screen))),
            Self::Delay(later) => {
                let delay = Delay::Time(Duration::from_millis(30));
                let Functions(by_function) = *world.resource::<Functions>();
                match by_function {
                    true => world.delay(delay, |world| later.act(world)),
                    false => world.delay_event(delay, *later),
                }
            }
            Self::Ping => world.send_event(Ping(500)),
            Self::Despawn(entity) => {
                let is_gone = !world.despawn_if_exists(entity);
                world
                    .resource_mut::<Log>()
                    .note(format!("it was gone: {is_gone}"));
            }
            Self::Go(screen) => world.resource_mut::<NextState<Screen>>().set(screen),
        }
    }
}

/// True if delays are functions, which are no data.
#[derive(Resource, Clone, Copy)]
struct Functions(bool);

#[system]
fn act_later(mut later: EventReader<Later>, mut commands: Commands) {
    for later in later.read().cloned() {
        commands.queue(|world: &mut World| later.act(world));
    }
}

/// A system that the world keeps.
#[system]
fn tally(
    by: u32,
    mut sum: Local<u32>,
    mut removed: Removed<Mark>,
    changed: Query<&Mark, Changed<Mark>>,
) -> String {
    *sum += by;
    let (removed, changed) = (removed.read().count(), changed.iter().count());
    format!("tally {} {removed} {changed}", *sum)
}

/// Runs the first system that was registered.
#[derive(Resource, Clone, Copy)]
struct Tally(SystemHandle<u32, String>);

#[system]
fn run_tally(world: &mut World) {
    let Input(input) = *world.resource::<Input>();
    let Tally(handle) = *world.resource::<Tally>();
    if input % 3 == 0 {
        let line = world.run_system(handle, u32::from(input)).unwrap();
        world.resource_mut::<Log>().note(line);
    }
}

/// The number of the next mark.
#[derive(Resource, Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[resource(data = "random.next_mark")]
struct NextMark(u32);

/// True if only things that a save has are used.
#[derive(Resource, Clone, Copy)]
struct Saveable(bool);

#[system]
fn act(
    input: Res<Input>,
    mut marks: Query<(Entity, &mut Mark)>,
    mut screen: ResMut<NextState<Screen>>,
    inner: Option<ResMut<NextState<Inner>>>,
    mut pings: EventWriter<Ping>,
    mut next: ResMut<NextMark>,
    saveable: Res<Saveable>,
    functions: Res<Functions>,
    mut commands: Commands,
) {
    // By number, because a load changes the order of rows.
    let first = (&mut marks).into_iter().min_by_key(|(_, mark)| mark.0);
    next.0 += 1;
    let mut later = |delay, later: Later| later.delay(delay, functions.0, &mut commands);
    match input.0 % 16 {
        1 => screen.set(Screen::A),
        2 => screen.set(Screen::B),
        3 => screen.set(Screen::C),
        4 => screen.enter_again(Screen::B),
        5 => pings.send(Ping(next.0)),
        6 => {
            commands.spawn((Mark(next.0), DespawnOnExit(Screen::B)));
        }
        7 => {
            let timer = Timer::repeating(Duration::from_millis(25));
            commands.spawn((Mark(next.0), Cooldown(timer), DespawnOnExit(Screen::A)));
        }
        8 => {
            if let Some((entity, _)) = first {
                commands.despawn(entity);
            }
        }
        9 => {
            if let Some((_, mut mark)) = first {
                mark.0 += 1000;
            }
        }
        10 => {
            if let Some(mut inner) = inner {
                inner.set(Inner::Y);
            }
        }
        11 => {
            if let Some((entity, _)) = first {
                commands.remove::<Mark>(entity);
            }
        }
        12 => {
            let runs = [2, 0, 1, 9][usize::from(input.0 >> 4) % 4];
            later(Delay::Runs(runs), Later::Note(next.0));
        }
        13 => {
            let millis = [70, 0, 1, 400][usize::from(input.0 >> 4) % 4];
            let then = screen.get().copied().unwrap_or(Screen::C);
            let delay = Delay::Time(Duration::from_millis(millis));
            later(delay, Later::Mark(next.0, then));
        }
        15 => match (input.0 >> 4) % 4 {
            0 => later(Delay::Runs(1), Later::Delay(Later::Ping.into())),
            1 => {
                if let Some((entity, _)) = first {
                    later(Delay::Runs(3), Later::Despawn(entity));
                }
            }
            2 if !saveable.0 => commands.trigger(Rang(next.0)),
            _ => later(Delay::Time(Duration::from_millis(55)), Later::Go(Screen::B)),
        },
        _ => {}
    }
}

/// The work of tasks that are running, which is outside of the world.
#[derive(Resource, Clone, Default)]
struct Promises(Arc<Mutex<Vec<Promise<u32>>>>);

fn end_task(world: &mut World, result: Result<u32, Abandoned>) {
    if let Ok(number) = result {
        world.spawn((Mark(number), DespawnOnExit(Screen::B)));
    }
    let mut log = world.resource_mut::<Log>();
    log.note(format!("task {result:?}"));
}

/// Starts tasks, and ends them with a result or without one.
#[system]
fn start_and_end_tasks(
    input: Res<Input>,
    promises: Res<Promises>,
    mut tasks: ResMut<Tasks>,
    next: Res<NextMark>,
) {
    let mut promises = promises.0.lock().unwrap();
    match input.0 {
        100..=110 => promises.push(tasks.promise(end_task)),
        // A recording has its value.
        111..=120 => promises.push(tasks.data_promise(end_task)),
        121..=130 => {
            if let Some(promise) = promises.pop() {
                promise.keep(next.0);
            }
        }
        131..=134 => _ = promises.pop(),
        135..=138 => {
            if let Some(task) = tasks.newest() {
                tasks.cancel(task);
            }
        }
        _ => {}
    }
}

#[system]
fn change_time(input: Res<Input>, mut time: ResMut<Time>) {
    match input.0 {
        14 => time.set_scale(0.75),
        30 => time.pause(),
        46 | 62 => time.resume(),
        _ => {}
    }
}

#[system]
fn end(input: Res<Input>, mut exit: ResMut<Exit>) {
    if input.0 == 255 {
        exit.error(3);
    }
}

#[system]
fn read(mut pings: EventReader<Ping>, mut log: ResMut<Log>) {
    for ping in pings.read() {
        log.note(format!("ping {}", ping.0));
    }
}

#[system]
fn step(time: Res<Time>, fixed: Res<FixedTime>, mut marks: CompMut<Mark>, mut log: ResMut<Log>) {
    for mut mark in marks.iter_mut() {
        mark.0 += 1;
    }
    let sum: u32 = marks.iter().map(|mark| mark.0).sum();
    log.note(format!(
        "step {} at {:?}: {sum}",
        fixed.steps(),
        time.elapsed()
    ));
}

#[system]
fn slow_step(time: Res<Time>, mut log: ResMut<Log>) {
    log.note(format!(
        "slow step {} at {:?}",
        time.frame(),
        time.elapsed()
    ));
}

#[system]
fn count_steps(mut steps: Local<u32>, time: Res<Time>, mut log: ResMut<Log>) {
    *steps += 1;
    log.note(format!("step {} of {:?}", *steps, time.delta()));
}

/// A rate of its own, with another one inside.
fn other_rates(remembers: bool) -> Fixed {
    let mut inner = Schedule::named("inner");
    let mut slow = Schedule::named("slow");
    slow.add(slow_step);
    if remembers {
        inner.add(count_steps);
    } else {
        inner.add(slow_step);
    }
    slow.add(fixed_update(Duration::from_millis(9), inner));
    fixed_update(Duration::from_millis(35), slow)
}

#[system]
fn cool_down(mut cooldowns: Query<&mut Cooldown>, time: Res<Time>, mut log: ResMut<Log>) {
    let mut ended = 0;
    for cooldown in &mut cooldowns {
        ended += cooldown.0.tick(time.delta()).times_finished();
    }
    log.note(format!("cooldowns {ended}"));
}

#[system]
fn remember(
    mut pings: EventReader<Ping>,
    mut sum: Local<u32>,
    mut timer: Local<Option<Timer>>,
    changed: Query<&Mark, Changed<Mark>>,
    mut removed: Removed<Mark>,
    mut log: ResMut<Log>,
    time: Res<Time>,
) {
    *sum += pings.read().map(|ping| ping.0).sum::<u32>();
    let timer = timer.get_or_insert(Timer::repeating(Duration::from_millis(40)));
    let ended = timer.tick(time.delta()).times_finished();
    let changed = changed.iter().count();
    let removed = removed.read().count();
    log.note(format!("remember {} {ended} {changed} {removed}", *sum));
}

#[system]
fn play_turn(world: &mut World) -> Result<(), ScheduleError> {
    world.run_schedule("turn")
}

#[system]
fn turn(mut turns: Local<u64>, mut log: ResMut<Log>) {
    *turns += 1;
    log.note(format!("turn {}", *turns));
}

macro_rules! note {
    ($($word:tt)*) => {
        (|mut log: ResMut<Log>| log.note(stringify!($($word)*)))
    };
}

fn states(app: &mut App) {
    app.add_state(Screen::A)
        .add_sub_state(Inner::X, Screen::B)
        .add_computed_state(|screen: &Screen| (*screen != Screen::A).then_some(NotA))
        .on_enter(Screen::A, note!(enter A))
        .on_exit(Screen::A, note!(exit A))
        .on_enter(Screen::B, note!(enter B))
        .on_exit(Screen::B, note!(exit B))
        .on_enter(Inner::Y, note!(enter Y))
        .on_exit(Inner::Y, note!(exit Y))
        .on_enter(NotA, note!(enter not A))
        .on_exit(NotA, note!(exit not A))
        .on_transition(Screen::A, Screen::C, note!(from A to C));
    let world = app.world_mut();
    world.register_data_state::<Screen>("random.screen");
    world.register_data_state::<Inner>("random.inner");
}

/// A random app, with the systems of the bits of a number.
#[derive(Clone, Copy, Debug)]
struct Program {
    parts: u16,
    saveable: bool,
    /// True if delays are functions.
    functions: bool,
    /// Snapshots refuse tasks that run.
    has_tasks: bool,
    /// The threads of an executor, or the one that runs the app.
    threads: Option<usize>,
}

impl Program {
    fn build(self) -> App {
        let has = |bit: u16| self.parts & 1 << bit != 0;
        let mut app = App::new();
        match self.threads {
            Some(threads) => app.set_executor(Threads(threads)),
            None => app.single_threaded(true),
        };
        app.insert_resource(Saveable(self.saveable))
            .insert_resource(Functions(self.functions))
            .add_event::<Later>()
            .insert_resource(Log::default())
            .insert_resource(Input::default())
            .insert_resource(OtherLog::default())
            .insert_resource(NextMark::default())
            .add_event::<Ping>()
            .add_plugin(states)
            .fixed_step(Duration::from_millis(20))
            .add_systems(PreUpdate, (act_later, act, change_time));
        app.set_snapshotter(snapshotter());
        let world = app.world_mut();
        world.register::<Cooldown>();
        if has(0) {
            app.add_systems(FixedUpdate, step);
        }
        if has(1) {
            app.add_systems(Update, cool_down);
        }
        if has(2) {
            app.add_systems(Update, note!(X).run_if(in_state(Inner::X)));
        }
        if has(3) {
            app.add_systems(Last, note!(not A).run_if(in_state(NotA)));
        }
        if has(10) {
            app.add_systems(Update, other_rates(!self.saveable));
        }
        if has(4) || self.saveable {
            // The only reader of a save, because a save has no positions of readers.
            app.add_systems(Update, read.run_if(in_state(Screen::B)));
        }
        if self.saveable {
            return app;
        }
        app.add_systems(Last, end).add_systems(Update, beside);
        let world = app.world_mut();
        world.observe(on_rang);
        world.observe(
            |_: OnAdd<Mark>, mut marks: Local<u64>, mut log: ResMut<Log>| {
                *marks += 1;
                log.note(format!("mark {}", *marks));
            },
        );
        let tally = world.register_system(tally);
        world.insert_resource(Tally(tally));
        app.add_systems(Last, run_tally);
        if self.has_tasks {
            app.insert_resource(Tasks::new(Order::Start))
                .insert_resource(Promises::default())
                .add_systems(First, from_fn(task::flush))
                .add_systems(PreUpdate, start_and_end_tasks);
        }
        if has(5) {
            app.add_systems(Update, remember.run_if(every(2)));
        }
        if has(11) {
            // Events wait for it for several frames.
            app.add_systems(PostUpdate, remember.run_if(every(5)));
        }
        if has(6) {
            app.add_systems(FixedUpdate, remember);
        }
        if has(7) {
            app.add_systems(
                Update,
                note!(timer).run_if(on_timer(Duration::from_millis(33))),
            );
        }
        if has(8) {
            app.add_schedule("turn").add_systems("turn", turn);
            app.add_systems(PostUpdate, play_turn.run_if(in_state(NotA)));
        }
        if has(9) {
            app.add_systems(Update, note!(changed).run_if(state_changed::<Screen>()));
        }
        app
    }
}

fn snapshotter() -> Snapshotter {
    Snapshotter::new()
        .without_resource::<Saveable>()
        .without_resource::<Functions>()
        .without_resource::<Promises>()
        .without_resource::<Tally>()
        .local_data::<Option<Timer>>()
}

/// A frame: its input, and its length in milliseconds.
type Frame = (u8, u8);

fn run(app: &mut App, frames: &[Frame]) -> Option<AppExit> {
    let mut exit = None;
    for &(input, millis) in frames {
        app.world_mut().resource_mut::<Input>().0 = input;
        exit = app.update_by(Duration::from_millis(u64::from(millis) % 64));
    }
    exit
}

/// Ends all tasks without calling their functions.
fn forget_tasks(app: &mut App) {
    let mut tasks = app.world_mut().resource_mut::<Tasks>();
    while let Some(task) = tasks.newest() {
        tasks.cancel(task);
    }
    drop(tasks);
    app.world().resource::<Promises>().0.lock().unwrap().clear();
}

/// Everything that can be seen of an app.
fn seen(app: &mut App) -> (Vec<String>, u64, Vec<Entity>, Entity, Duration) {
    let world = app.world_mut();
    let log = world.resource::<Log>().0.clone();
    let hash = exact_hash(world);
    let marks = {
        let marks = world.query::<(Entity, &Mark)>();
        marks.iter().map(|(entity, _)| entity).collect()
    };
    let next = world.spawn(());
    world.despawn(next).unwrap();
    (
        log,
        hash,
        marks,
        next,
        world.resource::<RealTime>().elapsed(),
    )
}

/// Programs whose delays are data.
fn programs(saveable: bool) -> impl Strategy<Value = Program> {
    let threads = proptest::option::of(1..=4_usize);
    (any::<u16>(), threads).prop_map(move |(parts, threads)| Program {
        parts,
        saveable,
        functions: false,
        has_tasks: false,
        threads,
    })
}

fn programs_with_functions() -> impl Strategy<Value = Program> {
    (programs(false), any::<bool>()).prop_map(|(program, functions)| Program {
        functions,
        ..program
    })
}

/// Frames in which tasks often start, and sometimes end.
fn frames_with_tasks() -> impl Strategy<Value = Vec<Frame>> {
    let input = prop_oneof![any::<u8>(), 100..140_u8, 12..16_u8];
    proptest::collection::vec((input, any::<u8>()), 1..16)
}

fn frames() -> impl Strategy<Value = Vec<Frame>> {
    proptest::collection::vec((any::<u8>(), any::<u8>()), 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(150), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_app_goes_on_after_a_save_and_a_load(
        program in programs(true),
        before in frames(),
        other in proptest::collection::vec((any::<u8>(), any::<u8>()), 0..6),
        after in frames(),
    ) {
        let mut app = program.build();
        run(&mut app, &before);
        // A delayed event may be for an entity that is gone.
        let save = app.world().save().dangling(Dangling::Dead).to_vec().unwrap();
        // Into an app that has done something else, if anything.
        let mut new = program.build();
        run(&mut new, &other);
        new.world_mut().clear();
        Loader::new().load_bytes(new.world_mut(), &save).unwrap();
        for frame in after {
            run(&mut app, &[frame]);
            run(&mut new, &[frame]);
            let [one, two] = [&app, &new].map(|app| {
                let world = app.world();
                let state = *world.resource::<State<Screen>>().get();
                let inner = world.get_resource::<State<Inner>>().map(|state| *state.get());
                let mut marks: Vec<u32> = world.view::<Mark>().iter().map(|mark| mark.0).collect();
                marks.sort_unstable();
                let log = world.resource::<Log>().clone();
                let steps = world.get_resource::<FixedTimes>().map(|times| times.clone());
                (log, state, inner, marks, world.resource::<Time>().clone(), world.len(), steps)
            });
            prop_assert_eq!(one, two);
        }
    }

    #[test]
    fn an_app_has_the_same_future_after_a_return(
        program in programs_with_functions(),
        before in frames(),
        after in frames(),
        then in frames(),
    ) {
        let mut app = program.build();
        run(&mut app, &before);
        let mut snapshot = app.snapshot().unwrap();
        prop_assert!(snapshot.left_out().is_empty());
        let exit = run(&mut app, &after);
        let expected = seen(&mut app);
        for _ in 0..2 {
            app.restore(&mut snapshot).unwrap();
            prop_assert_eq!(run(&mut app, &after), exit);
            prop_assert_eq!(&seen(&mut app), &expected);
            run(&mut app, &then);
        }
        // The same as an app that never returned.
        app.restore(&mut snapshot).unwrap();
        let mut straight = program.build();
        run(&mut straight, &before);
        prop_assert_eq!(run(&mut app, &then), run(&mut straight, &then));
        prop_assert_eq!(seen(&mut app), seen(&mut straight));
    }

    #[test]
    fn an_app_has_the_same_future_from_bytes_in_a_new_app_and_in_one_that_has_run(
        program in programs(false),
        before in frames(),
        other in proptest::collection::vec((any::<u8>(), any::<u8>()), 0..6),
        after in frames(),
        threads in proptest::option::of(1..=4_usize),
    ) {
        let mut app = program.build();
        run(&mut app, &before);
        let bytes = app.snapshot().unwrap().to_bytes().unwrap();
        let exit = run(&mut app, &after);
        let expected = seen(&mut app);
        let program = Program { threads, ..program };
        let mut ran = program.build();
        run(&mut ran, &other);
        for mut app in [program.build(), ran] {
            let mut snapshot = app.read_snapshot(&bytes).unwrap();
            for _ in 0..2 {
                app.restore(&mut snapshot).unwrap();
                prop_assert_eq!(run(&mut app, &after), exit);
                prop_assert_eq!(&seen(&mut app), &expected);
            }
        }
    }

    #[test]
    fn tasks_that_run_are_refused_by_name_or_noted_and_the_rest_has_the_same_future(
        program in programs_with_functions().prop_map(|program| Program { has_tasks: true, ..program }),
        before in frames_with_tasks(),
        other in frames_with_tasks(),
        after in frames_with_tasks(),
        threads in proptest::option::of(1..=4_usize),
    ) {
        let mut app = program.build();
        let mut straight = program.build();
        for frame in before {
            // Neither a refusal nor a snapshot changes anything.
            let pending = app.world().resource::<Tasks>().pending();
            match app.snapshot() {
                Ok(_) => prop_assert_eq!(pending, 0),
                Err(error) => {
                    prop_assert!(pending > 0, "{}", error);
                    prop_assert!(error.to_string().contains("Tasks"), "{}", error);
                }
            }
            run(&mut app, &[frame]);
            run(&mut straight, &[frame]);
        }
        prop_assert_eq!(seen(&mut app), seen(&mut straight));

        app.set_snapshotter(snapshotter().without_others());
        let mut snapshot = app.snapshot().unwrap();
        let pending = app.world().resource::<Tasks>().pending();
        prop_assert_eq!(snapshot.left_out().tasks, pending);
        prop_assert!(snapshot.left_out().delayed.is_empty(), "functions are copied");
        let waiting = app.world().get_resource::<Delayed>().map_or_else(Vec::new, |delayed| delayed.functions());
        // Bytes have neither tasks nor functions, and a list of both.
        app.set_snapshotter(snapshotter().for_bytes().without_others());
        let for_bytes = app.snapshot().unwrap();
        prop_assert_eq!(for_bytes.left_out().tasks, pending);
        prop_assert_eq!(&for_bytes.left_out().delayed, &waiting);
        let bytes = for_bytes.to_bytes().unwrap();

        // The future without these tasks.
        app.set_snapshotter(snapshotter().without_others());
        forget_tasks(&mut app);
        let exit = run(&mut app, &after);
        let expected = seen(&mut app);
        run(&mut app, &other);
        app.restore(&mut snapshot).unwrap();
        forget_tasks(&mut app);
        prop_assert_eq!(run(&mut app, &after), exit);
        prop_assert_eq!(seen(&mut app), expected.clone());

        let program = Program { threads, ..program };
        let mut futures = Vec::new();
        let mut ran = program.build();
        run(&mut ran, &other);
        for mut app in [program.build(), ran] {
            app.set_snapshotter(snapshotter().without_others());
            app.restore_bytes(&bytes).unwrap();
            forget_tasks(&mut app);
            let exit = run(&mut app, &after);
            futures.push((seen(&mut app), exit));
        }
        prop_assert_eq!(&futures[0], &futures[1]);
        if waiting.is_empty() {
            prop_assert_eq!(&futures[0], &(expected, exit));
        }
    }

    #[test]
    fn a_ring_returns_to_any_of_its_frames(program in programs_with_functions(), all in frames(), to in any::<u8>()) {
        let mut app = program.build();
        let mut ring = Ring::new(snapshotter(), 8);
        for (frame, input) in all.iter().enumerate() {
            app.take_in(&mut ring, frame as u64).unwrap();
            run(&mut app, &[*input]);
        }
        let expected = seen(&mut app);
        let kept: Vec<u64> = ring.frames().collect();
        let to = kept[usize::from(to) % kept.len()];
        app.restore_from(&mut ring, to).unwrap();
        run(&mut app, &all[to as usize..]);
        prop_assert_eq!(seen(&mut app), expected);
    }

    #[test]
    fn the_fixed_steps_of_an_app_are_rolled_back(
        program in programs_with_functions(),
        inputs in proptest::collection::vec((any::<u8>(), 0..4_u64), 1..24),
    ) {
        let build = || {
            let mut app = program.build();
            app.add_systems(FixedUpdate, (act, count_steps)).fixed_by_hand();
            app
        };
        let apply = |world: &mut World, frame: &RollbackFrame<'_, u8>| {
            world.resource_mut::<Input>().0 = frame.inputs[0];
        };
        let run = |lateness: &dyn Fn(u64) -> u64| {
            let mut app = build();
            let mut rollback = Rollback::<u8>::new(1, snapshotter());
            let mut next = 0;
            for frame in 0..inputs.len() as u64 + 4 {
                while next < inputs.len() && next as u64 + lateness(inputs[next].1) <= frame {
                    rollback.add_input(0, next as u64, inputs[next].0).unwrap();
                    next += 1;
                }
                rollback.advance_by(&mut app.fixed_steps(), apply).unwrap();
            }
            // Readers outside of the simulation count events as read when it returns, so unread events may differ.
            let (log, _, marks, next, _) = seen(&mut app);
            (log, marks, next)
        };
        prop_assert_eq!(run(&|late| late), run(&|_| 0));
    }

    #[test]
    fn all_frames_of_an_app_are_rolled_back(
        program in programs_with_functions(),
        inputs in proptest::collection::vec((any::<u8>(), 0..4_u64), 1..24),
    ) {
        let step = Duration::from_millis(13);
        let mut app = program.build();
        let mut rollback = Rollback::<u8>::new(1, snapshotter());
        let apply = |world: &mut World, frame: &RollbackFrame<'_, u8>| {
            world.resource_mut::<Input>().0 = frame.inputs[0];
        };
        // Inputs are late by up to 3 frames.
        let mut next = 0;
        for frame in 0..inputs.len() {
            while next < inputs.len() && next as u64 + inputs[next].1 <= frame as u64 {
                rollback.add_input(0, next as u64, inputs[next].0).unwrap();
                next += 1;
            }
            rollback.advance_by(&mut app.frames_of(step), apply).unwrap();
        }
        for (frame, input) in inputs.iter().enumerate().skip(next) {
            rollback.add_input(0, frame as u64, input.0).unwrap();
        }
        rollback.add_input(0, inputs.len() as u64, 0).unwrap();
        rollback.advance_by(&mut app.frames_of(step), apply).unwrap();

        let mut straight = program.build();
        straight.build().unwrap();
        for input in inputs.iter().map(|(input, _)| *input).chain([0]) {
            straight.world_mut().resource_mut::<Input>().0 = input;
            straight.update_by(step);
        }
        prop_assert_eq!(seen(&mut app), seen(&mut straight));
    }

    #[test]
    fn a_recording_has_the_same_worlds_on_other_threads_from_every_part(
        program in programs(false),
        has_tasks in any::<bool>(),
        frames in proptest::collection::vec((any::<u8>(), any::<u8>()), 1..60),
        snapshot_every in 1..30_u64,
        keep in proptest::option::of(1..20_000_u64),
        threads in proptest::option::of(1..=8_usize),
        most in proptest::option::of(0..40_u64),
        is_stepped in any::<bool>(),
        seeks in proptest::collection::vec(any::<proptest::sample::Index>(), 0..6),
    ) {
        let program = Program { has_tasks, ..program };
        let folder = RecordingFolder::new();
        let path = folder.0.join("random.rec");
        let mut recorder = Recorder::new(&path).snapshot_every(snapshot_every);
        recorder = match most {
            Some(most) => recorder.hash_at_most(most),
            None => recorder.hash_every(1),
        };
        recorder = match keep {
            Some(keep) => recorder.keep(keep),
            None => recorder,
        };
        if is_stepped {
            recorder = recorder.each_step();
        }
        let mut app = program.build();
        app.add_plugin(recorder);
        let mut hashes = Vec::new();
        for (input, millis) in frames {
            // A recording goes on from a snapshot then, which refuses tasks that run.
            if input % 32 == 31 && !has_tasks {
                app.world_mut().spawn(Mark(u32::from(millis)));
            }
            if input % 32 == 30 {
                app.world_mut().send_event(Ping(1));
            }
            if input % 32 == 29 {
                let delay = Delay::Time(Duration::from_millis(u64::from(millis)));
                app.world_mut().delay_event(delay, Later::Note(1));
            }
            let exit = run(&mut app, &[(input, millis)]);
            hashes.push(exact_hash(app.world_mut()));
            if exit.is_some() {
                break;
            }
        }
        drop(app);
        let replayed = || Program { threads, ..program }.build();
        let parts: Vec<_> = std::fs::read_dir(&folder.0).unwrap().collect();
        for part in parts {
            let mut replay = Replay::open(part.unwrap().path(), replayed).unwrap();
            while replay.step().unwrap() {
                let frame = replay.frame() as usize - 1;
                prop_assert_eq!(exact_hash(replay.program().world_mut()), hashes[frame]);
            }
            prop_assert_eq!(replay.outcome(), &RecordOutcome::Same);
        }
        let mut replay = Replay::open(&path, replayed).unwrap();
        let (first, end) = (replay.recording().first_frame(), replay.recording().end_frame());
        prop_assert_eq!(end, hashes.len() as u64);
        for seek in seeks {
            let frame = first + seek.index((end - first) as usize) as u64;
            replay.run_to(frame + 1).unwrap();
            prop_assert_eq!(exact_hash(replay.program().world_mut()), hashes[frame as usize]);
            if replay.back().unwrap() && frame > first {
                prop_assert_eq!(exact_hash(replay.program().world_mut()), hashes[frame as usize - 1]);
            }
        }
    }
}

fn exact_hash(world: &mut World) -> u64 {
    WorldHasher::new().only_data().exact(world).unwrap()
}

/// A folder that is removed at the end of a test.
struct RecordingFolder(std::path::PathBuf);

impl RecordingFolder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ecs-random-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for RecordingFolder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}
