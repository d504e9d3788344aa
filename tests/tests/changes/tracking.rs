//! Change tracking: which reader sees which change, one rule at a time.

use ecs_core::Tick;
use ecs_core::component::{Tracked, TrackedComponent};
use ecs_core::prelude::*;

#[derive(Component, Debug, PartialEq)]
#[component(track)]
struct Health(i32);

#[derive(Component, Debug, PartialEq)]
#[component(track, storage = "sparse")]
struct Mood(i32);

#[derive(Component, Clone, Debug, PartialEq)]
struct Position(f32);

#[derive(Component)]
struct Frozen;

/// The entities with a changed `T`, and the entities with an added `T`.
type Seen = (Vec<Entity>, Vec<Entity>);

fn sorted(entities: impl Iterator<Item = Entity>) -> Vec<Entity> {
    let mut entities: Vec<_> = entities.collect();
    entities.sort_unstable();
    entities
}

fn seen<T: TrackedComponent>(world: &World, since: Tick) -> Seen {
    let changed = world.query_filtered::<Entity, Changed<T>>().since(since);
    let added = world.query_filtered::<Entity, Added<T>>().since(since);
    let view = world.view::<T>().since(since);
    let seen = (sorted(changed.iter()), sorted(added.iter()));
    assert_eq!(seen.0, sorted(view.changed().entities()));
    assert_eq!(seen.1, sorted(view.added().entities()));
    for entity in &world.entities() {
        assert_eq!(seen.0.contains(&entity), view.is_changed(entity));
        assert_eq!(seen.1.contains(&entity), view.is_added(entity));
        assert_eq!(seen.0.contains(&entity), changed.contains(entity));
    }
    seen
}

/// Checks the effect of `act` on the component of one entity.
#[track_caller]
fn marks<T: TrackedComponent>(
    value: impl Fn() -> T,
    act: impl Fn(&mut World, Entity),
    changed: bool,
    added: bool,
) {
    for others in 0..3 {
        let mut world = World::new();
        let before: Vec<_> = (0..others).map(|_| world.spawn(value())).collect();
        let entity = world.spawn((value(), Position(0.0)));
        world.spawn((value(), Position(0.0)));
        let since = world.tick();
        act(&mut world, entity);
        let one = |yes| if yes { vec![entity] } else { Vec::new() };
        assert_eq!(seen::<T>(&world, since), (one(changed), one(added)));
        let now = world.tick();
        assert_eq!(seen::<T>(&world, now), (vec![], vec![]), "seen once");
        world.check_invariants();
        drop(before);
    }
}

/// The common interface of the two tracked components.
trait Number: TrackedComponent + PartialEq {
    fn new(value: i32) -> Self;
    fn number(&mut self) -> &mut i32;
}

impl Number for Health {
    fn new(value: i32) -> Self {
        Self(value)
    }

    fn number(&mut self) -> &mut i32 {
        &mut self.0
    }
}

impl Number for Mood {
    fn new(value: i32) -> Self {
        Self(value)
    }

    fn number(&mut self) -> &mut i32 {
        &mut self.0
    }
}

/// Runs each rule for a component in tables and for one in a sparse set.
macro_rules! rules {
    ($($name:ident($changed:literal, $added:literal) = |$world:ident, $entity:ident, $T:ident| $act:block)*) => {$(
        #[test]
        fn $name() {
            fn act<$T: Number>($world: &mut World, $entity: Entity) $act
            marks(|| Health(1), act::<Health>, $changed, $added);
            marks(|| Mood(1), act::<Mood>, $changed, $added);
        }
    )*};
}

