//! Random schedules with random conditions, against a naive model, in any order of conditions.

use std::time::Duration;

use ecs_core::app::{Time, on_timer};
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{every, in_state, not, on_event, resource_changed, run_once};
use ecs_core::schedule::{Configs, NextState, Transitions};
use ecs_core::system::ConditionSource;
use ecs_core::view::Removed;
use proptest::prelude::*;

/// An event; `N` distinguishes two types.
struct Key<const N: usize>;

#[derive(Component)]
#[component(track)]
struct Hp(u32);

#[derive(Component)]
#[component(track)]
struct Body;

#[derive(Resource)]
struct Score;

#[derive(Resource)]
struct Gates([bool; 2]);

/// The number of a system that ran, and of the keys that it read.
#[derive(Resource, Default)]
struct Log(Vec<(usize, usize)>);

#[derive(Clone, Debug)]
enum Condition {
    Event(usize),
    /// Reads one event at most.
    OneEvent(usize),
    ScoreChanged,
    HpChanged,
    Removed,
    Once,
    Every(u32),
    Timer(u64),
    Gate(usize),
    /// A state that is on.
    State,
    /// Counts in a `Local`, true at every second turn.
    Counted,
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
}

impl Condition {
    /// Builds the condition, with exchanged operands if it is `mirrored`.
    fn build(&self, mirrored: bool) -> ConditionSource {
        match self {
            Self::Event(0) => on_event::<Key<0>>(),
            Self::Event(_) => on_event::<Key<1>>(),
            Self::OneEvent(0) => {
                (|mut keys: EventReader<Key<0>>| keys.read().next().is_some()).into_condition()
            }
            Self::OneEvent(_) => {
                (|mut keys: EventReader<Key<1>>| keys.read().next().is_some()).into_condition()
            }
            Self::ScoreChanged => resource_changed::<Score>(),
            Self::HpChanged => {
                (|hps: Query<Entity, Changed<Hp>>| hps.iter().next().is_some()).into_condition()
            }
            Self::Removed => (|mut gone: Removed<Body>| gone.read().count() > 0).into_condition(),
            Self::Once => run_once(),
            Self::Every(n) => every(*n),
            Self::Timer(ms) => on_timer(Duration::from_millis(*ms)),
            &Self::Gate(n) => (move |gates: Res<Gates>| gates.0[n]).into_condition(),
            Self::State => in_state(true),
            Self::Counted => (|mut turns: Local<u32>| {
                *turns += 1;
                turns.is_multiple_of(2)
            })
            .into_condition(),
            Self::Not(one) => not(one.build(mirrored)),
            Self::And(one, other) if mirrored => other.build(true).and(one.build(true)),
            Self::And(one, other) => one.build(false).and(other.build(false)),
            Self::Or(one, other) if mirrored => other.build(true).or(one.build(true)),
            Self::Or(one, other) => one.build(false).or(other.build(false)),
        }
    }
}

#[derive(Clone, Debug)]
struct Step {
    conditions: Vec<Condition>,
    does: Does,
}

#[derive(Clone, Debug)]
enum Does {
    /// Reads keys, and sends one if `sends` is set.
    System { sends: bool },
    /// Several steps with shared conditions.
    Tuple(Vec<Step>),
    /// A nested schedule.
    Nested(Vec<Step>),
}

fn with_conditions<M>(
    of: impl IntoConfigs<M>,
    conditions: &[Condition],
    order: &mut Order,
) -> Configs {
    let mut configs = of.into_configs();
    let mut conditions: Vec<&Condition> = conditions.iter().collect();
    order.shuffle(&mut conditions);
    for condition in conditions {
        configs = configs.run_if(condition.build(order.mirrored));
    }
    configs
}

/// An order of conditions.
#[derive(Clone)]
struct Order {
    seed: u64,
    mirrored: bool,
}

impl Order {
    fn shuffle<T>(&mut self, list: &mut [T]) {
        if self.seed == 0 {
            return;
        }
        for n in (1..list.len()).rev() {
            self.seed = self
                .seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            list.swap(n, (self.seed >> 33) as usize % (n + 1));
        }
    }
}

