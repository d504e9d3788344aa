//! Schedules as steps of others, several schedules of one world, and systems that run once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::every;
use ecs_core::schedule::{
    Executor, FrameTime, PlanError, Run, ScheduleError, TraceKind, Transitions, fixed,
};
use ecs_core::view::Removed;

#[derive(Component)]
struct Unit;

/// Adds its number to the trace.
#[system]
fn log<const N: usize>(mut trace: ResMut<Vec<usize>>) {
    trace.push(N);
}

#[system]
fn fails<const N: usize>() -> Result<(), String> {
    Err(format!("no luck {N}"))
}

#[system]
fn spawn(mut commands: Commands) {
    commands.spawn(Unit);
}

#[system]
fn count(units: Comp<Unit>, mut trace: ResMut<Vec<usize>>) {
    trace.push(100 + units.len());
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Physics;

/// Runs all tasks on this thread, and notes the names of their steps.
#[derive(Default)]
struct Counting(Vec<String>);

impl Executor for Counting {
    fn run(&mut self, run: &mut Run<'_>) {
        while let Some(mut round) = run.round() {
            let mut tasks = Vec::new();
            while let Some(task) = round.next_task() {
                tasks.push(task);
            }
            while let Some(task) = tasks.pop() {
                self.0.push(short(task.step().name()));
                tasks.extend(task.run());
            }
        }
    }
}

/// Removes the paths of modules from names.
fn short(names: &str) -> String {
    let (mut all, mut word) = (String::new(), String::new());
    for c in names.chars() {
        if c == ':' {
            word.clear();
        } else if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            all.push_str(&word);
            all.push(c);
            word.clear();
        }
    }
    all + &word
}

fn traced_world() -> World {
    let mut world = World::new();
    world.insert_resource(Vec::<usize>::new());
    world
}

fn take_trace(world: &World) -> Vec<usize> {
    std::mem::take(&mut *world.resource_mut::<Vec<usize>>())
}

fn schedule<M>(systems: impl IntoConfigs<M>) -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add(systems);
    schedule
}

#[test]
fn a_schedule_is_a_step_in_list_order() {
    let inner = schedule((log::<2>, log::<3>));
    let mut outer = schedule((log::<1>, inner, log::<4>));
    let mut world = traced_world();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [1, 2, 3, 4]);
    assert_eq!(outer.len(), 3);
}

#[test]
fn a_step_has_constraints_and_conditions_like_a_system() {
    let mut outer = Schedule::new();
    outer.add((log::<1>.after(Physics), log::<2>));
    outer.add(
        schedule((log::<3>, log::<4>))
            .in_set(Physics)
            .after(log::<2>)
            .run_if(every(2)),
    );
    let mut world = traced_world();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [2, 1]);
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [2, 3, 4, 1]);
}

#[test]
fn schedules_nest_deeply() {
    let mut all = schedule(log::<0>);
    for _ in 0..50 {
        all = schedule((log::<1>, all, log::<2>));
    }
    let mut world = traced_world();
    all.run(&mut world).unwrap();
    let mut expected = vec![1; 50];
    expected.push(0);
    expected.extend([2; 50]);
    assert_eq!(take_trace(&world), expected);
}

#[test]
fn commands_are_visible_across_nested_schedules() {
    let inner = schedule((count, spawn));
    let mut outer = schedule((spawn, inner, count));
    let mut world = traced_world();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [101, 102]);
}

#[test]
fn systems_inside_keep_their_locals() {
    #[system]
    fn runs(mut runs: Local<usize>, mut trace: ResMut<Vec<usize>>) {
        *runs += 1;
        trace.push(*runs);
    }
    let mut outer = schedule((schedule(runs), schedule((runs, runs)), runs));
    let mut world = traced_world();
    outer.run(&mut world).unwrap();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [1, 1, 1, 1, 2, 2, 2, 2]);
}

