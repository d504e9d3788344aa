//! Schedules that are planned at compile time.

use ecs_core::prelude::*;
use ecs_core::schedule::{ScheduleError, StaticPlan, StaticSchedule};

#[derive(Resource, Default)]
struct Trace(Vec<&'static str>);
#[derive(Resource)]
struct Red(u32);
#[derive(Resource)]
struct Blue(u32);

mod deep {
    use super::Trace;
    use ecs_core::prelude::*;

    #[system]
    pub(super) fn first(mut trace: ResMut<Trace>) {
        trace.0.push("first");
    }
}

#[system]
fn second(mut trace: ResMut<Trace>) {
    trace.0.push("second");
}

#[system]
fn third(mut trace: ResMut<Trace>) {
    trace.0.push("third");
}

#[system]
fn alone(world: &mut World) {
    world.resource_mut::<Trace>().0.push("alone");
}

#[system]
fn count<T: Resource>(_value: Option<Res<T>>, mut runs: Local<u32>, mut trace: ResMut<Trace>) {
    *runs += 1;
    trace
        .0
        .push(["", "once", "twice", "thrice"][*runs as usize]);
}

#[system]
fn failing(mut trace: ResMut<Trace>) -> Result<(), &'static str> {
    trace.0.push("failing");
    Err("no luck")
}

#[system]
fn spawning(mut commands: Commands, mut trace: ResMut<Trace>) {
    commands.spawn(());
    trace.0.push("spawning");
}

#[system]
fn panicking(mut commands: Commands) {
    commands.spawn(());
    panic!("out of luck");
}

#[system]
fn entities(world: &World) {
    let names = ["no entities", "one entity", "two entities"];
    let count = world.entities().len();
    world.resource_mut::<Trace>().0.push(names[count]);
}

#[system]
fn yes(mut trace: ResMut<Trace>) -> bool {
    trace.0.push("yes");
    true
}

#[system]
fn no(mut trace: ResMut<Trace>) -> bool {
    trace.0.push("no");
    false
}

#[system]
fn paint(mut red: ResMut<Red>) {
    red.0 += 1;
}
#[system]
fn mix(red: Res<Red>, mut blue: ResMut<Blue>) {
    blue.0 += red.0;
}
#[system]
fn look(red: Res<Red>) {
    let _ = red.0;
}
#[system]
fn is_blue(blue: Res<Blue>) -> bool {
    blue.0 > 0
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Trace::default());
    world
}

fn taken(world: &World) -> String {
    core::mem::take(&mut world.resource_mut::<Trace>().0).join(" ")
}

