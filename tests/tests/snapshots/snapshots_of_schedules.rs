//! Snapshots that include the memory of the systems of schedules: the same runs after a return have the same effects.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{every, in_state, resource_changed, run_once};
use ecs_core::schedule::{FrameTime, fixed};
use ecs_core::snapshot::{RestoreError, Ring, Snapshotter};
use ecs_tests::counting::allocations;
use proptest::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(track)]
struct Body(u32);

#[derive(Component, Clone, Copy)]
struct Ghost;

#[derive(Clone, Debug, PartialEq)]
struct Hit(u32);

/// Everything that systems have noticed.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
struct Notes(Vec<(&'static str, u64)>);

#[derive(Resource, Clone, Copy)]
struct Wind(u32);

#[derive(SystemParam)]
struct Counted<'w, 's> {
    notes: ResMut<'w, Notes>,
    runs: Local<'s, u64>,
    names: Local<'s, Vec<u64>>,
}

#[system]
fn count(mut counted: Counted<'_, '_>) {
    *counted.runs += 1;
    let runs = *counted.runs;
    counted.names.push(runs * runs);
    let sum = counted.names.iter().sum();
    counted.notes.0.push(("count", sum));
}

#[system]
fn changed(bodies: Query<(Entity, &Body), Changed<Body>>, mut notes: ResMut<Notes>) {
    for (entity, body) in &bodies {
        let seen = u64::from(entity.index()) << 32 | u64::from(body.0);
        notes.0.push(("changed", seen));
    }
}

#[system]
fn gone(mut removed: Removed<Body>, mut notes: ResMut<Notes>) {
    for entity in removed.read() {
        notes.0.push(("gone", entity.index().into()));
    }
}

#[system]
fn hits(mut hits: EventReader<Hit>, mut notes: ResMut<Notes>) {
    for hit in hits.read() {
        notes.0.push(("hit", hit.0.into()));
    }
}

/// Reads one event of several in a run, so that some are always unread.
#[system]
fn first_hit(mut hits: EventReader<Hit>, mut notes: ResMut<Notes>) {
    if let Some(hit) = hits.read().next() {
        notes.0.push(("first", hit.0.into()));
    }
}

#[system]
fn seldom(mut notes: ResMut<Notes>) {
    notes.0.push(("seldom", 0));
}
#[system]
fn once(mut notes: ResMut<Notes>) {
    notes.0.push(("once", 0));
}
#[system]
fn windy(mut notes: ResMut<Notes>, wind: Res<Wind>) {
    notes.0.push(("windy", wind.0.into()));
}
#[system]
fn physics(mut notes: ResMut<Notes>) {
    notes.0.push(("physics", 0));
}
#[system]
fn inner(mut notes: ResMut<Notes>, mut runs: Local<u32>) {
    *runs += 1;
    notes.0.push(("inner", (*runs).into()));
}

fn world_and_schedule() -> (World, Schedule) {
    let mut world = World::new();
    world.insert_resource(Notes::default());
    world.insert_resource(Wind(0));
    world.insert_resource(FrameTime::default());
    world.add_event::<Hit>();
    let mut nested = Schedule::named("nested");
    nested.add(inner);
    let mut steps = Schedule::named("steps");
    steps.add(physics);
    let mut sim = Schedule::new();
    sim.add((
        count,
        changed,
        gone,
        (hits, first_hit),
        seldom.run_if(every(3).or(in_state(7_u8))),
        once.run_if(run_once()),
        windy.run_if(resource_changed::<Wind>()),
        nested.run_if(every(2)),
        fixed(Duration::from_millis(10), steps),
    ));
    sim.prepare(&mut world).unwrap();
    (world, sim)
}

fn snapshotter() -> Snapshotter {
    Snapshotter::new()
        .component::<Body>()
        .component::<Ghost>()
        .resource::<Notes>()
        .resource::<Wind>()
        .resource::<FrameTime>()
        .resource::<ecs_core::schedule::FixedTime>()
        .events::<Hit>()
        .local::<Vec<u64>>()
}

/// The events of a frame, before the schedule runs.
#[derive(Clone, Debug)]
enum Input {
    Spawn(u32),
    Despawn(usize),
    Write(usize, u32),
    Remove(usize),
    Hit(u32),
    Wind(u32),
    Nothing,
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        any::<u32>().prop_map(Input::Spawn),
        any::<usize>().prop_map(Input::Despawn),
        (any::<usize>(), any::<u32>()).prop_map(|(at, n)| Input::Write(at, n)),
        any::<usize>().prop_map(Input::Remove),
        any::<u32>().prop_map(Input::Hit),
        any::<u32>().prop_map(Input::Wind),
        Just(Input::Nothing),
    ]
}

fn frame(world: &mut World, sim: &mut Schedule, inputs: &[Input]) {
    for input in inputs {
        let mut bodies = Vec::from_iter(&world.query_filtered::<Entity, With<Body>>());
        bodies.sort_unstable();
        let body = |at: usize| (!bodies.is_empty()).then(|| bodies[at % bodies.len()]);
        match *input {
            Input::Spawn(n) => _ = world.spawn(Body(n)),
            Input::Despawn(at) => _ = body(at).map(|entity| world.despawn(entity).unwrap()),
            Input::Write(at, n) => {
                _ = body(at).map(|entity| world.get_mut::<Body>(entity).unwrap().0 = n);
            }
            Input::Remove(at) => _ = body(at).map(|entity| world.remove::<Body>(entity)),
            Input::Hit(n) => world.resource_mut::<Events<Hit>>().send(Hit(n)),
            Input::Wind(n) => world.resource_mut::<Wind>().0 = n,
            Input::Nothing => {}
        }
    }
    world.insert_resource(FrameTime {
        delta: Duration::from_millis(7),
    });
    sim.run(world).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(120)))]

    #[test]
    fn the_same_frames_after_a_return_do_the_same(
        frames in prop::collection::vec(prop::collection::vec(input(), 0..5), 3..20),
        back in 0_usize..20,
        other in prop::collection::vec(prop::collection::vec(input(), 0..5), 0..8),
    ) {
        let (mut world, mut sim) = world_and_schedule();
        let mut ring = Ring::new(snapshotter(), frames.len());
        for (number, inputs) in frames.iter().enumerate() {
            ring.take_with(number as u64, &mut world, &mut [&mut sim]).unwrap();
            frame(&mut world, &mut sim, inputs);
        }
        let expected = world.resource::<Notes>().clone();
        let back = back % frames.len();
        // Another future, which must leave no trace; then the same one, twice.
        for futures in [&other, &frames[back..].to_vec(), &frames[back..].to_vec()] {
            ring.restore_with(back as u64, &mut world, &mut [&mut sim]).unwrap();
            for inputs in futures {
                frame(&mut world, &mut sim, inputs);
            }
        }
        prop_assert_eq!(&*world.resource::<Notes>(), &expected);
    }
}

