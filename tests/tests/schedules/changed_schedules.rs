//! Schedules whose systems are removed and replaced between runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use ecs_core::event::Events;
use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{every, on_event};
use ecs_core::schedule::{Configs, PlanError, ReplaceError, ScheduleError, TraceKind};
use ecs_core::system::SystemSource;
use proptest::prelude::*;

/// The runs in order: a tag, and the number of runs of the system with that state.
#[derive(Resource, Default)]
struct Log(Vec<(u32, u32)>);

/// Returns a system that logs its tag; systems with the same `K` are the same system.
fn tagged<const K: usize>(tag: u32) -> SystemSource {
    let log = move |mut log: ResMut<Log>, mut runs: Local<u32>| {
        *runs += 1;
        log.0.push((tag, *runs));
    };
    let system = from_fn(log);
    ecs_core::system::IntoSystem::into_source(system)
}

/// The number of different systems.
const KINDS: usize = 10;

fn tagged_by(k: usize, tag: u32) -> SystemSource {
    match k {
        0 => tagged::<0>(tag),
        1 => tagged::<1>(tag),
        2 => tagged::<2>(tag),
        3 => tagged::<3>(tag),
        4 => tagged::<4>(tag),
        5 => tagged::<5>(tag),
        6 => tagged::<6>(tag),
        7 => tagged::<7>(tag),
        8 => tagged::<8>(tag),
        _ => tagged::<9>(tag),
    }
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.insert_resource(0_u32);
    world
}

fn take_log(world: &World) -> Vec<(u32, u32)> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

fn run(schedule: &mut Schedule, world: &mut World) -> Vec<(u32, u32)> {
    schedule.run(world).unwrap();
    take_log(world)
}

#[test]
fn the_others_keep_their_state_also_inside_steps() {
    let mut frame = Schedule::new();
    let mut inner = Schedule::new();
    inner.add(tagged::<0>(10));
    frame.add((tagged::<0>(0), tagged::<1>(1), inner, tagged::<2>(2)));
    let mut world = world();
    assert_eq!(
        run(&mut frame, &mut world),
        [(0, 1), (1, 1), (10, 1), (2, 1)]
    );
    assert_eq!(frame.remove(tagged::<0>(0)), 1, "not the one inside");
    assert_eq!(run(&mut frame, &mut world), [(1, 2), (10, 2), (2, 2)]);
    frame.replace(tagged::<1>(0), tagged::<3>(3)).unwrap();
    frame.add(tagged::<0>(4));
    assert_eq!(
        run(&mut frame, &mut world),
        [(3, 1), (10, 3), (2, 3), (4, 1)]
    );
    frame.replace(tagged::<3>(0), tagged::<3>(5)).unwrap();
    assert_eq!(
        run(&mut frame, &mut world),
        [(5, 1), (10, 4), (2, 4), (4, 2)]
    );
}

#[test]
fn all_of_a_system_that_was_added_several_times_are_removed() {
    let mut frame = Schedule::new();
    frame.add((tagged::<0>(0), tagged::<1>(1), tagged::<0>(2)));
    let mut world = world();
    run(&mut frame, &mut world);
    assert_eq!(
        frame
            .replace(tagged::<0>(0), tagged::<2>(0))
            .unwrap_err()
            .to_string(),
        format!(
            "system `{}` cannot be replaced: it is in the schedule more than once; help: call `remove`, which removes all of them",
            tagged::<0>(0).meta().name
        )
    );
    assert_eq!(frame.remove(tagged::<0>(0)), 2);
    assert_eq!(frame.remove(tagged::<0>(0)), 0);
    assert!(matches!(
        frame.replace(tagged::<0>(0), tagged::<2>(0)),
        Err(ReplaceError::UnknownSystem { .. })
    ));
    assert_eq!(run(&mut frame, &mut world), [(1, 2)]);
    assert_eq!(frame.remove(tagged::<1>(0)), 1);
    assert!(frame.is_empty());
    assert_eq!(run(&mut frame, &mut world), []);
}