rules! {
    inserting_a_value_again_changes_it(true, false) = |world, entity, T| {
        world.insert(entity, T::new(5)).unwrap();
    }
    inserting_a_value_again_with_others_changes_it(true, false) = |world, entity, T| {
        world.insert(entity, (Frozen, T::new(5))).unwrap();
    }
    inserting_after_removing_adds(true, true) = |world, entity, T| {
        world.remove::<T>(entity).unwrap();
        world.insert(entity, T::new(5)).unwrap();
    }
    inserting_with_others_after_taking_adds(true, true) = |world, entity, T| {
        world.take::<T>(entity).unwrap();
        world.insert(entity, (Frozen, T::new(5))).unwrap();
    }
    removing_leaves_nothing_to_see(false, false) = |world, entity, T| {
        world.remove::<T>(entity).unwrap();
    }
    despawning_leaves_nothing_to_see(false, false) = |world, entity, T| {
        world.insert(entity, T::new(5)).unwrap();
        world.despawn(entity).unwrap();
    }
    replacing_changes(true, false) = |world, entity, T| {
        assert!(world.replace(entity, T::new(5)).unwrap().is_some());
    }
    writing_through_the_world_changes(true, false) = |world, entity, T| {
        *world.get_mut::<T>(entity).unwrap().number() = 5;
    }
    writing_through_a_handle_changes(true, false) = |world, entity, T| {
        *world.entity_mut(entity).unwrap().get_mut::<T>().unwrap().number() = 5;
    }
    writing_through_a_view_changes(true, false) = |world, entity, T| {
        *world.view_mut::<T>().get_mut(entity).unwrap().number() = 5;
    }
    writing_through_a_query_changes(true, false) = |world, entity, T| {
        *world.query::<&mut T>().get_mut(entity).unwrap().number() = 5;
    }
    writing_through_a_query_of_marked_references_changes(true, false) = |world, entity, T| {
        *world.query::<Mut<T>>().get_mut(entity).unwrap().number() = 5;
    }
    writing_one_value_of_a_join_changes_that_one(true, false) = |world, entity, T| {
        let (mut values, positions) = (world.view_mut::<T>(), world.view::<Position>());
        for (id, (mut value, _)) in (&mut values, &positions).with_entity().iter() {
            if id == entity {
                *value.number() = 5;
            }
        }
    }
    writing_one_value_of_a_fast_join_changes_that_one(true, false) = |world, entity, T| {
        let mut query = world.query::<(Entity, Option<&mut T>)>();
        query.for_each(|(id, value)| {
            if id == entity {
                *value.unwrap().number() = 5;
            }
        });
    }
    looking_at_values_changes_nothing(false, false) = |world, entity, T| {
        assert!(*world.get::<T>(entity).unwrap() == T::new(1));
        assert!(*world.get_mut::<T>(entity).unwrap() == T::new(1));
        assert!(*world.view::<T>().get(entity).unwrap() == T::new(1));
        let mut values = world.view_mut::<T>();
        assert!((&mut values).iter().all(|value| *value == T::new(1)));
        values.iter_mut().for_each(|value| assert!(*value == T::new(1)));
        drop(values);
        let mut query = world.query::<(&mut T, &Position)>();
        query.for_each(|(value, _)| assert!(*value == T::new(1)));
        assert!(query.iter_mut().all(|(value, _)| *value == T::new(1)));
    }
    bypassing_changes_nothing(false, false) = |world, entity, T| {
        *world.get_mut::<T>(entity).unwrap().bypass().number() = 5;
        assert!(*world.get::<T>(entity).unwrap() == T::new(5));
    }
    setting_an_equal_value_changes_nothing(false, false) = |world, entity, T| {
        assert!(!world.get_mut::<T>(entity).unwrap().set_if_neq(T::new(1)));
    }
    setting_a_different_value_changes(true, false) = |world, entity, T| {
        assert!(world.view_mut::<T>().get_mut(entity).unwrap().set_if_neq(T::new(2)));
        assert!(*world.get::<T>(entity).unwrap() == T::new(2));
    }
    a_value_can_be_marked(true, false) = |world, entity, T| {
        let mut values = world.view_mut::<T>();
        values.get_mut(entity).unwrap().set_changed();
    }
    unpacking_a_reference_changes(true, false) = |world, entity, T| {
        *world.get_mut::<T>(entity).unwrap().into_inner().number() = 5;
    }
    commands_change_when_they_are_applied(true, false) = |world, entity, T| {
        let mut queue = ecs_core::CommandQueue::new();
        queue.push(move |world: &mut World| world.insert(entity, T::new(5)).unwrap());
        world.defer(&mut queue);
        let before = world.tick();
        world.flush();
        assert_eq!(seen::<T>(world, before), (vec![entity], vec![]));
    }
    other_components_do_not_matter(false, false) = |world, entity, _T| {
        world.insert(entity, Position(3.0)).unwrap();
        world.insert(entity, Frozen).unwrap();
        world.remove::<Position>(entity).unwrap();
        world.view_mut::<Position>().iter_mut().for_each(|p| p.0 += 1.0);
    }
    a_tick_moves_with_its_value(true, false) = |world, entity, T| {
        *world.get_mut::<T>(entity).unwrap().number() = 5;
        world.insert(entity, Frozen).unwrap();
        for _ in 0..100 {
            world.spawn((T::new(1), Frozen, Position(1.0)));
        }
        let others: Vec<_> = world.query_filtered::<Entity, With<T>>().iter().collect();
        for other in others {
            if other != entity && world.has::<Frozen>(other) {
                world.despawn(other).unwrap();
            }
        }
        world.remove::<Position>(entity).unwrap();
    }
}

