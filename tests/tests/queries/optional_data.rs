//! `Option` of any query data, and queries without data, against plain maps.

#![allow(clippy::type_complexity, reason = "deep types are the subject")]

use std::collections::BTreeMap;

use ecs_core::meta::{Compatibility, params_compatible};
use ecs_core::prelude::*;
use ecs_core::relation::Up;
use proptest::prelude::*;

use super::kinds::{Armor, ChildOf, Depth, Health, Marked, Place};

/// Components of all storages, some of them tracked; the optional ones are written.
#[derive(QueryData)]
struct Hit<'a> {
    health: &'a mut Health,
    inner: Option<(&'a mut Armor, Option<&'a Depth>)>,
}

/// The values that an entity has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Row {
    place: Option<i32>,
    depth: Option<i32>,
    health: Option<i32>,
    armor: Option<i32>,
    marked: bool,
    parent: Option<usize>,
}

fn row() -> impl Strategy<Value = Row> {
    let value = || prop::option::of(0..9_i32);
    let parent = prop::option::of(0..40_usize);
    (value(), value(), value(), value(), any::<bool>(), parent).prop_map(
        |(place, depth, health, armor, marked, parent)| Row {
            place,
            depth,
            health,
            armor,
            marked,
            parent,
        },
    )
}

fn spawn(world: &mut World, rows: &mut [Row]) -> Vec<Entity> {
    let mut entities = Vec::new();
    for (index, row) in rows.iter_mut().enumerate() {
        let entity = world.spawn(());
        row.place.map(|of| world.insert(entity, Place(of)));
        row.depth.map(|of| world.insert(entity, Depth(of)));
        row.health.map(|of| world.insert(entity, Health(of)));
        row.armor.map(|of| world.insert(entity, Armor(of)));
        row.marked.then(|| world.insert(entity, Marked));
        row.parent = row.parent.filter(|&parent| parent < index);
        let parent = row.parent.map(|parent| ChildOf.to(entities[parent]));
        parent.map(|parent| world.insert(entity, parent));
        entities.push(entity);
    }
    entities
}

/// Compares the items of all entities, in each way of visiting them, with the map.
macro_rules! compare {
    ($world:ident, $entities:ident, $query:ty, |$item:ident| $seen:expr, $expected:expr) => {{
        let expected: BTreeMap<Entity, _> = $expected.collect();
        let mut query = $world.query::<(Entity, $query)>();
        let visited: BTreeMap<_, _> = query.iter().map(|(e, $item)| (e, $seen)).collect();
        prop_assert_eq!(&visited, &expected, "iter");
        let mut visited = BTreeMap::new();
        query.for_each(|(e, $item)| prop_assert_once(visited.insert(e, $seen)));
        prop_assert_eq!(&visited, &expected, "for_each");
        let visited = std::sync::Mutex::new(BTreeMap::new());
        query.par_for_each(|(e, $item)| {
            prop_assert_once(visited.lock().unwrap().insert(e, $seen));
        });
        prop_assert_eq!(&visited.into_inner().unwrap(), &expected, "par_for_each");
        for &e in &$entities {
            let found = query.get(e).map(|(_, $item)| $seen);
            prop_assert_eq!(found.as_ref(), expected.get(&e), "get");
            let found = query.get_mut(e).map(|(_, $item)| $seen);
            prop_assert_eq!(found.as_ref(), expected.get(&e), "get_mut");
        }
    }};
}

fn prop_assert_once<T>(earlier: Option<T>) {
    assert!(earlier.is_none(), "visited twice");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(200)))]

    #[test]
    fn optional_data_are_there_where_all_members_are(mut rows in prop::collection::vec(row(), 0..40)) {
        let mut world = World::new();
        let entities = spawn(&mut world, &mut rows);
        let all = || entities.iter().copied().zip(&rows);
        compare!(world, entities, Option<(&Place, &Health)>, |item| item.map(|(p, h)| (p.0, h.0)),
            all().map(|(e, row)| (e, row.place.zip(row.health))));
        compare!(world, entities, Option<(&Place, &mut Depth)>, |item| item.map(|(p, d)| (p.0, d.0)),
            all().map(|(e, row)| (e, row.place.zip(row.depth))));
        compare!(world, entities, Option<(Option<&Place>, &Depth, Option<(&mut Health, &Armor)>)>,
            |item| item.map(|(p, d, more)| (p.map(|p| p.0), d.0, more.map(|(h, a)| (h.0, a.0)))),
            all().map(|(e, row)| (e, row.depth.map(|d| (row.place, d, row.health.zip(row.armor))))));
        compare!(world, entities, (&Place, Option<Option<Entity>>, Option<()>),
            |item| (item.0.0, item.1.unwrap(), item.2),
            all().filter_map(|(e, row)| Some((e, (row.place?, Some(e), Some(()))))));
        compare!(world, entities, Option<Hit>,
            |hit| hit.map(|hit| (hit.health.0, hit.inner.map(|(a, d)| (a.0, d.map(|d| d.0))))),
            all().map(|(e, row)| (e, row.health.map(|h| (h, row.armor.map(|a| (a, row.depth)))))));
        compare!(world, entities, Option<(&mut Health, Up<ChildOf, (&Place, Option<&Depth>)>)>,
            |item| item.map(|(h, up)| (h.0, up.0.0, up.1.map(|d| d.0))),
            all().map(|(e, row)| (e, row.parent.and_then(|parent| {
                let parent = &rows[parent];
                Some((row.health?, parent.place?, parent.depth))
            }))));
    }

    #[test]
    fn optional_data_are_written_and_tracked_where_they_are_there(mut rows in prop::collection::vec(row(), 0..40)) {
        let mut world = World::new();
        let entities = spawn(&mut world, &mut rows);
        let before = world.query::<Entity>().iter().count();
        world.run(|mut all: Query<(Option<Hit>, Option<(&mut Place, &Marked)>)>| {
            for (hit, place) in &mut all {
                if let Some(hit) = hit {
                    hit.health.0 += 1;
                    if let Some((armor, depth)) = hit.inner {
                        armor.0 += 10 + depth.map_or(0, |depth| depth.0);
                    }
                }
                if let Some((place, _)) = place {
                    place.0 += 100;
                }
            }
        });
        for (&entity, row) in entities.iter().zip(&rows) {
            let health = world.get::<Health>(entity).map(|of| of.0);
            prop_assert_eq!(health, row.health.map(|of| of + 1));
            let armor = world.get::<Armor>(entity).map(|of| of.0);
            let hit = if row.health.is_some() { 10 + row.depth.unwrap_or(0) } else { 0 };
            prop_assert_eq!(armor, row.armor.map(|of| of + hit));
            let place = world.get::<Place>(entity).map(|of| of.0);
            prop_assert_eq!(place, row.place.map(|of| if row.marked { of + 100 } else { of }));
        }
        prop_assert_eq!(before, rows.len());
    }
}

