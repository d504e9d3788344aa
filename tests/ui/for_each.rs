use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

struct Health(f32);

#[derive(Resource)]
struct Time;

#[system(for_each)]
fn no_items(time: Res<Time>) {}

#[system(for_each)]
fn no_component(_position: &mut Position, _health: &Health) {}

#[system(for_each)]
fn no_resource(_position: &mut Position, _health: ResMut<Health>, _time: Res<Time>) {}

#[system(for_each)]
fn returns(position: &Position) -> f32 {
    position.0
}

#[system(for_each)]
fn aliases(_position: &mut Position, #[cfg(all())] _other: &Position, _world: &mut World) {}

#[system(with(Position))]
fn not_a_loop(#[item] position: &Position, time: Res<Time>) {}

#[system(for_each)]
fn by_value(_position: Position) {}

#[system(for_each)]
fn entity_by_reference(_entity: &Entity, _: &Position) {}

fn main() {}

//~ no_items
//~ _health: &Health
//~ ResMut<Health>
//~ -> f32
//~ fn aliases(_position: &mut Position, #[cfg(all())] _other: &Position, _world: &mut World) {}
//~ with
//~ #[item]
//~ _position: Position
//~ &Entity
