//! Random scripts do what a list of steps does that is gone through by hand: waits of all kinds, alone, in races and
//! together, spawns, despawns, replacements and moves by scripts and between frames, disabled entities, panics, on one thread
//! and on several.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ecs_core::Disabled;
use ecs_core::app::script::{Script, ScriptContext, ScriptEvents, both, first_of, run_scripts};
use ecs_core::prelude::*;
use proptest::prelude::*;

use crate::app_model::run::Threads;

const UNIT: Duration = Duration::from_millis(1);

/// The entities that programs name.
const PLACES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Ping(u32);

/// A wait that begins and ends without changing anything.
#[derive(Clone, Debug)]
enum Wait {
    Frames(u64),
    Time(u32),
    /// For the counter to reach a number.
    Count(u32),
    /// For the end of the entity at a place.
    Despawned(usize),
    /// For an event after the start of the wait.
    Event,
    First(Box<Self>, Box<Self>),
    Both(Box<Self>, Box<Self>),
}

#[derive(Clone, Debug)]
enum Step {
    Wait(Wait),
    /// For the next event of the script's reader that is at least so large, or for another wait; the event comes first if the
    /// number is even.
    Next(u32, Wait),
    Do(Action),
    Panic,
}

/// A change of the world, by a script or between frames.
#[derive(Clone, Debug)]
enum Action {
    Count,
    Send(u32),
    /// A new entity with a script, at a place.
    Spawn(usize, usize),
    Despawn(usize),
    Remove(usize),
    /// Inserts a script, which replaces the one that is there.
    Insert(usize, usize),
    /// Moves a script to the entity at another place.
    Move(usize, usize),
    Disable(usize),
    Enable(usize),
}

#[derive(Clone, Debug)]
struct Program {
    /// Each with true if the entity is despawned at the end.
    scripts: Vec<(Vec<Step>, bool)>,
    /// The length of each frame, and the actions before it.
    frames: Vec<(u32, Vec<Action>)>,
}

// ---------------------------------------------------------------------------------------------------------------------------
// The scripts.

#[derive(Default, Resource)]
struct Log(Vec<String>);

#[derive(Resource)]
struct Places {
    program: Arc<Program>,
    entities: [Option<Entity>; PLACES],
    /// The numbers of entities, in the order of their spawns.
    numbers: BTreeMap<Entity, usize>,
    counter: u32,
}

fn script_of(program: &Arc<Program>, index: usize) -> Option<Script> {
    let (_, despawns) = program.scripts.get(index)?;
    let despawns = *despawns;
    let program = Arc::clone(program);
    let script = Script::new(async move |script: ScriptContext| play(script, program, index).await);
    Some(if despawns {
        script.then_despawn()
    } else {
        script
    })
}

async fn play(script: ScriptContext, program: Arc<Program>, index: usize) {
    let mut pings = script.events::<Ping>().await;
    for (number, step) in program.scripts[index].0.iter().enumerate() {
        let line = format!("{index}.{number}");
        let took = step_of(&script, &mut pings, step).await;
        let me = script.entity();
        script
            .world(move |world| note(world, me, &format!("{line}{took}")))
            .await;
    }
}

fn note(world: &mut World, entity: Entity, line: &str) {
    let places = world.resource::<Places>();
    let line = format!("{}:{line}", places.numbers[&entity]);
    drop(places);
    world.resource_mut::<Log>().0.push(line);
}

async fn step_of(script: &ScriptContext, pings: &mut ScriptEvents<Ping>, step: &Step) -> String {
    let entities = script.world(|world| world.resource::<Places>().entities);
    let entities = entities.await;
    match step {
        Step::Wait(wait) => wait_of(script, entities, wait.clone()).await,
        &Step::Next(least, ref wait) => {
            let ping = async {
                let ping = pings.next_where(move |ping| ping.0 >= least).await;
                format!(" {}", ping.0)
            };
            let wait = async {
                wait_of(script, entities, wait.clone()).await;
                String::from(" other")
            };
            return match least % 2 {
                0 => first_of(ping, wait).await,
                _ => first_of(wait, ping).await,
            };
        }
        Step::Do(action) => {
            let action = action.clone();
            script.world(move |world| act(world, &action)).await;
        }
        Step::Panic => panic!("boom {}", script.elapsed().as_millis()),
    }
    String::new()
}

