//! Every macro once, with nothing imported except the items that the code names.

use ::core::iter::Iterator as _;
use ::core::option::Option::{self, Some};
use ::ecs_core::{
    Comp, CompMut, Entity, Local, ParamSet, Query, Res, ResMut, With, Without, World,
};

/// A component with private fields that public systems use.
#[derive(::ecs_core::Component, Debug)]
pub struct Position(f32);

/// A velocity.
#[derive(::ecs_core::Component, Debug)]
struct Velocity(f32);

/// A mark.
#[derive(::ecs_core::Component, Debug)]
#[component(storage = "sparse")]
struct Frozen;

/// A relation.
#[derive(::ecs_core::Relation, Debug)]
#[relation(tree, sources = "despawn")]
pub struct ChildOf;

/// A relation of a generic type.
#[derive(::ecs_core::Relation, Debug)]
#[relation(many)]
pub struct Likes<T>(pub T);

/// A resource.
#[derive(::ecs_core::Resource, Debug)]
pub struct Time(f32);

/// A bundle.
#[derive(::ecs_core::Bundle, Debug)]
pub struct Body {
    position: Position,
    velocity: Velocity,
}

/// A parameter over private components.
#[derive(::ecs_core::SystemParam)]
struct Physics<'w> {
    position: CompMut<'w, Position>,
    velocity: Comp<'w, Velocity>,
    time: Res<'w, Time>,
}

/// Query data.
#[derive(::ecs_core::QueryData, Debug)]
struct Mover<'a> {
    position: &'a mut Position,
    velocity: &'a Velocity,
    frozen: Option<&'a Frozen>,
    id: Entity,
}

/// A filter.
#[derive(::ecs_core::QueryFilter)]
struct Thawed(Without<Frozen>, With<Position>);

/// A public system over private components and parameters.
#[::ecs_core::system]
pub fn movement(mut physics: Physics<'_>) {
    let dt = physics.time.0;
    for (p, v) in ::ecs_core::Join::iter((&mut physics.position, &physics.velocity)) {
        p.0 += v.0 * dt;
    }
}

/// A public system with private query data.
#[::ecs_core::system]
pub fn thawed(mut movers: Query<Mover, Thawed>, mut calls: Local<u8>) -> Option<Entity> {
    *calls += 1;
    let mut last = Option::None;
    for mover in &mut movers {
        ::core::assert!(mover.frozen.is_none());
        mover.position.0 += mover.velocity.0;
        last = Some(mover.id);
    }
    last
}

/// A system that is called for each entity.
#[::ecs_core::system(for_each, without(Frozen))]
pub(in crate::forms) fn reset(position: &mut Position, _velocity: Option<&Velocity>) {
    position.0 = 0.0;
}

/// A system with conflicting parameters.
#[::ecs_core::system]
pub fn twice(mut set: ParamSet<(CompMut<Position>, Comp<Position>)>) -> usize {
    for position in &mut set.p0() {
        position.0 *= 2.0;
    }
    set.p1().len()
}

/// An exclusive system.
#[::ecs_core::system]
pub fn clear(world: &mut World) {
    world.clear();
}

#[::ecs_core::systems]
impl Time {
    /// A method.
    #[system]
    pub fn tick(&mut self, by: f32) {
        self.0 += by;
    }
}

/// A generic system with a resource of any type.
#[::ecs_core::system]
pub fn replace<T: ::ecs_core::Resource>(with: T, mut old: ResMut<T>) {
    *old = with;
}

/// Runs all of these systems.
///
/// # Panics
/// If a system has a wrong result.
#[must_use]
pub fn run() -> f32 {
    let mut world = World::new();
    world.insert_resource(Time(1.0));
    let body = |velocity| Body {
        position: Position(1.0),
        velocity: Velocity(velocity),
    };
    let entity = world.spawn(body(1.0));
    let parts = ::ecs_core::relation::related![ChildOf; Frozen, Frozen];
    let root = world.spawn(::ecs_core::tree::children![(Frozen, parts)]);
    ::core::assert!(world.despawn(root).is_ok() && world.len() == 1);
    world.spawn((body(1.0), Frozen));
    movement(&world);
    let moved = thawed(&world);
    ::core::assert_eq!(moved, Some(entity));
    ::core::assert_eq!(twice(&world), 2);
    Time::tick(1.0, &world);
    replace(Time(5.0), &world);
    let frame = ::ecs_core::from_fn(|mut time: ResMut<Time>| time.0 += 1.0);
    let mut schedule = ::ecs_core::Schedule::new();
    schedule.add(frame);
    ::core::assert!(schedule.run(&mut world).is_ok());
    let sum = world.view::<Position>().iter().map(|p| p.0).sum::<f32>();
    reset(&world);
    ::core::assert_eq!(world.get::<Position>(entity).map(|p| p.0), Some(0.0));
    let time = world.resource::<Time>().0;
    clear(&mut world);
    sum + time
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macros_need_nothing_in_scope() {
        ::core::assert!((super::run() - 16.0).abs() < f32::EPSILON);
    }
}