#[test]
fn an_inner_error_is_reported_with_its_path_and_the_rest_runs() {
    let mut inner = Schedule::named("physics");
    inner.add((fails::<1>, log::<1>, fails::<2>));
    let mut outer = schedule((inner, fails::<3>, log::<2>));
    let mut world = traced_world();
    for how in 0..3 {
        let result = match how {
            0 => outer.run(&mut world),
            1 => outer.run_seq(&mut world),
            _ => outer.run_with(&mut world, &mut Counting::default()),
        };
        let error = result.unwrap_err();
        assert_eq!(
            error.to_string(),
            "in `physics`: system `schedules::nested_schedules::fails<1>` failed: no luck 1; \
             in `physics`: system `schedules::nested_schedules::fails<2>` failed: no luck 2; \
             system `schedules::nested_schedules::fails<3>` failed: no luck 3"
        );
        let ScheduleError::Systems(errors) = error else {
            panic!("{error}");
        };
        let paths: Vec<&str> = errors.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(paths, ["physics", "physics", ""]);
        assert_eq!(take_trace(&world), [1, 2]);
    }
}

#[test]
fn an_inner_schedule_that_cannot_be_planned_is_an_error_of_the_plan_that_names_its_path() {
    let mut turn = Schedule::named("turn");
    turn.add(log::<1>.after(log::<2>));
    let mut round = Schedule::named("round");
    round.add(turn);
    let mut outer = schedule((log::<3>, fixed(Duration::from_secs(1), round)));
    let error = outer.plan().unwrap_err();
    assert_eq!(
        error.to_string(),
        "in `round > turn`: system `schedules::nested_schedules::log<1>` must run after `schedules::nested_schedules::log<2>`, which is not in \
         the schedule; help: add it, or remove the constraint"
    );
    let mut world = traced_world();
    for _ in 0..2 {
        let error = outer.run(&mut world).unwrap_err();
        assert!(matches!(
            error,
            ScheduleError::Plan(PlanError::Inside { .. })
        ));
        assert_eq!(take_trace(&world), [0_usize; 0], "no system ran");
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
    Game,
}

#[test]
fn setup_at_all_depths_comes_before_the_first_step() {
    let mut deep = schedule(log::<5>);
    deep.setup(|world| world.resource_mut::<Vec<usize>>().push(3));
    let mut physics = schedule(deep);
    physics.setup(|world| {
        world.resource_mut::<Vec<usize>>().push(2);
        world.insert_resource(7_u32);
    });
    let mut outer = Schedule::new();
    // The first frame makes no step, but the results of the step's set-up exist.
    outer.add(fixed(Duration::from_secs(1), physics));
    outer.add(from_fn(
        |number: Res<u32>, mut trace: ResMut<Vec<usize>>| {
            trace.push(*number as usize);
        },
    ));
    outer.setup(|world| world.resource_mut::<Vec<usize>>().push(1));
    let mut world = traced_world();
    world.insert_resource(FrameTime::default());
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [1, 2, 3, 7]);
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [7], "once");
}

#[test]
fn readers_in_steps_that_start_late_see_everything_once() {
    struct Hit(usize);
    #[system]
    fn hit(mut frame: Local<usize>, mut hits: EventWriter<Hit>) {
        *frame += 1;
        hits.send(Hit(*frame));
    }
    #[system]
    fn receive(mut hits: EventReader<Hit>, mut trace: ResMut<Vec<usize>>) {
        trace.extend(hits.read().map(|hit| hit.0));
    }
    #[system]
    fn bury(mut units: Removed<Unit>, mut trace: ResMut<Vec<usize>>) {
        trace.push(100 + units.read().count());
    }
    #[derive(Component)]
    #[component(track)]
    struct Unit;
    let mut outer = Schedule::new();
    outer.add((
        hit,
        fixed(Duration::from_secs(1), schedule((receive, bury))),
    ));
    let mut world = traced_world();
    world.add_event::<Hit>();
    world.insert_resource(FrameTime {
        delta: Duration::from_millis(400),
    });
    let unit = world.spawn(Unit);
    outer.run(&mut world).unwrap();
    world.despawn(unit).unwrap();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [0_usize; 0]);
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [1, 2, 3, 101]);
    world.insert_resource(FrameTime {
        delta: Duration::from_secs(3),
    });
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [4, 100, 100, 100]);
}