fn wait_of(
    script: &ScriptContext,
    entities: [Option<Entity>; PLACES],
    wait: Wait,
) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
    Box::pin(async move {
        match wait {
            Wait::Frames(frames) => script.frames(frames).await,
            Wait::Time(time) => script.time(time * UNIT).await,
            Wait::Count(count) => {
                script
                    .until(move |world| world.resource::<Places>().counter >= count)
                    .await;
            }
            Wait::Despawned(place) => {
                if let Some(entity) = entities[place] {
                    script.despawned(entity).await;
                }
            }
            Wait::Event => _ = script.event::<Ping>().await,
            Wait::First(a, b) => {
                first_of(wait_of(script, entities, *a), wait_of(script, entities, *b)).await;
            }
            Wait::Both(a, b) => {
                both(wait_of(script, entities, *a), wait_of(script, entities, *b)).await;
            }
        }
    })
}

fn act(world: &mut World, action: &Action) {
    let places = world.resource::<Places>();
    let program = Arc::clone(&places.program);
    let entities = places.entities;
    drop(places);
    let at = |place: usize| entities[place].filter(|&entity| world.contains(entity));
    match *action {
        Action::Count => world.resource_mut::<Places>().counter += 1,
        Action::Send(ping) => world.send_event(Ping(ping)),
        Action::Spawn(place, script) => {
            let entity = world.spawn(script_of(&program, script));
            let mut places = world.resource_mut::<Places>();
            let number = places.numbers.len();
            places.entities[place] = Some(entity);
            places.numbers.insert(entity, number);
        }
        Action::Despawn(place) => {
            if let Some(entity) = at(place) {
                world.despawn(entity).unwrap();
            }
        }
        Action::Remove(place) => {
            if let Some(entity) = at(place) {
                world.remove::<Script>(entity).unwrap();
            }
        }
        Action::Insert(place, script) => {
            if let (Some(entity), Some(script)) = (at(place), script_of(&program, script)) {
                world.insert(entity, script).unwrap();
            }
        }
        Action::Move(from, to) => {
            if let (Some(from), Some(to)) = (at(from), at(to))
                && let Ok(script) = world.take::<Script>(from)
            {
                world.insert(to, script).unwrap();
            }
        }
        Action::Disable(place) => {
            if let Some(entity) = at(place) {
                world.insert(entity, Disabled).unwrap();
            }
        }
        Action::Enable(place) => {
            if let Some(entity) = at(place) {
                world.remove::<Disabled>(entity).unwrap();
            }
        }
    }
}

/// The lines of each frame, the panics among them, and at its end the entities with their scripts.
type Outcome = Vec<Vec<String>>;

fn run(program: &Arc<Program>, threads: Option<usize>, mut before: impl FnMut(&World)) -> Outcome {
    let mut app = App::new();
    app.init_resource::<Log>().insert_resource(Places {
        program: Arc::clone(program),
        entities: [None; PLACES],
        numbers: BTreeMap::new(),
        counter: 0,
    });
    app.add_event::<Ping>();
    // Others run beside them.
    app.add_systems(
        Update,
        (
            run_scripts,
            |mut sum: Local<usize>, entities: Entities| *sum += entities.len(),
            |mut sum: Local<u32>, mut pings: EventReader<Ping>| {
                *sum += pings.read().map(|ping| ping.0).sum::<u32>();
            },
        ),
    );
    if let Some(threads) = threads {
        app.set_executor(Threads(threads));
    }
    let mut outcome = Vec::new();
    for (length, actions) in &program.frames {
        for action in actions {
            act(app.world_mut(), action);
        }
        before(app.world());
        let update = AssertUnwindSafe(|| _ = app.update_by(*length * UNIT));
        let result = catch_unwind(update);
        let mut lines = std::mem::take(&mut app.world_mut().resource_mut::<Log>().0);
        if let Err(panic) = result {
            let message = panic.downcast_ref::<String>().unwrap();
            let (_, line) = message.rsplit_once("panicked: ").unwrap();
            lines.push(line.to_owned());
        }
        app.world().check_invariants();
        let world = app.world();
        let places = world.resource::<Places>();
        let mut entities: Vec<_> = places.numbers.iter().collect();
        entities.sort_by_key(|(_, number)| **number);
        entities.retain(|(entity, _)| world.contains(**entity));
        lines.extend(entities.iter().map(|(entity, number)| {
            let script = if world.has::<Script>(**entity) {
                "script"
            } else {
                ""
            };
            format!("{number} {script}")
        }));
        drop(places);
        outcome.push(lines);
    }
    outcome
}

