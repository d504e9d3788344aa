//! `All<dyn Trait>` and `One<dyn Trait>`: components by a trait, against plain maps.

use std::collections::BTreeMap;
use std::sync::Mutex;

use ecs_core::Disabled;
use ecs_core::meta::{Compatibility, params_compatible, self_compatible};
use ecs_core::prelude::*;
use ecs_core::query::{All, AllMut, One, OneMut, TraitObject, queryable};
use proptest::prelude::*;

use super::kinds::{Armor, Depth, Health, Marked, Place};

#[derive(Component)]
struct Wrapped<T: Send + Sync + 'static>(T);

#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct Spark(i32);

/// Declares a trait that is implemented by the same expressions, and its components.
macro_rules! traits {
    ($($name:ident: $($component:ty),*;)*) => {$(
        trait $name: Send + Sync {
            fn worth(&self) -> i32;
            fn raise(&mut self, by: i32);
        }

        $(
            impl $name for $component {
                fn worth(&self) -> i32 {
                    Valued::worth(self)
                }

                fn raise(&mut self, by: i32) {
                    Valued::raise(self, by);
                }
            }
        )*

        queryable!(dyn $name: $($component),*);

        impl Viewed for dyn $name {
            fn worth(&self) -> i32 {
                $name::worth(self)
            }

            fn raise(&mut self, by: i32) {
                $name::raise(self, by);
            }
        }
    )*};
}

trait Valued {
    fn worth(&self) -> i32;
    fn raise(&mut self, by: i32);
}

/// The same for all traits, so that one test is for all.
trait Viewed: TraitObject {
    fn worth(&self) -> i32;
    fn raise(&mut self, by: i32);
}

macro_rules! valued {
    ($($component:ty, $number:ty;)*) => {$(
        impl Valued for $component {
            fn worth(&self) -> i32 {
                self.0.into()
            }

            fn raise(&mut self, by: i32) {
                self.0 += <$number>::try_from(by).unwrap();
            }
        }
    )*};
}

valued! {
    Place, i32;
    Depth, i32;
    Health, i32;
    Armor, i32;
    Spark, i32;
    Wrapped<u8>, u8;
    Wrapped<i16>, i16;
}

impl Valued for Marked {
    fn worth(&self) -> i32 {
        -1
    }

    fn raise(&mut self, _: i32) {}
}

traits! {
    InTables: Place, Health, Marked, Wrapped<u8>;
    Mixed: Wrapped<i16>, Armor, Place, Spark, Depth, Health, Marked, Wrapped<u8>;
    Sparse: Depth, Armor, Spark;
    Alone: Health;
    Empty: ;
}

/// The values that an entity has.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    place: Option<i32>,
    depth: Option<i32>,
    health: Option<i32>,
    armor: Option<i32>,
    spark: Option<i32>,
    small: Option<u8>,
    large: Option<i16>,
    marked: bool,
    disabled: bool,
}

impl Row {
    /// Returns the values that the trait of a name lists, in its order.
    fn listed(&self, of: &str) -> Vec<i32> {
        let marked = self.marked.then_some(-1);
        let (small, large) = (self.small.map(i32::from), self.large.map(i32::from));
        let all = match of {
            "InTables" => vec![self.place, self.health, marked, small],
            "Mixed" => vec![
                large,
                self.armor,
                self.place,
                self.spark,
                self.depth,
                self.health,
                marked,
                small,
            ],
            "Sparse" => vec![self.depth, self.armor, self.spark],
            "Alone" => vec![self.health],
            _ => vec![],
        };
        all.into_iter().flatten().collect()
    }
}

fn row() -> impl Strategy<Value = Row> {
    let value = || prop::option::weighted(0.4, 0..9_i32);
    let numbers = (value(), value(), value(), value(), value());
    let wrapped = (
        prop::option::of(0..9_u8),
        prop::option::weighted(0.2, 0..9_i16),
    );
    let flags = (any::<bool>(), prop::bool::weighted(0.1));
    (numbers, wrapped, flags).prop_map(
        |((place, depth, health, armor, spark), (small, large), (marked, disabled))| Row {
            place,
            depth,
            health,
            armor,
            spark,
            small,
            large,
            marked,
            disabled,
        },
    )
}

