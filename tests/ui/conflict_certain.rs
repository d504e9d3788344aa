// Conflicts that every instance of a generic system has.
#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Dead;
#[derive(Component)]
struct Tag<T: Send + Sync + 'static>(T);

#[system]
fn views<T: Component>(all: CompMut<T>, again: Comp<T>) {}

#[system]
fn view_and_query<T: Component>(all: Query<&mut T, Without<Dead>>, again: Comp<T>) {}

#[system]
fn queries<T: Component>(all: Query<&mut T>, again: Query<(Entity, Option<&T>)>) {}

#[system]
fn one_query<T: Component>(all: Query<(&mut T, &T), With<Dead>>) {}

#[system]
fn resources<T: Resource>(all: ResMut<T>, again: Option<Res<T>>) {}

#[system]
fn events<T: Send + Sync>(reader: EventReader<T>, writer: EventWriter<T>) {}

#[system]
fn of_a_number<const N: usize>(all: CompMut<Tag<[u8; N]>>, again: Comp<Tag<[u8; N]>>) {}

#[system(for_each)]
fn items<T: Component>(one: &mut T, again: &T) {}

#[system(for_each, with(Dead))]
fn item_and_view<T: Component>(one: &T, all: CompMut<T>) {}

// None of these: the last three are compared where instances are used.
#[system]
fn read_twice<T: Component>(all: Comp<T>, again: Query<&T>) {}

#[system]
fn apart<T: Component>(all: Query<&mut T, With<Dead>>, others: Query<&T, Without<Dead>>) {}

#[system]
fn resource_of_events<T: Resource>(value: ResMut<T>, events: EventReader<T>) {}

#[system]
fn by_turns<T: Component>(both: ParamSet<(CompMut<T>, Comp<T>)>) {}

#[system]
fn two_types<T: Component, U: Component>(all: CompMut<T>, others: Comp<U>) {}

fn main() {}

//~ fn views<T: Component>(all: CompMut<T>, again: Comp<T>) {}
//~ fn view_and_query<T: Component>(all: Query<&mut T, Without<Dead>>, again: Comp<T>) {}
//~ Query<(Entity, Option<&T>)>
//~ Query<(&mut T, &T), With<Dead>>
//~ Option<Res<T>>
//~ EventWriter<T>
//~ Comp<Tag<[u8; N]>>
//~ again: &T
//~ fn item_and_view<T: Component>(one: &T, all: CompMut<T>) {}
