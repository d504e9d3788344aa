//! One mistake is one error: a system that has it can be scheduled, asked, piped, observed and called.

use std::rc::Rc;

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Up};
use ecs_core::tree::ChildOf;
use ecs_core::world::hooks::{OnAdd, Trigger};

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Score(u32);
#[derive(SystemParam)]
struct Physics<'w> {
    _positions: Comp<'w, Position>,
}
struct Hit;

#[system]
fn no_type(all: Comp) {
    all.len();
}
#[system]
fn two_types(n: Local<u32, u8>) -> bool {
    *n > 0
}
#[system]
fn two_views(_all: Comp<Position, Health>) {}
#[system]
fn two_types_of_an_index(_by_value: ecs_core::index::Index<Health, u32>) {}
#[system]
fn written_above(_all: Query<(&mut Position, Up<ChildOf, &mut Position>)>) {}
#[system]
fn events_of_one_thread(_events: EventWriter<Rc<u8>>) {}
#[system]
fn two_lifetimes<'w, 's>(_all: Query<'w, 's, &'static Position>) {}
#[system]
fn to_a_reference(_score: Res<&Score>) {}
#[system]
fn to_a_mutable_reference(mut all: Comp<&mut Position>) {
    (&mut all).for_each(|position| position.0 += 1.0);
}
#[system]
fn with_a_reference(all: Query<&Position, (With<&Health>, Or<(With<Score>, Without<&u8>)>)>) {
    all.iter().for_each(|position| drop(position.0));
}
#[system]
fn world_and_query(world: &mut World, all: Query<&Position, With<Health>>) {
    all.iter().for_each(|position| drop(position.0));
}
#[system]
fn view_in_a_query(_all: Query<(Entity, CompMut<Position>)>) {}
#[system]
fn resource_in_a_query(_all: Query<(&Position, Res<Score>)>) {}
#[system]
fn asks_for_a_component(_all: Query<(&Position, Has<Health>)>) {}
#[system]
fn on(_hit: On<Hit>) {}
#[system]
fn on_add(_added: On<Add, Health>) {}
#[system]
fn trigger_of_add(added: Trigger<OnAdd, Health>) {
    drop(added.entity());
}
#[system]
fn by_reference(commands: &mut Commands) -> u32 {
    commands.queue(|_: &mut World| {});
    1
}
#[system]
fn no_bound<T>(all: Comp<T>) {
    all.len();
}
#[system(for_each)]
fn item_without_bound<T>(_item: &mut T) {}
#[system(for_each)]
fn returns_a_count(_position: &Position) -> Result<u32, String> {
    Ok(1)
}
#[system(foreach)]
fn misspelt(_position: &mut Position) {}

#[system]
fn references(position: &mut Position, health: &Health, _score: Res<Score>) {
    position.0 += health.0 as f32;
}
#[system]
fn without_lifetime(_physics: Physics) {}
#[system]
fn derived_by_reference(_physics: &mut Physics<'_>) {}
#[system(for_each)]
fn by_value(_position: Position, _health: &Health) {}
#[system]
fn writes_targets(_parents: CompMut<Target<ChildOf>>) {}
#[system(for_each)]
fn writes_sources(_children: &mut Sources<ChildOf>) {}

#[system]
fn writes_above(_all: Query<(Entity, Up<ChildOf, &mut Health>)>) {}
#[system]
fn above_no_relation(_all: Query<Up<Position, &Health>>) {}

#[system]
fn argument(_score: Score) {}
#[system]
fn after_an_argument(_n: u8, _position: Comp<Position>) {}
#[system]
fn observer(_hit: Trigger<Hit>) {}
#[system]
fn lifecycle(_added: OnAdd<Health>) {}
#[system]
fn fine() {}
#[system]
fn takes(_n: u32) {}

// A component of the user with the name of a parameter.
#[derive(Component)]
struct Single(u32);
#[system(for_each)]
fn fine_too(_single: &mut Single) {}

fn uses(world: &mut World, frame: &mut Schedule) {
    frame.add((no_type, two_views.run_if(two_types), fine_too).chain());
    frame.add(two_lifetimes.after(to_a_reference));
    frame.add((to_a_mutable_reference, with_a_reference, world_and_query));
    frame.add((view_in_a_query, resource_in_a_query, asks_for_a_component));
    frame.add(by_reference.pipe(takes));
    frame.add((no_bound::<Position>, item_without_bound::<Health>, returns_a_count));
    frame.add((misspelt, references, without_lifetime, derived_by_reference, by_value));
    frame.add((writes_targets, writes_sources));
    world.observe(on);
    world.observe(on_add);
    world.observe(trigger_of_add);
    by_reference(world);
    no_bound::<Health>(world);
    misspelt(&mut Position(0.0), world);
    // Errors of their own.
    frame.add((fine, argument));
    frame.add((fine, (fine, after_an_argument)));
    frame.add(observer);
    frame.add(fine.run_if(lifecycle));
}

schedule! {
    static FRAME = [no_type.run_if(two_types), by_value, fine.after(no_type)]
}

fn not_a_system(_: Res<Score>) {}
schedule! {
    static OTHER = [not_a_system, fine.after(not_a_system).run_if(fine), after_an_argument]
}

fn main() {}

//~ fn no_type(all: Comp)
//~ n: Local<u32, u8>
//~ _all: Comp<Position, Health>
//~ Index<Health, u32>
//~ Query<(&mut Position, Up<ChildOf, &mut Position>)>
//~ EventWriter<Rc<u8>>
//~ Query<'w, 's, &'static Position>
//~ Res<&Score>
//~ Comp<&mut Position>
//~ With<&Health>
//~ all: Query<&Position, With<Health>>
//~ (Entity, CompMut<Position>)
//~ (&Position, Res<Score>)
//~ Has<Health>
//~ On<Hit>) {} #[system] fn on_add
//~ On<Add, Health>
//~ Trigger<OnAdd, Health>
//~ commands: &mut Commands
//~ no_bound<T>(all: Comp<T>)
//~ _item: &mut T
//~ Result<u32, String>
//~ foreach
//~ position: &mut Position, health
//~ fn without_lifetime(_physics: Physics)
//~ &mut Physics<'_>
//~ fn by_value(_position: Position
//~ CompMut<Target<ChildOf>>
//~ &mut Sources<ChildOf>
//~ Query<(Entity, Up<ChildOf, &mut Health>)>
//~ Query<Up<Position, &Health>>
//~ (fine, argument)
//~ (fine, (fine, after_an_argument))
//~ frame.add(observer)
//~ fine.run_if(lifecycle)
//~ [not_a_system
//~ run_if(fine)
//~ after_an_argument] }