#[test]
fn spawning_adds_and_changes() {
    let mut world = World::new();
    let since = world.tick();
    let a = world.spawn(Health(1));
    let b = world.spawn((Mood(1), Position(0.0), Health(2)));
    assert_eq!(seen::<Health>(&world, since), (vec![a, b], vec![a, b]));
    assert_eq!(seen::<Mood>(&world, since), (vec![b], vec![b]));
    let since = world.tick();
    let batch = world
        .spawn_batch((0..70).map(|n| (Position(0.0), Health(n))))
        .to_vec();
    let more = world
        .spawn_batch((0..3).map(|n| (Mood(n), Health(n))))
        .to_vec();
    let all = [batch, more.clone()].concat();
    assert_eq!(seen::<Health>(&world, since), (all.clone(), all));
    assert_eq!(seen::<Mood>(&world, since), (more.clone(), more));
    let since = world.tick();
    world.clear();
    assert_eq!(seen::<Mood>(&world, since), (vec![], vec![]));
}

#[test]
fn rows_are_distinguished_in_tables_of_any_length() {
    let lens = [1, 7, 31, 32, 33, 64, 100, 1023, 1024, 1025, 2100];
    for (len, step) in lens.into_iter().flat_map(|len| [(len, 3), (len, 300)]) {
        let mut world = World::new();
        let ids = world.spawn_batch((0..len).map(Health)).to_vec();
        let since = world.tick();
        let chosen: Vec<_> = ids
            .iter()
            .copied()
            .filter(|id| id.index() % step == 0)
            .collect();
        for &id in &chosen {
            world.get_mut::<Health>(id).unwrap().0 += 1;
        }
        assert_eq!(seen::<Health>(&world, since).0, chosen);
        let mut each = Vec::new();
        let mut query = world
            .query_filtered::<(Entity, &Health), Changed<Health>>()
            .since(since);
        query.for_each(|(id, _)| each.push(id));
        assert_eq!(each, chosen);
        assert_eq!(query.iter().fold(0, |n, _| n + 1), chosen.len());
    }
}

#[test]
fn slices_of_tracked_values_are_marked_by_the_row() {
    let mut world = World::new();
    let ids = world.spawn_batch((0..10).map(Health)).to_vec();
    let since = world.tick();
    for mut slice in world.query::<&mut Health>().chunks_mut() {
        assert_eq!((slice.len(), slice[3].0), (10, 3));
        slice.bypass()[0].0 = 1;
        slice.get_mut(3).unwrap().0 = 1;
        assert!(slice.get_mut(10).is_none());
        slice
            .iter_mut()
            .filter(|health| health.0 == 7)
            .for_each(|mut health| health.0 = 1);
    }
    assert_eq!(seen::<Health>(&world, since).0, [ids[3], ids[7]]);
    for mut slice in world.query::<&mut Health>().chunks_mut() {
        slice.set_all_changed();
    }
    assert_eq!(seen::<Health>(&world, since).0, ids);
}

