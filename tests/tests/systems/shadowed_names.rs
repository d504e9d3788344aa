//! Types with the same names as type parameters in generated functions.
//!
//! Names of generic parameters have no hygiene, so a macro that repeats a user's type inside of a generic function can
//! name another type there. The types here exist twice: one under the name that the user writes, another one under the
//! name of any parameter.
#![allow(
    dead_code,
    non_camel_case_types,
    reason = "names for types, without values"
)]

use ecs_core::component::Untracked;
use ecs_core::meta::ConstTypeIdOf;
use ecs_core::prelude::*;

struct __D([u8]);
struct __Source([u8]);
struct __Visitor([u8]);

#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct Loose(u64);

trait TwoFilters {
    type Filter: QueryFilter;
}

impl TwoFilters for __D {
    type Filter = With<Loose>;
}

impl<X> TwoFilters for X {
    type Filter = ();
}

#[derive(QueryFilter)]
struct HasLoose(<__D as TwoFilters>::Filter);

#[test]
fn a_derived_filter_borrows_what_its_fields_borrow() {
    let mut world = World::new();
    let entity = world.spawn(Loose(1));
    let query: Query<'_, Entity, HasLoose> = world.query_filtered();
    assert!(world.try_view_mut::<Loose>().is_err());
    assert_eq!(Vec::from_iter(&query), [entity]);
}

trait Say: Send + Sync {
    fn say(&self) -> String;
}

struct Number(usize);
struct Text(String);

impl Say for Number {
    fn say(&self) -> String {
        self.0.to_string()
    }
}

impl Say for Text {
    fn say(&self) -> String {
        self.0.clone()
    }
}

impl Component for Box<dyn Say> {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::opaque();
    type Tracking = Untracked;
}

impl Component for Box<Text> {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::opaque();
    type Tracking = Untracked;
}

trait TwoComponents {
    type Component;
}

impl TwoComponents for __Source {
    type Component = Box<dyn Say>;
}

impl TwoComponents for __Visitor {
    type Component = Box<dyn Say>;
}

impl<X> TwoComponents for X {
    type Component = Box<Text>;
}

#[derive(Bundle)]
struct ByName {
    read: <__Source as TwoComponents>::Component,
}

#[derive(Bundle)]
struct ByVisitor(<__Visitor as TwoComponents>::Component);

#[test]
fn a_derived_bundle_has_the_components_of_its_fields() {
    let mut world = World::new();
    let seven: Box<dyn Say> = Box::new(Number(7));
    let entity = world.spawn(ByName { read: seven });
    assert!(world.has::<Box<dyn Say>>(entity) && !world.has::<Box<Text>>(entity));
    assert_eq!(world.take::<ByName>(entity).unwrap().read.say(), "7");
    world
        .insert(entity, ByVisitor(Box::new(Number(8))))
        .unwrap();
    assert_eq!(world.take::<ByVisitor>(entity).unwrap().0.say(), "8");
}

struct __V([u8]);

#[derive(Component)]
struct Body(Vec<u8>);

#[derive(Component)]
struct Left;

#[derive(Component)]
struct Right;

trait TwoMarks {
    type Mark: Component;
}

impl TwoMarks for __V {
    type Mark = Left;
}

impl<X> TwoMarks for X {
    type Mark = Right;
}

#[system(for_each, with(<__V as TwoMarks>::Mark))]
fn visit(body: &mut Body, mut others: Query<&mut Body, Without<Left>>) {
    body.0.push(1);
    others.for_each(|other| other.0.push(2));
}

#[test]
fn a_system_visits_the_entities_that_its_metadata_says() {
    let mut world = World::new();
    let left = world.spawn((Body(Vec::new()), Left));
    let right = world.spawn((Body(Vec::new()), Right));
    let mut schedule = Schedule::new();
    schedule.add(visit);
    schedule.run(&mut world).unwrap();
    visit(&world);
    assert_eq!(world.get::<Body>(left).unwrap().0, [1, 1]);
    assert_eq!(world.get::<Body>(right).unwrap().0, [2, 2]);
}