#[test]
fn each_of_the_systems_remembers_something() {
    let (mut world, mut sim) = world_and_schedule();
    let inputs = [
        Input::Spawn(1),
        Input::Hit(1),
        Input::Hit(2),
        Input::Wind(3),
    ];
    frame(&mut world, &mut sim, &inputs);
    let mut snapshot = snapshotter()
        .take_with(&mut world, &mut [&mut sim])
        .unwrap();
    let run = |world: &mut World, sim: &mut Schedule| {
        world.resource_mut::<Notes>().0.clear();
        for _ in 0..3 {
            frame(world, sim, &[]);
        }
        world.resource::<Notes>().clone()
    };
    let expected = run(&mut world, &mut sim);
    for name in ["count", "first", "seldom", "inner", "physics"] {
        assert!(expected.0.iter().any(|note| note.0 == name), "{name}");
    }
    assert_ne!(run(&mut world, &mut sim), expected, "without a return");
    snapshotter()
        .restore_with(&mut world, &mut [&mut sim], &mut snapshot)
        .unwrap();
    assert_eq!(run(&mut world, &mut sim), expected);
}

#[test]
fn what_cannot_be_copied_is_refused_by_name() {
    struct Secret(u32);
    impl Default for Secret {
        fn default() -> Self {
            Self(1)
        }
    }
    #[system]
    fn secretive(mut secret: Local<Secret>) {
        secret.0 += 1;
    }
    let mut world = World::new();
    let (calls, others, mut runs) = (vec![1], vec![2], 0_u32);
    let mut sim = Schedule::new();
    sim.add((
        secretive,
        from_fn(move |_: Entities| drop(calls.clone())),
        from_fn(move |_: &mut World| drop(others.clone())),
        secretive_too.run_if(move || {
            runs += 1;
            runs > 1
        }),
    ));
    #[system]
    fn secretive_too() {}
    let error = Snapshotter::new()
        .take_with(&mut world, &mut [&mut sim])
        .unwrap_err();
    assert_eq!(error.unprepared, 1);
    assert!(error.to_string().contains("a schedule is not prepared"));
    sim.prepare(&mut world).unwrap();
    let error = Snapshotter::new()
        .take_with(&mut world, &mut [&mut sim])
        .unwrap_err();
    assert_eq!(error.remembered.len(), 4, "{error}");
    let text = error.to_string();
    assert!(
        text.contains("secretive` remembers a value that cannot be copied: ")
            && text.contains("::Secret\n"),
        "{text}"
    );
    assert!(
        text.contains("values that its closure has captured"),
        "{text}"
    );
    assert!(text.contains("help: name the type of a `Local`"), "{text}");
    let error = Snapshotter::new()
        .without_captured()
        .take_with(&mut world, &mut [&mut sim])
        .unwrap_err();
    assert_eq!(error.remembered.len(), 1, "{error}");
}

