//! Runs a program as an app.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ecs_core::app::{Clock, First, Last, StateTransition, fixed_update};
use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{every, in_state};
use ecs_core::schedule::{
    Configs, DespawnOnExit, ErrorPolicy, Executor, NextState, OnError, Run, ScheduleError,
    SetConfig, SystemError, Task,
};

use crate::app_model::Outcome;
use crate::app_model::interpreter::STEP;
use crate::app_model::program::{
    Act, Condition, Hand, Item, Node, Pause, Place, Played, Program, Screen, Set,
};

/// The way to run the systems of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    OneThread,
    /// On one thread, in a random order among those that the plan allows.
    Shuffled(u64),
    Threads(usize),
    /// On one thread, with hooks around each frame and after each step.
    Watched,
    /// System by system, with updates of a paused app in between, up to a random system of each frame.
    Stepped(u64),
}

#[derive(Resource, Default)]
struct Log<const N: usize>(Vec<u64>);

#[derive(Resource, Default)]
struct Failed(Vec<u64>);

#[derive(Component)]
struct Tag(u64);

#[derive(Component)]
#[component(track)]
struct Mark;

/// The entities marked by systems.
#[derive(Resource)]
struct Marked([Entity; 3]);

#[derive(Debug, PartialEq, Eq, Hash)]
struct Combat;
#[derive(Debug, PartialEq, Eq, Hash)]
struct Turn;
#[derive(Debug, PartialEq, Eq, Hash)]
struct Fight;
/// A configured set.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Number(usize);
/// The set of an item.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Id(u64);

/// Returns the outcome after each frame.
pub(crate) fn run(program: &Program, how: How) -> Vec<Outcome> {
    let mut app = app(program);
    match how {
        How::OneThread => _ = app.single_threaded(true),
        How::Shuffled(seed) => _ = app.set_executor(Shuffled(seed)),
        How::Threads(threads) => _ = app.set_executor(Threads(threads)),
        How::Watched => watch(&mut app),
        How::Stepped(_) => {}
    }
    let mut outcomes = Vec::new();
    for (frame, &millis) in program.frames.iter().enumerate() {
        let length = Duration::from_millis(millis);
        match how {
            How::Stepped(seed) => step_frame(&mut app, length, seed.wrapping_mul(frame as u64 + 1)),
            _ => assert_eq!(app.update_by(length), None),
        }
        let world = app.world();
        let mut tags: Vec<u64> = world.view::<Tag>().iter().map(|tag| tag.0).collect();
        tags.sort_unstable();
        outcomes.push(Outcome {
            logs: [
                world.resource::<Log<0>>().0.clone(),
                world.resource::<Log<1>>().0.clone(),
                world.resource::<Log<2>>().0.clone(),
            ],
            tags,
            failed: world.resource::<Failed>().0.clone(),
        });
    }
    outcomes
}

/// Adds hooks, which check that the app calls them in their order.
fn watch(app: &mut App) {
    #[derive(Default)]
    struct Calls {
        is_in_frame: bool,
        steps: usize,
    }
    let calls = Arc::new(Mutex::new(Calls::default()));
    let seen = [(); 4].map(|()| calls.clone());
    let [between, before, step, after] = seen;
    app.between_frames(move |_| assert!(!between.lock().unwrap().is_in_frame));
    app.before_frame(move |_| before.lock().unwrap().is_in_frame = true);
    app.after_step(move |_, world| {
        let mut calls = step.lock().unwrap();
        assert!(calls.is_in_frame);
        assert!(!world.resource::<Marked>().0.is_empty());
        calls.steps += 1;
    });
    app.after_frame(move |_| after.lock().unwrap().is_in_frame = false);
}

/// Runs a frame, and steps its first systems.
fn step_frame(app: &mut App, length: Duration, seed: u64) {
    let rest = Duration::from_millis(seed % 7);
    app.set_clock(Clock::fixed(length));
    for n in 0..seed % 24 {
        if app.step_system().is_none() {
            assert!(!app.is_in_frame());
            return;
        }
        if n % 3 == 0 {
            assert_eq!(app.update_by(rest), None);
        }
    }
    if seed.is_multiple_of(2) || !app.is_in_frame() {
        assert_eq!(app.step(), None);
    } else {
        app.run_until(|_| true);
    }
}