#[test]
fn filters_combine() {
    let mut world = World::new();
    let a = world.spawn((Health(1), Mood(1)));
    let b = world.spawn((Health(1), Position(0.0)));
    let c = world.spawn((Mood(1), Position(0.0)));
    let d = world.spawn(Health(1));
    let since = world.tick();
    let e = world.spawn(Health(1));
    for id in [a, b] {
        world.get_mut::<Health>(id).unwrap().0 = 2;
    }
    world.get_mut::<Mood>(c).unwrap().0 = 2;
    fn ids<F: ecs_core::QueryFilter>(world: &World, since: Tick) -> Vec<Entity> {
        sorted(world.query_filtered::<Entity, F>().since(since).iter())
    }
    assert_eq!(ids::<(Changed<Health>, With<Position>)>(&world, since), [b]);
    assert_eq!(
        ids::<(Changed<Health>, Without<Position>)>(&world, since),
        [a, e]
    );
    assert_eq!(
        ids::<Or<(Changed<Health>, Changed<Mood>)>>(&world, since),
        [a, b, c, e]
    );
    assert_eq!(
        ids::<Or<(Added<Health>, With<Mood>)>>(&world, since),
        [a, c, e]
    );
    assert_eq!(
        ids::<Or<(Added<Health>, With<Position>)>>(&world, since),
        [b, c, e]
    );
    assert_eq!(ids::<(Changed<Health>, Changed<Mood>)>(&world, since), []);
    assert_eq!(ids::<Changed<Health>>(&world, Tick::START), [a, b, d, e]);
    let (view, positions) = (
        world.view::<Health>().since(since),
        world.view::<Position>(),
    );
    assert_eq!(Vec::from_iter((view.changed(), &positions).entities()), [b]);
    assert_eq!(
        Vec::from_iter(view.changed().exclude(&positions).entities()),
        [a, e]
    );
}

#[test]
fn changed_values_can_be_changed_further() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Health(n)));
    let since = world.tick();
    world.get_mut::<Health>(b).unwrap().0 = 5;
    world
        .query_filtered::<&mut Health, Changed<Health>>()
        .since(since)
        .for_each(|mut h| h.0 += 10);
    world
        .view_mut::<Health>()
        .since(since)
        .changed_mut()
        .for_each(|mut h| h.0 += 10);
    assert_eq!(
        world
            .view_mut::<Health>()
            .since(since)
            .added_mut()
            .iter()
            .count(),
        0
    );
    assert_eq!(*world.get::<Health>(a).unwrap(), Health(1));
    assert_eq!(*world.get::<Health>(b).unwrap(), Health(25));
}

#[test]
fn a_filter_takes_the_borrow_of_its_component() {
    let mut world = World::new();
    world.spawn((Health(1), Position(0.0)));
    let query = world.query_filtered::<&Position, Or<(Changed<Health>, With<Frozen>)>>();
    assert!(world.try_view_mut::<Health>().is_err());
    assert!(world.try_view::<Health>().is_ok());
    drop(query);
    let view = world.view_mut::<Health>();
    let refused = world
        .try_query_filtered::<&Position, Changed<Health>>()
        .unwrap_err();
    assert!(refused.to_string().contains("Health"), "{refused}");
    drop(view);
    drop(world.query_filtered::<(&mut Health, &mut Position), Changed<Health>>());
    assert!(world.try_view_mut::<Health>().is_ok() && world.try_view_mut::<Position>().is_ok());
}