fn spawn(world: &mut World, rows: &[Row]) -> Vec<Entity> {
    let spawned = rows.iter().map(|row| {
        let entity = world.spawn((
            row.place.map(Place),
            row.depth.map(Depth),
            row.health.map(Health),
            row.armor.map(Armor),
            row.spark.map(Spark),
            row.small.map(Wrapped),
            row.large.map(Wrapped),
        ));
        row.marked.then(|| world.insert(entity, Marked));
        row.disabled.then(|| world.insert(entity, Disabled));
        entity
    });
    spawned.collect()
}

type Seen = BTreeMap<Entity, Vec<i32>>;

fn visit(seen: &mut Seen, entity: Entity, worths: Vec<i32>) {
    assert!(seen.insert(entity, worths).is_none(), "visited twice");
}

fn worths<'a, O: Viewed + ?Sized>(objects: impl Iterator<Item = &'a O>) -> Vec<i32> {
    objects.map(O::worth).collect()
}

/// Compares what the queries by a trait see, in each way of visiting entities, with the rows.
fn compare<O: Viewed + ?Sized>(
    name: &str,
    world: &mut World,
    entities: &[Entity],
    rows: &[Row],
) -> Result<(), TestCaseError> {
    let of = |matches: fn(usize) -> bool| {
        let all = entities
            .iter()
            .zip(rows)
            .map(|(&e, row)| (e, row, row.listed(name)));
        let mut seen = [Seen::new(), Seen::new()];
        for (e, row, worths) in all.filter(|(_, _, worths)| matches(worths.len())) {
            (!row.disabled).then(|| seen[0].insert(e, worths.clone()));
            seen[1].insert(e, worths);
        }
        seen
    };
    let [several, several_of_all] = of(|count| count > 0);
    let [one, one_of_all] = of(|count| count == 1);

    let query = world.query::<(Entity, All<O>)>();
    let mut seen = Seen::new();
    for (e, all) in &query {
        visit(&mut seen, e, worths(all.iter()));
        prop_assert_eq!(worths(all.into_iter()), worths(all.iter()));
        let mut rest = all.iter();
        let first = rest.next().map(O::worth);
        let folded = rest.fold(Vec::from_iter(first), |mut all, object| {
            all.push(object.worth());
            all
        });
        prop_assert_eq!(folded, worths(all.iter()));
    }
    prop_assert_eq!(&seen, &several, "iter");
    for &e in entities {
        let found = query.get(e).map(|(_, all)| worths(all.iter()));
        prop_assert_eq!(found.as_ref(), several_of_all.get(&e), "get");
        prop_assert_eq!(query.contains(e), several_of_all.contains_key(&e));
    }
    prop_assert_eq!(query.count(), several.len());
    drop(query);

    let mut query = world.query::<(Entity, AllMut<O>)>();
    let mut seen = Seen::new();
    query.for_each(|(e, mut all)| {
        let before = worths(all.iter());
        assert_eq!(worths(all.iter_mut().map(|object| &*object)), before);
        visit(&mut seen, e, worths(all.into_iter().map(|object| &*object)));
    });
    prop_assert_eq!(&seen, &several, "for_each");
    let seen = Mutex::new(Seen::new());
    query.par_for_each(|(e, all)| visit(&mut seen.lock().unwrap(), e, worths(all.iter())));
    prop_assert_eq!(&seen.into_inner().unwrap(), &several, "par_for_each");
    drop(query);

    let mut query = world.query::<(Entity, OneMut<O>)>();
    let seen: Seen = query
        .iter()
        .map(|(e, one)| (e, vec![one.worth()]))
        .collect();
    prop_assert_eq!(&seen, &one, "iter of one");
    let mut seen = Seen::new();
    for (e, object) in &mut query {
        visit(&mut seen, e, vec![object.worth()]);
    }
    prop_assert_eq!(&seen, &one, "iter_mut of one");
    for &e in entities {
        let found = query
            .get_mut(e)
            .map(|(_, one)| vec![one.into_inner().worth()]);
        prop_assert_eq!(found.as_ref(), one_of_all.get(&e), "get_mut of one");
    }
    drop(query);

    // A member that all entities have.
    let query = world.query::<(Entity, Option<One<O>>)>();
    let seen: Seen = query
        .iter()
        .map(|(e, one)| (e, one.map(|one| one.0.worth()).into_iter().collect()))
        .collect();
    let enabled = entities.iter().zip(rows).filter(|(_, row)| !row.disabled);
    let expected: Seen = enabled
        .map(|(&e, _)| (e, one.get(&e).cloned().unwrap_or_default()))
        .collect();
    prop_assert_eq!(seen, expected, "optional");
    drop(query);

    // Value by value.
    let mut expected: Vec<i32> = several.values().flatten().copied().collect();
    let mut values = Vec::new();
    world
        .query::<All<O>>()
        .for_each_value(|object| values.push(object.worth()));
    values.sort_unstable();
    expected.sort_unstable();
    prop_assert_eq!(values, expected);
    let without = |rows: &[Row]| {
        let matching = rows
            .iter()
            .filter(|row| !row.disabled && row.place.is_none());
        let mut values: Vec<i32> = matching.flat_map(|row| row.listed(name)).collect();
        values.sort_unstable();
        values
    };
    let mut values = Vec::new();
    world
        .query_filtered::<AllMut<O>, Without<Place>>()
        .for_each_value(|object| {
            object.raise(0);
            values.push(object.worth());
        });
    values.sort_unstable();
    prop_assert_eq!(values, without(rows));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(200)))]

    #[test]
    fn components_are_visited_by_their_trait(rows in prop::collection::vec(row(), 0..40)) {
        let mut world = World::new();
        let entities = spawn(&mut world, &rows);
        compare::<dyn InTables>("InTables", &mut world, &entities, &rows)?;
        compare::<dyn Mixed>("Mixed", &mut world, &entities, &rows)?;
        compare::<dyn Sparse>("Sparse", &mut world, &entities, &rows)?;
        compare::<dyn Alone>("Alone", &mut world, &entities, &rows)?;
        compare::<dyn Empty>("Empty", &mut world, &entities, &rows)?;
    }

    #[test]
    fn only_values_that_are_handed_out_to_be_written_count_as_changed(rows in prop::collection::vec(row(), 0..40)) {
        let mut world = World::new();
        let entities = spawn(&mut world, &rows);
        let changed = |world: &World, since| {
            let mut healths = Vec::from_iter(world.view::<Health>().since(since).changed().entities());
            let mut armors = Vec::from_iter(world.view::<Armor>().since(since).changed().entities());
            healths.sort_unstable();
            armors.sort_unstable();
            (healths, armors)
        };
        let have = |matches: fn(&Row) -> bool| {
            let all = entities.iter().zip(&rows).filter(|(_, row)| !row.disabled && matches(row));
            let mut all: Vec<Entity> = all.map(|(&e, _)| e).collect();
            all.sort_unstable();
            all
        };
        let since = world.tick();
        world.query::<AllMut<dyn Mixed>>().for_each(|all| assert!(all.iter().count() > 0));
        for one in &mut world.query::<OneMut<dyn Mixed>>() {
            _ = one.worth();
        }
        prop_assert_eq!(changed(&world, since), (vec![], vec![]));
        for mut one in &mut world.query::<OneMut<dyn Mixed>>() {
            one.raise(1);
        }
        let count = |row: &Row| row.listed("Mixed").len();
        prop_assert_eq!(changed(&world, since), (
            have(|row| row.health.is_some() && row.listed("Mixed").len() == 1),
            have(|row| row.armor.is_some() && row.listed("Mixed").len() == 1),
        ));
        let since = world.tick();
        // The first one of each entity.
        world.query::<AllMut<dyn Mixed>>().for_each(|mut all| all.iter_mut().next().unwrap().raise(1));
        let is_first = |row: &Row| row.armor.is_some() && row.large.is_none();
        prop_assert_eq!(&changed(&world, since).1, &have(is_first));
        let since = world.tick();
        world.query::<AllMut<dyn Mixed>>().for_each_value(|object| object.raise(1));
        prop_assert_eq!(changed(&world, since), (have(|row| row.health.is_some()), have(|row| row.armor.is_some())));
        for (&e, row) in entities.iter().zip(&rows) {
            let raises = i32::from(!row.disabled) + i32::from(!row.disabled && count(row) == 1);
            let is_first = row.armor.is_none() && row.large.is_none() && row.place.is_none()
                && row.spark.is_none() && row.depth.is_none();
            let first = i32::from(!row.disabled && is_first);
            let health = world.get::<Health>(e).map(|health| health.0);
            prop_assert_eq!(health, row.health.map(|health| health + raises + first));
        }
    }
}

