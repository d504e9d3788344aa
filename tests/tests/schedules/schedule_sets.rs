//! Sets of systems, waived order, and plugins.

use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{every, not};
use ecs_core::schedule::{Configs, PlanError, ScheduleError};
use proptest::prelude::*;

#[derive(Debug, PartialEq, Eq, Hash)]
struct Input;

#[derive(Debug, PartialEq, Eq, Hash)]
struct Physics;

#[derive(Debug, PartialEq, Eq, Hash)]
enum Stage {
    Early,
    Late,
}

/// Adds its number to the trace.
#[system]
fn log<const N: usize>(mut trace: ResMut<Vec<usize>>) {
    trace.push(N);
}

/// Adds its number to the trace and returns the resource.
#[system]
fn asked<const N: usize>(mut trace: ResMut<Vec<usize>>, answer: Res<bool>) -> bool {
    trace.push(N);
    *answer
}

fn traced_world() -> World {
    let mut world = World::new();
    world.insert_resource(Vec::<usize>::new());
    world.insert_resource(true);
    world
}

fn run(schedule: &mut Schedule, world: &mut World) -> Vec<usize> {
    schedule.run(world).unwrap();
    std::mem::take(&mut *world.resource_mut::<Vec<usize>>())
}

fn order(schedule: &mut Schedule) -> Vec<usize> {
    run(schedule, &mut traced_world())
}

#[test]
fn a_constraint_on_a_set_holds_for_all_its_systems() {
    let mut schedule = Schedule::new();
    schedule.configure(Physics, |set| set.after(Input).before(log::<9>));
    schedule.add((
        log::<9>,
        (log::<1>, log::<2>).in_set(Physics),
        log::<3>,
        log::<4>.in_set(Input),
        log::<5>.in_set(Physics),
        log::<6>.in_set(Input),
    ));
    assert_eq!(order(&mut schedule), [3, 4, 6, 1, 2, 5, 9]);
}

#[test]
fn systems_are_placed_relative_to_sets_that_are_never_configured() {
    let mut schedule = Schedule::new();
    schedule.add((log::<1>.after(Stage::Late), log::<2>, log::<3>));
    schedule.add(log::<4>.in_set(Stage::Late));
    schedule.add(log::<5>.in_set(Stage::Early).before(log::<2>));
    schedule.add(log::<6>.before(Stage::Early));
    assert_eq!(order(&mut schedule), [3, 4, 1, 6, 5, 2]);
}

#[test]
fn labels_are_values_of_any_type() {
    let mut schedule = Schedule::new();
    schedule.add((log::<1>.after("late"), log::<2>.after((Stage::Early, 7))));
    schedule.add((log::<3>.in_set("late"), log::<4>.in_set((Stage::Early, 7))));
    schedule.add(log::<5>.in_set((Stage::Early, 8)));
    assert_eq!(order(&mut schedule), [3, 1, 4, 2, 5]);
}

#[test]
fn nested_sets_inherit_constraints() {
    let mut schedule = Schedule::new();
    schedule.configure(Physics, |set| set.in_set(Stage::Late));
    schedule.configure(Stage::Late, |set| set.after(Stage::Early));
    schedule.add((log::<1>.in_set(Physics), log::<2>.before(Stage::Late)));
    schedule.add(log::<3>.in_set(Stage::Early));
    assert_eq!(order(&mut schedule), [2, 3, 1]);
}

#[test]
fn a_condition_on_a_set_is_evaluated_once_and_before_those_inside() {
    let mut schedule = Schedule::new();
    schedule.configure(Physics, |set| {
        let set = set.in_set(Stage::Late).run_if(asked::<21>);
        set.run_if(asked::<22>)
    });
    schedule.configure(Stage::Late, |set| set.run_if(asked::<20>));
    schedule.add((
        log::<1>.in_set(Physics).run_if(asked::<30>),
        (log::<2>.run_if(asked::<32>),)
            .run_if(asked::<31>)
            .in_set(Physics),
        log::<3>.in_set(Stage::Late),
        log::<4>,
    ));
    let mut world = traced_world();
    for _ in 0..2 {
        let trace = run(&mut schedule, &mut world);
        assert_eq!(trace, [20, 21, 22, 30, 1, 31, 32, 2, 3, 4]);
    }
    // All are asked, whatever the first one says.
    world.insert_resource(false);
    assert_eq!(run(&mut schedule, &mut world), [20, 21, 22, 30, 31, 32, 4]);
}