/// Adds the steps to a schedule; `number` is the number of the next system.
fn add(schedule: &mut Schedule, steps: &[Step], number: &mut usize, order: &mut Order) {
    for step in steps {
        schedule.add(configs(step, number, order));
    }
}

fn configs(step: &Step, number: &mut usize, order: &mut Order) -> Configs {
    let inside = match &step.does {
        Does::System { sends } => {
            let (this, sends) = (*number, *sends);
            *number += 1;
            (move |mut keys: EventReader<Key<0>>, mut log: ResMut<Log>, mut commands: Commands| {
                log.0.push((this, keys.read().count()));
                if sends {
                    commands.queue(|world| world.send_event(Key::<0>));
                }
            })
            .into_configs()
        }
        Does::Tuple(steps) => {
            let mut steps = steps.iter().map(|step| configs(step, number, order));
            let (first, second) = (steps.next(), steps.next());
            (first.unwrap(), second.unwrap()).into_configs()
        }
        Does::Nested(steps) => {
            let mut schedule = Schedule::new();
            add(&mut schedule, steps, number, order);
            schedule.into_configs()
        }
    };
    with_conditions(inside, &step.conditions, order)
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Send(usize),
    Score,
    Hp,
    Despawn,
    Gate(usize, bool),
    State(bool),
}

/// The facts that conditions read: numbers that count events.
#[derive(Clone)]
struct Facts {
    sent: [usize; 2],
    score: usize,
    hp: usize,
    removed: usize,
    gates: [bool; 2],
    state: bool,
    delta: u64,
}

/// A condition with its memory.
struct Asked<'a> {
    of: &'a Condition,
    /// The number of facts that it has seen, that it will have seen if the system runs, and of all facts.
    seen: usize,
    then: usize,
    all: usize,
    has_run: bool,
    count: u64,
    next: u64,
    is_due: bool,
    fired: bool,
    parts: Vec<Asked<'a>>,
    answer: bool,
}

#[derive(Clone, Copy)]
struct Turn {
    ran: bool,
    awake: bool,
    keeps: bool,
    /// For a condition that has to be false.
    negated: bool,
}

impl Turn {
    fn consumes(self) -> bool {
        if self.negated { self.awake } else { self.ran }
    }
}

impl<'a> Asked<'a> {
    fn new(of: &'a Condition) -> Self {
        let parts = match of {
            Condition::Not(one) => vec![Asked::new(one)],
            Condition::And(one, other) | Condition::Or(one, other) => {
                vec![Asked::new(one), Asked::new(other)]
            }
            _ => Vec::new(),
        };
        Self {
            of,
            seen: 0,
            then: 0,
            all: 0,
            has_run: false,
            count: 0,
            next: 0,
            is_due: false,
            fired: false,
            parts,
            answer: false,
        }
    }

    /// True if it depends only on states.
    fn is_about_states(&self) -> bool {
        matches!(self.of, Condition::State)
            || (!self.parts.is_empty() && self.parts.iter().all(Asked::is_about_states))
    }

    fn ask(&mut self, facts: &Facts) -> bool {
        let mut news = |all: usize, then: usize| {
            (self.all, self.then) = (all, then);
            all > self.seen
        };
        let seen = self.seen;
        self.answer = match *self.of {
            Condition::Event(n) => news(facts.sent[n], facts.sent[n]),
            Condition::OneEvent(n) => news(facts.sent[n], facts.sent[n].min(seen + 1)),
            Condition::ScoreChanged => news(facts.score, facts.score),
            Condition::HpChanged => news(facts.hp, facts.hp),
            Condition::Removed => news(facts.removed, facts.removed),
            Condition::Once => !self.has_run,
            Condition::Every(n) => {
                self.next = self.count + 1;
                self.fired = self.next == u64::from(n);
                if self.fired {
                    self.next = 0;
                }
                self.fired || self.is_due
            }
            Condition::Timer(ms) => {
                self.next = self.count + facts.delta;
                self.fired = self.next >= ms;
                self.next %= ms;
                self.fired || self.is_due
            }
            Condition::Gate(n) => facts.gates[n],
            Condition::State => facts.state,
            Condition::Counted => {
                self.count += 1;
                self.count.is_multiple_of(2)
            }
            Condition::Not(_) => !self.parts[0].ask(facts),
            Condition::And(..) => self.parts[0].ask(facts) & self.parts[1].ask(facts),
            Condition::Or(..) => self.parts[0].ask(facts) | self.parts[1].ask(facts),
        };
        self.answer
    }