// ---------------------------------------------------------------------------------------------------------------------------
// The model.

/// A script that is gone through by hand.
struct ModelScript {
    program: usize,
    started: Option<usize>,
    /// Runs and time since its start.
    clock: Option<(u64, u32)>,
    step: usize,
    /// The wait of the step, if it has begun.
    wait: Option<ModelWait>,
    /// The number of the next event for its reader.
    reader: Option<usize>,
    is_over: bool,
}

#[derive(Clone)]
enum ModelWait {
    Run(u64),
    Time(u32),
    Count(u32),
    Despawned(Option<usize>),
    /// For an event with at least this number.
    Event(usize),
    First(Box<Self>, Box<Self>),
    Both(Box<Self>, Box<Self>),
}

#[derive(Default)]
struct ModelEntity {
    is_dead: bool,
    is_disabled: bool,
    /// The number of its script.
    script: Option<usize>,
}

struct Model {
    program: Arc<Program>,
    entities: Vec<ModelEntity>,
    scripts: Vec<ModelScript>,
    places: [Option<usize>; PLACES],
    counter: u32,
    events: Vec<u32>,
    starts: usize,
    lines: Vec<String>,
}

impl Model {
    fn new(program: &Arc<Program>) -> Self {
        Self {
            program: Arc::clone(program),
            entities: Vec::new(),
            scripts: Vec::new(),
            places: [None; PLACES],
            counter: 0,
            events: Vec::new(),
            starts: 0,
            lines: Vec::new(),
        }
    }

    fn new_script(&mut self, program: usize) -> Option<usize> {
        self.program.scripts.get(program)?;
        self.scripts.push(ModelScript {
            program,
            started: None,
            clock: None,
            step: 0,
            wait: None,
            reader: None,
            is_over: false,
        });
        Some(self.scripts.len() - 1)
    }

    fn act(&mut self, action: &Action) {
        let places = self.places;
        let living: Vec<bool> = self.entities.iter().map(|entity| !entity.is_dead).collect();
        let at = |place: usize| places[place].filter(|&entity| living[entity]);
        match *action {
            Action::Count => self.counter += 1,
            Action::Send(ping) => self.events.push(ping),
            Action::Spawn(place, program) => {
                let script = self.new_script(program);
                self.places[place] = Some(self.entities.len());
                self.entities.push(ModelEntity {
                    script,
                    ..ModelEntity::default()
                });
            }
            Action::Despawn(place) => {
                if let Some(entity) = at(place) {
                    self.despawn(entity);
                }
            }
            Action::Remove(place) => {
                if let Some(entity) = at(place) {
                    self.entities[entity].script = None;
                }
            }
            Action::Insert(place, program) => {
                if let Some(entity) = at(place)
                    && let Some(script) = self.new_script(program)
                {
                    self.entities[entity].script = Some(script);
                }
            }
            Action::Move(from, to) => {
                if let (Some(from), Some(to)) = (at(from), at(to))
                    && let Some(script) = self.entities[from].script.take()
                {
                    self.entities[to].script = Some(script);
                }
            }
            Action::Disable(place) => {
                if let Some(entity) = at(place) {
                    self.entities[entity].is_disabled = true;
                }
            }
            Action::Enable(place) => {
                if let Some(entity) = at(place) {
                    self.entities[entity].is_disabled = false;
                }
            }
        }
    }

    fn despawn(&mut self, entity: usize) {
        self.entities[entity].is_dead = true;
        self.entities[entity].script = None;
    }

