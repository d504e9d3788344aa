//! Random trees of states, with requests from outside and from handlers, and handlers that panic once, against a plain
//! interpreter of the documented rules: the same handlers run in the same order and see the same states and entities.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::{Configs, DespawnOnExit, NextState, State, Transitions};
use proptest::collection::vec;
use proptest::prelude::*;

/// The number of states, and of their values.
const STATES: usize = 6;
const VALUES: u8 = 3;

/// The state with a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Is<const N: usize>(u8);

#[derive(Resource, Default)]
struct Log(Vec<String>);

/// Calls a function that is generic over the number of a state.
macro_rules! with_number {
    ($n:expr, $function:ident::<_ $(, $more:literal)?>($($argument:expr),*)) => {
        match $n {
            0 => $function::<0 $(, $more)?>($($argument),*),
            1 => $function::<1 $(, $more)?>($($argument),*),
            2 => $function::<2 $(, $more)?>($($argument),*),
            3 => $function::<3 $(, $more)?>($($argument),*),
            4 => $function::<4 $(, $more)?>($($argument),*),
            _ => $function::<5 $(, $more)?>($($argument),*),
        }
    };
}

/// The way a state is added.
#[derive(Clone, Debug)]
enum Kind {
    Root {
        first: u8,
    },
    Sub {
        parent: usize,
        first: u8,
        while_in: u8,
    },
    Computed {
        parent: usize,
        table: [Option<u8>; 3],
    },
}

impl Kind {
    fn parent(&self) -> Option<usize> {
        match *self {
            Self::Root { .. } => None,
            Self::Sub { parent, .. } | Self::Computed { parent, .. } => Some(parent),
        }
    }
}

#[derive(Clone, Debug)]
struct Request {
    state: usize,
    value: u8,
    again: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Exit(usize, u8),
    Between(usize, u8, u8),
    Enter(usize, u8),
}

/// The action of a handler besides logging.
#[derive(Clone, Debug)]
enum Act {
    Request(Request),
    /// Once.
    Panic,
}

/// The action before a run.
#[derive(Clone, Debug)]
enum Before {
    Request(Request),
    /// An entity that is despawned with a value.
    Spawn(usize, u8),
}

fn describe(moment: Moment, states: impl Iterator<Item = Option<u8>>, alive: usize) -> String {
    let states: Vec<_> = states
        .map(|state| state.map_or("-".into(), |v| v.to_string()))
        .collect();
    format!("{moment:?}: {} ({alive})", states.join(" "))
}

// --- The engine

fn value<const N: usize>(world: &World) -> Option<u8> {
    world
        .get_resource::<State<Is<N>>>()
        .map(|state| state.get().0)
}

fn request<const N: usize>(world: &World, request: &Request) {
    if let Some(mut next) = world.get_resource_mut::<NextState<Is<N>>>() {
        if request.again {
            next.enter_again(Is(request.value));
        } else {
            next.set(Is(request.value));
        }
    }
}

fn add_to_world<const N: usize>(world: &mut World, first: u8) {
    world.add_state(Is::<N>(first));
}

fn spawn<const N: usize>(world: &mut World, value: u8) {
    world.spawn(DespawnOnExit(Is::<N>(value)));
}

fn handler(moment: Moment, act: Option<Act>) -> Configs {
    let mut panicked = false;
    let run = move |world: &mut World| {
        let states: Vec<_> = (0..STATES)
            .map(|n| with_number!(n, value::<_>(world)))
            .collect();
        let line = describe(moment, states.into_iter(), world.len());
        world.resource_mut::<Log>().0.push(line);
        match &act {
            Some(Act::Request(asked)) => with_number!(asked.state, request::<_>(world, asked)),
            Some(Act::Panic) if !panicked => {
                panicked = true;
                panic!("as scripted");
            }
            _ => {}
        }
    };
    from_fn(run).into_configs()
}

