//! `Any`: entities that have at least one member, against plain maps.

#![allow(clippy::type_complexity, reason = "deep types are the subject")]

use std::collections::BTreeMap;

use ecs_core::Disabled;
use ecs_core::meta::{Compatibility, params_compatible, self_compatible};
use ecs_core::prelude::*;
use ecs_core::relation::{Target, Up};
use proptest::prelude::*;

use super::kinds::{Armor, ChildOf, Depth, Health, Marked, Place};

#[derive(Component)]
#[component(storage = "sparse")]
struct Rare;

#[derive(QueryData)]
struct Body<'a> {
    health: &'a mut Health,
    place: Option<&'a Place>,
}

/// The values that an entity has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Row {
    place: Option<i32>,
    depth: Option<i32>,
    health: Option<i32>,
    armor: Option<i32>,
    marked: bool,
    rare: bool,
    disabled: bool,
    parent: Option<usize>,
}

fn row() -> impl Strategy<Value = Row> {
    let value = || prop::option::weighted(0.4, 0..9_i32);
    let parent = prop::option::of(0..40_usize);
    let values = (value(), value(), value(), value());
    let flags = (any::<bool>(), any::<bool>(), prop::bool::weighted(0.1));
    (values, flags, parent).prop_map(
        |((place, depth, health, armor), (marked, rare, disabled), parent)| Row {
            place,
            depth,
            health,
            armor,
            marked,
            rare,
            disabled,
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
        row.rare.then(|| world.insert(entity, Rare));
        row.parent = row.parent.filter(|&parent| parent < index);
        let parent = row.parent.map(|parent| ChildOf.to(entities[parent]));
        parent.map(|parent| world.insert(entity, parent));
        entities.push(entity);
    }
    for (&entity, row) in entities.iter().zip(rows) {
        row.disabled.then(|| world.insert(entity, Disabled));
    }
    entities
}

/// Compares the items of all entities, in each way of visiting them, with the map.
macro_rules! compare {
    ($world:ident, $entities:ident, $query:ty, |$item:ident| $seen:expr, $expected:expr) => {{
        let all: BTreeMap<Entity, _> = $expected
            .map(|(e, enabled, row)| (e, (enabled, row)))
            .collect();
        let expected: BTreeMap<Entity, _> = all
            .iter()
            .filter(|(_, (enabled, _))| *enabled)
            .map(|(&e, (_, row))| (e, row.clone()))
            .collect();
        let mut query = $world.query::<(Entity, $query)>();
        let visited: BTreeMap<_, _> = query.iter().map(|(e, $item)| (e, $seen)).collect();
        prop_assert_eq!(&visited, &expected, "iter");
        let visited: BTreeMap<_, _> = query.iter_mut().map(|(e, $item)| (e, $seen)).collect();
        prop_assert_eq!(&visited, &expected, "iter_mut");
        let mut visited = BTreeMap::new();
        query.for_each(|(e, $item)| assert!(visited.insert(e, $seen).is_none(), "visited twice"));
        prop_assert_eq!(&visited, &expected, "for_each");
        let visited = std::sync::Mutex::new(BTreeMap::new());
        query.par_for_each(|(e, $item)| {
            assert!(
                visited.lock().unwrap().insert(e, $seen).is_none(),
                "visited twice"
            );
        });
        prop_assert_eq!(&visited.into_inner().unwrap(), &expected, "par_for_each");
        for &e in &$entities {
            let expected = all.get(&e).map(|(_, row)| row);
            let found = query.get(e).map(|(_, $item)| $seen);
            prop_assert_eq!(found.as_ref(), expected, "get");
            let found = query.get_mut(e).map(|(_, $item)| $seen);
            prop_assert_eq!(found.as_ref(), expected, "get_mut");
        }
        drop(query);
        let single = $world.query::<$query>().iter().count();
        prop_assert_eq!(single, expected.len(), "alone");
    }};
}

fn some<T>(of: Option<T>, (e, enabled): (Entity, bool)) -> Option<(Entity, bool, T)> {
    of.map(|of| (e, enabled, of))
}

/// Returns `Some` if one of the members is there.
fn one<T>(any: bool, row: T) -> Option<T> {
    any.then_some(row)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(200)))]

    #[test]
    fn entities_with_a_member_are_visited(mut rows in prop::collection::vec(row(), 0..40)) {
        let mut world = World::new();
        let entities = spawn(&mut world, &mut rows);
        let all = || entities.iter().copied().zip(&rows).map(|(e, row)| (e, !row.disabled, row));
        compare!(world, entities, Any<(&Place, &mut Health)>, |item| (item.0.map(|p| p.0), item.1.map(|h| h.0)),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(
                row.place.is_some() || row.health.is_some(), (row.place, row.health))?))));
        compare!(world, entities, Any<(&mut Depth, &Armor)>, |item| (item.0.map(|d| d.0), item.1.map(|a| a.0)),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(
                row.depth.is_some() || row.armor.is_some(), (row.depth, row.armor))?))));
        compare!(world, entities, Any<(&Place, &mut Armor)>, |item| (item.0.map(|p| p.0), item.1.map(|a| a.0)),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(
                row.place.is_some() || row.armor.is_some(), (row.place, row.armor))?))));
        compare!(world, entities, Any<(&Marked, &Rare)>, |item| (item.0.is_some(), item.1.is_some()),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(row.marked || row.rare, (row.marked, row.rare))?))));
        compare!(world, entities, Any<(&Marked,)>, |item| item.0.is_some(),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(row.marked, true)?))));
        compare!(world, entities, Any<((&Place, &Depth), (&mut Health, &Marked))>,
            |item| (item.0.map(|(p, d)| (p.0, d.0)), item.1.map(|(h, _)| h.0)),
            all().filter_map(|(e, enabled, row)| {
                let (first, second) = (row.place.zip(row.depth), row.health.filter(|_| row.marked));
                some(one(first.is_some() || second.is_some(), (first, second)), (e, enabled))
            }));
        compare!(world, entities, Any<(Body, &Rare, Any<(&Depth, &Armor)>)>,
            |item| (item.0.map(|body| (body.health.0, body.place.map(|p| p.0))), item.1.is_some(),
                item.2.map(|(d, a)| (d.map(|d| d.0), a.map(|a| a.0)))),
            all().filter_map(|(e, enabled, row)| {
                let inner = one(row.depth.is_some() || row.armor.is_some(), (row.depth, row.armor));
                let body = row.health.map(|health| (health, row.place));
                some(one(body.is_some() || row.rare || inner.is_some(), (body, row.rare, inner)), (e, enabled))
            }));
        compare!(world, entities, (&Marked, Option<Any<(&Place, &Depth)>>),
            |item| item.1.map(|(p, d)| (p.map(|p| p.0), d.map(|d| d.0))),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(row.marked, one(
                row.place.is_some() || row.depth.is_some(), (row.place, row.depth)))?))));
        compare!(world, entities, Any<(&Target<ChildOf>, Up<ChildOf, &Place>, &Health)>,
            |item| (item.0.is_some(), item.1.map(|up| up.0), item.2.map(|h| h.0)),
            all().filter_map(|(e, enabled, row)| {
                let up = row.parent.and_then(|parent| rows[parent].place);
                some(one(row.parent.is_some() || row.health.is_some(), (row.parent.is_some(), up, row.health)), (e, enabled))
            }));
        compare!(world, entities, Any<(Entity, &Place)>, |item| item.1.map(|p| p.0),
            all().map(|(e, enabled, row)| (e, enabled, row.place)));
        compare!(world, entities, Any<(&Disabled, &Place)>, |item| (item.0.is_some(), item.1.map(|p| p.0)),
            all().filter_map(|(e, _, row)| Some((e, true, one(
                row.disabled || row.place.is_some(), (row.disabled, row.place))?))));
    }

    #[test]
    fn members_are_written_and_tracked_where_they_are_there(mut rows in prop::collection::vec(row(), 0..40)) {
        let mut world = World::new();
        let entities = spawn(&mut world, &mut rows);
        let since = world.tick();
        world.run(|mut all: Query<Any<(&mut Health, &mut Armor)>>| {
            for (health, armor) in &mut all {
                match (health, armor) {
                    (Some(mut health), None) => health.0 += 1,
                    (_, Some(mut armor)) => armor.0 += 10,
                    (None, None) => unreachable!("has neither"),
                }
            }
        });
        let (mut healed, mut armed) = (Vec::new(), Vec::new());
        for (&entity, row) in entities.iter().zip(&rows) {
            let heals = !row.disabled && row.health.is_some() && row.armor.is_none();
            let arms = !row.disabled && row.armor.is_some();
            heals.then(|| healed.push(entity));
            arms.then(|| armed.push(entity));
            let health = world.get::<Health>(entity).map(|of| of.0);
            prop_assert_eq!(health, row.health.map(|of| of + i32::from(heals)));
            let armor = world.get::<Armor>(entity).map(|of| of.0);
            prop_assert_eq!(armor, row.armor.map(|of| of + if arms { 10 } else { 0 }));
        }
        let mut changed = Vec::from_iter(world.view::<Health>().since(since).changed().entities());
        changed.sort_unstable();
        healed.sort_unstable();
        prop_assert_eq!(changed, healed);
        let mut changed = Vec::from_iter(world.view::<Armor>().since(since).changed().entities());
        changed.sort_unstable();
        armed.sort_unstable();
        prop_assert_eq!(changed, armed);
    }
}

