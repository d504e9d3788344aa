//! `Any`: entities that have at least one member, against plain maps.

#![allow(clippy::type_complexity, reason = "deep types are the subject")]

use std::collections::BTreeMap;
use std::fmt::Debug;

use ecs_core::Disabled;
use ecs_core::data::{TextQuery, WorldData};
use ecs_core::meta::{Compatibility, params_compatible, self_compatible};
use ecs_core::prelude::*;
use ecs_core::relation::{Target, Up};
use ecs_core::toggle::{Toggle, TurnedOff, TurnedOn};
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

/// Returns a text of a value, so that all comparisons share the code of one type of map.
fn shown(value: &dyn Debug) -> String {
    format!("{value:?}")
}

/// Compares the items of all entities, in each way of visiting them, with the map.
macro_rules! compare {
    ($world:ident, $entities:ident, $query:ty, |$item:pat_param| $seen:expr, $expected:expr) => {{
        let mut all: BTreeMap<Entity, String> = BTreeMap::new();
        let mut expected: BTreeMap<Entity, String> = BTreeMap::new();
        for (e, enabled, row) in $expected {
            all.insert(e, shown(&row));
            if enabled {
                expected.insert(e, shown(&row));
            }
        }
        let mut query = $world.query::<(Entity, $query)>();
        let visit = |to: &mut BTreeMap<Entity, String>, e, seen: &dyn Debug| {
            assert!(to.insert(e, shown(seen)).is_none(), "visited twice");
        };
        let mut visited = BTreeMap::new();
        for (e, $item) in query.iter() {
            visit(&mut visited, e, &$seen);
        }
        prop_assert_eq!(&visited, &expected, "iter");
        let mut visited = BTreeMap::new();
        for (e, $item) in query.iter_mut() {
            visit(&mut visited, e, &$seen);
        }
        prop_assert_eq!(&visited, &expected, "iter_mut");
        let mut visited = BTreeMap::new();
        query.for_each(|(e, $item)| visit(&mut visited, e, &$seen));
        prop_assert_eq!(&visited, &expected, "for_each");
        let visited = std::sync::Mutex::new(BTreeMap::new());
        query.par_for_each(|(e, $item)| visit(&mut visited.lock().unwrap(), e, &$seen));
        prop_assert_eq!(&visited.into_inner().unwrap(), &expected, "par_for_each");
        for &e in &$entities {
            let expected = all.get(&e);
            let found = query.get(e).map(|(_, $item)| shown(&$seen));
            prop_assert_eq!(found.as_ref(), expected, "get");
            let found = query.get_mut(e).map(|(_, $item)| shown(&$seen));
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
        compare!(world, entities, Any<(&Place, &mut Health)>, |Any(item)| (item.0.map(|p| p.0), item.1.map(|h| h.0)),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(
                row.place.is_some() || row.health.is_some(), (row.place, row.health))?))));
        compare!(world, entities, Any<(&mut Depth, &Armor)>, |Any(item)| (item.0.map(|d| d.0), item.1.map(|a| a.0)),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(
                row.depth.is_some() || row.armor.is_some(), (row.depth, row.armor))?))));
        compare!(world, entities, Any<(&Place, &mut Armor)>, |Any(item)| (item.0.map(|p| p.0), item.1.map(|a| a.0)),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(
                row.place.is_some() || row.armor.is_some(), (row.place, row.armor))?))));
        compare!(world, entities, Any<(&Marked, &Rare)>, |Any(item)| (item.0.is_some(), item.1.is_some()),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(row.marked || row.rare, (row.marked, row.rare))?))));
        compare!(world, entities, Any<(&Marked,)>, |Any(item)| item.0.is_some(),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(row.marked, true)?))));
        compare!(world, entities, Any<((&Place, &Depth), (&mut Health, &Marked))>,
            |Any(item)| (item.0.map(|(p, d)| (p.0, d.0)), item.1.map(|(h, _)| h.0)),
            all().filter_map(|(e, enabled, row)| {
                let (first, second) = (row.place.zip(row.depth), row.health.filter(|_| row.marked));
                some(one(first.is_some() || second.is_some(), (first, second)), (e, enabled))
            }));
        compare!(world, entities, Any<(Body, &Rare, Any<(&Depth, &Armor)>)>,
            |Any(item)| (item.0.map(|body| (body.health.0, body.place.map(|p| p.0))), item.1.is_some(),
                item.2.map(|Any((d, a))| (d.map(|d| d.0), a.map(|a| a.0)))),
            all().filter_map(|(e, enabled, row)| {
                let inner = one(row.depth.is_some() || row.armor.is_some(), (row.depth, row.armor));
                let body = row.health.map(|health| (health, row.place));
                some(one(body.is_some() || row.rare || inner.is_some(), (body, row.rare, inner)), (e, enabled))
            }));
        compare!(world, entities, (&Marked, Option<Any<(&Place, &Depth)>>),
            |item| item.1.map(|Any((p, d))| (p.map(|p| p.0), d.map(|d| d.0))),
            all().filter_map(|(e, enabled, row)| Some((e, enabled, one(row.marked, one(
                row.place.is_some() || row.depth.is_some(), (row.place, row.depth)))?))));
        compare!(world, entities, Any<(&Target<ChildOf>, Up<ChildOf, &Place>, &Health)>,
            |Any(item)| (item.0.is_some(), item.1.map(|up| up.0), item.2.map(|h| h.0)),
            all().filter_map(|(e, enabled, row)| {
                let up = row.parent.and_then(|parent| rows[parent].place);
                some(one(row.parent.is_some() || row.health.is_some(), (row.parent.is_some(), up, row.health)), (e, enabled))
            }));
        compare!(world, entities, Any<(Entity, &Place)>, |Any(item)| item.1.map(|p| p.0),
            all().map(|(e, enabled, row)| (e, enabled, row.place)));
        compare!(world, entities, Any<(&Disabled, &Place)>, |Any(item)| (item.0.is_some(), item.1.map(|p| p.0)),
            all().filter_map(|(e, _, row)| Some((e, true, one(
                row.disabled || row.place.is_some(), (row.disabled, row.place))?))));
    }

    #[test]
    fn members_are_written_and_tracked_where_they_are_there(mut rows in prop::collection::vec(row(), 0..40)) {
        let mut world = World::new();
        let entities = spawn(&mut world, &mut rows);
        let since = world.tick();
        world.run(|mut all: Query<Any<(&mut Health, &mut Armor)>>| {
            for Any((health, armor)) in &mut all {
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
        let Any((place, depth)) = one.into_inner();
        place.unwrap().0 += 1;
        assert!(depth.is_none());
    });
    assert_eq!(world.get::<Place>(placed).map(|of| of.0), Some(2));
    let [Any((place, health))] = world
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
fn a_filter_may_exclude_a_member() {
    #[system]
    fn of_any(all: Query<Any<(&Place, &mut Health)>, Without<Place>>) -> usize {
        all.iter().count()
    }
    #[system]
    fn deep(all: Query<(Entity, (Any<(&Place, (&Depth, &Health))>,)), Without<Place>>) -> usize {
        all.iter().count()
    }
    #[system]
    fn optional(all: Query<(&Health, Option<(&Place, &Depth)>), Without<Place>>) -> usize {
        all.iter().count()
    }
    let mut world = World::new();
    world.spawn(Health(1));
    world.spawn((Health(1), Depth(2)));
    world.spawn((Health(1), Place(2)));
    world.spawn(Place(1));
    assert_eq!(of_any(&world), 2);
    assert_eq!(deep(&world), 1);
    assert_eq!(optional(&world), 2);
}

#[test]
#[should_panic(expected = "cannot be read now")]
fn members_that_alias_are_refused() {
    let mut world = World::new();
    world.spawn(Health(1));
    _ = world.query::<Any<(&mut Health, &Health)>>();
}

#[system(for_each)]
fn heal(
    entity: Entity,
    Any((health, armor)): Any<(&mut Health, &mut Armor)>,
    mut log: ResMut<Vec<Entity>>,
) {
    log.push(entity);
    if let Some(health) = health {
        health.0 += 1;
    }
    if let Some(armor) = armor {
        armor.0 += 10;
    }
}

#[system(for_each, without(Rare))]
fn nested(
    _: &Marked,
    any: Any<(
        &Place,
        (&mut Depth, Option<&mut Armor>),
        Any<(&Health, Entity)>,
    )>,
) {
    let Any((place, deep, inner)) = any_of_all(any);
    let Some(Any((_, entity))) = inner else {
        unreachable!("each entity has an id")
    };
    let Some((depth, armor)) = deep else { return };
    depth.0 += place.map_or(100, |place| place.0);
    if let Some(armor) = armor {
        armor.0 += depth.0;
    }
    assert!(entity.is_some());
}

/// The item has the type that the parameter names.
fn any_of_all<A, B, C>(Any(members): Any<(A, B, C)>) -> Any<(A, B, C)> {
    Any(members)
}

#[system(for_each)]
fn optional(place: &mut Place, any: Option<Any<(&mut Health, &Depth)>>) {
    place.0 = match any {
        Some(Any((Some(health), _))) => {
            health.0 += 1;
            1
        }
        Some(_) => 2,
        None => 3,
    };
}

#[system(par_for_each)]
fn in_parallel(Any((health, depth)): Any<(&mut Health, &mut Depth)>) {
    health.into_iter().for_each(|health| health.0 += 1);
    depth.into_iter().for_each(|depth| depth.0 += 1);
}

#[test]
fn a_system_is_called_for_each_entity_with_a_member() {
    let mut world = World::new();
    world.insert_resource(Vec::<Entity>::new());
    let health = world.spawn(Health(1));
    let both = world.spawn((Health(2), Armor(2)));
    let armor = world.spawn((Armor(3), Place(0)));
    world.spawn(Place(4));
    heal(&world);
    world.run(heal);
    let log = world.resource::<Vec<Entity>>().clone();
    assert_eq!((log.len(), log[..3] == log[3..]), (6, true));
    for entity in [health, both, armor] {
        assert!(log.contains(&entity));
    }
    let healths = [health, both, armor].map(|e| world.get::<Health>(e).map(|health| health.0));
    assert_eq!(healths, [Some(3), Some(4), None]);
    let armors = [health, both, armor].map(|e| world.get::<Armor>(e).map(|armor| armor.0));
    assert_eq!(armors, [None, Some(22), Some(23)]);

    in_parallel(&world);
    assert_eq!(world.get::<Health>(both).unwrap().0, 5);
    optional(&world);
    let places: Vec<i32> = world
        .query::<&Place>()
        .iter()
        .map(|place| place.0)
        .collect();
    assert_eq!(places, [3, 3]);

    let deep = world.spawn((Marked, Depth(1), Armor(1)));
    let placed = world.spawn((Marked, Depth(1), Place(5)));
    world.spawn((Marked, Place(6)));
    nested(&world);
    assert_eq!(world.get::<Depth>(deep).unwrap().0, 101);
    assert_eq!(world.get::<Armor>(deep).unwrap().0, 102);
    assert_eq!(world.get::<Depth>(placed).unwrap().0, 6);
    optional(&world);
    assert_eq!(world.get::<Place>(placed).unwrap().0, 2);
}

#[derive(QueryData)]
struct Guarded<'a> {
    entity: Entity,
    life: Any<(&'a mut Health, &'a mut Armor)>,
    place: Option<Any<(&'a Place, &'a Depth)>>,
}

#[derive(QueryData)]
struct Seen<'a>(Any<(&'a Place, Option<&'a Depth>)>);

#[test]
fn it_is_a_field_of_derived_data() {
    let mut world = World::new();
    let both = world.spawn((Health(1), Armor(1), Depth(7)));
    let armor = world.spawn(Armor(2));
    world.spawn(Place(3));
    let since = world.tick();
    for guarded in &mut world.query::<Guarded>() {
        let Any((health, armor)) = guarded.life;
        health.into_iter().for_each(|health| health.0 += 10);
        armor.into_iter().for_each(|armor| armor.0 += 10);
        let depth = guarded.place.and_then(|Any((_, depth))| depth);
        assert_eq!(depth.is_some(), guarded.entity == both);
    }
    assert_eq!(world.get::<Health>(both).unwrap().0, 11);
    assert_eq!(world.get::<Armor>(armor).unwrap().0, 12);
    assert_eq!(
        world
            .view::<Armor>()
            .since(since)
            .changed()
            .entities()
            .count(),
        2
    );
    // The read-only variant of the struct.
    let query = world.query::<Guarded>();
    let lives: Vec<_> = query
        .iter()
        .map(|guarded| guarded.life.0.0.is_some())
        .collect();
    assert_eq!(lives.iter().filter(|has_health| **has_health).count(), 1);
    drop(query);
    let seen = world.query::<Seen>();
    assert_eq!(seen.iter().filter(|seen| seen.0.0.0.is_some()).count(), 1);
}

#[derive(Component, Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[component(toggle, data = "any.lamp")]
struct Lamp(u32);

#[derive(Component, Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[component(storage = "sparse", immediate, data = "any.spark")]
struct Spark(u32);

#[derive(Component, Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[component(storage = "sparse", toggle, data = "any.torch")]
struct Torch(u32);

fn entities<F: ecs_core::query::QueryFilter, D: QueryData + 'static>(world: &World) -> Vec<Entity> {
    let query = world.query_filtered::<(Entity, D), F>();
    let mut found: Vec<Entity> = query.iter().map(|(entity, _)| entity).collect();
    found.sort_unstable();
    found
}