fn add_handlers<const N: usize>(states: &mut Transitions, acts: &[(Moment, Act)]) {
    let handler = |moment| {
        let act = acts.iter().find(|(at, _)| *at == moment);
        handler(moment, act.map(|(_, act)| act.clone()))
    };
    for v in 0..VALUES {
        states.on_enter(Is::<N>(v), handler(Moment::Enter(N, v)));
        states.on_exit(Is::<N>(v), handler(Moment::Exit(N, v)));
        for w in 0..VALUES {
            states.on_transition(Is::<N>(v), Is(w), handler(Moment::Between(N, v, w)));
        }
    }
}

fn add_to_parent<const P: usize, const N: usize>(states: &mut Transitions, kind: &Kind) {
    match *kind {
        Kind::Root { first } => _ = states.add_state(Is::<N>(first)),
        Kind::Sub {
            first, while_in, ..
        } => {
            states.add_sub_state(Is::<N>(first), Is::<P>(while_in));
        }
        Kind::Computed { table, .. } => {
            let compute = move |parent: &Is<P>| table[usize::from(parent.0)].map(Is::<N>);
            states.add_computed_state(compute);
        }
    }
}

fn add(states: &mut Transitions, n: usize, kind: &Kind) {
    let parent = kind.parent().unwrap_or(0);
    match n {
        0 => with_number!(parent, add_to_parent::<_, 0>(states, kind)),
        1 => with_number!(parent, add_to_parent::<_, 1>(states, kind)),
        2 => with_number!(parent, add_to_parent::<_, 2>(states, kind)),
        3 => with_number!(parent, add_to_parent::<_, 3>(states, kind)),
        4 => with_number!(parent, add_to_parent::<_, 4>(states, kind)),
        _ => with_number!(parent, add_to_parent::<_, 5>(states, kind)),
    }
}

// --- The interpreter

/// One state of the interpreter.
#[derive(Clone, Default)]
struct Simple {
    now: Option<u8>,
    entered: bool,
    /// The value, and true if it is entered again.
    next: Option<(u8, bool)>,
}

enum Todo {
    Call(Moment),
    Despawn(usize, u8),
    /// The new states, and the states that lose their requests.
    Set(Vec<Simple>, Vec<usize>),
}

struct Interpreter {
    kinds: Vec<Kind>,
    /// Parents first.
    order: Vec<usize>,
    states: Vec<Simple>,
    entities: Vec<(usize, u8)>,
    acts: Vec<(Moment, Act)>,
    todo: VecDeque<Todo>,
    taken: Vec<Option<(u8, bool)>>,
    log: Vec<String>,
}

impl Interpreter {
    fn new(kinds: &[Kind], named: &[usize], acts: &[(Moment, Act)]) -> Self {
        let depth = |mut n: usize| {
            let mut depth = 0;
            while let Some(parent) = kinds[n].parent() {
                (n, depth) = (parent, depth + 1);
            }
            depth
        };
        let mut order = named.to_vec();
        order.sort_by_key(|&n| depth(n));
        let states = kinds.iter().map(|kind| match *kind {
            Kind::Root { first } => Simple {
                now: Some(first),
                ..Simple::default()
            },
            _ => Simple::default(),
        });
        Self {
            kinds: kinds.to_vec(),
            order,
            states: states.collect(),
            entities: Vec::new(),
            acts: acts.to_vec(),
            todo: VecDeque::new(),
            taken: vec![None; kinds.len()],
            log: Vec::new(),
        }
    }

    fn can_be_asked(&self, n: usize) -> bool {
        self.states[n].now.is_some() && !matches!(self.kinds[n], Kind::Computed { .. })
    }

    fn request(&mut self, request: &Request) {
        if self.can_be_asked(request.state) {
            self.states[request.state].next = Some((request.value, request.again));
        }
    }

    /// Returns false if a handler panicked.
    fn run(&mut self) -> bool {
        for n in 0..self.states.len() {
            let next = self.states[n].next.take();
            self.taken[n] = next.or(self.taken[n]);
        }
        self.work()
            && {
                self.plan(false);
                self.work()
            }
            && {
                self.plan(true);
                self.work()
            }
    }