fn app(program: &Program) -> App {
    let mut app = App::new();
    app.fixed_step(Duration::from_millis(STEP));
    app.init_resource::<Log<0>>()
        .init_resource::<Log<1>>()
        .init_resource::<Log<2>>()
        .init_resource::<Failed>()
        .add_event::<u64>()
        .add_schedule(Turn)
        .add_schedule(Fight)
        .insert_schedule_after(Update, Combat)
        .add_state(Screen::Menu)
        .add_sub_state(Pause::Running, Screen::Game)
        .add_computed_state(|screen: &Screen| (*screen != Screen::Menu).then_some(Played));
    let marked = [(); 3].map(|()| app.world_mut().spawn(Mark));
    app.insert_resource(Marked(marked));
    for (number, set) in program.sets.iter().enumerate() {
        if let Some(place) = set.place {
            configure(&mut app, place, number, set);
        }
    }
    let [first, second] = program.plugins.clone();
    let sets: Arc<[Set]> = program.sets.clone().into();
    app.add_plugin(move |app: &mut App| {
        let half = first.len() / 2;
        for (n, (place, item)) in first.into_iter().enumerate() {
            if n == half {
                let (second, sets) = (second.clone(), sets.clone());
                app.add_plugin(move |app: &mut App| {
                    second
                        .into_iter()
                        .for_each(|(place, item)| add(app, place, item, &sets));
                });
            }
            add(app, place, item, &sets);
        }
    });
    app
}

fn configure(app: &mut App, place: Place, number: usize, set: &Set) {
    let configured = |config| configured(config, set);
    let label = Number(number);
    match place {
        Place::Startup => app.configure(Startup, label, configured),
        Place::StateTransition => app.configure(StateTransition, label, configured),
        Place::First => app.configure(First, label, configured),
        Place::PreUpdate => app.configure(PreUpdate, label, configured),
        Place::FixedUpdate => app.configure(FixedUpdate, label, configured),
        Place::Update => app.configure(Update, label, configured),
        Place::Combat => app.configure(Combat, label, configured),
        Place::PostUpdate => app.configure(PostUpdate, label, configured),
        Place::Last => app.configure(Last, label, configured),
        Place::Turn => app.configure(Turn, label, configured),
        Place::Fight => app.configure(Fight, label, configured),
        _ => unreachable!("handlers of states have no sets"),
    };
}

fn configured(mut config: SetConfig, set: &Set) -> SetConfig {
    for condition in &set.conditions {
        config = match *condition {
            Condition::Every(n) => config.run_if(every(n)),
            Condition::Screen(screen) => config.run_if(in_state(screen)),
            Condition::Pause(pause) => config.run_if(in_state(pause)),
        };
    }
    if let Some(other) = set.after {
        config = config.after(Id(other));
    }
    if let Some(other) = set.before {
        config = config.before(Id(other));
    }
    config
}

fn add(app: &mut App, place: Place, item: Item, sets: &[Set]) {
    let systems = step(item, sets);
    match place {
        Place::Startup => app.add_systems(Startup, systems),
        Place::StateTransition => app.add_systems(StateTransition, systems),
        Place::First => app.add_systems(First, systems),
        Place::PreUpdate => app.add_systems(PreUpdate, systems),
        Place::FixedUpdate => app.add_systems(FixedUpdate, systems),
        Place::Update => app.add_systems(Update, systems),
        Place::Combat => app.add_systems(Combat, systems),
        Place::PostUpdate => app.add_systems(PostUpdate, systems),
        Place::Last => app.add_systems(Last, systems),
        Place::Turn => app.add_systems(Turn, systems),
        Place::Fight => app.add_systems(Fight, systems),
        Place::EnterScreen(screen) => app.on_enter(screen, systems),
        Place::ExitScreen(screen) => app.on_exit(screen, systems),
        Place::ChangeScreen(from, to) => app.on_transition(from, to, systems),
        Place::EnterPause(pause) => app.on_enter(pause, systems),
        Place::ExitPause(pause) => app.on_exit(pause, systems),
        Place::EnterPlayed => app.on_enter(Played, systems),
        Place::ExitPlayed => app.on_exit(Played, systems),
    };
}

fn step(item: Item, sets: &[Set]) -> Configs {
    let mut configs = match item.node {
        Node::System { log: 0, act } => system::<0>(item.id, act),
        Node::System { log: 1, act } => system::<1>(item.id, act),
        Node::System { act, .. } => system::<2>(item.id, act),
        Node::Schedule(items) => schedule(items, sets).into_configs(),
        Node::Fixed { millis, items } => {
            fixed_update(Duration::from_millis(millis), schedule(items, sets)).into_configs()
        }
    };
    // The first condition is evaluated first: the last one that is added to a group.
    for condition in item.conditions {
        configs = match condition {
            Condition::Every(n) => configs.run_if(every(n)),
            Condition::Screen(screen) => configs.run_if(in_state(screen)),
            Condition::Pause(pause) => configs.run_if(in_state(pause)),
        };
    }
    if let Some(other) = item.after {
        configs = configs.after(Id(other));
    }
    if let Some(set) = item.set {
        configs = configs.in_set(Number(set));
    }
    configs.in_set(Id(item.id))
}

fn schedule(items: Vec<Item>, sets: &[Set]) -> Schedule {
    let mut schedule = Schedule::new();
    if let Some(number) = items.iter().find_map(|item| item.set) {
        schedule.configure(Number(number), |config| configured(config, &sets[number]));
    }
    for item in items {
        schedule.add(step(item, sets));
    }
    schedule
}

