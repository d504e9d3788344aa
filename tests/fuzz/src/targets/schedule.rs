//! Random schedules: each is either refused for a valid reason, or runs in an order that satisfies all constraints, with the
//! same result in parallel as sequentially.

#[path = "../../../tests/schedules/parallel_model/systems.rs"]
mod systems;

use arbitrary::Arbitrary;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{every, not, run_once};
use ecs_core::schedule::{Configs, PlanError, ScheduleError, SchedulePlan, SetConfig, Subject};
use ecs_core::system::ConditionSource;
use rayon::{ThreadPool, ThreadPoolBuilder};

use self::systems::{
    SHAPES, fail, grow, lucky, noted, outcome, roll, shape, spawn, spawned, world,
};
use super::decode::{All, Several, choices};

/// A schedule.
#[derive(Arbitrary, Debug)]
pub struct Input {
    seed: u8,
    steps: All<Step>,
}

choices! {
    #[derive(Debug)]
    enum Step {
        /// Adds systems as a tuple, with constraints of each system and of the tuple.
        Add(Several<(u8, Several<Constraint>)>, Several<Constraint>, bool),
        Configure(Set, Several<Constraint>),
        ChainSets(Several<Set>),
        Unordered(Target, Target),
        Flush,
    }
}

choices! {
    #[derive(Clone, Copy, Debug)]
    enum Constraint {
        After(Target),
        Before(Target),
        InSet(Set),
        RunIf(Condition),
        FlushLater,
    }
}

choices! {
    #[derive(Clone, Copy, Debug)]
    enum Target {
        Set(Set),
        Roll,
        Grow,
        Spawn,
        Fail,
    }
}

choices! {
    #[derive(Clone, Copy, Debug)]
    enum Condition {
        One(Question),
        Not(Question),
        And(Question, Question),
        Or(Question, Question),
    }
}

choices! {
    #[derive(Clone, Copy, Debug)]
    enum Question {
        Lucky,
        Noted,
        Spawned,
        Once,
        Every(u8),
    }
}

choices! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    enum Set {
        A,
        B,
        C,
        D,
        E,
    }
}

const SETS: usize = 5;
/// The maximal number of steps.
const MOST: usize = 16;

/// The systems that targets name, by the index of their shape.
const ROLL: usize = 0;
const GROW: usize = 1;
const SPAWN: usize = 9;
const FAIL: usize = 16;

impl Target {
    fn shape(self) -> Option<usize> {
        match self {
            Self::Set(_) => None,
            Self::Roll => Some(ROLL),
            Self::Grow => Some(GROW),
            Self::Spawn => Some(SPAWN),
            Self::Fail => Some(FAIL),
        }
    }
}

/// Calls a method with a target in its own type.
macro_rules! aim {
    ($target:expr, |$aim:ident| $body:expr) => {
        match $target {
            Target::Set($aim) => $body,
            Target::Roll => {
                let $aim = roll;
                $body
            }
            Target::Grow => {
                let $aim = grow;
                $body
            }
            Target::Spawn => {
                let $aim = spawn;
                $body
            }
            Target::Fail => {
                let $aim = fail;
                $body
            }
        }
    };
}

fn question(of: Question) -> ConditionSource {
    match of {
        Question::Lucky => lucky.into_condition(),
        Question::Noted => noted.into_condition(),
        Question::Spawned => spawned.into_condition(),
        Question::Once => run_once(),
        Question::Every(n) => every(u32::from(n).max(1)),
    }
}

fn condition(of: Condition) -> ConditionSource {
    match of {
        Condition::One(one) => question(one),
        Condition::Not(one) => not(question(one)),
        Condition::And(one, other) => question(one).and(question(other)),
        Condition::Or(one, other) => question(one).or(question(other)),
    }
}

fn constrain(configs: Configs, constraints: &Several<Constraint>) -> Configs {
    constraints
        .0
        .iter()
        .fold(configs, |configs, constraint| match *constraint {
            Constraint::After(target) => aim!(target, |it| configs.after(it)),
            Constraint::Before(target) => aim!(target, |it| configs.before(it)),
            Constraint::InSet(set) => configs.in_set(set),
            Constraint::RunIf(inner) => configs.run_if(condition(inner)),
            Constraint::FlushLater => configs.flush_later(),
        })
}

fn constrain_set(config: SetConfig, constraints: &Several<Constraint>) -> SetConfig {
    constraints
        .0
        .iter()
        .fold(config, |config, constraint| match *constraint {
            Constraint::After(target) => aim!(target, |it| config.after(it)),
            Constraint::Before(target) => aim!(target, |it| config.before(it)),
            Constraint::InSet(set) => config.in_set(set),
            Constraint::RunIf(inner) => config.run_if(condition(inner)),
            Constraint::FlushLater => config,
        })
}