#[test]
fn a_member_with_a_toggle_is_there_whether_it_is_on_or_off() {
    let mut world = World::new();
    let [on, off] = [1, 2].map(|n| world.spawn(Lamp(n)));
    let [torch, dark] = [3, 4].map(|n| world.spawn(Torch(n)));
    let both = world.spawn((Lamp(5), Torch(5)));
    world.spawn(Place(0));
    world.get_mut::<Toggle<Lamp>>(off).unwrap().turn_off();
    world.get_mut::<Toggle<Lamp>>(both).unwrap().turn_off();
    world.get_mut::<Toggle<Torch>>(dark).unwrap().turn_off();
    type Lights<'a> = Any<(&'a Lamp, &'a Torch)>;
    assert_eq!(entities::<(), Lights>(&world), [on, off, torch, dark, both]);
    type Lit = Or<(TurnedOn<Lamp>, TurnedOn<Torch>)>;
    assert_eq!(entities::<Lit, Lights>(&world), [on, torch, both]);
    type Dark = Or<(TurnedOff<Lamp>, TurnedOff<Torch>)>;
    assert_eq!(entities::<Dark, Lights>(&world), [off, dark, both]);
    let toggles = world.query::<Any<(&Toggle<Lamp>, &Toggle<Torch>)>>();
    assert_eq!(toggles.iter().count(), 5);
    let is_on = |Any((lamp, torch)): Any<(&Toggle<Lamp>, &Toggle<Torch>)>| {
        lamp.is_some_and(|lamp| lamp.is_on()) || torch.is_some_and(|torch| torch.is_on())
    };
    assert_eq!(toggles.iter().filter(|any| is_on(*any)).count(), 3);
}