#[test]
fn the_executor_is_handed_down() {
    let deep = schedule((log::<3>, log::<4>));
    let inner = schedule((log::<2>, deep, log::<5>));
    let mut outer = schedule((log::<1>, fixed(Duration::from_secs(1), inner), log::<6>));
    let mut world = traced_world();
    world.insert_resource(FrameTime {
        delta: Duration::from_secs(2),
    });
    let mut counting = Counting::default();
    outer.run_with(&mut world, &mut counting).unwrap();
    assert_eq!(take_trace(&world), [1, 2, 3, 4, 5, 2, 3, 4, 5, 6]);
    let names = [1, 2, 3, 4, 5, 2, 3, 4, 5, 6].map(|n| format!("log<{n}>"));
    assert_eq!(counting.0, names);
}

#[test]
fn timings_and_traces_look_inside() {
    let mut screens = Transitions::new();
    screens.on_enter(Screen::Menu, log::<1>);
    screens.on_enter(Screen::Game, log::<2>);
    let mut physics = Schedule::named("physics");
    physics.add((log::<3>, schedule(log::<4>)));
    let mut outer = schedule((screens, fixed(Duration::from_secs(1), physics), log::<5>));
    let mut world = traced_world();
    world.add_state(Screen::Menu);
    world.insert_resource(FrameTime {
        delta: Duration::from_secs(2),
    });
    outer.record_timings(true);
    outer.trace_next_run();
    outer.run(&mut world).unwrap();
    let trace = outer.take_trace().unwrap();
    let systems = trace.spans().iter();
    let systems = systems.filter(|span| span.kind() == TraceKind::System);
    let spans: Vec<String> = systems
        .map(|span| format!("{} / {}", short(span.path()), short(span.name())))
        .collect();
    let step = [
        "physics / log<3>",
        "physics / schedule",
        "physics > schedule / log<4>",
    ];
    let mut expected = vec![
        " / Transitions",
        "Transitions > on_enter(Menu) / log<1>",
        " / physics",
    ];
    expected.extend(step);
    expected.extend(step);
    expected.push(" / log<5>");
    assert_eq!(spans, expected);
    // Later additions do not move the others.
    outer.add(log::<6>);
    outer.run(&mut world).unwrap();
    let timings: Vec<String> = outer
        .timings()
        .iter()
        .map(|timing| {
            let (path, system) = (short(timing.path()), short(timing.system()));
            format!("{path} / {system}: {}", timing.count())
        })
        .collect();
    let expected = [
        " / Transitions: 2",
        "Transitions > on_enter(Menu) / log<1>: 1",
        "Transitions > on_enter(Game) / log<2>: 0",
        " / physics: 2",
        "physics / log<3>: 4",
        "physics / schedule: 4",
        "physics > schedule / log<4>: 4",
        " / log<5>: 2",
        " / log<6>: 1",
    ];
    assert_eq!(timings, expected);
}

#[test]
fn a_second_step_for_the_transitions_of_a_state_is_refused() {
    let transitions = || {
        let mut transitions = Transitions::new();
        transitions.on_enter(Screen::Menu, log::<1>);
        transitions
    };
    let mut outer = schedule(transitions());
    assert!(outer.plan().is_ok());
    outer.add(schedule(transitions()));
    let error = short(&outer.plan().unwrap_err().to_string());
    assert_eq!(
        error,
        "in `schedule` two `Transitions` have the state `Screen`, and only the first one would make transitions;  \
          add the handlers of both to one `Transitions`"
    );
    // Of another type of state.
    let mut numbers = Transitions::new();
    numbers.add_state(1_u8);
    let mut outer = schedule((transitions(), numbers));
    assert!(outer.plan().is_ok());
}