#[test]
fn a_constraint_that_names_a_removed_system_is_an_error_and_a_replaced_one_is_renamed() {
    let mut frame = Schedule::new();
    frame.add((tagged::<0>(0).after(tagged::<1>(0)), tagged::<1>(1)));
    frame.configure("set", |set| set.before(tagged::<1>(0)));
    frame.add(tagged::<2>(2).in_set("set"));
    frame.unordered(tagged::<2>(0), tagged::<1>(0));
    let mut world = world();
    assert_eq!(run(&mut frame, &mut world), [(2, 1), (1, 1), (0, 1)]);
    frame.replace(tagged::<1>(0), tagged::<3>(3)).unwrap();
    assert_eq!(run(&mut frame, &mut world), [(2, 2), (3, 1), (0, 2)]);
    frame.remove(tagged::<3>(0));
    assert!(matches!(
        frame.run(&mut world),
        Err(ScheduleError::Plan(PlanError::UnknownSystem { .. }))
    ));
    // It runs again with a system of that name, and the others still have their state.
    frame.add(tagged::<3>(4));
    assert_eq!(run(&mut frame, &mut world), [(2, 3), (4, 1), (0, 3)]);
}

#[test]
fn a_replaced_system_leaves_its_place_sets_and_conditions_to_the_new_one() {
    let mut frame = Schedule::new();
    let chain = (
        tagged::<0>(0),
        tagged::<1>(1).run_if(every(2)),
        tagged::<2>(2),
    )
        .chain();
    frame.add(chain.in_set("all"));
    frame.configure("all", |set| set.after(tagged::<3>(0)));
    frame.add(tagged::<3>(3));
    let mut world = world();
    assert_eq!(run(&mut frame, &mut world), [(3, 1), (0, 1), (2, 1)]);
    frame.replace(tagged::<1>(0), tagged::<4>(4)).unwrap();
    // The condition also keeps its state.
    assert_eq!(
        run(&mut frame, &mut world),
        [(3, 2), (0, 2), (4, 1), (2, 2)]
    );
    assert_eq!(run(&mut frame, &mut world), [(3, 3), (0, 3), (2, 3)]);
    assert_eq!(frame.remove_set("all"), 3);
    assert_eq!(run(&mut frame, &mut world), [(3, 4)]);
}

#[test]
fn a_chain_stays_in_order_without_a_removed_member() {
    let mut frame = Schedule::new();
    frame.add((tagged::<0>(0), tagged::<1>(1), tagged::<2>(2)).chain());
    frame.add(tagged::<3>(3).before(tagged::<0>(0)));
    frame.add(tagged::<4>(4).before(tagged::<2>(0)));
    let mut world = world();
    let before = run(&mut frame, &mut world);
    assert_eq!(before, [(3, 1), (0, 1), (1, 1), (4, 1), (2, 1)]);
    frame.remove(tagged::<1>(0));
    frame.replace(tagged::<0>(0), tagged::<5>(5)).unwrap();
    assert_eq!(
        run(&mut frame, &mut world),
        [(3, 2), (5, 1), (4, 2), (2, 2)]
    );
    let plan = frame.plan().unwrap();
    let why = plan.why(tagged::<2>(0), tagged::<5>(0)).to_string();
    assert!(why.contains("chain"), "{why}");
}

#[test]
fn removing_a_set_removes_sets_inside_it_and_what_was_configured() {
    let mut frame = Schedule::new();
    frame.add(tagged::<0>(0).in_set("inner"));
    frame.add(tagged::<1>(1).in_set("outer"));
    let mut nested = Schedule::new();
    nested.add(tagged::<5>(5));
    frame.add(nested.in_set("outer"));
    frame.add(tagged::<2>(2));
    frame.configure("inner", |set| set.in_set("outer"));
    frame.configure("outer", |set| set.run_if(|round: Res<u32>| *round > 0));
    frame.chain_sets(["outer", "late"]);
    frame.add(tagged::<3>(3).in_set("late"));
    let mut world = world();
    assert_eq!(run(&mut frame, &mut world), [(2, 1), (3, 1)]);
    assert_eq!(frame.remove_set("outer"), 3);
    assert_eq!(frame.remove_set("outer"), 0);
    assert_eq!(frame.remove_set("unknown"), 0);
    // In the set of that name: the condition is gone, but its place in the chain stays.
    frame.add(tagged::<1>(1).in_set("outer"));
    assert_eq!(run(&mut frame, &mut world), [(2, 2), (1, 1), (3, 2)]);
}

