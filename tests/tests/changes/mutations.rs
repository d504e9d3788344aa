//! Observers of mutations, against a map of the values that each flush has seen.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use ecs_core::component::TrackedComponent;
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use ecs_core::system::{
    Mutation, OldValues, trigger_mutations, trigger_mutations_with_old, trigger_resource_mutations,
};
use ecs_core::world::hooks::{OnAdd, Trigger};
use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

#[derive(Component, Clone, Debug, PartialEq)]
#[component(track)]
struct Dense<T>(T);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(track, storage = "sparse")]
struct Sparse(String);

#[derive(Resource, Default, Clone)]
struct Log(Vec<String>);

fn log(world: &mut World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Spawn(u8),
    Insert(usize, u8),
    Write(usize, u8),
    WriteAll,
    Remove(usize),
    Despawn(usize),
    Flush,
}

fn op() -> impl Strategy<Value = Op> {
    let at = || 0..16_usize;
    prop_oneof![
        3 => any::<u8>().prop_map(Op::Spawn),
        2 => (at(), any::<u8>()).prop_map(|(e, v)| Op::Insert(e, v)),
        4 => (at(), any::<u8>()).prop_map(|(e, v)| Op::Write(e, v)),
        1 => Just(Op::WriteAll),
        2 => at().prop_map(Op::Remove),
        1 => at().prop_map(Op::Despawn),
        4 => Just(Op::Flush),
    ]
}

/// The value of an entity, if any, and the value at the last flush, if it had one ever since.
#[derive(Clone, Debug, Default)]
struct Modelled {
    now: Option<u8>,
    before: Option<u8>,
    is_written: bool,
}

/// Runs a program on a world with `T`s, and returns the log of each flush, as it is and as it should be.
fn run<T: TrackedComponent + Clone + Debug>(
    ops: &[Op],
    make: fn(u8) -> T,
    pool: &ThreadPool,
) -> [Vec<Vec<String>>; 2] {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.observe(
        |event: Trigger<Mutation<T>>, values: Query<&T>, mut log: ResMut<Log>| {
            let new = values.get(event.entity()).unwrap();
            log.0
                .push(format!("{} {:?} {new:?}", event.entity(), event.old()));
        },
    );
    let mut schedule = Schedule::new();
    schedule.add(trigger_mutations_with_old::<T>);
    schedule.add(|mut log: ResMut<Log>| log.0.sort());
    let mut model: BTreeMap<Entity, Modelled> = BTreeMap::new();
    let (mut seen, mut expected) = (Vec::new(), Vec::new());
    for &op in ops {
        let pick = |index: usize| model.keys().nth(index % model.len().max(1)).copied();
        match op {
            Op::Spawn(value) => {
                let entity = world.spawn(make(value));
                let now = Some(value);
                let new = Modelled {
                    now,
                    ..Modelled::default()
                };
                model.insert(entity, new);
            }
            Op::Insert(index, value) => {
                let Some(entity) = pick(index) else { continue };
                world.insert(entity, make(value)).unwrap();
                let one = model.get_mut(&entity).unwrap();
                one.is_written = one.now.is_some();
                one.now = Some(value);
            }
            Op::Write(index, value) => {
                let Some(entity) = pick(index) else { continue };
                if let Some(mut place) = world.get_mut::<T>(entity) {
                    *place = make(value);
                    let one = model.get_mut(&entity).unwrap();
                    (one.now, one.is_written) = (Some(value), true);
                }
            }
            Op::WriteAll => {
                for (_, mut value) in &mut world.query::<(Entity, &mut T)>() {
                    *value = make(7);
                }
                for one in model.values_mut().filter(|one| one.now.is_some()) {
                    (one.now, one.is_written) = (Some(7), true);
                }
            }
            Op::Remove(index) => {
                let Some(entity) = pick(index) else { continue };
                world.remove::<T>(entity).unwrap();
                model.insert(entity, Modelled::default());
            }
            Op::Despawn(index) => {
                let Some(entity) = pick(index) else { continue };
                world.despawn(entity).unwrap();
                model.remove(&entity);
            }
            Op::Flush => {
                schedule.run_par(&mut world, pool).unwrap();
                let mut lines = Vec::new();
                for (entity, one) in &mut model {
                    if let (Some(now), Some(before), true) = (one.now, one.before, one.is_written) {
                        let (old, new) = (Some(make(before)), make(now));
                        lines.push(format!("{entity} {old:?} {new:?}"));
                    }
                    (one.before, one.is_written) = (one.now, false);
                }
                lines.sort();
                seen.push(log(&mut world));
                expected.push(lines);
            }
        }
    }
    [seen, expected]
}

proptest! {
    #[test]
    fn each_mutated_entity_triggers_one_event_a_flush_with_the_value_of_the_flush_before(
        ops in proptest::collection::vec(op(), 1..60),
        threads in 1..4_usize,
    ) {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let [seen, expected] = run(&ops, |value| Dense(u16::from(value)), &pool);
        prop_assert_eq!(seen, expected);
        let [seen, expected] = run(&ops, |value| Sparse(value.to_string()), &pool);
        prop_assert_eq!(seen, expected);
    }
}

