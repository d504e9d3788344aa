//! `#[derive(QueryData)]` and `#[derive(QueryFilter)]`: queries over structs.
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, unreachable_pub, single_use_lifetimes)]

use ecs_core::meta::{ParamAccess, QueryAccess};
use ecs_core::prelude::*;
use ecs_core::query::{Item, ReadOnlyQueryData};
use ecs_core::system::SystemInfo;

/// A position.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Position(f32);

/// A velocity.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Velocity(f32);

/// A mass.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
pub struct Mass(f32);

#[derive(Component)]
struct Frozen;

/// Entities that move.
#[derive(QueryData)]
pub struct Mover<'a> {
    /// The position.
    pub position: &'a mut Position,
    velocity: &'a Velocity,
    pub(crate) mass: Option<&'a mut Mass>,
    r#type: Entity,
}

impl Mover<'_> {
    fn step(&mut self) {
        let mass = self.mass.as_ref().map_or(1.0, |mass| mass.0);
        self.position.0 += self.velocity.0 / mass;
    }
}

#[derive(QueryData, Clone, Copy, Debug, PartialEq)]
struct Seen<'a>(&'a Position, Option<&'a Velocity>, (Entity, &'a Position));

fn world() -> (World, [Entity; 3]) {
    let mut world = World::new();
    let entities = [
        world.spawn((Position(1.0), Velocity(2.0))),
        world.spawn((Position(10.0), Velocity(20.0), Mass(4.0), Frozen)),
        world.spawn(Position(100.0)),
    ];
    (world, entities)
}

fn positions(world: &World) -> Vec<f32> {
    let mut all: Vec<f32> = world.view::<Position>().iter().map(|p| p.0).collect();
    all.sort_by(f32::total_cmp);
    all
}

#[system]
fn movement(mut movers: Query<Mover>) {
    for mut mover in &mut movers {
        mover.step();
    }
}

#[system]
fn thawed(mut movers: Query<Mover<'_>, Without<Frozen>>) {
    movers.for_each(|mut mover| mover.step());
}

#[test]
fn a_query_yields_the_struct() {
    let (world, _) = world();
    movement(&world);
    assert_eq!(positions(&world), [3.0, 15.0, 100.0]);
    thawed(&world);
    assert_eq!(positions(&world), [5.0, 15.0, 100.0]);
}

#[test]
fn a_struct_is_fetched_of_one_entity() {
    let (world, [a, b, c]) = world();
    let mut query = world.query::<Mover>();
    query.get_mut(b).unwrap().step();
    assert!(query.get_mut(c).is_none());
    let mover: MoverReadOnly<'_> = query.get(b).unwrap();
    assert_eq!(mover.position.0, 15.0);
    assert_eq!(mover.mass.unwrap().0, 4.0);
    assert_eq!(mover.r#type, b);
    assert_eq!(query.get(a).unwrap().mass, None);
}

#[test]
fn read_access_returns_the_read_only_struct() {
    fn is_read_only<D: ReadOnlyQueryData>(_: &Query<D>) {}
    let (world, _) = world();
    let query = world.query::<Mover>();
    let sum: f32 = query.iter().map(|mover| mover.velocity.0).sum();
    assert_eq!(sum, 22.0);
    for mover in &query {
        assert!(mover.position.0 > 0.0);
    }
    drop(query);
    let reads = world.query::<MoverReadOnly>();
    is_read_only(&reads);
    assert!(
        world.try_view::<Position>().is_ok(),
        "the read-only struct only reads"
    );
}

#[test]
fn a_read_only_struct_is_its_own_read_only_form() {
    let (world, [a, ..]) = world();
    let query = world.query::<Seen>();
    let position = Position(1.0);
    let seen = Seen(&position, Some(&Velocity(2.0)), (a, &position));
    assert_eq!(query.get(a), Some(seen));
    assert_eq!(query.iter().filter(|seen| seen.1.is_none()).count(), 1);
    assert!(query.iter().all(|seen| seen.0 == seen.2.1));
}

#[test]
fn chunks_are_those_of_the_fields() {
    #[derive(QueryData)]
    struct Plain<'a> {
        position: &'a mut Position,
        velocity: &'a Velocity,
    }
    let (world, _) = world();
    let mut query = world.query::<Plain>();
    for (positions, velocities) in query.chunks_mut() {
        positions[0].0 = velocities[0].0;
    }
    let sum: f32 = query.iter().map(|p| p.position.0 + p.velocity.0).sum();
    assert_eq!(sum, 44.0);
}

