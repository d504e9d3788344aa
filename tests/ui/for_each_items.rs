//! Items and filters that are not components, or not tracked: one error each, unless a comment says otherwise.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

struct Health(f32);

#[derive(Resource)]
struct Time;

mod shapes {
    pub struct Round;
}

#[system(for_each)]
fn first(health: &mut Health, position: &Position) {
    health.0 += position.0;
}

#[system(for_each)]
fn between(_: Entity, position: &mut Position, health: &Health, _: Option<&Position>) {
    position.0 += health.0;
}

#[system(for_each)]
fn optional(_: &Position, health: Option<&mut Health>) {
    if let Some(health) = health {
        health.0 = 0.0;
    }
}

#[system(for_each)]
fn by_path(_: &Position, _: &shapes::Round, _: Res<Time>) {}

#[system(for_each)]
fn not_tracked(mut position: Mut<Position>) {
    position.0 = 1.0;
}

#[system(for_each, changed(Position))]
fn changed(_: &Position, _: Res<Time>) {}

#[system(for_each, with(Position), added(Position))]
fn added(_: Entity) {}

#[system(for_each, with(Health))]
fn with(position: &mut Position) {
    position.0 += 1.0;
}

#[system(for_each)]
fn with_an_argument(by: f32, health: &mut Health) {
    health.0 += by;
}

#[system(for_each)]
fn fallible(health: &mut Health) -> Result<(), std::fmt::Error> {
    health.0 += 1.0;
    Ok(())
}

#[system(for_each)]
fn generic<T: Send + Sync + 'static>(_: &Position, _: &T) {}

#[system(for_each)]
fn many_parameters(
    _: &Position,
    health: &Health,
    #[cfg(all())] _: Res<Time>,
    time: Option<Res<Time>>,
    _: Commands,
) {
    let _ = (health.0, time);
}

#[system(par_for_each)]
fn parallel(position: &mut Position, health: &Health) {
    position.0 += health.0;
}

#[system(par_for_each, changed(Position))]
fn parallel_changed(position: &mut Position, _: Res<Time>) {
    position.0 += 1.0;
}

#[system(par_for_each)]
fn parallel_fallible(health: &Health) -> Result<(), std::fmt::Error> {
    if health.0 > 1.0 { Ok(()) } else { Err(std::fmt::Error) }
}

#[system(for_each)]
fn not_data(_: &Position, #[item] _: Health) {}

#[system(for_each)]
fn not_a_resource(position: &mut Position, health: Res<Health>) {
    position.0 += health.0;
}

// Three errors.
#[system(for_each, changed(Position))]
fn all_at_once(position: &mut Position, health: &Health, round: Res<shapes::Round>) {
    position.0 += health.0;
    drop(round);
}

fn main() {}

//~ fn first(health: &mut Health, position: &Position) {
//~ fn between(_: Entity, position: &mut Position, health: &Health, _: Option<&Position>) {
//~ health: Option<&mut Health
//~ _: &shapes::Round
//~ mut position: Mut<Position
//~ #[system(for_each, changed(Position))] fn changed(_: &Position, _: Res<Time>) {}
//~ #[system(for_each, with(Position), added(Position))]
//~ #[system(for_each, with(Health))]
//~ fn with_an_argument(by: f32, health: &mut Health) {
//~ fn fallible(health: &mut Health) -> Result<(), std::fmt::Error> {
//~ _: &T
//~ health: &Health, #[cfg(all())] _: Res<Time>,
//~ fn parallel(position: &mut Position, health: &Health) {
//~ #[system(par_for_each, changed(Position))]
//~ fn parallel_fallible(health: &Health) -> Result<(), std::fmt::Error> {
//~ #[item] _: Health
//~ Res<Health>
//~ #[system(for_each, changed(Position))] fn all_at_once(position: &mut Position, health: &Health, round: Res<shapes::Round>) {
//~ fn all_at_once(position: &mut Position, health: &Health
//~ Res<shapes::Round>