#[test]
fn explanations_look_inside() {
    #[system]
    fn other() {}
    let mut physics = Schedule::named("physics");
    physics.add((log::<1>, log::<2>, other));
    let mut outer = schedule((physics, log::<3>, schedule(log::<4>), other));
    let plan = outer.plan().unwrap();
    let why = plan.why(log::<2>, log::<1>);
    assert_eq!(why.path().len(), 2);
    let text = short(&why.to_string());
    assert!(text.starts_with("`log<2>` waits for `log<1>`\n"), "{text}");
    let why = plan.why(log::<4>, log::<1>);
    assert!(!why.may_overlap());
    let text = short(&why.to_string());
    assert!(
        text.starts_with(
            "`log<1>` runs inside the step `physics`\n`log<4>` runs inside the step `schedule`\n`schedule` waits for `physics`\n"
        ),
        "{text}"
    );
    let why = plan.why(log::<3>, other).to_string();
    assert!(
        why.ends_with("is in the plan 2 times; help: ask about one of its steps"),
        "{why}"
    );
    let why = plan.why(log::<3>, log::<9>).to_string();
    assert!(why.ends_with("is not in the plan"), "{why}");
    let (_, inside) = plan.steps().next().unwrap().inner().next().unwrap();
    let why = plan.why(inside.steps().nth(2).unwrap(), log::<1>);
    assert!(why.may_overlap());
}

#[test]
fn an_inner_panic_names_both_and_the_next_run_works() {
    let mut first = true;
    let mut inner = Schedule::named("physics");
    inner.add(from_fn(move |mut trace: ResMut<Vec<usize>>| {
        trace.push(7);
        assert!(!std::mem::take(&mut first), "first run");
    }));
    let mut outer = schedule((inner, log::<1>));
    let mut world = traced_world();
    let panic = catch_unwind(AssertUnwindSafe(|| outer.run(&mut world))).unwrap_err();
    let message = panic.downcast::<String>().unwrap();
    assert!(
        message.starts_with(
            "system `physics` panicked: system `schedules::nested_schedules::an_inner_panic"
        ) && message.ends_with("panicked: first run"),
        "{message}"
    );
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [7, 7, 1]);
}

#[test]
fn an_inner_schedule_sets_up_the_world_and_reads_outer_events() {
    struct Hit;
    #[system]
    fn hit(mut hits: EventWriter<Hit>) {
        hits.send_batch([Hit, Hit]);
    }
    #[system]
    fn receive(mut hits: EventReader<Hit>, mut trace: ResMut<Vec<usize>>) {
        trace.push(hits.read().count());
    }
    let mut inner = schedule(receive);
    inner.setup(|world| world.resource_mut::<Vec<usize>>().push(50));
    let mut outer = schedule((hit, inner));
    outer.setup(|world| world.add_event::<Hit>());
    let mut world = traced_world();
    outer.run(&mut world).unwrap();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [50, 2, 2]);
}

#[test]
fn two_schedules_share_a_world() {
    let mut frame = schedule((log::<1>, spawn));
    let mut turn = schedule((log::<2>, count));
    let mut world = traced_world();
    for _ in 0..2 {
        frame.run(&mut world).unwrap();
        frame.run(&mut world).unwrap();
        turn.run(&mut world).unwrap();
    }
    assert_eq!(take_trace(&world), [1, 1, 2, 102, 1, 1, 2, 104]);
}

#[test]
fn schedules_of_a_world_see_each_others_changes_once() {
    #[system]
    fn changed(number: Res<u32>, mut trace: ResMut<Vec<usize>>) {
        trace.push(usize::from(number.is_changed()));
    }
    let mut writer = schedule(from_fn(|mut number: ResMut<u32>| *number += 1));
    let mut reader = schedule(changed);
    let mut world = traced_world();
    world.insert_resource(0_u32);
    reader.run(&mut world).unwrap();
    reader.run(&mut world).unwrap();
    writer.run(&mut world).unwrap();
    reader.run(&mut world).unwrap();
    reader.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [1, 0, 1, 0]);
}