#[test]
fn on_many_threads_a_condition_on_a_set_is_evaluated_once_per_run() {
    #[system]
    fn count<T: Resource + std::ops::AddAssign + From<u8>>(mut number: ResMut<T>) {
        *number += T::from(1);
    }
    let mut schedule = Schedule::new();
    schedule.configure(Physics, |set| set.in_set(Input).run_if(every(2)));
    schedule.configure(Input, |set| set.run_if(not(every(4))));
    schedule.add((count::<u16>, count::<u32>, count::<u64>).in_set(Physics));
    schedule.add((count::<u128>, count::<i32>).in_set(Input));
    schedule.add((count::<i64>.in_set(Physics), count::<f32>));
    let mut world = World::new();
    world.insert_resource(0_u16);
    world.insert_resource(0_u32);
    world.insert_resource(0_u64);
    world.insert_resource(0_u128);
    world.insert_resource(0_i32);
    world.insert_resource(0_i64);
    world.insert_resource(0_f32);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4);
    let pool = pool.build().unwrap();
    for _ in 0..120 {
        schedule.run_par(&mut world, &pool).unwrap();
    }
    // The outer set runs in three of four runs. The inner one is due in every other run; if that is the fourth, it runs in
    // the next one instead.
    let inner = (
        *world.resource::<u16>(),
        *world.resource::<u32>(),
        *world.resource::<u64>(),
        *world.resource::<i64>(),
    );
    assert_eq!(inner, (59, 59, 59, 59));
    let others = (
        *world.resource::<u128>(),
        *world.resource::<i32>(),
        *world.resource::<f32>(),
    );
    assert_eq!(others, (90, 90, 120.0));
}

#[test]
fn a_system_in_two_sets_obeys_both() {
    let mut schedule = Schedule::new();
    schedule.configure(Physics, |set| set.run_if(asked::<10>));
    schedule.configure(Input, |set| set.run_if(asked::<11>).after(log::<2>));
    schedule.add((log::<1>.in_set(Physics).in_set(Input), log::<2>));
    assert_eq!(order(&mut schedule), [2, 10, 11, 1]);
}

#[test]
fn a_constraint_may_name_a_set_that_no_system_is_in() {
    let mut schedule = Schedule::new();
    // The set is empty, but the systems before it still run before the systems after it.
    schedule.add((log::<1>.after(Physics), log::<2>, log::<3>.before(Physics)));
    assert_eq!(
        schedule.plan().unwrap().notes(),
        ["no system is in the set `Physics`, which is only named by constraints"]
    );
    assert_eq!(order(&mut schedule), [2, 3, 1]);
    schedule.configure(Input, |set| set.in_set(Physics));
    assert_eq!(schedule.plan().unwrap().notes(), [""; 0]);
}

#[test]
fn an_empty_set_keeps_its_place_in_the_order() {
    let mut schedule = Schedule::new();
    schedule.configure(Physics, |set| set.after(Input).in_set(Stage::Early));
    schedule.configure("nothing", |set| set.after(Physics));
    schedule.add((
        log::<1>.after("nothing"),
        log::<2>.after(Stage::Early),
        log::<3>,
    ));
    schedule.add(log::<4>.in_set(Input));
    assert_eq!(order(&mut schedule), [3, 4, 1, 2]);
    schedule.configure(Input, |set| set.after(log::<1>));
    assert!(matches!(schedule.plan(), Err(PlanError::Cycle { .. })));
}

#[test]
fn a_cycle_of_sets_names_them_and_their_places() {
    let mut schedule = Schedule::new();
    let first = line!() + 1;
    schedule.configure("rules", |set| set.after("input").before("nothing"));
    schedule.configure("input", |set| set.after("rules"));
    schedule.add((log::<1>.in_set("rules"), log::<2>.in_set("input"), log::<3>));
    let error = schedule.plan().unwrap_err().to_string();
    let (file, second) = (file!(), first + 1);
    let expected = format!(
        "`, because of the set `\"rules\"` before the set `\"input\"` ({file}:{second}:14), and of the set `\"input\"` before the set `\"rules\"` ({file}:{first}:14); help: remove one of these `before`, `after` or `chain`"
    );
    assert!(error.ends_with(&expected), "{error}");
    // Sets of systems that are not in the cycle are not named, and constraints of systems are not repeated.
    let mut schedule = Schedule::new();
    let line = line!() + 1;
    schedule.chain_sets(["first", "second", "third"]);
    schedule.add((
        log::<1>.in_set("first").after("second"),
        log::<2>.in_set("second"),
    ));
    schedule.add(log::<3>.in_set("third"));
    let Err(PlanError::Cycle { systems, sets }) = schedule.plan() else {
        panic!("a cycle");
    };
    assert_eq!(systems.len(), 2);
    let order = format!("the set `\"first\"` before the set `\"second\"` ({file}:{line}:14)");
    assert_eq!(sets, [order]);
}

