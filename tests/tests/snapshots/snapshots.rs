//! Snapshots: a world that returns to one has the same future again, whatever happened since.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::CommandQueue;
use ecs_core::data::WorldData as _;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::snapshot::{RestoreError, Ring, Snapshot, Snapshotter};
use ecs_core::view::RemovedCursor;
use ecs_core::world::Layout;
use ecs_core::world::hooks::OnInsert;
use ecs_tests::counting::allocations;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

thread_local! {
    /// The values of `Text` that exist.
    static TEXTS: Cell<isize> = const { Cell::new(0) };
    /// The number of clones of `Text` before one panics.
    static CLONES_LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "place")]
struct Place(i64, u8);

/// Counts its values, and panics when it is cloned, if a test asks for that.
#[derive(Component, Debug, PartialEq)]
struct Text(Vec<u8>);

impl Text {
    fn new(text: Vec<u8>) -> Self {
        TEXTS.set(TEXTS.get() + 1);
        Self(text)
    }
}

impl Clone for Text {
    fn clone(&self) -> Self {
        if let Some(left) = CLONES_LEFT.get() {
            assert!(left > 0, "this clone panics");
            CLONES_LEFT.set(Some(left - 1));
        }
        Self::new(self.0.clone())
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        TEXTS.set(TEXTS.get() - 1);
    }
}

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "tracked", track)]
struct Watched(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "sparse", storage = "sparse")]
struct Fast(u16);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse", track)]
struct Notes(Vec<u32>);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "lit", storage = "sparse", immediate)]
struct Lit;

#[derive(Relation, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "part", tree, sources = "despawn")]
struct PartOf(u8);

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "likes", many)]
struct Likes(String);

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "score")]
struct Score(Vec<u32>);

#[derive(Clone, Debug, PartialEq)]
struct Hit(u32);

/// A component for each number, to get many tables.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Kind<const N: usize>(u32);

fn snapshotter() -> Snapshotter {
    Snapshotter::new()
        .component::<Text>()
        .component::<Notes>()
        .component::<Kind<0>>()
        .component::<Kind<1>>()
        .component::<Kind<2>>()
        .resource::<u64>()
        .events::<Hit>()
}

fn world() -> World {
    let mut world = World::new();
    world.register_data_resource::<Score>();
    world.insert_resource(Score(Vec::new()));
    world.insert_resource(0_u64);
    world.add_event::<Hit>();
    world
}

/// One step of a program. Its effect depends only on the world and the numbers.
type Step = (u8, usize, u32);

