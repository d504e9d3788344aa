//! Disabled entities: loops leave them out, but access by id finds them.

mod followers;

use std::collections::BTreeMap;
use std::sync::Mutex;

use ecs_core::component::ComponentId;
use ecs_core::dynamic::{DynamicQuery, Term};
use ecs_core::prelude::*;
use ecs_core::query::{AndDisabled, Not, SingleError};
use ecs_core::relation::{Cascade, Related, Target, Up};
use ecs_core::snapshot::Snapshotter;
use ecs_core::{Disabled, data};
use proptest::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(track, data = "test.table")]
struct Table(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct One(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Two(u32);

/// Also disables.
#[derive(Component)]
#[component(disables)]
struct Asleep;

#[derive(Relation)]
#[relation(tree)]
struct ChildOf;

impl serde::Serialize for Table {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Table {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u32::deserialize(deserializer).map(Table)
    }
}

/// The contents of an entity.
#[derive(Clone, Copy, Debug, Default)]
struct Plain {
    table: bool,
    one: bool,
    two: bool,
    disabled: bool,
    asleep: bool,
}

impl Plain {
    fn is_enabled(&self) -> bool {
        !self.disabled && !self.asleep
    }
}

type Model = BTreeMap<Entity, Plain>;

/// Changes the contents of an entity: gives the number of the component, and whether it is inserted.
fn change(world: &mut World, model: &mut Model, entity: Entity, what: u8, insert: bool) {
    let plain = model.get_mut(&entity).unwrap();
    let value = entity.index();
    macro_rules! change {
        ($ty:ty, $value:expr, $field:ident) => {{
            plain.$field = insert;
            if insert {
                world.insert(entity, $value).unwrap();
            } else {
                world.remove::<$ty>(entity).unwrap();
            }
        }};
    }
    match what % 5 {
        0 => change!(Table, Table(value), table),
        1 => change!(One, One(value), one),
        2 => change!(Two, Two(value), two),
        3 => change!(Disabled, Disabled, disabled),
        _ => change!(Asleep, Asleep, asleep),
    }
}

fn those(model: &Model, passes: impl Fn(&Plain) -> bool) -> Vec<Entity> {
    let those = model.iter().filter(|(_, plain)| passes(plain));
    those.map(|(&entity, _)| entity).collect()
}

fn sorted(entities: impl IntoIterator<Item = Entity>) -> Vec<Entity> {
    let mut entities: Vec<_> = entities.into_iter().collect();
    entities.sort();
    entities
}

/// Compares the entities that a loop visited, in code that all loops share.
fn assert_visited(mut visited: Vec<Entity>, expected: &[Entity]) {
    visited.sort_unstable();
    assert_eq!(visited, expected);
}

/// Checks the result of `Query::single`.
fn assert_single(single: Result<Entity, SingleError>, expected: &[Entity]) {
    match expected {
        [] => assert!(matches!(single, Err(SingleError::None { .. }))),
        &[entity] => assert_eq!(single.unwrap(), entity),
        all => match single {
            Err(SingleError::Several { count, .. }) => assert_eq!(count, all.len()),
            other => panic!("{other:?}"),
        },
    }
}

/// Checks that all forms of a loop visit these entities.
macro_rules! visits {
    ($world:expr, $data:ty, $filter:ty, $expected:expr) => {{
        let expected: Vec<Entity> = $expected;
        let mut query = $world.query_filtered::<(Entity, $data), $filter>();
        let mut visited = Vec::new();
        for (entity, _) in query.iter() {
            visited.push(entity);
        }
        assert_visited(visited, &expected);
        assert_eq!(query.count(), expected.len());
        assert_eq!(query.is_empty(), expected.is_empty());
        let mut visited = Vec::new();
        query.for_each(|(entity, _)| visited.push(entity));
        assert_visited(visited, &expected);
        let mut visited = Vec::new();
        for (entity, _) in &mut query {
            visited.push(entity);
        }
        assert_visited(visited, &expected);
        let visited = Mutex::new(Vec::new());
        query.par_for_each(|(entity, _)| visited.lock().unwrap().push(entity));
        assert_visited(visited.into_inner().unwrap(), &expected);
        let mut visited = Vec::new();
        query.for_each_with_rest(|(entity, _), rest| {
            visited.push(entity);
            let mut others = 0;
            for (other, _) in rest.iter() {
                others += 1;
                assert_ne!(other, entity);
            }
            assert_eq!(others + 1, expected.len());
        });
        assert_visited(visited, &expected);
        let single = query.single().map(|(entity, _)| entity);
        assert_single(single, &expected);
    }};
}

fn check(world: &mut World, model: &Model) {
    world.check_invariants();
    let enabled =
        |passes: fn(&Plain) -> bool| those(model, move |plain| plain.is_enabled() && passes(plain));
    visits!(world, Entity, (), enabled(|_| true));
    visits!(world, &mut Table, (), enabled(|plain| plain.table));
    visits!(world, &mut One, (), enabled(|plain| plain.one));
    visits!(
        world,
        (&mut One, &Two),
        (),
        enabled(|plain| plain.one && plain.two)
    );
    visits!(
        world,
        (&mut One, &mut Table),
        (),
        enabled(|plain| plain.one && plain.table)
    );
    visits!(
        world,
        (&Table, Option<&mut One>),
        (),
        enabled(|plain| plain.table)
    );
    visits!(
        world,
        &One,
        Without<Two>,
        enabled(|plain| plain.one && !plain.two)
    );
    visits!(
        world,
        &One,
        Changed<Table>,
        enabled(|plain| plain.one && plain.table)
    );
    visits!(
        world,
        Entity,
        Or<(With<One>, With<Table>)>,
        enabled(|plain| plain.one || plain.table)
    );
    visits!(
        world,
        Entity,
        Without<Disabled>,
        those(model, |plain| !plain.disabled)
    );

    let all = |passes: fn(&Plain) -> bool| those(model, passes);
    visits!(world, Entity, AndDisabled, all(|_| true));
    visits!(world, &mut One, AndDisabled, all(|plain| plain.one));
    visits!(
        world,
        (&mut One, &mut Two),
        AndDisabled,
        all(|plain| plain.one && plain.two)
    );
    visits!(
        world,
        &mut Table,
        (With<One>, AndDisabled),
        all(|plain| plain.table && plain.one)
    );
    visits!(world, &Disabled, (), all(|plain| plain.disabled));
    visits!(world, (&One, Option<&Disabled>), (), all(|plain| plain.one));
    visits!(
        world,
        &mut One,
        With<Asleep>,
        all(|plain| plain.one && plain.asleep)
    );
    visits!(
        world,
        Entity,
        Not<With<Disabled>>,
        all(|plain| !plain.disabled)
    );

    let (one, two) = (world.view::<One>(), world.view::<Two>());
    let tables = world.view::<Table>();
    assert_eq!(
        sorted((&one, &two).entities()),
        enabled(|plain| plain.one && plain.two)
    );
    assert_eq!(
        sorted(one.with_entity().iter().map(|(entity, _)| entity)),
        enabled(|plain| plain.one)
    );
    let without_two = one.exclude(&two);
    assert_eq!(
        sorted(without_two.entities()),
        enabled(|plain| plain.one && !plain.two)
    );
    assert_eq!(one.len(), all(|plain| plain.one).len());
    assert_eq!(one.as_slice().len(), one.len());
    let chunks = tables
        .with_entity()
        .chunks()
        .flat_map(|(ids, _)| ids.to_vec());
    assert_eq!(sorted(chunks), enabled(|plain| plain.table));
    for (&entity, plain) in model {
        assert_eq!(one.get(entity).is_some(), plain.one);
        assert_eq!(tables.get(entity).is_some(), plain.table);
    }
    drop((one, two, tables));

    let [one, table] = [ComponentId::of::<One>(), ComponentId::of::<Table>()];
    let disabled = ComponentId::of::<Disabled>();
    let dynamic = |terms: &[Term]| {
        let query = DynamicQuery::new(terms.iter().copied()).unwrap();
        let matches = world.query_dynamic(&query);
        sorted(matches.iter().map(|found| found.entity()))
    };
    assert_eq!(dynamic(&[]), enabled(|_| true));
    assert_eq!(dynamic(&[Term::Read(one)]), enabled(|plain| plain.one));
    assert_eq!(dynamic(&[Term::Read(table)]), enabled(|plain| plain.table));
    let terms = [Term::Read(one), Term::With(disabled)];
    assert_eq!(dynamic(&terms), all(|plain| plain.one && plain.disabled));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(64)))]

    #[test]
    fn loops_leave_out_what_is_disabled(
        steps in prop::collection::vec((any::<u8>(), any::<usize>(), any::<bool>()), 0..50),
        grouped in any::<bool>(),
    ) {
        let mut world = if grouped {
            World::builder().group::<(One, Two)>().build()
        } else {
            World::new()
        };
        let mut model = Model::new();
        for (what, n, insert) in steps {
            if what % 7 == 6 || model.is_empty() {
                model.insert(world.spawn(()), Plain::default());
                continue;
            }
            let entity = *model.keys().nth(n % model.len()).unwrap();
            if what % 7 == 5 {
                model.remove(&entity);
                world.despawn(entity).unwrap();
            } else {
                change(&mut world, &mut model, entity, what, insert);
            }
        }
        check(&mut world, &model);

        world.despawn_all::<With<One>>();
        model.retain(|_, plain| !plain.one || !plain.is_enabled());
        check(&mut world, &model);
        world.insert_all::<Without<Table>, _>(Table(7));
        for plain in model.values_mut().filter(|plain| plain.is_enabled()) {
            plain.table = true;
        }
        check(&mut world, &model);
        world.despawn_all::<AndDisabled>();
        prop_assert_eq!(world.len(), 0);
    }
}

