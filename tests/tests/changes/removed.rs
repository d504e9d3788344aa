//! `Removed`: which reader sees which removal.

use ecs_core::prelude::*;
use ecs_core::view::RemovedCursor;

#[derive(Component, Debug, PartialEq)]
#[component(track)]
struct Health(i32);

#[derive(Component, Debug, PartialEq)]
#[component(track, storage = "sparse")]
struct Mood(i32);

#[derive(Component)]
struct Frozen;

#[system]
fn dead(mut health: Removed<Health>, mut mood: Removed<Mood>) -> (Vec<Entity>, Vec<Entity>) {
    assert_eq!(health.len(), health.read().len());
    let health: Vec<_> = health.read().collect();
    (health, mood.read().collect())
}

/// Creates a world with three entities; `dead` reads their removals.
fn world() -> (World, [Entity; 3]) {
    let mut world = World::new();
    let entities = [
        world.spawn((Health(1), Mood(1))),
        world.spawn((Mood(2), Health(2), Frozen)),
        world.spawn(Frozen),
    ];
    assert_eq!(dead(&world), (vec![], vec![]));
    (world, entities)
}

#[track_caller]
fn check(world: &World, health: &[Entity], mood: &[Entity]) {
    assert_eq!(dead(world), (health.to_vec(), mood.to_vec()));
    assert_eq!(dead(world), (vec![], vec![]), "each removal is read once");
}

#[test]
fn despawning_removes_all_components() {
    let (mut world, [a, _, c]) = world();
    world.despawn(a).unwrap();
    world.despawn(c).unwrap();
    check(&world, &[a], &[a]);
}

#[test]
fn removing_reports_components_that_were_present() {
    let (mut world, [a, b, c]) = world();
    world.remove::<Health>(b).unwrap();
    world.remove::<Health>(b).unwrap();
    world.remove::<Frozen>(b).unwrap();
    world.remove::<(Health, Mood)>(c).unwrap();
    check(&world, &[b], &[]);
    world.remove::<Mood>(b).unwrap();
    world.remove::<(Health, Mood)>(a).unwrap();
    check(&world, &[a], &[b, a]);
}

#[test]
fn taking_reports_components_if_all_were_present() {
    let (mut world, [a, b, c]) = world();
    assert!(world.take::<(Health, Frozen)>(a).is_err());
    assert!(world.take::<Mood>(c).is_err());
    check(&world, &[], &[]);
    world.take::<(Mood, Health)>(b).unwrap();
    world.take::<Health>(a).unwrap();
    check(&world, &[b, a], &[b]);
}

#[test]
fn replacing_is_no_removal() {
    let (mut world, [a, b, _]) = world();
    world.insert(a, (Health(3), Mood(3))).unwrap();
    world.replace(b, Health(3)).unwrap();
    check(&world, &[], &[]);
}

#[test]
fn an_entity_that_loses_a_component_twice_is_reported_twice() {
    let (mut world, [a, ..]) = world();
    world.remove::<Health>(a).unwrap();
    world.insert(a, Health(2)).unwrap();
    world.despawn(a).unwrap();
    check(&world, &[a, a], &[a]);
}

#[test]
fn clearing_the_world_reports_all() {
    let (mut world, [a, b, _]) = world();
    world.clear();
    check(&world, &[a, b], &[a, b]);
}

#[system]
fn note(mut removed: Removed<Health>, mut log: ResMut<Vec<Entity>>) {
    log.extend(removed.read());
}

#[system]
fn awake(awake: Res<bool>) -> bool {
    *awake
}

#[system]
fn kill(mut commands: Commands, victims: Query<Entity, With<Health>>) {
    victims.iter().for_each(|victim| commands.despawn(victim));
}

#[test]
fn systems_see_removals_by_commands_and_those_before_they_ran() {
    let mut world = World::new();
    world.insert_resource(Vec::<Entity>::new());
    world.insert_resource(false);
    let mut schedule = Schedule::new();
    schedule.add((kill, note.run_if(awake)));
    let a = world.spawn(Health(1));
    schedule.run(&mut world).unwrap();
    let b = world.spawn(Health(1));
    schedule.run(&mut world).unwrap();
    assert_eq!(*world.resource::<Vec<Entity>>(), []);
    world.insert_resource(true);
    schedule.run(&mut world).unwrap();
    assert_eq!(*world.resource::<Vec<Entity>>(), [a, b]);
    schedule.run(&mut world).unwrap();
    assert_eq!(*world.resource::<Vec<Entity>>(), [a, b]);
}

#[system]
fn make(mut commands: Commands) {
    commands.spawn(Health(1));
}

#[test]
fn a_system_that_was_built_before_the_first_value_misses_nothing() {
    let mut world = World::new();
    world.insert_resource(Vec::<Entity>::new());
    let mut schedule = Schedule::new();
    schedule.add((make, kill, note));
    schedule.run(&mut world).unwrap();
    assert_eq!(world.resource::<Vec<Entity>>().len(), 1);
}

#[test]
fn each_cursor_reads_from_its_registration_on() {
    let (mut world, [a, b, _]) = world();
    let (mut early, mut late) = (RemovedCursor::<Health>::default(), RemovedCursor::default());
    assert!(world.removed(&mut early).is_empty());
    world.despawn(a).unwrap();
    assert!(
        world.removed::<Health>(&mut late).is_empty(),
        "happened before"
    );
    world.despawn(b).unwrap();
    assert_eq!(world.removed(&mut early).len(), 2);
    assert_eq!(world.removed(&mut early).read().next(), Some(a));
    assert_eq!(Vec::from_iter(world.removed(&mut early).read()), [b]);
    assert_eq!(
        Vec::from_iter(world.removed::<Health>(&mut late).read()),
        [b]
    );
    check(&world, &[a, b], &[a, b]);
}

#[test]
fn removals_are_not_kept_without_readers() {
    let mut world = World::new();
    let mut cursor = RemovedCursor::<Health>::default();
    let _ = world.removed(&mut cursor);
    for n in 0..10 {
        let e = world.spawn(Health(n));
        world.despawn(e).unwrap();
    }
    assert_eq!(world.removed(&mut cursor).len(), 10);
    world.removed(&mut cursor).clear();
    assert!(world.removed(&mut cursor).is_empty());
    drop(cursor);
    for n in 0..100 {
        let e = world.spawn(Health(n));
        world.despawn(e).unwrap();
    }
    let mut cursor = RemovedCursor::<Health>::default();
    let removed = world.removed(&mut cursor);
    assert_eq!((removed.len(), removed.missed()), (0, 0));
}

#[test]
fn entities_of_whole_tables_that_are_despawned_are_read() {
    let (mut world, [first, second, _]) = world();
    dead(&world);
    world.despawn_all::<With<Health>>();
    assert_eq!(dead(&world), (vec![first, second], vec![first, second]));
}