#[system(for_each)]
fn grow(value: &mut Dense<u8>) {
    value.0 += 1;
}

#[test]
fn the_place_in_the_list_decides_when_observers_see_a_mutation() {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.observe(
        |event: Trigger<Mutation<Dense<u8>>>, values: Comp<Dense<u8>>, mut log: ResMut<Log>| {
            assert!(event.old().is_none());
            log.0.push(format!(
                "mutation to {}",
                values.get(event.entity()).unwrap().0
            ));
        },
    );
    world.observe(|_: OnAdd<Dense<u8>>, mut log: ResMut<Log>| log.0.push("new".into()));
    let entity = world.spawn(Dense(1_u8));
    let mut schedule = Schedule::new();
    schedule.add((
        grow,
        trigger_mutations::<Dense<u8>>,
        |mut log: ResMut<Log>| log.0.push("a system after it".into()),
        |values: CompMut<Dense<u8>>| drop(values),
    ));
    schedule.run(&mut world).unwrap();
    assert_eq!(log(&mut world), ["new", "a system after it"]);
    schedule.run(&mut world).unwrap();
    assert_eq!(log(&mut world), ["mutation to 3", "a system after it"]);
    world.despawn(entity).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(log(&mut world), ["a system after it"]);
}

#[test]
fn a_mutation_by_an_observer_is_triggered_by_the_next_flush() {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.observe(
        |event: Trigger<Mutation<Dense<u8>>>,
         mut values: CompMut<Dense<u8>>,
         mut log: ResMut<Log>| {
            log.0.push(event.entity().to_string());
            if let Some(mut value) = values.get_mut(event.entity()).filter(|value| value.0 < 3) {
                value.0 += 1;
            }
        },
    );
    let entity = world.spawn(Dense(0_u8));
    let mut schedule = Schedule::new();
    schedule.add(trigger_mutations::<Dense<u8>>);
    schedule.run(&mut world).unwrap();
    world.get_mut::<Dense<u8>>(entity).unwrap().0 = 1;
    let mut flushes = Vec::new();
    for _ in 0..5 {
        schedule.run(&mut world).unwrap();
        flushes.push(log(&mut world).len());
    }
    assert_eq!(flushes, [1, 1, 1, 0, 0]);
}

#[test]
fn a_resource_that_was_mutated_triggers_one_event_without_an_entity() {
    #[derive(Resource)]
    struct Score(u32);

    let mut world = World::new();
    world.insert_resource(Log::default());
    world.observe(
        |event: Trigger<Mutation<Score>>, score: Res<Score>, mut log: ResMut<Log>| {
            assert_eq!(event.target(), None);
            log.0.push(score.0.to_string());
        },
    );
    let mut schedule = Schedule::new();
    schedule.add(trigger_resource_mutations::<Score>);
    schedule.run(&mut world).unwrap();
    world.insert_resource(Score(1));
    schedule.run(&mut world).unwrap();
    assert_eq!(log(&mut world), [""; 0]);
    world.resource_mut::<Score>().0 = 2;
    world.resource_mut::<Score>().0 = 3;
    schedule.run(&mut world).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(log(&mut world), ["3"]);
}

#[test]
fn old_values_are_part_of_a_snapshot_that_names_them() {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.observe(
        |event: Trigger<Mutation<Dense<u8>>>, mut log: ResMut<Log>| {
            log.0.push(format!("{:?}", event.old()));
        },
    );
    world.spawn(Dense(1_u8));
    let mut schedule = Schedule::new();
    schedule.add((grow, trigger_mutations_with_old::<Dense<u8>>));
    schedule.run(&mut world).unwrap();

    let snapshotter = || {
        Snapshotter::new()
            .component::<Dense<u8>>()
            .resource::<Log>()
    };
    let refused = snapshotter().take_with(&mut world, &mut [&mut schedule]);
    let refused = refused.map(drop).unwrap_err().to_string();
    assert!(refused.contains("OldValues<"), "{refused}");

    let snapshotter = snapshotter().local::<OldValues<Dense<u8>>>();
    let mut snapshot = snapshotter
        .take_with(&mut world, &mut [&mut schedule])
        .unwrap();
    for _ in 0..2 {
        for _ in 0..3 {
            schedule.run(&mut world).unwrap();
        }
        let old = log(&mut world);
        assert_eq!(old, ["Some(Dense(2))", "Some(Dense(3))", "Some(Dense(4))"]);
        let schedules = &mut [&mut schedule];
        snapshotter
            .restore_with(&mut world, schedules, &mut snapshot)
            .unwrap();
    }
}

#[test]
fn old_values_of_entities_that_are_gone_are_dropped() {
    let shared = Arc::new(());
    let mut world = World::new();
    let [a, b] = [(), ()].map(|()| world.spawn(Dense(Arc::clone(&shared))));
    let mut schedule = Schedule::new();
    schedule.add(trigger_mutations_with_old::<Dense<Arc<()>>>);
    schedule.run(&mut world).unwrap();
    assert_eq!(Arc::strong_count(&shared), 5);
    world.despawn(a).unwrap();
    world.remove::<Dense<Arc<()>>>(b).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(Arc::strong_count(&shared), 1);
}