#[test]
fn a_return_to_a_snapshot_brings_back_what_was_disabled() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Table(n)));
    let snapshots = Snapshotter::new();
    let mut before = snapshots.take(&mut world).unwrap();
    world.insert(a, Disabled).unwrap();
    let mut after = snapshots.take(&mut world).unwrap();
    let ids = |world: &World| sorted(&world.query::<Entity>());
    snapshots.restore(&mut world, &mut before).unwrap();
    assert_eq!(ids(&world), [a, b]);
    snapshots.restore(&mut world, &mut after).unwrap();
    assert_eq!(ids(&world), [b]);
    world.check_invariants();
}

#[test]
fn saves_have_disabled_entities() {
    let mut world = World::new();
    world.spawn((Table(1), Disabled));
    world.spawn(Table(2));
    let json = serde_json::to_string(&world.save()).unwrap();
    assert!(json.contains("ecs.disabled"), "{json}");
    let mut loaded = World::new();
    data::Loader::new()
        .with::<Table>()
        .deserialize(&mut loaded, &mut serde_json::Deserializer::from_str(&json))
        .unwrap();
    let values =
        |world: &World| -> Vec<u32> { world.view::<Table>().iter().map(|table| table.0).collect() };
    assert_eq!(values(&loaded), [2]);
    assert_eq!(
        loaded
            .query_filtered::<&Table, With<Disabled>>()
            .single()
            .unwrap()
            .0,
        1
    );
    assert_eq!(loaded.hash().unwrap(), world.hash().unwrap());
    let filtered = serde_json::to_string(&world.save().entities::<With<Table>>()).unwrap();
    assert!(filtered.contains("ecs.disabled"), "{filtered}");
}

