//! `#[derive(SystemParam)]`: several parameters in one struct.
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, unreachable_pub, single_use_lifetimes)]

use std::marker::PhantomData;

use ecs_core::meta::{Kind, ParamAccess};
use ecs_core::prelude::*;
use ecs_core::system::SystemInfo;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Position(f32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Velocity(f32);

#[derive(Resource)]
struct Time {
    dt: f32,
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Time { dt: 0.5 });
    world.spawn((Position(1.0), Velocity(2.0)));
    world
}

fn positions(world: &World) -> Vec<f32> {
    world.view::<Position>().iter().map(|p| p.0).collect()
}

/// A public parameter with fields of private types.
#[derive(SystemParam)]
pub struct Physics<'w> {
    position: CompMut<'w, Position>,
    velocity: Comp<'w, Velocity>,
    time: Res<'w, Time>,
}

impl Physics<'_> {
    fn step(&mut self) {
        let dt = self.time.dt;
        (&mut self.position, &self.velocity).for_each(|(p, v)| p.0 += v.0 * dt);
    }
}

/// Moves everything.
#[system]
pub fn movement(mut physics: Physics<'_>) {
    physics.step();
}

#[test]
fn a_struct_of_parameters_is_a_parameter() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = world();
    movement(&world);
    assert_eq!(positions(&world), [2.0]);
    let mut frame = Schedule::new();
    frame.add(movement);
    frame.run(&mut world)?;
    assert_eq!(positions(&world), [3.0]);
    Ok(())
}

#[test]
fn its_access_is_that_of_its_fields() {
    let ParamAccess::All([position, ParamAccess::Leaf(velocity), ParamAccess::Leaf(_)]) =
        ecs_core::meta(&movement).params[0].of.access
    else {
        panic!("one access per field");
    };
    assert!(matches!(position, ParamAccess::Leaf(access) if access.kind == Kind::Write));
    assert_eq!(velocity.kind, Kind::Read);
    assert_eq!(
        velocity.ident.name(),
        "systems::derive_system_param::Velocity"
    );
    assert_eq!(movement.access().count(), 3);
}

#[test]
fn a_field_that_cannot_be_borrowed_is_named() {
    let mut world = world();
    world.remove_resource::<Time>();
    let mut frame = Schedule::new();
    frame.add(movement);
    let error = frame.run(&mut world).unwrap_err().to_string();
    let wanted = "system `systems::derive_system_param::movement`, parameter `physics: Physics<'_>`: \
         field `time: Res<'w, Time>`: no resource `systems::derive_system_param::Time`";
    assert!(error.contains(wanted), "{error}");
    assert!(
        world.try_view_mut::<Position>().is_ok(),
        "the borrows of the fields before it have ended"
    );
}

#[derive(SystemParam)]
struct Counted<'w, 's, T: Resource> {
    calls: Local<'s, u32>,
    value: Option<Res<'w, T>>,
}

#[derive(SystemParam)]
struct Outer<'w, 's>(
    Counted<'w, 's, Time>,
    (Commands<'w>, Entities<'w>),
    Query<'w, (&'w mut Position, &'w Velocity)>,
    Query<'w, &'static Velocity, Without<Position>>,
);

#[system]
fn nested(
    Outer(mut counted, (mut commands, entities), mut moving, idle): Outer<'_, '_>,
) -> (u32, f32) {
    *counted.calls += 1;
    if entities.len() < 3 && idle.is_empty() {
        commands.spawn(Position(5.0));
    }
    let dt = counted.value.map_or(0.0, |time| time.dt);
    for (p, v) in &mut moving {
        p.0 += v.0 * dt;
    }
    (*counted.calls, dt)
}

#[test]
fn derived_parameters_nest_remember_and_flush() {
    let mut world = world();
    assert_eq!(world.run(nested), (1, 0.5));
    assert_eq!(world.len(), 2, "the command was applied");
    assert_eq!(nested(&world), (2, 0.5));
    assert_eq!(positions(&world), [3.0, 5.0]);
    world.flush();
    assert_eq!(positions(&world), [3.0, 5.0, 5.0]);
    assert!(ecs_core::meta(&nested).remembers());
    assert!(!ecs_core::meta(&movement).remembers());
}

#[derive(SystemParam)]
struct Generic<'a, 'b: 'a, T, M = (), const N: usize = 1>
where
    T: Component,
    M: ?Sized,
    'a: 'a,
    for<'x> &'x T: Sized,
{
    values: Comp<'a, T>,
    time: Res<'b, Time>,
    mark: PhantomData<M>,
}

impl<T: Component, M: ?Sized, const N: usize> Generic<'_, '_, T, M, N> {
    fn total(&self) -> usize {
        let PhantomData = self.mark;
        self.values.len() * N + self.time.dt as usize
    }
}