fn system<const N: usize>(id: u64, act: Act) -> Configs {
    let id_of = move |value: u64| id * 10_000 + value;
    match act {
        Act::Note => (move |mut log: ResMut<Log<N>>| log.0.push(id_of(0))).into_configs(),
        Act::Send => (move |mut sent: EventWriter<u64>| sent.send(id)).into_configs(),
        Act::Read => (move |mut events: EventReader<u64>, mut log: ResMut<Log<N>>| {
            let count = events.len() as u64 % 10;
            log.0.push(id_of(events.read().sum::<u64>() * 10 + count));
        })
        .into_configs(),
        Act::Count => (move |tags: Comp<Tag>, mut log: ResMut<Log<N>>| {
            log.0.push(id_of(tags.len() as u64));
        })
        .into_configs(),
        Act::Spawn => (move |mut commands: Commands| _ = commands.spawn(Tag(id))).into_configs(),
        Act::SpawnFor(screen) => (move |mut commands: Commands| {
            commands.spawn((Tag(id), Mark, DespawnOnExit(screen)));
        })
        .into_configs(),
        Act::Screen(screen) => {
            (move |mut next: ResMut<NextState<Screen>>| next.set(screen)).into_configs()
        }
        Act::ScreenAgain(screen) => {
            (move |mut next: ResMut<NextState<Screen>>| next.enter_again(screen)).into_configs()
        }
        Act::Pause(pause) => (move |next: Option<ResMut<NextState<Pause>>>| {
            if let Some(mut next) = next {
                next.set(pause);
            }
        })
        .into_configs(),
        Act::Delta => (move |time: Res<Time>, mut log: ResMut<Log<N>>| {
            log.0.push(id_of(time.delta().as_millis() as u64));
        })
        .into_configs(),
        Act::Mark(entity) => (move |mut commands: Commands, marked: Res<Marked>| {
            commands.insert(marked.0[entity], Mark);
        })
        .into_configs(),
        Act::Unmark(entity) => (move |mut commands: Commands, marked: Res<Marked>| {
            commands.remove::<Mark>(marked.0[entity]);
        })
        .into_configs(),
        Act::Unmarked => {
            (move |mut unmarked: Removed<Mark>, marked: Res<Marked>, mut log: ResMut<Log<N>>| {
                let number = |entity| {
                    marked
                        .0
                        .iter()
                        .position(|other| *other == entity)
                        .unwrap_or(3)
                };
                let read = unmarked.read().map(number);
                log.0.push(id_of(
                    read.fold(1, |sum, entity| (sum * 4 + entity as u64) % 9_973),
                ));
            })
            .into_configs()
        }
        Act::Fail => (move || -> Result<(), String> { Err(id.to_string()) })
            .into_configs()
            .on_error(ErrorPolicy::Call(note_failure)),
        Act::Run {
            hand,
            by_command: false,
        } => from_fn(move |world: &mut World| by_hand(world, hand)).into_configs(),
        Act::Run { hand, .. } => (move |mut commands: Commands| {
            commands.queue(move |world: &mut World| by_hand(world, hand));
        })
        .into_configs(),
    }
}

fn by_hand(world: &mut World, hand: Hand) {
    let result = match hand {
        Hand::Turn => world.run_schedule(Turn),
        Hand::Fight => world.run_schedule(Fight),
    };
    match result {
        Err(ScheduleError::Running { .. }) => {}
        other => other.unwrap(),
    }
}

fn note_failure(error: &SystemError, world: &mut World) -> OnError {
    let id = error.error.to_string().parse().unwrap();
    world.resource_mut::<Failed>().0.push(id);
    OnError::Continue
}

/// Calls `work` with the waiting tasks until none is left: it runs some of them, and adds the tasks that these release.
fn work_off(run: &mut Run<'_>, mut work: impl FnMut(&mut Vec<Task<'_>>)) {
    while let Some(mut round) = run.round() {
        let mut tasks: Vec<Task<'_>> = Vec::new();
        loop {
            while let Some(task) = round.next_task() {
                tasks.push(task);
            }
            if tasks.is_empty() {
                break;
            }
            work(&mut tasks);
        }
    }
}

struct Shuffled(u64);

impl Shuffled {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

impl Executor for Shuffled {
    fn run(&mut self, run: &mut Run<'_>) {
        work_off(run, |tasks| {
            let task = tasks.swap_remove(self.next(tasks.len()));
            tasks.extend(task.run());
        });
    }
}

/// Runs each task on a thread of its own, that many at a time.
pub(crate) struct Threads(pub(crate) usize);

impl Executor for Threads {
    fn run(&mut self, run: &mut Run<'_>) {
        work_off(run, |tasks| {
            let now = tasks.split_off(tasks.len().saturating_sub(self.0));
            std::thread::scope(|scope| {
                let running: Vec<_> = now
                    .into_iter()
                    .map(|task| scope.spawn(|| task.run().collect::<Vec<_>>()))
                    .collect();
                for thread in running {
                    tasks.extend(thread.join().unwrap());
                }
            });
        });
    }
}