#[system]
fn below(
    mut order: Local<Cascade<ChildOf>>,
    parents: Comp<Target<ChildOf>>,
    mut nodes: Query<(Entity, &mut Table)>,
    mut visited: ResMut<Vec<Entity>>,
) {
    nodes.for_each_cascade(&mut order, &parents, |_, (entity, _)| visited.push(entity));
}

#[test]
fn relations_lead_to_disabled_entities() {
    let mut world = World::new();
    world.insert_resource(Vec::<Entity>::new());
    let root = world.spawn((Table(1), Disabled));
    let node = world.spawn((Table(2), ChildOf.to(root)));
    let leaf = world.spawn((Table(3), ChildOf.to(node), Disabled));
    let next = world.spawn((Table(4), ChildOf.to(leaf)));
    assert!(world.descendants::<ChildOf>(root).eq([node, leaf, next]));
    let ups = world.query::<(Entity, Up<ChildOf, &Table>)>();
    let found: Vec<_> = ups
        .iter()
        .map(|(entity, up)| (entity, up.target(), up.0))
        .collect();
    assert_eq!(found, [(node, root, 1), (next, leaf, 3)]);
    drop(ups);
    let filtered = world.query_filtered::<Entity, Related<ChildOf, With<Disabled>>>();
    assert_eq!(sorted(&filtered), [node, next]);
    drop(filtered);
    below(&world);
    assert_eq!(*world.resource::<Vec<Entity>>(), [node, next]);
}

