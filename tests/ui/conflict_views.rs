#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

mod physics {
    pub(crate) use super::Position;
    pub(crate) type Pos = super::Position;
    pub(crate) type Write<'w> = ecs_core::CompMut<'w, Pos>;
}
use physics::Pos;

#[derive(Resource)]
struct Time;

#[system]
fn alias(mut positions: CompMut<Position>, time: Res<Time>, old: Comp<Pos>) {}

#[system]
fn other_path(positions: Comp<crate::Position>, mut same: ecs_core::CompMut<physics::Position>) {}

#[system]
fn alias_of_the_view(positions: physics::Write<'_>, mut same: CompMut<Position>) {}

#[system]
fn resource_twice(mut time: ResMut<Time>, mut commands: Commands, again: Res<Time>) {}

#[system]
fn optional_resource(time: Option<Res<Time>>, mut again: Option<ResMut<Time>>) {}

#[system]
fn foreign_resources(mut scores: ResMut<Vec<u8>>, again: Res<Vec<u8>>) {}

#[system]
fn number(count: ResMut<u64>, #[cfg(not(all()))] gone: ResMut<u64>, #[cfg(all())] again: ResMut<u64>) {}

#[system]
fn three_times(a: CompMut<Position>, b: Comp<Position>, c: CompMut<Position>) {}

#[system]
fn events(mut hits: EventWriter<u8>, seen: EventReader<u8>) {}

#[system]
fn events_as_a_resource(seen: EventReader<u8>, mut all: ResMut<Events<u8>>) {}

macro_rules! made {
    ($name:ident, $ty:ty) => {
        #[system]
        fn $name(a: CompMut<$ty>, b: Comp<Position>) {}
    };
}
made!(made_by_a_macro, Pos);

#[system]
fn with_arguments(speed: f32, name: &str, a: CompMut<Position>, b: Comp<Position>) -> f32 {
    speed
}

fn main() {}

//~ Comp<Pos>
//~ ecs_core::CompMut<physics::Position>
//~ mut same: CompMut<Position>
//~ again: Res<Time>
//~ Option<ResMut<Time>>
//~ Res<Vec<u8>>
//~ ] again: ResMut<u64>
//~ fn three_times(a: CompMut<Position>, b: Comp<Position>
//~ c: CompMut<Position>
//~ fn events(mut hits: EventWriter<u8>, seen: EventReader<u8>) {}
//~ ResMut<Events<u8>>
//~ fn $name(a: CompMut<$ty>, b: Comp<Position>) {}
//~ fn with_arguments(speed: f32, name: &str, a: CompMut<Position>, b: Comp<Position>) -> f32 {