/// Returns the message about a cycle, without places.
fn said_of_cycle(schedule: &mut Schedule) -> Vec<String> {
    let Err(PlanError::Cycle { sets, .. }) = schedule.plan() else {
        panic!("a cycle");
    };
    let place = format!(" ({}:", file!());
    let without = |order: &String| order.split(&place).next().unwrap().replace('"', "");
    sets.iter().map(without).collect()
}

#[test]
fn a_cycle_through_empty_sets_names_them() {
    let mut schedule = Schedule::new();
    schedule.chain_sets(["draw", "overlay", "draw"]);
    schedule.add((log::<1>, log::<2>.in_set("draw")));
    assert_eq!(
        said_of_cycle(&mut schedule),
        [
            "the set `draw` before the set `overlay`",
            "the set `overlay` before the set `draw`"
        ]
    );
    // Through two empty sets, by constraints of systems; others around them are not named.
    let mut schedule = Schedule::new();
    schedule.configure("late", |set| set.after("early").after("elsewhere"));
    schedule.configure("early", |set| set.before("nowhere"));
    schedule.add((log::<1>.before("early"), log::<2>.after("late")));
    schedule.add(log::<3>.in_set("three").before("two").after(log::<2>));
    schedule.add(log::<4>.in_set("elsewhere"));
    schedule.configure("three", |set| set.before("one"));
    schedule.configure("one", |set| set.before(log::<1>));
    assert_eq!(
        said_of_cycle(&mut schedule),
        [
            "system `schedules::schedule_sets::log<1>` before the set `early`",
            "the set `early` before the set `late`",
            "the set `late` before system `schedules::schedule_sets::log<2>`",
            "the set `three` before the set `one`",
            "the set `one` before system `schedules::schedule_sets::log<1>`",
        ]
    );
}

#[test]
fn chained_sets_run_in_the_order_given() {
    let mut schedule = Schedule::new();
    schedule.chain_sets(["input", "nothing", "physics", "draw"]);
    schedule.chain_sets([1, 2]).chain_sets(["alone"]);
    schedule.configure("physics", |set| set.run_if(asked::<8>));
    schedule.add((log::<1>.in_set("draw"), log::<2>.in_set("physics")));
    schedule.add((log::<3>.in_set("input"), log::<4>, log::<5>.in_set(2)));
    schedule.add(log::<6>.in_set(1).after("nothing"));
    assert_eq!(order(&mut schedule), [3, 8, 2, 1, 4, 6, 5]);
    schedule.chain_sets(["draw", "input"]);
    assert!(matches!(schedule.plan(), Err(PlanError::Cycle { .. })));
}

#[test]
fn targets_of_a_set_must_be_in_the_schedule() {
    let mut schedule = Schedule::new();
    schedule.configure(Physics, |set| set.before(log::<7>));
    let error = schedule.plan().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the set `Physics` must run before `schedules::schedule_sets::log<7>`, which is not in the schedule; \
         help: add it, or remove the constraint"
    );
}

#[test]
fn configurations_of_a_set_add_up() {
    fn input(schedule: &mut Schedule) {
        schedule.configure(Physics, |set| set.after(Input).run_if(asked::<10>));
        schedule.add(log::<1>.in_set(Input));
    }
    fn drawing(schedule: &mut Schedule) {
        schedule.configure(Physics, |set| set.before(Stage::Late).run_if(asked::<11>));
        schedule.add(log::<2>.in_set(Stage::Late));
    }
    let mut schedule = Schedule::new();
    drawing(&mut schedule);
    input(&mut schedule);
    schedule.add(log::<3>.in_set(Physics));
    assert_eq!(order(&mut schedule), [1, 11, 10, 3, 2]);
    schedule.configure(Input, |set| set.in_set("outer"));
    schedule.configure("outer", |set| set.in_set(Physics));
    schedule.configure(Physics, |set| set.in_set(Input));
    let error = schedule.plan().unwrap_err();
    let PlanError::SetsInEachOther { sets } = &error else {
        panic!("{error}");
    };
    assert_eq!(sets.len(), 3);
}