fn step(world: &mut World, log: &mut Vec<String>, (kind, which, number): Step) {
    let entities: Vec<Entity> = world.query::<Entity>().iter().collect();
    let some =
        |offset: usize| (!entities.is_empty()).then(|| entities[(which + offset) % entities.len()]);
    let Some(entity) = some(0) else {
        log.push(format!("spawned {}", world.spawn(Place(0, 1))));
        return;
    };
    let other = some(1 + number as usize % 5).unwrap();
    match kind {
        0 => log.push(format!(
            "spawned {}",
            world.spawn(Place(i64::from(number), 2))
        )),
        1 => log.push(format!(
            "spawned {}",
            world.spawn((Text::new(vec![number as u8; 3]), Watched(number)))
        )),
        2 => {
            let batch = (0..number % 5).map(|n| (Place(i64::from(n), 3), Kind::<0>(n)));
            log.push(format!("spawned {:?}", world.spawn_batch(batch)));
        }
        3 | 4 => world.despawn(entity).unwrap(),
        5 => world.insert(entity, Text::new(vec![number as u8])).unwrap(),
        6 => world.insert(entity, Watched(number)).unwrap(),
        7 => world.insert(entity, Fast(number as u16)).unwrap(),
        8 => world.insert(entity, Notes(vec![number])).unwrap(),
        9 => drop(world.view_mut::<Lit>().insert(entity, Lit)),
        10 => world.insert(entity, Kind::<1>(number)).unwrap(),
        11 => world.insert(entity, Kind::<2>(number)).unwrap(),
        12 => world.remove::<(Text, Fast)>(entity).unwrap(),
        13 => world.remove::<(Watched, Notes)>(entity).unwrap(),
        14 => world.remove::<(Place, Kind<1>)>(entity).unwrap(),
        15 => log.push(format!(
            "{:?}",
            world.relate(entity, PartOf(number as u8), other).is_ok()
        )),
        16 | 17 if entity != other => world
            .relate(entity, Likes(number.to_string()), other)
            .unwrap(),
        18 => log.push(format!("{:?}", world.unrelate::<Likes>(entity, other))),
        19 => {
            let mut places = world.query::<&mut Place>();
            places
                .iter_mut()
                .for_each(|place| place.0 += i64::from(number));
        }
        20 => {
            for mut watched in &mut world.query::<&mut Watched>() {
                if watched.0 % 2 == number % 2 {
                    watched.0 += 1;
                }
            }
        }
        21 => {
            let mut score = world.resource_mut::<Score>();
            score.0.push(number);
        }
        22 => drop(world.remove_resource::<u64>()),
        23 => drop(world.insert_resource(u64::from(number))),
        24 => world.resource_mut::<Events<Hit>>().send(Hit(number)),
        25 => log.push(format!("reserved {}", world.reserve_entity())),
        26 => world
            .set_layout(&Layout::new().group::<(Fast, Notes)>())
            .unwrap(),
        27 if number % 4 == 0 => world.clear(),
        _ => {}
    }
}

/// Describes everything in a world that a program can see, in the order of iteration.
fn dump(world: &mut World) -> Vec<String> {
    world.flush();
    world.check_invariants();
    let mut lines = vec![format!("{:?}", world.registered_components())];
    type All<'a> = (
        Entity,
        Option<&'a Place>,
        Option<&'a Text>,
        Option<&'a Watched>,
        Option<&'a Fast>,
        Option<&'a Notes>,
    );
    for row in &mut world.query::<All<'_>>() {
        lines.push(format!("{row:?}"));
    }
    for row in &mut world.query::<(Entity, Option<&Kind<0>>, Option<&Kind<1>>, Option<&Kind<2>>)>()
    {
        lines.push(format!("{row:?}"));
    }
    for row in &mut world.query::<(Entity, &Fast, &Notes)>() {
        lines.push(format!("grouped {row:?}"));
    }
    for row in &mut world.query::<(Entity, &Lit)>() {
        lines.push(format!("{row:?}"));
    }
    for row in &mut world.query::<(Entity, &Target<PartOf>)>() {
        lines.push(format!("{row:?}"));
    }
    for (entity, sources) in &mut world.query::<(Entity, &Sources<PartOf>)>() {
        lines.push(format!("{entity} {:?}", sources.as_slice()));
    }
    for (entity, targets) in &mut world.query::<(Entity, &Targets<Likes>)>() {
        lines.push(format!("{entity} {:?}", targets.iter().collect::<Vec<_>>()));
    }
    for (entity, sources) in &mut world.query::<(Entity, &Sources<Likes>)>() {
        lines.push(format!("{entity} {:?}", sources.as_slice()));
    }
    lines.push(format!("{:?}", *world.resource::<Score>()));
    lines.push(format!(
        "{:?}",
        world.get_resource::<u64>().map(|value| *value)
    ));
    lines.push(format!("{:?}", *world.resource::<Events<Hit>>()));
    lines
}

fn run(world: &mut World, steps: &[Step]) -> Vec<String> {
    let mut log = Vec::new();
    for &next in steps {
        step(world, &mut log, next);
        world.check_invariants();
    }
    log.append(&mut dump(world));
    log
}

