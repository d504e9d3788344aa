use std::cell::Cell;

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Time(f32);

#[derive(SystemParam)]
struct Clock<'w> {
    time: Res<'w, Time>,
}

#[derive(SystemParam)]
#[system_param(shared)]
struct NotShared<'w> {
    time: ResMut<'w, Time>,
}

#[system(par_for_each)]
fn writes(position: &mut Position, mut time: ResMut<Time>) {
    time.0 += position.0;
}

#[system(par_for_each)]
fn commands(entity: Entity, position: &Position, mut commands: Commands) {
    if position.0 < 0.0 {
        commands.entity(entity).despawn();
    }
}

#[system(par_for_each)]
fn remembers(_position: &Position, mut count: Local<u32>) {
    *count += 1;
}

#[system(par_for_each)]
fn derived(position: &mut Position, clock: Clock<'_>) {
    position.0 += clock.time.0;
}

#[system(par_for_each)]
fn collects(#[arg] into: &mut Vec<f32>, position: &Position) {
    into.push(position.0);
}

#[system(par_for_each)]
fn counts(#[arg] counter: &Cell<u32>, _position: &Position) {
    counter.set(counter.get() + 1);
}

#[system(for_each, par_for_each)]
fn both(_position: &Position) {}

#[system(par_for_each)]
fn no_items(_time: Res<Time>) {}

#[system(par_for_each)]
fn returns(position: &Position) -> f32 {
    position.0
}

#[system(par_for_each)]
fn aliases(_position: &mut Position, _all: Comp<Position>) {}

#[system(par_for_each, changed(Position))]
fn untracked(_position: &Position) {}

#[system(parallel)]
fn misspelt(_position: &Position) {}

#[system(changed(Position))]
fn filters_nothing(_positions: Comp<Position>) {}

fn main() {}

//~ time: ResMut<'w, Time>,
//~ ResMut<Time>
//~ Commands
//~ Local<u32>
//~ Clock<'_>
//~ &mut Vec<f32>
//~ fn counts(#[arg] counter: &Cell<u32>, _position: &Position) {
//~ #[system(for_each, par_for_each)]
//~ no_items
//~ -> f32
//~ _all: Comp<Position>
//~ #[system(par_for_each, changed(Position))]
//~ parallel
//~ #[system(changed(Position))]