#[test]
fn references_know_whether_their_value_changed() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Health(n)));
    let since = world.tick();
    world.get_mut::<Health>(b).unwrap().0 = 5;
    let mut view = world.view_mut::<Health>().since(since);
    assert!(!view.get_mut(a).unwrap().is_changed() && view.get_mut(b).unwrap().is_changed());
    view.get_mut(a).unwrap().0 = 1;
    assert!(view.get_mut(a).unwrap().is_changed());
}

#[test]
fn a_tracked_component_is_known_by_its_type() {
    fn changed<T: Component<Tracking = Tracked>>(mut value: Mut<T>) -> bool {
        value.set_changed();
        value.is_changed()
    }
    let mut world = World::new();
    let e = world.spawn(Position(1.0));
    let position: &mut Position = world.get_mut::<Position>(e).unwrap();
    position.0 = 2.0;
    world.insert(e, Health(1)).unwrap();
    assert!(changed(world.get_mut::<Health>(e).unwrap()));
}

#[system]
fn observe(changed: Query<Entity, Changed<Health>>, added: Query<Entity, Added<Health>>) -> Seen {
    (changed.iter().collect(), added.iter().collect())
}

#[system]
fn hurt(mut health: Query<&mut Health, Changed<Health>>) -> usize {
    let mut count = 0;
    health.for_each(|mut health| {
        health.0 -= 1;
        count += 1;
    });
    count
}

#[test]
fn a_system_does_not_see_its_own_changes_at_its_next_run() {
    let mut world = World::new();
    let e = world.spawn(Health(3));
    assert_eq!((hurt(&world), hurt(&world)), (1, 0));
    assert_eq!(observe(&world), (vec![e], vec![e]));
    assert_eq!(hurt(&world), 0);
    world.get_mut::<Health>(e).unwrap().0 = 3;
    assert_eq!((hurt(&world), hurt(&world)), (1, 0));
    assert_eq!(observe(&world), (vec![e], vec![]));
    assert_eq!(observe(&world), (vec![], vec![]));
}

#[system(for_each)]
fn regenerate(health: &mut Health, position: Option<&mut Position>) {
    health.0 += 1;
    if let Some(position) = position {
        position.0 += 1.0;
    }
}

#[system(for_each)]
fn cap(mut health: Mut<Health>, mood: Option<&mut Mood>) {
    let most = health.0.min(5);
    health.set_if_neq(Health(most));
    if let Some(mood) = mood {
        mood.0 = 0;
    }
}

#[test]
fn systems_for_each_entity_change_their_mutable_items() {
    let mut world = World::new();
    let a = world.spawn((Health(3), Position(0.0)));
    let b = world.spawn((Health(8), Mood(2)));
    let since = world.tick();
    regenerate(&world);
    assert_eq!(seen::<Health>(&world, since).0, [a, b]);
    let since = world.tick();
    cap(&world);
    assert_eq!(seen::<Health>(&world, since).0, [b]);
    assert_eq!(seen::<Mood>(&world, since).0, [b]);
    assert_eq!(*world.get::<Health>(a).unwrap(), Health(4));
    assert_eq!(*world.get::<Position>(a).unwrap(), Position(1.0));
}

#[derive(Resource, Default)]
struct Log(Vec<usize>);

#[system]
fn count(changed: Query<Entity, Changed<Health>>, health: Comp<Health>, mut log: ResMut<Log>) {
    let count = changed.count();
    assert_eq!(health.changed().iter().count(), count);
    log.0.push(count);
}

#[system]
fn awake(awake: Res<bool>) -> bool {
    *awake
}

#[test]
fn a_system_that_was_skipped_catches_up() {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.insert_resource(true);
    let mut schedule = Schedule::new();
    schedule.add((count.run_if(awake), count));
    let mut run = |awake, world: &mut World| {
        world.insert_resource(awake);
        schedule.run(world).unwrap();
        std::mem::take(&mut world.resource_mut::<Log>().0)
    };
    let a = world.spawn(Health(1));
    assert_eq!(run(true, &mut world), [1, 1]);
    let _b = world.spawn(Health(1));
    assert_eq!(run(false, &mut world), [1]);
    world.get_mut::<Health>(a).unwrap().0 = 2;
    assert_eq!(run(false, &mut world), [1]);
    assert_eq!(run(true, &mut world), [2, 0]);
    assert_eq!(run(true, &mut world), [0, 0]);
}