#[test]
fn a_removed_system_and_its_conditions_read_nothing_any_more() {
    struct Key;
    #[system]
    fn read(mut keys: EventReader<Key>) {
        keys.clear();
    }
    #[system]
    fn other(mut keys: EventReader<Key>) {
        keys.clear();
    }
    let mut world = world();
    world.add_event::<Key>();
    let readers = |world: &World| world.resource::<Events<Key>>().readers();
    let mut frame = Schedule::new();
    frame.add((read, other).run_if(on_event::<Key>()));
    frame.add(tagged::<0>(0).run_if(on_event::<Key>()));
    frame.run(&mut world).unwrap();
    assert_eq!(readers(&world), 4);
    frame.remove(read);
    assert_eq!(
        readers(&world),
        3,
        "the condition is still that of the other"
    );
    frame.replace(other, read).unwrap();
    assert_eq!(readers(&world), 2);
    frame.run(&mut world).unwrap();
    assert_eq!(readers(&world), 3);
    frame.remove(read);
    assert_eq!(readers(&world), 1);
    world.send_event(Key);
    assert_eq!(run(&mut frame, &mut world), [(0, 1)]);
    assert_eq!(run(&mut frame, &mut world), []);
}

static DROPPED: AtomicUsize = AtomicUsize::new(0);

/// Counts, and panics once.
#[derive(Default)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        let dropped = DROPPED.fetch_add(1, Ordering::Relaxed);
        assert!(dropped != 1, "the bomb went off");
    }
}

#[test]
fn the_schedule_is_intact_after_a_destructor_that_panics() {
    #[system]
    fn fragile(_bomb: Local<Bomb>) {}
    #[system]
    fn frail(_bomb: Local<Bomb>) {}
    let dropped = || DROPPED.load(Ordering::Relaxed);
    let mut frame = Schedule::new();
    frame.add((
        tagged::<0>(0),
        fragile,
        tagged::<1>(1),
        frail,
        fragile,
        tagged::<2>(2),
    ));
    let mut world = world();
    run(&mut frame, &mut world);
    // At the call, not at the next run.
    frame.replace(frail, tagged::<3>(3)).unwrap();
    assert_eq!(dropped(), 1);
    let removed = catch_unwind(AssertUnwindSafe(|| frame.remove(fragile)));
    assert!(removed.is_err());
    assert_eq!((dropped(), frame.len()), (3, 4));
    assert_eq!(
        run(&mut frame, &mut world),
        [(0, 2), (1, 2), (3, 1), (2, 2)]
    );
}

#[test]
fn a_new_system_that_cannot_be_built_can_be_removed() {
    struct Fussy;
    impl ecs_core::world::FromWorld for Fussy {
        fn from_world(_: &World) -> Self {
            panic!("no")
        }
    }
    #[system]
    fn fussy(_value: Local<Fussy>) {}
    let mut frame = Schedule::new();
    frame.add((tagged::<0>(0), tagged::<1>(1), tagged::<2>(2)));
    let mut world = world();
    run(&mut frame, &mut world);
    frame.replace(tagged::<1>(0), fussy).unwrap();
    frame.replace(tagged::<2>(0), tagged::<3>(3)).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| frame.run(&mut world))).is_err());
    assert!(matches!(
        frame.run(&mut world),
        Err(ScheduleError::Unbuilt { .. })
    ));
    frame.replace(fussy, tagged::<1>(4)).unwrap();
    assert_eq!(run(&mut frame, &mut world), [(0, 2), (4, 1), (3, 1)]);
    frame.replace(tagged::<1>(0), fussy).unwrap();
    assert_eq!(frame.remove(fussy), 1);
    assert_eq!(run(&mut frame, &mut world), [(0, 3), (3, 2)]);
}