#[test]
fn threads_leave_out_disabled_entities_in_lists() {
    let mut world = World::new();
    let all = world
        .spawn_batch((0..20_000).map(|n| (Table(n), One(n))))
        .to_vec();
    let two: Vec<Entity> = all.iter().copied().step_by(2).collect();
    for &entity in &two {
        world.insert(entity, Two(0)).unwrap();
    }
    for &entity in two.iter().step_by(100) {
        world.insert(entity, Disabled).unwrap();
    }
    let visited = Mutex::new(0);
    world
        .query::<(&mut One, &Two)>()
        .par_for_each(|_| *visited.lock().unwrap() += 1);
    assert_eq!(visited.into_inner().unwrap(), 9_900);
    let visited = Mutex::new(0);
    world
        .query::<(&Table, &mut Two)>()
        .par_for_each(|_| *visited.lock().unwrap() += 1);
    assert_eq!(visited.into_inner().unwrap(), 9_900);
    let visited = Mutex::new(0);
    let (mut one, chunks) = (world.view_mut::<One>(), Mutex::new(0));
    (&mut one).par_for_each(|_| *visited.lock().unwrap() += 1);
    assert_eq!(visited.into_inner().unwrap(), 19_900);
    (&mut one).par_chunks(|chunk| *chunks.lock().unwrap() += chunk.len());
    assert_eq!(chunks.into_inner().unwrap(), 20_000, "a slice has all");
}

/// A tracked value in a table, and one in a set.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(track, storage = "sparse", data = "test.sparse")]
struct Sparse(u32);

impl serde::Serialize for Sparse {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Sparse {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u32::deserialize(deserializer).map(Sparse)
    }
}

#[system]
fn changed(tables: Query<Entity, Changed<Table>>, sparse: Query<Entity, Changed<Sparse>>) -> usize {
    tables.count() + sparse.count()
}

#[system]
fn added(tables: Query<Entity, Added<Table>>, sparse: Query<Entity, Added<Sparse>>) -> usize {
    tables.count() + sparse.count()
}