#[test]
fn sets_in_each_other_are_an_error() {
    let mut schedule = Schedule::new();
    schedule.configure(Stage::Early, |set| set.in_set(Physics));
    schedule.configure(Physics, |set| set.in_set(Stage::Late));
    schedule.configure(Stage::Late, |set| set.in_set(Stage::Early));
    let error = schedule.plan().unwrap_err();
    assert_eq!(
        error.to_string(),
        "sets contain each other: `Early` in `Physics` in `Late` in `Early`; help: remove one of these `in_set`"
    );
}

#[test]
fn a_system_that_waits_for_its_own_set_waits_for_itself() {
    let mut schedule = Schedule::new();
    schedule.add((log::<1>.in_set(Physics).after(Physics), log::<2>));
    let error = schedule.plan().unwrap_err();
    assert!(matches!(error, PlanError::Cycle { systems, .. } if systems.len() == 1));
}

#[test]
fn sets_that_wait_for_each_other_are_a_cycle_of_their_systems() {
    #[system]
    fn move_all() {}
    #[system]
    fn read_keys() {}
    let mut schedule = Schedule::new();
    schedule.configure(Physics, |set| set.after(Input));
    schedule.configure(Input, |set| set.after(Physics));
    assert!(schedule.plan().is_ok(), "empty sets wait for nothing");
    schedule.add((move_all.in_set(Physics), read_keys.in_set(Input)));
    let error = schedule.plan().unwrap_err().to_string();
    assert!(
        error.contains("move_all` before `") && error.contains("read_keys` before `"),
        "{error}"
    );
}

#[test]
fn a_system_that_is_there_twice_is_referred_to_by_a_set() {
    let mut schedule = Schedule::new();
    schedule.add((log::<1>.after(Physics), log::<2>, log::<2>.in_set(Physics)));
    assert_eq!(order(&mut schedule), [2, 2, 1]);
}

#[test]
fn unordered_systems_still_have_an_order() {
    let mut schedule = Schedule::new();
    schedule.unordered(Physics, log::<3>);
    schedule.add((log::<1>.in_set(Physics), log::<2>, log::<3>));
    let mut trace = order(&mut schedule);
    trace.sort_unstable();
    assert_eq!(trace, [1, 2, 3]);
}

#[test]
fn conflicting_systems_of_an_unordered_set_are_listed() {
    #[system]
    fn quiet() {}
    let mut schedule = Schedule::new();
    schedule.add((log::<1>, log::<2>, quiet).in_set(Physics));
    schedule.add((log::<3>.in_set(Input), log::<4>));
    schedule
        .unordered(Physics, Input)
        .unordered(Physics, Stage::Late);
    schedule.configure(Stage::Late, |set| set);
    let plan = schedule.plan().unwrap();
    let listed = plan
        .ambiguities()
        .map(|(a, b, _)| (a.list_index(), b.list_index()));
    let mut listed: Vec<_> = listed.map(|(a, b)| (a.min(b), a.max(b))).collect();
    listed.sort_unstable();
    assert_eq!(listed, [(0, 3), (1, 3)]);
}

#[test]
fn a_constraint_holds_even_for_unordered_systems() {
    let mut schedule = Schedule::new();
    schedule.add((log::<1>.after(log::<2>), log::<2>));
    schedule.unordered(log::<1>, log::<2>);
    assert_eq!(order(&mut schedule), [2, 1]);
}

#[test]
fn subjects_of_unordered_must_be_in_the_schedule() {
    let mut schedule = Schedule::new();
    schedule.add(log::<1>).unordered(log::<1>, Physics);
    assert_eq!(schedule.plan().unwrap().notes().len(), 1);
    schedule.unordered(log::<1>, log::<2>);
    let error = schedule.run(&mut traced_world()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "system `schedules::schedule_sets::log<1>` must run before or after `schedules::schedule_sets::log<2>`, which is not in the schedule; \
         help: add it, or remove the constraint"
    );
}

