//! Snapshots of only the data that a schedule can write: its runs after a return have the same effects, and everything
//! else stays.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use ecs_core::prelude::*;
use ecs_core::resource::ResourceMap;
use ecs_core::schedule::conditions::{every, in_state};
use ecs_core::schedule::{SchedulePlan, Transitions, fixed};
use ecs_core::snapshot::{RestoreError, Ring, Snapshotter};
use ecs_tests::counting::allocations;
use proptest::prelude::*;

thread_local! {
    /// The number of clones of `Path` before one panics.
    static CLONES_LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Place(i64);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(track)]
struct Speed(i64);

/// Written, with memory of its own.
#[derive(Component, Debug, PartialEq)]
struct Path(Arc<Vec<i64>>);

impl Clone for Path {
    fn clone(&self) -> Self {
        if let Some(left) = CLONES_LEFT.get() {
            assert!(left > 0, "this clone panics");
            CLONES_LEFT.set(Some(left - 1));
        }
        Self(self.0.clone())
    }
}

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse", track)]
struct Fuel(u32);

#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct Lit;

/// Read, and cannot be cloned.
#[derive(Component, Debug)]
struct Wall(u32);

/// Unknown to the schedule, and cannot be cloned.
#[derive(Component, Debug)]
#[component(storage = "sparse")]
struct Sprite(#[allow(dead_code, reason = "printed")] String);

/// Never cloned: nothing writes it.
#[derive(Resource)]
struct Screen;

#[derive(Resource, Clone, Copy)]
struct Wind(i64);

#[derive(Resource, Clone, Debug, Default, PartialEq)]
struct Score(Vec<i64>);

#[derive(Clone, Debug, PartialEq)]
struct Crash(i64);

#[system]
fn steer(mut speeds: Query<&mut Speed, Without<Wall>>, wind: Res<Wind>, mut runs: Local<i64>) {
    *runs += 1;
    for mut speed in &mut speeds {
        if (speed.0 + *runs) % 3 == 0 {
            speed.0 += wind.0;
        }
    }
}

#[system]
fn travel(mut bodies: Query<(&mut Place, &Speed)>) {
    for (place, speed) in &mut bodies {
        place.0 += speed.0;
    }
}

#[system]
fn note(mut paths: Query<(&mut Path, &Place)>) {
    for (path, place) in &mut paths {
        Arc::make_mut(&mut path.0).push(place.0);
    }
}

#[system]
fn burn(mut fuels: Query<(&Place, &mut Fuel)>) {
    for (place, mut fuel) in &mut fuels {
        if place.0 % 2 == 0 {
            fuel.0 = fuel.0.saturating_sub(1);
        }
    }
}

#[system]
fn crash(bodies: Query<(&Place, Option<&Wall>), Changed<Speed>>, mut crashes: EventWriter<Crash>) {
    for (place, wall) in &bodies {
        if place.0 % 5 == i64::from(wall.map_or(0, |wall| wall.0 % 5)) {
            crashes.send(Crash(place.0));
        }
    }
}

#[system]
fn count(mut crashes: EventReader<Crash>, mut score: ResMut<Score>) {
    // One is read, so that others stay unread.
    if let Some(crash) = crashes.read().next() {
        score.0.push(crash.0);
    }
}

fn sim() -> Schedule {
    let mut sim = Schedule::new();
    sim.add((steer, travel, note, burn.run_if(every(2)), crash, count).chain());
    sim
}

fn snapshotter(plan: &SchedulePlan) -> Snapshotter {
    let snapshotter = Snapshotter::new()
        .component::<Place>()
        .component::<Speed>()
        .component::<Path>()
        .component::<Fuel>()
        .resource::<Score>()
        .events::<Crash>();
    snapshotter.only_written_by(plan)
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Screen);
    world.insert_resource(Wind(1));
    world.insert_resource(Score::default());
    world.add_event::<Crash>();
    world
}

/// One change of the rows.
type Change = (u8, usize, i64);

fn change(world: &mut World, (kind, which, number): Change) {
    let entities: Vec<Entity> = world.query::<Entity>().iter().collect();
    let some = (!entities.is_empty()).then(|| entities[which % entities.len()]);
    let path = Path(Arc::new(vec![number]));
    match (kind, some) {
        (0, _) | (_, None) => _ = world.spawn((Place(number), Speed(number))),
        (1, _) => _ = world.spawn((Place(number), Speed(-number), path, Fuel(9))),
        (2, _) => _ = world.spawn(Wall(number as u32)),
        (3, Some(entity)) => world.despawn(entity).unwrap(),
        (4, Some(entity)) => world.insert(entity, Wall(number as u32)).unwrap(),
        (5, Some(entity)) => world.insert(entity, Fuel(number as u32)).unwrap(),
        (6, Some(entity)) => world.insert(entity, (Speed(number), path)).unwrap(),
        (7, Some(entity)) => world.remove::<Wall>(entity).unwrap(),
        (8, Some(entity)) => world.remove::<(Fuel, Speed)>(entity).unwrap(),
        (9, Some(entity)) => world.insert(entity, Sprite("x".to_owned())).unwrap(),
        (_, Some(entity)) => world.remove::<Sprite>(entity).unwrap(),
    }
}

