//! Names of generic systems in messages and pictures: they include the type arguments.

use ecs_core::inspect;
use ecs_core::prelude::*;
use ecs_core::schedule::{PlanError, ScheduleError};

#[derive(Component, Default)]
struct Position(f32);

#[derive(Component, Default)]
struct Velocity(f32);

#[derive(Resource)]
struct Speed<T>(T);

/// A component that is a number.
trait Number: Component + Default {
    fn number(&mut self) -> &mut f32;
}

impl Number for Position {
    fn number(&mut self) -> &mut f32 {
        &mut self.0
    }
}

impl Number for Velocity {
    fn number(&mut self) -> &mut f32 {
        &mut self.0
    }
}

#[system]
fn tick<T: Number + Component<Tracking = ecs_core::component::Untracked>>(mut all: CompMut<T>) {
    all.iter_mut().for_each(|value| *value.number() += 1.0);
}

#[system]
fn repeat<const N: usize>(mut positions: CompMut<Position>) {
    positions.iter_mut().for_each(|p| p.0 += N as f32);
}

#[system]
fn wants<T: Send + Sync + 'static>(_: Res<Speed<T>>) {}

#[system]
fn has<T: Component>(all: Comp<T>) -> bool {
    !all.is_empty()
}

#[system]
fn plain(_: CompMut<Position>) {}

struct Shop<T>(T);

#[systems]
impl<T: Send + Sync + 'static> Shop<T> {
    #[system]
    fn restock(_: ResMut<Vec<T>>) {}
}

fn schedule() -> Schedule {
    let mut frame = Schedule::new();
    frame.add((
        tick::<Position>.run_if(has::<Velocity>),
        tick::<Velocity>,
        repeat::<3>,
        plain,
        Shop::<u8>::restock,
    ));
    frame
}

const NAMES: [&str; 5] = [
    "systems::generic_names::tick<systems::generic_names::Position>",
    "systems::generic_names::tick<systems::generic_names::Velocity>",
    "systems::generic_names::repeat<3>",
    "systems::generic_names::plain",
    "systems::generic_names::Shop::restock<u8>",
];

#[test]
fn steps_are_called_by_their_instances() {
    let mut frame = schedule();
    let plan = frame.plan().unwrap();
    let names: Vec<&str> = plan.steps().map(|step| step.name()).collect();
    assert_eq!(names, NAMES);
    let first = plan.steps().next().unwrap();
    let conditions: Vec<_> = first.conditions().map(|c| c.name.to_string()).collect();
    assert_eq!(
        conditions,
        ["systems::generic_names::has<systems::generic_names::Velocity>"]
    );
    assert_eq!(first.meta().name, NAMES[0]);
}

/// Type arguments have no name at compile time.
#[test]
fn the_constant_description_has_the_path() {
    const NAME: &str = ecs_core::meta(&tick::<Position>).name;
    assert_eq!(NAME, "systems::generic_names::tick");
}

#[test]
fn plans_and_pictures_distinguish_instances() {
    let mut frame = schedule();
    let plan = frame.plan().unwrap();
    let steps: Vec<_> = plan.steps().collect();
    let why = plan.why(steps[0], steps[2]).to_string();
    assert!(
        why.contains("`systems::generic_names::repeat<3>` waits for"),
        "{why}"
    );
    assert!(why.contains(NAMES[0]), "{why}");
    let dot = inspect::to_dot(plan);
    for name in NAMES {
        assert!(dot.contains(name), "{dot}");
    }
    let mermaid = inspect::to_mermaid(plan);
    assert!(
        mermaid.contains("tick#60;systems::generic_names::Velocity#62;"),
        "{mermaid}"
    );
    let svg = inspect::to_svg(plan);
    // Short in the box, full in its tooltip.
    assert!(svg.contains(">tick&lt;Position&gt;</text>"), "{svg}");
    assert!(svg.contains(">if has&lt;Velocity&gt;</text>"), "{svg}");
    assert!(
        svg.contains("tick&lt;systems::generic_names::Position&gt;"),
        "{svg}"
    );
}

#[test]
fn timings_and_traces_distinguish_instances() {
    let mut world = World::new();
    world.spawn((Position(1.0), Velocity(1.0)));
    world.insert_resource(vec![1_u8]);
    let mut frame = schedule();
    frame.record_timings(true);
    frame.trace_next_run();
    frame.run(&mut world).unwrap();
    let timings: Vec<&str> = frame
        .timings()
        .iter()
        .map(|timing| timing.system())
        .collect();
    assert_eq!(timings, NAMES);
    let trace = frame.take_trace().unwrap();
    assert!(trace.spans().iter().any(|span| span.name() == NAMES[1]));
}

#[test]
fn errors_name_the_instance() {
    let mut frame = Schedule::new();
    frame.add((wants::<u8>, wants::<u16>));
    let mut world = World::new();
    world.insert_resource(Speed(1_u8));
    let error = frame.run(&mut world).unwrap_err();
    let ScheduleError::Systems(failed) = &error else {
        panic!("{error}");
    };
    assert_eq!(failed[0].system, "systems::generic_names::wants<u16>");
    assert!(
        failed[0]
            .error
            .to_string()
            .contains("system `systems::generic_names::wants<u16>`")
    );

    let mut frame = Schedule::new();
    frame.add(tick::<Position>.after(tick::<Velocity>));
    let error = frame.plan().unwrap_err().to_string();
    assert!(
        error.contains(NAMES[0]) && error.contains(NAMES[1]),
        "{error}"
    );

    let mut frame = Schedule::new();
    frame.add((
        tick::<Position>.after(tick::<Velocity>),
        tick::<Velocity>.after(tick::<Position>),
    ));
    let Err(PlanError::Cycle { systems, .. }) = frame.plan() else {
        panic!("a cycle");
    };
    assert!(
        NAMES[..2].iter().all(|name| systems.contains(name)),
        "{systems:?}"
    );
}

#[test]
fn unordered_systems_are_reported_by_instance() {
    let mut frame = Schedule::new();
    frame
        .add((repeat::<1>, repeat::<2>))
        .unordered(repeat::<1>, repeat::<2>);
    let plan = frame.plan().unwrap();
    let (one, two, _) = plan.ambiguities().next().unwrap();
    let expected = [
        "systems::generic_names::repeat<1>",
        "systems::generic_names::repeat<2>",
    ];
    assert_eq!([one.name(), two.name()], expected);
}

#[test]
fn a_direct_call_that_is_refused_names_the_instance() {
    let world = World::new();
    let call = std::panic::AssertUnwindSafe(|| wants::<u8>(&world));
    let panic = std::panic::catch_unwind(call).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with("system `systems::generic_names::wants<u8>`"),
        "{message}"
    );
}

#[system]
fn fails<T: Send + Sync + 'static>(_: Res<Speed<T>>) {
    panic!("on purpose");
}

schedule! {
    static CONSTANT = [wants::<u8>, wants::<u16>];
    static PANICS = [fails::<u8>];
}

#[test]
fn errors_of_constant_schedules_name_the_instance() {
    let mut world = World::new();
    world.insert_resource(Speed(1_u8));
    let error = CONSTANT.run(&mut world).unwrap_err();
    let ScheduleError::Systems(failed) = &error else {
        panic!("{error}");
    };
    assert_eq!(failed[0].system, "systems::generic_names::wants<u16>");
    let run = std::panic::AssertUnwindSafe(|| PANICS.run(&mut world));
    let panic = std::panic::catch_unwind(run).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(
        message.contains("system `systems::generic_names::fails<u8>`"),
        "{message}"
    );
}