/// Makes a tuple of the first four systems.
fn tuple(all: Vec<Configs>, chain: bool) -> Option<Configs> {
    let count = all.len();
    let mut all = all.into_iter();
    let mut next = || all.next().unwrap();
    let tuple = match count {
        0 => return None,
        1 => (next(),).into_configs(),
        2 => (next(), next()).into_configs(),
        3 => (next(), next(), next()).into_configs(),
        _ => (next(), next(), next(), next()).into_configs(),
    };
    Some(if chain { tuple.chain() } else { tuple })
}

/// The constraints of a schedule in a graph. Its nodes are the systems in the list and, for each set, one node before its
/// systems and one after them.
#[derive(Default)]
struct Model {
    /// The shape of each system in the list; a flush point has none.
    shapes: Vec<Option<usize>>,
    edges: Vec<(Place, Place)>,
    /// The members of sets.
    inside: Vec<(Place, Set)>,
    /// Sets that must be known, and systems that must be in the list exactly once, because a constraint names them.
    named: Vec<Target>,
    known: [bool; SETS],
    configured: [usize; SETS],
    waived: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    System(usize),
    Before(Set),
    After(Set),
}

impl Model {
    fn add_constraints(&mut self, subject: Result<usize, Set>, constraints: &Several<Constraint>) {
        let (first, last) = match subject {
            Ok(system) => (Place::System(system), Place::System(system)),
            Err(set) => (Place::Before(set), Place::After(set)),
        };
        for constraint in constraints.0.iter() {
            match *constraint {
                Constraint::After(target) => {
                    self.named.push(target);
                    self.edges.push((self.end(target, true), first));
                }
                Constraint::Before(target) => {
                    self.named.push(target);
                    self.edges.push((last, self.end(target, false)));
                }
                Constraint::InSet(set) => {
                    self.known[set as usize] = true;
                    self.inside.push((first, set));
                    self.edges.push((Place::Before(set), first));
                    self.edges.push((last, Place::After(set)));
                }
                Constraint::RunIf(_) | Constraint::FlushLater => {}
            }
        }
    }

    /// Returns the first or last node of a target. Systems are resolved after all have been added.
    fn end(&self, target: Target, after: bool) -> Place {
        match (target, after) {
            (Target::Set(set), true) => Place::After(set),
            (Target::Set(set), false) => Place::Before(set),
            (target, _) => Place::System(usize::MAX - target.shape().unwrap()),
        }
    }

    /// Counts the occurrences of a system in the list.
    fn count(&self, shape: usize) -> usize {
        self.shapes
            .iter()
            .filter(|&&other| other == Some(shape))
            .count()
    }

    fn place(&self, place: Place) -> usize {
        let systems = self.shapes.len();
        match place {
            Place::System(system) if system < systems => system,
            Place::System(named) => {
                let shape = Some(usize::MAX - named);
                self.shapes
                    .iter()
                    .position(|&other| other == shape)
                    .unwrap()
            }
            Place::Before(set) => systems + set as usize,
            Place::After(set) => systems + SETS + set as usize,
        }
    }

    /// Computes the transitive closure of the order.
    fn reach(&self) -> Vec<Vec<bool>> {
        let count = self.shapes.len() + 2 * SETS;
        let mut reach = vec![vec![false; count]; count];
        for &(first, second) in &self.edges {
            reach[self.place(first)][self.place(second)] = true;
        }
        for by in 0..count {
            for from in 0..count {
                if reach[from][by] {
                    let further = reach[by].clone();
                    reach[from]
                        .iter_mut()
                        .zip(further)
                        .for_each(|(to, more)| *to |= more);
                }
            }
        }
        reach
    }

    /// Returns true if sets contain each other.
    fn has_set_cycle(&self) -> bool {
        let mut inside = [[false; SETS]; SETS];
        for &(who, outer) in &self.inside {
            if let Place::Before(set) = who {
                inside[set as usize][outer as usize] = true;
            }
        }
        for by in 0..SETS {
            for from in 0..SETS {
                for to in 0..SETS {
                    inside[from][to] |= inside[from][by] && inside[by][to];
                }
            }
        }
        (0..SETS).any(|set| inside[set][set])
    }

    fn unknown(&self) -> impl Iterator<Item = &Target> {
        self.named.iter().filter(|target| match target {
            // It may be empty.
            Target::Set(_) => false,
            other => self.count(other.shape().unwrap()) != 1,
        })
    }