#[test]
fn a_snapshot_returns_only_the_schedules_that_it_was_taken_with() {
    let (mut world, mut sim) = world_and_schedule();
    let mut snapshot = snapshotter()
        .take_with(&mut world, &mut [&mut sim])
        .unwrap();
    let mut other = Schedule::new();
    other.add(count);
    other.prepare(&mut world).unwrap();
    let refused = Err(RestoreError::OtherSchedules);
    let snapshotter = snapshotter();
    assert_eq!(snapshotter.restore(&mut world, &mut snapshot), refused);
    let returned = snapshotter.restore_with(&mut world, &mut [&mut other], &mut snapshot);
    assert_eq!(returned, refused);
    let schedules = &mut [&mut sim, &mut other];
    let returned = snapshotter.restore_with(&mut world, schedules, &mut snapshot);
    assert_eq!(returned, refused);
    let (mut elsewhere, mut its) = world_and_schedule();
    let returned = snapshotter.restore_with(&mut world, &mut [&mut its], &mut snapshot);
    assert_eq!(returned, refused, "a schedule of another world");
    let returned = snapshotter.restore_with(&mut elsewhere, &mut [&mut its], &mut snapshot);
    assert_eq!(returned, Err(RestoreError::OtherWorld));
    let returned = snapshotter.restore_with(&mut world, &mut [&mut sim], &mut snapshot);
    assert_eq!(returned, Ok(()));
}

thread_local! {
    static PANICS: Cell<bool> = const { Cell::new(false) };
}

#[derive(Default, Debug, PartialEq)]
struct Fragile(u32);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(!PANICS.get(), "this clone panics");
        Self(self.0)
    }
}

#[test]
fn a_clone_of_a_local_that_panics_changes_nothing() {
    #[system]
    fn step(mut all: ResMut<Notes>, mut fragile: Local<Fragile>, mut runs: Local<u64>) {
        fragile.0 += 1;
        *runs += 1;
        all.0.push(("runs", *runs * 100 + u64::from(fragile.0)));
    }
    let mut world = World::new();
    world.insert_resource(Notes::default());
    let mut sim = Schedule::new();
    sim.add(step);
    sim.run(&mut world).unwrap();
    let snapshotter = Snapshotter::new().resource::<Notes>().local::<Fragile>();
    let mut snapshot = snapshotter.take_with(&mut world, &mut [&mut sim]).unwrap();
    sim.run(&mut world).unwrap();
    PANICS.set(true);
    let returned = catch_unwind(AssertUnwindSafe(|| {
        snapshotter.restore_with(&mut world, &mut [&mut sim], &mut snapshot)
    }));
    assert!(returned.is_err());
    PANICS.set(false);
    sim.run(&mut world).unwrap();
    let notes = |world: &World| Vec::from_iter(world.resource::<Notes>().0.iter().map(|n| n.1));
    assert_eq!(notes(&world), [101, 202, 303]);
    for _ in 0..2 {
        snapshotter
            .restore_with(&mut world, &mut [&mut sim], &mut snapshot)
            .unwrap();
        sim.run(&mut world).unwrap();
        assert_eq!(notes(&world), [101, 202]);
    }
}

#[test]
fn a_full_ring_allocates_nothing() {
    let (mut world, mut sim) = world_and_schedule();
    world.spawn_batch((0..100).map(Body));
    let mut ring = Ring::new(snapshotter(), 4);
    let turn = |number: u64, world: &mut World, sim: &mut Schedule, ring: &mut Ring| {
        ring.take_with(number, world, &mut [&mut *sim]).unwrap();
    };
    for number in 0..12 {
        turn(number, &mut world, &mut sim, &mut ring);
        if number % 5 == 4 {
            ring.restore_with(number - 2, &mut world, &mut [&mut sim])
                .unwrap();
        }
    }
    let before = allocations();
    for number in 12..20 {
        turn(number, &mut world, &mut sim, &mut ring);
    }
    assert_eq!(allocations() - before, 0);
}