    fn plan(&mut self, with_requests: bool) {
        let mut new = self.states.clone();
        // For each state: the left value and the entered value.
        let mut moves: Vec<(Option<u8>, Option<u8>)> = vec![(None, None); new.len()];
        let mut forget = Vec::new();
        for &n in &self.order {
            let old = self.states[n].now;
            let asked = |old: u8| {
                let asked = self.taken[n].filter(|_| with_requests);
                asked
                    .filter(|&(value, again)| again || value != old)
                    .map(|(value, _)| value)
            };
            moves[n] = match self.kinds[n] {
                Kind::Root { .. } if !self.states[n].entered => (None, old),
                Kind::Root { .. } => asked(old.unwrap()).map_or((None, None), |v| (old, Some(v))),
                Kind::Computed { parent, table } => {
                    let value = new[parent]
                        .now
                        .and_then(|parent| table[usize::from(parent)]);
                    new[n].now = value;
                    if value == old {
                        (None, None)
                    } else {
                        (old, value)
                    }
                }
                Kind::Sub {
                    parent,
                    first,
                    while_in,
                } => {
                    let lives = new[parent].now == Some(while_in);
                    match old {
                        None if lives => (None, Some(first)),
                        None => (None, None),
                        Some(_) if !lives => (old, None),
                        Some(_) if moves[parent].1.is_some() => (old, Some(first)),
                        Some(now) => asked(now).map_or((None, None), |v| (old, Some(v))),
                    }
                }
            };
            if moves[n] != (None, None) {
                new[n].now = moves[n].1;
                new[n].entered = true;
                if let Kind::Sub { parent, .. } = self.kinds[n]
                    && (moves[parent].1.is_some() || moves[n].0.is_none() || moves[n].1.is_none())
                {
                    forget.push(n);
                }
                self.taken[n] =
                    self.taken[n].filter(|_| matches!(self.kinds[n], Kind::Root { .. }));
            }
        }
        if with_requests {
            self.taken.fill(None);
        }
        for &n in self.order.iter().rev() {
            if let Some(old) = moves[n].0 {
                self.todo.push_back(Todo::Call(Moment::Exit(n, old)));
                self.todo.push_back(Todo::Despawn(n, old));
            }
        }
        self.todo.push_back(Todo::Set(new, forget));
        for &n in &self.order {
            let anew =
                matches!(self.kinds[n], Kind::Sub { parent, .. } if moves[parent].1.is_some());
            if let (Some(old), Some(new), false) = (moves[n].0, moves[n].1, anew) {
                self.todo
                    .push_back(Todo::Call(Moment::Between(n, old, new)));
            }
        }
        for &n in &self.order {
            if let Some(new) = moves[n].1 {
                self.todo.push_back(Todo::Call(Moment::Enter(n, new)));
            }
        }
    }

    fn work(&mut self) -> bool {
        while let Some(todo) = self.todo.pop_front() {
            match todo {
                Todo::Despawn(n, value) => self.entities.retain(|&of| of != (n, value)),
                Todo::Set(new, forget) => {
                    for (state, new) in self.states.iter_mut().zip(new) {
                        (state.now, state.entered) = (new.now, new.entered);
                    }
                    for n in forget {
                        self.states[n].next = None;
                    }
                }
                Todo::Call(moment) => {
                    let states = self.states.iter().map(|state| state.now);
                    self.log.push(describe(moment, states, self.entities.len()));
                    let Some(at) = self.acts.iter().position(|(at, _)| *at == moment) else {
                        continue;
                    };
                    if let Act::Request(request) = self.acts[at].1.clone() {
                        self.request(&request);
                    } else {
                        self.acts.remove(at);
                        return false;
                    }
                }
            }
        }
        true
    }
}

// --- The comparison