    /// Runs a frame. `order` has the entities with scripts that have not started, in the order of a query.
    fn frame(&mut self, length: u32, order: &[usize]) -> Vec<String> {
        let mut turns: Vec<(usize, usize)> = Vec::new();
        for (number, entity) in self.entities.iter().enumerate() {
            let Some(script) = entity.script.filter(|_| !entity.is_disabled) else {
                continue;
            };
            if let Some(started) = self.scripts[script].started {
                turns.push((started, number));
            }
            if let Some((runs, time)) = &mut self.scripts[script].clock {
                *runs += 1;
                *time += length;
            }
        }
        turns.sort_unstable();
        for &entity in order {
            let script = self.entities[entity].script.unwrap();
            self.scripts[script].started = Some(self.starts);
            turns.push((self.starts, entity));
            self.starts += 1;
        }
        for (started, entity) in turns {
            let ModelEntity {
                script: Some(script),
                is_disabled: false,
                ..
            } = self.entities[entity]
            else {
                continue;
            };
            if self.scripts[script].started != Some(started) {
                continue;
            }
            if self.scripts[script].is_over || self.is_over_after_turn(script, entity) {
                self.end(script, entity);
            }
            // The other scripts have no turn after a panic.
            if self
                .lines
                .last()
                .is_some_and(|line| line.starts_with("boom"))
            {
                break;
            }
        }
        let mut lines = std::mem::take(&mut self.lines);
        for (number, entity) in self.entities.iter().enumerate() {
            if !entity.is_dead {
                let script = if entity.script.is_some() {
                    "script"
                } else {
                    ""
                };
                lines.push(format!("{number} {script}"));
            }
        }
        lines
    }

    /// Ends a script, which its entity may no longer have.
    fn end(&mut self, script: usize, entity: usize) {
        self.scripts[script].is_over = true;
        if self.entities[entity].script == Some(script) {
            self.entities[entity].script = None;
            if self.program.scripts[self.scripts[script].program].1 {
                self.despawn(entity);
            }
        }
    }

    /// Goes on with a script up to its next wait; returns true if it is over.
    fn is_over_after_turn(&mut self, script: usize, entity: usize) -> bool {
        let program = Arc::clone(&self.program);
        let sent = self.events.len();
        let Self { scripts, .. } = self;
        scripts[script].reader.get_or_insert(sent);
        let (runs, time) = *scripts[script].clock.get_or_insert((0, 0));
        let index = scripts[script].program;
        loop {
            let number = self.scripts[script].step;
            let Some(step) = program.scripts[index].0.get(number) else {
                return true;
            };
            let mut line = format!("{entity}:{index}.{number}");
            match step {
                Step::Wait(wait) => {
                    let begun = self.scripts[script].wait.take();
                    let begun = begun.unwrap_or_else(|| self.begin(wait, runs, time));
                    if !self.is_over(&begun, runs, time) {
                        self.scripts[script].wait = Some(begun);
                        return false;
                    }
                }
                &Step::Next(least, ref wait) => {
                    let begun = self.scripts[script].wait.take();
                    let is_new = begun.is_none();
                    let begun = begun.unwrap_or_else(|| self.begin(wait, runs, time));
                    let is_over = self.is_over(&begun, runs, time);
                    // The reader is not asked if the other wait is none.
                    let mut is_found = false;
                    if !(is_new && is_no_wait(wait, &self.places)) {
                        let reader = self.scripts[script].reader.as_mut().unwrap();
                        while self.events.get(*reader).is_some_and(|&ping| ping < least) {
                            *reader += 1;
                        }
                        is_found = *reader < self.events.len();
                    }
                    if is_found && (least % 2 == 0 || !is_over) {
                        let reader = self.scripts[script].reader.as_mut().unwrap();
                        line += &format!(" {}", self.events[*reader]);
                        *reader += 1;
                    } else if is_over {
                        line += " other";
                    } else {
                        self.scripts[script].wait = Some(begun);
                        return false;
                    }
                }
                Step::Do(action) => {
                    self.act(action);
                    if self.entities[entity].script != Some(script) {
                        return true;
                    }
                }
                Step::Panic => {
                    self.lines.push(format!("boom {time}"));
                    return true;
                }
            }
            self.lines.push(line);
            self.scripts[script].step += 1;
        }
    }

    fn begin(&self, wait: &Wait, runs: u64, time: u32) -> ModelWait {
        let boxed = |wait: &Wait| Box::new(self.begin(wait, runs, time));
        match wait {
            Wait::Frames(frames) => ModelWait::Run(runs + frames),
            Wait::Time(length) => ModelWait::Time(time + length),
            Wait::Count(count) => ModelWait::Count(*count),
            Wait::Despawned(place) => ModelWait::Despawned(self.places[*place]),
            Wait::Event => ModelWait::Event(self.events.len()),
            Wait::First(a, b) => ModelWait::First(boxed(a), boxed(b)),
            Wait::Both(a, b) => ModelWait::Both(boxed(a), boxed(b)),
        }
    }