/// Everything that the schedule writes.
fn written(world: &mut World) -> Vec<String> {
    world.check_invariants();
    type All<'a> = (
        Entity,
        Option<&'a Place>,
        Option<&'a Speed>,
        Option<&'a Path>,
        Option<&'a Fuel>,
    );
    let mut lines: Vec<String> = Vec::new();
    for row in &mut world.query::<All<'_>>() {
        lines.push(format!("{row:?}"));
    }
    for row in &mut world.query::<(Entity, &Fuel)>() {
        lines.push(format!("{row:?}"));
    }
    lines.push(format!("{:?}", *world.resource::<Score>()));
    lines
}

/// Everything else.
fn unwritten(world: &mut World) -> Vec<String> {
    let walls = world.query::<(Entity, Option<&Wall>, Option<&Sprite>)>();
    let mut lines: Vec<String> = walls.iter().map(|row| format!("{row:?}")).collect();
    lines.push(world.resource::<Wind>().0.to_string());
    lines
}

/// The entities with written components, in order, with the other components that tables depend on.
fn rows(world: &World) -> Vec<String> {
    type All<'a> = (
        Entity,
        Option<&'a Place>,
        Option<&'a Speed>,
        Option<&'a Path>,
        Option<&'a Wall>,
    );
    let mut lines: Vec<String> = Vec::new();
    for row in &mut world.query::<All<'_>>() {
        let has = [
            row.1.is_some(),
            row.2.is_some(),
            row.3.is_some(),
            row.4.is_some(),
        ];
        if has[..3].contains(&true) {
            lines.push(format!("{} {has:?}", row.0));
        }
    }
    for entity in &mut world.query::<(Entity, &Fuel)>() {
        lines.push(format!("{}", entity.0));
    }
    lines
}

fn run(world: &mut World, sim: &mut Schedule, winds: &[i64], threads: bool) {
    for &wind in winds {
        world.resource_mut::<Wind>().0 = wind;
        // Miri does not know the thread pool's casts.
        match threads && !cfg!(miri) {
            true => sim.run(world).unwrap(),
            false => sim.run_seq(world).unwrap(),
        }
    }
}

fn changes(len: usize) -> impl Strategy<Value = Vec<Change>> {
    proptest::collection::vec((0..11_u8, 0..40_usize, 0..100_i64), 0..len)
}