    fn settle(&mut self, turn: Turn) {
        match self.of {
            Condition::Event(_) | Condition::OneEvent(_) | Condition::Removed => {
                if turn.consumes() {
                    self.seen = self.then;
                } else if !turn.keeps {
                    self.seen = self.all;
                }
            }
            Condition::ScoreChanged | Condition::HpChanged if turn.consumes() => {
                self.seen = self.then;
            }
            Condition::Once => self.has_run |= turn.consumes(),
            Condition::Every(_) | Condition::Timer(_) if turn.awake => {
                self.count = self.next;
                self.is_due = !turn.consumes() && (self.is_due || self.fired);
            }
            _ => {}
        }
        let turn = Turn {
            negated: turn.negated ^ matches!(self.of, Condition::Not(_)),
            ..turn
        };
        let is_and = matches!(self.of, Condition::And(..));
        for part in 0..self.parts.len() {
            let sleeps =
                is_and && self.parts[1 - part].is_about_states() && !self.parts[1 - part].answer;
            let turn = if sleeps {
                Turn {
                    ran: false,
                    awake: false,
                    keeps: false,
                    negated: false,
                }
            } else {
                turn
            };
            self.parts[part].settle(turn);
        }
    }

    /// Discards unread facts.
    fn skip(&mut self, facts: &Facts) {
        match *self.of {
            Condition::Event(n) | Condition::OneEvent(n) => self.seen = facts.sent[n],
            Condition::Removed => self.seen = facts.removed,
            _ => self.parts.iter_mut().for_each(|part| part.skip(facts)),
        }
    }
}

/// A step with the memory of its conditions.
struct Modelled<'a> {
    conditions: Vec<Asked<'a>>,
    does: Modelling<'a>,
    /// The keys that its system has read.
    seen: usize,
    turn: Option<Turn>,
}

enum Modelling<'a> {
    System { number: usize, sends: bool },
    Tuple(Vec<Modelled<'a>>),
    Nested(Vec<Modelled<'a>>),
}

fn modelled<'a>(steps: &'a [Step], number: &mut usize) -> Vec<Modelled<'a>> {
    let one = |step: &'a Step| Modelled {
        conditions: step.conditions.iter().map(Asked::new).collect(),
        does: match &step.does {
            Does::System { sends } => {
                *number += 1;
                Modelling::System {
                    number: *number - 1,
                    sends: *sends,
                }
            }
            Does::Tuple(steps) => Modelling::Tuple(modelled(steps, number)),
            Does::Nested(steps) => Modelling::Nested(modelled(steps, number)),
        },
        seen: 0,
        turn: None,
    };
    steps.iter().map(one).collect()
}