fn steps(len: usize) -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((0..28_u8, 0..40_usize, 0..1000_u32), 0..len)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(150), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_program_has_the_same_results_after_a_return(
        past in steps(40),
        discarded in steps(40),
        future in steps(40),
    ) {
        let snapshotter = snapshotter();
        {
            let mut rolled_back = world();
            let before = run(&mut rolled_back, &past);
            let mut snapshot = snapshotter.take(&mut rolled_back).unwrap();
            run(&mut rolled_back, &discarded);
            snapshotter.restore(&mut rolled_back, &mut snapshot).unwrap();
            let mut straight = world();
            prop_assert_eq!(&run(&mut straight, &past), &before);
            prop_assert_eq!(dump(&mut rolled_back), dump(&mut straight));
            let expected = run(&mut straight, &future);
            prop_assert_eq!(run(&mut rolled_back, &future), &expected[..]);
            // A second time, with all buffers in use.
            snapshotter.restore(&mut rolled_back, &mut snapshot).unwrap();
            prop_assert_eq!(run(&mut rolled_back, &future), expected);
        }
        prop_assert_eq!(TEXTS.get(), 0);
    }

    #[test]
    fn a_world_returns_to_any_of_several_snapshots(
        programs in proptest::collection::vec(steps(15), 1..6),
        returns in proptest::collection::vec((0..6_usize, steps(10), any::<bool>()), 0..8),
    ) {
        let snapshotter = snapshotter();
        {
            let mut world = world();
            let mut taken: Vec<(Snapshot, Vec<String>)> = Vec::new();
            for program in &programs {
                run(&mut world, program);
                let snapshot = snapshotter.take(&mut world).unwrap();
                taken.push((snapshot, dump(&mut world)));
            }
            for (which, program, retake) in &returns {
                let which = which % taken.len();
                let (snapshot, expected) = &mut taken[which];
                snapshotter.restore(&mut world, snapshot).unwrap();
                prop_assert_eq!(&dump(&mut world), &*expected);
                run(&mut world, program);
                if *retake {
                    snapshotter.take_into(&mut world, snapshot).unwrap();
                    *expected = dump(&mut world);
                }
            }
        }
        prop_assert_eq!(TEXTS.get(), 0);
    }

    #[test]
    fn a_clone_that_panics_changes_nothing(
        past in steps(30),
        discarded in steps(30),
        clones in 0..12_u32,
    ) {
        let snapshotter = snapshotter();
        {
            let mut world = world();
            let before = run(&mut world, &past);
            let mut snapshot = snapshotter.take(&mut world).unwrap();
            let now = run(&mut world, &discarded);
            CLONES_LEFT.set(Some(clones));
            let restored = catch_unwind(AssertUnwindSafe(|| snapshotter.restore(&mut world, &mut snapshot)));
            CLONES_LEFT.set(None);
            world.check_invariants();
            let there = dump(&mut world);
            if restored.is_err() {
                prop_assert!(now.ends_with(&there));
                let mut other = snapshotter.take(&mut world).unwrap();
                CLONES_LEFT.set(Some(clones));
                let taken = catch_unwind(AssertUnwindSafe(|| snapshotter.take_into(&mut world, &mut other)));
                CLONES_LEFT.set(None);
                prop_assert_eq!(other.is_complete(), taken.is_ok());
                if !other.is_complete() {
                    let error = snapshotter.restore(&mut world, &mut other);
                    prop_assert_eq!(error, Err(RestoreError::Incomplete));
                }
                prop_assert_eq!(&dump(&mut world), &there);
                snapshotter.restore(&mut world, &mut snapshot).unwrap();
                prop_assert!(before.ends_with(&dump(&mut world)));
            } else {
                prop_assert!(before.ends_with(&there));
            }
        }
        prop_assert_eq!(TEXTS.get(), 0);
    }
}

