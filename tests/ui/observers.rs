// Mistakes in observers.
#![allow(unused)]

use ecs_core::observer;
use ecs_core::prelude::*;
use ecs_core::world::hooks::{DeferredWorld, OnAdd, OnRemove, Trigger};

#[derive(Component)]
struct Health(i32);
struct Hit(i32);
#[derive(Resource)]
struct Score;

#[system]
fn by_reference(hit: &Trigger<Hit>, health: CompMut<Health>) {}

#[system]
fn not_first(health: CompMut<Health>, struck: Trigger<Hit>) {}

#[system]
fn two_events(hit: Trigger<Hit>, added: OnAdd<Health>) {}

#[system]
fn two_components(added: OnAdd<Health, Score>) {}

#[system]
fn triggered(removed: Trigger<OnRemove<Health>>) {}

#[system]
fn conflict(hit: Trigger<Hit>, a: CompMut<Health>, b: Comp<Health>) {}

#[system]
fn argument(hit: Trigger<Hit>, #[arg] damage: i32) {}

#[system]
fn exclusive(hit: Trigger<Hit>, world: &mut World) {}

#[system]
fn number(hit: Trigger<Hit>) -> i32 {
    0
}

#[system]
fn added(_: OnAdd<Health>) {}

#[system]
fn scored(scored: OnRemove<Score>, mut commands: Commands) {}

#[system]
fn no_event(health: CompMut<Health>) {}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(());
    world.observe(argument);
    world.observe(exclusive);
    world.observe(number);
    world.observe(two_components);
    world.observe(scored);
    world.observe(no_event);
    world.observe_on(entity, added);
    world.observe(observer(added).after(|_: OnAdd<Health>| {}));
}

//~ &Trigger<Hit>
//~ struck: Trigger<Hit>
//~ added: OnAdd<Health>
//~ OnAdd<Health, Score>
//~ Trigger<OnRemove<Health>>
//~ b: Comp<Health>
//~ Score>, mut commands
//~ world.observe(argument);
//~ world.observe(exclusive);
//~ world.observe(number);
//~ world.observe(no_event);
//~ world.observe_on(entity, added);
//~ observer(added).after(|_: OnAdd<Health>| {})