#[test]
fn filters_and_other_members_restrict_it() {
    let mut world = World::new();
    let both = world.spawn((Place(1), Depth(2), Marked));
    let deep = world.spawn((Depth(3), Marked));
    world.spawn((Place(4), Rare, Marked));
    world.spawn(Place(5));
    world.spawn(Marked);
    let query = world.query_filtered::<(Entity, &Marked, Any<(&Place, &Depth)>), Without<Rare>>();
    let mut found: Vec<_> = query.iter().map(|(entity, ..)| entity).collect();
    found.sort_unstable();
    assert_eq!(found, [both, deep]);
}

#[test]
fn chunks_have_the_members_of_their_table() {
    let mut world = World::new();
    world.spawn_batch([(Place(1), Marked), (Place(2), Marked)]);
    world.spawn((Place(3), Health(1)));
    world.spawn((Health(1), Marked));
    world.spawn(Marked);
    let query = world.query::<Any<(&Place, &Health)>>();
    let mut lens: Vec<_> = query
        .chunks()
        .map(|(places, healths)| (places.map(<[_]>::len), healths.map(<[_]>::len)))
        .collect();
    lens.sort_unstable();
    assert_eq!(lens, [(None, Some(1)), (Some(1), Some(1)), (Some(2), None)]);
}