#[test]
fn what_cannot_be_copied_is_refused_by_name() {
    #[derive(Component)]
    struct Handle;
    #[derive(Resource)]
    struct Window;
    let mut world = World::new();
    world.insert_resource(Window);
    let entity = world.spawn((Handle, Text::new(vec![1])));
    let error = Snapshotter::new().take(&mut world).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the component `snapshots::snapshots::what_cannot_be_copied_is_refused_by_name::Handle` cannot be copied: entity {entity} has it\n\
             the component `snapshots::snapshots::Text` cannot be copied: entity {entity} has it\n\
             the resource `snapshots::snapshots::what_cannot_be_copied_is_refused_by_name::Window` cannot be copied\n\
             help: make the component data (`#[component(data = \"snapshots.handle\")]`), or name it in `Snapshotter::component` or \
             `Snapshotter::without`\n\
             help: name the resource in `Snapshotter::resource`, events in `Snapshotter::events`, or either in `Snapshotter::without_resource`, or leave out all such with \
             `without_other_resources`"
        )
    );
    world.remove::<Handle>(entity).unwrap();
    let snapshotter = Snapshotter::new().component::<Text>();
    assert!(snapshotter.clone().take(&mut world).is_err());
    snapshotter
        .clone()
        .without_resource::<Window>()
        .take(&mut world)
        .unwrap();
    snapshotter
        .without_other_resources()
        .take(&mut world)
        .unwrap();
}

#[test]
fn what_is_left_out_stays_with_the_living() {
    #[derive(Component, Debug, PartialEq)]
    #[component(storage = "sparse")]
    struct Sprite(u32);
    let mut world = World::new();
    let snapshotter = Snapshotter::new().without::<Sprite>();
    let early = world.spawn(Place(0, 0));
    let mut before = snapshotter.take(&mut world).unwrap();
    world.insert(early, (Fast(1), Sprite(0))).unwrap();
    snapshotter.restore(&mut world, &mut before).unwrap();
    assert_eq!(*world.get::<Sprite>(early).unwrap(), Sprite(0));
    assert!(!world.has::<Fast>(early));
    let [stays, goes] = [1, 2].map(|number| world.spawn((Place(0, 0), Sprite(number))));
    let mut snapshot = snapshotter.take(&mut world).unwrap();
    world.despawn(goes).unwrap();
    world.get_mut::<Sprite>(stays).unwrap().0 = 7;
    let new = world.spawn(Sprite(3));
    snapshotter.restore(&mut world, &mut snapshot).unwrap();
    world.check_invariants();
    assert_eq!(*world.get::<Sprite>(stays).unwrap(), Sprite(7));
    assert!(world.contains(goes) && !world.has::<Sprite>(goes));
    assert!(!world.contains(new));
}

#[test]
fn a_snapshot_is_of_one_world() {
    let (mut one, mut other) = (World::new(), World::new());
    let snapshotter = Snapshotter::new();
    let mut snapshot = snapshotter.take(&mut one).unwrap();
    let error = snapshotter.restore(&mut other, &mut snapshot);
    assert_eq!(error, Err(RestoreError::OtherWorld));
    let error = snapshotter.restore(&mut one, &mut Snapshot::new());
    assert_eq!(error, Err(RestoreError::Incomplete));
    std::mem::swap(&mut one, &mut other);
    snapshotter.restore(&mut other, &mut snapshot).unwrap();
}

#[test]
fn buffers_are_used_again() {
    let mut world = world();
    let batch = (0..1000).map(|n| (Place(n, 0), Watched(n as u32)));
    let entities = world.spawn_batch(batch).to_vec();
    for &entity in &entities[..100] {
        world.insert(entity, Fast(1)).unwrap();
        world.relate(entity, PartOf(1), entities[500]).unwrap();
    }
    let snapshotter = snapshotter();
    let mut snapshot = snapshotter.take(&mut world).unwrap();
    snapshotter.restore(&mut world, &mut snapshot).unwrap();
    snapshotter.take_into(&mut world, &mut snapshot).unwrap();
    let before = allocations();
    for _ in 0..10 {
        snapshotter.restore(&mut world, &mut snapshot).unwrap();
        snapshotter.take_into(&mut world, &mut snapshot).unwrap();
    }
    assert_eq!(allocations() - before, 0);
}