    fn is_over(&self, wait: &ModelWait, runs: u64, time: u32) -> bool {
        let is_over = |wait: &ModelWait| self.is_over(wait, runs, time);
        match wait {
            ModelWait::Run(run) => runs >= *run,
            ModelWait::Time(end) => time >= *end,
            ModelWait::Count(count) => self.counter >= *count,
            ModelWait::Despawned(entity) => {
                entity.is_none_or(|entity| self.entities[entity].is_dead)
            }
            ModelWait::Event(next) => self.events.len() > *next,
            ModelWait::First(a, b) => is_over(a) || is_over(b),
            ModelWait::Both(a, b) => is_over(a) && is_over(b),
        }
    }
}

/// Returns true if a wait is over when it is first polled, without asking.
fn is_no_wait(wait: &Wait, places: &[Option<usize>; PLACES]) -> bool {
    let is_none = |wait: &Wait| is_no_wait(wait, places);
    match wait {
        Wait::Frames(0) | Wait::Time(0) => true,
        Wait::Despawned(place) => places[*place].is_none(),
        Wait::First(a, b) => is_none(a) || is_none(b),
        Wait::Both(a, b) => is_none(a) && is_none(b),
        _ => false,
    }
}

fn check(program: &Arc<Program>, threads: Option<usize>) {
    let mut model = Model::new(program);
    let mut expected = Vec::new();
    let mut frames = program.frames.iter();
    let found = run(program, threads, |world| {
        let (length, actions) = frames.next().unwrap();
        for action in actions {
            model.act(action);
        }
        let numbers = &world.resource::<Places>().numbers;
        let entities = world.query_filtered::<Entity, With<Script>>();
        let order = entities.iter().map(|entity| numbers[&entity]);
        let is_new = |&entity: &usize| {
            let script = model.entities[entity].script.unwrap();
            model.scripts[script].started.is_none()
        };
        let order: Vec<usize> = order.filter(is_new).collect();
        expected.push(model.frame(*length, &order));
    });
    for (frame, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "in frame {frame} of {program:#?}");
    }
}

fn waits() -> impl Strategy<Value = Wait> {
    let one = prop_oneof![
        (0..4_u64).prop_map(Wait::Frames),
        (0..30_u32).prop_map(Wait::Time),
        (0..6_u32).prop_map(Wait::Count),
        (0..PLACES).prop_map(Wait::Despawned),
        Just(Wait::Event),
    ];
    one.prop_recursive(2, 6, 2, |wait| {
        let two = (wait.clone().prop_map(Box::new), wait.prop_map(Box::new));
        prop_oneof![
            two.clone().prop_map(|(a, b)| Wait::First(a, b)),
            two.prop_map(|(a, b)| Wait::Both(a, b)),
        ]
    })
}

fn actions() -> impl Strategy<Value = Action> {
    let (place, script) = (0..PLACES, 0..5_usize);
    prop_oneof![
        2 => Just(Action::Count),
        3 => (0..5_u32).prop_map(Action::Send),
        3 => (place.clone(), script.clone()).prop_map(|(place, script)| Action::Spawn(place, script)),
        1 => place.clone().prop_map(Action::Despawn),
        1 => place.clone().prop_map(Action::Remove),
        1 => (place.clone(), script).prop_map(|(place, script)| Action::Insert(place, script)),
        1 => (place.clone(), place.clone()).prop_map(|(from, to)| Action::Move(from, to)),
        1 => place.clone().prop_map(Action::Disable),
        2 => place.prop_map(Action::Enable),
    ]
}

fn programs() -> impl Strategy<Value = Program> {
    let step = prop_oneof![
        5 => waits().prop_map(Step::Wait),
        2 => (0..5_u32, waits()).prop_map(|(least, wait)| Step::Next(least, wait)),
        5 => actions().prop_map(Step::Do),
        1 => Just(Step::Panic),
    ];
    let script = (prop::collection::vec(step, 0..8), prop::bool::weighted(0.3));
    let scripts = prop::collection::vec(script, 1..5);
    let frame = (0..20_u32, prop::collection::vec(actions(), 0..4));
    let frames = prop::collection::vec(frame, 1..12);
    (scripts, frames).prop_map(|(scripts, frames)| Program { scripts, frames })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(1000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_scripts_do_what_lists_of_steps_do(program in programs()) {
        check(&Arc::new(program), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(50), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_scripts_do_the_same_on_threads(program in programs()) {
        let program = Arc::new(program);
        for threads in 1..=4 {
            check(&program, Some(threads));
        }
    }
}