#[system(for_each)]
fn raise_all(entity: Entity, all: AllMut<dyn Mixed>, mut log: ResMut<Vec<Entity>>) {
    log.push(entity);
    all.into_iter().for_each(|object| object.raise(1));
}

#[system(par_for_each)]
fn raise_one(mut one: OneMut<dyn InTables>) {
    one.raise(10);
}

#[system(for_each)]
fn copy(health: &mut Health, place: Option<One<'_, dyn Sparse>>) {
    health.0 = place.map_or(-5, |sparse| sparse.worth());
}

#[derive(QueryData)]
struct Body<'a> {
    entity: Entity,
    all: AllMut<'a, dyn InTables>,
    sparse: Option<One<'a, dyn Sparse>>,
}

#[derive(QueryData)]
struct Shown<'a> {
    all: All<'a, dyn InTables>,
}

#[test]
fn they_are_items_of_systems_and_fields_of_structs() {
    let mut world = World::new();
    world.insert_resource(Vec::<Entity>::new());
    let both = world.spawn((Health(1), Place(2)));
    let sparse = world.spawn((Health(3), Depth(4)));
    world.spawn(Armor(5));
    world.spawn(());
    raise_all(&world);
    assert_eq!(world.resource::<Vec<Entity>>().len(), 3);
    assert_eq!(world.get::<Place>(both).unwrap().0, 3);
    raise_one(&world);
    assert_eq!(world.get::<Health>(both).unwrap().0, 2);
    assert_eq!(world.get::<Health>(sparse).unwrap().0, 14);
    copy(&world);
    assert_eq!(world.get::<Health>(both).unwrap().0, -5);
    assert_eq!(world.get::<Health>(sparse).unwrap().0, 5);

    let mut bodies = world.query::<Body>();
    for body in &mut bodies {
        assert_eq!(body.sparse.is_some(), body.entity == sparse);
        body.all.into_iter().for_each(|object| object.raise(1));
    }
    let read: Vec<usize> = bodies.iter().map(|body| body.all.iter().count()).collect();
    assert_eq!(read.iter().sum::<usize>(), 3);
    drop(bodies);
    let shown = world.query::<Shown>();
    let worth = |shown: ShownReadOnly<'_>| worths(shown.all.iter());
    assert_eq!(shown.iter().flat_map(worth).sum::<i32>(), 6);
    drop(shown);
    world.run(|one: Single<OneMut<dyn Sparse>, With<Health>>| assert_eq!(one.worth(), 5));
    let [all] = world
        .get_many_mut::<AllMut<dyn InTables>, 1>([both])
        .unwrap();
    assert_eq!(all.iter().count(), 2);
}