#[test]
fn ticks_are_as_old_as_they_were_and_new_changes_are_newer() {
    let mut world = World::new();
    let [early, late] = [1, 2].map(|number| world.spawn(Watched(number)));
    let start = world.tick();
    world.get_mut::<Watched>(late).unwrap().0 += 1;
    let snapshotter = Snapshotter::new();
    let mut snapshot = snapshotter.take(&mut world).unwrap();
    for _ in 0..100 {
        world.get_mut::<Watched>(early).unwrap().0 += 1;
    }
    let discarded = world.tick();
    snapshotter.restore(&mut world, &mut snapshot).unwrap();
    let changed = |world: &World, since| {
        let watched = world.view::<Watched>().since(since);
        [early, late].map(|entity| watched.is_changed(entity))
    };
    // A system that last ran before the snapshot sees the changes until then; a system that ran later has seen them
    // all.
    assert_eq!(changed(&world, start), [false, true]);
    assert_eq!(changed(&world, discarded), [false, false]);
    let now = world.tick();
    assert!(now > discarded);
    world.get_mut::<Watched>(early).unwrap().0 += 1;
    assert_eq!(changed(&world, now), [true, false]);
}

#[test]
fn removals_and_events_count_as_read_after_a_return() {
    let mut world = world();
    let entities = [1, 2, 3].map(|number| world.spawn(Watched(number)));
    let mut removed = RemovedCursor::<Watched>::default();
    assert!(world.removed(&mut removed).is_empty());
    world.despawn(entities[0]).unwrap();
    let snapshotter = snapshotter();
    let mut snapshot = snapshotter.take(&mut world).unwrap();
    world.despawn(entities[1]).unwrap();
    assert_eq!(world.removed(&mut removed).read().count(), 2);
    snapshotter.restore(&mut world, &mut snapshot).unwrap();
    assert!(world.removed(&mut removed).is_empty());
    world.despawn(entities[2]).unwrap();
    assert!(world.removed(&mut removed).read().eq([entities[2]]));
}

#[test]
fn commands_that_wait_are_applied_before_a_snapshot_and_dropped_by_a_return() {
    let mut world = World::new();
    let queue = |world: &World, number| {
        let mut queue = CommandQueue::new();
        queue.push(move |world: &mut World| {
            world.insert_resource::<u64>(number);
        });
        world.defer(&mut queue);
    };
    queue(&world, 1);
    let snapshotter = Snapshotter::new().resource::<u64>();
    let mut snapshot = snapshotter.take(&mut world).unwrap();
    assert_eq!(*world.resource::<u64>(), 1);
    queue(&world, 2);
    snapshotter.restore(&mut world, &mut snapshot).unwrap();
    world.flush();
    assert_eq!(*world.resource::<u64>(), 1);
}

#[test]
fn observers_stay_and_are_not_called() {
    let mut world = World::new();
    world.insert_resource(0_u64);
    world.observe(|_: OnInsert<Place>, mut count: ResMut<u64>| *count += 1);
    let snapshotter = Snapshotter::new().without_resource::<u64>();
    let mut before = snapshotter.take(&mut world).unwrap();
    world.spawn((Place(1, 1), Fast(1)));
    let mut after = snapshotter.take(&mut world).unwrap();
    snapshotter.restore(&mut world, &mut before).unwrap();
    snapshotter.restore(&mut world, &mut after).unwrap();
    assert_eq!(*world.resource::<u64>(), 1);
    snapshotter.restore(&mut world, &mut before).unwrap();
    // The component is registered again, and the observer knows it.
    world.observe(|_: OnInsert<Fast>, mut count: ResMut<u64>| *count += 10);
    snapshotter.restore(&mut world, &mut before).unwrap();
    world.spawn((Fast(1), Place(1, 1)));
    world.check_invariants();
    assert_eq!(*world.resource::<u64>(), 12);
}