/// Returns the trace of a run in a new world, after comparing the plan with a `Schedule` of the same list.
fn run<S: ecs_core::__private::SystemList>(schedule: &StaticSchedule<S>) -> String {
    let (mut one, mut two) = (world(), world());
    schedule.run(&mut one).unwrap();
    let mut same = schedule.to_schedule();
    same.run(&mut two).unwrap();
    let trace = taken(&one);
    assert_eq!(trace, taken(&two));
    let plan = same.plan().unwrap();
    let order: Vec<_> = plan.steps().map(|step| step.list_index()).collect();
    let found: Vec<_> = schedule
        .plan()
        .steps()
        .map(|step| step.list_index())
        .collect();
    assert_eq!(found, order);
    let conflicts: Vec<_> = plan
        .conflicts()
        .map(|(first, second, _)| (first.number(), second.number()))
        .collect();
    let found: Vec<_> = schedule
        .plan()
        .conflicts()
        .map(|(first, second)| (first.number(), second.number()))
        .collect();
    assert_eq!(found, conflicts);
    // A step can start when all steps that it has a reason to wait for are done.
    let mut stages: Vec<usize> = Vec::new();
    for step in plan.steps() {
        let earlier = plan.steps().take(step.number());
        let waits = earlier.filter(|earlier| step.reason(*earlier).is_some());
        let after = waits.map(|earlier| stages[earlier.number()] + 1);
        stages.push(after.max().unwrap_or(0));
    }
    let found: Vec<_> = (0..order.len()).map(|n| schedule.plan().stage(n)).collect();
    assert_eq!(found, stages);
    trace
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Set {
    Early,
    Late,
    All,
    Empty,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Level(u8);

#[test]
fn sets_order_and_restrict_their_systems() {
    schedule! {
        static ORDERED = [
            third.after(Set::Late),
            second.in_set(Set::Late),
            deep::first.in_set(Set::Early).in_set("named"),
            configure(Set::Late, |set| set.after(Set::Early)),
        ];
        static NESTED = [
            third.after(Set::All),
            (second, deep::first).chain().in_set(Set::Late),
            alone.before("named"),
            configure(Set::Late, |set| set.in_set(Set::All)),
            configure(Set::All, |set| set.in_set("named").run_if(yes)),
        ];
        static CHAINED = [
            third.in_set(Level(3)),
            second.in_set(Level(2)),
            deep::first.in_set(Level(1)),
            chain_sets([Level(1), Level(0), Level(2)]),
            chain_sets([Set::Empty]),
            configure(Level(3), |set| set.after(Level(2)).before(alone)),
            alone,
        ];
        static WAIVED = [
            (paint.run_if(yes), mix).in_set(Set::Early),
            look.run_if(is_blue).in_set(Set::Late),
            configure(Set::Late, |set| set.run_if(is_blue)),
            deep::first.in_set(Set::Empty),
            unordered(Set::Empty, Set::Late),
        ]
    }
    assert_eq!(run(&ORDERED), "first second third");
    assert_eq!(run(&NESTED), "alone yes second first third");
    assert_eq!(run(&CHAINED), "first second third alone");
    assert_eq!(WAIVED.plan().stages(), 3);
}

#[test]
fn conditions_are_combined() {
    use ecs_core::schedule::conditions;
    schedule! {
        static FRAME = [
            deep::first.run_if(yes.and(no)),
            second.run_if(no.or(yes)),
            third.run_if(conditions::not(no).and((yes).and(yes.or(no)))),
            (mix.run_if(is_blue.or(no)), look).run_if(no.and(is_blue)),
        ]
    }
    assert_eq!(
        run(&FRAME),
        "yes no no yes second no yes yes no third no no"
    );
}

#[test]
#[should_panic(
    expected = "`Same::Early` in a `schedule!` is the set that is also written `Set::Early`; help: write it in one way"
)]
fn a_set_that_is_written_in_two_ways_is_refused() {
    use Set as Same;
    schedule! {
        static FRAME = [second.in_set(Set::Early), third.in_set(Same::Early)]
    }
    drop(FRAME.run(&mut world()));
}

#[test]
fn systems_run_in_list_order_which_constraints_change() {
    schedule! {
        static LISTED = [third, second, deep::first];
        static MOVED = [third.after(second), second.after(deep::first), alone, deep::first];
        static BEFORE = [third, (second, deep::first.before(third)).before(third)];
    }
    assert_eq!(run(&LISTED), "third second first");
    assert_eq!(run(&MOVED), "alone first second third");
    assert_eq!(run(&BEFORE), "second first third");
}

#[test]
fn a_system_may_be_called_like_a_part_of_the_macro() {
    #[system]
    fn running(mut trace: ResMut<Trace>) {
        trace.0.push("running");
    }
    #[system]
    fn builder(mut trace: ResMut<Trace>) {
        trace.0.push("builder");
    }
    #[system]
    fn schedule(mut trace: ResMut<Trace>) {
        trace.0.push("schedule");
    }
    schedule! { static FRAME = [running, builder.after(schedule), schedule] }
    assert_eq!(run(&FRAME), "running schedule builder");
}

#[test]
fn tuples_are_chained_group_by_group() {
    schedule! {
        static CHAINED = [((third, second), deep::first, alone).chain(), entities.before(second)];
    }
    assert_eq!(run(&CHAINED), "third no entities second first alone");
}

#[test]
fn a_system_is_found_by_its_path_under_every_name() {
    use deep::first as begin;
    schedule! { static FRAME = [second.after(self::deep::first), begin] }
    assert_eq!(run(&FRAME), "first second");
}

#[test]
fn instances_of_a_generic_system_are_different_systems() {
    schedule! {
        static FRAME = [second.after(count::<u8>), count::<u16>, count::<u8>, count::<u32>];
    }
    assert_eq!(run(&FRAME), "once once second once");
}

#[test]
fn a_group_evaluates_its_condition_once_and_inner_ones_later() {
    schedule! {
        static ASKING = [(second.run_if(no), third, deep::first.run_if(yes)).run_if(yes).run_if(yes)];
        static REFUSING = [(second.run_if(yes), third).run_if(no), deep::first];
    }
    assert_eq!(run(&ASKING), "yes yes no third yes first");
    assert_eq!(run(&REFUSING), "no yes first");
}

#[test]
fn commands_take_effect_directly_after_their_system() {
    schedule! { static FRAME = [entities, spawning, entities] }
    assert_eq!(run(&FRAME), "no entities spawning one entity");
}