impl Modelled<'_> {
    /// Runs the step; `outer` holds the answers of the conditions of the tuples around it: all true, and one about
    /// states false.
    fn run(
        &mut self,
        facts: &mut Facts,
        outer: (bool, bool),
        log: &mut Vec<(usize, usize)>,
    ) -> Turn {
        let mut asked = false;
        let (mut all, mut sleeps) = outer;
        let mut ask = |conditions: &mut Vec<Asked<'_>>, facts: &Facts| {
            for condition in conditions {
                let yes = condition.ask(facts);
                all &= yes;
                sleeps |= !yes && condition.is_about_states();
            }
            asked = true;
        };
        ask(&mut self.conditions, facts);
        let turn = match &mut self.does {
            Modelling::Tuple(steps) => {
                let mut turn = Turn {
                    ran: false,
                    awake: false,
                    keeps: false,
                    negated: false,
                };
                for step in steps {
                    let one = step.run(facts, (all, sleeps), log);
                    turn.ran |= one.ran;
                    turn.awake |= one.awake;
                    turn.keeps |= one.keeps;
                }
                turn
            }
            _ if !all => {
                if sleeps {
                    self.skip_inside(facts);
                }
                Turn {
                    ran: false,
                    awake: !sleeps,
                    keeps: !sleeps,
                    negated: false,
                }
            }
            Modelling::System { number, sends } => {
                log.push((*number, facts.sent[0] - self.seen));
                self.seen = facts.sent[0];
                facts.sent[0] += usize::from(*sends);
                Turn {
                    ran: true,
                    awake: true,
                    keeps: false,
                    negated: false,
                }
            }
            Modelling::Nested(steps) => {
                for step in &mut *steps {
                    let turn = step.run(facts, (true, false), log);
                    step.turn = Some(turn);
                }
                for step in steps {
                    step.settle();
                }
                Turn {
                    ran: true,
                    awake: true,
                    keeps: false,
                    negated: false,
                }
            }
        };
        self.turn = Some(turn);
        turn
    }

    fn settle(&mut self) {
        let turn = self.turn.take().unwrap();
        for condition in &mut self.conditions {
            condition.settle(turn);
        }
        if let Modelling::Tuple(steps) = &mut self.does {
            steps.iter_mut().for_each(Self::settle);
        }
    }

    /// Discards the keys that the system, or the systems inside, have not read.
    fn skip_inside(&mut self, facts: &Facts) {
        match &mut self.does {
            Modelling::System { .. } => self.seen = facts.sent[0],
            Modelling::Tuple(steps) | Modelling::Nested(steps) => {
                for step in steps {
                    step.conditions.iter_mut().for_each(|one| one.skip(facts));
                    step.skip_inside(facts);
                }
            }
        }
    }
}

type Frames = Vec<(Vec<Action>, u64)>;

/// Runs the frames on the engine; returns the log of each.
fn on_engine(
    steps: &[Step],
    frames: &Frames,
    mut order: Order,
    pool: Option<&rayon::ThreadPool>,
) -> Vec<Vec<(usize, usize)>> {
    let mut world = World::new();
    world.add_event::<Key<0>>();
    world.add_event::<Key<1>>();
    world.insert_resource(Score);
    world.insert_resource(Gates([false; 2]));
    world.insert_resource(Log::default());
    world.insert_resource(Time::new());
    let hero = world.spawn(Hp(0));
    let mut frame = Schedule::new();
    let mut states = Transitions::new();
    states.add_state(false);
    frame.add(states);
    add(&mut frame, steps, &mut 0, &mut order);
    frame.prepare(&mut world).unwrap();
    let mut logs = Vec::new();
    for (actions, delta) in frames {
        for &action in actions {
            match action {
                Action::Send(0) => world.send_event(Key::<0>),
                Action::Send(_) => world.send_event(Key::<1>),
                Action::Score => _ = world.insert_resource(Score),
                Action::Hp => world.get_mut::<Hp>(hero).unwrap().0 += 1,
                Action::Despawn => {
                    let body = world.spawn(Body);
                    world.despawn(body).unwrap();
                }
                Action::Gate(n, open) => world.resource_mut::<Gates>().0[n] = open,
                Action::State(on) => world.resource_mut::<NextState<bool>>().set(on),
            }
        }
        world
            .resource_mut::<Time>()
            .advance(Duration::from_millis(*delta));
        match pool {
            Some(pool) => frame.run_par(&mut world, pool).unwrap(),
            None => frame.run_seq(&mut world).unwrap(),
        }
        logs.push(std::mem::take(&mut world.resource_mut::<Log>().0));
    }
    logs
}