#[test]
fn a_ring_has_the_last_frames_and_replaces_those_that_run_again() {
    let mut world = world();
    let entity = world.spawn(Place(0, 0));
    let mut ring = Ring::new(snapshotter(), 3);
    let place = |world: &World| world.get::<Place>(entity).unwrap().0;
    for frame in 10..16 {
        ring.take(frame, &mut world).unwrap();
        world.get_mut::<Place>(entity).unwrap().0 += 1;
    }
    assert!(ring.frames().eq([13, 14, 15]));
    let error = ring.restore(12, &mut world).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the ring has no snapshot of frame 12; help: make the ring longer, or take a snapshot before each frame"
    );
    assert_eq!(place(&world), 6);
    ring.restore(13, &mut world).unwrap();
    assert_eq!(place(&world), 3);
    ring.restore(15, &mut world).unwrap();
    assert_eq!(place(&world), 5);
    ring.take(14, &mut world).unwrap();
    assert!(ring.frames().eq([13, 14]));
    ring.restore(14, &mut world).unwrap();
    assert_eq!(place(&world), 5);
    // A component that cannot be copied leaves the ring unchanged.
    #[derive(Component)]
    struct Handle;
    ring.take(15, &mut world).unwrap();
    let with_handle = world.spawn(Handle);
    assert!(ring.take(16, &mut world).is_err());
    assert!(ring.frames().eq([13, 14, 15]));
    world.despawn(with_handle).unwrap();
    ring.restore(13, &mut world).unwrap();
    assert_eq!(place(&world), 3);
}

#[test]
fn a_full_ring_allocates_nothing() {
    let mut world = world();
    let batch = (0..100).map(|n| (Place(n, 0), Watched(n as u32)));
    world.spawn_batch(batch);
    let mut ring = Ring::new(snapshotter(), 4);
    let mut frames = |world: &mut World, from: u64, to: u64| {
        for frame in from..to {
            ring.take(frame, world).unwrap();
            world
                .query::<&mut Place>()
                .iter_mut()
                .for_each(|place| place.0 += 1);
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

#[test]
fn a_member_of_a_group_cannot_be_left_out_of_a_whole_snapshot() {
    let mut world = World::builder().group::<(Fast, Notes)>().build();
    world.spawn((Fast(1), Notes(vec![2])));
    let snapshotter = Snapshotter::new().without::<Fast>().component::<Notes>();
    let error = snapshotter.take(&mut world).unwrap_err().to_string();
    assert!(error.contains("`sparse` cannot be left out"), "{error}");
}

#[test]
fn events_are_read_once_after_a_return_whether_they_were_named_as_events_or_as_a_resource() {
    #[derive(Clone)]
    struct Rang(u32);
    #[system]
    fn read(mut rang: EventReader<Rang>) -> Vec<u32> {
        rang.read().map(|rang| rang.0).collect()
    }
    for snapshotter in [
        Snapshotter::new().events::<Rang>(),
        Snapshotter::new().resource::<Events<Rang>>(),
    ] {
        let (mut world, mut schedule) = (World::new(), Schedule::new());
        world.add_event::<Rang>();
        schedule.add(|| {});
        schedule.prepare(&mut world).unwrap();
        let reader = world.register_system(read);
        let behind = world.register_system(read);
        world.send_event(Rang(1));
        assert_eq!(world.run_system(reader, ()), Ok(vec![1]));
        world.send_event(Rang(2));
        let mut snapshot = snapshotter
            .take_with(&mut world, &mut [&mut schedule])
            .unwrap();
        for _ in 0..3 {
            assert_eq!(world.run_system(reader, ()), Ok(vec![2]));
            assert_eq!(world.run_system(behind, ()), Ok(vec![1, 2]));
            world.send_event(Rang(3));
            assert_eq!(world.run_system(reader, ()), Ok(vec![3]));
            snapshotter
                .restore_with(&mut world, &mut [&mut schedule], &mut snapshot)
                .unwrap();
        }
    }
}