#[test]
fn the_world_is_set_up_once_before_the_first_system_is_built() -> Result<(), ScheduleError> {
    struct FirstValue(u32);
    impl ecs_core::FromWorld for FirstValue {
        fn from_world(world: &World) -> Self {
            Self(*world.resource::<u32>())
        }
    }
    #[system]
    fn add(first: Local<FirstValue>, mut number: ResMut<u32>) {
        *number += first.0;
    }
    let mut schedule = Schedule::new();
    schedule.setup(|world| _ = world.insert_resource(5_u32));
    schedule.setup(|world| *world.resource_mut::<u32>() *= 2);
    schedule.add(add);
    let mut world = World::new();
    schedule.run(&mut world)?;
    schedule.run(&mut world)?;
    assert_eq!(*world.resource::<u32>(), 30);
    schedule.setup(|world| *world.resource_mut::<u32>() = 0);
    schedule.run(&mut world)?;
    assert_eq!(*world.resource::<u32>(), 10);
    Ok(())
}

const SYSTEMS: usize = 6;
const SETS: usize = 4;

fn numbered(n: usize) -> Configs {
    match n {
        0 => log::<0>.into_configs(),
        1 => log::<1>.into_configs(),
        2 => log::<2>.into_configs(),
        3 => log::<3>.into_configs(),
        4 => log::<4>.into_configs(),
        5 => log::<5>.into_configs(),
        _ => unreachable!("there are {SYSTEMS}"),
    }
}

proptest! {
    /// Against the definition: direct and indirect members of sets, and the systems that constraints apply to.
    #[test]
    fn any_sets_mean_the_constraints_between_their_systems(
        in_sets in proptest::collection::vec((0..SYSTEMS, 0..SETS), 0..8),
        // Only into sets with higher numbers, so that no set contains itself.
        set_in_sets in proptest::collection::vec((0..SETS, 0..SETS), 0..4),
        constraints in proptest::collection::vec((0..SETS, 0..SETS), 0..4),
    ) {
        let nested: Vec<_> = set_in_sets.into_iter().filter(|(inner, outer)| inner < outer).collect();
        let mut schedule = Schedule::new();
        for n in 0..SYSTEMS {
            let own = in_sets.iter().filter(|(system, _)| *system == n);
            schedule.add(own.fold(numbered(n), |configs, &(_, set)| configs.in_set(set)));
        }
        for n in 0..SETS {
            schedule.configure(n, |mut set| {
                for (_, outer) in nested.iter().filter(|(inner, _)| *inner == n) {
                    set = set.in_set(*outer);
                }
                for (_, first) in constraints.iter().filter(|(second, _)| *second == n) {
                    set = set.after(*first);
                }
                set
            });
        }

        let mut members = vec![vec![false; SYSTEMS]; SETS];
        for (system, set) in in_sets {
            members[set][system] = true;
        }
        for outer in 0..SETS {
            for (inner, _) in nested.iter().filter(|(_, o)| *o == outer) {
                let inside = members[*inner].clone();
                members[outer].iter_mut().zip(inside).for_each(|(one, too)| *one |= too);
            }
        }
        // A set without systems acts like a system that does nothing, with an index of its own.
        let mut places = SYSTEMS;
        for set in 0..SETS {
            if !members[set].contains(&true) {
                // Sets are only in sets with higher numbers.
                let mut inside = [false; SETS];
                inside[set] = true;
                for outer in set..SETS {
                    let mut inner = nested.iter().filter(|(_, o)| *o == outer);
                    inside[outer] |= inner.any(|(inner, _)| inside[*inner]);
                }
                for outer in (0..SETS).filter(|&outer| inside[outer]) {
                    members[outer].resize(places + 1, false);
                    members[outer][places] = true;
                }
                places += 1;
            }
        }
        let is_in = |set: usize, place: usize| members[set].get(place) == Some(&true);
        let mut before = vec![vec![false; places]; places];
        for &(second, first) in &constraints {
            for (b, row) in before.iter_mut().enumerate() {
                for (a, before) in row.iter_mut().enumerate() {
                    *before |= is_in(first, a) && is_in(second, b);
                }
            }
        }
        for middle in 0..places {
            for b in 0..places {
                for a in 0..places {
                    before[b][a] |= before[b][middle] && before[middle][a];
                }
            }
        }
        let waits = |second: usize, first: usize| before[second][first];
        let mut expected = Vec::new();
        while let Some(next) = (0..SYSTEMS).find(|&n| {
            !expected.contains(&n) && (0..SYSTEMS).all(|m| !waits(n, m) || expected.contains(&m))
        }) {
            expected.push(next);
        }

        let mut world = traced_world();
        match schedule.run(&mut world) {
            Ok(()) => prop_assert_eq!(&*world.resource::<Vec<usize>>(), &expected),
            Err(ScheduleError::Plan(PlanError::Cycle { .. })) => prop_assert!(expected.len() < SYSTEMS),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