#[derive(QueryData)]
struct Nested<'a, 'b, T: Component, U>
where
    U: Component,
    'a: 'a,
{
    mover: Mover<'a>,
    generic: &'b mut T,
    other: (Option<&'b U>, Seenless),
}

#[derive(QueryData, PartialEq, Debug)]
struct Seenless {
    entity: Entity,
}

#[system]
fn nested<T: Component + Default>(mut query: Query<Nested<T, Frozen>>) -> usize {
    query.for_each(|mut each| {
        each.mover.step();
        *each.generic = T::default();
    });
    let all = query.iter();
    all.filter(|each| {
        each.other.0.is_some() == each.mover.mass.is_some()
            && each.other.1.entity == each.mover.r#type
    })
    .inspect(|each| assert!(std::mem::size_of_val(each.generic) > 0))
    .count()
}

#[derive(Component, Default)]
struct Count(u32);

#[test]
fn derived_data_nests_and_may_be_generic() {
    let (mut world, [a, b, _]) = world();
    world.insert(a, Count(1)).unwrap();
    world.insert(b, Count(2)).unwrap();
    assert_eq!(nested::<Count>(&world), 2);
    assert_eq!(positions(&world), [3.0, 15.0, 100.0]);
    assert!(world.view::<Count>().iter().all(|count| count.0 == 0));
}

/// Any data, and the entity that it belongs to.
#[derive(QueryData)]
pub struct Owned<'a, D: QueryData> {
    /// The data.
    pub data: Item<'a, D>,
    owner: Entity,
}

#[derive(QueryData)]
struct Twice<'a, A, B: QueryData, const N: usize>(
    Item<'a, (A, Entity)>,
    Item<'a, Option<Owned<'a, B>>>,
)
where
    A: ReadOnlyQueryData;

#[system]
fn of_any_data(
    mut all: Query<Owned<(&mut Position, Option<&mut Mass>)>, Without<Frozen>>,
    velocities: Query<Owned<&Velocity>>,
) -> f32 {
    all.for_each(|each| each.data.0.0 += 1.0);
    let found = velocities.iter();
    found
        .filter(|each| all.get(each.owner).is_some())
        .map(|each| each.data.0)
        .sum()
}

#[system]
fn of_generic_data<D: QueryData + 'static>(all: Query<Owned<D>>) -> usize {
    all.count()
}

#[test]
fn a_field_is_the_item_of_a_parameter_that_is_query_data() {
    let (world, [a, b, c]) = world();
    assert_eq!(of_any_data(&world), 2.0);
    assert_eq!(positions(&world), [2.0, 10.0, 101.0]);
    assert_eq!(of_generic_data::<&Velocity>(&world), 2);
    assert_eq!(of_generic_data::<Mover>(&world), 2);
    let mut query = world.query::<Twice<&Velocity, Mover, 3>>();
    query.for_each(|Twice((velocity, entity), mover)| {
        let mut mover = mover.unwrap();
        assert_eq!((mover.owner, mover.data.velocity), (entity, velocity));
        mover.data.step();
    });
    drop(query);
    assert_eq!(positions(&world), [4.0, 15.0, 101.0]);
    let read = world.query::<Owned<&mut Position>>();
    let OwnedReadOnly { data, owner } = read.get(c).unwrap();
    assert_eq!((data, owner), (&Position(101.0), c));
    assert!(world.try_view_mut::<Position>().is_err(), "{a} {b}");
}

macro_rules! many {
    ($($field:ident)*) => {
        #[derive(QueryData)]
        struct Many<'a> { $($field: &'a Position,)* last: &'a mut Velocity }

        impl Many<'_> {
            fn sum(&mut self) {
                self.last.0 = [$(self.$field.0),*].iter().sum();
            }
        }
    };
}