#[derive(Resource, Debug, PartialEq)]
struct Score(u32);

#[system]
fn show(score: Res<Score>, other: Option<Res<u8>>, mut log: ResMut<Vec<[bool; 3]>>) {
    log.push([
        score.is_added(),
        score.is_changed(),
        other.is_some_and(|other| other.is_changed()),
    ]);
}

#[system]
fn win(mut score: ResMut<Score>, hits: Res<usize>) -> Result<(), std::fmt::Error> {
    assert!(
        !score.is_changed() || score.0 == 0,
        "a system does not see its own changes"
    );
    let points = score.0 + *hits as u32;
    score.set_if_neq(Score(points));
    Ok(())
}

#[test]
fn systems_know_which_resources_changed_since_they_ran() {
    let mut world = World::new();
    world.insert_resource(Score(0));
    world.insert_resource(0_usize);
    world.insert_resource(Vec::<[bool; 3]>::new());
    world.insert_resource(true);
    let mut schedule = Schedule::new();
    schedule.add((win, show.run_if(awake)));
    let mut run = |world: &mut World, hits: usize, is_awake: bool| {
        *world.resource_mut::<usize>() = hits;
        *world.resource_mut::<bool>() = is_awake;
        schedule.run(world).unwrap();
        world.resource_mut::<Vec<[bool; 3]>>().pop()
    };
    assert_eq!(run(&mut world, 0, true), Some([true, true, false]));
    assert_eq!(run(&mut world, 0, true), Some([false, false, false]));
    assert_eq!(run(&mut world, 1, true), Some([false, true, false]));
    assert_eq!(run(&mut world, 1, false), None);
    assert_eq!(
        run(&mut world, 0, true),
        Some([false, true, false]),
        "changes while the system did not run"
    );
    world.insert_resource(1_u8);
    assert_eq!(run(&mut world, 0, true), Some([false, false, true]));
    world.remove_resource::<Score>();
    world.insert_resource(Score(0));
    assert_eq!(run(&mut world, 0, true), Some([true, true, false]));
    assert!(world.resource::<Score>().is_changed(), "no last run");
    assert!(Res::from(&5).is_added());
}

/// One body for components of both kinds: bindings are `mut`, because an item may be a `Mut`.
#[system]
fn put<T: Component + PartialEq + Clone>(
    value: &T,
    mut all: Query<(Entity, &mut T)>,
) -> Vec<Entity> {
    let mut put = Vec::new();
    for (entity, mut item) in &mut all {
        if *item != *value {
            *item = value.clone();
            put.push(entity);
        }
    }
    all.for_each(|(_, mut item)| {
        if *item != *value {
            *item = value.clone();
        }
    });
    put
}

#[derive(Component, Clone, Debug, PartialEq)]
#[component(track)]
struct Level(i32);

#[test]
fn generic_code_writes_tracked_and_untracked_components_alike() {
    let mut world = World::new();
    let all = [1, 2, 3].map(|n| world.spawn((Level(n), Position(n as f32))));
    let tick = world.tick();
    assert_eq!(put::<Level>(&Level(2), &world), [all[0], all[2]]);
    assert_eq!(put::<Position>(&Position(2.0), &world), [all[0], all[2]]);
    for entity in all {
        assert_eq!(*world.get::<Level>(entity).unwrap(), Level(2));
        assert_eq!(*world.get::<Position>(entity).unwrap(), Position(2.0));
    }
    let (changed, added) = seen::<Level>(&world, tick);
    assert_eq!((changed, added), (vec![all[0], all[2]], vec![]));
}