#[test]
fn data_that_are_not_there_do_not_count_as_changed() {
    #[system]
    fn write(mut all: Query<Option<(&mut Health, &Place)>>) {
        for (mut health, _) in all.iter_mut().flatten() {
            health.0 += 1;
        }
    }
    let mut world = World::new();
    world.spawn(Health(1));
    let both = world.spawn((Health(1), Place(1)));
    let since = world.tick();
    write(&world);
    let health = world.view::<Health>().since(since);
    assert_eq!(Vec::from_iter(health.changed().entities()), [both]);
}

#[system(for_each)]
fn each(
    (entity, place): (Entity, Option<(&mut Place, Option<&Depth>)>),
    hit: Option<(&mut Health, Option<(Mut<Armor>, &Marked)>)>,
    maybe: Option<Mut<Lit>>,
    #[item] whole: Option<Tall>,
    mut calls: ResMut<u32>,
) {
    assert!(maybe.is_none_or(|lit| lit.0));
    *calls += u32::from(entity.index() < u32::MAX);
    if let Some((place, depth)) = place {
        place.0 += depth.map_or(1, |depth| depth.0);
    }
    if let Some((health, armor)) = hit {
        health.0 += 1;
        assert!(armor.is_none());
    }
    if let Some(tall) = whole {
        tall.height.0 += 5;
    }
}

#[derive(Component)]
#[component(track)]
struct Lit(bool);

#[derive(Component)]
struct Height(i32);

#[derive(QueryData)]
struct Tall<'a> {
    height: &'a mut Height,
}

#[test]
fn functions_are_called_with_optional_items() {
    let mut world = World::new();
    world.insert_resource(0_u32);
    let lone = world.spawn(Place(1));
    let deep = world.spawn((Place(1), Depth(7), Health(1), Lit(true)));
    let tall = world.spawn((Height(1), Health(1)));
    each(&world);
    assert_eq!(*world.resource::<u32>(), 3);
    assert_eq!(world.get::<Place>(lone).map(|of| of.0), Some(2));
    assert_eq!(world.get::<Place>(deep).map(|of| of.0), Some(8));
    assert_eq!(world.get::<Health>(tall).map(|of| of.0), Some(2));
    assert_eq!(world.get::<Height>(tall).map(|of| of.0), Some(6));
}

#[test]
fn chunks_are_some_where_the_table_has_all_members() {
    let mut world = World::new();
    world.spawn_batch([(Place(1), Marked), (Place(2), Marked)]);
    world.spawn(Place(3));
    let query = world.query::<(&Place, Option<(&Place, &Marked)>)>();
    let mut lens: Vec<_> = query
        .chunks()
        .map(|(all, some)| {
            (
                all.len(),
                some.map(|(places, marks)| (places.len(), marks.len())),
            )
        })
        .collect();
    lens.sort_unstable();
    assert_eq!(lens, [(1, None), (2, Some((2, 2)))]);
}

#[test]
fn a_query_without_data_visits_the_entities_of_its_filter() {
    let mut world = World::new();
    let marked = world.spawn((Marked, Place(1)));
    let other = world.spawn(Place(2));
    let deep = world.spawn(Depth(3));
    let query = world.query_filtered::<(), With<Marked>>();
    assert_eq!(query.iter().count(), 1);
    assert!(query.get(marked).is_some() && query.get(other).is_none());
    drop(query);
    assert_eq!(world.query_filtered::<(), With<Depth>>().iter().count(), 1);
    let mut calls = 0;
    world
        .query_filtered::<(), Without<Depth>>()
        .for_each(|()| calls += 1);
    assert_eq!(calls, 2);
    assert!(world.query::<()>().get(deep).is_some());
}

#[test]
fn optional_data_match_all_entities_so_filters_do_not_tell_them_from_others() {
    #[system]
    fn optional(_all: Query<Option<(&mut Health, &Place)>>) {}
    #[system]
    fn required(_all: Query<(&mut Health, &Place)>) {}
    #[system]
    fn others(_all: Query<&mut Health, Without<Place>>) {}
    let access = |meta: ecs_core::meta::SystemMeta| meta.params[0].of.access;
    let (optional, required, others) = (
        access(ecs_core::meta(&optional)),
        access(ecs_core::meta(&required)),
        access(ecs_core::meta(&others)),
    );
    assert!(matches!(
        params_compatible(optional, others),
        Compatibility::Conflict(_)
    ));
    assert_eq!(
        params_compatible(required, others),
        Compatibility::FilteredApart
    );
}
