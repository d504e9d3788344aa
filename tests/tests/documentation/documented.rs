//! A package of systems; the test builds its documentation.

#![deny(warnings, rustdoc::all)]

use ecs_core::prelude::*;

/// A position.
#[derive(Component)]
pub struct Position(pub f32);

/// Has the same name as a function.
#[derive(Component)]
#[allow(non_camel_case_types, reason = "a case of the test")]
pub struct both {
    /// An arbitrary field.
    pub field: f32,
}

/// Not the component.
pub fn both() {}

#[derive(Component)]
struct Private;

/// A generic component.
#[derive(Component)]
pub struct Tag<T: Send + Sync + 'static>(pub T);

/// A module.
pub mod physics {
    /// A velocity.
    #[derive(ecs_core::Component)]
    pub struct Velocity(pub f32);

    /// Names types by paths.
    #[ecs_core::system]
    pub fn paths(_: ecs_core::CompMut<Velocity>, all: ecs_core::Query<&super::Position>) {
        let _ = all;
    }
}

/// A raw name.
#[derive(Resource)]
#[allow(non_camel_case_types, reason = "a case of the test")]
pub struct r#type;

/// A derived parameter.
#[derive(SystemParam)]
pub struct Clock<'w> {
    /// The time.
    pub time: Res<'w, u32>,
}

/// A derived query.
#[derive(QueryData)]
pub struct Mover<'a> {
    /// The position.
    pub position: &'a mut Position,
}

/// A generic resource.
#[derive(Resource)]
pub struct Shop<T>(pub T);

/// An event.
pub struct Hit;

/// Has parameters of each kind.
#[system]
pub fn kinds(
    positions: CompMut<Position>,
    clock: Clock<'_>,
    hits: EventReader<Hit>,
    _: Option<ResMut<r#type>>,
    _: (Res<String>, Local<'_, [f32; 3]>),
    set: ParamSet<(Comp<Tag<u8>>, CompMut<Tag<u8>>)>,
    #[cfg(any())] off: Res<Nothing>,
    #[cfg(all())] on: Res<u64>,
) {
    let _ = (positions, clock, hits, set, on);
}

/// Has queries.
#[system]
pub fn queries<T: Component>(
    all: Query<
        (Entity, &physics::Velocity, Option<&mut Tag<u8>>, &T),
        (With<Private>, Or<(With<T>, Without<Position>)>),
    >,
    movers: Query<Mover, Without<both>>,
) {
    let _ = (all, movers);
}

/// Is called for each entity.
#[system(for_each, with(Private, Tag<u8>), without(physics::Velocity))]
pub fn each(position: &mut Position, tag: Option<&Tag<u16>>) {
    let _ = (position, tag);
}

#[systems]
impl<T: Send + Sync + 'static> Shop<T> {
    /// Is a method.
    #[system]
    pub fn restock(&mut self, of: Comp<Tag<T>>, other: Res<T>)
    where
        T: Resource,
    {
        let _ = (of, other);
    }
}

macro_rules! make {
    ($name:ident, $ty:ty) => {
        /// Is made by another macro.
        #[system]
        pub fn $name(of: CompMut<$ty>, other: Comp<$crate::both>) {
            let _ = (of, other);
        }
    };
}

make!(made, Position);
