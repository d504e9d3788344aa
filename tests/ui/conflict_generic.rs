#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Resource)]
struct Time;

#[system]
fn generic_component(a: CompMut<Tag<u8>>, b: Comp<Tag<u8>>) {}

type Small = Tag<u8>;

#[system]
fn alias_of_an_instance(a: Comp<Small>, b: CompMut<Tag<u8>>) {}

// Parameters that do not depend on `T` are checked without an instance.
#[system]
fn generic_system<T: Component>(all: CompMut<T>, time: ResMut<Time>, again: Res<Time>) {}

#[system]
fn generic_system_itself<T: Component>(all: Comp<T>, a: Query<(&mut Position, &Position)>) {}

#[system]
fn generic_number<const N: usize>(a: CompMut<Position>, b: Comp<Position>) -> usize {
    N
}

fn main() {}

//~ Comp<Tag<u8>>
//~ b: CompMut<Tag<u8>>
//~ Res<Time>
//~ Query<(&mut Position, &Position)>
//~ Comp<Position>