#[test]
#[should_panic(
    expected = "the schedule `turn` has run, so its systems have state, and it cannot become a step of another one; help: add it before its first run"
)]
fn a_schedule_that_has_run_cannot_become_a_step() {
    let mut inner = Schedule::named("turn");
    inner.add(log::<1>);
    inner.run(&mut traced_world()).unwrap();
    schedule(inner);
}

#[test]
fn a_schedule_with_steps_inside_stays_with_its_world() {
    let mut outer = schedule(schedule(log::<1>));
    outer.run(&mut traced_world()).unwrap();
    let error = outer.run(&mut traced_world()).unwrap_err();
    assert!(matches!(error, ScheduleError::OtherWorld { .. }));
}

#[test]
fn a_system_runs_once_with_or_without_arguments() {
    #[system]
    fn add(by: usize, twice: bool, mut trace: ResMut<Vec<usize>>, mut commands: Commands) -> usize {
        trace.push(by);
        commands.spawn(Unit);
        if twice { by * 2 } else { by }
    }
    let mut world = traced_world();
    world.run(log::<5>);
    assert_eq!(add(7, true, &world), 14);
    // Commands of a direct call are deferred until the next exclusive access to the world.
    world.run(count);
    assert_eq!(take_trace(&world), [5, 7, 100]);
    world.run(count);
    assert_eq!(take_trace(&world), [101]);
}

/// Calls a function on a thread with the stack that the standard library gives to threads.
fn on_a_thread(function: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    thread.spawn(function).unwrap().join().unwrap();
}

/// Nests a schedule in others, `levels` times: unchanged, and at a fixed rate.
fn nested(levels: usize) -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add((log::<7>, count));
    for level in 0..levels {
        let mut outer = Schedule::named("level");
        if level % 2 == 0 {
            outer.add((schedule.run_if(every(1)), log::<1>));
        } else {
            outer.add((log::<1>, fixed(Duration::from_millis(10), schedule)));
        }
        schedule = outer;
    }
    schedule
}

#[test]
fn schedules_of_the_maximum_depth_fit_on_the_stack_of_a_thread() {
    for how in 0..4 {
        on_a_thread(move || {
            let mut world = traced_world();
            world.insert_resource(FrameTime {
                delta: Duration::from_millis(10),
            });
            let mut schedule = nested(Schedule::MAX_DEPTH);
            if how == 0 {
                return drop(schedule);
            }
            schedule.plan().unwrap();
            let plan = schedule.plan().unwrap();
            drop(plan.clone());
            assert_eq!(plan.notes(), [""; 0]);
            assert!(ecs_core::inspect::to_dot(plan).contains("log"));
            assert!(ecs_core::inspect::to_mermaid(plan).contains("log"));
            assert!(ecs_core::inspect::to_svg(plan).contains("log"));
            schedule.prepare(&mut world).unwrap();
            schedule.record_timings(true);
            schedule.trace_next_run();
            match how {
                1 => schedule.run_seq(&mut world).unwrap(),
                2 => schedule.run(&mut world).unwrap(),
                _ => schedule
                    .run_with(&mut world, &mut Counting::default())
                    .unwrap(),
            }
            let trace = world.resource::<Vec<usize>>();
            assert_eq!(trace.iter().filter(|n| **n == 7).count(), 1);
            assert_eq!(trace.len(), Schedule::MAX_DEPTH + 2);
            assert!(schedule.timings().len() > Schedule::MAX_DEPTH);
            drop(schedule);
        });
    }
}