many!(a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9);

#[test]
fn the_number_of_fields_has_no_limit() {
    let (world, [a, ..]) = world();
    world.query::<Many>().for_each(|mut many| many.sum());
    assert_eq!(world.get::<Velocity>(a).unwrap().0, 40.0);
}

#[test]
fn the_access_is_that_of_the_fields() {
    let ParamAccess::Query { data, .. } = ecs_core::meta(&movement).params[0].of.access else {
        panic!("a query's tree");
    };
    let wanted = matches!(
        data,
        QueryAccess::All([
            QueryAccess::Write(_),
            QueryAccess::Read(_),
            QueryAccess::Optional([QueryAccess::Write(_)]),
            QueryAccess::Nothing
        ])
    );
    assert!(wanted, "{data:?}");
    assert_eq!(movement.access().count(), 3);
}

/// Those that conflict do not compile: `tests/built/ui_built/fields_of_an_instance.rs`.
#[test]
fn generic_fields_that_do_not_conflict_can_be_queried() {
    #[derive(QueryData)]
    #[allow(dead_code, reason = "only the query matters")]
    struct Both<'a, T: Component, U: Component> {
        one: &'a mut T,
        two: &'a U,
    }
    #[derive(QueryData)]
    #[allow(dead_code, reason = "only the query matters")]
    struct Besides<'a, D: QueryData> {
        one: &'a mut Position,
        two: Item<'a, D>,
    }
    let (world, _) = world();
    assert!(
        world
            .try_query_filtered::<Besides<&mut Velocity>, ()>()
            .is_ok()
    );
    assert!(
        world
            .try_query_filtered::<Both<Position, Velocity>, ()>()
            .is_ok()
    );
    assert!(world.try_view_mut::<Position>().is_ok());
}

#[derive(QueryFilter)]
struct Moving {
    velocity: With<Velocity>,
    frozen: Without<Frozen>,
}

#[derive(QueryFilter)]
struct Any<T: Component>(Or<(With<Mass>, Moving)>, With<T>);

#[derive(QueryFilter)]
struct All;

fn found<F: QueryFilter>(world: &World) -> Vec<Entity> {
    let mut found: Vec<Entity> = world.query_filtered::<Entity, F>().iter().collect();
    found.sort_unstable();
    found
}

#[test]
fn a_struct_of_filters_is_a_filter() {
    let (world, [a, b, c]) = world();
    assert_eq!(found::<Moving>(&world), [a]);
    assert_eq!(found::<Any<Position>>(&world), [a, b]);
    assert_eq!(found::<Any<Frozen>>(&world), [b]);
    assert_eq!(found::<(Moving, With<Mass>)>(&world), []);
    assert_eq!(found::<All>(&world), [a, b, c]);
    assert!(matches!(
        Moving::ACCESS,
        QueryAccess::All([QueryAccess::With(_), QueryAccess::Without(_)])
    ));
}

#[derive(SystemParam)]
struct Param<'w> {
    movers: Query<'w, Mover<'w>, Moving>,
    frozen: Query<'w, &'static Frozen, Any<Mass>>,
}

#[system]
fn param(mut param: Param<'_>) -> usize {
    param.movers.for_each(|mut mover| mover.step());
    param.frozen.count()
}

/// A query item with a raw name.
#[derive(QueryData)]
#[allow(non_camel_case_types, reason = "a raw identifier")]
pub struct r#type<'a> {
    r#mod: &'a mut Position,
}