    /// Checks that the plan satisfies all constraints, or that the reason for its refusal is valid.
    fn check(&self, plan: Result<&SchedulePlan, PlanError>) {
        let set_cycle = self.has_set_cycle();
        let unknown = self.unknown().next().is_some();
        let cycle = || {
            let reach = self.reach();
            (0..self.shapes.len()).any(|system| reach[system][system])
        };
        let plan = match plan {
            Ok(plan) => plan,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                return match &error {
                    PlanError::SetsInEachOther { sets } => {
                        assert!(set_cycle && !sets.is_empty(), "{error}")
                    }
                    PlanError::UnknownSystem { subject, .. }
                    | PlanError::AmbiguousSystem { subject, .. } => {
                        assert!(unknown && *subject != Subject::System(""), "{error}");
                    }
                    PlanError::Cycle { systems, .. } => {
                        assert!(cycle() && !systems.is_empty(), "{error}")
                    }
                    other => panic!("{other}"),
                };
            }
        };
        assert!(!set_cycle && !unknown);
        let reach = self.reach();
        let order: Vec<usize> = plan.steps().map(|step| step.list_index()).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(
            sorted.into_iter().eq(0..self.shapes.len()),
            "each system once: {order:?}"
        );
        let mut left: Vec<usize> = (0..self.shapes.len()).collect();
        for system in order {
            let may_come = |&system: &usize| left.iter().all(|&other| !reach[other][system]);
            assert!(may_come(&system), "{system} is too early");
            if !self.waived {
                assert_eq!(
                    left.iter().copied().find(may_come),
                    Some(system),
                    "list order gives way as little as it can"
                );
            }
            left.retain(|&other| other != system);
        }
    }
}

fn build(steps: &All<Step>) -> (Schedule, Model) {
    let (mut schedule, mut model) = (Schedule::new(), Model::default());
    for step in steps.0.iter().take(MOST) {
        match step {
            Step::Add(systems, constraints, chain) => {
                let all = systems.0.iter().map(|(number, constraints)| {
                    constrain(shape(usize::from(*number) % SHAPES), constraints)
                });
                let Some(configs) = tuple(all.take(4).collect(), *chain) else {
                    continue;
                };
                schedule.add(constrain(configs, constraints));
                let first = model.shapes.len();
                for (number, own) in systems.0.iter().take(4) {
                    let system = model.shapes.len();
                    model.shapes.push(Some(usize::from(*number) % SHAPES));
                    model.add_constraints(Ok(system), own);
                    model.add_constraints(Ok(system), constraints);
                }
                if *chain {
                    for second in first + 1..model.shapes.len() {
                        model
                            .edges
                            .push((Place::System(second - 1), Place::System(second)));
                    }
                }
            }
            Step::Configure(set, constraints) => {
                schedule.configure(*set, |config| constrain_set(config, constraints));
                model.configured[*set as usize] += 1;
                model.known[*set as usize] = true;
                model.edges.push((Place::Before(*set), Place::After(*set)));
                model.add_constraints(Err(*set), constraints);
            }
            Step::ChainSets(sets) => {
                schedule.chain_sets(sets.0.iter().copied());
                for pair in sets.0.windows(2) {
                    for set in pair {
                        model.known[*set as usize] = true;
                    }
                    model
                        .edges
                        .push((Place::After(pair[0]), Place::Before(pair[1])));
                }
            }
            Step::Unordered(one, other) => {
                aim!(*one, |one| aim!(*other, |other| schedule
                    .unordered(one, other)));
                model.named.extend([*one, *other]);
                model.waived = true;
            }
            Step::Flush => {
                schedule.add_flush();
                model.shapes.push(None);
            }
        }
    }
    (schedule, model)
}

/// Plans the schedule and runs it in several ways.
///
/// # Panics
/// If it is refused without a reason, if a constraint is violated, or if the runs differ.
pub fn run(input: Input) {
    thread_local! {
        static POOL: ThreadPool = ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    }
    let (mut first, mut model) = build(&input.steps);
    // The start of a set is before its end, even without systems in between.
    for set in [Set::A, Set::B, Set::C, Set::D, Set::E] {
        model.edges.push((Place::Before(set), Place::After(set)));
    }
    let plan = first.plan();
    let refused = plan.is_err();
    model.check(plan);
    if refused {
        let mut world = world(0);
        assert!(matches!(first.run(&mut world), Err(ScheduleError::Plan(_))));
        return;
    }
    type Way = fn(&mut Schedule, &mut World) -> Result<(), ScheduleError>;
    let ways: [Way; 2] = [
        |schedule, world| POOL.with(|pool| schedule.run_par(world, pool)),
        |schedule, world| schedule.run(world),
    ];
    let runs = |mut schedule: Schedule, way: Way| {
        let mut world = world(input.seed.into());
        [(); 3].map(|()| {
            let result = way(&mut schedule, &mut world);
            outcome(&world, result)
        })
    };
    let expected = runs(first, |schedule, world| schedule.run_seq(world));
    for way in ways {
        assert_eq!(runs(build(&input.steps).0, way), expected);
    }
}