#[test]
fn deeper_schedules_are_refused_and_can_be_dropped() {
    fn refused(schedule: &mut Schedule, step: &str) {
        let error = schedule.plan().unwrap_err();
        assert!(
            matches!(error, PlanError::TooDeep { step: found } if found == step),
            "{error}"
        );
        let message = error.to_string();
        assert!(message.contains("nested more than 64 levels deep; help: "));
        let mut world = traced_world();
        let run = schedule.run(&mut world).unwrap_err();
        assert!(run.to_string().contains("64 levels"), "{run}");
        assert!(world.resource::<Vec<usize>>().is_empty());
    }
    for levels in [Schedule::MAX_DEPTH + 1, Schedule::MAX_DEPTH + 2, 4_000] {
        on_a_thread(move || {
            refused(&mut nested(levels), "level");
            drop(nested(levels));
        });
        on_a_thread(move || {
            let mut schedule = Schedule::new();
            schedule.add(log::<1>);
            for _ in 0..levels {
                let mut states = Transitions::new();
                states.on_enter(true, schedule).add_state(true);
                schedule = Schedule::new();
                schedule.add(states);
            }
            refused(&mut schedule, "Transitions");
        });
    }
    // Without the deep step, the rest runs.
    let mut frame = Schedule::new();
    frame.add((log::<1>, nested(Schedule::MAX_DEPTH).in_set(Physics)));
    refused(&mut frame, "level");
    assert_eq!(frame.remove_set(Physics), 1);
    let mut world = traced_world();
    frame.run(&mut world).unwrap();
    assert_eq!(*world.resource::<Vec<usize>>(), [1]);
}

/// Calls a function that must panic, and returns the message.
fn panic_of<R>(function: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(function)).err().unwrap();
    *panic.downcast().unwrap()
}

#[test]
fn conditions_of_the_maximum_depth_fit_on_the_stack_of_a_thread() {
    use ecs_core::IntoCondition;
    use ecs_core::schedule::conditions::not;
    use ecs_core::system::ConditionSource;

    type Nest = fn(ConditionSource) -> ConditionSource;
    let all: [Nest; 5] = [
        |condition| condition.and(every(1)),
        |condition| every(1).and(condition),
        |condition| condition.or(every(1)),
        |condition| every(1).or(condition),
        |condition| not(condition),
    ];
    for nest in all {
        on_a_thread(move || {
            let full = || (0..128).fold(every(1), |condition, _| nest(condition));
            drop(full());
            let message = panic_of(|| nest(full()));
            assert!(
                message.contains("conditions are nested more than 128 levels deep; help: "),
                "{message}"
            );
            // Inside of schedules, too.
            let mut schedule = nested(Schedule::MAX_DEPTH - 2);
            let mut inner = Schedule::new();
            inner.add((log::<7>.run_if(full()), schedule));
            schedule = Schedule::new();
            schedule.add(inner.run_if(full()));
            let mut world = traced_world();
            world.insert_resource(FrameTime {
                delta: Duration::from_millis(10),
            });
            schedule.prepare(&mut world).unwrap();
            schedule.run_seq(&mut world).unwrap();
            schedule.run(&mut world).unwrap();
            assert!(world.resource::<Vec<usize>>().contains(&7));
        });
    }
}

#[test]
fn pipes_of_the_maximum_depth_fit_on_the_stack_of_a_thread() {
    use ecs_core::system::{In, IntoSystemValue, SystemValue};

    type Nest = fn(SystemValue<usize, usize>) -> SystemValue<usize, usize>;
    let one = || from_fn(|In(n): In<usize>| n + 1);
    let all: [Nest; 3] = [
        |system| system.pipe(from_fn(|In(n): In<usize>| n + 1)),
        |system| from_fn(|In(n): In<usize>| n + 1).pipe(system),
        |system| system.map(|n| n + 1),
    ];
    for nest in all {
        on_a_thread(move || {
            let full = || (0..128).fold(one().into_value(), |system, _| nest(system));
            drop(full());
            let message = panic_of(|| nest(full()));
            assert!(
                message.contains("are nested more than 128 levels deep; help: "),
                "{message}"
            );
            let mut world = traced_world();
            let system = world.register_system(full());
            assert_eq!(world.run_system(system, 1).unwrap(), 130);
            let start = from_fn(|_: Res<Vec<usize>>| 0)
                .pipe((1..127).fold(one().into_value(), |system, _| nest(system)));
            let mut schedule = Schedule::new();
            schedule.add(start.map(|n| assert_eq!(n, 127)));
            schedule.run(&mut world).unwrap();
        });
    }
}