#[test]
fn views_that_insert_and_remove_change_what_an_entity_has() {
    let mut world = World::new();
    world.register::<Spark>();
    let entity = world.spawn(Depth(1));
    assert_eq!(world.query::<One<dyn Sparse>>().count(), 1);
    world.run(move |mut sparks: CompMut<Spark>| _ = sparks.insert(entity, Spark(2)).unwrap());
    assert_eq!(world.query::<One<dyn Sparse>>().count(), 0);
    assert_eq!(world.query::<All<dyn Sparse>>().count(), 1);
    let query = world.query::<All<dyn Sparse>>();
    assert!(world.try_query_filtered::<&mut Spark, ()>().is_err());
    drop(query);
    world.run(move |mut sparks: CompMut<Spark>| _ = sparks.remove(entity));
    assert_eq!(world.query::<One<dyn Sparse>>().count(), 1);
}

#[test]
fn a_query_by_a_trait_borrows_all_its_components() {
    let mut world = World::new();
    world.spawn((Place(1), Health(1), Armor(1)));
    let place = world.view_mut::<Place>();
    assert!(world.try_query_filtered::<All<dyn InTables>, ()>().is_err());
    assert!(world.try_query_filtered::<All<dyn Sparse>, ()>().is_ok());
    assert!(world.try_query_filtered::<AllMut<dyn Alone>, ()>().is_ok());
    drop(place);
    let health = world.view::<Health>();
    assert!(world.try_query_filtered::<All<dyn InTables>, ()>().is_ok());
    assert!(
        world
            .try_query_filtered::<OneMut<dyn InTables>, ()>()
            .is_err()
    );
    drop(health);
    // Two traits with a component of both: nothing stays borrowed after a refusal.
    assert!(
        world
            .try_query_filtered::<(AllMut<dyn InTables>, AllMut<dyn Alone>), ()>()
            .is_err()
    );
    assert!(
        world
            .try_query_filtered::<(All<dyn InTables>, One<dyn Alone>), ()>()
            .is_ok()
    );
    assert!(
        world
            .try_query_filtered::<(AllMut<dyn InTables>, AllMut<dyn Sparse>), ()>()
            .is_ok()
    );
}