#[system]
fn total<T: Component>(twice: Generic<'_, '_, T, str, 2>, once: Generic<'_, '_, T>) -> usize {
    twice.total() + once.total()
}

#[test]
fn a_derived_parameter_may_be_generic() {
    let world = world();
    assert_eq!(total::<Position>(&world), 3);
    assert_eq!(total::<Velocity>(&world), 3);
}

#[derive(SystemParam)]
struct Nothing;

#[derive(SystemParam)]
struct Empty {}

#[system]
fn nothing(#[param] _nothing: Nothing, _empty: Empty, (_, time): (Empty, Res<Time>)) -> f32 {
    time.dt
}

#[test]
fn a_struct_without_fields_borrows_nothing() {
    assert_eq!(nothing(&world()), 0.5);
    assert_eq!(nothing.access().count(), 1);
}

#[test]
fn a_derived_parameter_is_made_by_hand_for_a_unit_test() {
    let world = world();
    ecs_core::inner(&movement)(Physics {
        position: world.view_mut(),
        velocity: world.view(),
        time: Res::from(&Time { dt: 2.0 }),
    });
    assert_eq!(positions(&world), [5.0]);
}

#[system(for_each)]
fn pull(velocity: &Velocity, mut positions: Pulled<'_>) {
    positions.sum.0 += velocity.0;
    *positions.calls += 1;
}

#[derive(SystemParam)]
struct Pulled<'w> {
    sum: ResMut<'w, Sum>,
    calls: Local<'w, u32>,
}

#[derive(Resource)]
struct Sum(f32);

#[test]
fn a_derived_parameter_is_used_beside_items() {
    let mut world = world();
    world.spawn(Velocity(40.0));
    world.insert_resource(Sum(0.0));
    pull(&world);
    assert_eq!(world.resource::<Sum>().0, 42.0);
}

mod elsewhere {
    //! Fields of every visibility, used from outside.
    use ecs_core::prelude::*;

    #[derive(SystemParam)]
    #[system_param(crate = ecs_core)]
    pub(super) struct Shared<'w> {
        pub(super) number: Res<'w, u32>,
        pub(in crate::derive_system_param::elsewhere) hidden: Res<'w, u8>,
        r#type: Res<'w, u16>,
    }

    impl Shared<'_> {
        pub(super) fn sum(&self) -> u32 {
            *self.number + u32::from(*self.hidden) + u32::from(*self.r#type)
        }
    }
}

#[system]
fn uses_elsewhere(shared: elsewhere::Shared<'_>) -> u32 {
    shared.sum() * *shared.number
}

#[test]
fn fields_have_any_visibility_and_name() {
    let mut world = World::new();
    world.insert_resource(2_u32);
    world.insert_resource(3_u8);
    world.insert_resource(4_u16);
    assert_eq!(uses_elsewhere(&world), 18);
}

#[derive(SystemParam)]
#[allow(non_camel_case_types, reason = "a raw identifier")]
struct r#mod<'r> {
    r#use: Res<'r, u32>,
}

#[system]
fn uses_raw(raw: r#mod<'_>) -> u32 {
    *raw.r#use
}

#[test]
fn a_derived_parameter_may_have_a_raw_name() {
    let mut world = World::new();
    world.insert_resource(2_u32);
    assert_eq!(uses_raw(&world), 2);
}

#[test]
fn a_derived_parameter_may_be_inside_a_function() {
    #[derive(SystemParam)]
    struct Inside<'w> {
        time: Res<'w, Time>,
    }
    #[system]
    fn inside(inside: Inside<'_>) -> f32 {
        inside.time.dt
    }
    assert_eq!(inside(&world()), 0.5);
}

#[derive(Component)]
struct Wolf;

#[derive(Component)]
struct Weight(i32);

/// Two queries that write one component of different entities.
#[derive(SystemParam)]
struct Scales<'w> {
    wolves: Query<'w, &'static mut Weight, With<Wolf>>,
    others: Query<'w, &'static mut Weight, Without<Wolf>>,
}

#[system]
fn feed(mut scales: Scales<'_>) {
    for weight in &mut scales.others {
        weight.0 -= 1;
        for wolf in &mut scales.wolves {
            wolf.0 += 1;
        }
    }
}

#[test]
fn fields_disjoint_by_filters_are_used_at_once() {
    let mut world = World::new();
    let wolf = world.spawn((Weight(10), Wolf));
    let sheep = world.spawn(Weight(5));
    feed(&world);
    assert_eq!(world.get::<Weight>(wolf).unwrap().0, 11);
    assert_eq!(world.get::<Weight>(sheep).unwrap().0, 4);
}