#[test]
fn a_change_that_was_missed_is_seen_once_however_the_entity_is_enabled() {
    type Way = fn(&mut World, Entity);
    let ways: &[(&str, Way)] = &[
        ("remove", |world, e| world.remove::<Disabled>(e).unwrap()),
        ("remove with others", |world, e| {
            world.remove::<(One, Disabled, Asleep)>(e).unwrap();
        }),
        ("take", |world, e| _ = world.take::<Disabled>(e).unwrap()),
        ("erased", |world, e| {
            let component = ComponentId::of::<Disabled>();
            assert!(world.remove_erased(e, component).unwrap());
        }),
        ("by name", |world, e| {
            world.remove_by_name(e, "ecs.disabled").unwrap();
        }),
        ("handle", |world, e| {
            world.entity_mut(e).unwrap().remove::<Disabled>();
        }),
        ("batch", |world, e| {
            assert_eq!(world.remove_batch::<Disabled>([e]), 1);
        }),
        ("filter", |world, _| {
            world.remove_all::<Disabled, With<Disabled>>();
        }),
        ("command", |world, e| {
            let mut commands = world.borrow::<Commands>();
            commands.get().entity(e).remove::<Disabled>();
            drop(commands);
            world.flush();
        }),
        ("difference", |world, e| {
            let mut new = world.try_clone().unwrap();
            new.remove::<Disabled>(e).unwrap();
            let diff = world.diff(&new).unwrap();
            diff.apply(world).unwrap();
        }),
    ];
    for (name, enable) in ways {
        let mut world = World::new();
        let e = world.spawn((Table(1), Sparse(1)));
        let other = world.spawn((Table(1), Sparse(1)));
        assert_eq!((changed(&world), added(&world)), (4, 4));
        world.insert(e, Disabled).unwrap();
        world.get_mut::<Table>(e).unwrap().0 = 2;
        world.get_mut::<Sparse>(e).unwrap().0 = 2;
        assert_eq!((changed(&world), added(&world)), (0, 0), "{name}");
        enable(&mut world, e);
        assert!(world.is_enabled(e), "{name}");
        assert_eq!((changed(&world), added(&world)), (2, 0), "{name}");
        assert_eq!((changed(&world), added(&world)), (0, 0), "{name}");
        // Unchanged values are not reported again.
        world.insert(other, Disabled).unwrap();
        assert_eq!(changed(&world), 0);
        enable(&mut world, other);
        assert_eq!((changed(&world), added(&world)), (0, 0), "{name}");
    }
}

#[test]
fn a_value_that_came_while_the_entity_was_disabled_is_added_when_it_is_enabled() {
    let mut world = World::new();
    let spawned = world.spawn((Table(1), Disabled));
    let inserted = world.spawn(());
    let then_disabled = world.spawn(Table(3));
    for e in [inserted, then_disabled] {
        world.insert(e, Disabled).unwrap();
    }
    world.insert(inserted, Sparse(2)).unwrap();
    assert_eq!((changed(&world), added(&world)), (0, 0));
    for e in [spawned, inserted, then_disabled] {
        world.remove::<Disabled>(e).unwrap();
        assert_eq!((changed(&world), added(&world)), (1, 1));
        assert_eq!((changed(&world), added(&world)), (0, 0));
    }
}

#[test]
fn what_came_before_an_entity_was_disabled_is_not_lost_if_a_reader_had_not_run_since() {
    let mut world = World::new();
    let e = world.spawn((Table(1), Sparse(1)));
    assert_eq!((changed(&world), added(&world)), (2, 2));
    world.get_mut::<Table>(e).unwrap().0 = 2;
    assert_eq!(
        added(&world),
        0,
        "another reader runs between the change and the moment"
    );
    world.insert(e, Disabled).unwrap();
    for _ in 0..3 {
        assert_eq!((changed(&world), added(&world)), (0, 0));
    }
    world.remove::<Disabled>(e).unwrap();
    assert_eq!((changed(&world), added(&world)), (1, 0));
    assert_eq!((changed(&world), added(&world)), (0, 0));
}