#[test]
fn each_world_keeps_the_state_of_systems() {
    schedule! { static FRAME = [count::<u8>, count::<u8>] }
    let (mut one, mut two) = (world(), world());
    FRAME.run(&mut one).unwrap();
    FRAME.run(&mut one).unwrap();
    FRAME.run(&mut two).unwrap();
    assert_eq!(taken(&one), "once once twice twice");
    assert_eq!(taken(&two), "once once");
}

#[test]
fn a_run_inside_of_a_run_has_states_of_its_own() {
    #[system]
    fn nested(world: &mut World) {
        if world.remove_resource::<Red>().is_some() {
            FRAME.run(world).unwrap();
        }
    }
    schedule! { static FRAME = [count::<u8>, nested, count::<u16>] }
    let mut world = world();
    world.insert_resource(Red(0));
    FRAME.run(&mut world).unwrap();
    assert_eq!(taken(&world), "once once once once");
    FRAME.run(&mut world).unwrap();
    assert_eq!(taken(&world), "twice twice");
}

#[test]
fn a_system_that_fails_does_not_keep_others_from_running() {
    schedule! { static FRAME = [failing, second] }
    let mut world = world();
    let error = FRAME.run(&mut world).unwrap_err();
    assert_eq!(taken(&world), "failing second");
    let name = concat!(module_path!(), "::failing");
    assert_eq!(
        error.to_string(),
        format!("system `{name}` failed: no luck")
    );
}

#[test]
fn a_panic_names_the_system_and_leaves_schedule_and_world_usable() {
    schedule! { static FRAME = [count::<u8>, panicking.run_if(is_blue), second] }
    let mut world = world();
    world.insert_resource(Blue(1));
    let run = std::panic::AssertUnwindSafe(|| FRAME.run(&mut world));
    let panic = std::panic::catch_unwind(run).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    let name = concat!(module_path!(), "::panicking");
    assert_eq!(*message, format!("system `{name}` panicked: out of luck"));
    world.insert_resource(Blue(0));
    FRAME.run(&mut world).unwrap();
    assert_eq!(taken(&world), "once twice second");
    // The entity of the discarded command exists, without components.
    assert_eq!(world.entities().len(), 1);
}

#[test]
fn a_missing_resource_of_a_condition_is_reported_with_both_names() {
    schedule! { static FRAME = [second.run_if(is_blue)] }
    let mut world = world();
    let error = FRAME.run(&mut world).unwrap_err().to_string();
    assert!(
        error.starts_with("a condition of system `statics::static_schedule::second`: system `"),
        "{error}"
    );
    assert!(error.contains("::is_blue`, parameter `"), "{error}");
}

#[test]
fn generic_systems_with_conflicting_parameters_are_refused_before_anything_runs() {
    #[derive(Component)]
    struct Tag<T: Send + Sync + 'static>(T);
    #[system]
    fn twice<T: Send + Sync + 'static>(_one: Query<&mut Tag<T>>, _two: Query<&Tag<u8>>) {}
    schedule! { static FRAME = [second, twice::<u8>] }
    let mut world = world();
    let error = FRAME.run(&mut world).unwrap_err();
    assert!(matches!(error, ScheduleError::Plan(_)), "{error}");
    assert_eq!(taken(&world), "");
}

#[test]
fn stages_and_conflicts_are_constants() {
    schedule! {
        static FRAME = [paint, mix, look, second.run_if(is_blue), third.after(look), unordered(paint, third)];
        static EMPTY = [];
    }
    const PLAN: StaticPlan<__schedule_FRAME> = FRAME.plan();
    const _: () = {
        assert!(PLAN.len() == 5 && FRAME.len() == 5);
        assert!(PLAN.stages() == 4);
        assert!(PLAN.conflict(0, 1) && PLAN.conflict(1, 0) && PLAN.conflict(0, 2));
        assert!(!PLAN.conflict(1, 2) && !PLAN.conflict(0, 0));
        // Because of its condition.
        assert!(PLAN.conflict(1, 3));
        assert!(matches!(PLAN.position(&mix), Some(1)));
        assert!(PLAN.position(&no).is_none());
        assert!(EMPTY.is_empty() && EMPTY.plan().stages() == 0);
    };
    let stages: Vec<_> = PLAN.steps().map(|step| PLAN.stage(step.number())).collect();
    assert_eq!(stages, [0, 1, 1, 2, 3]);
}
