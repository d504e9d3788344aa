// Parameters in the style of other libraries.
#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
#[derive(Component)]
struct Dead;
#[derive(Resource)]
struct Shop;

#[system]
fn filter_in_data(all: Query<(&Position, With<Dead>)>) {
    for (position, _) in all.iter() {}
}

#[system]
fn data_in_filter(all: Query<&Position, &Velocity>) {
    for (position, velocity) in all.iter() {}
}

#[system]
fn three_arguments(all: Query<&Position, &Velocity, With<Dead>>) {}

#[system]
fn filter_only(all: Query<With<Dead>>) {}

#[system]
fn filter_alone(all: Comp<Position>, dead: With<Dead>) {}

#[system(for_each)]
fn filter_of_a_loop(position: &Position, dead: Without<Dead>) {}

#[system]
fn no_tuple(both: ParamSet<Query<&mut Position>, Query<&Position>>) {}

#[system]
fn exclusive(world: &mut World, entity: Entity) {}

#[system]
fn exclusive_and_more(world: &mut World, turn: Local<u32>, hits: EventReader<Dead>, commands: Commands) {}

#[system]
fn world_by_value(world: World) {}

#[system(for_each)]
fn component_by_value(position: Position, velocity: &Velocity) {}

#[system]
fn self_without_a_block(all: Comp<Self>) {}

#[system]
fn borrow_in_an_option(all: Comp<Position>) -> Option<&Position> {
    all.iter().next()
}

#[system]
fn twice(all: Comp<Position>) {}

#[system]
fn twice(all: Comp<Velocity>) {}

#[systems]
impl Shop {
    #[system]
    fn twice(all: Comp<Position>) {}

    #[system]
    fn twice(&self) {}
}

fn main() {}

//~ fn filter_in_data(all: Query<(&Position, With<Dead>)>) {
//~ fn data_in_filter(all: Query<&Position, &Velocity>) {
//~ fn three_arguments(all: Query<&Position, &Velocity, With<Dead>>) {}
//~ all: Query<With<Dead>
//~ dead: With<Dead>
//~ Without<Dead>
//~ Query<&Position>
//~ Entity
//~ Local<u32>
//~ EventReader<Dead>
//~ Commands
//~ world: World
//~ position: Position
//~ Self
//~ Option<&Position>
//~ fn twice(all: Comp<Velocity>)
//~ fn twice(&self) {}