#[test]
fn it_is_data_of_single_entities_too() {
    let mut world = World::new();
    world.spawn(Marked);
    let placed = world.spawn(Place(1));
    world.run(|one: Single<Any<(&mut Place, &Depth)>>| {
        let (place, depth) = one.into_inner();
        place.unwrap().0 += 1;
        assert!(depth.is_none());
    });
    assert_eq!(world.get::<Place>(placed).map(|of| of.0), Some(2));
    let [(place, health)] = world
        .get_many_mut::<Any<(&Place, &mut Health)>, 1>([placed])
        .unwrap();
    assert!(place.is_some() && health.is_none());
}

#[test]
fn filters_keep_it_apart_only_if_they_exclude_all_members() {
    #[system]
    fn any(_all: Query<(&mut Depth, Any<(&mut Health, &Place)>)>) {}
    #[system]
    fn without_both(_all: Query<&mut Depth, (Without<Health>, Without<Place>)>) {}
    #[system]
    fn without_one(_all: Query<&mut Depth, Without<Health>>) {}
    #[system]
    fn reads(_all: Query<(&Armor, &Place)>) {}
    #[system]
    fn reads_written(_all: Query<&Health, Without<Place>>) {}
    let access = |meta: ecs_core::meta::SystemMeta| meta.params[0].of.access;
    let any = access(ecs_core::meta(&any));
    let compatibility = |other| params_compatible(any, other);
    assert_eq!(
        compatibility(access(ecs_core::meta(&without_both))),
        Compatibility::FilteredApart
    );
    for other in [
        access(ecs_core::meta(&without_one)),
        access(ecs_core::meta(&reads_written)),
    ] {
        assert!(matches!(compatibility(other), Compatibility::Conflict(_)));
    }
    assert_eq!(
        compatibility(access(ecs_core::meta(&reads))),
        Compatibility::Disjoint
    );
    assert_eq!(self_compatible(any), Compatibility::Disjoint);
}

#[test]
#[should_panic(expected = "cannot be read now")]
fn members_that_alias_are_refused() {
    let mut world = World::new();
    world.spawn(Health(1));
    _ = world.query::<Any<(&mut Health, &Health)>>();
}