#[test]
fn derived_data_may_have_a_raw_name() {
    let (world, _) = world();
    for data in &mut world.query::<r#type>() {
        data.r#mod.0 = 1.0;
    }
    let query = world.query::<typeReadOnly>();
    assert!(query.iter().all(|data| data.r#mod.0 == 1.0));
}

#[test]
fn derived_queries_are_fields_of_derived_parameters() {
    let (world, _) = world();
    assert_eq!(param(&world), 1);
    assert_eq!(positions(&world), [3.0, 10.0, 100.0]);
}

#[system(for_each)]
fn each(#[item] mut mover: Mover<'_>, #[item] seen: Seenless, mut last: ResMut<Last>) {
    mover.step();
    last.0 = Some(seen.entity);
}

#[derive(Resource)]
struct Last(Option<Entity>);

#[test]
fn a_derived_struct_is_an_item() {
    let (mut world, [_, b, _]) = world();
    world.insert_resource(Last(None));
    each(&world);
    assert_eq!(positions(&world), [3.0, 15.0, 100.0]);
    assert_eq!(world.resource::<Last>().0, Some(b));
}

#[derive(SystemParam)]
struct Apart<'w> {
    movers: Query<'w, Mover<'w>, Moving>,
    others: Query<'w, Seen<'static>, Without<Velocity>>,
}

#[system]
fn apart(mut apart: Apart<'_>) -> usize {
    apart.movers.for_each(|mut mover| mover.step());
    apart.others.iter().filter(|seen| seen.1.is_none()).count()
}

#[test]
fn queries_disjoint_by_filters_share_a_derived_parameter() {
    let (world, _) = world();
    assert_eq!(apart(&world), 1);
    assert_eq!(positions(&world), [3.0, 10.0, 100.0]);
}

#[test]
fn a_derived_query_is_split_and_iterated_with_the_rest() {
    let (world, [a, b, _]) = world();
    let mut query = world.query::<Mover>();
    let (one, mut rest) = query.split(a).unwrap();
    one.position.0 = rest.get(b).unwrap().position.0;
    rest.get_mut(b).unwrap().position.0 = 0.0;
    assert!(rest.get(a).is_none());
    query.for_each_with_rest(|mut mover, rest| {
        mover.step();
        let other = if mover.r#type == a { b } else { a };
        mover.position.0 += rest.get(other).unwrap().position.0;
    });
    drop(query);
    assert_eq!(positions(&world), [12.0, 17.0, 100.0]);
}

/// Structs with fields of types that are private to their module.
mod elsewhere {
    use super::*;

    #[derive(Component, Default)]
    struct Secret<T: Default + Send + Sync + 'static>(T);

    #[derive(QueryData)]
    pub(super) struct Counter<'a, T: Component> {
        secret: &'a mut Secret<u32>,
        other: Option<&'a T>,
    }

    #[derive(QueryData)]
    pub(super) struct Counted<'a, D: QueryData> {
        pub data: Item<'a, D>,
        secret: Secrets<'a>,
    }

    #[derive(QueryData)]
    pub(super) struct Secrets<'a>(&'a Secret<u32>);

    #[derive(QueryFilter)]
    pub(super) struct IsSecret {
        _is: With<Secret<u32>>,
        _is_none: Without<Secret<i32>>,
    }

    impl<T: Component> Counter<'_, T> {
        pub(super) fn count(&mut self) {
            self.secret.0 += 1 + u32::from(self.other.is_some());
        }
    }

    impl<D: QueryData> CountedReadOnly<'_, D> {
        pub(super) fn secret(&self) -> u32 {
            self.secret.0.0
        }
    }

    pub(super) fn keep(world: &mut World, entity: Entity) {
        world.insert(entity, Secret::<u32>::default()).unwrap();
    }
}
use elsewhere::{Counted, Counter, IsSecret};

#[system]
fn count(
    mut all: Query<Counter<Velocity>>,
    positions: Query<&mut Position, Without<Frozen>>,
) -> usize {
    all.for_each(|mut one| one.count());
    positions.count()
}

#[system]
fn secrets(all: Query<Counted<(&Position, Entity)>, IsSecret>) -> Vec<(u32, f32)> {
    all.iter().map(|one| (one.secret(), one.data.0.0)).collect()
}

#[test]
fn public_query_data_and_filters_have_fields_of_private_types() {
    let (mut world, [a, _, c]) = world();
    elsewhere::keep(&mut world, a);
    elsewhere::keep(&mut world, c);
    count(&world);
    let mut found = secrets(&world);
    found.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(found, [(1, 100.0), (2, 1.0)]);
}