#[test]
fn members_that_views_insert_and_remove_come_and_go() {
    let mut world = World::new();
    world.register::<Spark>();
    let placed = world.spawn(Place(1));
    let other = world.spawn(Armor(1));
    type Sparks<'a> = Any<(&'a Spark, &'a Place)>;
    assert_eq!(entities::<(), Sparks>(&world), [placed]);
    world.run(move |mut sparks: CompMut<Spark>| {
        sparks.insert(other, Spark(1)).unwrap();
        sparks.insert(placed, Spark(2)).unwrap();
    });
    assert_eq!(entities::<(), Sparks>(&world), [placed, other]);
    world.run(move |mut sparks: CompMut<Spark>| _ = sparks.remove(other));
    assert_eq!(entities::<(), Sparks>(&world), [placed]);
}

#[test]
fn a_view_that_writes_a_member_keeps_it_from_being_borrowed() {
    let mut world = World::new();
    world.spawn((Place(1), Depth(1)));
    let place = world.view_mut::<Place>();
    assert!(
        world
            .try_query_filtered::<Any<(&Place, &Depth)>, ()>()
            .is_err()
    );
    assert!(
        world
            .try_query_filtered::<Any<(&Health, &Depth)>, ()>()
            .is_ok()
    );
    drop(place);
    let depths = world.view::<Depth>();
    assert!(
        world
            .try_query_filtered::<Any<(&Place, &Depth)>, ()>()
            .is_ok()
    );
    assert!(
        world
            .try_query_filtered::<Any<(&Place, &mut Depth)>, ()>()
            .is_err()
    );
    drop(depths);
}

#[test]
fn a_text_query_with_alternatives_finds_the_same_entities() {
    let mut world = World::new();
    let lamp = world.spawn(Lamp(1));
    let torch = world.spawn((Torch(2), Place(2)));
    let other = world.spawn(Place(3));
    // A component that the world got without its type.
    let value = world.get_by_name(lamp, "any.lamp").unwrap().unwrap();
    world.insert_by_name(other, "any.lamp", &value).unwrap();
    world.remove_by_name(lamp, "any.lamp").unwrap();
    let text = TextQuery::new(&world, "any.lamp || any.torch").unwrap();
    let mut found = text.entities(&world).unwrap();
    found.sort_unstable();
    assert_eq!(found, [torch, other]);
    assert_eq!(entities::<(), Any<(&Lamp, &Torch)>>(&world), found);
}