#[test]
fn conflicts_are_those_of_the_listed_components() {
    #[system]
    fn writes(_all: Query<(Entity, AllMut<dyn InTables>)>) {}
    #[system]
    fn reads(_all: Query<One<dyn InTables>>) {}
    #[system]
    fn other(_all: Query<AllMut<dyn Sparse>>) {}
    #[system]
    fn empty(_all: Query<AllMut<dyn Empty>>) {}
    #[system]
    fn one_of_them(_all: Query<&mut Wrapped<u8>>) {}
    #[system]
    fn other_instance(_all: Query<&mut Wrapped<i16>>) {}
    #[system]
    fn apart(
        _all: Query<
            &mut Health,
            (
                Without<Place>,
                Without<Marked>,
                Without<Wrapped<u8>>,
                With<Armor>,
            ),
        >,
    ) {
    }
    #[system]
    fn filtered(
        _all: Query<AllMut<dyn InTables>, Without<Armor>>,
        _other: Query<&mut Place, With<Armor>>,
    ) {
    }
    let access = |meta: ecs_core::meta::SystemMeta| meta.params[0].of.access;
    let [writes, reads, other, empty, one, instance, apart] = [
        access(ecs_core::meta(&writes)),
        access(ecs_core::meta(&reads)),
        access(ecs_core::meta(&other)),
        access(ecs_core::meta(&empty)),
        access(ecs_core::meta(&one_of_them)),
        access(ecs_core::meta(&other_instance)),
        access(ecs_core::meta(&apart)),
    ];
    for conflicting in [writes, reads, one, apart] {
        let found = params_compatible(writes, conflicting);
        assert!(
            matches!(found, Compatibility::Conflict(_)),
            "{conflicting:?}"
        );
    }
    for disjoint in [other, empty, instance] {
        assert_eq!(params_compatible(writes, disjoint), Compatibility::Disjoint);
    }
    assert_eq!(params_compatible(reads, reads), Compatibility::Disjoint);
    assert_eq!(self_compatible(writes), Compatibility::Disjoint);
    let written = ecs_core::meta(&filtered).params[0].ty;
    assert_eq!(written, "Query<AllMut<dyn InTables>, Without<Armor>>");
}

#[test]
fn a_method_that_panics_leaves_the_world_as_it_is() {
    let mut world = World::new();
    world.spawn_batch([Place(1), Place(2), Place(3)]);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        world
            .query::<AllMut<dyn InTables>>()
            .for_each_value(|object| {
                object.raise(1);
                assert!(object.worth() < 3, "too much");
            });
    }));
    assert!(panicked.is_err());
    let places: Vec<i32> = world
        .query::<&Place>()
        .iter()
        .map(|place| place.0)
        .collect();
    assert_eq!(places, [2, 3, 3]);
    // Nothing is borrowed any more.
    _ = world.view_mut::<Place>();
}

#[test]
fn a_query_that_names_a_component_that_disables_sees_disabled_entities() {
    trait Anything {}
    impl Anything for Disabled {}
    impl Anything for Place {}
    queryable!(dyn Anything: Place, Disabled);

    let mut world = World::new();
    world.spawn(Place(1));
    world.spawn((Place(2), Disabled));
    let query = world.query::<All<dyn Anything>>();
    assert_eq!(query.iter().map(|all| all.iter().count()).sum::<usize>(), 3);
    let mut count = 0;
    query.for_each_value(|_| count += 1);
    assert_eq!(count, 3);
}
