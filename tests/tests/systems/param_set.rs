//! `ParamSet`: parameters that conflict with each other, used one at a time.
#![allow(clippy::type_complexity, reason = "sets of queries are long to write")]

use ecs_core::prelude::*;
use ecs_core::system::SystemInfo;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Health(i32);

#[derive(Component)]
struct Leader;

#[derive(Resource)]
struct Most(i32);

fn world() -> (World, [Entity; 2]) {
    let mut world = World::new();
    let entities = [world.spawn((Health(5), Leader)), world.spawn(Health(1))];
    (world, entities)
}

fn health(world: &World, entity: Entity) -> i32 {
    world.get::<Health>(entity).unwrap().0
}

#[system]
fn inspire(mut set: ParamSet<(Query<&Health, With<Leader>>, CompMut<Health>)>) {
    let most = set.p0().single().unwrap().0;
    for health in set.p1().iter_mut() {
        health.0 += most;
    }
    assert_eq!(
        set.p0().single().unwrap().0,
        2 * most,
        "what was written is read"
    );
}

#[test]
fn parameters_that_conflict_are_used_one_at_a_time() {
    let (mut world, [leader, other]) = world();
    inspire(&world);
    assert_eq!((health(&world, leader), health(&world, other)), (10, 6));
    let mut turn = Schedule::new();
    turn.add(inspire);
    turn.run(&mut world).unwrap();
    assert_eq!((health(&world, leader), health(&world, other)), (20, 16));
}

#[system]
fn looks(mut set: ParamSet<(CompMut<Health>, Comp<Health>, Res<Most>)>) {
    assert_eq!(set.p0().len(), 2);
    assert_eq!(set.p1().len(), 2, "what `p0` borrowed was given back");
    assert!(set.try_p2().is_err(), "there is none");
    assert_eq!(set.p0().len(), 2);
    assert_eq!(set.p0().len(), 2, "asking twice is not a conflict");
}

#[test]
fn a_parameter_is_borrowed_from_access_to_access() {
    let (world, _) = world();
    looks(&world);
    assert!(world.try_view_mut::<Health>().is_ok());
}

#[system]
fn misses(mut set: ParamSet<(Res<Most>,)>) -> i32 {
    set.p0().0
}

#[test]
fn a_parameter_that_cannot_be_borrowed_is_named_when_it_is_accessed() {
    let (mut world, _) = world();
    let call = std::panic::AssertUnwindSafe(|| misses(&world));
    let caught = std::panic::catch_unwind(call).unwrap_err();
    let message = caught.downcast_ref::<String>().unwrap();
    assert!(message.contains("parameter 0 of the set"), "{message}");
    assert!(
        message.contains("no resource `systems::param_set::Most`"),
        "{message}"
    );
    world.insert_resource(Most(3));
    assert_eq!(misses(&world), 3);
}

#[derive(SystemParam)]
struct Counted<'w> {
    calls: Local<'w, i32>,
    most: ResMut<'w, Most>,
}

#[derive(SystemParam)]
struct Sets<'w> {
    set: ParamSet<'w, (Counted<'w>, Commands<'static>, ResMut<'w, Most>)>,
    inner: ParamSet<
        'w,
        (
            ParamSet<'w, (Comp<'w, Health>, CompMut<'w, Health>)>,
            Comp<'w, Health>,
        ),
    >,
}

#[system]
fn sets(mut sets: Sets<'_>) -> i32 {
    let mut counted = sets.set.p0();
    *counted.calls += 1;
    counted.most.0 += *counted.calls;
    drop(counted);
    sets.set.p1().spawn(Health(100));
    sets.set.p2().0 *= 2;
    sets.set.p1().spawn(Health(200));
    *sets.set.p0().calls += 10;
    let mut inner = sets.inner.p0();
    let sum: i32 = inner.p0().iter().map(|health| health.0).sum();
    inner.p1().iter_mut().for_each(|health| health.0 += 1);
    sum + sets.inner.p1().len() as i32
}

#[test]
fn sets_nest_remember_and_flush() {
    let (mut world, _) = world();
    world.insert_resource(Most(1));
    assert_eq!(world.run(sets), 6 + 2);
    assert_eq!(world.resource::<Most>().0, 4);
    assert_eq!(world.run(sets), 308 + 4);
    assert_eq!(
        world.resource::<Most>().0,
        32,
        "the local was 11, and then 12"
    );
    assert_eq!(world.len(), 6);
}

#[system]
fn eight(
    mut set: ParamSet<(
        Local<u8>,
        Local<u8>,
        Local<u8>,
        Local<u8>,
        Local<u8>,
        Local<u8>,
        Local<u8>,
        Local<u8>,
    )>,
) -> u8 {
    *set.p0() += 1;
    *set.p7() += *set.p0() + 1;
    *set.p1() + *set.p2() + *set.p3() + *set.p4() + *set.p5() + *set.p6() + *set.p7()
}

#[test]
fn a_set_has_up_to_eight_parameters() {
    let world = World::new();
    assert_eq!(eight(&world), 2);
    assert_eq!(eight(&world), 5);
}

#[test]
fn borrows_end_when_the_body_panics() {
    #[system]
    fn fails(mut set: ParamSet<(CompMut<Health>, Comp<Health>)>) {
        let _view = set.p0();
        panic!("on purpose");
    }
    let (world, _) = world();
    let call = std::panic::AssertUnwindSafe(|| fails(&world));
    assert!(std::panic::catch_unwind(call).is_err());
    assert!(world.try_view_mut::<Health>().is_ok());
}

#[test]
fn the_access_is_that_of_all_parameters() {
    assert_eq!(inspire.access().count(), 2);
    assert!(ecs_core::meta(&sets).remembers());
    assert!(!ecs_core::meta(&inspire).remembers());
}

/// Only filters keep the write of `Health` in the set apart from the read by `others`.
#[system]
fn follow(
    mut set: ParamSet<(
        Query<&mut Health, With<Leader>>,
        Comp<Health>,
        (Query<&Health, With<Leader>>, Query<&Leader>),
    )>,
    others: Query<&Health, Without<Leader>>,
    mut most: ResMut<Most>,
) {
    for other in &others {
        for leader in &mut set.p0() {
            leader.0 += other.0;
        }
    }
    let all: i32 = set.p1().iter().map(|health| health.0).sum();
    let leader = set.p2().0.single().unwrap().0;
    assert_eq!(all - leader, others.single().unwrap().0);
    most.0 = leader;
}

#[test]
fn a_set_beside_a_query_disjoint_by_filters_works_in_calls_and_in_schedules() {
    let (mut world, [leader, other]) = world();
    world.insert_resource(Most(0));
    follow(&world);
    assert_eq!((health(&world, leader), health(&world, other)), (6, 1));
    world.run(follow);
    let mut turn = Schedule::new();
    turn.add(follow);
    turn.run(&mut world).unwrap();
    assert_eq!(world.resource::<Most>().0, 8);
}

#[test]
fn components_that_such_a_set_may_write_are_borrowed_for_the_whole_call() {
    let (mut world, _) = world();
    world.insert_resource(Most(0));
    let view = world.view::<Health>();
    let call = std::panic::AssertUnwindSafe(|| follow(&world));
    let caught = std::panic::catch_unwind(call).unwrap_err();
    let message = caught.downcast_ref::<String>().unwrap();
    assert!(message.contains("systems::param_set::follow"), "{message}");
    assert!(message.contains("systems::param_set::Health"), "{message}");
    drop(view);
    follow(&world);
}