fn winds() -> impl Strategy<Value = Vec<i64>> {
    proptest::collection::vec(-3..4_i64, 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_runs_do_the_same_after_a_return(
        past in changes(40),
        before in winds(),
        future in winds(),
        again in winds(),
        threads in any::<bool>(),
    ) {
        let (mut world, mut sim) = (world(), sim());
        for &next in &past {
            change(&mut world, next);
        }
        let snapshotter = snapshotter(sim.plan().unwrap());
        prop_assert!(!snapshotter.is_whole());
        sim.prepare(&mut world).unwrap();
        run(&mut world, &mut sim, &before, threads);
        let mut snapshot = snapshotter.take_with(&mut world, &mut [&mut sim]).unwrap();
        let there = written(&mut world);
        run(&mut world, &mut sim, &future, threads);
        let end = written(&mut world);
        // Several times, with all buffers in use.
        for _ in 0..2 {
            run(&mut world, &mut sim, &again, threads);
            let others = unwritten(&mut world);
            snapshotter.restore_with(&mut world, &mut [&mut sim], &mut snapshot).unwrap();
            prop_assert_eq!(&written(&mut world), &there);
            prop_assert_eq!(unwritten(&mut world), others);
            run(&mut world, &mut sim, &future, threads);
            prop_assert_eq!(&written(&mut world), &end);
        }
        snapshotter.restore_with(&mut world, &mut [&mut sim], &mut snapshot).unwrap();
        snapshotter.take_into_with(&mut world, &mut [&mut sim], &mut snapshot).unwrap();
        run(&mut world, &mut sim, &again, threads);
        snapshotter.restore_with(&mut world, &mut [&mut sim], &mut snapshot).unwrap();
        prop_assert_eq!(written(&mut world), there);
    }

    #[test]
    fn a_world_with_other_rows_is_refused_and_stays_as_it_is(
        past in changes(30),
        since in changes(4),
    ) {
        let (mut world, mut sim) = (world(), sim());
        for &next in &past {
            change(&mut world, next);
        }
        let snapshotter = snapshotter(sim.plan().unwrap());
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        let (rows_then, there) = (rows(&world), written(&mut world));
        for &next in &since {
            change(&mut world, next);
        }
        sim.run(&mut world).unwrap();
        let (now, others) = (written(&mut world), unwritten(&mut world));
        let restored = snapshotter.restore(&mut world, &mut snapshot);
        prop_assert_eq!(unwritten(&mut world), others);
        if rows(&world) == rows_then {
            prop_assert_eq!(restored, Ok(()));
            // Entities without any of it come and go between the others.
            let has_values = |line: &String| !line.contains("None, None, None, None");
            let values = |lines: Vec<String>| lines.into_iter().filter(has_values).collect::<Vec<_>>();
            prop_assert_eq!(values(written(&mut world)), values(there));
        } else {
            prop_assert_eq!(restored, Err(RestoreError::OtherRows));
            prop_assert_eq!(written(&mut world), now);
        }
    }

    #[test]
    fn a_clone_that_panics_changes_nothing(past in changes(30), clones in 0..6_u32) {
        let (mut world, mut sim) = (world(), sim());
        for &next in &past {
            change(&mut world, next);
        }
        let snapshotter = snapshotter(sim.plan().unwrap());
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        let there = written(&mut world);
        sim.run(&mut world).unwrap();
        let now = written(&mut world);
        CLONES_LEFT.set(Some(clones));
        let restored = catch_unwind(AssertUnwindSafe(|| snapshotter.restore(&mut world, &mut snapshot)));
        CLONES_LEFT.set(None);
        prop_assert_eq!(&written(&mut world), if restored.is_ok() { &there } else { &now });
        snapshotter.restore(&mut world, &mut snapshot).unwrap();
        prop_assert_eq!(written(&mut world), there);
    }
}

#[test]
fn values_of_a_component_that_came_later_are_not_forgotten() {
    let (mut world, mut sim) = (World::new(), sim());
    let snapshotter = snapshotter(sim.plan().unwrap());
    let mut snapshot = snapshotter.take(&mut world).unwrap();
    world.spawn(Wall(1));
    assert_eq!(snapshotter.restore(&mut world, &mut snapshot), Ok(()));
    let entity = world.spawn(Fuel(1));
    let restored = snapshotter.restore(&mut world, &mut snapshot);
    assert_eq!(restored, Err(RestoreError::OtherRows));
    assert_eq!(
        restored.unwrap_err().to_string(),
        "the snapshot has the values that schedules can write, and other entities have them now; \
         help: spawn, despawn, insert and remove outside of the rolled back schedules, or take snapshots without `only_written_by`"
    );
    world.remove::<Fuel>(entity).unwrap();
    assert_eq!(snapshotter.restore(&mut world, &mut snapshot), Ok(()));
}

#[test]
fn only_what_is_written_has_to_be_copied() {
    #[derive(Component)]
    struct Handle;
    #[system]
    fn hold(_: Query<&mut Handle>, _: ResMut<Screen>) {}
    let (mut world, mut sim) = (world(), Schedule::new());
    sim.add(hold);
    world.spawn((Handle, Wall(1)));
    let snapshotter = Snapshotter::new().only_written_by(sim.plan().unwrap());
    let error = snapshotter.take(&mut world).unwrap_err();
    assert_eq!(error.components.len(), 1);
    assert!(error.components[0].ends_with("Handle"), "{error}");
    assert_eq!(error.resources.len(), 1);
    assert!(error.resources[0].ends_with("Screen"), "{error}");
    // A second schedule adds its written components.
    let snapshotter = Snapshotter::new().only_written_by(Schedule::new().plan().unwrap());
    let mut empty = snapshotter.take(&mut world).unwrap();
    let _ = world.spawn(Handle);
    snapshotter.restore(&mut world, &mut empty).unwrap();
    let both = snapshotter.only_written_by(sim.plan().unwrap());
    assert!(both.take(&mut world).is_err());
}

#[test]
fn systems_that_can_change_rows_make_snapshots_whole() {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    enum Mode {
        #[default]
        Play,
    }
    #[system]
    fn by_commands(_: Commands) {}
    #[system]
    fn by_world(_: &mut World) {}
    #[system]
    fn by_reference(_: &World) {}
    // It may spawn anything: the list is a promise, and no copy is left out for it.
    #[system]
    fn by_declared(_: Commands<Lit>) {}
    #[system]
    fn by_ids(_: Entities) {}
    #[system]
    fn of_removals(_: Removed<Speed>) {}
    #[system]
    fn by_view(_: CompMut<Lit>) {}
    #[system]
    fn of_view(_: CompMut<Fuel>, _: Query<&mut Lit>) {}
    #[system]
    fn resources(_: &ResourceMap) {}
    #[system]
    fn reads(_: Query<(&Place, Option<&Speed>), With<Wall>>, _: Res<Wind>) {}
    fn is_whole<M>(systems: impl IntoConfigs<M>) -> bool {
        let mut schedule = Schedule::new();
        schedule.add(systems);
        let plan = schedule.plan().unwrap();
        Snapshotter::new().only_written_by(plan).is_whole()
    }
    assert!(is_whole(by_commands) && is_whole(by_world) && is_whole(by_reference));
    assert!(is_whole(by_declared) && is_whole(by_ids) && is_whole(of_removals));
    World::new().spawn(Lit);
    assert!(is_whole(by_view) && !is_whole(of_view));
    assert!(!is_whole(reads) && !is_whole(resources) && !is_whole(travel.run_if(every(2))));
    let nested = || {
        let mut inner = Schedule::new();
        inner.add(travel);
        inner
    };
    assert!(!is_whole(nested()));
    assert!(!is_whole(fixed(Duration::from_millis(10), nested())));
    let mut with_commands = nested();
    with_commands.add(by_commands);
    assert!(is_whole((reads, with_commands)));
    let is_removed = |_: Removed<Speed>| true;
    assert!(is_whole(travel.run_if(is_removed)));
    let mut transitions = Transitions::new();
    transitions.add_state(Mode::Play);
    transitions.on_enter(Mode::Play, travel);
    assert!(is_whole(transitions));
    assert!(!is_whole(travel.run_if(in_state(Mode::Play))));
}

#[test]
fn a_map_of_resources_writes_all_of_them() {
    #[system]
    fn score(resources: &ResourceMap) {
        resources.borrow_mut::<Score>().0.push(1);
    }
    let (mut world, mut sim) = (world(), Schedule::new());
    sim.add(score);
    let snapshotter = Snapshotter::new()
        .resource::<Score>()
        .resource::<Wind>()
        .without_other_resources()
        .only_written_by(sim.plan().unwrap());
    let place = world.spawn(Place(1));
    let mut snapshot = snapshotter.take(&mut world).unwrap();
    sim.run(&mut world).unwrap();
    world.get_mut::<Place>(place).unwrap().0 = 2;
    snapshotter.restore(&mut world, &mut snapshot).unwrap();
    assert_eq!(*world.resource::<Score>(), Score(Vec::new()));
    assert_eq!(world.get::<Place>(place).unwrap().0, 2);
}

#[test]
fn events_that_are_only_read_are_read_again() {
    let (mut world, mut sim) = (world(), Schedule::new());
    sim.add(count);
    let snapshotter = snapshotter(sim.plan().unwrap());
    sim.prepare(&mut world).unwrap();
    for number in 0..3 {
        world.resource_mut::<Events<Crash>>().send(Crash(number));
    }
    sim.run(&mut world).unwrap();
    let schedules = &mut [&mut sim];
    let mut snapshot = snapshotter.take_with(&mut world, schedules).unwrap();
    for _ in 0..2 {
        for _ in 0..5 {
            sim.run(&mut world).unwrap();
        }
        assert_eq!(world.resource::<Score>().0, [0, 1, 2]);
        world.resource_mut::<Events<Crash>>().clear();
        let schedules = &mut [&mut sim];
        let restored = snapshotter.restore_with(&mut world, schedules, &mut snapshot);
        assert_eq!(restored, Ok(()));
        assert_eq!(world.resource::<Score>().0, [0]);
    }
}

#[test]
fn a_full_ring_allocates_nothing() {
    #[system]
    fn fall(mut places: Query<&mut Place>, mut fuels: Query<&mut Fuel>) {
        places.iter_mut().for_each(|place| place.0 -= 1);
        fuels.iter_mut().for_each(|mut fuel| fuel.0 += 1);
    }
    let (mut world, mut sim) = (world(), Schedule::new());
    world.spawn_batch((0..100).map(|n| (Place(n), Wall(n as u32))));
    world.spawn_batch((0..100).map(|n| (Place(n), Fuel(n as u32))));
    sim.add(fall);
    let snapshotter = Snapshotter::new()
        .component::<Place>()
        .component::<Fuel>()
        .only_written_by(sim.plan().unwrap());
    let mut ring = Ring::new(snapshotter, 4);
    let mut frames = |world: &mut World, from: u64, to: u64| {
        for frame in from..to {
            ring.take(frame, world).unwrap();
            sim.run_seq(world).unwrap();
            if frame % 3 == 2 {
                ring.restore(frame - 1, world).unwrap();
                ring.take(frame - 1, world).unwrap();
                ring.take(frame, world).unwrap();
            }
        }
    };
    frames(&mut world, 0, 12);
    let before = allocations();
    frames(&mut world, 12, 60);
    assert_eq!(allocations() - before, 0);
}