#[test]
fn what_was_missed_is_kept_while_another_component_still_disables() {
    let mut world = World::new();
    let e = world.spawn(Table(1));
    changed(&world);
    world.insert(e, Disabled).unwrap();
    world.get_mut::<Table>(e).unwrap().0 = 2;
    changed(&world);
    world.insert(e, Asleep).unwrap();
    changed(&world);
    world.remove::<Disabled>(e).unwrap();
    assert_eq!(changed(&world), 0);
    world.remove::<Asleep>(e).unwrap();
    assert_eq!(changed(&world), 1);
    assert_eq!(changed(&world), 0);
}

#[test]
fn what_was_missed_since_the_first_of_two_that_disable_is_seen_if_both_leave_at_once() {
    let mut world = World::new();
    let e = world.spawn(Table(1));
    changed(&world);
    world.insert(e, Disabled).unwrap();
    world.get_mut::<Table>(e).unwrap().0 = 2;
    assert_eq!(changed(&world), 0);
    world.insert(e, Asleep).unwrap();
    world.remove::<(Disabled, Asleep)>(e).unwrap();
    assert_eq!((changed(&world), changed(&world)), (1, 0));
}

#[test]
fn a_reader_of_disabled_entities_sees_a_change_when_it_is_made_and_when_the_entity_is_enabled() {
    #[system]
    fn all(tables: Query<Entity, (Changed<Table>, AndDisabled)>) -> usize {
        tables.count()
    }
    #[system]
    fn disabled(new: Query<Entity, Added<Disabled>>) -> usize {
        new.count()
    }
    let mut world = World::new();
    let e = world.spawn(Table(1));
    assert_eq!((all(&world), disabled(&world)), (1, 0));
    world.insert(e, Disabled).unwrap();
    assert_eq!((all(&world), disabled(&world)), (0, 1));
    world.get_mut::<Table>(e).unwrap().0 = 2;
    assert_eq!(all(&world), 1);
    world.remove::<Disabled>(e).unwrap();
    assert_eq!(all(&world), 1);
    assert_eq!((all(&world), disabled(&world)), (0, 0));
}

#[derive(Resource, Clone)]
struct Open(bool);

#[derive(Resource, Clone, Default)]
struct Seen(Vec<Entity>);

#[test]
fn what_readers_have_missed_is_part_of_snapshots() {
    let seen = |changed: Query<Entity, Changed<Table>>, mut seen: ResMut<Seen>| {
        seen.0.extend(&changed);
    };
    let late = |changed: Query<Entity, Changed<Table>>| _ = changed.count();
    let then = |is_mispredicted: bool, is_missed: bool| {
        let mut frame = Schedule::new();
        frame.add((seen, late.run_if(|open: Res<Open>| open.0)));
        let mut world = World::new();
        world.insert_resource(Open(false));
        world.insert_resource(Seen::default());
        frame.run(&mut world).unwrap();
        let entity = world.spawn(Table(1));
        frame.run(&mut world).unwrap();
        world.insert(entity, Disabled).unwrap();
        if is_missed {
            world.get_mut::<Table>(entity).unwrap().0 = 2;
            frame.run(&mut world).unwrap();
        }
        let snapshotter = Snapshotter::new()
            .component::<Table>()
            .resource::<Open>()
            .resource::<Seen>();
        let snapshot = snapshotter.take_with(&mut world, &mut [&mut frame]);
        let mut snapshot = snapshot.unwrap();
        if is_mispredicted {
            world.insert_resource(Open(true));
            frame.run(&mut world).unwrap();
            for _ in 0..100 {
                world.insert(entity, Disabled).unwrap();
                frame.run(&mut world).unwrap();
                world.remove::<Disabled>(entity).unwrap();
            }
        }
        snapshotter
            .restore_with(&mut world, &mut [&mut frame], &mut snapshot)
            .unwrap();
        world.remove::<Disabled>(entity).unwrap();
        frame.run(&mut world).unwrap();
        world.resource::<Seen>().0.len()
    };
    for is_mispredicted in [false, true] {
        assert_eq!(then(is_mispredicted, false), 1);
        assert_eq!(then(is_mispredicted, true), 2);
    }
}