/// Runs the frames on the model.
fn on_model(steps: &[Step], frames: &Frames) -> Vec<Vec<(usize, usize)>> {
    let mut steps = modelled(steps, &mut 0);
    let mut facts = Facts {
        sent: [0; 2],
        score: 1,
        hp: 1,
        removed: 0,
        gates: [false; 2],
        state: false,
        delta: 0,
    };
    let mut logs = Vec::new();
    for (actions, delta) in frames {
        for &action in actions {
            match action {
                Action::Send(n) => facts.sent[n] += 1,
                Action::Score => facts.score += 1,
                Action::Hp => facts.hp += 1,
                Action::Despawn => facts.removed += 1,
                Action::Gate(n, open) => facts.gates[n] = open,
                Action::State(on) => facts.state = on,
            }
        }
        facts.delta = *delta;
        let mut log = Vec::new();
        for step in &mut steps {
            step.run(&mut facts, (true, false), &mut log);
        }
        steps.iter_mut().for_each(Modelled::settle);
        logs.push(log);
    }
    logs
}

fn conditions() -> impl Strategy<Value = Condition> {
    let one = prop_oneof![
        3 => (0..2_usize).prop_map(Condition::Event),
        2 => (0..2_usize).prop_map(Condition::OneEvent),
        2 => Just(Condition::ScoreChanged),
        2 => Just(Condition::HpChanged),
        1 => Just(Condition::Removed),
        2 => Just(Condition::Once),
        2 => (1..4_u32).prop_map(Condition::Every),
        2 => (5..40_u64).prop_map(Condition::Timer),
        4 => (0..2_usize).prop_map(Condition::Gate),
        3 => Just(Condition::State),
        1 => Just(Condition::Counted),
    ];
    one.prop_recursive(2, 4, 2, |one| {
        let one = one.prop_map(Box::new);
        prop_oneof![
            one.clone().prop_map(Condition::Not),
            (one.clone(), one.clone()).prop_map(|(a, b)| Condition::And(a, b)),
            (one.clone(), one).prop_map(|(a, b)| Condition::Or(a, b)),
        ]
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let list = || prop::collection::vec(conditions(), 0..4);
    let system = (list(), any::<bool>()).prop_map(|(conditions, sends)| Step {
        conditions,
        does: Does::System { sends },
    });
    let step = system.prop_recursive(2, 6, 2, move |step| {
        let steps = prop::collection::vec(step, 2);
        prop_oneof![
            (list(), steps.clone()).prop_map(|(conditions, steps)| Step {
                conditions,
                does: Does::Tuple(steps),
            }),
            (list(), steps).prop_map(|(conditions, steps)| Step {
                conditions,
                does: Does::Nested(steps),
            }),
        ]
    });
    prop::collection::vec(step, 1..4)
}

fn frames() -> impl Strategy<Value = Frames> {
    let action = prop_oneof![
        (0..2_usize).prop_map(Action::Send),
        Just(Action::Score),
        Just(Action::Hp),
        Just(Action::Despawn),
        (0..2_usize, any::<bool>()).prop_map(|(n, open)| Action::Gate(n, open)),
        any::<bool>().prop_map(Action::State),
    ];
    prop::collection::vec((prop::collection::vec(action, 0..3), 0..20_u64), 1..16)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(64)))]

    #[test]
    fn conditions_in_any_order_give_the_same_runs(
        steps in steps(),
        frames in frames(),
        seed in any::<u64>(),
    ) {
        let expected = on_model(&steps, &frames);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for (seed, mirrored) in [(0, false), (seed | 1, true)] {
            for pool in [None, Some(&pool)] {
                let order = Order { seed, mirrored };
                let mut logs = on_engine(&steps, &frames, order, pool);
                if pool.is_some() {
                    logs.iter_mut().for_each(|log| log.sort_unstable());
                    let mut expected = expected.clone();
                    expected.iter_mut().for_each(|log| log.sort_unstable());
                    prop_assert_eq!(logs, expected, "threads, {}", seed);
                } else {
                    prop_assert_eq!(&logs, &expected, "one thread, {}", seed);
                }
            }
        }
    }
}