#[test]
fn a_trace_that_was_requested_before_a_change_is_of_the_next_run() {
    let mut frame = Schedule::new();
    let mut inner = Schedule::named("inner");
    inner.add(tagged::<1>(1));
    frame.add((tagged::<0>(0), inner, tagged::<2>(2)));
    let mut world = world();
    frame.run(&mut world).unwrap();
    frame.trace_next_run();
    frame.remove(tagged::<0>(0));
    frame.replace(tagged::<2>(0), tagged::<3>(3)).unwrap();
    frame.run(&mut world).unwrap();
    let trace = frame.take_trace().unwrap();
    let systems = trace.spans().iter();
    let systems = systems.filter(|span| span.kind() == TraceKind::System);
    let spans: Vec<_> = systems.map(|span| (span.path(), span.name())).collect();
    let expected = [
        ("", "inner"),
        ("inner", tagged::<1>(0).meta().name),
        ("", tagged::<3>(0).meta().name),
    ];
    assert_eq!(spans, expected);
}

/// A condition: the round is in this residue class.
type Rounds = (u32, u32);

fn in_rounds((of, rest): Rounds) -> impl Fn(Res<'_, u32>) -> bool + Send + 'static {
    move |round: Res<u32>| *round % of == rest
}

/// A member of a list.
#[derive(Clone, Debug)]
enum Member {
    System(Entry),
    Schedule(u32, Vec<Entry>),
}

#[derive(Clone, Debug)]
struct Entry {
    k: usize,
    tag: u32,
}

/// Systems that were added at once.
#[derive(Clone, Debug)]
struct Group {
    members: Vec<Member>,
    chained: bool,
    set: Option<u8>,
    rounds: Option<Rounds>,
    /// Placed before or after that system; the flag says which.
    placed: Option<(bool, usize)>,
}

/// A configuration of a set.
#[derive(Clone, Debug)]
struct Config {
    set: u8,
    rounds: Option<Rounds>,
    outer: Option<u8>,
}

#[derive(Clone, Debug)]
enum Step {
    Add(Group),
    Configure(Config),
    Remove(usize),
    RemoveSet(u8),
    Replace(usize, usize),
    Run(usize),
}

/// The expected list.
#[derive(Default)]
struct Model {
    groups: Vec<Group>,
    configs: Vec<Config>,
    tags: u32,
    /// The number of runs, by tag.
    runs: Vec<u32>,
}

fn configs_of(group: &Group) -> Configs {
    let mut members = Vec::new();
    for member in &group.members {
        members.push(match member {
            Member::System(entry) => tagged_by(entry.k, entry.tag).into_configs(),
            Member::Schedule(_, entries) => {
                let mut inner = Schedule::new();
                for entry in entries {
                    inner.add(tagged_by(entry.k, entry.tag));
                }
                inner.into_configs()
            }
        });
    }
    let mut members = members.into_iter();
    let mut next = || members.next().unwrap();
    let mut all = match group.members.len() {
        1 => (next(),).into_configs(),
        2 => (next(), next()).into_configs(),
        _ => (next(), next(), next()).into_configs(),
    };
    if group.chained {
        all = all.chain();
    }
    if let Some(set) = group.set {
        all = all.in_set(set);
    }
    all = match group.placed {
        Some((true, k)) => all.before(tagged_by(k, 0)),
        Some((false, k)) => all.after(tagged_by(k, 0)),
        None => all,
    };
    match group.rounds {
        Some(rounds) => all.run_if(in_rounds(rounds)),
        None => all,
    }
}

fn configure(schedule: &mut Schedule, config: &Config) {
    schedule.configure(config.set, |mut set| {
        if let Some(outer) = config.outer {
            set = set.in_set(outer);
        }
        match config.rounds {
            Some(rounds) => set.run_if(in_rounds(rounds)),
            None => set,
        }
    });
}

impl Model {
    fn fresh(&self) -> Schedule {
        let mut schedule = Schedule::new();
        for config in &self.configs {
            configure(&mut schedule, config);
        }
        for group in &self.groups {
            schedule.add(configs_of(group));
        }
        schedule
    }

    fn tag(&mut self, group: &Group) -> Group {
        let mut group = group.clone();
        let mut tag = |place: &mut u32| {
            *place = self.tags;
            self.tags += 1;
            self.runs.push(0);
        };
        for member in &mut group.members {
            match member {
                Member::System(entry) => tag(&mut entry.tag),
                Member::Schedule(own, entries) => {
                    tag(own);
                    entries.iter_mut().for_each(|entry| tag(&mut entry.tag));
                }
            }
        }
        group
    }

    fn remove(&mut self, is_removed: impl Fn(&Group, &Member) -> bool) -> usize {
        let mut count = 0;
        for group in &mut self.groups {
            let all = std::mem::take(&mut group.members);
            for member in all {
                if is_removed(group, &member) {
                    count += 1;
                } else {
                    group.members.push(member);
                }
            }
        }
        self.groups.retain(|group| !group.members.is_empty());
        count
    }

    fn count_of(&self, k: usize) -> usize {
        let members = self.groups.iter().flat_map(|group| &group.members);
        let is_k = |member: &&Member| matches!(member, Member::System(entry) if entry.k == k);
        members.filter(is_k).count()
    }

    /// Returns true if a set is `outer`, or inside it.
    fn is_inside(&self, set: u8, outer: u8) -> bool {
        let mut configs = self.configs.iter().filter(|config| config.set == set);
        set == outer || configs.any(|one| one.outer.is_some_and(|next| self.is_inside(next, outer)))
    }

    fn remove_set(&mut self, set: u8) -> usize {
        let inside: Vec<_> = (0..4).filter(|&one| self.is_inside(one, set)).collect();
        self.configs.retain(|config| config.set != set);
        self.remove(|group, _| group.set.is_some_and(|set| inside.contains(&set)))
    }

    /// Returns the tag of the new system; `None` unless exactly one old system exists.
    fn replace(&mut self, old: usize, new: usize) -> Option<u32> {
        let members = self.groups.iter_mut().flat_map(|group| &mut group.members);
        let mut found = members.filter_map(|member| match member {
            Member::System(entry) if entry.k == old => Some(entry),
            _ => None,
        });
        let (Some(entry), None) = (found.next(), found.next()) else {
            return None;
        };
        let tag = self.tags;
        *entry = Entry { k: new, tag };
        self.tags += 1;
        self.runs.push(0);
        for group in &mut self.groups {
            if let Some((_, k)) = &mut group.placed
                && *k == old
            {
                *k = new;
            }
        }
        Some(tag)
    }

    /// Counts the runs of a fresh schedule, and returns the log of an equivalent schedule that is not fresh.
    fn count(&mut self, fresh: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
        let mut log = Vec::new();
        for (tag, _) in fresh {
            self.runs[tag as usize] += 1;
            log.push((tag, self.runs[tag as usize]));
        }
        for member in self.groups.iter().flat_map(|group| &group.members) {
            if let Member::Schedule(own, entries) = member
                && log.iter().any(|(tag, _)| *tag == entries[0].tag)
            {
                self.runs[*own as usize] += 1;
            }
        }
        log
    }

    /// Returns how often each step has run, in list order.
    fn timings(&self) -> Vec<u64> {
        let mut counts = Vec::new();
        for member in self.groups.iter().flat_map(|group| &group.members) {
            let mut push = |tag: u32| counts.push(u64::from(self.runs[tag as usize]));
            match member {
                Member::System(entry) => push(entry.tag),
                Member::Schedule(own, entries) => {
                    push(*own);
                    entries.iter().for_each(|entry| push(entry.tag));
                }
            }
        }
        counts
    }
}

fn rounds() -> impl Strategy<Value = Option<Rounds>> {
    prop::option::of((1_u32..4).prop_flat_map(|of| (Just(of), 0..of)))
}

fn group() -> impl Strategy<Value = Group> {
    let entry = || (0..KINDS).prop_map(|k| Entry { k, tag: 0 });
    let member = prop_oneof![
        4 => entry().prop_map(Member::System),
        1 => prop::collection::vec(entry(), 1..3).prop_map(|all| Member::Schedule(0, all)),
    ];
    let placed = prop_oneof![3 => Just(None), 1 => (any::<bool>(), 0..KINDS).prop_map(Some)];
    let members = prop::collection::vec(member, 1..4);
    let parts = (
        members,
        any::<bool>(),
        prop::option::of(0_u8..3),
        rounds(),
        placed,
    );
    parts.prop_map(|(members, chained, set, rounds, placed)| Group {
        members,
        chained,
        set,
        rounds,
        placed,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let config = (0_u8..3, rounds(), any::<bool>()).prop_map(|(set, rounds, nested)| {
        let outer = nested.then_some(set + 1);
        Step::Configure(Config { set, rounds, outer })
    });
    prop_oneof![
        4 => group().prop_map(Step::Add),
        1 => config,
        3 => (0..KINDS).prop_map(Step::Remove),
        1 => (0_u8..4).prop_map(Step::RemoveSet),
        3 => (0..KINDS, 0..KINDS).prop_map(|(old, new)| Step::Replace(old, new)),
        6 => (0_usize..3).prop_map(Step::Run),
    ]
}

fn check(steps: Vec<Step>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let pool = pool.unwrap();
    let (mut model, mut schedule, mut world) = (Model::default(), Schedule::new(), world());
    schedule.record_timings(true);
    let mut round = 0;
    for step in steps {
        match step {
            Step::Add(group) => {
                let mut group = model.tag(&group);
                // Most constraints hold at first, so that they order something.
                let is_rare = model.tags.is_multiple_of(8);
                group.placed = group
                    .placed
                    .filter(|&(_, k)| is_rare || model.count_of(k) == 1);
                schedule.add(configs_of(&group));
                model.groups.push(group);
            }
            Step::Configure(config) => {
                configure(&mut schedule, &config);
                model.configs.push(config);
            }
            Step::Remove(k) => {
                let is_k =
                    |_: &Group, one: &Member| matches!(one, Member::System(entry) if entry.k == k);
                assert_eq!(schedule.remove(tagged_by(k, 0)), model.remove(is_k));
            }
            Step::RemoveSet(set) => {
                assert_eq!(schedule.remove_set(set), model.remove_set(set));
            }
            Step::Replace(old, new) => {
                let tag = model.replace(old, new);
                let new = tagged_by(new, tag.unwrap_or(0));
                assert_eq!(
                    schedule.replace(tagged_by(old, 0), new).is_ok(),
                    tag.is_some()
                );
            }
            Step::Run(how) => {
                round += 1;
                world.insert_resource::<u32>(round);
                let mut other = self::world();
                other.insert_resource::<u32>(round);
                let mut fresh = model.fresh();
                let expected = fresh.run_seq(&mut other);
                let result = match how {
                    0 => schedule.run_seq(&mut world),
                    1 => schedule.run_par(&mut world, &pool),
                    _ => schedule.run(&mut world),
                };
                match (result, expected) {
                    (Ok(()), Ok(())) => {
                        let expected = model.count(take_log(&other));
                        assert_eq!(take_log(&world), expected);
                        let counts: Vec<_> = schedule.timings().iter().map(|t| t.count()).collect();
                        assert_eq!(counts, model.timings());
                    }
                    (
                        Err(ScheduleError::Plan(PlanError::Cycle { .. })),
                        Err(ScheduleError::Plan(PlanError::Cycle { .. })),
                    ) => {}
                    (result, expected) => {
                        assert_eq!(
                            result.unwrap_err().to_string(),
                            expected.unwrap_err().to_string()
                        );
                    }
                }
                assert_eq!(schedule.len(), fresh.len());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(300)))]

    #[test]
    fn a_changed_schedule_runs_like_a_fresh_one_of_the_same_list(
        steps in prop::collection::vec(step(), 1..40)
    ) {
        check(steps);
    }
}