fn kinds() -> impl Strategy<Value = Vec<Kind>> {
    let kind = |n: usize| {
        let root = (0..VALUES).prop_map(|first| Kind::Root { first });
        if n == 0 {
            return root.boxed();
        }
        let sub = (0..n, 0..VALUES, 0..VALUES);
        let computed = (
            0..n,
            proptest::array::uniform3(proptest::option::of(0..VALUES)),
        );
        prop_oneof![
            1 => root,
            3 => sub.prop_map(|(parent, first, while_in)| Kind::Sub { parent, first, while_in }),
            2 => computed.prop_map(|(parent, table)| Kind::Computed { parent, table }),
        ]
        .boxed()
    };
    (0..STATES).map(kind).collect::<Vec<_>>()
}

fn requests() -> impl Strategy<Value = Request> {
    (0..STATES, 0..VALUES, proptest::bool::weighted(0.3)).prop_map(|(state, value, again)| {
        Request {
            state,
            value,
            again,
        }
    })
}

fn acts() -> impl Strategy<Value = Vec<(Moment, Act)>> {
    let moment = (0..STATES, 0..VALUES, 0..VALUES, 0..3).prop_map(|(n, v, w, kind)| match kind {
        0 => Moment::Exit(n, v),
        1 => Moment::Between(n, v, w),
        _ => Moment::Enter(n, v),
    });
    let act = prop_oneof![4 => requests().prop_map(Act::Request), 1 => Just(Act::Panic)];
    vec((moment, act), 0..12).prop_map(|mut acts| {
        for at in (0..acts.len()).rev() {
            if acts[..at].iter().any(|(moment, _)| *moment == acts[at].0) {
                acts.remove(at);
            }
        }
        acts
    })
}

fn runs() -> impl Strategy<Value = Vec<Vec<Before>>> {
    let before = prop_oneof![
        3 => requests().prop_map(Before::Request),
        1 => (0..STATES, 0..VALUES).prop_map(|(n, value)| Before::Spawn(n, value)),
    ];
    vec(vec(before, 0..4), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(512)))]
    #[test]
    fn any_tree_of_states_follows_the_documented_rules(
        kinds in kinds(),
        named in Just((0..STATES).collect::<Vec<_>>()).prop_shuffle(),
        acts in acts(),
        runs in runs(),
        early: bool,
    ) {
        let mut model = Interpreter::new(&kinds, &named, &acts);
        let mut states = Transitions::new();
        // Handlers come before their states.
        for &n in &named {
            with_number!(n, add_handlers::<_>(&mut states, &acts));
        }
        for (n, kind) in kinds.iter().enumerate().rev() {
            add(&mut states, n, kind);
        }
        let mut world = World::new();
        world.insert_resource(Log::default());
        prop_assert_eq!(states.errors(&world), []);
        if early {
            for (n, kind) in kinds.iter().enumerate() {
                if let &Kind::Root { first } = kind {
                    with_number!(n, add_to_world::<_>(&mut world, first));
                }
            }
        }
        let mut frame = Schedule::new();
        frame.add(states);
        for (run, before) in runs.iter().enumerate() {
            for before in before {
                match before {
                    // The first run inserts the first states unless the world has them.
                    Before::Request(_) if run == 0 && !early => {}
                    Before::Request(asked) => {
                        model.request(asked);
                        with_number!(asked.state, request::<_>(&world, asked));
                    }
                    &Before::Spawn(n, value) => {
                        model.entities.push((n, value));
                        with_number!(n, spawn::<_>(&mut world, value));
                    }
                }
            }
            let ended = model.run();
            let result = catch_unwind(AssertUnwindSafe(|| frame.run(&mut world)));
            prop_assert_eq!(result.is_ok(), ended);
            if let Ok(result) = result {
                result.unwrap();
            }
            prop_assert_eq!(&world.resource::<Log>().0, &model.log);
            let now: Vec<_> = (0..STATES).map(|n| with_number!(n, value::<_>(&world))).collect();
            let expected: Vec<_> = model.states.iter().map(|state| state.now).collect();
            prop_assert_eq!(now, expected);
            prop_assert_eq!(world.len(), model.entities.len());
        }
    }
}
